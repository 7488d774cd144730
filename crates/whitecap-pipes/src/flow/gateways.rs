//! The gateways of a flooded passage, and what flows through them (Dagenais et al. 2018, Eqs. 8 and 9).
//!
//! Where we differ from the paper:
//! * A gateway whose liquid is below the opening receives as if its level were at the opening's
//!   floor, and gives nothing.
//! * With the physical pipe area, the area is that of the opening, and the mean height of Eq. 8 is
//!   weighted by it.

use crate::flow::layered::Surroundings;
use crate::liquid::columns::Columns;
use crate::settings::PipeArea;

/// A gateway of a passage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gateway {
    pub column: u32,
    /// The pipe between the gateway and the passage, by which its flux is remembered.
    pub pipe: u32,
    /// Floor of the opening.
    pub floor: f64,
    /// Height of the opening.
    pub opening: f64,
    /// Flux into the passage.
    pub flux: f64,
}

impl Gateway {
    /// The gateway, at rest, between a column and a full one that a pipe joins.
    pub fn new(columns: &Columns, gateway: usize, inside: usize, pipe: usize) -> Self {
        let (floors, ceilings) = (columns.floor(), columns.ceiling());
        let floor = f64::from(floors[gateway].max(floors[inside]));
        let ceiling = f64::from(ceilings[gateway].min(ceilings[inside]));
        Self {
            column: gateway as u32,
            pipe: pipe as u32,
            floor,
            opening: ceiling - floor,
            flux: 0.0,
        }
    }
}

/// Fluxes between one passage and its gateways.
pub(crate) fn drive_passage(passage: &mut [Gateway], around: &Surroundings<'_>) {
    let Surroundings { height, depth, rules, .. } = *around;
    let section = |gateway: &Gateway| match rules.area {
        PipeArea::Physical => f64::from(rules.section(gateway.opening as f32)),
        PipeArea::Square => rules.cell,
    };
    let level = |gateway: &Gateway| height[gateway.column as usize].max(gateway.floor);
    let can_give = |gateway: &Gateway| {
        let column = gateway.column as usize;
        depth[column] > 0.0 && height[column] > gateway.floor
    };
    // A gateway above the mean that has nothing to give takes no part; without it the mean is
    // lower, so that others may drop out too.
    let mut mean = f64::INFINITY;
    loop {
        let takes_part = |gateway: &&Gateway| can_give(gateway) || level(gateway) < mean;
        let (mut sum, mut weight) = (0.0, 0.0);
        for gateway in passage.iter().filter(takes_part) {
            sum += section(gateway) * level(gateway);
            weight += section(gateway);
        }
        let next = if weight > 0.0 { sum / weight } else { mean };
        if next >= mean {
            break;
        }
        mean = next;
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for gateway in passage.iter_mut() {
        if can_give(gateway) || level(gateway) < mean {
            let push = rules.step * rules.gravity * section(gateway) * (level(gateway) - mean);
            gateway.flux = f64::from(rules.retained) * gateway.flux + push;
            sum += gateway.flux;
            count += 1.0;
        } else {
            gateway.flux = 0.0;
        }
    }
    for gateway in passage.iter_mut() {
        if can_give(gateway) || level(gateway) < mean {
            let balanced = gateway.flux - sum / count;
            let squared = gateway.opening * gateway.opening;
            gateway.flux = balanced * squared / (squared + f64::from(rules.drag));
        }
        if !can_give(gateway) {
            gateway.flux = gateway.flux.min(0.0);
        }
    }
}
