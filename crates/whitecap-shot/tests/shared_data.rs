//! Contract: data between stages are shared, not copied, and a file that serves every frame is read once per
//! run: a stage gets the very same mesh in every frame.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_shot::{
    CancelToken, DataKind, Depends, Event, FrameData, InputPort, Inputs, Kind, KindInfo, Metric,
    Phenomenon, Registry, RunOptions, SettingProblem, Shot, ShotContext, StageError, StageOutput,
    StepContext, run,
};

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct NoSettings {}

/// Hands its mesh on, and measures whether it is the one of the frame before.
struct Witness;

impl Phenomenon for Witness {
    const KIND: KindInfo = KindInfo {
        name: "witness",
        doc: "Hands its mesh on.",
        inputs: &[InputPort {
            key: "mesh",
            accepts: &[DataKind::Mesh],
            required: true,
            doc: "The mesh.",
        }],
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        ..KindInfo::PLAIN
    };
    type Settings = NoSettings;
    type State = Option<Arc<TriMesh>>;

    fn check(_: NoSettings, _: &ShotContext) -> Result<Self, Vec<SettingProblem>> {
        Ok(Self)
    }

    fn start(&self) -> Result<Self::State, StageError> {
        Ok(None)
    }

    fn step(
        &self,
        last: &mut Self::State,
        _context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let mesh = inputs.mesh("mesh")?;
        let is_same = last.as_ref().is_some_and(|last| Arc::ptr_eq(last, mesh));
        *last = Some(Arc::clone(mesh));
        let metrics = vec![Metric::count("same", usize::from(is_same))];
        Ok(StageOutput::new(FrameData::Mesh(Arc::clone(mesh))).with_metrics(metrics))
    }
}

#[test]
fn one_file_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one.ply", "many.0001.ply", "many.0002.ply", "many.0003.ply"] {
        let mesh = TriMesh::cuboid(Vec3::ZERO, Vec3::ONE);
        whitecap_io::write_mesh(folder.path().join(name), &mesh).unwrap();
    }
    let same = |path: &str| {
        let text = format!(
            "[shot]\nname = \"{}\"\nframes = [1, 3]\n[file]\nkind = \"cache\"\ncontent = \"mesh\"\n\
             path = \"{path}\"\n[first]\nkind = \"witness\"\nmesh = \"file\"\n[second]\n\
             kind = \"witness\"\nmesh = \"first\"\n",
            path.split('.').next().unwrap()
        );
        let registry = Registry::standard().with(Kind::<Witness>::entry());
        let shot = Shot::parse(&text, &folder.path().join("s.toml"), &registry).unwrap();
        let (cancel, observer) = (CancelToken::new(), |_: &Event<'_>| {});
        let summary = run(&shot, &RunOptions::new(&observer, &cancel)).unwrap();
        let report = std::fs::read_to_string(summary.report_json.unwrap()).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let stages = report["stages"].as_array().unwrap().iter().filter(|s| s["kind"] == "witness");
        let frames = stages.flat_map(|stage| stage["frames"].as_array().unwrap());
        frames.map(|frame| frame["metrics"][0]["value"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(same("one.ply"), [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    assert_eq!(same("many.####.ply"), [0.0; 6]);
}
