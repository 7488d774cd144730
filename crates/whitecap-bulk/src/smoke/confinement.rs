//! Vorticity confinement (Steinhoff and Underhill 1994; Fedkiw, Stam and Jensen 2001): a force that turns air
//! round the middle of eddies, where the grid has slowed it down.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};

/// Edge of a tile with one or two layers of cells around it.
const PADDED: usize = 10;
const FAR_PADDED: usize = 12;
/// Share of the vorticity.
const LEAST_CHANGE: f32 = 0.01;

/// The acceleration at the middles of the cells of `tiles`, in m/s²: ε h N × ω (Fedkiw et al., Eq. 11).
pub fn confinement(
    velocity: &SparseGrid<Vec3>,
    tiles: &SparseGrid<f32>,
    strength: f32,
) -> SparseGrid<Vec3> {
    let cell = velocity.lattice().cell;
    let vorticity = tiles.map_tiles(Vec3::ZERO, |tile, _| vorticity_of_tile(velocity, tile));
    vorticity.map_tiles(Vec3::ZERO, |_, vorticity| {
        let mut block = vec![Vec3::ZERO; PADDED * PADDED * PADDED];
        vorticity.copy_padded(1, &mut block);
        let sizes: Vec<f32> = block.iter().map(|vorticity| vorticity.length()).collect();
        let mut accelerations = Box::new([Vec3::ZERO; TILE_NODES]);
        for (offset, acceleration) in accelerations.iter_mut().enumerate() {
            let place = padded_place(local_node(offset), 1, PADDED);
            // η = ∇|ω|, and N its direction (Eq. 10).
            let slope = |step: usize| sizes[place + step] - sizes[place - step];
            let gradient = Vec3::new(slope(1), slope(PADDED), slope(PADDED * PADDED));
            // Where |ω| changes by less than this share from cell to cell there is no middle to turn round.
            let scale = gradient.length() + LEAST_CHANGE * sizes[place] + f32::MIN_POSITIVE;
            let toward = gradient / scale;
            *acceleration = strength * cell * toward.cross(block[place]);
        }
        Tile::Dense(accelerations)
    })
}

/// ω = ∇ × u at the middles of cells, in 1/s (Eq. 9).
fn vorticity_of_tile(velocity: &SparseGrid<Vec3>, tile: IVec3) -> Tile<Vec3> {
    let mut faces = vec![Vec3::ZERO; FAR_PADDED * FAR_PADDED * FAR_PADDED];
    velocity.neighbourhood(tile).copy_padded(2, &mut faces);
    let steps = [1, FAR_PADDED, FAR_PADDED * FAR_PADDED];
    // Twice the velocity in the middle of a cell.
    let middle = |place: usize| {
        let [x, y, z] = steps.map(|step| faces[place + step]);
        faces[place] + Vec3::new(x.x, y.y, z.z)
    };
    let per_cell = 0.25 / velocity.lattice().cell;
    Tile::Dense(Box::new(std::array::from_fn(|offset| {
        let place = padded_place(local_node(offset), 2, FAR_PADDED);
        let [x, y, z] = steps.map(|step| middle(place + step) - middle(place - step));
        per_cell * Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x)
    })))
}

#[inline]
fn padded_place(cell: IVec3, padding: i32, edge: usize) -> usize {
    let cell = cell + padding;
    cell.x as usize + edge * (cell.y as usize + edge * cell.z as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::Lattice;

    /// Contract: around the axis of an eddy whose vorticity fades outward the force turns the same way as the
    /// air; in a rigid rotation, whose vorticity is the same everywhere, there is none.
    #[test]
    fn eddies_are_turned_on() {
        let tiles: Vec<IVec3> = (0..27).map(crate::mac::step_around).collect();
        let cell = 0.1f32;
        let eddy = |fade: f32| {
            SparseGrid::filled(
                Lattice::at_origin(cell),
                Vec3::ZERO,
                tiles.clone(),
                |tile, values| {
                    for (offset, value) in values.iter_mut().enumerate() {
                        let node = (tile * 8 + local_node(offset)).as_vec3() - 4.0;
                        let turning = |x: f32, z: f32| {
                            Vec3::new(z, 0.0, -x) * cell * (-fade * (x * x + z * z)).exp()
                        };
                        // Each component in the middle of its own face.
                        value.x = turning(node.x, node.z + 0.5).x;
                        value.z = turning(node.x + 0.5, node.z).z;
                    }
                },
            )
        };
        let places = SparseGrid::filled(
            Lattice { origin: Vec3::splat(0.5 * cell), cell },
            0.0,
            tiles.clone(),
            |_, _| {},
        );
        let fading = confinement(&eddy(0.05), &places, 1.0);
        let rigid = confinement(&eddy(0.0), &places, 1.0);
        for offset in 0..TILE_NODES {
            let cell = local_node(offset);
            let arm = cell.as_vec3() - 3.5;
            let force = fading.get(cell);
            if arm.with_y(0.0).length() < 3.0 {
                assert!(force.dot(Vec3::Y.cross(arm)) > 0.0, "{cell}: {force}");
            }
            assert!(rigid.get(cell).length() < 1e-4 * fading.get(IVec3::new(2, 3, 3)).length());
        }
    }
}
