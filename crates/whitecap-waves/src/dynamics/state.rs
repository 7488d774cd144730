//! What waves remember from frame to frame: columns that belong to surface points.

use crate::points::Carry;

use super::error::DynamicsError;
use super::propagation::BandState;

/// The waves on the points of one frame. Every column has one value for each point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaveState {
    /// Waves of each band.
    pub bands: Vec<BandState>,
    /// Amplitudes of the oscillators, in metres.
    pub seed_amplitude: Vec<f32>,
    /// The curvature that the surface has had for a while, in metres; NaN where that is not
    /// known yet.
    pub usual_curvature: Vec<f32>,
    /// Foam, 0 to 1.
    pub foam: Vec<f32>,
}

impl WaveState {
    /// Still water: `bands` bands on `points` points.
    pub fn still(bands: usize, points: usize) -> Self {
        let column = || vec![0.0; points];
        let band = || BandState { height: column(), velocity: column() };
        Self {
            bands: (0..bands).map(|_| band()).collect(),
            seed_amplitude: column(),
            usual_curvature: vec![f32::NAN; points],
            foam: column(),
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.seed_amplitude.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.seed_amplitude.is_empty()
    }

    /// Carries the waves from the points of the last frame to those of this one.
    pub fn carry(&mut self, carry: &Carry) {
        for band in &mut self.bands {
            carry.apply(&mut band.height);
            carry.apply(&mut band.velocity);
        }
        carry.apply(&mut self.seed_amplitude);
        carry.apply(&mut self.foam);
        carry.apply(&mut self.usual_curvature);
        // New surface takes its first curvature as the usual one.
        for (point, usual) in self.usual_curvature.iter_mut().enumerate() {
            if carry.sources(point).next().is_none() {
                *usual = f32::NAN;
            }
        }
    }

    /// Every column with its name, in an order that does not change.
    pub fn columns(&self) -> Vec<(String, &[f32])> {
        let mut columns: Vec<(String, &[f32])> = Vec::new();
        for (index, band) in self.bands.iter().enumerate() {
            columns.push((format!("height {index}"), &band.height));
            columns.push((format!("velocity {index}"), &band.velocity));
        }
        columns.push(("seed amplitude".into(), &self.seed_amplitude));
        columns.push(("usual curvature".into(), &self.usual_curvature));
        columns.push(("foam".into(), &self.foam));
        columns
    }

    /// The state from its columns, as [`WaveState::columns`] gave them; `take` returns a column by
    /// its name.
    pub fn from_columns(
        bands: usize,
        mut take: impl FnMut(&str) -> Option<Vec<f32>>,
    ) -> Result<Self, DynamicsError> {
        let mut state = Self::still(bands, 0);
        let mut column = |name: String| match take(&name) {
            Some(column) => Ok(column),
            None => Err(DynamicsError::MissingColumn { column: name }),
        };
        for (index, band) in state.bands.iter_mut().enumerate() {
            band.height = column(format!("height {index}"))?;
            band.velocity = column(format!("velocity {index}"))?;
        }
        state.seed_amplitude = column("seed amplitude".into())?;
        state.usual_curvature = column("usual curvature".into())?;
        state.foam = column("foam".into())?;
        let points = state.len();
        match state.columns().iter().find(|(_, values)| values.len() != points) {
            Some((_, values)) => Err(DynamicsError::ColumnLength {
                column: "saved waves",
                found: values.len(),
                points,
            }),
            None => Ok(state),
        }
    }
}
