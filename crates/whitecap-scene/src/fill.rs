//! The liquid at the start: boxes, balls and closed meshes filled with particles on a lattice.
//!
//! # Guarantees
//! * Particles of one fill are exactly one spacing apart; each stands for spacing³ of liquid.
//! * In a box they keep half a spacing from the faces, so that a box filled from wall to wall
//!   fits. Where the spacing does not divide the box, the lattice starts at the lowest y and the
//!   remainder is shared between both sides along x and z. A mesh has the lattice of its bounding box,
//!   a ball is filled symmetrically about its centre.
//! * A ball or a mesh takes the lattice points inside it, so that on average the volume of the
//!   particles is that of the shape.
//! * Fills are processed in order. A lattice point closer than [`CLOSEST`] spacings to an earlier
//!   particle, or closer than half a spacing to an obstacle, is left out, and a note says how many were.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::{DVec3, Vec3};
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{budget, counted};

use crate::closed_shape::ClosedShape;
use crate::error::{SceneError, finite, finite_positions, ordered_box, positive};
use crate::schema::describe_choices;
use crate::setting::{SettingError, check_ranges};
use crate::shape::BoxShape;

/// Smallest distance between particles of different fills, in spacings.
pub const CLOSEST: f32 = 0.9;
/// The largest number of lattice points of one fill.
const MOST: f64 = (1u64 << 28) as f64;
/// A box that is short of one more layer by this fraction of a spacing still gets it: decimal fractions
/// such as 0.3 / 0.1 must not lose a layer to rounding.
const SLACK: f64 = 1e-3;

/// A volume to fill with liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum Fill {
    /// A box along the axes.
    Box(BoxFill),
    /// A ball.
    Sphere(SphereFill),
    /// A closed mesh.
    Mesh(MeshFill),
}

impl Fill {
    /// Whether the numbers describe a volume.
    pub fn check(&self) -> Result<(), SettingError> {
        check_ranges(self)?;
        match self {
            Fill::Box(BoxFill { min, max, .. }) => {
                let shape = BoxShape { min: *min, max: *max };
                shape.check().map_err(|error| error.inside("box"))
            }
            Fill::Sphere(_) | Fill::Mesh(_) => Ok(()),
        }
    }

    /// File of the mesh, for a fill that needs one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Fill::Mesh(fill) => Some(&fill.path),
            Fill::Box(_) | Fill::Sphere(_) => None,
        }
    }

    /// Velocity at the start, in m/s.
    pub fn velocity(&self) -> Vec3 {
        match self {
            Fill::Box(fill) => fill.velocity.into(),
            Fill::Sphere(fill) => fill.velocity.into(),
            Fill::Mesh(fill) => fill.velocity.into(),
        }
    }

    /// The volume to fill; a mesh fill needs its mesh.
    pub fn volume<'a>(&self, mesh: Option<&'a ClosedShape>) -> Result<Volume<'a>, SceneError> {
        match self {
            Fill::Box(fill) => Ok(Volume::Box { min: fill.min.into(), max: fill.max.into() }),
            Fill::Sphere(fill) => {
                Ok(Volume::Sphere { center: fill.center.into(), radius: fill.radius })
            }
            Fill::Mesh(_) => mesh.map(Volume::Mesh).ok_or(SceneError::EmptyMesh),
        }
    }
}

/// A box of liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxFill {
    /// Lowest corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub min: [f32; 3],
    /// Highest corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub max: [f32; 3],
    /// Velocity at the start.
    #[serde(default)]
    #[schemars(extend("unit" = "m/s"))]
    pub velocity: [f32; 3],
}

/// A ball of liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereFill {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
    /// Velocity at the start.
    #[serde(default)]
    #[schemars(extend("unit" = "m/s"))]
    pub velocity: [f32; 3],
}

/// A mesh full of liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFill {
    /// File of the closed mesh.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
    /// Velocity at the start.
    #[serde(default)]
    #[schemars(extend("unit" = "m/s"))]
    pub velocity: [f32; 3],
}

