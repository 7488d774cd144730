//! Liquid on several layers: the steps of Dagenais et al. 2018 (Alg. 1) over a network of pipes.
//!
//! How fluxes come about is a [`Drive`]: virtual pipes or the shallow-water equations. Viscosity,
//! limits, flooded passages, heights and falling drops are the same for both.
//!
//! # Guarantees
//! * Depths never become negative, and never reach above a ceiling but by rounding.
//! * What leaves one column arrives in another, in a drop, or nowhere: the volume is exact to rounding.

use whitecap_core::saved_bytes::{Reader, put};

use crate::chunks::for_chunks;
use crate::columns::Columns;
use crate::drops::{Drop, Drops};
use crate::flow::{Flow, PipeFlux};
use crate::network::Network;
use crate::passages::FloodedPassages;
use crate::rules::Rules;
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

    /// Fluxes of all pipes after gravity, friction and viscosity have acted.
    fn drive(&mut self, around: &Surroundings<'_>, flux: &mut [f64]);

    /// Told what the columns could give and take, so that a drive with a memory of its own follows.
    fn limited(&mut self, _network: &Network, _gives: &[f64], _takes: &[f64]) {}

    /// Takes over new fluxes at some depths.
    fn set_fluxes(&mut self, _network: &Network, _depth: &[f64], _cell: f64, _flux: &[f64]) {}

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

    fn drive(&mut self, around: &Surroundings<'_>, flux: &mut [f64]) {
        match around.rules.area {
            PipeArea::Physical => drive_pipes::<true>(around, flux),
            PipeArea::Square => drive_pipes::<false>(around, flux),
        }
    }
}

fn drive_pipes<const PHYSICAL: bool>(around: &Surroundings<'_>, flux: &mut [f64]) {
    let Surroundings { network, height, depth, rules } = around;
    for_chunks(flux, |start, chunk| {
        let pipes = start..start + chunk.len();
        let (from, to) = (&network.from[pipes.clone()], &network.to[pipes]);
        for ((flux, &from), &to) in chunk.iter_mut().zip(from).zip(to) {
            let (from, to) = (from as usize, to as usize);
            let depths = [depth[from], depth[to]];
            // Most of a terrain is dry.
            *flux = if depths == [0.0, 0.0] {
                0.0
            } else {
                rules.flux::<PHYSICAL>(*flux, [height[from], height[to]], depths)
            };
        }
    });
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
    flux: Vec<f64>,
    gives: Vec<f64>,
    takes: Vec<f64>,
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

    /// Scales fluxes down to what columns can give (K_min) and then take (K_max).
    fn scale_fluxes(&mut self, columns: &Columns, rules: &Rules) {
        let Self { network, flux, gives, takes, passages, .. } = self;
        let (flux_now, depth) = (&*flux, columns.depth());
        for_chunks(gives, |start, chunk| {
            for (offset, gives) in chunk.iter_mut().enumerate() {
                let column = start + offset;
                if depth[column] == 0.0 {
                    *gives = 0.0;
                    continue;
                }
                let starting = &flux_now[network.starting(column)];
                let mut outflow: f64 = starting.iter().map(|flux| flux.max(0.0)).sum();
                for &pipe in network.ending(column) {
                    outflow += (-flux_now[pipe as usize]).max(0.0);
                }
                outflow += passages.outflow(column);
                *gives = rules.gives(depth[column], outflow);
            }
        });
        let gives = &*gives;
        if self.has_ceilings {
            let (from, to) = (&network.from, &network.to);
            for_chunks(takes, |start, chunk| {
                for (offset, takes) in chunk.iter_mut().enumerate() {
                    let column = start + offset;
                    let capacity = columns.capacity(column);
                    if capacity == f64::INFINITY {
                        continue;
                    }
                    let mut inflow = passages.inflow(column);
                    for pipe in network.starting(column) {
                        inflow += (-flux_now[pipe]).max(0.0) * gives[to[pipe] as usize];
                    }
                    for &pipe in network.ending(column) {
                        let pipe = pipe as usize;
                        inflow += flux_now[pipe].max(0.0) * gives[from[pipe] as usize];
                    }
                    *takes = rules.takes(capacity - depth[column], inflow);
                }
            });
        }
        let takes = &*takes;
        for_chunks(flux, |start, chunk| {
            for (offset, flux) in chunk.iter_mut().enumerate() {
                if *flux != 0.0 {
                    let ends = [network.from[start + offset], network.to[start + offset]];
                    let [source, target] = if *flux > 0.0 { ends } else { [ends[1], ends[0]] };
                    *flux *= gives[source as usize] * takes[target as usize];
                }
            }
        });
        passages.scale(gives, takes);
        self.drive.limited(network, gives, takes);
    }

    /// New depths (Eq. 2). What falls far is left to the drops.
    fn update_depths(&mut self, columns: &mut Columns, rules: &Rules) {
        let Self { network, flux, drops, .. } = self;
        let (old, flux) = (&columns.depth, &*flux);
        let falling = drops.as_ref().map(Drops::falling);
        // Liquid that arrives through a pipe; none when it falls.
        let arriving = |pipe: usize, flux: f64| match falling {
            Some(falling) if falling[pipe] => flux.min(0.0),
            _ => flux,
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
        self.drive.drive(&around, &mut self.flux);
        self.passages.drive(&around);
        self.scale_fluxes(columns, rules);
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
            visit(PipeFlux { from: self.network.from[pipe], to: self.network.to[pipe], flux });
        }
    }

    fn set_fluxes(&mut self, fluxes: &[PipeFlux]) {
        self.flux.fill(0.0);
        for &PipeFlux { from, to, flux } in fluxes {
            if let Some(pipe) = self.network.between(from as usize, to as usize) {
                self.flux[pipe] = flux;
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
        put(bytes, &self.flux, f64::to_le_bytes);
        self.drive.save(bytes);
        self.passages.save(bytes);
        if let Some(drops) = &self.drops {
            drops.save(bytes);
        }
    }

    fn restore(&mut self, reader: &mut Reader<'_>, columns: &Columns) -> Result<(), SnapshotError> {
        let flux = reader.values(f64::from_le_bytes)?;
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
