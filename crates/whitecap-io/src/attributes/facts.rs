//! What files say of all particles at once: see [`Facts`]. Formats hold numbers as numbers, and texts as texts
//! or as arrays of bytes.

use whitecap_core::{FactValue, Facts};

use crate::encoding::scalar::Values;

/// More notes than anybody reads; a damaged file could give any number.
const MOST_NOTES: usize = 8;

/// Facts from a file, and a sentence about each that cannot be true.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundFacts {
    pub facts: Facts,
    pub notes: Vec<String>,
}

impl FoundFacts {
    /// Takes a number, or the bytes of a text. Arrays that are no facts are ignored.
    pub fn take_values(&mut self, name: &str, values: &Values) {
        if !Facts::is_name(name) {
            return;
        }
        let value = match values {
            Values::I32(bytes) if name == Facts::SOLIDS => text(bytes).map(FactValue::Text),
            _ if name == Facts::SOLIDS => None,
            Values::F32(numbers) if numbers.len() == 1 => Some(FactValue::Number(numbers[0])),
            Values::I32(numbers) if numbers.len() == 1 => {
                Some(FactValue::Number(numbers[0] as f32))
            }
            Values::I64(numbers) if numbers.len() == 1 => {
                Some(FactValue::Number(numbers[0] as f32))
            }
            _ => None,
        };
        match value {
            Some(value) => self.take(name, value),
            None => self.note(format!("`{name}` is not of the right type; it is not used")),
        }
    }

    /// Takes a text.
    pub fn take_text(&mut self, name: &str, text: &str) {
        self.take(name, FactValue::Text(text.to_owned()));
    }

    /// Takes a fact.
    pub fn take(&mut self, name: &str, value: FactValue) {
        if let Err(refusal) = self.facts.take(name, value) {
            self.note(refusal);
        }
    }

    /// Notes that a fact cannot be read.
    pub fn unreadable(&mut self) {
        let note = "what the file says of all particles at once cannot be read; it is not used";
        self.note(String::from(note));
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(note);
        }
    }
}

/// The text whose bytes these are.
fn text(bytes: &[i32]) -> Option<String> {
    let bytes = bytes.iter().map(|&byte| u8::try_from(byte).ok()).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}
