//! Sources and drains, open edges, and a brush that pours and wipes.
//!
//! All of them act on the columns whose centre lies within a radius of a point, in the layer whose
//! range contains the point's height; if there is no such centre, on the cell below the point.

use glam::{Vec2, Vec3};

use crate::error::{PipeError, within};
use crate::liquid::columns::Columns;
use crate::liquid::pipes::Pipes;
use crate::settings::Source;

/// A round brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// Centre in metres; the height chooses the layer.
    pub position: Vec3,
    /// Radius in metres.
    pub radius: f32,
}

impl Brush {
    pub(crate) fn check(&self) -> Result<(), PipeError> {
        for value in self.position.to_array() {
            within("position of the brush", value.into(), -1e6, 1e6)?;
        }
        within("radius of the brush", self.radius.into(), 0.0, 1e6)
    }

    /// Calls `visit(columns, column, distance)` for all columns under the brush.
    pub(crate) fn visit(
        &self,
        columns: &mut Columns,
        mut visit: impl FnMut(&mut Columns, usize, f32),
    ) {
        let grid = *columns.grid();
        let center = Vec2::new(self.position.x, self.position.z);
        let (xs, zs) = grid.around(center, self.radius);
        let mut found = false;
        for z in zs {
            for x in xs.clone() {
                let distance = grid.center(x, z).distance(center);
                if distance <= self.radius
                    && let Some(column) = columns.containing(x, z, self.position.y)
                {
                    found = true;
                    visit(columns, column, distance);
                }
            }
        }
        if !found
            && let Some((x, z)) = grid.locate(center)
            && let Some(column) = columns.containing(x, z, self.position.y)
        {
            visit(columns, column, 0.0);
        }
    }

    /// Adds the same depth to every column, `volume` in total; columns take what they can. Returns
    /// what they took.
    fn pour(&self, columns: &mut Columns, volume: f64) -> f64 {
        let mut count = 0;
        self.visit(columns, |_, _, _| count += 1);
        let share = volume / (f64::from(count.max(1)) * columns.base_area());
        let mut added = 0.0;
        self.visit(columns, |columns, column, _| {
            let room = (columns.capacity(column) - columns.depth[column]).max(0.0);
            let more = share.min(room);
            columns.depth[column] += more;
            added += more;
        });
        added * columns.base_area()
    }

    /// Takes the same fraction of every column, `volume` in total or all there is. Returns what was
    /// taken.
    fn drain(&self, columns: &mut Columns, volume: f64) -> f64 {
        let mut there = 0.0;
        self.visit(columns, |columns, column, _| there += columns.depth[column]);
        let share = (volume / (there * columns.base_area() + f64::MIN_POSITIVE)).min(1.0);
        let mut taken = 0.0;
        self.visit(columns, |columns, column, _| {
            let less = columns.depth[column] * share;
            columns.depth[column] -= less;
            taken += less;
        });
        taken * columns.base_area()
    }
}

impl From<&Source> for Brush {
    fn from(source: &Source) -> Self {
        Self { position: Vec3::from_array(source.position), radius: source.radius }
    }
}

impl Pipes {
    /// Sources and drains of the settings, for some seconds (Alg. 1, line 6).
    pub(crate) fn run_sources(&mut self, duration: f64) {
        for source in &self.settings.sources {
            let volume = source.rate * duration;
            self.ledger.poured += Brush::from(source).pour(&mut self.columns, volume);
        }
        for drain in &self.settings.drains {
            let volume = drain.rate * duration;
            self.ledger.drained += Brush::from(drain).drain(&mut self.columns, volume);
        }
    }

    /// Removes all liquid from the outermost cells.
    pub(crate) fn drain_edges(&mut self) {
        let grid = *self.columns.grid();
        let mut taken = 0.0;
        for z in 0..grid.length() {
            let is_edge_row = z == 0 || z + 1 == grid.length();
            let stride = if is_edge_row { 1 } else { (grid.width() - 1).max(1) };
            for x in (0..grid.width()).step_by(stride) {
                for column in self.columns.of_cell(x, z) {
                    taken += std::mem::take(&mut self.columns.depth[column]);
                }
            }
        }
        self.ledger.drained += taken * self.columns.base_area();
    }

    /// Pours a volume, in cubic metres, under the brush. Returns what found room.
    pub fn pour(&mut self, brush: Brush, volume: f64) -> Result<f64, PipeError> {
        brush.check()?;
        within("volume", volume, 0.0, 1e9)?;
        let poured = brush.pour(&mut self.columns, volume);
        self.ledger.poured += poured;
        Ok(poured)
    }

    /// Wipes up to a volume, in cubic metres, from under the brush; infinity wipes it dry. Returns
    /// what was there.
    pub fn wipe(&mut self, brush: Brush, volume: f64) -> Result<f64, PipeError> {
        brush.check()?;
        if volume != f64::INFINITY {
            within("volume", volume, 0.0, f64::MAX)?;
        }
        let taken = brush.drain(&mut self.columns, volume);
        self.ledger.drained += taken;
        Ok(taken)
    }
}
