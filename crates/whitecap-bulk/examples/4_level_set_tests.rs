//! Volume that level sets lose, with and without particles: Zalesak's disc and Enright's test.

use std::time::Instant;

use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::particle_level_set::{LevelSetSettings, ParticleLevelSet};
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, Tile, local_node};
use whitecap_core::{Bounds, Unwatched};

fn velocity(lattice: MacLattice, tiles: IVec3, flow: impl Fn(Vec3) -> Vec3 + Sync) -> SparseGrid<Vec3> {
    let mut list = vec![];
    for z in -1..=tiles.z { for y in -1..=tiles.y { for x in -1..=tiles.x { list.push(IVec3::new(x, y, z)); } } }
    SparseGrid::filled(lattice.corners, Vec3::ZERO, list, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let cell = tile * 8 + local_node(offset);
            *value = Vec3::from_array(std::array::from_fn(|axis| flow(lattice.face_centers(axis).position(cell))[axis]));
        }
    })
}

fn scaled(field: &SparseGrid<Vec3>, by: f32) -> SparseGrid<Vec3> {
    field.map_tiles(Vec3::ZERO, |_, around| {
        let values = around.center().unwrap();
        Tile::Dense(Box::new(std::array::from_fn(|o| values.at(o) * by)))
    })
}

fn enright(cells: i32, settings: LevelSetSettings, dump: Option<&str>) {
    let lattice = MacLattice::at_origin(1.0 / cells as f32);
    let bounds = Bounds { min: Vec3::splat(0.2), max: Vec3::splat(0.5) };
    let start = Instant::now();
    let mut set = ParticleLevelSet::from_distance(lattice, settings, bounds, |p| p.distance(Vec3::splat(0.35)) - 0.15).unwrap();
    let pi = std::f32::consts::PI;
    let field = velocity(lattice, IVec3::splat((cells + 7) / 8), |p| {
        let s = (p * pi).map(f32::sin); let s = s * s; let d = (p * 2.0 * pi).map(f32::sin);
        Vec3::new(2.0 * s.x * d.y * d.z, -d.x * s.y * d.z, -d.x * d.y * s.z)
    });
    let first = set.volume();
    let steps = std::env::var("STEPS").map_or(3 * cells, |s| s.parse().unwrap());
    let dt = 3.0 / steps as f64;
    for step in 0..steps {
        let phase = ((step as f64 + 0.5) * dt * std::f64::consts::PI / 3.0).cos() as f32;
        set.advance(&scaled(&field, phase), dt, &Unwatched).unwrap();
        if (step + 1) % (steps / 4) == 0 {
            println!("  t {:.2} volume {:+.2} % particles {} tiles {} {:.1} s", (step + 1) as f64 * dt, 100.0 * (set.volume() / first - 1.0), set.particle_count(), set.phi().tile_count(), start.elapsed().as_secs_f64());
        }
    }
    let _ = dump;
}

fn zalesak(settings: LevelSetSettings) {
    let lattice = MacLattice::at_origin(1.0);
    let z0 = 12.0;
    let half = 4.0;
    let f = |p: Vec3| {
        let disc = (p.truncate() - whitecap_core::glam::Vec2::new(50.0, 75.0)).length() - 15.0;
        let q = Vec3::new((p.x - 50.0).abs() - 2.5, p.y - 85.0, 0.0);
        let notch = q.x.max(q.y);
        disc.max(-notch).max((p.z - z0).abs() - half)
    };
    let bounds = Bounds { min: Vec3::new(35.0, 60.0, z0 - half), max: Vec3::new(65.0, 90.0, z0 + half) };
    let start = Instant::now();
    let mut set = ParticleLevelSet::from_distance(lattice, settings, bounds, f).unwrap();
    let w = std::f32::consts::TAU / 628.0 * std::env::var("W").map_or(1.0, |s| s.parse::<f32>().unwrap());
    let field = velocity(lattice, IVec3::new(13, 13, 3), |p| w * Vec3::new(50.0 - p.y, p.x - 50.0, 0.0));
    let area = |set: &ParticleLevelSet| {
        let mut sum = 0.0;
        for y in 0..110 { for x in 0..110 {
            let c = std::array::from_fn(|c| set.phi().get(IVec3::new(x + (c & 1) as i32, y + (c >> 1 & 1) as i32, 11 + (c >> 2) as i32)));
            sum += whitecap_bulk::particle_level_set::negative_share_of_cube(c);
        } }
        sum
    };
    let (first, v) = (area(&set), set.volume());
    let steps: usize = std::env::var("STEPS").map_or(208, |s| s.parse().unwrap());
    for step in 0..steps {
        set.advance(&field, 628.0 / steps as f64, &Unwatched).unwrap();
        if (step + 1) % (steps / 4) == 0 {
            if std::env::var("DUMP").is_ok() { for z in 4..22 { println!("{z} {:.3} {:.3}", set.phi().get(IVec3::new(42, 72, z)), set.phi().get(IVec3::new(36, 72, z))); } }
            println!("  step {} area {first:.1} {:+.2} % volume {:+.2} % particles {} {:.1} s", step + 1, 100.0 * (area(&set) / first - 1.0), 100.0 * (set.volume() / v - 1.0), set.particle_count(), start.elapsed().as_secs_f64());
        }
    }
}

fn main() {
    let which = std::env::args().nth(1).unwrap();
    let ppc: u32 = std::env::args().nth(2).unwrap().parse().unwrap();
    let reseed: u32 = std::env::var("RESEED").map_or(20, |s| s.parse().unwrap());
    let settings = LevelSetSettings { particles_per_cell: ppc, reseed_every: reseed, ..Default::default() };
    match which.as_str() {
        "z" => zalesak(settings),
        n => enright(n.parse().unwrap(), settings, None),
    }
}
