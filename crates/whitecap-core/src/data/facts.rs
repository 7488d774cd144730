//! What holds for all particles of a frame.
//!
//! This is the one list of facts: their names in files and what they may be are here, and every format and the
//! exact form of frames go through [`Facts::to_named`] and [`Facts::take`].

/// Names of facts in files, with the unit of those that are numbers.
const NAMES: [(&str, &str); 4] =
    [(SPACING, "m"), (REST_DENSITY, "kg/m³"), (FRAME_RATE, "frames/s"), (Facts::SOLIDS, "")];
const SPACING: &str = "particle_spacing";
const REST_DENSITY: &str = "rest_density";
const FRAME_RATE: &str = "frame_rate";

/// More solids than a scene has, and more bytes than their names have.
const MOST_SOLIDS: usize = 1000;
const MOST_BYTES: usize = 60_000;

/// What is known of a liquid as a whole, from whoever made it or from a look at all its frames. What is not
/// known is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Particle radius in m, half the spacing of the particles at rest. A `radius` column comes before it.
    pub radius: Option<f32>,
    /// Whether the radius is an estimate.
    pub radius_is_estimated: bool,
    /// Density of the liquid at rest, in kg/m³.
    pub rest_density: Option<f32>,
    /// Frames per second.
    pub frame_rate: Option<f32>,
    /// The meshes of the solids that the liquid flowed around, as they were named.
    pub solids: Vec<String>,
}

/// A fact as files hold it.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// A number.
    Number(f32),
    /// A text, in lines.
    Text(String),
}

impl Facts {
    /// The name of the list of solids, which is a text.
    pub const SOLIDS: &str = "solids";

    /// The names of facts in files.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// Whether a file can hold a fact under this name.
    pub fn is_name(name: &str) -> bool {
        NAMES.iter().any(|(known, _)| *known == name)
    }

    /// The unit of a fact; empty if it has none.
    pub fn unit(name: &str) -> &'static str {
        NAMES.iter().find(|(known, _)| *known == name).map_or("", |(_, unit)| unit)
    }

    /// What is known for certain, by its names in files. An estimate is not, and a name of a solid that would
    /// not fit on a line is left out.
    pub fn to_named(&self) -> Vec<(&'static str, FactValue)> {
        let radius = self.radius.filter(|_| !self.radius_is_estimated);
        let numbers = [
            (SPACING, radius.map(|radius| 2.0 * radius)),
            (REST_DENSITY, self.rest_density),
            (FRAME_RATE, self.frame_rate),
        ];
        let number = |(name, value): (&'static str, Option<f32>)| {
            Some((name, FactValue::Number(value.filter(|&value| is_possible(name, value))?)))
        };
        let mut named: Vec<_> = numbers.into_iter().filter_map(number).collect();
        let solids: Vec<&str> =
            self.solids.iter().map(String::as_str).filter(|name| is_line(name)).collect();
        let text = solids.join("\n");
        if !solids.is_empty() && solids.len() <= MOST_SOLIDS && text.len() <= MOST_BYTES {
            named.push((Self::SOLIDS, FactValue::Text(text)));
        }
        named
    }

    /// Takes a fact from a file. A name that no fact has changes nothing.
    ///
    /// # Errors
    /// A sentence if the value cannot be true; the fact then stays unknown.
    pub fn take(&mut self, name: &str, value: FactValue) -> Result<(), String> {
        match (name, value) {
            (Self::SOLIDS, FactValue::Text(text)) => {
                let lines = text.lines().take(MOST_SOLIDS + 1);
                let solids: Vec<String> = lines.map(str::to_owned).collect();
                let fits = text.len() <= MOST_BYTES && solids.len() <= MOST_SOLIDS;
                if !fits || !solids.iter().all(|name| is_line(name)) {
                    return Err(String::from("`solids` is not a list of names; it is not used"));
                }
                self.solids = solids;
            }
            (name, FactValue::Number(value)) if Self::is_name(name) && name != Self::SOLIDS => {
                if !is_possible(name, value) {
                    return Err(format!("`{name}` cannot be {value:?}; it is not used"));
                }
                match name {
                    SPACING => self.radius = Some(0.5 * value),
                    REST_DENSITY => self.rest_density = Some(value),
                    _ => self.frame_rate = Some(value),
                }
            }
            (name, _) if Self::is_name(name) => {
                return Err(format!("`{name}` is not of the right type; it is not used"));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether a number can be this fact.
fn is_possible(name: &str, value: f32) -> bool {
    let range = match name {
        SPACING => 1e-9..=1e9,
        REST_DENSITY => 1e-3..=1e6,
        _ => 1e-3..=1e6,
    };
    range.contains(&value)
}

/// Whether a text is a line that can be shown.
fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Facts {
        Facts {
            radius: Some(0.02),
            radius_is_estimated: false,
            rest_density: Some(1000.0),
            frame_rate: Some(23.976),
            solids: vec!["rock.ply".into(), "my ship.####.obj".into()],
        }
    }

    /// Contract: facts survive the way to files and back; an estimate is not written.
    #[test]
    fn facts_return_as_they_went() {
        let mut found = Facts::default();
        for (name, value) in known().to_named() {
            assert!(Facts::is_name(name));
            found.take(name, value).unwrap();
        }
        assert_eq!(found, known());
        let guessed = Facts { radius: Some(1.0), radius_is_estimated: true, ..Facts::default() };
        assert_eq!(guessed.to_named(), []);
    }

    /// Contract: what cannot be true is refused with a sentence and stays unknown; names of others are ignored.
    #[test]
    fn nonsense_is_refused() {
        let mut facts = Facts::default();
        for value in [f32::NAN, f32::INFINITY, -1.0, 0.0, -0.0, 1e38, 1e-38] {
            for name in ["particle_spacing", "rest_density", "frame_rate", "solids"] {
                let refusal = facts.take(name, FactValue::Number(value)).unwrap_err();
                assert!(refusal.contains(name) && refusal.ends_with("it is not used"), "{refusal}");
            }
        }
        for text in [
            String::from("\x1b[2J"),
            String::from("rock.ply\n\nship.ply"),
            "x".repeat(1 << 20),
            "x\n".repeat(5000),
        ] {
            facts.take("solids", FactValue::Text(text)).unwrap_err();
        }
        facts.take("frame_rate", FactValue::Text("24".into())).unwrap_err();
        facts.take("temperature", FactValue::Number(f32::NAN)).unwrap();
        assert_eq!(facts, Facts::default());
    }
}
