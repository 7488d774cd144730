//! The surface depends only on the liquid, not on threads or on what was in the buffers.

mod surface_scenes;

use surface_scenes::*;
use whitecap_pipes::{
    Columns, Meniscus, MeniscusSettings, MinimumHeights, Space, Surface, SurfaceSettings, Terrain,
    Viewer,
};

fn shaded(columns: &Columns) -> Surface {
    let mut surface = surface_of(columns);
    let viewer = Viewer::At(glam::Vec3::new(0.01, 0.05, -0.02));
    let settings = MeniscusSettings::default();
    Meniscus::new().apply(columns, &mut surface, &settings, Some(viewer)).unwrap();
    surface
}

fn assert_same(one: &Surface, other: &Surface) {
    assert!(one.positions() == other.positions());
    assert!(one.normals() == other.normals());
    assert!(one.opacity() == other.opacity());
    assert!(one.triangles() == other.triangles());
    assert!(one.vertex_columns() == other.vertex_columns());
    assert!(one.kinds() == other.kinds());
}

fn large_lakes() -> Columns {
    let shape = waves(5, 0.6);
    let mut columns = heightfield(150, 130, shape);
    let floors = columns.floor().to_vec();
    columns.fill(|column| f64::from(0.2 * CELL - floors[column]));
    columns
}

/// Contract: surface and meniscus have the same bits with 1, 2 and 7 threads.
#[test]
fn threads_do_not_change_a_bit() {
    let scenes = [large_lakes(), ramp_between_layers(), random_layers(11), random_layers(42)];
    for columns in scenes {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| shaded(&columns))
        };
        let one = with(1);
        assert!(!one.triangles().is_empty());
        assert_same(&one, &with(2));
        assert_same(&one, &with(7));
    }
}

/// The same liquid under a roof, over one cell and far above it.
fn roofed(columns: &Columns) -> Columns {
    let terrain = Terrain::from_cells(*columns.grid(), |x, z, spaces| {
        let floor = columns.floor()[columns.of_cell(x, z).start];
        let ceiling = if (x, z) == (1, 1) { 1e5 } else { f32::INFINITY };
        spaces.push(Space { floor, ceiling });
    });
    let mut roofed = Columns::new(&terrain.unwrap());
    roofed.fill(|column| columns.depth()[column]);
    roofed
}

/// Contract: the fast method for terrain of one layer gives the same bits as the general one, which
/// is used if there is a roof; triangles may come in another order.
#[test]
fn one_layer_is_a_case_of_many() {
    for columns in (0..30).map(random_lakes).chain([large_lakes()]) {
        let (short, general) = (surface_of(&columns), surface_of(&roofed(&columns)));
        assert!(short.positions() == general.positions());
        assert!(short.normals() == general.normals());
        assert!(short.kinds() == general.kinds());
        let sorted = |surface: &Surface| {
            let mut triangles = surface.triangles().to_vec();
            for triangle in &mut triangles {
                let least = (0..3).min_by_key(|&k| triangle[k]).unwrap();
                triangle.rotate_left(least);
            }
            triangles.sort_unstable();
            triangles
        };
        assert!(sorted(&short) == sorted(&general));
    }
}

/// Contract: a surface that was used for something else before gives the same bits as a fresh one, and so
/// does a meniscus; over frames of the same liquid the buffers stay where they are.
#[test]
fn buffers_are_reused() {
    let (mut surface, mut meniscus) = (Surface::new(), Meniscus::new());
    let (settings, shading) = (SurfaceSettings::default(), MeniscusSettings::default());
    let viewer = Viewer::At(glam::Vec3::new(0.01, 0.05, -0.02));
    for columns in [large_lakes(), random_layers(3), random_lakes(4), ramp_between_layers()] {
        surface.update(&columns, &MinimumHeights::none(), &settings).unwrap();
        meniscus.apply(&columns, &mut surface, &shading, Some(viewer)).unwrap();
        assert_same(&surface, &shaded(&columns));
    }
    let columns = ramp_between_layers();
    let places = |surface: &Surface| {
        (surface.positions().as_ptr(), surface.triangles().as_ptr(), surface.normals().as_ptr())
    };
    let before = places(&surface);
    for _ in 0..3 {
        surface.update(&columns, &MinimumHeights::none(), &settings).unwrap();
        assert_eq!(places(&surface), before);
    }
}
