//! Array names of legacy VTK: special characters are written as `%` and two hexadecimal digits, because
//! white space would end a name.

/// The name as it was meant.
pub(super) fn decoded(name: &str) -> String {
    let mut decoded = Vec::with_capacity(name.len());
    let mut bytes = name.as_bytes();
    while let [first, rest @ ..] = bytes {
        let hexadecimal = rest
            .first_chunk::<2>()
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match (first, hexadecimal) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                bytes = &rest[2..];
            }
            _ => {
                decoded.push(*first);
                bytes = rest;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// The name as one word.
pub(super) fn encoded(name: &str) -> String {
    if name.is_empty() {
        return "unnamed".to_string();
    }
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'!'..=b'~' if byte != b'%' && byte != b'"' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}
