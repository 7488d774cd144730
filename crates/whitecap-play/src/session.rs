//! One browser's socket: it asks, it gets what is new, and asks again.
//!
//! The browser sets the pace: it asks again when it has drawn, so that nothing piles up for a slow
//! one. A client that sends anything but a valid message is disconnected.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use serde::Serialize;
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tungstenite::{Bytes, Error, Message as Packet, WebSocket};

use crate::exchange::Exchange;
use crate::message::{LONGEST_MESSAGE, Message};
use crate::packing::packet;
use crate::room::Seat;
use crate::server::is_only_time;

/// How long a read waits before it checks whether the server is stopping.
const GLANCE: Duration = Duration::from_millis(200);

/// The answer when there is nothing new.
#[derive(Serialize)]
struct Same {
    kind: &'static str,
}

/// Whom a socket belongs to.
pub(crate) struct Browser<'a> {
    pub number: u64,
    pub seat: &'a Seat<'a>,
    pub exchange: &'a Exchange,
}

/// Talks with one browser until it leaves, misbehaves, or the server stops.
pub(crate) fn run(
    mut stream: TcpStream,
    already_read: Vec<u8>,
    key: &str,
    browser: &Browser<'_>,
    should_stop: &dyn Fn() -> bool,
) {
    let accepted = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n\r\n",
        derive_accept_key(key.as_bytes())
    );
    let is_open = stream.set_read_timeout(Some(GLANCE)).is_ok()
        && stream.write_all(accepted.as_bytes()).is_ok();
    if !is_open {
        return;
    }
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    let mut socket =
        WebSocket::from_partially_read(stream, already_read, Role::Server, Some(config));
    let same = Bytes::from(packet(&Same { kind: "same" }, &[]));
    while !should_stop() {
        match next(&mut socket) {
            Heard::Nothing => {}
            Heard::Message(message) => {
                browser.seat.heard();
                let (terrain, surface) = browser.exchange.visit(browser.number, &message);
                let surface = surface.map_or_else(|| same.clone(), |surface| surface.packet);
                let packets = terrain.map(|terrain| terrain.packet).into_iter().chain([surface]);
                let mut all = packets.map(Packet::Binary);
                if !all.all(|packet| socket.send(packet).is_ok()) {
                    return;
                }
            }
            Heard::Nonsense => {
                let _ =
                    close(&mut socket, CloseCode::Policy, "this is not a message from the page");
                return;
            }
            Heard::Farewell => return,
        }
    }
    let _ = close(&mut socket, CloseCode::Away, "the server is stopping");
}

/// What arrived through a socket.
enum Heard {
    Nothing,
    Message(Message),
    Nonsense,
    Farewell,
}

fn next(socket: &mut WebSocket<TcpStream>) -> Heard {
    match socket.read() {
        Ok(Packet::Text(text)) => match Message::read(&text) {
            Some(message) => Heard::Message(message),
            None => Heard::Nonsense,
        },
        Ok(Packet::Binary(_)) => Heard::Nonsense,
        Ok(_) => Heard::Nothing,
        Err(Error::Io(error)) if is_only_time(&error) => Heard::Nothing,
        Err(Error::Capacity(_) | Error::Protocol(_) | Error::Utf8(_)) => Heard::Nonsense,
        Err(_) => Heard::Farewell,
    }
}

fn close(
    socket: &mut WebSocket<TcpStream>,
    code: CloseCode,
    reason: &'static str,
) -> Result<(), Error> {
    socket.close(Some(CloseFrame { code, reason: reason.into() }))?;
    socket.flush()
}
