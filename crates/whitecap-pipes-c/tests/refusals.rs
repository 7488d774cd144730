//! Contract: every error that can be detected (null, misaligned, wrong sizes, not a number, out of
//! range, impossible terrain) gives its status and a sentence, and nothing changes.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use WhitecapPipesStatus::{BadPointer, BadTerrain, BadValue, Ok as Done, WrongSize};
use whitecap_pipes_c::*;

/// A liquid that is destroyed at the end of the test.
struct Liquid(*mut WhitecapPipes);

impl Liquid {
    fn new() -> Self {
        let settings =
            WhitecapPipesSettings { width: 8, length: 4, ..whitecap_pipes_default_settings() };
        let mut pipes = null_mut();
        // SAFETY: both point to live values.
        assert_eq!(unsafe { whitecap_pipes_create(&settings, &mut pipes) }, Done);
        Self(pipes)
    }

    fn volume(&self) -> f64 {
        let mut volume = f64::NAN;
        // SAFETY: the liquid lives, and so does the number.
        assert_eq!(unsafe { whitecap_pipes_volume(self.0, &mut volume) }, Done);
        volume
    }
}

impl Drop for Liquid {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        unsafe { whitecap_pipes_destroy(self.0) };
    }
}

fn sentence() -> String {
    // SAFETY: the sentence ends with a zero and lives until the next refusal.
    unsafe { CStr::from_ptr(whitecap_pipes_last_error()) }.to_str().unwrap().to_owned()
}

/// The answer, and that its sentence names what was wrong.
fn refused(status: WhitecapPipesStatus, expected: WhitecapPipesStatus, named: &str) {
    assert_eq!(status, expected, "{}", sentence());
    assert!(sentence().contains(named), "`{}` does not name {named}", sentence());
}

#[test]
fn null_is_refused() {
    let liquid = Liquid::new();
    let settings = whitecap_pipes_default_settings();
    let nobody = null_mut();
    // SAFETY: null is what is tested; everything else points to live values.
    unsafe {
        let mut pipes = null_mut();
        refused(whitecap_pipes_create(null(), &mut pipes), BadPointer, "settings");
        assert!(pipes.is_null());
        refused(whitecap_pipes_create(&settings, null_mut()), BadPointer, "pipes");
        refused(whitecap_pipes_set_settings(nobody, &settings), BadPointer, "pipes");
        refused(whitecap_pipes_set_settings(liquid.0, null()), BadPointer, "settings");
        refused(whitecap_pipes_set_sources(liquid.0, null(), 1, null(), 0), BadPointer, "sources");
        refused(whitecap_pipes_set_sources(liquid.0, null(), 0, null(), 1), BadPointer, "drains");
        refused(whitecap_pipes_set_heights(nobody, null(), 0), BadPointer, "pipes");
        refused(whitecap_pipes_set_heights(liquid.0, null(), 32), BadPointer, "heights");
        refused(
            whitecap_pipes_set_layers(liquid.0, null(), 32, null(), null(), 32),
            BadPointer,
            "counts",
        );
        refused(whitecap_pipes_fill(liquid.0, null(), 32), BadPointer, "depths");
        refused(
            whitecap_pipes_pour(nobody, 0.0, 0.0, 0.0, 1.0, 1.0, null_mut()),
            BadPointer,
            "pipes",
        );
        refused(
            whitecap_pipes_wipe(nobody, 0.0, 0.0, 0.0, 1.0, 1.0, null_mut()),
            BadPointer,
            "pipes",
        );
        refused(whitecap_pipes_carve(nobody, 0.0, 0.0, 0.0, 1.0, 1.0), BadPointer, "pipes");
        refused(whitecap_pipes_step(nobody, 0.001), BadPointer, "pipes");
        refused(whitecap_pipes_advance(nobody, 0.001, null_mut()), BadPointer, "pipes");
        refused(whitecap_pipes_volume(liquid.0, null_mut()), BadPointer, "volume");
        refused(whitecap_pipes_report(liquid.0, null_mut()), BadPointer, "report");
        refused(whitecap_pipes_surface(liquid.0, null(), null_mut()), BadPointer, "surface");
        refused(whitecap_pipes_columns(liquid.0, null_mut()), BadPointer, "columns");
        whitecap_pipes_destroy(null_mut());
    }
}

#[test]
fn misaligned_pointers_are_refused() {
    let liquid = Liquid::new();
    let heights = [0.0_f32; 33];
    let askew = heights.as_ptr().cast::<u8>().wrapping_add(1).cast();
    // SAFETY: there are 32 heights; that they are misaligned is what is tested.
    let status = unsafe { whitecap_pipes_set_heights(liquid.0, askew, 32) };
    refused(status, BadPointer, "aligned");
}

