//! What a request is allowed: the page's files for everyone on this machine, the socket only for
//! the page.
//!
//! A foreign page in a browser on this machine must get nothing. It can reach this server under its
//! own host name (DNS rebinding): then `Host` is not ours. It can make cross-origin requests: then
//! `Origin` or `Sec-Fetch-Site` say so. And it does not know the token.

use crate::page;

/// Longest header of a request in bytes.
pub(crate) const LONGEST_HEAD: usize = 8192;
const MOST_HEADERS: usize = 64;

/// What to do with a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Send a file of the page; for `HEAD` without its content.
    File { file: &'static page::File, with_content: bool },
    /// Open a socket; the key is the browser's.
    Socket { key: String },
    /// Send a status and a sentence.
    Refuse { status: &'static str, sentence: &'static str },
}

/// Who this server is.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub port: u16,
    pub token: String,
}

fn refuse(status: &'static str, sentence: &'static str) -> Verdict {
    Verdict::Refuse { status, sentence }
}

impl Identity {
    /// Decides about a request by its header, which must be complete.
    pub fn judge(&self, head: &[u8]) -> Verdict {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        if !matches!(request.parse(head), Ok(httparse::Status::Complete(_))) {
            return refuse("400 Bad Request", "this is not a request");
        }
        let header = |name: &str| -> Option<&str> { unique(request.headers, name) };
        let names = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        if !header("host").is_some_and(|host| names.iter().any(|name| name == host)) {
            return refuse(
                "421 Misdirected Request",
                "this server only answers on its own machine",
            );
        }
        let origin = header("origin");
        let is_own = |origin: &str| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| names.iter().any(|name| name == host))
        };
        let site = header("sec-fetch-site").unwrap_or("none");
        if origin.is_some_and(|origin| !is_own(origin)) || !["none", "same-origin"].contains(&site)
        {
            return refuse("403 Forbidden", "other pages may not use this server");
        }
        let (path, query) = split(request.path.unwrap_or(""));
        match (request.method.unwrap_or(""), page::file(path)) {
            ("GET", _) if path == "/socket" => self.judge_socket(origin, query, header),
            ("GET", Some(file)) => Verdict::File { file, with_content: true },
            ("HEAD", Some(file)) => Verdict::File { file, with_content: false },
            ("GET" | "HEAD", None) => refuse("404 Not Found", "there is no such file"),
            _ => refuse("405 Method Not Allowed", "only GET and HEAD are supported"),
        }
    }

    fn judge_socket<'a>(
        &self,
        origin: Option<&str>,
        query: &str,
        header: impl Fn(&str) -> Option<&'a str>,
    ) -> Verdict {
        let token = query.strip_prefix("token=").unwrap_or("");
        if origin.is_none() || !is_same(token, &self.token) {
            return refuse("403 Forbidden", "the socket needs the token in the page's address");
        }
        let has = |name: &str, word: &str| {
            let words = header(name).unwrap_or("").split(',').map(str::trim);
            words.into_iter().any(|found| found.eq_ignore_ascii_case(word))
        };
        let is_upgrade = has("upgrade", "websocket")
            && has("connection", "upgrade")
            && header("sec-websocket-version") == Some("13");
        match header("sec-websocket-key") {
            Some(key) if is_upgrade => Verdict::Socket { key: key.to_owned() },
            _ => refuse("400 Bad Request", "this address is for WebSockets of version 13"),
        }
    }
}

/// The value of a header field that appears once and is readable. One that appears twice gets a
/// value that equals no other.
fn unique<'a>(headers: &[httparse::Header<'a>], name: &str) -> Option<&'a str> {
    let mut found = headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let value = found.next()?.value;
    match found.next() {
        None => Some(std::str::from_utf8(value).unwrap_or("\u{fffd}")),
        Some(_) => Some("\u{fffd}"),
    }
}

/// Path and query.
fn split(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

/// Compares in constant time, so that the time does not reveal where the difference is.
fn is_same(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(head: &str) -> Verdict {
        let identity = Identity { port: 8080, token: String::from("secret") };
        identity.judge(head.replace('\n', "\r\n").as_bytes())
    }

    fn status(head: &str) -> &'static str {
        match verdict(head) {
            Verdict::File { .. } => "200",
            Verdict::Socket { .. } => "101",
            Verdict::Refuse { status, .. } => &status[..3],
        }
    }

    /// Contract: files are for requests that name this machine and come from no other page.
    #[test]
    fn files_go_to_this_machine() {
        assert_eq!(status("GET / HTTP/1.1\nHost: 127.0.0.1:8080\n\n"), "200");
        assert_eq!(status("HEAD / HTTP/1.1\nHost: localhost:8080\n\n"), "200");
        assert_eq!(
            status(
                "GET /main.js?x HTTP/1.1\nHost: localhost:8080\nSec-Fetch-Site: same-origin\n\n"
            ),
            "200"
        );
        for (head, expected) in [
            ("GET / HTTP/1.1\n\n", "421"),
            ("GET / HTTP/1.1\nHost: evil.example:8080\n\n", "421"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1\n\n", "421"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8080\nHost: evil.example\n\n", "421"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8080.evil.example\n\n", "421"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8080\nOrigin: http://evil.example\n\n", "403"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8080\nOrigin: null\n\n", "403"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8080\nOrigin: https://127.0.0.1:8080\n\n", "403"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8080\nSec-Fetch-Site: cross-site\n\n", "403"),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8080\nSec-Fetch-Site: same-site\n\n", "403"),
            ("GET /../../etc/passwd HTTP/1.1\nHost: 127.0.0.1:8080\n\n", "404"),
            ("GET /%2e%2e/secret HTTP/1.1\nHost: 127.0.0.1:8080\n\n", "404"),
            ("POST / HTTP/1.1\nHost: 127.0.0.1:8080\n\n", "405"),
            ("\u{0}\u{1}\n\n", "400"),
        ] {
            assert_eq!(status(head), expected, "{head}");
        }
    }

    /// Contract: the socket is only for the page with its token.
    #[test]
    fn the_socket_needs_origin_and_token() {
        let head = "GET /socket?token=secret HTTP/1.1\nHost: 127.0.0.1:8080\n\
            Origin: http://127.0.0.1:8080\nConnection: keep-alive, Upgrade\nUpgrade: websocket\n\
            Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n";
        let key = String::from("dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(verdict(head), Verdict::Socket { key });
        for (old, new, expected) in [
            ("=secret", "=secreT", "403"),
            ("=secret", "=", "403"),
            ("=secret", "=secretsecret", "403"),
            ("?token=secret", "", "403"),
            ("Origin: http://127.0.0.1:8080\n", "", "403"),
            ("Origin: http://127.0.0.1:8080", "Origin: http://127.0.0.1:8081", "403"),
            ("Host: 127.0.0.1:8080", "Host: evil.example:8080", "421"),
            ("Upgrade: websocket", "Upgrade: other", "400"),
            ("Version: 13", "Version: 12", "400"),
            ("GET", "POST", "405"),
        ] {
            assert_eq!(status(&head.replacen(old, new, 1)), expected, "{old} → {new}");
        }
    }
}
