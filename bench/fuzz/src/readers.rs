//! Damaged files through the readers, in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use whitecap_core::scatter::Sequence;
use whitecap_io::{Error, Kind, parse_mesh, parse_particles, vdb};

use crate::mutation::damaged;
use crate::samples::Sample;
use crate::{MEMORY, Request, keep};

const PATIENCE: Duration = Duration::from_secs(10);
/// What a reader may use for a file of a few kilobytes.
const MOST_MEGABYTES: f32 = 256.0;

/// Runs the cases of every sample; returns how many failed.
pub fn run(request: &Request, samples: &[Sample]) -> usize {
    std::panic::set_hook(Box::new(|_| {}));
    let mut failures = 0;
    for sample in samples {
        let what = format!("read {:?} {}", sample.kind, sample.name);
        let before = failures;
        let mut random = Sequence::new(request.seed.wrapping_add(sample.bytes.len() as u64));
        for case in 0..request.cases {
            let bytes = damaged(&sample.bytes, &mut random);
            if let Some(why) = trouble(sample, &bytes) {
                keep(&what, case, &sample.name, &bytes, &why);
                failures += 1;
            }
        }
        println!("{what}: {} cases, {} failures", request.cases, failures - before);
    }
    let _ = std::panic::take_hook();
    failures
}

/// What went wrong with a case.
fn trouble(sample: &Sample, bytes: &[u8]) -> Option<String> {
    MEMORY.reset_peak_usage();
    let (done, result) = mpsc::channel();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            let parsed = catch_unwind(AssertUnwindSafe(|| parse(sample, bytes).is_ok()));
            // Nobody listens any more if this took too long.
            let _ = done.send(parsed.is_err());
        });
        match result.recv_timeout(PATIENCE) {
            Ok(panicked) => panicked.then(|| String::from("panics")),
            Err(_) => {
                keep("hang", 0, &sample.name, bytes, "the reader hangs and cannot be stopped");
                std::process::exit(1);
            }
        }
    });
    let peak = MEMORY.peak_usage_as_mb();
    outcome.or_else(|| (peak > MOST_MEGABYTES).then(|| format!("uses {peak:.0} MB")))
}

fn parse(sample: &Sample, bytes: &[u8]) -> Result<(), Error> {
    let path = Path::new(&sample.name);
    match sample.kind {
        Kind::Particles => parse_particles(bytes, sample.format, path).map(drop),
        Kind::Mesh => parse_mesh(bytes, sample.format, path).map(drop),
        Kind::Volume => vdb::parse(bytes, path).map(drop),
    }
}
