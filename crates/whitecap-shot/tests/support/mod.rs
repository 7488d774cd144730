//! A stateful stage for tests, and folders to compare.

#![allow(dead_code, missing_docs)]

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
    DataKind, FrameData, InputPort, Inputs, Metric, Registry, SettingProblem, Shot, ShotContext,
    Stage, StageError, StageKind, StageOutput, StepContext,
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
    pub fail: Option<u32>,
    /// The frame to give a position that is not finite in, if any.
    #[schemars(extend("unit" = "frames"))]
    pub spoil: Option<u32>,
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
    fn name(&self) -> &'static str {
        "drift"
    }

    fn doc(&self) -> &'static str {
        "Lets particles drift."
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        DriftSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[InputPort {
            key: "particles",
            accepts: &[DataKind::Particles],
            required: true,
            doc: "The particles that drift.",
        }]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Particles]
    }

    fn is_stateful(&self) -> bool {
        true
    }

    fn check(
        &self,
        settings: &Value,
        _shot: &ShotContext<'_>,
    ) -> Result<Value, Vec<SettingProblem>> {
        let settings: DriftSettings = serde_json::from_value(settings.clone()).unwrap();
        Ok(serde_json::to_value(settings).unwrap())
    }

    fn start(
        &self,
        settings: &Value,
        _shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        let settings = serde_json::from_value(settings.clone()).unwrap();
        Ok(Box::new(Drifting { settings, steps: Arc::clone(&self.steps), offset: Vec3::ZERO }))
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
        Ok(StageOutput { data: FrameData::Particles(particles), notes: Vec::new(), metrics })
    }

    fn save_state(&self) -> Vec<u8> {
        self.offset.to_array().iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        let values: Vec<f32> = state
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        self.offset = Vec3::from_slice(&values);
        Ok(())
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
/// records, which hold times, nor what only serves to continue.
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
