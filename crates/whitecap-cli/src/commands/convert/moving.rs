//! Reading a frame with its columns under their new names, and with velocities from its neighbours.
//!
//! # Guarantees
//! The neighbours of a frame are the files next to it, whether or not they are converted as well: a frame
//! is the same whatever range was asked for.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use whitecap_core::{Particles, TriMesh, Volume};
use whitecap_io::changes::motion::{moving_mesh, moving_particles};
use whitecap_io::changes::{ChangeError, Changes};
use whitecap_io::{Noted, Sequence};

use crate::failure::Failure;
use crate::file_notes::FileNotes;
use crate::frames::FramePair;

/// How frames are read.
pub struct Reading {
    /// What is renamed, and nothing else.
    names: Changes,
    /// Frames per second, if velocities are made anew.
    rate: Option<f64>,
    /// Every frame that exists, ascending; only needed for velocities.
    existing: Vec<(i64, PathBuf)>,
    /// What readers had to say.
    notes: RefCell<FileNotes>,
}

/// The frame before or after, and how many seconds lie between.
type Beside<T> = Option<(T, f64)>;

impl Reading {
    /// Reads frames of this sequence.
    pub fn new(changes: &Changes, rate: Option<f64>, sequence: &Sequence) -> Result<Self, Failure> {
        let names = Changes { renamed: changes.renamed.clone(), ..Changes::default() };
        let existing = rate.map(|_| sequence.all_existing()).transpose()?.unwrap_or_default();
        Ok(Self { names, rate, existing, notes: RefCell::default() })
    }

    /// Keeps a note about a file.
    pub fn note(&self, path: &Path, note: String) {
        self.notes.borrow_mut().take(path, Noted { data: (), notes: vec![note] });
    }

    /// What readers had to say.
    pub fn into_notes(self) -> FileNotes {
        self.notes.into_inner()
    }

    /// The particles of a frame.
    pub fn particles(&self, pair: &FramePair) -> Result<Particles, Failure> {
        let read = |path: &Path| {
            let noted = whitecap_io::read_particles_noted(path)?;
            let particles = self.notes.borrow_mut().take(path, noted);
            self.names.particles(&particles).map_err(|error| about(path, error))
        };
        let path = &pair.input;
        let now = read(path)?;
        let Some(rate) = self.rate else { return Ok(now) };
        let [before, after] = self.neighbours(pair.frame, rate, read)?;
        let both = [&before, &after].map(|side| side.as_ref().map(|(data, time)| (data, *time)));
        let moving = moving_particles(now, both[0], both[1]);
        let mut moving = moving.map_err(|error| Failure::about(path, error))?;
        moving.facts_mut().frame_rate = Some(rate as f32);
        Ok(moving)
    }

    /// The mesh of a frame.
    pub fn mesh(&self, pair: &FramePair) -> Result<TriMesh, Failure> {
        let read = |path: &Path| {
            let noted = whitecap_io::read_mesh_noted(path)?;
            let mesh = self.notes.borrow_mut().take(path, noted);
            self.names.mesh(&mesh).map_err(|error| about(path, error))
        };
        let path = &pair.input;
        let now = read(path)?;
        let Some(rate) = self.rate else { return Ok(now) };
        let [before, after] = self.neighbours(pair.frame, rate, read)?;
        let both = [&before, &after].map(|side| side.as_ref().map(|(data, time)| (data, *time)));
        moving_mesh(now, both[0], both[1]).map_err(|error| Failure::about(path, error))
    }

    /// The volume of a file, changed.
    pub fn volume(&self, path: &Path, changes: &Changes) -> Result<Volume, Failure> {
        let named = self.names.volume(whitecap_io::vdb::read(path)?);
        named.and_then(|volume| changes.volume(volume)).map_err(|error| about(path, error))
    }

    fn neighbours<T>(
        &self,
        frame: i64,
        rate: f64,
        read: impl Fn(&Path) -> Result<T, Failure>,
    ) -> Result<[Beside<T>; 2], Failure> {
        let side = |other: Option<&(i64, PathBuf)>| -> Result<Beside<T>, Failure> {
            let Some((other, input)) = other else { return Ok(None) };
            Ok(Some((read(input)?, (other - frame).unsigned_abs() as f64 / rate)))
        };
        let start = self.existing.partition_point(|(other, _)| *other < frame);
        let end = self.existing.partition_point(|(other, _)| *other <= frame);
        Ok([side(self.existing[..start].last())?, side(self.existing[end..].first())?])
    }
}

/// A failure to change the data of a file.
pub fn about(path: &Path, error: ChangeError) -> Failure {
    Failure::about(path, error)
}
