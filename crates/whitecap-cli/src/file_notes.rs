//! What readers had to guess or leave out of the files of a command.

use std::path::Path;

use serde_json::Value;
use whitecap_io::Noted;

use crate::session::Session;

/// Notes about files. What is true of several files is told of the first only.
#[derive(Default)]
pub struct FileNotes {
    texts: Vec<String>,
    notes: Vec<String>,
}

impl FileNotes {
    /// The data of a file; what is to be known about it is kept.
    pub fn take<T>(&mut self, path: &Path, noted: Noted<T>) -> T {
        for note in noted.notes {
            if !self.notes.contains(&note) {
                self.texts.push(format!("{}: {note}", path.display()));
                self.notes.push(note);
            }
        }
        noted.data
    }

    /// Tells people.
    pub fn tell(&self, session: &Session) {
        self.texts.iter().for_each(|text| session.note(&format!("note: {text}")));
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        self.texts.iter().cloned().collect()
    }
}
