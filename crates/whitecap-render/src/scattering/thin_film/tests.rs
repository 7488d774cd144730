//! Contracts of thin films.

use glam::{DVec3, Vec3};
use num_complex::Complex64;

use super::*;

const WAVELENGTHS: [f64; 4] = [400e-9, 480e-9, 550e-9, 690e-9];
const COSINES: [f64; 5] = [1.0, 0.8, 0.5, 0.2, 0.02];
const THICKNESSES: [f64; 6] = [0.0, 20e-9, 110e-9, 333e-9, 1e-6, 1.9e-6];

fn settings(film_index: f32, substrate_index: f32) -> ThinFilmSettings {
    ThinFilmSettings { film_index, substrate_index, ..ThinFilmSettings::default() }
}

fn silver() -> ThinFilmSettings {
    ThinFilmSettings { substrate_extinction: 3.6, ..settings(1.5, 0.13) }
}

/// Fresnel's reflectance of a bare surface between two transparent media.
fn fresnel(outside: f64, inside: f64, cosine: f64) -> f64 {
    let sine = (1.0 - cosine * cosine).sqrt() * outside / inside;
    if sine >= 1.0 {
        return 1.0;
    }
    let below = (1.0 - sine * sine).sqrt();
    let s = (outside * cosine - inside * below) / (outside * cosine + inside * below);
    let p = (inside * cosine - outside * below) / (inside * cosine + outside * below);
    0.5 * (s * s + p * p)
}

/// The reflectance by the characteristic matrix of the film (Abelès 1950), an independent method:
/// it propagates fields through the film instead of summing waves.
fn by_matrix(settings: &ThinFilmSettings, cosine: f64, thickness: f64, wavelength: f64) -> f64 {
    let outside = Complex64::from(f64::from(settings.outside_index));
    let film = Complex64::from(f64::from(settings.film_index));
    let extinction = f64::from(settings.substrate_extinction);
    let substrate = Complex64::new(f64::from(settings.substrate_index), extinction);
    let along = outside * (1.0 - cosine * cosine).sqrt();
    let cos_in = |index: Complex64| (1.0 - (along / index).powi(2)).sqrt();
    let delta = std::f64::consts::TAU * film * cos_in(film) * thickness / wavelength;
    let mut total = 0.0;
    for s_polarised in [true, false] {
        let admittance = |index: Complex64| match s_polarised {
            true => index * cos_in(index),
            false => index / cos_in(index),
        };
        let through = Complex64::i() * delta.sin();
        let below = admittance(substrate);
        // Sign of i: waves run as exp(−i ω t), so that an index with positive imaginary part absorbs.
        let electric = delta.cos() - through * below / admittance(film);
        let magnetic = below * delta.cos() - through * admittance(film);
        let above = admittance(outside);
        let amplitude = (above * electric - magnetic) / (above * electric + magnetic);
        total += 0.5 * amplitude.norm_sqr();
    }
    total
}

/// The first thousand reflections, one by one.
fn by_summing_reflections(settings: &ThinFilmSettings, cosine: f64, phase: f64) -> f64 {
    let media = [settings.outside_index, settings.film_index, settings.substrate_index];
    let [n1, n2, n3] = media.map(f64::from);
    let cos_in = |index: f64| (1.0 - (1.0 - cosine * cosine) * (n1 / index).powi(2)).sqrt();
    let [c1, c2, c3] = [n1, n2, n3].map(cos_in);
    let mut total = 0.0;
    for s_polarised in [true, false] {
        let surface = |na: f64, ca: f64, nb: f64, cb: f64| {
            let (first, second) = if s_polarised { (na * ca, nb * cb) } else { (nb * ca, na * cb) };
            ((first - second) / (first + second), 2.0 * na * ca / (first + second))
        };
        let (top, down) = surface(n1, c1, n2, c2);
        let (top_from_below, up) = surface(n2, c2, n1, c1);
        let (bottom, _) = surface(n2, c2, n3, c3);
        let turn = Complex64::from_polar(1.0, phase);
        let mut amplitude = Complex64::from(top);
        let mut inside = Complex64::from(down);
        for _ in 0..1000 {
            inside *= bottom * turn;
            amplitude += inside * up;
            inside *= top_from_below;
        }
        total += 0.5 * amplitude.norm_sqr();
    }
    total
}

