//! Contracts of what a flow carries along: MacCormack's method and transport that loses nothing.

use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::mac::advection::{carry_cells, carry_cells_sharply, carry_faces_sharply};
use whitecap_bulk::mac::transport::{CellBox, carry_amounts};
use whitecap_core::SparseGrid;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::scatter::Sequence;
use whitecap_core::sparse_grid::{TILE_NODES, Tile, local_node};

const CELL: f32 = 0.1;

fn lattice() -> MacLattice {
    MacLattice::at_origin(CELL)
}

/// The tiles from −2 to 1 on x and y, and 0 on z.
fn tiles() -> Vec<IVec3> {
    (0..16).map(|place| IVec3::new(place % 4 - 2, place / 4 - 2, 0)).collect()
}

fn cells(value: impl Fn(Vec3) -> f32 + Sync) -> SparseGrid<f32> {
    let centers = lattice().centers();
    SparseGrid::filled(centers, 0.0, tiles(), |tile, values| {
        for (offset, held) in values.iter_mut().enumerate() {
            *held = value(centers.position(tile * 8 + local_node(offset)));
        }
    })
}

/// A flow round the z axis that fades to nothing at a radius of 1.5 m: free of divergence on the grid, since it
/// is the curl of a potential at corners.
fn turning() -> SparseGrid<Vec3> {
    let corners = lattice().corners;
    let potential = |node: IVec3| {
        let radius = corners.position(node).truncate().length() / 1.5;
        0.75 * (1.0 - radius * radius).max(0.0).powi(2)
    };
    SparseGrid::filled(corners, Vec3::ZERO, tiles(), |tile, values| {
        for (offset, velocity) in values.iter_mut().enumerate() {
            let node = tile * 8 + local_node(offset);
            let along = |axis: usize| potential(node + IVec3::AXES[axis]) - potential(node);
            *velocity = Vec3::new(along(1), -along(0), 0.0) / CELL;
        }
    })
}

