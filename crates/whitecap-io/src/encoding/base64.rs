//! Base64 as VTK and glTF files hold it. Written here, because VTK puts several padded streams one after
//! the other, which a strict decoder refuses.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PADDING: u8 = b'=';
const NOT_A_DIGIT: u8 = 0xff;

const DIGITS: [u8; 256] = {
    let mut digits = [NOT_A_DIGIT; 256];
    let mut place = 0;
    while place < 64 {
        digits[ALPHABET[place] as usize] = place as u8;
        place += 1;
    }
    digits
};

/// Appends the encoding of `bytes`, padded.
pub(crate) fn encode(bytes: &[u8], text: &mut Vec<u8>) {
    text.reserve(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut padded = [0; 3];
        padded[..group.len()].copy_from_slice(group);
        let [a, b, c] = padded;
        let digits = [a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 63];
        let mut letters = digits.map(|digit| ALPHABET[usize::from(digit)]);
        letters[group.len() + 1..].fill(PADDING);
        text.extend(letters);
    }
}

/// Decodes the first `count` bytes of a text without white space. Padding ends a stream; the next
/// one may follow. `None` if the text is too short or has a letter outside the alphabet.
pub(crate) fn decode(text: &[u8], count: usize) -> Option<Vec<u8>> {
    // Three bytes come from four letters at best: a claim beyond that allocates nothing.
    if count.div_ceil(3) > text.len() / 4 {
        return None;
    }
    let mut bytes = Vec::with_capacity(count + 3);
    for group in text.as_chunks::<4>().0 {
        if bytes.len() >= count {
            break;
        }
        let padding = group.iter().rev().take_while(|&&letter| letter == PADDING).count();
        let digits =
            group.map(|letter| if letter == PADDING { 0 } else { DIGITS[usize::from(letter)] });
        if padding > 2 || digits.contains(&NOT_A_DIGIT) {
            return None;
        }
        let [a, b, c, d] = digits;
        let whole = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
        bytes.extend_from_slice(&whole[..3 - padding]);
    }
    bytes.truncate(count);
    (bytes.len() == count).then_some(bytes)
}

/// Letters that hold `count` bytes of one stream.
pub(crate) fn encoded_length(count: usize) -> usize {
    count.div_ceil(3) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: every length is encoded as the standard says and decoded again, and a second
    /// stream after a padded one is decoded as well.
    #[test]
    fn streams_round_trip_also_one_after_the_other() {
        let mut text = Vec::new();
        encode(b"Ma", &mut text);
        assert_eq!(text, b"TWE=");
        encode(b"light work.", &mut text);
        assert_eq!(decode(&text, 13).unwrap(), b"Malight work.");
        for length in 0..20 {
            let bytes: Vec<u8> = (0..length).map(|i: u8| i.wrapping_mul(37)).collect();
            let mut text = Vec::new();
            encode(&bytes, &mut text);
            assert_eq!(text.len(), encoded_length(bytes.len()));
            assert_eq!(decode(&text, bytes.len()).unwrap(), bytes);
            assert_eq!(decode(&text, bytes.len() + 4), None);
        }
        assert_eq!(decode(b"T*E=", 2), None);
    }
}
