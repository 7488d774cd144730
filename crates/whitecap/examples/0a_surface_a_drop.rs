//! Particles in a ball become a closed mesh: `cargo run --release -p whitecap --example 0a_surface_a_drop`

use whitecap::core::glam::Vec3;
use whitecap::core::{Particles, Unwatched};
use whitecap::io::write_mesh;
use whitecap::surface::{Method, SurfaceSettings, report, surface_particles};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Lattice points in a ball of 0.5 m.
    let spacing = 0.05;
    let steps = -10..=10;
    let lattice = steps.clone().flat_map(|z| {
        let steps = steps.clone();
        steps.clone().flat_map(move |y| {
            steps.clone().map(move |x| spacing * Vec3::new(x as f32, y as f32, z as f32))
        })
    });
    let particles = Particles::new(lattice.filter(|point| point.length() <= 0.5).collect());

    let settings = SurfaceSettings {
        method: Method::Anisotropic,
        radius: Some(spacing / 2.0),
        smooth: 5,
        ..SurfaceSettings::default()
    };
    let drop = surface_particles(&particles, &settings, &Unwatched)?;
    let report = report(&drop.mesh);
    println!("{} particles, {report:#?}", particles.len());

    let path = std::env::temp_dir().join("whitecap_drop.ply");
    write_mesh(&path, &drop.mesh)?;
    println!("The mesh is in {}", path.display());
    Ok(())
}
