//! The shallow-water equations on a staggered grid (Chentanez and Müller 2010), over the same network
//! as virtual pipes.
//!
//! Every pipe holds a velocity. It is advected by itself, accelerated by the slope of the surface, slowed by
//! viscosity (Dagenais et al. 2018, §7), and gives a flux when multiplied by the depth upstream. As in the
//! paper, velocities are limited to half a cell in a step and the effective depth is limited, so that a step
//! is stable.
//!
//! The paper traces velocities back through the grid. A face that is about to get wet has no
//! velocity to trace with, and the front of a dam break moves at 0.4 of its true speed. Here
//! momentum is carried by the fluxes that enter (Stelling and Duinmeijer 2003), and the front moves
//! at 0.9 of it.
//!
//! # Non-guarantees
//! The paper's overshoot reduction and its spray are left out. Between layers a velocity is
//! advected to the lowest pipe that continues it.

use whitecap_core::saved_bytes::{Reader, StateError, possible, put};

use crate::flow::chunks::for_chunks;
use crate::flow::layered::{Drive, Surroundings};
use crate::flow::network::Network;

/// Largest fraction of a cell that liquid crosses in a step.
const FASTEST: f64 = 0.5;
/// Marks a pipe that is not there.
const NONE: u32 = u32::MAX;

/// Velocities of the shallow-water equations.
#[derive(Clone, Debug)]
pub(crate) struct ShallowWater {
    velocity: Vec<f64>,
    next: Vec<f64>,
    around: Vec<Around>,
}

/// The pipes around one pipe.
#[derive(Clone, Copy, Debug)]
struct Around {
    /// Before and after it on its own axis.
    along: [u32; 2],
    /// Beside it, in the same direction.
    beside: [u32; 2],
    /// Across, at its two columns.
    across: [u32; 4],
}

impl Around {
    fn new(network: &Network, pipe: usize) -> Self {
        let along_z = network.is_along_z(pipe);
        let [from, to] = [network.from[pipe] as usize, network.to[pipe] as usize];
        let leaving = |column: usize, along_z: bool| {
            network.starting_along(column, along_z).next().map_or(NONE, |pipe| pipe as u32)
        };
        let entering = |column: usize, along_z: bool| {
            let same_axis = |&&pipe: &&u32| network.is_along_z(pipe as usize) == along_z;
            network.ending(column).iter().find(same_axis).copied().unwrap_or(NONE)
        };
        let across = [
            entering(from, !along_z),
            entering(to, !along_z),
            leaving(from, !along_z),
            leaving(to, !along_z),
        ];
        let beside =
            |column: Option<&u32>| column.map_or(NONE, |&column| leaving(column as usize, along_z));
        Self {
            along: [entering(from, along_z), leaving(to, along_z)],
            beside: [
                beside(network.from.get(across[0] as usize)),
                beside(network.to.get(across[2] as usize)),
            ],
            across,
        }
    }
}

/// The value of a pipe; 0 where there is none.
fn at<T: Copy + Default>(values: &[T], pipe: u32) -> T {
    values.get(pipe as usize).copied().unwrap_or_default()
}

impl ShallowWater {
    /// A velocity after it was advected for a step, by the fluxes of the last one.
    fn advected(&self, pipe: usize, view: &Surroundings<'_>, flux: &[f32]) -> f64 {
        let Surroundings { network, depth, rules, .. } = view;
        let velocity = &self.velocity;
        let (own, around) = (velocity[pipe], &self.around[pipe]);
        let [from, to] = [network.from[pipe] as usize, network.to[pipe] as usize];
        let share = rules.step / rules.cell;
        // Momentum enters with the mean flux of the column it comes through, and is divided by the
        // mean depth (Stelling and Duinmeijer 2003): so a front that was at rest is carried along.
        let [before, behind] = around.along;
        let section = 0.5 * (depth[from] + depth[to]) * rules.cell;
        let mean = |other: u32| 0.5 * f64::from(at(flux, other) + flux[pipe]);
        let enters = (mean(before) / section).max(0.0);
        let returns = (mean(behind) / section).min(0.0);
        let carried = own - (share * enters).min(1.0) * (own - at(velocity, before))
            + (share * -returns).min(1.0) * (at(velocity, behind) - own);
        let across = 0.25 * around.across.iter().map(|&pipe| at(velocity, pipe)).sum::<f64>();
        match around.beside[usize::from(across < 0.0)] {
            NONE => carried,
            beside => carried - share * across.abs() * (own - velocity[beside as usize]),
        }
    }

