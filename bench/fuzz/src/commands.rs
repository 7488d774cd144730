//! Damaged files through the command, each case in a process of its own.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use whitecap_core::scatter::Sequence;
use whitecap_io::Kind;

use crate::mutation::damaged;
use crate::samples::Sample;
use crate::{Request, keep};

const PATIENCE: Duration = Duration::from_secs(10);
/// The limit that the command is given.
const MEMORY: &str = "1GB";
/// What it may use with that limit: needs below 64 MB are not counted, and there may be some of them.
const MOST_BYTES: u64 = 1_500_000_000;
/// Exit codes of a command that ended as it should.
const GOOD_CODES: [i32; 3] = [0, 1, 2];

/// The commands, what they take, and their arguments after the file.
const COMMANDS: [(&str, &[Kind], &[&str]); 4] = [
    ("info", &[Kind::Particles, Kind::Mesh, Kind::Volume], &[]),
    ("surface", &[Kind::Particles], &["-o", "out.ply"]),
    (
        "render",
        &[Kind::Particles, Kind::Mesh, Kind::Volume],
        &["-o", "out.png", "--width", "16", "--height", "16", "--samples", "1"],
    ),
    ("convert", &[Kind::Particles, Kind::Mesh], &["out.ply"]),
];

/// Runs the cases of every command; returns how many failed.
pub fn run(request: &Request, samples: &[Sample]) -> usize {
    let whitecap = request.whitecap.canonicalize().unwrap_or_else(|_| request.whitecap.clone());
    let folder = std::env::temp_dir().join(format!("whitecap-fuzz-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        println!("{}: {error}", folder.display());
        return 1;
    }
    let mut failures = 0;
    for (command, kinds, arguments) in COMMANDS {
        let fitting: Vec<&Sample> =
            samples.iter().filter(|sample| kinds.contains(&sample.kind)).collect();
        let mut random = Sequence::new(request.seed);
        let before = failures;
        for case in 0..request.cases {
            let sample = fitting[case % fitting.len()];
            let bytes = damaged(&sample.bytes, &mut random);
            let file = folder.join(&sample.name);
            let mut process = Command::new(&whitecap);
            process.current_dir(&folder).args([command, &sample.name]).args(arguments);
            process.args(["--memory", MEMORY, "--threads", "1"]);
            let why = match std::fs::write(&file, &bytes) {
                Ok(()) => trouble(&mut process),
                Err(error) => Some(error.to_string()),
            };
            if let Some(why) = why {
                keep(command, case, &sample.name, &bytes, &why);
                failures += 1;
            }
            clear(&folder);
        }
        println!("{command}: {} cases, {} failures", request.cases, failures - before);
    }
    // What is left is a few small files in the folder for temporary ones.
    let _ = std::fs::remove_dir_all(&folder);
    failures
}

fn clear(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let _ =
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}

/// What went wrong with a process.
fn trouble(process: &mut Command) -> Option<String> {
    process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match process.spawn() {
        Ok(child) => child,
        Err(error) => return Some(error.to_string()),
    };
    let started = Instant::now();
    let mut peak = 0;
    loop {
        peak = peak.max(peak_bytes(&child));
        match child.try_wait() {
            Ok(Some(status)) => {
                let code = status.code();
                let ended_well = code.is_some_and(|code| GOOD_CODES.contains(&code));
                return match (ended_well, peak > MOST_BYTES) {
                    (false, _) => Some(format!("ends with {status}")),
                    (true, true) => Some(format!("uses {} MB", peak / 1_000_000)),
                    (true, false) => None,
                };
            }
            Ok(None) if started.elapsed() > PATIENCE => {
                // It may have ended by itself in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                return Some(format!("takes longer than {PATIENCE:?}"));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Some(error.to_string()),
        }
    }
}

/// The most memory that a process has used, where the system says so (Linux).
fn peak_bytes(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let kibibytes = status.ok().and_then(|status| {
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim();
        line.strip_suffix("kB")?.trim().parse::<u64>().ok()
    });
    kibibytes.unwrap_or(0) * 1024
}
