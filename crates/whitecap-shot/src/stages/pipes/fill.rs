//! Liquid at the first frame: shapes that are filled, except where they are solid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_pipes::Columns;
use whitecap_scene::describe_choices;
use whitecap_scene::shape::{BallShape, BoxShape};

use crate::stage::SettingProblem;

/// A volume that is full of liquid at the first frame. Liquid in the air is put on the ground below
/// it at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum PipeFill {
    /// A box along the axes.
    Box(BoxShape),
    /// A ball.
    Sphere(BallShape),
    /// Everything up to a height, closed caves included.
    Level(PipeLevel),
}

/// Liquid up to a height.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipeLevel {
    /// Height of its surface.
    #[schemars(extend("unit" = "m"), range(min = -1e6, max = 1e6))]
    pub height: f32,
}

impl PipeFill {
    /// What is wrong with it, if anything.
    pub(super) fn problem(&self) -> Option<SettingProblem> {
        let PipeFill::Box(shape) = self else { return None };
        shape.check().err().map(|problem| problem.inside("box"))
    }

    /// The range of heights that it covers on the vertical line at (x, z).
    fn range(&self, x: f32, z: f32) -> Option<[f64; 2]> {
        match self {
            PipeFill::Box(BoxShape { min, max }) => {
                let inside = (min[0]..max[0]).contains(&x) && (min[2]..max[2]).contains(&z);
                inside.then_some([min[1].into(), max[1].into()])
            }
            PipeFill::Sphere(BallShape { center, radius }) => {
                let away = [x - center[0], z - center[2]].map(f64::from);
                let half = f64::from(*radius).powi(2) - away[0].powi(2) - away[1].powi(2);
                let (half, y) = (half.max(0.0).sqrt(), f64::from(center[1]));
                (half > 0.0).then_some([y - half, y + half])
            }
            PipeFill::Level(PipeLevel { height }) => Some([f64::NEG_INFINITY, (*height).into()]),
        }
    }
}

/// Depth of each column when all shapes are filled, overlaps counted once.
pub(super) fn depths(columns: &Columns, fills: &[PipeFill]) -> Vec<f64> {
    let depth = |column: usize| {
        let (x, z) = columns.position_of(column);
        let center = columns.grid().center(x, z);
        let space = [columns.floor()[column], columns.ceiling()[column]].map(f64::from);
        let mut ranges: Vec<[f64; 2]> = fills
            .iter()
            .filter_map(|fill| fill.range(center.x, center.y))
            .map(|[low, high]| [low.max(space[0]), high.min(space[1])])
            .collect();
        ranges.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let (mut depth, mut reached) = (0.0, f64::NEG_INFINITY);
        for [low, high] in ranges {
            depth += (high - low.max(reached)).max(0.0);
            reached = reached.max(high);
        }
        depth
    };
    (0..columns.len()).map(depth).collect()
}
