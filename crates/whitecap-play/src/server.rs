//! The server: one listener on the loopback address, a thread for the liquid, one for each connection.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::error::PlayError;
use crate::exchange::Exchange;
use crate::page;
use crate::request::{Identity, LONGEST_HEAD, Verdict};
use crate::room::Room;
use crate::session::{self, Browser};
use crate::simulation::Simulation;
use whitecap_pipes::PipeScene;

/// Largest number of connections whose request is not complete. One more closes the oldest of them.
const MOST_WAITING: usize = 24;
/// Largest number of sockets at once.
const MOST_SOCKETS: usize = 6;
/// A socket that is silent for longer than this gives its place to another.
const GRACE: Duration = Duration::from_secs(1);
/// Largest number of threads; more connections wait until one ends.
const MOST_THREADS: usize = 96;
/// A request must be complete after this time.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often the listener looks for new connections.
const PAUSE: Duration = Duration::from_millis(5);

/// What a browser may do with the page: nothing but run its own files and talk to its own server.
const RULES: &str = "\
Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Referrer-Policy: no-referrer\r\n\
X-Content-Type-Options: nosniff\r\n\
Cache-Control: no-store\r\n\
Connection: close\r\n";

/// A server that is ready to run.
///
/// ```
/// use whitecap_play::{Server, demo_scene};
///
/// let server = Server::bind(0)?;
/// assert!(server.address().starts_with("http://127.0.0.1:"));
/// // Runs until `should_stop` returns true: here at once.
/// server.run(demo_scene()?, &|| true)?;
/// # Ok::<(), whitecap_play::PlayError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    identity: Identity,
}

impl Server {
    /// Listens on a port of the loopback address; 0 is any free one.
    pub fn bind(port: u16) -> Result<Self, PlayError> {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        });
        let (listener, port) = bound.map_err(|cause| PlayError::Port { port, cause })?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(PlayError::Token)?;
        let token = random.map(|byte| format!("{byte:02x}")).concat();
        Ok(Self { listener, identity: Identity { port, token } })
    }

    /// The address to open in a browser, with the token.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#{}", self.identity.port, self.identity.token)
    }

    /// Serves a scene until `should_stop`, which is called often, returns true.
    pub fn run(
        self,
        scene: PipeScene,
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), PlayError> {
        let exchange = Exchange::default();
        let has_ended = AtomicBool::new(false);
        let shared = Shared {
            identity: &self.identity,
            exchange: &exchange,
            should_stop: &|| has_ended.load(Ordering::Relaxed) || should_stop(),
            threads: AtomicUsize::new(0),
            waiting: Room::new(MOST_WAITING, Duration::ZERO),
            sockets: Room::new(MOST_SOCKETS, GRACE),
        };
        std::thread::scope(|scope| {
            let liquid = scope.spawn(|| {
                let result = Simulation::new(scene).run(&exchange, shared.should_stop);
                has_ended.store(true, Ordering::Relaxed);
                result
            });
            let mut number = 0;
            while !(shared.should_stop)() {
                let Some(thread) = Place::take(&shared.threads, MOST_THREADS) else {
                    std::thread::sleep(PAUSE);
                    continue;
                };
                match self.listener.accept() {
                    Ok((stream, peer)) => {
                        number += 1;
                        let shared = &shared;
                        scope.spawn(move || shared.serve(stream, peer, number, thread));
                    }
                    // Nobody is waiting, or the client has already left.
                    Err(_) => std::thread::sleep(PAUSE),
                }
            }
            has_ended.store(true, Ordering::Relaxed);
            // A panic there is a bug; it is propagated.
            liquid.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// One of a limited number of slots, released when dropped.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(taken: &'a AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(taken);
        (taken.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What all connections share.
struct Shared<'a> {
    identity: &'a Identity,
    exchange: &'a Exchange,
    should_stop: &'a (dyn Fn() -> bool + Sync),
    threads: AtomicUsize,
    waiting: Room,
    sockets: Room,
}

impl Shared<'_> {
    /// Answers one connection. Failures affect only that client.
    fn serve(&self, mut stream: TcpStream, peer: SocketAddr, number: u64, _thread: Place<'_>) {
        if !peer.ip().is_loopback() || stream.set_nonblocking(false).is_err() {
            return;
        }
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(PATIENCE));
        let Some(seat) = self.waiting.enter(number, &stream) else { return };
        let Some((head, rest)) = self.read_head(&mut stream) else { return };
        drop(seat);
        let _ = match self.identity.judge(&head) {
            Verdict::File { file, with_content } => send_file(&mut stream, file, with_content),
            Verdict::Refuse { status, sentence } => refuse(&mut stream, status, sentence),
            Verdict::Socket { key } => match self.sockets.enter(number, &stream) {
                Some(seat) => {
                    let browser = Browser { number, seat: &seat, exchange: self.exchange };
                    session::run(stream, rest, &key, &browser, self.should_stop);
                    self.exchange.leave(number);
                    Ok(())
                }
                None => refuse(
                    &mut stream,
                    "503 Service Unavailable",
                    "too many pages are open; close one and try again",
                ),
            },
        };
    }

    /// Reads the header of a request and what came with it, if it arrives in time and is not too
    /// long.
    fn read_head(&self, stream: &mut TcpStream) -> Option<(Vec<u8>, Vec<u8>)> {
        let deadline = Instant::now() + PATIENCE;
        stream.set_read_timeout(Some(Duration::from_millis(200))).ok()?;
        let mut head = Vec::new();
        let mut block = [0; 1024];
        loop {
            if let Some(end) = head.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let rest = head.split_off(end + 4);
                return Some((head, rest));
            }
            if head.len() >= LONGEST_HEAD {
                let _ = refuse(
                    stream,
                    "431 Request Header Fields Too Large",
                    "the request header is too long",
                );
                return None;
            }
            if Instant::now() > deadline || (self.should_stop)() {
                return None;
            }
            match stream.read(&mut block) {
                Ok(0) => return None,
                Ok(count) => head.extend_from_slice(&block[..count]),
                Err(error) if is_only_time(&error) => {}
                Err(_) => return None,
            }
        }
    }
}

/// Whether a read or write only timed out.
pub(crate) fn is_only_time(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn send_file(stream: &mut TcpStream, file: &page::File, with_content: bool) -> std::io::Result<()> {
    let (kind, content) = (file.kind, file.content);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{RULES}\r\n",
        content.len()
    );
    stream.write_all(head.as_bytes())?;
    if with_content { stream.write_all(content.as_bytes()) } else { Ok(()) }
}

fn refuse(stream: &mut TcpStream, status: &str, sentence: &str) -> std::io::Result<()> {
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         {RULES}\r\n{sentence}\n",
        sentence.len() + 1
    );
    stream.write_all(text.as_bytes())
}