    /// New velocity of a pipe.
    fn accelerated(&self, pipe: usize, view: &Surroundings<'_>, flux: &[f32]) -> f64 {
        let Surroundings { network, height, depth, rules, .. } = view;
        let [from, to] = [network.from[pipe] as usize, network.to[pipe] as usize];
        if depth[from] == 0.0 && depth[to] == 0.0 {
            return 0.0;
        }
        let pull = rules.gravity * (height[from] - height[to]) / rules.cell;
        let limit = FASTEST * rules.cell / rules.step;
        let driven =
            f64::from(rules.retained) * self.advected(pipe, view, flux) + rules.step * pull;
        let driven = driven.clamp(-limit, limit);
        let [source, target] = if driven > 0.0 { [from, to] } else { [to, from] };
        // Dry ground gives nothing, and a bank above the surface holds the liquid back.
        if depth[source] == 0.0 || height[source] <= height[target] - depth[target] {
            return 0.0;
        }
        let squared = depth[source] * depth[source];
        driven * squared / (squared + f64::from(rules.drag))
    }
}

impl Drive for ShallowWater {
    fn new(network: &Network) -> Self {
        Self {
            velocity: vec![0.0; network.len()],
            next: vec![0.0; network.len()],
            around: (0..network.len()).map(|pipe| Around::new(network, pipe)).collect(),
        }
    }

    fn drive(&mut self, around: &Surroundings<'_>, flux: &mut [f32]) {
        let mut next = std::mem::take(&mut self.next);
        let last = &*flux;
        for_chunks(last.len(), &mut next[..], |start, chunk: &mut [f64]| {
            for (offset, velocity) in chunk.iter_mut().enumerate() {
                *velocity = self.accelerated(start + offset, around, last);
            }
        });
        let Surroundings { network, depth, rules, .. } = around;
        for_chunks(next.len(), flux, |start, chunk: &mut [f32]| {
            for (offset, flux) in chunk.iter_mut().enumerate() {
                let pipe = start + offset;
                let velocity = next[pipe];
                let ends = [network.from[pipe], network.to[pipe]];
                let source = ends[usize::from(velocity < 0.0)] as usize;
                let section = rules.cell * f64::from(rules.section(depth[source] as f32));
                *flux = (velocity * section) as f32;
            }
        });
        self.next = std::mem::replace(&mut self.velocity, next);
    }

    fn limited(&mut self, network: &Network, takes: &[f32]) {
        for_chunks(self.velocity.len(), &mut self.velocity[..], |start, chunk: &mut [f64]| {
            for (offset, velocity) in chunk.iter_mut().enumerate() {
                let ends = [network.to[start + offset], network.from[start + offset]];
                *velocity *= f64::from(takes[ends[usize::from(*velocity < 0.0)] as usize]);
            }
        });
    }

    fn set_fluxes(&mut self, network: &Network, depth: &[f32], cell: f64, flux: &[f32]) {
        for (pipe, velocity) in self.velocity.iter_mut().enumerate() {
            let ends = [network.from[pipe], network.to[pipe]];
            let depth = f64::from(depth[ends[usize::from(flux[pipe] < 0.0)] as usize]);
            *velocity = if depth > 0.0 { f64::from(flux[pipe]) / (cell * depth) } else { 0.0 };
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, &self.velocity, f64::to_le_bytes);
    }

    fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), StateError> {
        let velocity = reader.values(f64::from_le_bytes)?;
        possible("number of velocities", velocity.len() == self.velocity.len())?;
        possible("velocity", velocity.iter().all(|velocity| velocity.is_finite()))?;
        self.velocity = velocity;
        Ok(())
    }
}
