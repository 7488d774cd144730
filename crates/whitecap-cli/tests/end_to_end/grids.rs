//! `whitecap flip` and `whitecap smoke`.

use crate::{outcome, run};

/// Contract: liquids and smoke on grids are simulated from flags alone, as many frames as asked for, in files
/// that other commands read.
#[test]
fn grids_from_flags() {
    let folder = tempfile::tempdir().unwrap();
    let ball = r#"--sources=[{"from": {"ball": {"center": [0, 0.2, 0], "radius": 0.2}}}]"#;
    let commands: [&[&str]; 2] = [
        &["flip", "--fill-box=0,0,0,0.4,0.4,0.4", "--domain=0,0,0,1,1,0.4", "--spacing=0.05"],
        &["smoke", ball, "--cell=0.05"],
    ];
    for (command, output) in commands.into_iter().zip(["w.##.bgeo", "s.##.vdb"]) {
        let command: Vec<&str> =
            command.iter().copied().chain(["--frames=3", "-o", output]).collect();
        let (code, _, stderr) = outcome(&run(folder.path(), &command));
        assert_eq!(code, 0, "{stderr}");
        for frame in ["01", "02", "03"] {
            let file = output.replace("##", frame);
            let (code, _, stderr) = outcome(&run(folder.path(), &["info", &file]));
            assert_eq!(code, 0, "{file}: {stderr}");
        }
    }
}
