//! Contract: the server listens on the loopback address only, answers its own page, refuses everyone
//! else, and survives whatever is sent to it.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use whitecap_play::{Server, demo_scene};

/// A server that runs until it is dropped, and must then end without an error.
struct Running {
    port: u16,
    token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start() -> Self {
        let server = Server::bind(0).unwrap();
        let address = server.address();
        let (port, token) = address.rsplit(':').next().unwrap().split_once("/#").unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        let stop = Arc::new(AtomicBool::new(false));
        let should_stop = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let scene = demo_scene().unwrap();
            server.run(scene, &|| should_stop.load(Ordering::Relaxed)).unwrap();
        });
        Self { port, token, stop, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// The status of the answer to a request; `PORT` and `TOKEN` stand for the server's.
    fn status(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(self.filled(request).as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        String::from_utf8(answer[9..].to_vec()).unwrap()
    }

    fn filled(&self, request: &str) -> String {
        let request = request.replace("PORT", &self.port.to_string());
        request.replace("TOKEN", &self.token).replace('\n', "\r\n")
    }

    /// A socket of the page.
    fn socket(&self) -> Socket {
        let mut stream = self.connect();
        stream.write_all(self.filled(UPGRADE).as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        // The answer to this key is given in RFC 6455.
        assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        Socket(stream)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let result = self.thread.take().unwrap().join();
        assert!(std::thread::panicking() || result.is_ok(), "the server ended with an error");
    }
}

const UPGRADE: &str = "GET /socket?token=TOKEN HTTP/1.1\nHost: 127.0.0.1:PORT\n\
    Origin: http://127.0.0.1:PORT\nConnection: Upgrade\nUpgrade: websocket\n\
    Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n";

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;

/// A browser's end of a socket, written by hand so that it can misbehave.
struct Socket(TcpStream);

impl Socket {
    fn send(&mut self, kind: u8, content: &[u8]) {
        let mut frame = vec![0x80 | kind];
        match content.len() {
            length @ 0..126 => frame.push(0x80 | length as u8),
            length => {
                frame.push(0x80 | 126);
                frame.extend_from_slice(&(length as u16).to_be_bytes());
            }
        }
        // The mask may be zero.
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(content);
        // In some tests the server has already closed.
        let _ = self.0.write_all(&frame);
    }

    /// The next frame: its kind and content.
    fn receive(&mut self) -> (u8, Vec<u8>) {
        let mut start = [0; 2];
        self.0.read_exact(&mut start).unwrap();
        let length = match start[1] {
            126 => {
                let mut bytes = [0; 2];
                self.0.read_exact(&mut bytes).unwrap();
                usize::from(u16::from_be_bytes(bytes))
            }
            127 => {
                let mut bytes = [0; 8];
                self.0.read_exact(&mut bytes).unwrap();
                usize::try_from(u64::from_be_bytes(bytes)).unwrap()
            }
            short => usize::from(short),
        };
        let mut content = vec![0; length];
        self.0.read_exact(&mut content).unwrap();
        (start[0] & 15, content)
    }

    /// Asks, and returns the headers of what arrives, up to the surface.
    fn ask(&mut self, seen: &Value, rest: &str) -> Vec<Value> {
        let (surface, terrain) = (&seen[0], &seen[1]);
        let text = format!(
            r#"{{"seen": {surface}, "terrain-seen": {terrain}, "eye": [0, 0.3, 0.3], {rest}}}"#
        );
        self.send(TEXT, text.as_bytes());
        let mut heads = Vec::new();
        loop {
            let (kind, content) = self.receive();
            assert_eq!(kind, BINARY);
            let length = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
            let head: Value = serde_json::from_slice(&content[4..4 + length]).unwrap();
            let is_last = head["kind"] != "terrain";
            heads.push(head);
            if is_last {
                return heads;
            }
        }
    }

    /// Checks that the server says goodbye, if it says anything more, and closes.
    fn must_be_closed(mut self) {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => assert!(rest.is_empty() || rest[0] & 15 == CLOSE, "{:?}", &rest[..2]),
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
}

#[test]
fn only_its_own_page_is_served() {
    let server = Running::start();
    assert_eq!(server.status("GET / HTTP/1.1\nHost: 127.0.0.1:PORT\n\n"), "200");
    assert_eq!(server.status("GET /view.js HTTP/1.1\nHost: localhost:PORT\n\n"), "200");
    assert_eq!(server.status("GET / HTTP/1.1\nHost: rebound.example:PORT\n\n"), "421");
    let cross = "GET / HTTP/1.1\nHost: 127.0.0.1:PORT\nOrigin: http://other.example\n\n";
    assert_eq!(server.status(cross), "403");
    assert_eq!(server.status(&UPGRADE.replace("TOKEN", "0000")), "403");
    let cross = UPGRADE.replace("http://127.0.0.1:PORT", "http://other.example");
    assert_eq!(server.status(&cross), "403");
    assert_eq!(server.status("GET /../Cargo.toml HTTP/1.1\nHost: 127.0.0.1:PORT\n\n"), "404");
    let endless = format!("GET / HTTP/1.1\nHost: 127.0.0.1:PORT\nX: {}", "x".repeat(9000));
    assert_eq!(server.status(&endless), "431");
}

/// Contract: nobody can connect through an address of this machine that others can reach.
#[test]
fn other_addresses_are_not_listened_on() {
    let server = Running::start();
    // 127.0.0.2 is the same machine too, but not the address that the server is bound to.
    let other = SocketAddr::from(([127, 0, 0, 2], server.port));
    assert!(TcpStream::connect_timeout(&other, Duration::from_secs(2)).is_err());
}

#[test]
fn a_hand_pours_and_a_pause_holds() {
    let server = Running::start();
    let mut socket = server.socket();
    let nothing = r#""hand": null, "orders": []"#;
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut seen = serde_json::json!([0, 0]);
    let pour = r#""hand": {"tool": "pour", "from": [0, 0.3, 0], "toward": [0, -1, 0],
        "radius": 0.005, "rate": 1e-4}, "orders": [{"source-rate": 0}]"#;
    let mut volume = 0.0;
    while volume < 1e-5 {
        assert!(Instant::now() < deadline, "nothing was poured");
        for head in socket.ask(&seen, pour) {
            match head["kind"].as_str().unwrap() {
                "terrain" => seen[1] = head["number"].clone(),
                "surface" => {
                    seen[0] = head["number"].clone();
                    volume = head["volume"].as_f64().unwrap();
                }
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
    // Pause: one more picture arrives, then nothing new.
    socket.ask(&seen, r#""hand": null, "orders": ["pause"]"#);
    let time;
    loop {
        assert!(Instant::now() < deadline, "there was no pause");
        let head = socket.ask(&seen, nothing).pop().unwrap();
        if head["kind"] == "surface" {
            seen[0] = head["number"].clone();
            if head["paused"] == true {
                time = head["time"].clone();
                break;
            }
        }
    }
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(socket.ask(&seen, nothing)[0]["kind"], "same");
    // One step advances by one frame.
    socket.ask(&seen, r#""hand": null, "orders": ["step"]"#);
    std::thread::sleep(Duration::from_millis(100));
    let head = socket.ask(&seen, nothing).pop().unwrap();
    let step = head["time"].as_f64().unwrap() - time.as_f64().unwrap();
    assert!((step - 1.0 / 60.0).abs() < 1e-9, "{step}");
}

#[test]
fn nonsense_is_answered_by_closing() {
    let server = Running::start();
    let long = vec![b' '; 5000];
    let hostile: [(u8, &[u8]); 7] = [
        (TEXT, b"{}"),
        (TEXT, b"\xff\xfe"),
        (TEXT, &long),
        (BINARY, b"\x00\x01"),
        (3, b"an unknown kind"),
        (
            TEXT,
            br#"{"seen":0,"terrain-seen":0,"eye":[0,0,0],"hand":null,"orders":[{"viscosity":-1}]}"#,
        ),
        (TEXT, br#"{"seen":0,"terrain-seen":0,"eye":[1e999,0,0],"hand":null,"orders":[]}"#),
    ];
    for (kind, content) in hostile {
        let mut socket = server.socket();
        socket.send(kind, content);
        socket.must_be_closed();
    }
    // A frame that claims an impossible length, and one without a mask.
    for frame in [
        &[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0][..],
        &[0x81, 2, b'{', b'}'],
    ] {
        let mut socket = server.socket();
        socket.0.write_all(frame).unwrap();
        socket.must_be_closed();
    }
    // The server is still there.
    assert_eq!(server.status("GET / HTTP/1.1\nHost: 127.0.0.1:PORT\n\n"), "200");
}

#[test]
fn there_are_only_so_many_sockets() {
    let server = Running::start();
    let sockets: Vec<Socket> = (0..6).map(|_| server.socket()).collect();
    assert_eq!(server.status(UPGRADE), "503");
    drop(sockets);
    // Closed connections free their slots.
    let deadline = Instant::now() + Duration::from_secs(20);
    while server.status(UPGRADE) != "101" {
        assert!(Instant::now() < deadline, "no slot became free");
    }
}

/// Contract: connections that say nothing are closed as soon as others need their places; the page comes at
/// once however many there are.
#[test]
fn idle_connections_hold_nobody_up() {
    let server = Running::start();
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(server.connect());
    }
    // They used to hold everyone up for five seconds.
    let started = Instant::now();
    assert_eq!(server.status("GET / HTTP/1.1\nHost: 127.0.0.1:PORT\n\n"), "200");
    let mut socket = server.socket();
    socket.ask(&serde_json::json!([0, 0]), r#""hand": null, "orders": []"#);
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

/// Contract: sockets that have the token and say nothing give their places to those that speak; a socket
/// that speaks keeps its place.
#[test]
fn silent_sockets_make_room() {
    let server = Running::start();
    let nothing = r#""hand": null, "orders": []"#;
    let mut speaking = server.socket();
    let silent: Vec<Socket> = (0..5).map(|_| server.socket()).collect();
    for _ in 0..6 {
        std::thread::sleep(Duration::from_millis(250));
        speaking.ask(&serde_json::json!([0, 0]), nothing);
    }
    let newcomers: Vec<Socket> = (0..5).map(|_| server.socket()).collect();
    silent.into_iter().for_each(Socket::must_be_closed);
    speaking.ask(&serde_json::json!([0, 0]), nothing);
    for mut newcomer in newcomers {
        newcomer.ask(&serde_json::json!([0, 0]), nothing);
    }
}