/// Contract: at every wavelength the closed formula is the sum of all reflections, and agrees with the
/// characteristic matrix, for dielectrics and metals.
#[test]
fn airys_formula_is_the_sum_of_all_reflections() {
    for settings in [settings(1.47, 1.333), settings(1.33, 1.0), settings(2.0, 1.5), silver()] {
        let stack = FilmStack::new(&settings).unwrap();
        for (cosine, thickness, wavelength) in everything() {
            let found = stack.reflectance(cosine, thickness, wavelength);
            let matrix = by_matrix(&settings, cosine, thickness, wavelength);
            assert!((found - matrix).abs() < 1e-9, "{cosine} {thickness}: {found} {matrix}");
            if settings.substrate_extinction == 0.0 {
                let index = f64::from(settings.film_index);
                let below = (1.0 - (1.0 - cosine * cosine) / (index * index)).sqrt();
                let phase = 4.0 * std::f64::consts::PI * index * below * thickness / wavelength;
                let summed = by_summing_reflections(&settings, cosine, phase);
                assert!((found - summed).abs() < 1e-9, "{cosine} {thickness}: {found} {summed}");
            }
        }
    }
}

fn everything() -> impl Iterator<Item = (f64, f64, f64)> {
    COSINES.into_iter().flat_map(|cosine| {
        THICKNESSES.into_iter().flat_map(move |thickness| {
            WAVELENGTHS.into_iter().map(move |wavelength| (cosine, thickness, wavelength))
        })
    })
}

/// Contract: what is not reflected enters a substrate, at every wavelength, angle and thickness,
/// even if the wave in the film only decays.
#[test]
fn reflected_and_transmitted_light_sum_to_one() {
    let dense_outside = ThinFilmSettings { outside_index: 1.5, ..settings(1.0, 1.5) };
    for settings in
        [settings(1.47, 1.333), settings(1.33, 1.0), settings(1.38, 1.52), dense_outside]
    {
        let stack = FilmStack::new(&settings).unwrap();
        for (cosine, thickness, wavelength) in everything() {
            let reflected = stack.reflectance(cosine, thickness, wavelength);
            let transmitted = stack.transmittance(cosine, thickness, wavelength);
            let total = reflected + transmitted;
            assert!((total - 1.0).abs() < 1e-9, "{settings:?} {cosine} {thickness}: {total}");
            assert!((-1e-12..=1.0 + 1e-12).contains(&reflected));
        }
    }
}

/// Contract: a film of zero thickness, or with the index of what is above or below it, is the bare
/// surface of the substrate, grey, with the reflectance of Fresnel's formulas; in the table as
/// well.
#[test]
fn without_a_film_the_surface_is_bare() {
    let cases =
        [(settings(1.47, 1.333), 0.0), (settings(1.0, 1.5), 4e-7), (settings(1.5, 1.5), 4e-7)];
    for (settings, thickness) in cases {
        let table = ThinFilm::new(&settings).unwrap();
        let stack = FilmStack::new(&settings).unwrap();
        for cosine in COSINES {
            let expected = fresnel(1.0, f64::from(settings.substrate_index), cosine);
            for wavelength in WAVELENGTHS {
                let found = stack.reflectance(cosine, thickness, wavelength);
                assert!((found - expected).abs() < 1e-12, "{cosine}: {found} {expected}");
            }
            let found = table.reflectance(cosine as f32, thickness as f32);
            assert!((found - expected as f32).abs().max_element() < 2e-4, "{cosine}: {found}");
            assert!(found.max_element() - found.min_element() < 1e-6, "{found} is not grey");
        }
    }
}

/// Contract: a quarter of a wavelength of √n on n reflects nothing at that wavelength at normal
/// incidence; half a wavelength is as if there were no film.
#[test]
fn a_quarter_wave_layer_removes_the_reflection() {
    let (film, wavelength) = (1.5f64.sqrt() as f32, 550e-9);
    let stack = FilmStack::new(&settings(film, 1.5)).unwrap();
    let quarter = wavelength / (4.0 * f64::from(film));
    assert!(stack.reflectance(1.0, quarter, wavelength) < 1e-12);
    assert!((stack.reflectance(1.0, 2.0 * quarter, wavelength) - 0.04).abs() < 1e-6);
    assert!(stack.reflectance(1.0, quarter, 400e-9) > 0.002);
}

/// Contract: the table agrees with the integral to 1e-4 in each channel at every angle and thickness,
/// for dielectrics, metals, and films in which waves decay. Towards grazing angles fringes are so sharp
/// that the integral itself needs wavelengths much closer together.
#[test]
fn the_table_agrees_with_the_integral() {
    let (usual, grazing) = (Spectrum::new(0.1), Spectrum::new(0.005));
    let decaying = ThinFilmSettings { outside_index: 1.5, ..settings(1.0, 1.333) };
    let mut worst = 0.0f32;
    for settings in
        [settings(1.47, 1.333), settings(1.33, 1.0), settings(2.0, 1.5), silver(), decaying]
    {
        let film = ThinFilm::new(&settings).unwrap();
        let stack = FilmStack::new(&settings).unwrap();
        for i in 0..600 {
            let cosine = (f64::from(i) * 0.754_877_666).fract().powi(2);
            let thickness = (f64::from(i) * 0.569_840_291).fract().powi(2) * 4e-6;
            let spectrum = if cosine < 0.01 { &grazing } else { &usual };
            let exact = stack.color(cosine, thickness, spectrum).clamp(DVec3::ZERO, DVec3::ONE);
            let found = film.reflectance(cosine as f32, thickness as f32);
            worst = worst.max((found - exact.as_vec3()).abs().max_element());
        }
    }
    println!("largest difference between table and integral: {worst:.1e}");
    assert!(worst < 1e-4, "{worst}");
}

