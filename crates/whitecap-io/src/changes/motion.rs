//! Velocities from where things were in the frame before and are in the frame after.
//!
//! # Guarantees
//! Particles are matched by `id`, vertices by their place in meshes with the same triangles. Between two
//! neighbours the velocity is the central difference, with one it is one-sided.
//!
//! # Non-guarantees
//! What appears in one frame only keeps the velocity that it had, or gets none.

use whitecap_core::attributes::VELOCITY;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Identities, Particles, TriMesh};

/// A neighbouring frame, and how many seconds lie between.
pub type Neighbour<'a, T> = Option<(&'a T, f64)>;

/// Why there are no velocities.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MotionError {
    /// There is no other frame.
    #[error("there is no frame before or after it to take velocities from; give a sequence")]
    Alone,
    /// Particles cannot be told apart.
    #[error(
        "the particles have no whole numbers called `id` to follow them by; the columns are: {found}"
    )]
    NoIds {
        /// The columns that there are.
        found: String,
    },
    /// Vertices cannot be told apart.
    #[error(
        "the triangles are not those of the frame before or after, so the vertices cannot be followed"
    )]
    Triangles,
}

/// Particles with the velocities of their motion.
pub fn moving_particles(
    now: Particles,
    before: Neighbour<'_, Particles>,
    after: Neighbour<'_, Particles>,
) -> Result<Particles, MotionError> {
    if before.is_none() && after.is_none() {
        return Err(MotionError::Alone);
    }
    if now.is_empty() {
        return Ok(now);
    }
    let ids = now.ids().ok_or_else(|| {
        let names: Vec<&str> = now.attributes().iter().map(|(name, _)| name).collect();
        let found = if names.is_empty() { String::from("none") } else { names.join(", ") };
        MotionError::NoIds { found }
    })?;
    let known = |neighbour: Neighbour<'_, Particles>| {
        neighbour.map(|(particles, _)| Identities::first(&particles.ids().unwrap_or_default()))
    };
    let (known_before, known_after) = (known(before), known(after));
    let place = |known: &Option<Identities>, neighbour: Neighbour<'_, Particles>, id: i64| {
        let (particles, seconds) = neighbour?;
        let index = known.as_ref()?.get(id)?;
        Some((particles.positions()[index], seconds))
    };
    let velocities = ids.iter().enumerate().map(|(index, &id)| {
        let ends = [place(&known_before, before, id), place(&known_after, after, id)];
        velocity(now.positions()[index], ends)
            .or_else(|| now.velocities().map(|own| own[index]))
            .unwrap_or(Vec3::ZERO)
    });
    let velocities = Column::Vec3(velocities.collect());
    let mut moving = now.clone();
    // One for each particle.
    let _ = moving.set_attribute(VELOCITY, velocities);
    Ok(moving)
}

/// A mesh with the velocities of its vertices.
pub fn moving_mesh(
    now: TriMesh,
    before: Neighbour<'_, TriMesh>,
    after: Neighbour<'_, TriMesh>,
) -> Result<TriMesh, MotionError> {
    if before.is_none() && after.is_none() {
        return Err(MotionError::Alone);
    }
    let is_same = |(mesh, _): &(&TriMesh, f64)| {
        mesh.triangles() == now.triangles() && mesh.positions().len() == now.positions().len()
    };
    let (before, after) = (before.filter(is_same), after.filter(is_same));
    if before.is_none() && after.is_none() {
        return Err(MotionError::Triangles);
    }
    let velocities = now.positions().iter().enumerate().map(|(index, &position)| {
        let ends = [before, after]
            .map(|end| end.map(|(mesh, seconds)| (mesh.positions()[index], seconds)));
        velocity(position, ends).unwrap_or(Vec3::ZERO)
    });
    let velocities = Column::Vec3(velocities.collect());
    let mut moving = now.clone();
    let _ = moving.set_attribute(VELOCITY, velocities);
    Ok(moving)
}

/// The velocity from the places before and after, and how long ago or ahead they are.
fn velocity(now: Vec3, [before, after]: [Option<(Vec3, f64)>; 2]) -> Option<Vec3> {
    let (from, to, seconds) = match (before, after) {
        (Some((before, past)), Some((after, ahead))) => (before, after, past + ahead),
        (Some((before, past)), None) => (before, now, past),
        (None, Some((after, ahead))) => (now, after, ahead),
        (None, None) => return None,
    };
    Some(((to.as_dvec3() - from.as_dvec3()) / seconds).as_vec3())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(places: &[(i64, f32)]) -> Particles {
        let mut particles =
            Particles::new(places.iter().map(|&(_, x)| Vec3::new(x, 0.0, 0.0)).collect());
        let ids = Column::I64(places.iter().map(|place| place.0).collect());
        particles.set_attribute("id", ids).unwrap();
        particles
    }

    /// Contract: velocities follow ids, not the order of particles; central between two frames,
    /// one-sided at the ends, over the time that really lies between.
    #[test]
    fn velocities_follow_ids() {
        let (before, after) =
            (frame(&[(1, 0.0), (2, 5.0)]), frame(&[(3, 7.0), (2, 9.0), (1, 4.0)]));
        let now = frame(&[(2, 6.0), (1, 1.0), (3, 6.0), (4, 0.0)]);
        let moving = moving_particles(now, Some((&before, 0.5)), Some((&after, 1.5))).unwrap();
        let along: Vec<f32> = moving.velocities().unwrap().iter().map(|v| v.x).collect();
        assert_eq!(along, [2.0, 2.0, 1.0 / 1.5, 0.0]);
        assert_eq!(moving_particles(frame(&[(1, 0.0)]), None, None), Err(MotionError::Alone));
        let without = Particles::new(vec![Vec3::ZERO]);
        let message = moving_particles(without, Some((&before, 1.0)), None).unwrap_err();
        assert!(message.to_string().contains("`id`"), "{message}");
    }

    /// Contract: vertices are followed by their place, if the triangles are the same.
    #[test]
    fn vertices_are_followed_in_equal_triangles() {
        let mesh = |x: f32| {
            let corners = vec![Vec3::new(x, 0.0, 0.0), Vec3::Y, Vec3::Z];
            TriMesh::new(corners, vec![[0, 1, 2]]).unwrap()
        };
        let moving = moving_mesh(mesh(1.0), Some((&mesh(0.0), 0.5)), None).unwrap();
        let Some(Column::Vec3(velocities)) = moving.attribute(VELOCITY) else { panic!("none") };
        assert_eq!(velocities[..], [Vec3::new(2.0, 0.0, 0.0), Vec3::ZERO, Vec3::ZERO]);
        let other = mesh(1.0).flipped();
        assert_eq!(moving_mesh(mesh(1.0), Some((&other, 1.0)), None), Err(MotionError::Triangles));
    }
}
