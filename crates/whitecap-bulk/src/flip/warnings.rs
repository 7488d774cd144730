//! What can be simulated, but will hardly look as it was meant.

use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;

use super::liquid::FlipLiquid;
use crate::mac::solids::Obstacles;

/// Points along each axis where a domain is looked at for room.
const SAMPLES: usize = 16;

impl FlipLiquid {
    /// Sentences about solids that are too thin for the grid, mouths of emitters that are inside something solid,
    /// and a domain without room. Solids are measured along the axes as they are posed now: one that is thin
    /// along another direction is not noticed.
    pub fn warnings(&self) -> Vec<String> {
        let full = (!self.has_room())
            .then(|| String::from("solids fill the whole domain: there is no room for liquid"));
        let leaks =
            self.surroundings.leaks(&self.settings.obstacles, self.settings.cell(), "spacing");
        leaks.into_iter().chain(self.closed_mouths()).chain(full).collect()
    }

    fn closed_mouths(&self) -> impl Iterator<Item = String> + '_ {
        self.emitters.iter().enumerate().filter_map(|(number, emitter)| {
            let (number, opening) = (number + 1, emitter.opening());
            let is_closed = |(point, _): &&(Vec3, Vec3)| self.clearance(*point) < 0.0;
            match opening.iter().filter(is_closed).count() {
                0 => None,
                closed if closed == opening.len() => {
                    Some(format!("emitter {number} is inside a wall or a solid: nothing leaves it"))
                }
                closed => Some(format!(
                    "{:.0} % of the mouth of emitter {number} is inside a wall or a solid: nothing leaves there",
                    100.0 * closed as f32 / opening.len() as f32
                )),
            }
        })
    }

    /// Whether some point of the domain is outside of everything solid. A room smaller than a sixteenth of the
    /// domain along each axis may be missed.
    fn has_room(&self) -> bool {
        let Some(domain) = self.settings.domain else { return true };
        let Bounds { min, max } = domain.bounds();
        (0..SAMPLES.pow(3)).any(|place| {
            let steps = [place % SAMPLES, place / SAMPLES % SAMPLES, place / SAMPLES / SAMPLES];
            let share = Vec3::from(steps.map(|step| (step as f32 + 0.5) / SAMPLES as f32));
            self.surroundings.distance(min + share * (max - min)) > 0.0
        })
    }
}