/// Contract: a soap film in air shows Newton's colours in their order: black, then white, then, as the
/// fringe wanders from violet to red, first blue, then green, then red is missing, where half a
/// wavelength fits into the film.
#[test]
fn newtons_colours_come_in_their_order() {
    let film = ThinFilm::new(&settings(1.33, 1.0)).unwrap();
    let color = |nanometres: usize| film.reflectance(1.0, nanometres as f32 * 1e-9);
    assert!(color(0).max_element() < 1e-6);
    assert!(color(10).max_element() < 0.15 * color(100).max_element(), "black");
    let white = color(85);
    assert!(white.min_element() > 0.8 * white.max_element(), "white: {white}");
    let darkest = |channel: usize| {
        (120..300).min_by(|&a, &b| color(a)[channel].total_cmp(&color(b)[channel])).unwrap()
    };
    let [red, green, blue] = [0, 1, 2].map(darkest);
    assert!(blue < green && green < red, "{red} {green} {blue}");
    for (found, wavelength) in [(blue, 455.0), (green, 545.0), (red, 610.0)] {
        let expected = wavelength / (2.0 * 1.33);
        assert!((found as f64 - expected).abs() < 14.0, "{found} nm, {expected} nm");
    }
    // Yellow, magenta, blue: what remains where each is missing.
    let remains = |at: usize| color(at) / color(at).max_element();
    assert!(remains(blue).x > 0.8 && remains(blue).z < 0.4, "{}", remains(blue));
    assert!(remains(green).y < 0.35, "{}", remains(green));
    assert!(remains(red).x < 0.3 && remains(red).z > 0.9, "{}", remains(red));
}

/// Contract: from below the film reflects what it reflects from above at the corresponding angle,
/// and everything beyond the angle of total reflection.
#[test]
fn both_sides_reflect_alike() {
    let above = settings(1.47, 1.333);
    let below = ThinFilmSettings { outside_index: 1.333, substrate_index: 1.0, ..above };
    let film = ThinFilm::new(&above).unwrap();
    let upside_down = FilmStack::new(&below).unwrap();
    let spectrum = Spectrum::new(1.0);
    for cosine in [1.0, 0.9, 0.8, 0.7, 0.68, 0.6, 0.1] {
        let exact = upside_down.color(cosine, 250e-9, &spectrum).as_vec3();
        let found = film.reflectance_from_below(cosine as f32, 250e-9);
        assert!((found - exact).abs().max_element() < 2e-3, "{cosine}: {found} {exact}");
    }
    assert_eq!(film.reflectance_from_below(0.3, 250e-9), Vec3::ONE);
}

/// Contract: thick films are grey, without a jump on the way there, and meaningless numbers still
/// give a result.
#[test]
fn thick_films_are_grey() {
    let film = ThinFilm::new(&settings(1.47, 1.333)).unwrap();
    let thick = film.reflectance(0.7, 1e-3);
    assert!(thick.max_element() - thick.min_element() < 1e-6, "{thick}");
    let mut last = film.reflectance(0.7, 3e-6);
    for i in 1..90_000 {
        let color = film.reflectance(0.7, 3e-6 + i as f32 * 0.5e-9);
        assert!((color - last).abs().max_element() < 1e-3);
        last = color;
    }
    assert_eq!(last, thick);
    for (cosine, thickness) in
        [(f32::NAN, 1e-7), (0.5, f32::NAN), (-3.0, -1.0), (2.0, f32::INFINITY)]
    {
        let color = film.reflectance(cosine, thickness);
        assert!(color.cmpge(Vec3::ZERO).all() && color.cmple(Vec3::ONE).all(), "{color}");
    }
}

/// Contract: meaningless settings are refused with a sentence that names them.
#[test]
fn what_has_no_meaning_is_refused() {
    let refused = |settings: ThinFilmSettings, word: &str| {
        let message = ThinFilm::new(&settings).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    };
    refused(settings(f32::NAN, 1.0), "`film-index` is NaN");
    refused(settings(1.3, 0.0), "`substrate-index` is 0");
    refused(
        ThinFilmSettings { substrate_extinction: -1.0, ..silver() },
        "`substrate-extinction` is -1",
    );
}