/// A volume to fill, with its mesh loaded.
#[derive(Clone, Copy, Debug)]
pub enum Volume<'a> {
    /// A box along the axes.
    Box {
        /// Lowest corner in metres.
        min: Vec3,
        /// Highest corner in metres.
        max: Vec3,
    },
    /// A ball.
    Sphere {
        /// Centre in metres.
        center: Vec3,
        /// Radius in metres.
        radius: f32,
    },
    /// A closed mesh.
    Mesh(&'a ClosedShape),
}

impl Volume<'_> {
    fn name(&self) -> &'static str {
        match self {
            Volume::Box { .. } => "box",
            Volume::Sphere { .. } => "sphere",
            Volume::Mesh(_) => "mesh",
        }
    }
}

/// Particles made so far, and notes about them.
#[derive(Clone, Debug, Default)]
pub struct Filling {
    spacing: f32,
    fills: usize,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    notes: Vec<String>,
    existing: usize,
}

impl Filling {
    /// Starts with particles that already exist, which keep their places and are not returned
    /// again.
    pub fn new(spacing: f32, existing: &[Vec3]) -> Result<Self, SceneError> {
        positive("the spacing", spacing)?;
        finite_positions(existing)?;
        let count = existing.len();
        let velocities = vec![Vec3::ZERO; count];
        let positions = existing.to_vec();
        Ok(Self { spacing, positions, velocities, existing: count, ..Self::default() })
    }

    /// Fills a volume. `clearance` is the signed distance to the nearest obstacle at a point, in
    /// metres, negative inside; give `|_| f32::INFINITY` where there is none. Returns the number of
    /// particles made.
    pub fn add(
        &mut self,
        volume: Volume<'_>,
        velocity: Vec3,
        clearance: &(dyn Fn(Vec3) -> f32 + Sync),
    ) -> Result<usize, SceneError> {
        let velocity = finite("the velocity of a fill", velocity)?;
        let inside = lattice_points(volume, self.spacing)?;
        let nearest = CLOSEST * self.spacing;
        let needed = 0.5 * self.spacing * (1.0 - 2.0 * SLACK as f32);
        let earlier = NeighbourGrid::build(&self.positions, nearest);
        let fates: Vec<Fate> = inside
            .par_iter()
            .map(|&point| {
                if clearance(point) < needed {
                    Fate::Blocked
                } else if earlier.nearest(point, nearest).is_some() {
                    Fate::Taken
                } else {
                    Fate::Made
                }
            })
            .collect();
        let before = self.positions.len();
        let made = inside.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::Made);
        self.positions.extend(made.map(|(point, _)| point));
        self.velocities.resize(self.positions.len(), velocity);
        self.note(volume, &fates);
        Ok(self.positions.len() - before)
    }

    /// Positions of the particles made.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions[self.existing..]
    }

    /// Velocities of the particles made.
    pub fn velocities(&self) -> &[Vec3] {
        &self.velocities[self.existing..]
    }

    /// Sentences about points that were left out and fills that made no particles.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn note(&mut self, volume: Volume<'_>, fates: &[Fate]) {
        self.fills += 1;
        let (number, name, total) = (self.fills, volume.name(), fates.len());
        let count = |fate: Fate| fates.iter().filter(|&&found| found == fate).count();
        let (blocked, taken) = (count(Fate::Blocked), count(Fate::Taken));
        if total == 0 {
            let spacing = self.spacing;
            self.notes.push(format!(
                "fill {number} ({name}) made no particles: it is too small for a spacing of {spacing} m"
            ));
            return;
        }
        if blocked > 0 {
            self.notes.push(format!(
                "fill {number} ({name}): {blocked} of {} left out: inside a solid or closer than half a spacing to it",
                counted(total, "particle")
            ));
        }
        if taken > 0 {
            self.notes.push(format!(
                "fill {number} ({name}): {taken} of {} left out: an earlier fill already has particles there",
                counted(total, "particle")
            ));
        }
        if blocked + taken == total {
            self.notes.push(format!("fill {number} ({name}) made no particles"));
        }
    }
}

/// What became of a lattice point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Made,
    Blocked,
    Taken,
}

