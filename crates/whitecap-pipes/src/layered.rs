//! Liquid on several layers: the steps of Dagenais et al. 2018 (Alg. 1) over a network of pipes.
//!
//! How fluxes come about is a [`Drive`]: virtual pipes or the shallow-water equations. Viscosity,
//! limits, flooded passages, heights and falling drops are the same for both.
//!
//! # Guarantees
//! * Depths never become negative, and never reach above a ceiling but by rounding.
//! * What leaves one column arrives in another, in a drop, or nowhere: the volume is exact to rounding.

use whitecap_core::saved_bytes::{Reader, put};

use crate::chunks::{Largest, for_chunks};
use crate::columns::Columns;
use crate::drops::{Drop, Drops};
use crate::flow::{Flow, PipeFlux};
use crate::network::Network;
use crate::passages::FloodedPassages;
use crate::rules::{Rules, positive};
use crate::settings::{Passages, PipeArea};
use crate::snapshot::{SnapshotError, possible};

/// What a drive sees of the liquid.
pub(crate) struct Surroundings<'a> {
    pub network: &'a Network,
    /// Height of the liquid in each column.
    pub height: &'a [f64],
    /// Depth of the liquid in each column.
    pub depth: &'a [f64],
    pub rules: &'a Rules,
}

/// How fluxes come about.
pub(crate) trait Drive: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// A drive at rest for so many pipes.
    fn new(network: &Network) -> Self;

    /// Fluxes of all pipes after gravity, friction and viscosity have acted. Returns the largest, either
    /// way.
    fn drive(&mut self, around: &Surroundings<'_>, flux: &mut [f32]) -> f32;

    /// Told what the columns could take, so that a drive with a memory of its own follows.
    fn limited(&mut self, _network: &Network, _takes: &[f32]) {}

    /// Takes over new fluxes at some depths.
    fn set_fluxes(&mut self, _network: &Network, _depth: &[f64], _cell: f64, _flux: &[f32]) {}

    /// Adds its memory to bytes.
    fn save(&self, _bytes: &mut Vec<u8>) {}

    /// Reads its memory back.
    fn restore(&mut self, _reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}

/// Virtual pipes (Dagenais et al. 2018, Eqs. 1 and 5).
#[derive(Clone, Debug)]
pub(crate) struct VirtualPipes;

impl Drive for VirtualPipes {
    fn new(_: &Network) -> Self {
        Self
    }

    fn drive(&mut self, around: &Surroundings<'_>, flux: &mut [f32]) -> f32 {
        match around.rules.area {
            PipeArea::Physical => drive_pipes::<true>(around, flux),
            PipeArea::Square => drive_pipes::<false>(around, flux),
        }
    }
}

fn drive_pipes<const PHYSICAL: bool>(around: &Surroundings<'_>, flux: &mut [f32]) -> f32 {
    let Surroundings { network, height, depth, rules } = around;
    let largest = Largest::default();
    for_chunks(flux, |start, chunk| {
        let pipes = start..start + chunk.len();
        let (from, to) = (&network.from[pipes.clone()], &network.to[pipes]);
        let mut most: f32 = 0.0;
        for ((flux, &from), &to) in chunk.iter_mut().zip(from).zip(to) {
            let (from, to) = (from as usize, to as usize);
            let depths = [depth[from], depth[to]];
            // Most of a terrain is dry.
            *flux = if depths == [0.0, 0.0] {
                0.0
            } else {
                let drop = (height[from] - height[to]) as f32;
                rules.flux::<PHYSICAL>(*flux, drop, depths.map(|depth| depth as f32))
            };
            most = most.max(flux.abs());
        }
        largest.include(most);
    });
    largest.value()
}

/// Liquid on several layers.
#[derive(Clone, Debug)]
pub(crate) struct LayeredFlow<D> {
    network: Network,
    drive: D,
    cell: f64,
    floor: Vec<f64>,
    height: Vec<f64>,
    depth: Vec<f64>,
    flux: Vec<f32>,
    gives: Vec<f32>,
    takes: Vec<f32>,
    has_ceilings: bool,
    passages: FloodedPassages,
    drops: Option<Drops>,
}

impl<D: Drive> LayeredFlow<D> {
    /// A flow at rest. Liquid falls as drops when `drops` says so.
    pub fn new(columns: &Columns, passages: Passages, drops: Option<Drops>) -> Self {
        let network = Network::new(columns);
        let count = columns.len();
        let mut flow = Self {
            drive: D::new(&network),
            cell: f64::from(columns.grid().cell()),
            floor: Vec::with_capacity(count),
            height: Vec::with_capacity(count),
            depth: vec![0.0; count],
            flux: vec![0.0; network.len()],
            gives: vec![1.0; count],
            takes: vec![1.0; count],
            has_ceilings: columns.ceiling().iter().any(|ceiling| ceiling.is_finite()),
            passages: FloodedPassages::new(columns, &network, passages),
            drops: drops.map(|drops| drops.for_pipes(network.len())),
            network,
        };
        flow.refresh(columns);
        flow
    }

    /// Scales fluxes down to what columns can give (K_min) and then take (K_max). No flux is larger than
    /// `largest`.
    fn scale_fluxes(&mut self, columns: &Columns, rules: &Rules, largest: f32) {
        let Self { network, flux, gives, takes, passages, .. } = self;
        limit_outflow(network, columns.depth(), flux, passages, rules, largest, gives);
        if self.has_ceilings {
            limit_inflow(network, columns, flux, passages, rules, gives, largest, takes);
        }
        let (gives, takes) = (&*gives, &*takes);
        for_chunks(flux, |start, chunk| {
            let pipes = start..start + chunk.len();
            let (from, to) = (&network.from[pipes.clone()], &network.to[pipes]);
            for ((flux, &from), &to) in chunk.iter_mut().zip(from).zip(to) {
                if *flux != 0.0 {
                    let [source, target] = if *flux > 0.0 { [from, to] } else { [to, from] };
                    *flux *= gives[source as usize] * takes[target as usize];
                }
            }
        });
        passages.scale(gives, takes);
        self.drive.limited(network, takes);
    }

    /// New depths (Eq. 2). What falls far is left to the drops.
    fn update_depths(&mut self, columns: &mut Columns, rules: &Rules) {
        let Self { network, flux, drops, .. } = self;
        let (old, flux) = (&columns.depth, &*flux);
        let falling = drops.as_ref().map(Drops::falling);
        // Liquid that arrives through a pipe; none when it falls.
        let arriving = |pipe: usize, flux: f32| match falling {
            Some(falling) if falling[pipe] => f64::from(flux.min(0.0)),
            _ => f64::from(flux),
        };
        for_chunks(&mut self.depth, |start, chunk| {
            for (offset, new) in chunk.iter_mut().enumerate() {
                let column = start + offset;
                let mut inflow = 0.0;
                for pipe in network.starting(column) {
                    inflow += arriving(pipe, -flux[pipe]);
                }
                for &pipe in network.ending(column) {
                    inflow += arriving(pipe as usize, flux[pipe as usize]);
                }
                *new = rules.depth(old[column], inflow);
            }
        });
        std::mem::swap(&mut self.depth, &mut columns.depth);
    }
}

impl<D: Drive> Flow for LayeredFlow<D> {
    fn step(&mut self, columns: &mut Columns, rules: &Rules) {
        update_heights(&mut self.height, &self.floor, &columns.depth);
        self.passages.connect(columns, &self.network);
        let around = Surroundings {
            network: &self.network,
            height: &self.height,
            depth: &columns.depth,
            rules,
        };
        let largest = self.drive.drive(&around, &mut self.flux);
        self.passages.drive(&around);
        self.scale_fluxes(columns, rules, largest);
        if let Some(drops) = &mut self.drops {
            drops.mark_falls(&self.network, columns, &self.height, &self.flux);
        }
        self.update_depths(columns, rules);
        self.passages.move_liquid(columns, rules);
        if let Some(drops) = &mut self.drops {
            drops.launch(&self.network, columns, &self.flux, rules);
            drops.fall(columns, rules);
        }
    }

    fn fluxes(&self, _: &Columns, visit: &mut dyn FnMut(PipeFlux)) {
        for (pipe, &flux) in self.flux.iter().enumerate() {
            let (from, to) = (self.network.from[pipe], self.network.to[pipe]);
            visit(PipeFlux { from, to, flux: f64::from(flux) });
        }
    }

    fn set_fluxes(&mut self, fluxes: &[PipeFlux]) {
        self.flux.fill(0.0);
        for &PipeFlux { from, to, flux } in fluxes {
            if let Some(pipe) = self.network.between(from as usize, to as usize) {
                self.flux[pipe] = flux as f32;
            }
        }
        let depth: Vec<f64> =
            self.height.iter().zip(&self.floor).map(|(height, floor)| height - floor).collect();
        self.drive.set_fluxes(&self.network, &depth, self.cell, &self.flux);
    }

    fn refresh(&mut self, columns: &Columns) {
        self.floor.clear();
        self.floor.extend(columns.floor().iter().map(|&floor| f64::from(floor)));
        self.height.clear();
        self.height.extend((0..columns.len()).map(|column| columns.height(column)));
    }

    fn carried(&self) -> f64 {
        self.drops.as_ref().map_or(0.0, Drops::volume)
    }

    fn drops(&self) -> &[Drop] {
        self.drops.as_ref().map_or(&[], Drops::all)
    }

    fn take_drops(&mut self, drops: &[Drop]) {
        if let Some(mine) = &mut self.drops {
            mine.take_over(drops);
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, &self.flux, f32::to_le_bytes);
        self.drive.save(bytes);
        self.passages.save(bytes);
        if let Some(drops) = &self.drops {
            drops.save(bytes);
        }
    }

    fn restore(&mut self, reader: &mut Reader<'_>, columns: &Columns) -> Result<(), SnapshotError> {
        let flux = reader.values(f32::from_le_bytes)?;
        possible("number of fluxes", flux.len() == self.network.len())?;
        possible("flux", flux.iter().all(|flux| flux.is_finite()))?;
        self.flux = flux;
        self.drive.restore(reader)?;
        self.passages.restore(reader)?;
        if let Some(drops) = &mut self.drops {
            drops.restore(reader)?;
        }
        self.refresh(columns);
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Flow> {
        Box::new(self.clone())
    }
}

fn update_heights(height: &mut [f64], floor: &[f64], depth: &[f64]) {
    for_chunks(height, |start, chunk| {
        let range = start..start + chunk.len();
        for ((height, floor), depth) in
            chunk.iter_mut().zip(&floor[range.clone()]).zip(&depth[range])
        {
            *height = floor + depth;
        }
    });
}

/// A flux no larger than `largest` cannot exceed these limits by more than rounding, so that most columns
/// need not look at their pipes.
const MARGIN: f32 = 1.001;

/// What each column can give of its outflow.
fn limit_outflow(
    network: &Network,
    depth: &[f64],
    flux: &[f32],
    passages: &FloodedPassages,
    rules: &Rules,
    largest: f32,
    gives: &mut [f32],
) {
    let most = MARGIN * largest * rules.rise as f32;
    for_chunks(gives, |start, chunk| {
        for (offset, gives) in chunk.iter_mut().enumerate() {
            let column = start + offset;
            let (starting, ending) = (network.starting(column), network.ending(column));
            let through_passages = passages.outflow(column);
            let pipes = (starting.len() + ending.len()) as f32;
            *gives = if depth[column] == 0.0 {
                0.0
            } else if through_passages == 0.0 && depth[column] as f32 > pipes * most {
                1.0
            } else {
                let mut outflow = 0.0;
                for &flux in &flux[starting] {
                    outflow += positive(flux);
                }
                for &pipe in ending {
                    outflow += positive(-flux[pipe as usize]);
                }
                rules.gives(depth[column] as f32, outflow + through_passages)
            };
        }
    });
}

/// What each column with a ceiling can take of its inflow.
#[expect(clippy::too_many_arguments, reason = "all of them are arrays of one step")]
fn limit_inflow(
    network: &Network,
    columns: &Columns,
    flux: &[f32],
    passages: &FloodedPassages,
    rules: &Rules,
    gives: &[f32],
    largest: f32,
    takes: &mut [f32],
) {
    let most = MARGIN * largest * rules.rise as f32;
    let (floor, ceiling, depth) = (columns.floor(), columns.ceiling(), columns.depth());
    for_chunks(takes, |start, chunk| {
        for (offset, takes) in chunk.iter_mut().enumerate() {
            let column = start + offset;
            if ceiling[column] == f32::INFINITY {
                continue;
            }
            let room = f64::from(ceiling[column]) - f64::from(floor[column]) - depth[column];
            let (starting, ending) = (network.starting(column), network.ending(column));
            let through_passages = passages.inflow(column);
            let pipes = (starting.len() + ending.len()) as f32;
            *takes = if through_passages == 0.0 && room as f32 > pipes * most {
                1.0
            } else {
                let mut inflow = through_passages;
                for pipe in starting {
                    inflow += positive(-flux[pipe]) * gives[network.to[pipe] as usize];
                }
                for &pipe in ending {
                    let source = network.from[pipe as usize] as usize;
                    inflow += positive(flux[pipe as usize]) * gives[source];
                }
                rules.takes(room, inflow)
            };
        }
    });
}
