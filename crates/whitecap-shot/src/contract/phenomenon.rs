//! A phenomenon as a stage: one typed trait, from which the untyped kind, the checked stage and the running
//! stage follow.
//!
//! # Guarantees
//! Settings are read once. What [`Phenomenon::check`] loads is what every run starts from: nothing
//! is read twice, and no run is started only to see whether it could be.

use std::any::Any;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use whitecap_scene::check_ranges;

use crate::shot_file::schema_check;
use crate::stage::{
    CheckedStage, Inputs, KindInfo, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};

/// A phenomenon with checked settings, and with everything it loaded to check them.
pub trait Phenomenon: Sized + Send + Sync + 'static {
    /// Its name, its inputs and its outputs.
    const KIND: KindInfo;

    /// Its settings, as in the shot file.
    type Settings: Serialize + DeserializeOwned + JsonSchema + 'static;

    /// What changes from frame to frame; `()` for a stateless stage.
    type State: Send;

    /// Checks what the schema cannot express, and loads what every run needs.
    fn check(settings: Self::Settings, shot: &ShotContext) -> Result<Self, Vec<SettingProblem>>;

    /// Refuses formats, by file extension, in which a setting would have no effect.
    fn check_formats(&self, formats: &[&str]) -> Result<(), SettingProblem> {
        let _ = formats;
        Ok(())
    }

    /// Files outside the shot that a frame is made from.
    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        let _ = frame;
        Ok(Vec::new())
    }

    /// The state before the first frame.
    fn start(&self) -> Result<Self::State, StageError>;

    /// Makes the next frame. An error leaves the state unusable; the runner throws it away.
    fn step(
        &self,
        state: &mut Self::State,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError>;

    /// The state as bytes. Stateful kinds must implement this and [`Phenomenon::restore`].
    fn save(&self, state: &Self::State) -> Vec<u8> {
        let _ = state;
        Vec::new()
    }

    /// The state from its bytes.
    fn restore(&self, saved: &[u8]) -> Result<Self::State, StageError> {
        let _ = saved;
        self.start()
    }
}

/// The kind of stage that a phenomenon is.
pub struct Kind<P>(PhantomData<fn() -> P>);

impl<P: Phenomenon> Kind<P> {
    /// An entry for the registry.
    pub fn entry() -> Arc<dyn StageKind> {
        Arc::new(Self(PhantomData))
    }
}

impl<P: Phenomenon> StageKind for Kind<P> {
    fn info(&self) -> &KindInfo {
        const { &P::KIND }
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        P::Settings::json_schema(generator)
    }

    fn check(
        &self,
        settings: Value,
        shot: &ShotContext,
    ) -> Result<Arc<dyn CheckedStage>, Vec<SettingProblem>> {
        // If the schema let something pass that the type refuses, it becomes a problem of the stage
        // as a whole.
        let refused = |error: serde_json::Error| {
            let message = format!("these settings do not fit together: {error}");
            vec![SettingProblem::new("kind", message)]
        };
        let typed: P::Settings = serde_json::from_value(settings.clone()).map_err(|error| {
            let problems = setting_problems::<P::Settings>(&settings);
            if problems.is_empty() { refused(error) } else { problems }
        })?;
        // The schema has checked a shot file with every place; commands and libraries come without it.
        check_ranges(&typed).map_err(|problem| vec![problem])?;
        let settings = serde_json::to_value(&typed).map_err(refused)?;
        let phenomenon = Arc::new(P::check(typed, shot)?);
        Ok(Arc::new(Checked { settings, phenomenon }))
    }
}

/// What the schema has to say about settings that their type refuses.
fn setting_problems<S: JsonSchema>(settings: &Value) -> Vec<SettingProblem> {
    let mut generator = SchemaGenerator::default();
    let schema = S::json_schema(&mut generator).to_value();
    let definitions = generator.take_definitions(true);
    schema_check::problems(&schema, &definitions, settings)
}

struct Checked<P> {
    settings: Value,
    phenomenon: Arc<P>,
}

impl<P: Phenomenon> CheckedStage for Checked<P> {
    fn settings(&self) -> &Value {
        &self.settings
    }

    fn check_formats(&self, formats: &[&str]) -> Result<(), SettingProblem> {
        self.phenomenon.check_formats(formats)
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        self.phenomenon.sources(frame)
    }

    fn start(&self) -> Result<Box<dyn Stage>, StageError> {
        let state = self.phenomenon.start()?;
        Ok(Box::new(Running { phenomenon: Arc::clone(&self.phenomenon), state }))
    }

    fn restore(&self, saved: &[u8]) -> Result<Box<dyn Stage>, StageError> {
        let state = self.phenomenon.restore(saved)?;
        Ok(Box::new(Running { phenomenon: Arc::clone(&self.phenomenon), state }))
    }

    fn phenomenon(&self) -> &dyn Any {
        self.phenomenon.as_ref()
    }
}

struct Running<P: Phenomenon> {
    phenomenon: Arc<P>,
    state: P::State,
}

impl<P: Phenomenon> Stage for Running<P> {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        self.phenomenon.step(&mut self.state, context, inputs)
    }

    fn save(&self) -> Vec<u8> {
        self.phenomenon.save(&self.state)
    }
}
