//! Solids on a staggered grid: how much of each face is open (Batty, Bertails and Bridson 2007), and how fast
//! the rest of it moves.
//!
//! # Guarantees
//! * The open fraction of a face is exact for a flat solid, and 0 or 1 where the solid is a cell away.
//! * Tiles that no solid reaches cost nothing.
//!
//! # Non-guarantees
//! Solids thinner than a cell may be missed between the corners of a face: they are leaky.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};
use whitecap_core::{Bounds, Lattice};

use super::MacLattice;
use super::faces::corner_step;

/// Fractions below this are closed: hardly anything flows through them, and they make equations stiff.
const SMALLEST_FRACTION: f32 = 0.02;
/// How far from a solid its distance is known, in cells.
pub(crate) const NEAR: f32 = 2.0;
/// Corners along the edge of a tile.
const CORNERS: usize = 9;

/// Solids as a liquid meets them on its grid.
#[derive(Clone, Debug)]
pub struct SolidFaces {
    /// The open fraction of each face.
    pub fractions: SparseGrid<Vec3>,
    /// The open share of each cell, exact where a flat solid cuts it along the axes.
    pub volumes: SparseGrid<f32>,
    /// Velocity of the solid at each face that it covers in part, in m/s.
    pub velocity: SparseGrid<Vec3>,
    /// Distance of each cell from the solid in m, the mean of that of its corners, negative inside; infinite in
    /// tiles that are farther away than two cells.
    pub distance: SparseGrid<f32>,
}

/// Anything that a liquid flows round.
pub trait Obstacles: Sync {
    /// Distance to the nearest solid in m, negative inside.
    fn distance(&self, position: Vec3) -> f32;

    /// Velocity of the nearest solid at a position, in m/s.
    fn velocity(&self, position: Vec3) -> Vec3;

    /// Whether a solid that moves is in a box, or was when it was last asked for.
    fn may_move(&self, bounds: &Bounds) -> bool {
        let _ = bounds;
        true
    }
}

/// No solid anywhere.
pub struct NoObstacles;

impl Obstacles for NoObstacles {
    fn distance(&self, _position: Vec3) -> f32 {
        f32::INFINITY
    }

    fn velocity(&self, _position: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}

/// What a tile of solid faces holds.
struct FacesOfTile {
    fractions: Tile<Vec3>,
    volumes: Tile<f32>,
    velocity: Tile<Vec3>,
    distance: Tile<f32>,
}

impl SolidFaces {
    /// The faces of `tiles`, sorted; beyond them everything is open.
    pub fn new(lattice: MacLattice, tiles: &[IVec3], obstacles: &dyn Obstacles) -> Self {
        Self::renewed(None, lattice, tiles, obstacles)
    }

    /// The same, and what lies where nothing moves is taken from `earlier`.
    pub fn renewed(
        earlier: Option<&Self>,
        lattice: MacLattice,
        tiles: &[IVec3],
        obstacles: &dyn Obstacles,
    ) -> Self {
        let faces: Vec<FacesOfTile> = tiles
            .par_iter()
            .map(|&tile| {
                let known = earlier.filter(|_| !obstacles.may_move(&tile_bounds(lattice, tile)));
                let known = known.and_then(|earlier| earlier.of_tile(tile));
                known.unwrap_or_else(|| faces_of_tile(lattice, tile, obstacles))
            })
            .collect();
        fn grid<T: Copy + Send + Sync>(
            lattice: Lattice,
            open: T,
            tiles: impl Iterator<Item = (IVec3, Tile<T>)>,
        ) -> SparseGrid<T> {
            SparseGrid::from_tiles(lattice, open, tiles.collect()).expect("tiles are distinct")
        }
        let (corners, centers) = (lattice.corners, lattice.centers());
        let named = || tiles.iter().copied().zip(&faces);
        Self {
            fractions: grid(corners, Vec3::ONE, named().map(|(t, f)| (t, f.fractions.clone()))),
            volumes: grid(centers, 1.0, named().map(|(t, f)| (t, f.volumes.clone()))),
            velocity: grid(corners, Vec3::ZERO, named().map(|(t, f)| (t, f.velocity.clone()))),
            distance: grid(centers, f32::INFINITY, named().map(|(t, f)| (t, f.distance.clone()))),
        }
    }

    /// Memory that the grids hold, in bytes.
    pub fn bytes(&self) -> usize {
        let (faces, cells) = ([&self.fractions, &self.velocity], [&self.volumes, &self.distance]);
        faces.map(SparseGrid::bytes).iter().sum::<usize>()
            + cells.map(SparseGrid::bytes).iter().sum::<usize>()
    }

