//! Contract: a liquid can be driven through the interface alone. Layers, sources, brush and carving do
//! what they say, buffers are those of the surface, and frames allocate nothing once set up. One test,
//! because it counts the allocations of the whole process.

use std::ptr::{null, null_mut};
use std::slice::from_raw_parts;

use WhitecapPipesStatus::Ok as Done;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use whitecap_pipes_c::*;

#[global_allocator]
static COUNTED: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

const WIDTH: usize = 40;
const LENGTH: usize = 30;
const CELLS: usize = WIDTH * LENGTH;

/// One frame: a source pours, the liquid moves, its surface is made.
fn frame(pipes: *mut WhitecapPipes) -> WhitecapPipesSurface {
    let eye = [0.02_f32, 0.1, 0.1];
    // SAFETY: the liquid lives, and so does everything pointed to; the surface is plain data.
    unsafe {
        let mut surface = std::mem::zeroed();
        assert_eq!(whitecap_pipes_advance(pipes, 1.0 / 60.0, null_mut()), Done);
        assert_eq!(whitecap_pipes_surface(pipes, eye.as_ptr(), &mut surface), Done);
        surface
    }
}

/// A plate 5 mm above the ground over the left half.
fn layers() -> ([u32; CELLS], Vec<f32>, Vec<f32>) {
    let mut counts = [1; CELLS];
    let (mut floors, mut ceilings) = (Vec::new(), Vec::new());
    for (cell, count) in counts.iter_mut().enumerate() {
        floors.push(0.0);
        if cell % WIDTH < WIDTH / 2 {
            *count = 2;
            ceilings.push(0.005);
            floors.push(0.006);
        }
        ceilings.push(f32::INFINITY);
    }
    (counts, floors, ceilings)
}

#[test]
fn frames_through_the_interface() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(drive);
}

fn drive() {
    let settings = WhitecapPipesSettings {
        width: WIDTH as u32,
        length: LENGTH as u32,
        ..whitecap_pipes_default_settings()
    };
    let (counts, floors, ceilings) = layers();
    let source = WhitecapPipesSource { position: [0.01, 0.01, 0.015], radius: 0.003, rate: 2e-6 };
    let mut pipes = null_mut();
    // SAFETY: everything points to live values of the sizes given.
    unsafe {
        assert_eq!(whitecap_pipes_create(&settings, &mut pipes), Done);
        let (floors, ceilings, count) = (floors.as_ptr(), ceilings.as_ptr(), floors.len());
        let status =
            whitecap_pipes_set_layers(pipes, counts.as_ptr(), CELLS, floors, ceilings, count);
        assert_eq!(status, Done);
        assert_eq!(whitecap_pipes_set_sources(pipes, &source, 1, null(), 0), Done);
    }
    for _ in 0..120 {
        frame(pipes);
    }
    let region = Region::new(COUNTED);
    for _ in 0..20 {
        frame(pipes);
    }
    assert_eq!(region.change().allocations, 0);
    check_surface(&frame(pipes));
    brush_and_carve(pipes);
    // SAFETY: it is not used again.
    unsafe { whitecap_pipes_destroy(pipes) };
}

/// The buffers hold a surface: on the plate, and on the ground beside it.
fn check_surface(surface: &WhitecapPipesSurface) {
    let count = surface.vertex_count;
    // SAFETY: the buffers have the sizes that the surface says, and no call comes in between.
    let (positions, normals, opacity, indices) = unsafe {
        (
            from_raw_parts(surface.positions.cast::<[f32; 3]>(), count),
            from_raw_parts(surface.normals.cast::<[f32; 3]>(), count),
            from_raw_parts(surface.opacity, count),
            from_raw_parts(surface.indices, surface.index_count),
        )
    };
    assert!(indices.len() > 3 * CELLS && indices.len().is_multiple_of(3));
    let used = || indices.iter().map(|&vertex| vertex as usize);
    assert!(used().any(|vertex| positions[vertex][1] > 0.006));
    assert!(used().any(|vertex| positions[vertex][1] < 0.004 && positions[vertex][0] > 0.025));
    for vertex in used() {
        let length: f32 = normals[vertex].iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-4 && (0.0..=1.0).contains(&opacity[vertex]));
    }
}

/// The brush reports what it did, and the report adds up.
fn brush_and_carve(pipes: *mut WhitecapPipes) {
    let (mut poured, mut wiped) = (0.0, 0.0);
    // SAFETY: the liquid lives, and so does everything pointed to; report and columns are plain data.
    unsafe {
        let (mut before, mut after, mut columns): (WhitecapPipesReport, WhitecapPipesReport, _) =
            (std::mem::zeroed(), std::mem::zeroed(), std::mem::zeroed());
        assert_eq!(whitecap_pipes_report(pipes, &mut before), Done);
        let at = (0.03, 0.002, 0.015);
        let status = whitecap_pipes_pour(pipes, at.0, at.1, at.2, 0.004, 1e-6, &mut poured);
        assert_eq!(status, Done);
        let status = whitecap_pipes_wipe(pipes, at.0, at.1, at.2, 0.004, f64::INFINITY, &mut wiped);
        assert_eq!(status, Done);
        assert!((poured - 1e-6).abs() < 1e-15 && wiped > poured);
        assert_eq!(whitecap_pipes_carve(pipes, at.0, at.1, at.2, 0.004, 0.002), Done);
        assert_eq!(whitecap_pipes_report(pipes, &mut after), Done);
        assert!((after.volume - (before.volume + poured - wiped)).abs() < 1e-15);
        assert!(after.relative_error.abs() < 1e-9);
        assert_eq!(whitecap_pipes_columns(pipes, &mut columns), Done);
        let columns: WhitecapPipesColumns = columns;
        let lowest = from_raw_parts(columns.floors, columns.count).iter().copied();
        assert!((lowest.fold(0.0, f32::min) + 0.002).abs() < 2e-4);
    }
}
