//! Unpacking of Blosc 1 containers, of which OpenVDB uses LZ4 with or without byte shuffle.
//!
//! A container has a header of 16 bytes (version, compressor version, flags, element size, then
//! plain size, block size and packed size as 32-bit numbers), a table with the start of each
//! block, and the blocks. A block is one stream, or one stream per byte of an element; each stream
//! is preceded by its size and is stored plain if that size equals the unpacked one.
//!
//! No allocation is larger than the announced plain length. Format: the c-blosc project's chunk
//! format description.

const HEADER_BYTES: usize = 16;
const SHUFFLED: u8 = 0x01;
const PLAIN: u8 = 0x02;
const BIT_SHUFFLED: u8 = 0x04;
const NOT_SPLIT: u8 = 0x10;
/// Streams a block may be split into, and the elements it needs to be split at all.
const MOST_STREAMS: usize = 16;
const LEAST_SPLIT_ELEMENTS: usize = 128;
const LZ4: u8 = 1;

/// Unpacks a container that must hold `plain_length` bytes.
pub(super) fn unpack(container: &[u8], plain_length: usize) -> Result<Vec<u8>, String> {
    let header = container.get(..HEADER_BYTES).ok_or("the Blosc header is cut short")?;
    let flags = header[2];
    let element = usize::from(header[3]).max(1);
    let found = number(container, 4)?;
    let block_length = number(container, 8)?;
    if found != plain_length {
        return Err(format!("the Blosc container holds {found} bytes instead of {plain_length}"));
    }
    if flags & PLAIN != 0 {
        let plain = container.get(HEADER_BYTES..HEADER_BYTES + plain_length);
        return plain.map(<[u8]>::to_vec).ok_or_else(|| "the Blosc container is cut short".into());
    }
    if flags >> 5 != LZ4 {
        return Err(format!("it uses Blosc compressor {}; only LZ4 (1) is read", flags >> 5));
    }
    if flags & BIT_SHUFFLED != 0 {
        return Err("it uses Blosc's bit shuffle, which OpenVDB does not write".into());
    }
    if block_length == 0 {
        return Err("the Blosc block size is zero".into());
    }
    let shuffled = flags & SHUFFLED != 0 && element > 1;
    let mut plain = vec![0; plain_length];
    let mut scratch = vec![0; if shuffled { block_length.min(plain_length) } else { 0 }];
    for (index, block) in plain.chunks_mut(block_length).enumerate() {
        let start = number(container, HEADER_BYTES + 4 * index)?;
        let split = flags & NOT_SPLIT == 0
            && element <= MOST_STREAMS
            && block_length / element >= LEAST_SPLIT_ELEMENTS
            && block.len() == block_length;
        let streams = if split { element } else { 1 };
        if shuffled {
            let scratch = &mut scratch[..block.len()];
            unpack_block(container, start, streams, scratch)?;
            unshuffle(scratch, block, element);
        } else {
            unpack_block(container, start, streams, block)?;
        }
    }
    Ok(plain)
}

/// The 32-bit number at `place`.
fn number(container: &[u8], place: usize) -> Result<usize, String> {
    let bytes = container.get(place..).and_then(|rest| rest.first_chunk::<4>());
    let bytes = bytes.ok_or("the Blosc container is cut short")?;
    Ok(u32::from_le_bytes(*bytes) as usize)
}

/// Unpacks the streams that begin at `start` into `block`.
fn unpack_block(
    container: &[u8],
    mut start: usize,
    streams: usize,
    block: &mut [u8],
) -> Result<(), String> {
    // A block is split only if it is whole; blocks of a whole number of elements leave no rest.
    if !block.len().is_multiple_of(streams) {
        return Err("a Blosc block is not a whole number of elements".into());
    }
    for stream in block.chunks_mut((block.len() / streams).max(1)) {
        let length = number(container, start)?;
        let packed = container
            .get(start + 4..)
            .and_then(|rest| rest.get(..length))
            .ok_or("a Blosc stream is cut short")?;
        if length == stream.len() {
            stream.copy_from_slice(packed);
        } else {
            match lz4_flex::block::decompress_into(packed, stream) {
                Ok(written) if written == stream.len() => {}
                Ok(written) => {
                    return Err(format!("an LZ4 stream gave {written} of {} bytes", stream.len()));
                }
                Err(error) => return Err(format!("an LZ4 stream is damaged ({error})")),
            }
        }
        start += 4 + length;
    }
    Ok(())
}

/// Undoes the byte shuffle: first bytes of all elements, then second bytes, …, then what is left
/// of a last, incomplete element.
fn unshuffle(shuffled: &[u8], plain: &mut [u8], element: usize) {
    let elements = plain.len() / element;
    for byte in 0..element {
        for index in 0..elements {
            plain[index * element + byte] = shuffled[byte * elements + index];
        }
    }
    let whole = elements * element;
    plain[whole..].copy_from_slice(&shuffled[whole..]);
}
