//! Plots as inline SVG, made by hand: lines against the frame number, and bars.
//!
//! Colours and text sizes come from the page's style sheet (classes `c0` to `c7`, `axis`, `grid`),
//! so that a plot follows the reader's light or dark setting. Series also differ in their dash
//! pattern, for readers who do not see the colours.

use std::fmt::Write;

/// A line of a plot.
pub(crate) struct Series {
    pub name: String,
    /// Which of the eight colours it has; a stage has the same one in every plot.
    pub color: usize,
    /// Frame number and value.
    pub points: Vec<(i64, f64)>,
}

/// A plot of values against the frame number.
pub(crate) struct LinePlot<'a> {
    pub title: &'a str,
    /// What the vertical axis shows, with its unit.
    pub axis: &'a str,
    /// A sentence below the plot.
    pub caption: &'a str,
    pub series: &'a [Series],
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

impl LinePlot<'_> {
    /// The plot as an HTML figure; `None` if there is nothing to draw.
    pub fn figure(&self) -> Option<String> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let first = points().map(|point| point.0).min()?;
        let last = points().map(|point| point.0).max()?;
        let low = points().map(|point| point.1).fold(0.0, f64::min);
        let high = points().map(|point| point.1).fold(0.0, f64::max);
        let ticks = ticks(low, if high > low { high } else { low + 1.0 });
        let (bottom, top) = (ticks[0], ticks[ticks.len() - 1]);
        let x = |frame: i64| {
            let span = ((last - first) as f64).max(1.0);
            LEFT + (WIDTH - LEFT - RIGHT) * (frame - first) as f64 / span
        };
        let y = |value: f64| {
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - bottom) / (top - bottom)
        };

        let mut svg = String::new();
        for &tick in &ticks {
            let (right, height) = (WIDTH - RIGHT, y(tick));
            let _ = write!(
                svg,
                r#"<line class="grid" x1="{LEFT}" x2="{right}" y1="{height:.1}" y2="{height:.1}"/><text class="tick" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                LEFT - 6.0,
                height + 4.0,
                number(tick),
            );
        }
        for frame in frame_ticks(first, last) {
            let _ = write!(
                svg,
                r#"<text class="tick" x="{:.1}" y="{:.1}" text-anchor="middle">{frame}</text>"#,
                x(frame),
                HEIGHT - BOTTOM + 17.0,
            );
        }
        let _ = write!(
            svg,
            r#"<text class="axis" x="{:.1}" y="{:.1}" text-anchor="middle">frame</text><text class="axis" transform="translate(14 {:.1}) rotate(-90)" text-anchor="middle">{}</text>"#,
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0,
            (TOP + HEIGHT - BOTTOM) / 2.0,
            escape(self.axis),
        );
        for series in self.series {
            svg.push_str(&line(series, x, y));
        }
        Some(self.wrap(&svg, first, last, low, high))
    }

    fn wrap(&self, svg: &str, first: i64, last: i64, low: f64, high: f64) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let text = format!(
            "{}: {} for {}, frames {first} to {last}, between {} and {}.",
            self.title,
            self.axis,
            names.join(", "),
            number(low),
            number(high),
        );
        let title = escape(self.title);
        let text = escape(&text);
        let legend: String = self.series.iter().map(legend_entry).collect();
        let caption = escape(self.caption);
        format!(
            r#"<figure><h3>{title}</h3><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{text}">{svg}</svg><figcaption>{legend}<span>{caption}</span></figcaption></figure>"#
        )
    }
}

fn line(series: &Series, x: impl Fn(i64) -> f64, y: impl Fn(f64) -> f64) -> String {
    if let [(frame, value)] = series.points[..] {
        let (x, y) = (x(frame), y(value));
        return format!(
            r#"<circle class="dot c{}" cx="{x:.1}" cy="{y:.1}" r="3"/>"#,
            series.color % 8
        );
    }
    let points: Vec<String> =
        series.points.iter().map(|&(f, v)| format!("{:.1},{:.1}", x(f), y(v))).collect();
    format!(
        r#"<polyline class="line c{}" stroke-dasharray="{}" points="{}"/>"#,
        series.color % 8,
        DASHES[series.color % DASHES.len()],
        points.join(" "),
    )
}

fn legend_entry(series: &Series) -> String {
    format!(
        r#"<span class="key"><svg viewBox="0 0 24 8" aria-hidden="true"><line class="line c{}" stroke-dasharray="{}" x1="0" x2="24" y1="4" y2="4"/></svg>{}</span> "#,
        series.color % 8,
        DASHES[series.color % DASHES.len()],
        escape(&series.name),
    )
}