    fn of_tile(&self, tile: IVec3) -> Option<FacesOfTile> {
        Some(FacesOfTile {
            fractions: self.fractions.tile(tile)?.clone(),
            volumes: self.volumes.tile(tile)?.clone(),
            velocity: self.velocity.tile(tile)?.clone(),
            distance: self.distance.tile(tile)?.clone(),
        })
    }
}

/// Where something solid changes the faces of a tile.
pub(crate) fn tile_bounds(lattice: MacLattice, tile: IVec3) -> Bounds {
    let corners = [tile * 8, tile * 8 + 8].map(|corner| lattice.corners.position(corner));
    Bounds::new(corners[0], corners[1]).grown((NEAR + 1.0) * lattice.cell())
}

fn faces_of_tile(lattice: MacLattice, tile: IVec3, obstacles: &dyn Obstacles) -> FacesOfTile {
    match CutTile::new(lattice, tile, obstacles) {
        None => FacesOfTile {
            fractions: Tile::Constant(Vec3::ONE),
            volumes: Tile::Constant(1.0),
            velocity: Tile::Constant(Vec3::ZERO),
            distance: Tile::Constant(f32::INFINITY),
        },
        Some(CutTile { fractions, volumes, distances }) => FacesOfTile {
            velocity: tile_velocities(lattice, tile, &fractions, obstacles),
            fractions: Tile::Dense(fractions),
            volumes: Tile::Dense(volumes),
            distance: Tile::Dense(distances),
        },
    }
}

/// A tile that a solid reaches.
struct CutTile {
    fractions: Box<[Vec3; TILE_NODES]>,
    volumes: Box<[f32; TILE_NODES]>,
    distances: Box<[f32; TILE_NODES]>,
}

impl CutTile {
    /// `None` if every face is open.
    fn new(lattice: MacLattice, tile: IVec3, obstacles: &dyn Obstacles) -> Option<Self> {
        let corners = lattice.corners;
        // Half the diagonal of a tile, and some.
        if obstacles.distance(corners.position(tile * 8 + 4)) > (7.5 + NEAR) * corners.cell {
            return None;
        }
        let mut values = [0.0f32; CORNERS * CORNERS * CORNERS];
        for (place, value) in values.iter_mut().enumerate() {
            let [x, y, z] = [place % CORNERS, place / CORNERS % CORNERS, place / CORNERS / CORNERS];
            let corner = IVec3::new(x as i32, y as i32, z as i32);
            *value = obstacles.distance(corners.position(tile * 8 + corner));
        }
        if values.iter().all(|&distance| distance >= NEAR * corners.cell) {
            return None;
        }
        let at = |node: IVec3| values[(node.x + 9 * (node.y + 9 * node.z)) as usize];
        let fraction = |node: IVec3, axis: usize| {
            let (one, other) = (IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]);
            let open =
                positive_share([IVec3::ZERO, one, one + other, other].map(|step| at(node + step)));
            if open < SMALLEST_FRACTION { 0.0 } else { open }
        };
        let fractions = std::array::from_fn(|offset| {
            let node = local_node(offset);
            Vec3::from_array(std::array::from_fn(|axis| fraction(node, axis)))
        });
        let distances: [f32; TILE_NODES] = std::array::from_fn(|offset| {
            let node = local_node(offset);
            0.125 * (0..8).map(|corner| at(node + corner_step(corner))).sum::<f32>()
        });
        let volumes = std::array::from_fn(|offset| {
            let from_solid = distances[offset] / corners.cell;
            // Farther than half a diagonal the cell is whole.
            if from_solid.abs() > 0.87 {
                return if from_solid > 0.0 { 1.0 } else { 0.0 };
            }
            open_volume(corners, tile * 8 + local_node(offset), obstacles)
        });
        Some(Self {
            fractions: Box::new(fractions),
            volumes: Box::new(volumes),
            distances: Box::new(distances),
        })
    }
}

fn tile_velocities(
    lattice: MacLattice,
    tile: IVec3,
    fractions: &[Vec3; TILE_NODES],
    obstacles: &dyn Obstacles,
) -> Tile<Vec3> {
    let mut velocities = Box::new([Vec3::ZERO; TILE_NODES]);
    for (offset, velocity) in velocities.iter_mut().enumerate() {
        for axis in (0..3).filter(|&axis| fractions[offset][axis] < 1.0) {
            let face = lattice.face_centers(axis).position(tile * 8 + local_node(offset));
            velocity[axis] = obstacles.velocity(face)[axis];
        }
    }
    Tile::Dense(velocities)
}