/// The lattice points inside a volume, ordered by z, then y, then x.
pub fn lattice_points(volume: Volume<'_>, spacing: f32) -> Result<Vec<Vec3>, SceneError> {
    positive("the spacing", spacing)?;
    match volume {
        Volume::Box { min, max } => {
            let (min, max) = ordered_box("a box to fill", min, max)?;
            let lattice = Lattice::in_box(min, max, spacing, 0.0)?;
            Ok(lattice.rows(|_, _, inside| inside.fill(true)))
        }
        Volume::Sphere { center, radius } => {
            let center = finite("the centre of a sphere", center)?;
            let radius = positive("the radius of a sphere", radius)?;
            let lattice = Lattice::about(center, radius, spacing)?;
            let (center, squared) = (center.as_dvec3(), f64::from(radius).powi(2));
            Ok(lattice.rows(|y, z, inside| {
                for (x, inside) in inside.iter_mut().enumerate() {
                    *inside = (lattice.at(x, y, z) - center).length_squared() < squared;
                }
            }))
        }
        Volume::Mesh(shape) => {
            let bounds = shape.bounds();
            // A mesh less than a spacing thick still holds one layer.
            let lattice = Lattice::in_box(bounds.min, bounds.max, spacing, 1.0)?;
            Ok(lattice.rows(|y, z, inside| {
                let mut x = 0;
                while x < inside.len() {
                    // Nothing changes until the distance to the nearest surface has been covered.
                    let distance = shape.signed_distance(lattice.at(x, y, z).as_vec3());
                    let steps = (0.999 * distance.abs() / spacing).ceil().max(1.0) as usize;
                    let next = (x + steps).min(inside.len());
                    inside[x..next].fill(distance < 0.0);
                    x = next;
                }
            }))
        }
    }
}

/// Lattice points at `first + spacing · (x, y, z)`.
struct Lattice {
    first: DVec3,
    spacing: f64,
    counts: [usize; 3],
}

impl Lattice {
    /// At least this many layers along each axis; half a spacing from the low y face, centred along
    /// x and z.
    fn in_box(min: Vec3, max: Vec3, spacing: f32, layers: f64) -> Result<Self, SceneError> {
        let (min, size) = (min.as_dvec3(), max.as_dvec3() - min.as_dvec3());
        let step = f64::from(spacing);
        let counts = (size / step + SLACK).floor().max(DVec3::splat(layers));
        let rest = size - counts * step;
        let margin = 0.5 * DVec3::new(rest.x, rest.y.min(0.0), rest.z);
        Self::checked(min + margin + 0.5 * step, spacing, counts)
    }

    /// Symmetric about a centre, with a point at the centre.
    fn about(center: Vec3, radius: f32, spacing: f32) -> Result<Self, SceneError> {
        let step = f64::from(spacing);
        let each_way = (f64::from(radius) / step).floor();
        let first = center.as_dvec3() - each_way * step;
        Self::checked(first, spacing, DVec3::splat(2.0 * each_way + 1.0))
    }

    fn checked(first: DVec3, spacing: f32, counts: DVec3) -> Result<Self, SceneError> {
        // Rows of an empty lattice are counted too.
        let count = counts.max(DVec3::ONE).element_product();
        if count > MOST {
            return Err(SceneError::TooMany { what: "a fill", count, spacing, most: MOST });
        }
        let what = format!("a fill of {count:.1e} points");
        budget::ask(count * size_of::<Vec3>() as f64, &what, "use a larger `spacing`")?;
        let counts = counts.to_array().map(|count| count as usize);
        Ok(Self { first, spacing: f64::from(spacing), counts })
    }

    fn at(&self, x: usize, y: usize, z: usize) -> DVec3 {
        self.first + self.spacing * DVec3::new(x as f64, y as f64, z as f64)
    }

    /// The points that `mark(y, z, row)` sets, row by row.
    fn rows(&self, mark: impl Fn(usize, usize, &mut [bool]) + Sync) -> Vec<Vec3> {
        let [across, up, deep] = self.counts;
        let rows: Vec<Vec<Vec3>> = (0..up * deep)
            .into_par_iter()
            .map(|row| {
                let (y, z) = (row % up, row / up);
                let mut inside = vec![false; across];
                mark(y, z, &mut inside);
                let marked = inside.iter().enumerate().filter(|(_, inside)| **inside);
                marked.map(|(x, _)| self.at(x, y, z).as_vec3()).collect()
            })
            .collect();
        rows.concat()
    }
}
