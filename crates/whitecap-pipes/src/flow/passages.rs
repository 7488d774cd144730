//! Flow through passages that are full up to their ceiling (Dagenais et al. 2018, §3.3 and §7).
//!
//! A passage is a set of full columns that are connected by pipes. Columns beside it that are not full are
//! its gateways. Liquid moves from gateway to gateway; the passage itself stays full. The unified pipe joins
//! all gateways of a passage (Eqs. 8 and 9); axis-aligned pipes join two gateways that face each other along
//! x or z, and ignore gateways that face none.
//!
//! Where we differ from the paper: limits at single gateways would leave a sum of fluxes that is not
//! zero, and so change the volume. The side that is larger after the limits is scaled down to the other.

use whitecap_core::saved_bytes::{Reader, StateError, possible, put};

use crate::flow::chunks::{Found, for_chunks};
use crate::flow::gateways::{Gateway, drive_passage};
use crate::flow::layered::Surroundings;
use crate::flow::network::Network;
use crate::flow::rules::Rules;
use crate::liquid::columns::Columns;
use crate::settings::Passages;

/// A column counts as full when less than this fraction of a cell, and of its height, is missing.
const FULL: f64 = 0.01;
/// Marks a column or pipe that no passage has visited.
const NEVER: u32 = u32::MAX;

/// Passages of one network.
#[derive(Clone, Debug)]
pub(crate) struct FloodedPassages {
    kind: Passages,
    /// Columns with a ceiling.
    roofed: Vec<u32>,
    /// Depth from which a column counts as full: never under the open sky.
    full_depth: Vec<f64>,
    is_full: Vec<bool>,
    /// The passage that last visited a column as one of its own, or as a gateway.
    seen_by: Vec<u32>,
    /// Where the gateway of a column is listed, if its passage is the one being traversed.
    listed_at: Vec<u32>,
    waiting: Vec<u32>,
    gateways: Vec<Gateway>,
    /// End of each passage in `gateways`.
    ends: Vec<u32>,
    /// Flux of the last step for each pipe next to a passage, and what it belongs to: the column at
    /// the far end for axis-aligned pipes, the gateway for unified ones.
    kept: Vec<f64>,
    kept_for: Vec<u32>,
    /// Whether any flux is kept.
    remembers: bool,
    /// Whether the gateways match `is_full`.
    is_current: bool,
    /// What passages take from, and add to, each column.
    outflow: Vec<f32>,
    inflow: Vec<f32>,
}

/// Depth from which a column counts as full.
fn full_depth(columns: &Columns, column: usize) -> f64 {
    let capacity = columns.capacity(column);
    let slack = FULL * f64::from(columns.grid().cell());
    (capacity - slack).max((1.0 - FULL) * capacity)
}

/// Finds which columns are full; returns whether any is, and whether that changed.
#[inline(never)]
fn compare(depth: &[f64], full_depth: &[f64], is_full: &mut [bool]) -> (bool, bool) {
    let (depth, full_depth) = (&depth[..is_full.len()], &full_depth[..is_full.len()]);
    let (mut found, mut differs) = (false, false);
    for i in 0..is_full.len() {
        let now = depth[i] >= full_depth[i];
        differs |= now != is_full[i];
        found |= now;
        is_full[i] = now;
    }
    (found, differs)
}

impl FloodedPassages {
    pub fn new(columns: &Columns, network: &Network, kind: Passages) -> Self {
        let ceiling = columns.ceiling();
        let roofed: Vec<u32> =
            (0..columns.len() as u32).filter(|&c| ceiling[c as usize].is_finite()).collect();
        let works = kind != Passages::Off && !roofed.is_empty();
        let kind = if works { kind } else { Passages::Off };
        let column_count = if works { columns.len() } else { 0 };
        let pipe_count = if works { network.len() } else { 0 };
        // A gateway is found through a pipe that touches a column with a ceiling.
        let most_gateways = if works {
            roofed.iter().map(|&column| network.touching(column as usize).count()).sum::<usize>()
        } else {
            0
        };
        Self {
            kind,
            full_depth: (0..column_count).map(|column| full_depth(columns, column)).collect(),
            is_full: vec![false; column_count],
            seen_by: vec![NEVER; column_count],
            listed_at: vec![NEVER; column_count],
            remembers: false,
            is_current: false,
            waiting: Vec::with_capacity(if works { roofed.len() } else { 0 }),
            gateways: Vec::with_capacity(2 * most_gateways),
            ends: Vec::with_capacity(most_gateways.max(roofed.len())),
            kept: vec![0.0; pipe_count],
            kept_for: vec![NEVER; pipe_count],
            outflow: vec![0.0; column_count],
            inflow: vec![0.0; column_count],
            roofed,
        }
    }

