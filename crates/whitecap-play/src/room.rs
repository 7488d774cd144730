//! A room with a limited number of places for connections.
//!
//! # Guarantees
//! * When the room is full, the guest who has been silent the longest makes room for a new one, if it
//!   has been silent for longer than the room's grace. Connections that do nothing can therefore not
//!   keep others out.
//! * A guest who leaves frees its place.

use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A connection.
#[derive(Debug)]
struct Guest {
    number: u64,
    heard: Instant,
    stream: TcpStream,
}

/// The room.
#[derive(Debug)]
pub(crate) struct Room {
    places: usize,
    grace: Duration,
    guests: Mutex<Vec<Guest>>,
}

impl Room {
    /// A room of some places, in which guests may be silent for the time of `grace`.
    pub(crate) fn new(places: usize, grace: Duration) -> Self {
        Self { places, grace, guests: Mutex::default() }
    }

    fn guests(&self) -> MutexGuard<'_, Vec<Guest>> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a connection in, if there is a place or one can be made free.
    pub(crate) fn enter(&self, number: u64, stream: &TcpStream) -> Option<Seat<'_>> {
        let stream = stream.try_clone().ok()?;
        let mut guests = self.guests();
        if guests.len() >= self.places {
            let silent = guests.iter().enumerate().min_by_key(|(_, guest)| guest.heard);
            let place = silent.filter(|(_, guest)| guest.heard.elapsed() >= self.grace)?.0;
            let guest = guests.swap_remove(place);
            // Its thread is woken up by that, and ends.
            let _ = guest.stream.shutdown(Shutdown::Both);
        }
        guests.push(Guest { number, heard: Instant::now(), stream });
        Some(Seat { room: self, number })
    }
}

/// A place in a room.
#[derive(Debug)]
pub(crate) struct Seat<'a> {
    room: &'a Room,
    number: u64,
}

impl Seat<'_> {
    /// The guest has said something.
    pub(crate) fn heard(&self) {
        let mut guests = self.room.guests();
        if let Some(guest) = guests.iter_mut().find(|guest| guest.number == self.number) {
            guest.heard = Instant::now();
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.room.guests().retain(|guest| guest.number != self.number);
    }
}
