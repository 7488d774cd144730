//! A shot from its text, with progress: `cargo run --release -p whitecap --example 0c_run_a_shot`

use whitecap::shot::{CancelToken, Event, Registry, RunOptions, Shot, run};

const SHOT: &str = r#"
[shot]
name = "drop"
frames = [1, 8]

[water]
kind = "example"
spacing = 0.03

[surface]
kind = "surface"
particles = "water"
method = "zhu-bridson"
save = ["ply"]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join("whitecap_shot").join("drop.toml");
    let shot = Shot::parse(SHOT, &path, &Registry::standard())?;
    let observer = |event: &Event<'_>| {
        if let Event::FrameDone { stage, frame, done, total, .. } = event {
            println!("{stage}, frame {frame}: {done} of {total}");
        }
    };
    let cancel = CancelToken::new();
    let summary = run(&shot, &RunOptions::new(&observer, &cancel))?;
    println!("{}", summary.sentence());
    Ok(())
}
