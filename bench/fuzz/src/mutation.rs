//! Damages to the bytes of a file.

use whitecap_core::scatter::Sequence;

/// Numbers that are finite but absurd, and some that are not finite.
const NUMBERS: [f32; 14] = [
    1e38,
    -1e38,
    2e38,
    5e37,
    1e20,
    1e9,
    1e-20,
    1e-38,
    0.0,
    -0.0,
    1000.0,
    f32::NAN,
    f32::INFINITY,
    f32::MAX,
];
/// The same as text, and counts.
const WORDS: [&str; 12] = [
    "1e38",
    "-1e38",
    "5e37",
    "1e-38",
    "0",
    "-1",
    "4294967295",
    "9223372036854775807",
    "1e999",
    "nan",
    "1000000",
    "99999999999999999999999999",
];
const FILLERS: [u8; 9] = [0x00, 0xff, 0x7f, 0x80, b'9', b'-', b' ', b'/', b'\n'];

/// A case: `bytes` with one to four damages.
pub fn damaged(bytes: &[u8], random: &mut Sequence) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            break;
        }
        // Half of all damages are to numbers: these get past the readers.
        match random.below(12) {
            0 => flip(&mut bytes, random),
            1 => fill(&mut bytes, random),
            2 => bytes.truncate(random.below(bytes.len())),
            3 => repeat(&mut bytes, random),
            4 => swap(&mut bytes, random),
            5 => remove(&mut bytes, random),
            6..9 => number(&mut bytes, random),
            _ => word(&mut bytes, random),
        }
    }
    bytes
}

fn flip(bytes: &mut [u8], random: &mut Sequence) {
    let place = random.below(bytes.len());
    bytes[place] ^= 1 << random.below(8);
}

/// Start and end of a piece of at most `longest` bytes.
fn piece(bytes: &[u8], longest: usize, random: &mut Sequence) -> (usize, usize) {
    let start = random.below(bytes.len());
    (start, bytes.len().min(start + 1 + random.below(longest)))
}

fn fill(bytes: &mut [u8], random: &mut Sequence) {
    let (start, end) = piece(bytes, 8, random);
    bytes[start..end].fill(FILLERS[random.below(FILLERS.len())]);
}

fn repeat(bytes: &mut Vec<u8>, random: &mut Sequence) {
    let (start, end) = piece(bytes, 64, random);
    let again = bytes[start..end].to_vec();
    bytes.splice(end..end, again);
}

fn swap(bytes: &mut [u8], random: &mut Sequence) {
    let (start, end) = piece(bytes, 16, random);
    let other = random.below(bytes.len() - (end - start) + 1);
    for step in 0..end - start {
        bytes.swap(start + step, other + step);
    }
}

fn remove(bytes: &mut Vec<u8>, random: &mut Sequence) {
    let (start, end) = piece(bytes, 16, random);
    bytes.drain(start..end);
}

/// Overwrites four bytes with a number, in either byte order.
fn number(bytes: &mut [u8], random: &mut Sequence) {
    if bytes.len() < 4 {
        return;
    }
    let place = random.below(bytes.len() - 3);
    let number = NUMBERS[random.below(NUMBERS.len())];
    let number = if random.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
    bytes[place..place + 4].copy_from_slice(&number);
}

/// Replaces the digits around a place with another number, where there are some.
fn word(bytes: &mut Vec<u8>, random: &mut Sequence) {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || b"+-.e".contains(byte);
    let from = random.below(bytes.len());
    let Some(start) = (from..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else { return };
    let start = (0..start).rev().find(|&at| !is_digit(&bytes[at])).map_or(0, |at| at + 1);
    let end = (start..bytes.len()).find(|&at| !is_digit(&bytes[at])).unwrap_or(bytes.len());
    bytes.splice(start..end, WORDS[random.below(WORDS.len())].bytes());
}
