//! Finding the few elements of a long array that matter.

/// Values that are tested together.
const STRETCH: usize = 64;

/// Indices of the wanted values; long runs without one are skipped quickly.
pub(crate) fn places<T: Copy>(
    values: &[T],
    is_wanted: impl Fn(T) -> bool + Copy,
) -> impl Iterator<Item = usize> {
    let any = move |stretch: &[T]| stretch.iter().fold(false, |any, &value| any | is_wanted(value));
    values.chunks(STRETCH).enumerate().filter(move |(_, stretch)| any(stretch)).flat_map(
        move |(number, stretch)| {
            let wanted = stretch.iter().enumerate().filter(move |&(_, &value)| is_wanted(value));
            wanted.map(move |(place, _)| number * STRETCH + place)
        },
    )
}
