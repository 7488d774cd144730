//! What the thread of the liquid and the threads of the browsers exchange.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tungstenite::Bytes;

use crate::message::{Hand, Message, Order};

/// A hand that has been silent for this long has let go.
const LET_GO: Duration = Duration::from_secs(1);
/// Further orders are dropped until the liquid has carried some out.
const MOST_ORDERS: usize = 256;

/// Something that browsers receive, and its number, which is never 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbered {
    pub number: u64,
    pub packet: Bytes,
}

/// What browsers want from the liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub orders: Vec<Order>,
    pub hands: Vec<Hand>,
    pub eye: Option<[f32; 3]>,
}

/// A browser's hand. It acts at least once, even if it lets go before the next frame.
#[derive(Debug)]
struct Held {
    browser: u64,
    hand: Hand,
    heard: Instant,
    has_acted: bool,
    has_let_go: bool,
}

#[derive(Debug, Default)]
struct Table {
    orders: Vec<Order>,
    hands: Vec<Held>,
    eye: Option<[f32; 3]>,
    surface: Numbered,
    terrain: Numbered,
}

impl Table {
    /// A browser holds its hand somewhere, or lets go.
    fn hold(&mut self, browser: u64, hand: Option<Hand>) {
        self.hands.retain_mut(|held| {
            let is_own = held.browser == browser;
            held.has_let_go |= is_own;
            !is_own || (hand.is_none() && !held.has_acted)
        });
        let held = |hand| Held {
            browser,
            hand,
            heard: Instant::now(),
            has_acted: false,
            has_let_go: false,
        };
        self.hands.extend(hand.map(held));
    }
}

/// Where each side leaves what the other needs.
#[derive(Debug, Default)]
pub(crate) struct Exchange(Mutex<Table>);

impl Exchange {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a browser wants and returns what it has not seen: terrain and surface.
    pub fn visit(&self, browser: u64, message: &Message) -> (Option<Numbered>, Option<Numbered>) {
        let mut table = self.table();
        let room = MOST_ORDERS.saturating_sub(table.orders.len());
        table.orders.extend(message.orders.iter().take(room));
        table.eye = Some(message.eye);
        table.hold(browser, message.hand);
        let newer = |known: &Numbered, seen| (known.number != seen).then(|| known.clone());
        (newer(&table.terrain, message.terrain_seen), newer(&table.surface, message.seen))
    }

    /// Forgets a browser that has left.
    pub fn leave(&self, browser: u64) {
        self.table().hands.retain(|held| held.browser != browser);
    }

    /// What browsers want now. Orders are returned once, hands for as long as they are held and at
    /// least once.
    pub fn wishes(&self) -> Wishes {
        let mut table = self.table();
        table.hands.retain(|held| !held.has_acted || held.heard.elapsed() < LET_GO);
        let hands = table.hands.iter().map(|held| held.hand).collect();
        table.hands.retain_mut(|held| {
            held.has_acted = true;
            !held.has_let_go
        });
        Wishes { orders: std::mem::take(&mut table.orders), hands, eye: table.eye }
    }

    /// Shows a new surface.
    pub fn show_surface(&self, packet: Numbered) {
        self.table().surface = packet;
    }

    /// Shows a new terrain.
    pub fn show_terrain(&self, packet: Numbered) {
        self.table().terrain = packet;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a hand acts in every frame until it lets go, and once if it lets go before the next frame;
    /// when a browser leaves, its hand goes with it.
    #[test]
    fn a_short_touch_acts_once() {
        let exchange = Exchange::default();
        let message = |hand: &str| {
            let text = format!(
                r#"{{"seen": 0, "terrain-seen": 0, "eye": [0, 1, 0], "orders": [], "hand": {hand}}}"#
            );
            Message::read(&text).unwrap()
        };
        let held = message(
            r#"{"tool": "wipe", "from": [0, 1, 0], "toward": [0, -1, 0], "radius": 1, "rate": 1}"#,
        );
        let frame = || exchange.wishes().hands.len();

        exchange.visit(1, &held);
        assert_eq!([frame(), frame()], [1, 1]);
        exchange.visit(1, &message("null"));
        assert_eq!(frame(), 0);

        exchange.visit(1, &held);
        exchange.visit(1, &message("null"));
        assert_eq!([frame(), frame()], [1, 0]);

        exchange.visit(1, &held);
        exchange.visit(2, &held);
        exchange.leave(1);
        assert_eq!(frame(), 1);
    }
}