/// Horizontal bars, one per name, with their values written out in seconds.
pub(crate) fn bars(title: &str, caption: &str, values: &[(String, f64)]) -> Option<String> {
    let largest = values.iter().map(|value| value.1).fold(0.0, f64::max);
    if largest <= 0.0 {
        return None;
    }
    let row = 28.0;
    let height = row * values.len() as f64 + 30.0;
    let mut svg = String::new();
    for (index, (name, value)) in values.iter().enumerate() {
        let y = row * index as f64 + 4.0;
        let length = (WIDTH - 250.0) * value / largest;
        let _ = write!(
            svg,
            r#"<text class="tick" x="150" y="{:.1}" text-anchor="end">{}</text><rect class="bar c{}" x="158" y="{y:.1}" width="{length:.1}" height="{:.1}"/><text class="tick" x="{:.1}" y="{:.1}">{} s</text>"#,
            y + 15.0,
            escape(name),
            index % 8,
            row - 8.0,
            164.0 + length,
            y + 15.0,
            number(*value),
        );
    }
    let _ = write!(
        svg,
        r#"<text class="axis" x="{:.1}" y="{:.1}" text-anchor="middle">time (s)</text>"#,
        (158.0 + WIDTH - 92.0) / 2.0,
        height - 8.0
    );
    let spoken: Vec<String> =
        values.iter().map(|(name, value)| format!("{name} {} s", number(*value))).collect();
    Some(format!(
        r#"<figure><h3>{}</h3><svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{}: {}">{svg}</svg><figcaption><span>{}</span></figcaption></figure>"#,
        escape(title),
        escape(title),
        escape(&spoken.join(", ")),
        escape(caption),
    ))
}

/// Between three and seven round numbers whose range contains `low` and `high`.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 4.0;
    let magnitude = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * magnitude)
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let (from, to) = ((low / step).floor() as i64, (high / step).ceil() as i64);
    (from..=to).map(|index| index as f64 * step).collect()
}

/// At most nine frame numbers, the first one included.
fn frame_ticks(first: i64, last: i64) -> Vec<i64> {
    let count = last - first;
    let step = (0..10)
        .flat_map(|power| [1, 2, 5].map(|factor| factor * 10u64.pow(power)))
        .find(|step| count as u64 / step <= 7)
        .unwrap_or(1) as usize;
    (first..=last).step_by(step).collect()
}

/// A number with at most four significant digits and a magnitude suffix.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return String::from("0");
    }
    let (scaled, sign) = match size {
        1e9.. => (value / 1e9, " G"),
        1e6.. => (value / 1e6, " M"),
        1e4.. => (value / 1e3, " k"),
        1e-3.. => (value, ""),
        _ => return format!("{value:.2e}"),
    };
    let decimals = (3 - scaled.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{scaled:.decimals$}");
    let short = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{short}{sign}")
}

/// Text that is safe in HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: axes enclose their data between a few round numbers, for any magnitude.
    #[test]
    fn ticks_hold_the_data() {
        for (low, high) in [(0.0, 1.0), (0.0, 3.7e-8), (-2.0, 9.9e12), (0.0, 123_456.0)] {
            let ticks = ticks(low, high);
            assert!(ticks[0] <= low && *ticks.last().unwrap() >= high, "{ticks:?}");
            assert!((3..=7).contains(&ticks.len()), "{ticks:?}");
        }
        assert_eq!(ticks(0.0, 10.0), [0.0, 2.5, 5.0, 7.5, 10.0]);
    }

    /// Contract: frame labels stay few however long the shot is.
    #[test]
    fn frame_labels_stay_few() {
        assert_eq!(frame_ticks(1, 1), [1]);
        assert_eq!(frame_ticks(1, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(frame_ticks(0, i64::from(u32::MAX)).len() <= 9);
    }

    /// Contract: numbers are short and keep their meaning.
    #[test]
    fn numbers_are_short() {
        let written = [0.0, 0.25, 1234.0, 12_345.0, 2.5e6, 3.7e-8].map(number);
        assert_eq!(written, ["0", "0.25", "1234", "12.35 k", "2.5 M", "3.70e-8"]);
    }

    /// Contract: names from a shot cannot break out of the page.
    #[test]
    fn names_are_escaped() {
        let series =
            [Series { name: String::from("<b>\"&"), color: 0, points: vec![(1, 1.0), (2, 3.0)] }];
        let plot = LinePlot { title: "t", axis: "a", caption: "c", series: &series };
        let figure = plot.figure().unwrap();
        assert!(!figure.contains("<b>") && figure.contains("&lt;b&gt;&quot;&amp;"));
    }
}
