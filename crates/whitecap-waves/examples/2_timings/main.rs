//! How long each part of the waves takes, and how much two ways of computing them differ.
//!
//! `cargo run --release -p whitecap-waves --example 2_timings -- SOURCE FRAMES FPS COARSE RATIO VARIANTS`
//! prints one row of `name=value` per frame and variant, times in seconds.
//!
//! * SOURCE: a sequence such as `sim/frame_####.bgeo`, or `tank:390000` or `calm:20000` for a tank
//!   of about that many particles, generated here, with or without a rod that stirs it
//! * FRAMES: first and last, such as `0-45`
//! * FPS: frames per second
//! * COARSE: the coarse length in particle spacings
//! * RATIO: the coarse length in fine spacings
//! * VARIANTS: `hierarchical`, `exact`, or several separated by commas; the difference of each from
//!   the first is reported. `exact:1.00005` has its fine spacing multiplied by that number.
//!
//! `bench/waves.py` makes tables from these rows.

mod difference;
mod stirred_tank;

use difference::difference;
use stirred_tank::StirredTank;
use whitecap_core::{Particles, Unwatched};
use whitecap_io::{Sequence, read_particles};
use whitecap_surface::particle_spacing;
use whitecap_waves::points::{PointSettings, Sums};
use whitecap_waves::{Surroundings, WaveFrame, WaveSettings, Waves};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, frames, fps, coarse, ratio, variants] = &arguments[..] else {
        return Err("six arguments are needed: SOURCE FRAMES FPS COARSE RATIO VARIANTS".into());
    };
    let (first, last) = frames.split_once('-').ok_or("frames are written as 0-45")?;
    let source = Source::new(source)?;
    let mut variants: Vec<Variant> =
        variants.split(',').map(Variant::new).collect::<Result<_, _>>()?;
    let (coarse, ratio): (f32, f32) = (coarse.parse()?, ratio.parse()?);
    let duration = 1.0 / fps.parse::<f64>()?;
    for frame in first.parse::<i64>()?..=last.parse()? {
        let particles = source.frame(frame, duration)?;
        let mut made: Vec<WaveFrame> = Vec::new();
        for (index, variant) in variants.iter_mut().enumerate() {
            made.push(variant.step(&particles, coarse, ratio, duration)?);
            let differs = difference(&made[0], &made[index], variant.fine());
            print_row(frame, variant, particles.len(), &made[index], differs);
        }
    }
    Ok(())
}

/// Where the particles come from.
enum Source {
    Files(Sequence),
    Tank(StirredTank),
}

impl Source {
    fn new(text: &str) -> Result<Self, Failure> {
        Ok(match text.split_once(':') {
            Some(("tank", count)) => Self::Tank(StirredTank::new(count.parse()?, true)),
            Some(("calm", count)) => Self::Tank(StirredTank::new(count.parse()?, false)),
            _ => Self::Files(Sequence::new(text)?),
        })
    }

    fn frame(&self, frame: i64, duration: f64) -> Result<Particles, Failure> {
        Ok(match self {
            Self::Files(files) => read_particles(files.path(frame))?,
            Self::Tank(tank) => tank.particles(frame as f64 * duration)?,
        })
    }
}

/// One way of computing the waves.
struct Variant {
    name: String,
    sums: Sums,
    /// Factor on the fine spacing.
    factor: f32,
    waves: Option<Waves>,
}

impl Variant {
    fn new(text: &str) -> Result<Self, Failure> {
        let (sums, factor) = text.split_once(':').unwrap_or((text, "1"));
        let sums = match sums {
            "exact" => Sums::Exact,
            "hierarchical" => Sums::Hierarchical,
            other => return Err(format!("{other} is neither exact nor hierarchical").into()),
        };
        Ok(Self { name: text.to_owned(), sums, factor: factor.parse()?, waves: None })
    }

    fn step(
        &mut self,
        particles: &Particles,
        coarse: f32,
        ratio: f32,
        duration: f64,
    ) -> Result<WaveFrame, Failure> {
        let waves = match &mut self.waves {
            Some(waves) => waves,
            none => {
                let spacing = particle_spacing(particles.positions()).ok_or("one particle")?;
                let points = PointSettings {
                    coarse: Some(coarse * spacing),
                    fine: Some(coarse * spacing / ratio * self.factor),
                    sums: self.sums,
                    ..PointSettings::default()
                };
                let settings = WaveSettings { points, ..WaveSettings::default() };
                none.insert(Waves::new(settings, duration)?)
            }
        };
        Ok(waves.step(particles, Surroundings::default(), &Unwatched)?)
    }

    fn fine(&self) -> f32 {
        self.waves.as_ref().and_then(Waves::lengths).map_or(1.0, |lengths| lengths.fine)
    }

    /// W, in metres.
    fn largest_height(&self) -> f64 {
        let height = |waves: &Waves| {
            let coarse = waves.lengths().map_or(1.0, |lengths| lengths.coarse);
            f64::from(waves.settings().dynamics.largest_height * coarse)
        };
        self.waves.as_ref().map_or(1.0, height)
    }
}

/// Heights and the difference are given in W, the largest allowed height.
fn print_row(frame: i64, variant: &Variant, particles: usize, made: &WaveFrame, difference: f64) {
    let largest_height = variant.largest_height();
    let report = &made.report;
    let points = &report.points;
    let mut parts: Vec<(&str, f64)> =
        points.times.parts().iter().map(|(name, time)| (*name, time.as_secs_f64())).collect();
    parts.push(("aggregation", report.aggregation.as_secs_f64()));
    parts.push(("waves", report.dynamics.as_secs_f64()));
    let known: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    parts.push(("rest", report.total.as_secs_f64() - known));
    parts.push(("total", report.total.as_secs_f64()));
    let mut row: Vec<(&str, String)> = vec![
        ("frame", frame.to_string()),
        ("variant", variant.name.clone()),
        ("liquid", particles.to_string()),
        ("points", points.points.to_string()),
        ("sampled", points.sampled.to_string()),
        ("nearest", format!("{:.3}", points.spacing.mean)),
        ("deviation", format!("{:.3}", points.spacing.deviation)),
        ("mean", format!("{:.6}", f64::from(report.mean_height) / largest_height)),
        ("largest", format!("{:.6}", f64::from(report.largest_height) / largest_height)),
        ("difference", format!("{:.6}", difference / largest_height)),
    ];
    row.extend(parts.into_iter().map(|(name, seconds)| (name, format!("{seconds:.6}"))));
    let names: Vec<String> = row.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("{}", names.join(" "));
}
