//! Contract: the example of ARCHITECTURE.md, "Adding a phenomenon", is a whole stage: it runs in a shot,
//! continues after a stop with the same bytes, and its settings are checked.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::attributes::RADIUS;
use whitecap_core::{Column, Particles};
use whitecap_shot::{
    CancelToken, CommandInfo, DataKind, Depends, Event, Gives, InputPort, Inputs, Kind, KindInfo,
    Metric, Phenomenon, Registry, RunOptions, SettingProblem, Shot, ShotContext, StageError,
    StageOutput, StepContext, Subject, run,
};

/// Settings of the stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct SwellSettings {
    /// How much the radius grows in a second.
    #[schemars(extend("unit" = "m/s"), range(min = 0.0, max = 10.0))]
    rate: f32,
}

impl Default for SwellSettings {
    fn default() -> Self {
        Self { rate: 0.01 }
    }
}

struct Swell {
    settings: SwellSettings,
}

impl Phenomenon for Swell {
    const KIND: KindInfo = KindInfo {
        name: "swell",
        doc: "Lets particles swell.",
        inputs: &[InputPort {
            key: "particles",
            accepts: &[DataKind::Particles],
            required: true,
            doc: "The particles that swell.",
        }],
        gives: Gives::Always(DataKind::Particles),
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        command: Some(CommandInfo {
            examples: "Examples:\n  whitecap swell 'sim/p.####.bgeo' -o 'out/p.####.bgeo'",
            subject: Subject::Input("particles"),
            told: &["particles", "radius"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = SwellSettings;
    type State = f32;

    fn check(settings: SwellSettings, _: &ShotContext) -> Result<Self, Vec<SettingProblem>> {
        Ok(Self { settings })
    }

    fn start(&self) -> Result<f32, StageError> {
        Ok(0.0)
    }

    fn step(
        &self,
        radius: &mut f32,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        *radius += self.settings.rate * context.frame.dt as f32;
        let mut particles = Particles::clone(inputs.particles("particles")?);
        let radii = Column::F32(vec![*radius; particles.len()]);
        particles.set_attribute(RADIUS, radii).map_err(StageError::failed)?;
        let metrics = vec![
            Metric::count("particles", particles.len()),
            Metric::new("radius", "m", (*radius).into()).largest(),
        ];
        Ok(StageOutput::new(particles).with_metrics(metrics))
    }

    fn save(&self, radius: &f32) -> Vec<u8> {
        radius.to_le_bytes().to_vec()
    }

    fn restore(&self, saved: &[u8]) -> Result<f32, StageError> {
        let bytes = saved.try_into().map_err(|_| StageError::failed("four bytes are needed"))?;
        Ok(f32::from_le_bytes(bytes))
    }
}

const SHOT: &str = r#"
[shot]
name = "toy"
frames = [1, 6]

[water]
kind = "example"
spacing = 0.1

[bigger]
kind = "swell"
particles = "water"
rate = 0.48
save = ["bgeo"]
"#;

fn run_in(folder: &Path, cancel_after: Option<i64>) {
    let registry = Registry::standard().with(Kind::<Swell>::entry());
    let shot = Shot::parse(SHOT, &folder.join("toy.toml"), &registry).unwrap();
    let cancel = CancelToken::new();
    let observer = |event: &Event<'_>| {
        if matches!(event, Event::FrameDone { stage: "bigger", frame, .. } if Some(*frame) == cancel_after)
        {
            cancel.cancel();
        }
    };
    run(&shot, &RunOptions::new(&observer, &cancel)).unwrap();
}

fn radius(folder: &Path, frame: i64) -> Option<f32> {
    let path = folder.join(format!("out/toy/bigger/bigger.{frame:04}.bgeo"));
    Some(whitecap_io::read_particles(path).ok()?.radii()?[0])
}

#[test]
fn the_example_runs_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), Some(3));
    assert!(radius(folder.path(), 4).is_none(), "the run must have been interrupted");
    run_in(folder.path(), None);
    for frame in 1..=6 {
        let found = radius(folder.path(), frame).unwrap();
        assert!((found - 0.02 * frame as f32).abs() < 1e-6, "frame {frame}: {found}");
    }
    let registry = Registry::standard().with(Kind::<Swell>::entry());
    let wrong = SHOT.replace("0.48", "-1");
    let told = Shot::parse(&wrong, Path::new("toy.toml"), &registry).err().unwrap().to_string();
    assert!(told.contains("`rate` is -1"), "{told}");
}

/// Contract: the example is that of ARCHITECTURE.md, line for line.
#[test]
fn the_example_is_that_of_the_architecture() {
    let read = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        std::fs::read_to_string(path).unwrap()
    };
    let page = read("../../ARCHITECTURE.md");
    let (_, rest) = page.split_once("   ```rust\n").unwrap();
    let (example, _) = rest.split_once("   ```\n").unwrap();
    let example: Vec<&str> =
        example.lines().map(|line| line.strip_prefix("   ").unwrap_or(line)).collect();
    assert!(example.len() > 50 && read("tests/toy_stage.rs").contains(&example.join("\n")));
}
