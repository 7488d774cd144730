//! A lake with an island, an overhang with liquid on it and a lake under it, and an L-shaped passage:
//! writes `terrain.obj` and `liquid.obj` (with normals; the colour is the opacity) into a folder.
//!
//! `cargo run --release -p whitecap-pipes --example 2_surface -- FOLDER [CONTACT-ANGLE]`

use std::fmt::Write as _;
use std::path::Path;

use glam::Vec2;
use whitecap_core::{Column, TriMesh};
use whitecap_pipes::{
    Columns, Grid, Meniscus, MeniscusSettings, MinimumHeights, Space, Surface, SurfaceSettings,
    Terrain, terrain_mesh,
};

const CELL: f32 = 1e-3;
const LAKE: f32 = 6e-3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".into());
    let contact_angle = arguments.next().map_or(Ok(30.0), |angle| angle.parse())?;
    let columns = scene()?;
    let mut surface = Surface::new();
    surface.update(&columns, &MinimumHeights::none(), &SurfaceSettings::default())?;
    let settings = MeniscusSettings { contact_angle, ..Default::default() };
    Meniscus::new().apply(&columns, &mut surface, &settings, None)?;
    write_obj(&Path::new(&folder).join("terrain.obj"), &terrain_mesh(&columns))?;
    write_obj(&Path::new(&folder).join("liquid.obj"), &surface.to_mesh())?;
    println!("{} columns, {} triangles", columns.len(), surface.triangles().len());
    Ok(())
}

fn scene() -> Result<Columns, whitecap_pipes::PipeError> {
    let grid = Grid::new(Vec2::ZERO, CELL, 80, 60)?;
    let terrain = Terrain::from_cells(grid, |x, z, spaces| {
        let place = Vec2::new(x as f32, z as f32);
        let island = 9.0 - 0.5 * place.distance(Vec2::new(20.0, 22.0));
        let rim = 0.02 * place.distance(Vec2::new(24.0, 24.0)).powi(2) - 3.0;
        let ground = CELL * island.max(rim).clamp(0.0, 14.0);
        let in_slab = (42..74).contains(&x) && (10..34).contains(&z);
        let in_passage = (x == 50 || x == 51) && (34..48).contains(&z)
            || (46..48).contains(&z) && (50..64).contains(&x);
        let in_basin = (62..72).contains(&x) && (42..52).contains(&z);
        if in_slab {
            let floor = ground.min(2e-3);
            spaces.push(Space { floor, ceiling: 9e-3 });
            spaces.push(Space::open(11e-3));
        } else if in_basin {
            spaces.push(Space::open(1e-3));
        } else if in_passage {
            spaces.push(Space { floor: 1e-3, ceiling: 4e-3 });
            spaces.push(Space::open(ground.max(12e-3)));
        } else {
            spaces.push(Space::open(ground));
        }
    })?;
    let mut columns = Columns::new(&terrain);
    let (floors, grid) = (columns.floor().to_vec(), *columns.grid());
    let cells = columns.cell().to_vec();
    columns.fill(|column| {
        let (x, z) = (cells[column] as usize % grid.width(), cells[column] as usize / grid.width());
        let puddle = floors[column] == 11e-3 && Vec2::new(x as f32, z as f32).y > 16.0;
        if puddle { 1e-3 } else { f64::from(LAKE - floors[column]) }
    });
    Ok(columns)
}

fn write_obj(path: &Path, mesh: &TriMesh) -> std::io::Result<()> {
    let mut text = String::new();
    let opacity = match mesh.attribute("opacity") {
        Some(Column::F32(values)) => values.clone(),
        _ => vec![1.0; mesh.positions().len()],
    };
    for (p, o) in mesh.positions().iter().zip(opacity) {
        let _ = writeln!(text, "v {} {} {} {o} {o} {o}", p.x, p.y, p.z);
    }
    if let Some(Column::Vec3(normals)) = mesh.attribute("normal") {
        for n in normals {
            let _ = writeln!(text, "vn {} {} {}", n.x, n.y, n.z);
        }
    }
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|vertex| vertex + 1);
        let _ = writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}");
    }
    std::fs::write(path, text)
}
