//! Lists of numbers, written compactly.

/// How many runs are written out; nobody reads a sentence with more of them.
const MOST_RUNS: usize = 5;

/// Ascending numbers, with consecutive ones joined by `to`; the sixth run and all after it are left
/// out.
///
/// ```
/// use whitecap_io::number_ranges;
///
/// assert_eq!(number_ranges(&[3, 7, 8, 9], "-"), "3, 7-9");
/// assert_eq!(number_ranges(&[-5, -4], " to "), "-5 to -4");
/// assert_eq!(number_ranges(&[1, 3, 5, 7, 9, 11, 13], "-"), "1, 3, 5, 7, 9 and more");
/// ```
pub fn number_ranges(numbers: &[i64], to: &str) -> String {
    let runs: Vec<&[i64]> = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b)).collect();
    let words = |run: &&[i64]| match run {
        [only] => only.to_string(),
        [first, .., last] => format!("{first}{to}{last}"),
        [] => String::new(),
    };
    let named: Vec<String> = runs.iter().take(MOST_RUNS).map(words).collect();
    let more = if runs.len() > MOST_RUNS { " and more" } else { "" };
    format!("{}{more}", named.join(", "))
}
