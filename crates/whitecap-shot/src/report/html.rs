//! The report as one self-contained HTML page: no script, no font, no network.

use std::collections::BTreeMap;
use std::fmt::Write;

use whitecap_core::counted;

use crate::report::plot::{LinePlot, Series, bars, escape, number};
use crate::report::{FrameReport, Report, StageReport};

/// Eight hues of equal lightness and strength, in the order of greatest difference; the lightness
/// follows the reader's light or dark setting.
const STYLE: &str = "
:root{color-scheme:light dark;--lightness:.55;--ink:#1b1f24;--soft:#5b6470;--paper:#fff;--rule:#d9dee4}
@media(prefers-color-scheme:dark){:root{--lightness:.76;--ink:#e8ecf1;--soft:#a3adb9;--paper:#14181d;--rule:#333b45}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:0 0 .25rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(28rem,100%),1fr));gap:1.5rem}
figure{margin:0}svg{width:100%;height:auto;display:block}figcaption{color:var(--soft);font-size:.85rem}
.key{color:var(--ink);margin-right:.75rem;white-space:nowrap}.key svg{display:inline-block;width:1.6rem;margin-right:.3rem;vertical-align:middle}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.grid{stroke:var(--rule)}.tick{fill:var(--soft);font-size:12px}.axis{fill:var(--ink);font-size:13px}
.c0{--c:oklch(var(--lightness) .13 250)}.c1{--c:oklch(var(--lightness) .13 50)}.c2{--c:oklch(var(--lightness) .13 150)}.c3{--c:oklch(var(--lightness) .13 340)}
.c4{--c:oklch(var(--lightness) .13 200)}.c5{--c:oklch(var(--lightness) .13 90)}.c6{--c:oklch(var(--lightness) .13 295)}.c7{--c:oklch(var(--lightness) .13 20)}
.line{stroke:var(--c)}.dot,.bar{fill:var(--c)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:right;padding:.2rem .7rem;border-bottom:1px solid var(--rule)}th:first-child,td:first-child{text-align:left}
figcaption span:last-child{display:block}.wide{overflow-x:auto}.failed{border-left:4px solid oklch(var(--lightness) .17 25);padding:.3rem .8rem}.soft{color:var(--soft)}
";

/// The page.
pub(crate) fn page(report: &Report) -> String {
    let name = escape(&report.shot);
    let mut body = heading(report);
    body.push_str("<h2>Plots</h2><div class=\"plots\">");
    body.push_str(&plots(report));
    body.push_str("</div>");
    for stage in &report.stages {
        body.push_str(&stage_section(stage));
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{name}: run report</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )
}

fn heading(report: &Report) -> String {
    let [first, last] = report.frames;
    let computed: usize = report.stages.iter().map(|stage| stage.computed).sum();
    let skipped: usize = report.stages.iter().map(|stage| stage.skipped).sum();
    let memory = report.peak_bytes.map_or(String::new(), |peak| {
        format!(" Peak memory {:.0} MiB.", peak as f64 / f64::from(1 << 20))
    });
    let mut text = format!(
        "<h1>{}</h1><p class=\"soft\">Frames {first} to {last} at {} per second; Whitecap {}. \
         The run {} after {} s: {} made, {skipped} up to date.{memory}</p>",
        escape(&report.shot),
        number(report.fps),
        report.version,
        match report.outcome {
            "finished" => "finished",
            "cancelled" => "was cancelled",
            _ => "failed",
        },
        number(report.seconds),
        counted(computed, "frame"),
    );
    if let Some(error) = &report.error {
        let _ = write!(text, "<p class=\"failed\">{}</p>", escape(error));
    }
    text
}

fn plots(report: &Report) -> String {
    let totals: Vec<(String, f64)> =
        report.stages.iter().map(|stage| (stage.name.clone(), stage.seconds)).collect();
    let mut figures = vec![bars("Time per stage", "Time spent in this run.", &totals)];
    let seconds: Vec<Series> = (0..report.stages.len())
        .map(|stage| series(report, stage, |frame| Some(frame.seconds)))
        .collect();
    figures.push(
        LinePlot {
            title: "Time per frame",
            axis: "time (s)",
            caption: "Frames that were up to date show the time of the run that made them.",
            series: &seconds,
        }
        .figure(),
    );
    figures.push(memory_plot(report));
    let mut zero = Vec::new();
    for ((name, unit), lines) in metrics(report) {
        if lines.iter().flat_map(|line| &line.points).all(|point| point.1 == 0.0) {
            zero.push(name);
            continue;
        }
        let axis = if unit.is_empty() { name.clone() } else { format!("{name} ({unit})") };
        let (title, caption) = (capitalised(&name), first_and_last(&lines, &unit));
        figures.push(
            LinePlot { title: &title, axis: &axis, caption: &caption, series: &lines }.figure(),
        );
    }
    let mut text: String = figures.into_iter().flatten().collect();
    if !zero.is_empty() {
        let _ = write!(text, "<p>Zero on every frame: {}.</p>", escape(&zero.join(", ")));
    }
    text
}

/// The first and last value of each line.
fn first_and_last(lines: &[Series], unit: &str) -> String {
    let one = |line: &Series| {
        let (first, last) = (line.points.first()?.1, line.points.last()?.1);
        let text = format!("{} {} to {} {unit}", line.name, number(first), number(last));
        Some(text.trim_end().to_string())
    };
    let words: Vec<String> = lines.iter().filter_map(one).collect();
    format!("First to last frame: {}.", words.join("; "))
}

fn memory_plot(report: &Report) -> Option<String> {
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let last = report.stages.len().checked_sub(1)?;
    let named = |name: &str, color, value: fn(&FrameReport) -> Option<u64>| Series {
        name: name.to_string(),
        color,
        points: series(report, last, |frame| value(frame).map(mebibytes)).points,
    };
    let lines = [
        named("in use", 0, |frame| frame.resident_bytes),
        named("peak so far", 1, |frame| frame.peak_bytes),
    ];
    LinePlot {
        title: "Memory",
        axis: "memory (MiB)",
        caption: "Of the whole process, after the last stage of each frame.",
        series: &lines,
    }
    .figure()
}

fn series(report: &Report, stage: usize, value: impl Fn(&FrameReport) -> Option<f64>) -> Series {
    let StageReport { name, frames, .. } = &report.stages[stage];
    let points = frames.iter().filter_map(|frame| Some((frame.frame, value(frame)?))).collect();
    Series { name: name.clone(), color: stage, points }
}

/// For every measured quantity, those with a unit first, a line per stage that measured it.
fn metrics(report: &Report) -> Vec<((String, String), Vec<Series>)> {
    let mut plots: BTreeMap<(String, String), Vec<Series>> = BTreeMap::new();
    for (color, stage) in report.stages.iter().enumerate() {
        let mut lines: BTreeMap<(&str, &str), Vec<(i64, f64)>> = BTreeMap::new();
        for frame in &stage.frames {
            for metric in frame.numbers() {
                let points = lines.entry((&metric.name, &metric.unit)).or_default();
                points.push((frame.frame, metric.value));
            }
        }
        for ((name, unit), points) in lines {
            let plot = plots.entry((name.to_string(), unit.to_string())).or_default();
            plot.push(Series { name: stage.name.clone(), color, points });
        }
    }
    let mut plots: Vec<_> = plots.into_iter().collect();
    plots.sort_by_key(|((_, unit), _)| unit.is_empty());
    plots
}

fn stage_section(stage: &StageReport) -> String {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for metric in stage.frames.iter().flat_map(|frame| frame.numbers()) {
        if !names.contains(&(&metric.name, &metric.unit)) {
            names.push((&metric.name, &metric.unit));
        }
    }
    let mut text = format!(
        "<h2>{} <span class=\"soft\">({})</span></h2>{}<details><summary>{}</summary><div class=\"wide\"><table><thead><tr><th>frame</th><th>time (s)</th><th>files (MiB)</th>",
        escape(&stage.name),
        escape(stage.kind),
        notes(stage),
        counted(stage.frames.len(), "frame"),
    );
    for (name, unit) in &names {
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        let _ = write!(text, "<th>{}{}</th>", escape(name), escape(&unit));
    }
    text.push_str("</tr></thead><tbody>");
    for frame in &stage.frames {
        let mark = if frame.skipped { " (up to date)" } else { "" };
        let mebibytes = frame.file_bytes as f64 / f64::from(1 << 20);
        let _ = write!(
            text,
            "<tr><td>{}{mark}</td><td>{}</td><td>{}</td>",
            frame.frame,
            number(frame.seconds),
            number(mebibytes)
        );
        for (name, unit) in &names {
            let found = frame.numbers().find(|m| m.name == *name && m.unit == *unit);
            let _ = write!(text, "<td>{}</td>", found.map_or(String::new(), |m| number(m.value)));
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table></div></details>");
    text
}

/// Each note once, with the frames it belongs to.
fn notes(stage: &StageReport) -> String {
    let mut found: Vec<(&str, Vec<i64>)> = Vec::new();
    for frame in &stage.frames {
        for note in &frame.notes {
            match found.iter_mut().find(|(text, _)| text == note) {
                Some((_, frames)) => frames.push(frame.frame),
                None => found.push((note, vec![frame.frame])),
            }
        }
    }
    let items: String = found
        .iter()
        .map(|(text, frames)| {
            let place = match frames[..] {
                [only] => format!("frame {only}"),
                _ => format!("{} frames from {}", frames.len(), frames[0]),
            };
            format!("<li>{} <span class=\"soft\">({place})</span></li>", escape(text))
        })
        .collect();
    if items.is_empty() { items } else { format!("<ul>{items}</ul>") }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