    /// What passages would take from each column, and add to it; none if there are no passages.
    pub fn exchange(&self) -> Option<(&[f32], &[f32])> {
        (!self.gateways.is_empty()).then_some((&self.outflow, &self.inflow))
    }

    /// Finds the passages that are full now (Alg. 1, line 1).
    pub fn connect(&mut self, columns: &Columns, network: &Network) {
        if self.kind == Passages::Off {
            return;
        }
        // A column that is no longer a gateway must not be limited as one.
        for gateway in &self.gateways {
            self.outflow[gateway.column as usize] = 0.0;
            self.inflow[gateway.column as usize] = 0.0;
        }
        let (any, changed) = (Found::default(), Found::default());
        let (depth, full_depth) = (columns.depth(), &self.full_depth);
        for_chunks(depth.len(), &mut self.is_full[..], |start, chunk| {
            let range = start..start + chunk.len();
            let (found, differs) = compare(&depth[range.clone()], &full_depth[range], chunk);
            any.include(found);
            changed.include(differs);
        });
        if self.is_current && !changed.any() {
            return self.recall();
        }
        self.gateways.clear();
        self.ends.clear();
        if any.any() {
            self.seen_by.fill(NEVER);
            match self.kind {
                Passages::Unified => self.connect_unified(columns, network),
                _ => self.connect_along_axes(columns, network),
            }
        }
        self.forget_unused();
        self.is_current = true;
    }

    /// Fluxes of the last step for gateways that are still the same.
    fn recall(&mut self) {
        let mut first = 0;
        for &end in &self.ends {
            let passage = &mut self.gateways[first..end as usize];
            match (self.kind, &mut *passage) {
                (Passages::AxisAligned, [enters, leaves]) => {
                    enters.flux = self.kept[enters.pipe as usize];
                    leaves.flux = -enters.flux;
                }
                _ => passage.iter_mut().for_each(|g| g.flux = self.kept[g.pipe as usize]),
            }
            first = end as usize;
        }
    }

    /// To be called when the terrain may have changed: openings are measured again.
    pub fn refresh(&mut self, columns: &Columns) {
        for (column, depth) in self.full_depth.iter_mut().enumerate() {
            *depth = full_depth(columns, column);
        }
        self.is_current = false;
    }

    /// Brings all flow through passages to rest.
    pub fn rest(&mut self) {
        self.kept.fill(0.0);
    }

    fn connect_unified(&mut self, columns: &Columns, network: &Network) {
        for index in 0..self.roofed.len() {
            let column = self.roofed[index];
            if self.is_full[column as usize] && self.seen_by[column as usize] == NEVER {
                let first = self.gateways.len();
                self.flood(columns, network, column);
                // A single gateway has no other to exchange liquid with.
                if self.gateways.len() < first + 2 {
                    self.gateways.truncate(first);
                } else {
                    self.ends.push(self.gateways.len() as u32);
                }
            }
        }
    }

    /// Traverses the passage of a full column, which identifies it, and lists its gateways.
    fn flood(&mut self, columns: &Columns, network: &Network, passage: u32) {
        let first = self.gateways.len();
        self.seen_by[passage as usize] = passage;
        self.waiting.clear();
        self.waiting.push(passage);
        while let Some(column) = self.waiting.pop() {
            for (pipe, other) in network.touching(column as usize) {
                if self.is_full[other] {
                    if self.seen_by[other] == NEVER {
                        self.seen_by[other] = passage;
                        self.waiting.push(other as u32);
                    }
                    continue;
                }
                let found = Gateway::new(columns, other, column as usize, pipe);
                if self.seen_by[other] != passage {
                    self.seen_by[other] = passage;
                    self.listed_at[other] = self.gateways.len() as u32;
                    self.gateways.push(found);
                } else {
                    let known = &mut self.gateways[self.listed_at[other] as usize];
                    known.pipe = known.pipe.min(found.pipe);
                    known.floor = known.floor.min(found.floor);
                    known.opening = known.opening.max(found.opening);
                }
            }
        }
        for gateway in &mut self.gateways[first..] {
            let pipe = gateway.pipe as usize;
            let is_the_same = self.kept_for[pipe] == gateway.column;
            gateway.flux = if is_the_same { self.kept[pipe] } else { 0.0 };
        }
    }