/// Share of a cell that is open: in each of eight small cells as if a flat solid along an axis cut it.
fn open_volume(corners: Lattice, cell: IVec3, obstacles: &dyn Obstacles) -> f32 {
    let part = |corner: usize| {
        let middle = 0.25 + 0.5 * corner_step(corner).as_vec3();
        let distance = obstacles.distance(corners.position(cell) + middle * corners.cell);
        (0.5 + 2.0 * distance / corners.cell).clamp(0.0, 1.0)
    };
    0.125 * (0..8).map(part).sum::<f32>()
}

/// Share of a square where a function is positive, from its values at the corners in turn: the square is cut
/// into four triangles around its middle.
fn positive_share(corners: [f32; 4]) -> f32 {
    // A face that lies on the surface of a solid is closed.
    if corners.iter().all(|&value| value <= 0.0) {
        return 0.0;
    }
    if corners.iter().all(|&value| value >= 0.0) {
        return 1.0;
    }
    let middle = 0.25 * corners.iter().sum::<f32>();
    let triangle =
        |side: usize| positive_share_of_triangle([corners[side], corners[(side + 1) % 4], middle]);
    0.25 * (0..4).map(triangle).sum::<f32>()
}

/// Share of a triangle where a linear function is positive.
fn positive_share_of_triangle(mut corners: [f32; 3]) -> f32 {
    corners.sort_unstable_by(f32::total_cmp);
    let [low, middle, high] = corners;
    if low >= 0.0 {
        1.0
    } else if high <= 0.0 {
        0.0
    } else if middle <= 0.0 {
        high * high / ((high - low) * (high - middle))
    } else {
        1.0 - low * low / ((low - middle) * (low - high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plane(Vec3, f32);

    impl Obstacles for Plane {
        fn distance(&self, position: Vec3) -> f32 {
            self.0.dot(position) - self.1
        }

        fn velocity(&self, _position: Vec3) -> Vec3 {
            Vec3::new(1.0, 2.0, 3.0)
        }
    }

    /// Contract: the fractions of faces that a flat floor cuts are exact, and the solid's velocity is known
    /// there.
    #[test]
    fn a_flat_floor_cuts_faces_exactly() {
        let lattice = MacLattice::at_origin(0.5);
        let floor = Plane(Vec3::Y, 1.6);
        let solid = SolidFaces::new(lattice, &[IVec3::ZERO, IVec3::Y], &floor);
        let fraction = |y: i32| solid.fractions.get(IVec3::new(3, y, 4));
        assert_eq!(fraction(2), Vec3::ZERO);
        assert!((fraction(3) - Vec3::new(0.8, 0.0, 0.8)).length() < 1e-5, "{}", fraction(3));
        assert_eq!(fraction(4), Vec3::ONE);
        let volume = |y: i32| solid.volumes.get(IVec3::new(3, y, 4));
        assert!(volume(2) == 0.0 && (volume(3) - 0.8).abs() < 1e-5 && volume(4) == 1.0);
        assert_eq!(solid.velocity.get(IVec3::new(3, 3, 4)), Vec3::new(1.0, 2.0, 3.0));
        assert_eq!(solid.velocity.get(IVec3::new(3, 9, 4)), Vec3::ZERO);
    }

    /// Contract: the open faces of the cells around a tilted plane balance: a uniform stream has no
    /// divergence (Gauss).
    #[test]
    fn tilted_fractions_are_those_of_a_plane() {
        let normal = Vec3::new(0.3, 0.8, -0.52).normalize();
        for shift in [0.31f32, 0.5, 0.77] {
            // The area of the cut through a unit cell is the difference of its faces over the normal.
            let lattice = MacLattice::at_origin(1.0);
            let solid = SolidFaces::new(lattice, &[IVec3::ZERO], &Plane(normal, 3.0 + shift));
            for offset in 0..TILE_NODES {
                let node = local_node(offset);
                if node.max_element() == 7 {
                    continue;
                }
                let difference = Vec3::from_array(std::array::from_fn(|axis| {
                    let next = solid.fractions.get(node + IVec3::AXES[axis])[axis];
                    next - solid.fractions.get(node)[axis]
                }));
                let area = difference.dot(normal);
                let error = (difference - area * normal).length();
                assert!(error < 0.03, "{node}: {difference} is not along {normal}");
            }
        }
    }
}
