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
    let grid = Grid::new(Vec2::ZERO, CELL, 90, 60)?;
    let terrain = Terrain::from_cells(grid, |x, z, spaces| {
        let place = Vec2::new(x as f32, z as f32);
        let island = 10.0 - 0.6 * place.distance(Vec2::new(20.0, 26.0));
        let bowl = 0.5 * (place.distance(Vec2::new(24.0, 26.0)) - 16.0);
        let shelf = 0.5 * (place.distance(Vec2::new(52.0, 22.0)) - 18.0);
        let ground = CELL * island.max(bowl.min(shelf)).clamp(0.0, 10.0);
        let in_slab = place.distance(Vec2::new(52.0, 22.0)) < 13.0;
        let in_basin = place.distance(Vec2::new(76.0, 44.0)) < 8.0;
        let in_passage = ((50..53).contains(&x) && (34..48).contains(&z))
            || ((45..48).contains(&z) && (50..72).contains(&x));
        if in_basin {
            spaces.push(Space::open(1e-3));
        } else if in_passage {
            let floor = ground.min(1e-3);
            spaces.push(Space { floor, ceiling: 5e-3 });
            spaces.push(Space::open(ground.max(9e-3)));
        } else if in_slab {
            spaces.push(Space { floor: ground, ceiling: 9e-3 });
            let hump = 0.15 * (9.0 - place.distance(Vec2::new(52.0, 22.0))).max(0.0);
            spaces.push(Space::open(CELL * (11.0 + hump)));
        } else {
            spaces.push(Space::open(ground));
        }
    })?;
    let mut columns = Columns::new(&terrain);
    let (floors, cells) = (columns.floor().to_vec(), columns.cell().to_vec());
    columns.fill(|column| {
        let (x, z) = (cells[column] as usize % 90, cells[column] as usize / 90);
        let on_slab = floors[column] > 10.5e-3;
        let spilled = on_slab && z as f32 > 12.0 + 0.2 * x as f32;
        if spilled { 0.8e-3 } else { f64::from(LAKE - floors[column]) }
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
    let normals = match mesh.attribute("normal") {
        Some(Column::Vec3(normals)) => normals.clone(),
        _ => mesh.vertex_normals(),
    };
    for n in normals {
        let _ = writeln!(text, "vn {} {} {}", n.x, n.y, n.z);
    }
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|vertex| vertex + 1);
        let _ = writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}");
    }
    std::fs::write(path, text)
}