#[test]
fn wrong_sizes_are_refused() {
    let liquid = Liquid::new();
    let heights = [0.0_f32; 32];
    let (counts, sky) = ([1_u32; 32], [f32::INFINITY; 32]);
    // SAFETY: the arrays are longer than their counts say, or refused before they are read.
    unsafe {
        for count in [0, 31, 33, usize::MAX] {
            let status = whitecap_pipes_set_heights(liquid.0, heights.as_ptr(), count);
            refused(status, WrongSize, "32");
            let status = whitecap_pipes_fill(liquid.0, [0.0; 32].as_ptr(), count);
            refused(status, WrongSize, "32");
        }
        let (floors, ceilings) = (heights.as_ptr(), sky.as_ptr());
        let status = whitecap_pipes_set_layers(liquid.0, counts.as_ptr(), 31, floors, ceilings, 31);
        refused(status, WrongSize, "counts");
        let status = whitecap_pipes_set_layers(liquid.0, counts.as_ptr(), 32, floors, ceilings, 31);
        refused(status, WrongSize, "floors");
        let status =
            whitecap_pipes_set_sources(liquid.0, std::ptr::dangling(), usize::MAX, null(), 0);
        refused(status, WrongSize, "memory");
    }
}

#[test]
fn impossible_values_are_refused_and_nothing_changes() {
    let liquid = Liquid::new();
    let source = |rate| WhitecapPipesSource { position: [0.004; 3], radius: 0.001, rate };
    // SAFETY: everything points to live values.
    unsafe {
        assert_eq!(whitecap_pipes_fill(liquid.0, [0.001; 32].as_ptr(), 32), Done);
        let before = liquid.volume();
        for value in [f64::NAN, f64::INFINITY, -1.0] {
            refused(whitecap_pipes_step(liquid.0, value), BadValue, "duration");
            refused(whitecap_pipes_advance(liquid.0, value, null_mut()), BadValue, "duration");
            let mut poured = 7.0;
            let status = whitecap_pipes_pour(liquid.0, 0.0, 0.0, 0.0, 0.01, value, &mut poured);
            refused(status, BadValue, "volume");
            assert_eq!(poured, 0.0);
            let status =
                whitecap_pipes_pour(liquid.0, 0.0, 0.0, 0.0, value as f32, 1e-6, null_mut());
            refused(status, BadValue, "radius");
            let status = whitecap_pipes_fill(liquid.0, [value; 32].as_ptr(), 32);
            refused(status, BadValue, "column 0");
            let status = whitecap_pipes_set_sources(liquid.0, &source(value), 1, null(), 0);
            refused(status, BadValue, "sources.0.rate");
        }
        let status = whitecap_pipes_pour(liquid.0, f32::NAN, 0.0, 0.0, 0.01, 1e-6, null_mut());
        refused(status, BadValue, "position");
        let status = whitecap_pipes_carve(liquid.0, 0.004, 0.0, 0.002, 0.01, f32::NAN);
        refused(status, BadValue, "depth");
        let mut surface = std::mem::zeroed();
        let status = whitecap_pipes_surface(liquid.0, [0.0, f32::NAN, 0.0].as_ptr(), &mut surface);
        refused(status, BadValue, "eye");
        assert_eq!(liquid.volume(), before);
    }
}

#[test]
fn impossible_terrain_is_refused() {
    let liquid = Liquid::new();
    let mut heights = [0.0_f32; 32];
    heights[9] = f32::NAN;
    // SAFETY: everything points to live values.
    unsafe {
        let status = whitecap_pipes_set_heights(liquid.0, heights.as_ptr(), 32);
        refused(status, BadTerrain, "(1, 1)");
        let mut counts = [1_u32; 32];
        counts[0] = 2;
        let mut floors = [0.0_f32; 33];
        let mut ceilings = [f32::INFINITY; 33];
        (ceilings[0], floors[1]) = (2.0, 1.0);
        let status = whitecap_pipes_set_layers(
            liquid.0,
            counts.as_ptr(),
            32,
            floors.as_ptr(),
            ceilings.as_ptr(),
            33,
        );
        refused(status, BadTerrain, "(0, 0)");
    }
}

#[test]
fn impossible_settings_are_refused() {
    let liquid = Liquid::new();
    let good = WhitecapPipesSettings { width: 8, length: 4, ..whitecap_pipes_default_settings() };
    type Change = fn(&mut WhitecapPipesSettings);
    let changes: [(Change, &str); 9] = [
        (|settings| settings.viscosity = f32::NAN, "viscosity"),
        (|settings| settings.gravity = -1.0, "gravity"),
        (|settings| settings.time_step = f32::NAN, "time-step"),
        (|settings| settings.solver = 2, "solver"),
        (|settings| settings.passages = u32::MAX, "passages"),
        (|settings| settings.contact_angle = 181.0, "contact-angle"),
        (|settings| settings.opaque_depth = 0.0, "opaque-depth"),
        (|settings| settings.cell = f32::INFINITY, "cell size"),
        (|settings| (settings.width, settings.length) = (u32::MAX, u32::MAX), "cells"),
    ];
    for (change, named) in changes {
        let mut settings = good;
        change(&mut settings);
        let mut pipes = null_mut();
        // SAFETY: everything points to live values.
        unsafe {
            refused(whitecap_pipes_create(&settings, &mut pipes), BadValue, named);
            refused(whitecap_pipes_set_settings(liquid.0, &settings), BadValue, named);
        }
        assert!(pipes.is_null());
    }
    let larger = WhitecapPipesSettings { width: 9, ..good };
    // SAFETY: everything points to live values.
    unsafe {
        refused(whitecap_pipes_set_settings(liquid.0, &larger), BadValue, "grid");
        assert_eq!(whitecap_pipes_set_settings(liquid.0, &good), Done);
    }
}