    /// Follows full columns along x and z from gateway to gateway (§3.3).
    fn connect_along_axes(&mut self, columns: &Columns, network: &Network) {
        for index in 0..self.roofed.len() {
            let inside = self.roofed[index] as usize;
            if !self.is_full[inside] {
                continue;
            }
            for &entry in network.ending(inside) {
                let gateway = network.from[entry as usize] as usize;
                if self.is_full[gateway] {
                    continue;
                }
                let along_z = network.is_along_z(entry as usize);
                if let Some((last, exit, end)) = self.follow(network, inside, along_z) {
                    let mut enters = Gateway::new(columns, gateway, inside, entry as usize);
                    let mut leaves = Gateway::new(columns, end, last, exit);
                    if self.kept_for[entry as usize] == end as u32 {
                        enters.flux = self.kept[entry as usize];
                        leaves.flux = -enters.flux;
                    }
                    self.gateways.extend([enters, leaves]);
                    self.ends.push(self.gateways.len() as u32);
                }
            }
        }
    }

    /// Straight ahead from a full column: the last full column, the pipe that leaves it, and the
    /// column it leads to.
    fn follow(
        &self,
        network: &Network,
        start: usize,
        along_z: bool,
    ) -> Option<(usize, usize, usize)> {
        let mut column = start;
        loop {
            let mut onward = network.starting_along(column, along_z);
            let exit = onward.clone().next()?;
            match onward.find(|&pipe| self.is_full[network.to[pipe] as usize]) {
                Some(pipe) => column = network.to[pipe] as usize,
                None => return Some((column, exit, network.to[exit] as usize)),
            }
        }
    }

    /// Passages that disappear start from rest when they come back.
    fn forget_unused(&mut self) {
        if self.remembers {
            self.kept_for.fill(NEVER);
            self.remembers = false;
        }
    }

    /// Fluxes of all gateways (Eqs. 8, 9 and 5).
    pub fn drive(&mut self, around: &Surroundings<'_>) {
        let mut first = 0;
        for &end in &self.ends {
            drive_passage(&mut self.gateways[first..end as usize], around);
            first = end as usize;
        }
        for gateway in &self.gateways {
            self.outflow[gateway.column as usize] += gateway.flux.max(0.0) as f32;
            self.inflow[gateway.column as usize] += (-gateway.flux).max(0.0) as f32;
        }
    }

    /// Scales fluxes to what gateways can give and take, and then so that each passage gives as
    /// much as it takes.
    pub fn scale(&mut self, gives: &[f32], takes: &[f32]) {
        let mut first = 0;
        for &end in &self.ends {
            let passage = &mut self.gateways[first..end as usize];
            let (mut enters, mut leaves) = (0.0, 0.0);
            for gateway in passage.iter_mut() {
                let column = gateway.column as usize;
                let share = if gateway.flux > 0.0 { gives[column] } else { takes[column] };
                gateway.flux *= f64::from(share);
                enters += gateway.flux.max(0.0);
                leaves += (-gateway.flux).max(0.0);
            }
            let through = f64::min(enters, leaves);
            for gateway in passage.iter_mut() {
                let side = if gateway.flux > 0.0 { enters } else { leaves };
                gateway.flux = if through > 0.0 { gateway.flux * (through / side) } else { 0.0 };
            }
            first = end as usize;
        }
    }

    /// Moves liquid between gateways, and remembers the fluxes.
    pub fn move_liquid(&mut self, columns: &mut Columns, rules: &Rules) {
        for gateway in &self.gateways {
            let depth = &mut columns.depth[gateway.column as usize];
            *depth = rules.depth(*depth, -gateway.flux);
        }
        self.remembers = !self.gateways.is_empty();
        let mut first = 0;
        for &end in &self.ends {
            let passage = &self.gateways[first..end as usize];
            for gateway in passage {
                let owner = match self.kind {
                    Passages::AxisAligned => passage[1].column,
                    _ => gateway.column,
                };
                let pipe = gateway.pipe as usize;
                if self.kind != Passages::AxisAligned || pipe == passage[0].pipe as usize {
                    self.kept[pipe] = gateway.flux;
                    self.kept_for[pipe] = owner;
                }
            }
            first = end as usize;
        }
    }

    pub fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, &self.kept, f64::to_le_bytes);
        put(bytes, &self.kept_for, u32::to_le_bytes);
    }

    pub fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), StateError> {
        let kept = reader.values(f64::from_le_bytes)?;
        let kept_for = reader.values(u32::from_le_bytes)?;
        possible("number of passage fluxes", kept.len() == self.kept.len())?;
        possible("number of passages", kept_for.len() == self.kept_for.len())?;
        possible("passage flux", kept.iter().all(|flux| flux.is_finite()))?;
        self.kept = kept;
        self.kept_for = kept_for;
        self.remembers = !self.kept_for.is_empty();
        self.is_current = false;
        Ok(())
    }
}
