//! What the thread of the liquid and those of the browsers tell each other.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tungstenite::Bytes;

use crate::message::{Hand, Message, Order};

/// A hand that has not been heard of for so long has let go.
const LET_GO: Duration = Duration::from_secs(1);
/// Orders beyond these are dropped until the liquid has carried some out.
const MOST_ORDERS: usize = 256;

/// Something that browsers get, and its number; 0 is never given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbered {
    pub number: u64,
    pub packet: Bytes,
}

/// What browsers want of the liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub orders: Vec<Order>,
    pub hands: Vec<Hand>,
    pub eye: Option<[f32; 3]>,
}

#[derive(Debug, Default)]
struct Table {
    orders: Vec<Order>,
    hands: Vec<(u64, Hand, Instant)>,
    eye: Option<[f32; 3]>,
    surface: Numbered,
    terrain: Numbered,
}

/// Where both sides leave what the other needs.
#[derive(Debug, Default)]
pub(crate) struct Exchange(Mutex<Table>);

impl Exchange {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a browser wants and gives what it has not seen: terrain and surface.
    pub fn visit(&self, browser: u64, message: &Message) -> (Option<Numbered>, Option<Numbered>) {
        let mut table = self.table();
        let room = MOST_ORDERS.saturating_sub(table.orders.len());
        table.orders.extend(message.orders.iter().take(room));
        table.eye = Some(message.eye);
        table.hands.retain(|&(owner, ..)| owner != browser);
        table.hands.extend(message.hand.map(|hand| (browser, hand, Instant::now())));
        let newer = |known: &Numbered, seen| (known.number != seen).then(|| known.clone());
        (newer(&table.terrain, message.terrain_seen), newer(&table.surface, message.seen))
    }

    /// Forgets a browser that has gone.
    pub fn leave(&self, browser: u64) {
        self.table().hands.retain(|&(owner, ..)| owner != browser);
    }

    /// What browsers want now. Orders are handed out once, hands for as long as they are held.
    pub fn wishes(&self) -> Wishes {
        let mut table = self.table();
        table.hands.retain(|(_, _, heard)| heard.elapsed() < LET_GO);
        Wishes {
            orders: std::mem::take(&mut table.orders),
            hands: table.hands.iter().map(|&(_, hand, _)| hand).collect(),
            eye: table.eye,
        }
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
