//! What a stage's command answers: its metrics, in words and as one object.

use serde_json::{Map, Value, json};
use whitecap_scene::short_numbers;
use whitecap_shot::{FrameResult, Metric};

use super::files::Files;
use crate::answer::Answer;
use crate::memory::peak_bytes;
use crate::wording;

/// What is reported about one frame.
pub struct FrameAnswer {
    pub frame: i64,
    /// Whether an earlier run made it.
    pub skipped: bool,
    seconds: f64,
    metrics: Vec<Metric>,
    times: Vec<Metric>,
    notes: Vec<String>,
}

impl FrameAnswer {
    pub fn new(frame: i64, skipped: bool, result: FrameResult<'_>) -> Self {
        let FrameResult { seconds, metrics, times, notes } = result;
        let (metrics, times, notes) = (metrics.to_vec(), times.to_vec(), notes.to_vec());
        Self { frame, skipped, seconds, metrics, times, notes }
    }

    fn json(&self, files: &Files) -> Value {
        let metrics = self.metrics.iter().map(|metric| (key(metric), value(metric)));
        let times = self.times.iter().map(|time| (key(time), json!(time.value)));
        let mut object = json!({
            "frame": self.frame,
            "output": wording::path(&files.output_of(self.frame)),
            "seconds": self.seconds,
            "notes": self.notes,
            "metrics": metrics.collect::<Map<_, _>>(),
        });
        if let Some(input) = files.input_of(self.frame) {
            object["input"] = json!(wording::path(&input));
        }
        if let Value::Object(object) = &mut object {
            object.extend(times);
        }
        object
    }
}

/// The key of a number: its name and its unit, `largest height` in m → `largest_height_metres`.
fn key(metric: &Metric) -> String {
    let words = |text: &str| text.to_lowercase().replace([' ', '-'], "_");
    let name = words(&metric.name);
    match unit_in_words(&metric.unit) {
        "" => name,
        unit => format!("{name}_{}", words(unit)),
    }
}

/// A unit as keys spell it.
fn unit_in_words(unit: &str) -> &str {
    match unit {
        "m" => "metres",
        "m²" => "square metres",
        "m³" => "cubic metres",
        "m/s" => "metres per second",
        "s" => "seconds",
        "J" => "joules",
        "%" => "percent",
        other => other,
    }
}

fn value(metric: &Metric) -> Value {
    let is_count = matches!(&*metric.unit, "" | "bytes") && metric.value.fract() == 0.0;
    match is_count {
        true => json!(metric.value as i64),
        false => short_numbers(json!(metric.value)),
    }
}

/// Each number over all frames, in the order in which frames reported them.
fn totals(made: &[FrameAnswer], list: impl Fn(&FrameAnswer) -> &[Metric]) -> Vec<Metric> {
    let mut totals: Vec<Metric> = Vec::new();
    for metric in made.iter().flat_map(&list) {
        if totals.iter().any(|known| known.name == metric.name) {
            continue;
        }
        let same = |frame: &FrameAnswer| {
            list(frame).iter().find(|other| other.name == metric.name).map(|other| other.value)
        };
        if let Some(value) = metric.over.of(made.iter().filter_map(same)) {
            totals.push(Metric { value, ..metric.clone() });
        }
    }
    totals
}

/// The answer of a finished run.
pub fn of_run(made: &[FrameAnswer], files: &Files, told: &[&str], seconds: f64) -> Answer {
    let metrics = totals(made, |frame| &frame.metrics);
    let times = totals(made, |frame| &frame.times);
    let mut object = json!({
        "output": wording::path(&files.output),
        "seconds": seconds,
        "peak_bytes": peak_bytes(),
        "missing_frames": files.missing,
        "frames": made.iter().map(|frame| frame.json(files)).collect::<Vec<_>>(),
    });
    if let Value::Object(object) = &mut object {
        object.extend(metrics.iter().map(|metric| (key(metric), value(metric))));
        object.extend(times.iter().map(|time| (key(time), json!(time.value))));
    }
    Answer::done(sentence(made.len(), &metrics, files, told, seconds), object)
}

/// `5 frames with 216 particles in 1.2 s (largest compression 0.51 %); they are in out/water.####.bgeo.`
fn sentence(
    frames: usize,
    metrics: &[Metric],
    files: &Files,
    told: &[&str],
    seconds: f64,
) -> String {
    let told = told.iter().filter_map(|name| metrics.iter().find(|metric| metric.name == *name));
    let (counts, measured): (Vec<&Metric>, Vec<&Metric>) =
        told.partition(|metric| metric.unit.is_empty());
    let counts: Vec<String> =
        counts.iter().map(|metric| wording::of_plural(metric.value, &metric.name)).collect();
    let measured = measured
        .iter()
        .map(|metric| format!("{} {} {}", metric.name, wording::number(metric.value), metric.unit));
    let measured = measured.collect::<Vec<_>>().join(", ");
    format!(
        "{}{} in {}{}; {} in {}.\n",
        wording::count(frames, "frame"),
        if counts.is_empty() { String::new() } else { format!(" with {}", counts.join(" and ")) },
        wording::duration(seconds),
        if measured.is_empty() { String::new() } else { format!(" ({measured})") },
        if frames == 1 { "it is" } else { "they are" },
        files.output.display(),
    )
}