fn range(grid: &SparseGrid<f32>) -> (f32, f32) {
    let values = grid.tiles().iter().flat_map(|tile| (0..TILE_NODES).map(|node| tile.at(node)));
    values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

fn sum(grid: &SparseGrid<f32>) -> f64 {
    let values = grid.tiles().iter().flat_map(|tile| (0..TILE_NODES).map(|node| tile.at(node)));
    values.map(f64::from).sum()
}

fn noisy_box() -> SparseGrid<f32> {
    let mut random = Sequence::new(11);
    let noise: Vec<f32> = (0..1000).map(|_| random.fraction()).collect();
    cells(|at| {
        let inside = (at.x - 0.6).abs() < 0.4 && at.y.abs() < 0.4;
        let place = (at * 97.0).abs().element_sum() as usize % noise.len();
        if inside { 0.5 + 0.5 * noise[place] } else { 0.0 }
    })
}

/// Contract: MacCormack's method makes no value beyond those that were there, on cells and on faces, for steps
/// from a tenth of a cell to three cells; nor does transport.
#[test]
fn no_new_extrema_appear() {
    let flow = turning();
    let fastest = flow.tiles().iter().flat_map(|tile| (0..TILE_NODES).map(|n| tile.at(n)));
    let fastest = fastest.fold(0.0f32, |most, v| most.max(v.abs().max_element()));
    for distance in [0.1, 0.7, 1.9, 3.0] {
        let time_step = distance * CELL / fastest;
        let mut held = noisy_box();
        let mut speeds = flow.clone();
        let mut amounts = [noisy_box()];
        let highest = range(&held).1;
        for _ in 0..20 {
            held = carry_cells_sharply(&held, &flow, &tiles(), time_step);
            speeds = carry_faces_sharply(&speeds, &flow, &tiles(), time_step);
            carry_amounts(&mut amounts, &flow, CellBox::EVERYTHING, f64::from(time_step));
        }
        let (low, high) = range(&held);
        assert!(low >= 0.0 && high <= highest, "{distance} cells: {low} to {high}");
        let most = |tile: &Tile<Vec3>| {
            (0..TILE_NODES).map(|n| tile.at(n).abs().max_element()).fold(0.0, f32::max)
        };
        let largest = speeds.tiles().iter().map(most).fold(0.0, f32::max);
        assert!(largest <= fastest, "{distance} cells: {largest} m/s of {fastest}");
        // Rounding of the divergence is all that is allowed here.
        let (low, high) = range(&amounts[0]);
        assert!(low >= -1e-6 && high <= highest * 1.0001, "{distance} cells: {low} to {high}");
    }
}

/// Contract: transport keeps the sum to rounding whatever the step, also in a flow with divergence, and what
/// leaves the tiles or the room is booked; a uniform value stays uniform without divergence.
#[test]
fn transport_keeps_the_sum() {
    let flow = turning();
    let mut held = [noisy_box(), cells(|_| 2.0)];
    let before = sum(&held[0]);
    for _ in 0..50 {
        let left = carry_amounts(&mut held, &flow, CellBox::EVERYTHING, 0.11);
        assert!(left[0].abs() < 1e-9 * before);
    }
    assert!((sum(&held[0]) / before - 1.0).abs() < 1e-6, "{} of {before}", sum(&held[0]));
    let (low, high) = range(&held[1]);
    assert!(low > 1.9999 && high < 2.0001, "{low} to {high}");
    // A stream through everything, and a room that ends before the tiles do.
    let stream =
        SparseGrid::filled(lattice().corners, Vec3::new(0.9, 0.5, 0.0), tiles(), |_, _| {});
    for room in
        [CellBox::EVERYTHING, CellBox { low: IVec3::new(-16, -16, 0), high: IVec3::new(13, 11, 8) }]
    {
        let mut held = [noisy_box()];
        let mut left = 0.0;
        for _ in 0..30 {
            left += carry_amounts(&mut held, &stream, room, 0.13)[0];
        }
        let total = sum(&held[0]) + left;
        assert!((total / before - 1.0).abs() < 1e-5, "{room:?}: {total} of {before}");
        assert!(left > 0.9 * before, "{room:?}: {left}");
    }
}

/// Contract: after a smooth blob has gone ten cells in a stream, the error of MacCormack's method is less than
/// 0.55 of that of the semi-Lagrangian method, and that of transport less than 0.3.
#[test]
fn sharp_methods_are_sharp() {
    let stream =
        SparseGrid::filled(lattice().corners, Vec3::new(0.31, 0.17, 0.0), tiles(), |_, _| {});
    let blob =
        |center: Vec3| move |at: Vec3| (-(at - center).truncate().length_squared() / 0.09).exp();
    let start = Vec3::new(-0.6, -0.4, 0.0);
    let (steps, time_step) = (24, 0.15f32);
    let end = start + Vec3::new(0.31, 0.17, 0.0) * (steps as f32 * time_step);
    let exact = cells(blob(end));
    let error = |grid: &SparseGrid<f32>| {
        let tiles = grid.tiles().iter().zip(exact.tiles());
        let squares =
            tiles.flat_map(|(a, b)| (0..TILE_NODES).map(move |n| (a.at(n) - b.at(n)).powi(2)));
        squares.map(f64::from).sum::<f64>().sqrt()
    };
    let (mut plain, mut sharp) = (cells(blob(start)), cells(blob(start)));
    let mut amounts = [cells(blob(start))];
    for _ in 0..steps {
        plain = carry_cells(&plain, &stream, &tiles(), time_step);
        sharp = carry_cells_sharply(&sharp, &stream, &tiles(), time_step);
        carry_amounts(&mut amounts, &stream, CellBox::EVERYTHING, f64::from(time_step));
    }
    let errors = [error(&plain), error(&sharp), error(&amounts[0])];
    println!("semi-Lagrangian, MacCormack, transport: {errors:?}");
    assert!(errors[1] < 0.55 * errors[0] && errors[2] < 0.3 * errors[0], "{errors:?}");
}
