//! A message from a browser: which pictures it has seen, where its eye is, what its hand does, and
//! orders.
//!
//! Everything is checked here, so that what comes later need not fail.

use glam::Vec3;
use serde::Deserialize;

/// Longest message in bytes.
pub(crate) const LONGEST_MESSAGE: usize = 4096;

/// A message from a browser, one for each picture that it draws.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Message {
    /// Number of the last surface that it got.
    pub seen: u64,
    /// Number of the last terrain that it got.
    pub terrain_seen: u64,
    /// Where its eye is.
    pub eye: [f32; 3],
    /// What its hand does.
    pub hand: Option<Hand>,
    /// Things to do once.
    pub orders: Vec<Order>,
}

/// What a hand does for as long as it is held.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Hand {
    pub tool: Tool,
    /// The ray from the eye through the hand.
    pub from: [f32; 3],
    pub toward: [f32; 3],
    /// Radius of the brush in metres.
    pub radius: f32,
    /// Cubic metres per second for pouring and wiping, metres per second for the ground.
    pub rate: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tool {
    Pour,
    Wipe,
    Carve,
    Raise,
}

/// Something to do once.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    Pause,
    Resume,
    Step,
    Reset,
    /// Kinematic viscosity in m²/s.
    Viscosity(f32),
    /// Contact angle in degrees.
    ContactAngle(f32),
    /// Total rate of all sources, in m³/s.
    SourceRate(f64),
}

impl Message {
    /// The message in a text, if it is valid and everything in it is possible.
    pub fn read(text: &str) -> Option<Self> {
        let message: Self = serde_json::from_str(text).ok()?;
        let is_possible = Vec3::from_array(message.eye).is_finite()
            && message.hand.is_none_or(|hand| hand.is_possible())
            && message.orders.iter().all(Order::is_possible);
        is_possible.then_some(message)
    }
}

impl Hand {
    fn is_possible(&self) -> bool {
        let are_finite = self.from.iter().chain(&self.toward).all(|value| value.is_finite());
        are_finite && (0.0..=1e6).contains(&self.radius) && (0.0..=1e6).contains(&self.rate)
    }
}

impl Order {
    fn is_possible(&self) -> bool {
        match *self {
            Order::Pause | Order::Resume | Order::Step | Order::Reset => true,
            Order::Viscosity(value) => (0.0..=1e6).contains(&value),
            Order::ContactAngle(value) => (0.0..=180.0).contains(&value),
            Order::SourceRate(value) => (0.0..=1e9).contains(&value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: what the page sends is understood.
    #[test]
    fn messages_of_the_page_are_read() {
        let text = r#"{"seen": 3, "terrain-seen": 1, "eye": [0, 1, 2],
            "hand": {"tool": "pour", "from": [0, 1, 2], "toward": [0, -1, 0], "radius": 0.01, "rate": 1e-6},
            "orders": ["pause", {"viscosity": 0.001}, {"contact-angle": 30}, {"source-rate": 0}]}"#;
        let message = Message::read(text).unwrap();
        assert_eq!(message.hand.unwrap().tool, Tool::Pour);
        assert_eq!(message.orders[1], Order::Viscosity(0.001));
    }

    /// Contract: a text that is not a message, or asks for the impossible, is refused as a whole.
    #[test]
    fn impossible_messages_are_refused() {
        let message = |orders: &str| {
            format!(
                r#"{{"seen": 0, "terrain-seen": 0, "eye": [0, 0, 0], "hand": null, "orders": [{orders}]}}"#
            )
        };
        assert!(Message::read(&message("")).is_some());
        for orders in [
            r#""explode""#,
            r#"{"viscosity": -1}"#,
            r#"{"viscosity": 1e39}"#,
            r#"{"viscosity": null}"#,
            r#"{"contact-angle": 181}"#,
            r#"{"source-rate": 1e999}"#,
            r#"{"pause": 3}"#,
        ] {
            assert_eq!(Message::read(&message(orders)), None, "{orders}");
        }
        for text in ["", "null", "[]", "{}", "\u{0}", "{\"seen\": -1}"] {
            assert_eq!(Message::read(text), None);
        }
        assert_eq!(Message::read(&message("").replace("[0, 0, 0]", "[0, 1e39, 0]")), None);
        assert_eq!(Message::read(&message("").replace("null", "\"\"")), None);
        assert_eq!(Message::read(&message("").replacen('{', "{\"more\": 1, ", 1)), None);
    }
}
