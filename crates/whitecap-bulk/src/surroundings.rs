//! What liquids and smoke on grids flow round: walls in closed form, and bodies at rest or in motion.

use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;
use whitecap_scene::body::{AnimatedBody, BodyPose, Contact};
use whitecap_scene::shape::{BoxShape, PlaneShape, Side, empty_box};
use whitecap_scene::walls::Walls;
use whitecap_scene::{SceneError, SettingError};

use crate::mac::solids::Obstacles;

/// Walls as settings have them.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallShapes<'a> {
    /// A box that holds everything; `None`: the domain is open.
    pub domain: Option<BoxShape>,
    /// Sides of the domain without a wall.
    pub open_sides: &'a [Side],
    /// Further walls.
    pub planes: &'a [PlaneShape],
    /// Boxes to flow round.
    pub obstacles: &'a [BoxShape],
}

/// Walls and bodies at one time.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    walls: Walls,
    bodies: Vec<AnimatedBody>,
    poses: Vec<BodyPose>,
    /// Where bodies that move are, and were before.
    swept: Vec<Bounds>,
}

impl Surroundings {
    /// The walls of some settings; no bodies.
    pub fn new(shapes: WallShapes<'_>) -> Result<Self, SettingError> {
        let mut walls = Walls::new();
        if let Some(domain) = shapes.domain {
            let domain = walls.with_domain(domain, shapes.open_sides);
            walls = domain.map_err(|error| error.inside("domain"))?;
            check_room(shapes).map_err(|error| error.inside("domain"))?;
        }
        for (place, &plane) in shapes.planes.iter().enumerate() {
            walls = walls.with_plane(plane).map_err(|error| error.within("planes", place))?;
        }
        for (place, &shape) in shapes.obstacles.iter().enumerate() {
            walls = walls.with_obstacle(shape).map_err(|error| error.within("obstacles", place))?;
        }
        Ok(Self { walls, ..Self::default() })
    }

    /// The bodies as they are posed.
    pub fn poses(&self) -> &[BodyPose] {
        &self.poses
    }

    /// Adds a body, posed for a time in s.
    pub fn add(&mut self, body: AnimatedBody, time: f64) -> Result<(), SceneError> {
        self.poses.push(body.at(time)?);
        self.bodies.push(body);
        Ok(())
    }

    /// The same surroundings at another time.
    pub fn at(&self, time: f64) -> Result<Self, SceneError> {
        let poses: Result<Vec<BodyPose>, SceneError> =
            self.bodies.iter().map(|body| body.at(time)).collect();
        let poses = poses?;
        let moving = self.bodies.iter().zip(self.poses.iter().zip(&poses));
        let swept = moving
            .filter(|(body, _)| !body.is_at_rest())
            .map(|(_, (before, after))| before.bounds().union(after.bounds()))
            .collect();
        Ok(Self { walls: self.walls.clone(), bodies: self.bodies.clone(), poses, swept })
    }

    /// The farthest that a point of a body has moved since `earlier`, in m.
    pub fn largest_move(&self, earlier: &Surroundings) -> f32 {
        let poses = self.bodies.iter().zip(self.poses.iter().zip(&earlier.poses));
        let moving = poses.filter(|(body, _)| !body.is_at_rest());
        let moves = moving.map(|(_, (after, before))| after.largest_move(before));
        moves.fold(0.0, f32::max)
    }

    /// Sentences about solids that are thinner than a cell, measured along the axes as they are posed now: one that
    /// is thin along another direction is not noticed. `setting` is what makes cells smaller.
    pub fn leaks(&self, obstacles: &[BoxShape], cell: f32, setting: &str) -> Vec<String> {
        let around = |pose: &BodyPose| Bounds::of(pose.mesh().positions());
        let bodies = self.poses.iter().map(around).enumerate();
        let bodies = bodies.map(|(number, bounds)| ("solid", number + 1, bounds));
        let boxes = obstacles.iter().map(|shape| shape.bounds()).enumerate();
        let boxes = boxes.map(|(number, bounds)| ("obstacle", number + 1, bounds));
        let thin = bodies.chain(boxes).filter_map(|(kind, number, bounds)| {
            let across = (bounds.max - bounds.min).min_element();
            (across < cell).then(|| {
                let [across, cell] = [across, cell].map(|length| 1e3 * length);
                format!(
                    "{kind} {number} is {across:.3} mm across, less than a cell of {cell:.3} mm: it leaks; use a smaller `{setting}`"
                )
            })
        });
        thin.collect()
    }

    /// Keeps a particle that went from one place to another out of everything: its place and velocity.
    pub fn collide(
        &self,
        earlier: &Surroundings,
        from: Vec3,
        to: Vec3,
        velocity: Vec3,
        contact: &Contact,
    ) -> (Vec3, Vec3) {
        let mut state = (to, velocity);
        for (pose, before) in self.poses.iter().zip(&earlier.poses) {
            if let Some(moved) = pose.collide(before, from, state.0, state.1, contact) {
                state = moved;
            }
        }
        let pushed = self.walls.push_out(state.0, state.1, contact.margin, contact.friction);
        pushed.unwrap_or(state)
    }
}

/// Fails if walls on both sides of an axis leave no room between them.
fn check_room(shapes: WallShapes<'_>) -> Result<(), SettingError> {
    use Side::{HighX, HighY, HighZ, LowX, LowY, LowZ};
    let Some(domain) = shapes.domain else { return Ok(()) };
    let sides = [('x', [LowX, HighX]), ('y', [LowY, HighY]), ('z', [LowZ, HighZ])];
    for (axis, (name, sides)) in sides.into_iter().enumerate() {
        let is_closed = sides.iter().all(|side| !shapes.open_sides.contains(side));
        if is_closed && domain.min[axis] == domain.max[axis] {
            return Err(empty_box(name));
        }
    }
    Ok(())
}

impl Obstacles for Surroundings {
    fn distance(&self, position: Vec3) -> f32 {
        let bodies = self.poses.iter().map(|pose| pose.signed_distance(position));
        bodies.fold(self.walls.signed_distance(position), f32::min)
    }

    fn velocity(&self, position: Vec3) -> Vec3 {
        let nearest = self
            .poses
            .iter()
            .filter_map(|pose| pose.nearest(position, f32::INFINITY))
            .min_by(|one, other| one.distance.total_cmp(&other.distance));
        match nearest {
            Some(found) if found.distance <= self.walls.signed_distance(position) => found.velocity,
            _ => Vec3::ZERO,
        }
    }

    fn may_move(&self, bounds: &Bounds) -> bool {
        self.swept.iter().any(|swept| swept.overlaps(bounds))
    }
}
