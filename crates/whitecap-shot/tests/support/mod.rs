//! A stateful stage for tests, and folders to compare.

#![allow(dead_code, missing_docs)]

use std::any::Any;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use whitecap_core::Particles;
use whitecap_core::glam::Vec3;
use whitecap_shot::{
    CheckedStage, DataKind, Depends, Gives, InputPort, Inputs, KindInfo, Metric, Registry,
    SettingProblem, Shot, ShotContext, Stage, StageError, StageKind, StageOutput, StepContext,
};

/// Settings of the drift stage.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DriftSettings {
    /// How far particles drift per frame.
    #[schemars(extend("unit" = "m"))]
    pub step: f32,
    /// The frame to fail in, if any.
    #[schemars(extend("unit" = "frames"))]
    pub fail: Option<i64>,
    /// The frame to give a position that is not finite in, if any.
    #[schemars(extend("unit" = "frames"))]
    pub spoil: Option<i64>,
}

impl Default for DriftSettings {
    fn default() -> Self {
        Self { step: 0.001, fail: None, spoil: None }
    }
}

/// Particles that drift further with every frame, each frame by an amount that depends on all
/// frames before: a stand-in for a simulation. Counts how often it steps.
#[derive(Clone, Default)]
pub struct Drift {
    pub steps: Arc<AtomicUsize>,
}

impl StageKind for Drift {
    fn info(&self) -> &KindInfo {
        const {
            &KindInfo {
                name: "drift",
                doc: "Lets particles drift.",
                inputs: &[InputPort {
                    key: "particles",
                    accepts: &[DataKind::Particles],
                    required: true,
                    doc: "The particles that drift.",
                }],
                gives: Gives::Always(DataKind::Particles),
                depends: Depends { on_time: true, on_seed: true },
                stateful: true,
                ..KindInfo::PLAIN
            }
        }
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        DriftSettings::json_schema(generator)
    }

    fn check(
        &self,
        settings: Value,
        _shot: &ShotContext,
    ) -> Result<Arc<dyn CheckedStage>, Vec<SettingProblem>> {
        let typed: DriftSettings = serde_json::from_value(settings).unwrap();
        let settings = serde_json::to_value(&typed).unwrap();
        Ok(Arc::new(CheckedDrift { settings, typed, steps: Arc::clone(&self.steps) }))
    }
}

struct CheckedDrift {
    settings: Value,
    typed: DriftSettings,
    steps: Arc<AtomicUsize>,
}

impl CheckedDrift {
    fn at(&self, offset: Vec3) -> Box<dyn Stage> {
        let (settings, steps) = (self.typed.clone(), Arc::clone(&self.steps));
        Box::new(Drifting { settings, steps, offset })
    }
}

impl CheckedStage for CheckedDrift {
    fn settings(&self) -> &Value {
        &self.settings
    }

    fn sources(&self, _frame: i64) -> Result<Vec<PathBuf>, StageError> {
        Ok(Vec::new())
    }

    fn start(&self) -> Result<Box<dyn Stage>, StageError> {
        Ok(self.at(Vec3::ZERO))
    }

    fn restore(&self, saved: &[u8]) -> Result<Box<dyn Stage>, StageError> {
        let values: Vec<f32> = saved
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        Ok(self.at(Vec3::from_slice(&values)))
    }

    fn phenomenon(&self) -> &dyn Any {
        self
    }
}

struct Drifting {
    settings: DriftSettings,
    steps: Arc<AtomicUsize>,
    offset: Vec3,
}

impl Stage for Drifting {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let frame = context.frame.index;
        if self.settings.fail == Some(frame) {
            return Err(StageError::failed("the drift was told to fail"));
        }
        self.steps.fetch_add(1, Ordering::Relaxed);
        let input = inputs.particles("particles")?;
        let turn = self.offset.length() * 1000.0 + frame as f32;
        self.offset += self.settings.step * Vec3::new(turn.cos(), 0.5, turn.sin());
        let mut positions: Vec<Vec3> =
            input.positions().iter().map(|position| position + self.offset).collect();
        if self.settings.spoil == Some(frame) {
            positions[3].y = f32::NAN;
        }
        let metrics = vec![Metric::count("particles", positions.len())];
        let mut particles = Particles::new(positions);
        for (name, column) in input.attributes().iter() {
            particles.set_attribute(name, column.clone()).unwrap();
        }
        Ok(StageOutput::new(particles).with_metrics(metrics))
    }

    fn save(&self) -> Vec<u8> {
        self.offset.to_array().iter().flat_map(|value| value.to_le_bytes()).collect()
    }
}

/// The standard kinds and the drift stage.
pub fn registry(drift: &Drift) -> Registry {
    Registry::standard().with(Arc::new(drift.clone()))
}

/// Checks a shot file's text as if it stood in `folder`.
pub fn shot(folder: &Path, text: &str, drift: &Drift) -> Shot {
    match Shot::parse(text, &folder.join("test.toml"), &registry(drift)) {
        Ok(shot) => shot,
        Err(mistakes) => panic!("{mistakes}"),
    }
}

/// Every result below a folder with its bytes: saved frames and manifests, but neither reports nor
/// records, which hold times, nor what is only needed to continue.
pub fn results(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let Ok(stages) = fs::read_dir(folder) else { return found };
    for stage in stages.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(&stage).unwrap().map(|entry| entry.unwrap().path()) {
            if file.is_file() {
                let name = file.strip_prefix(folder).unwrap().to_path_buf();
                found.insert(name, fs::read(file).unwrap());
            }
        }
    }
    found
}
