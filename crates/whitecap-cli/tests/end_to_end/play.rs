//! `whitecap play`: what can be tested without a browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use super::{outcome, run, whitecap};

/// Contract: `play` prints an address, and the page is there.
#[test]
fn the_page_is_at_the_address() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = whitecap(folder.path()).arg("play").stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.into_iter().find_map(|line| {
        let start = line.find("127.0.0.1:")?;
        Some(line[start..].split('/').next()?.to_owned())
    });
    let address = address.unwrap();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("<canvas"), "{answer}");
}

/// Contract: a shot without shallow liquid is refused with a message, and so is a port that is
/// taken.
#[test]
fn what_cannot_be_played_gets_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let shot = "[shot]\nname = \"dry\"\nframes = [1, 2]\nfps = 24\n\n[water]\nkind = \"sph\"\nspacing = 0.1\n\
        fill = [{ box = { min = [0, 0, 0], max = [1, 1, 1] } }]\n";
    std::fs::write(folder.path().join("dry.toml"), shot).unwrap();
    let (code, _, stderr) = outcome(&run(folder.path(), &["play", "dry.toml"]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("dry.toml") && stderr.contains("pipes"), "{stderr}");

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, _, stderr) = outcome(&run(folder.path(), &["play", "--port", &port]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains(&port), "{stderr}");
}
