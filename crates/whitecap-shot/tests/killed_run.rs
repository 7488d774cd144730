//! Contract: a run that is killed ten times at random moments, and then let finish, leaves byte
//! for byte the files of an uninterrupted run; and after each kill every file that carries a final
//! name is already what it will be.
//!
//! This test is its own main program, because it starts itself again as the run to be killed.

mod support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Drift, results, shot};
use whitecap_shot::{CancelToken, Event, RunOptions, run};

const SHOT: &str = r#"
[shot]
name = "killed"
frames = [1, 16]
output = "out"

[water]
kind = "example"
spacing = 0.04

[drifting]
kind = "drift"
particles = "water"
save = ["ply"]

[skin]
kind = "surface"
particles = "drifting"
cell = 0.04
attributes = ["velocity"]
save = ["ply"]
"#;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match &arguments[..] {
        [_, mode, folder] if mode == "run-shot" => run_shot(Path::new(folder)),
        [_, flag, ..] if flag == "--list" => println!("killed_run: test"),
        _ => killed_runs_continue(),
    }
}

fn run_shot(folder: &Path) {
    let cancel = CancelToken::new();
    let observer = |_: &Event<'_>| {};
    let mut options = RunOptions::new(&observer, &cancel);
    // Some frames have a checkpoint and some have not.
    options.checkpoint_interval = Duration::from_millis(15);
    run(&shot(folder, SHOT, &Drift::default()), &options).unwrap();
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["run-shot".as_ref(), folder.as_os_str()])
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn killed_runs_continue() {
    let reference = tempfile::tempdir().unwrap();
    let started = Instant::now();
    assert!(start(reference.path()).wait().unwrap().success());
    let whole = started.elapsed();
    let wanted = results(&reference.path().join("out"));
    assert_eq!(wanted.len(), 16 + 16 + 3, "frames of two stages, and three manifests");

    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut kills = 0;
    while kills < 10 {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        loop {
            let mut child = start(folder.path());
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let fraction = (random >> 40) as f64 / (1u64 << 24) as f64;
            std::thread::sleep(whole.mul_f64(0.5 * fraction));
            if kills < 10 && child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                for (name, bytes) in results(&output) {
                    let temporary = name.extension().is_some_and(|extension| extension == "tmp");
                    assert!(
                        temporary || bytes == wanted[&name],
                        "{} is unfinished",
                        name.display()
                    );
                }
            } else {
                assert!(child.wait().unwrap().success());
                break;
            }
        }
        let found = results(&output);
        assert!(found.keys().eq(wanted.keys()), "{:?}", found.keys());
        for (name, bytes) in &wanted {
            assert!(found[name] == *bytes, "{} differs from the uninterrupted run", name.display());
        }
    }
    println!("killed {kills} times; every file is byte-identical");
}
