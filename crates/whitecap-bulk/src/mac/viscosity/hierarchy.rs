//! The preconditioner: one multigrid V-cycle over levels of doubling cell size, all three components of the
//! velocity together (Aanjaneya, Han, Goldade and Batty 2019).
//!
//! Components must not be separated: bodies with a free surface turn without resistance, and threads bend
//! almost without, but the Laplacian of each component alone resists both.
//!
//! The smoother is Jacobi's method with the step lengths of a Chebyshev polynomial. The spectrum of D⁻¹A is
//! below 4 on every level: an edge joins four faces with equal weights, and no sum of such terms has a larger
//! eigenvalue relative to its diagonal than one of them. A polynomial is symmetric by itself, and where it
//! damps on the whole spectrum the cycle is positive definite, whatever the coarser levels are.

use whitecap_core::poisson::Preconditioner;
use whitecap_core::sparse_grid::SparseGrid;

use super::level::Level;
use super::shares::{Shares, coarser};
use super::tiling::FaceTile;
use super::transfer::Transfer;

/// Step lengths 1 / (2.15 + 1.85 cos(30°, 90°, 150°)) for the spectrum from 0.3, which coarser levels cannot
/// help with, to 4.
const SMOOTHING: [f32; 3] = [0.266_55, 0.465_12, 1.825_2];
/// On the coarsest level so many rounds of smoothing are a solve.
const COARSEST_ROUNDS: usize = 4;
/// Coarsening ends when no more unknowns than this are left, or where stress is weaker than inertia.
const COARSEST_UNKNOWNS: usize = 64;
const WEAK_STRESS: f32 = 0.5;
/// More levels than any liquid needs.
const MOST_LEVELS: usize = 16;

/// All levels, finest first.
pub(super) struct Hierarchy {
    stages: Vec<Stage>,
    preconditioner: Preconditioner,
}

/// A level with its vectors and its transfer to the next.
struct Stage {
    level: Level,
    transfer: Option<Transfer>,
    right_hand_side: Vec<FaceTile<f32>>,
    x: Vec<FaceTile<f32>>,
    next: Vec<FaceTile<f32>>,
}

impl Stage {
    fn new(level: Level) -> Self {
        let [right_hand_side, x, next] = [(); 3].map(|()| level.tiling.vector());
        Self { level, transfer: None, right_hand_side, x, next }
    }
}

impl Hierarchy {
    /// With [`Preconditioner::Jacobi`] there is one level.
    pub(super) fn new(shares: &SparseGrid<Shares>, preconditioner: Preconditioner) -> Self {
        let mut stages = vec![Stage::new(Level::new(shares))];
        let mut coarse = None;
        while preconditioner == Preconditioner::Multigrid && stages.len() < MOST_LEVELS {
            let fine = stages.last_mut().expect("there is a finest level");
            if fine.level.unknowns() <= COARSEST_UNKNOWNS || fine.level.stiffness() < WEAK_STRESS {
                break;
            }
            let shares = coarser(coarse.as_ref().unwrap_or(shares), &fine.level.tiling.coordinates);
            let level = Level::new(&shares);
            fine.transfer = Some(Transfer::new(&fine.level, &level));
            stages.push(Stage::new(level));
            coarse = Some(shares);
        }
        Self { stages, preconditioner }
    }

    pub(super) fn finest(&self) -> &Level {
        &self.stages[0].level
    }

    /// Where the residual goes in.
    pub(super) fn input(&mut self) -> &mut [FaceTile<f32>] {
        &mut self.stages[0].right_hand_side
    }

    /// Turns the residual into a correction.
    pub(super) fn precondition(&mut self) -> &[FaceTile<f32>] {
        match self.preconditioner {
            Preconditioner::Multigrid => cycle(&mut self.stages),
            Preconditioner::Jacobi => {
                let Stage { level, right_hand_side, x, .. } = &mut self.stages[0];
                level.first_step(1.0, right_hand_side, x);
            }
        }
        &self.stages[0].x
    }
}

/// One V-cycle from zero.
fn cycle(stages: &mut [Stage]) {
    let Some((stage, coarser)) = stages.split_first_mut() else { return };
    let Stage { level, transfer, right_hand_side: b, x, next } = stage;
    level.first_step(SMOOTHING[0], b, x);
    level.step(SMOOTHING[1], b, x, next);
    level.step(SMOOTHING[2], b, next, x);
    match (transfer, coarser.first_mut()) {
        (Some(transfer), Some(coarse)) => {
            let residual = |tile| level.residual(b, x, tile);
            transfer.restrict(residual, &coarse.level, &mut coarse.right_hand_side);
            cycle(coarser);
            transfer.prolong(&coarser[0].x, x);
            smooth(level, b, x, next);
        }
        _ => (1..COARSEST_ROUNDS).for_each(|_| smooth(level, b, x, next)),
    }
}

/// A round of smoothing, the longest step first.
fn smooth(
    level: &Level,
    b: &[FaceTile<f32>],
    x: &mut Vec<FaceTile<f32>>,
    next: &mut Vec<FaceTile<f32>>,
) {
    for step in [SMOOTHING[2], SMOOTHING[1], SMOOTHING[0]] {
        level.step(step, b, x, next);
        std::mem::swap(x, next);
    }
}
