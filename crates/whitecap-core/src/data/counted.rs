//! Counts in sentences.

/// `1 frame`, `3 frames`: a count with its noun, whose plural ends in `s`.
pub fn counted(count: usize, noun: &str) -> String {
    counted_as(count, noun, &format!("{noun}s"))
}

/// `1 vertex`, `3 vertices`: a count with its noun in the right form.
pub fn counted_as(count: usize, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: only one is singular; none is plural.
    #[test]
    fn noun_and_count_agree() {
        assert_eq!(
            [0, 1, 2].map(|count| counted(count, "frame")),
            ["0 frames", "1 frame", "2 frames"]
        );
        assert_eq!(counted_as(1, "vertex", "vertices"), "1 vertex");
        assert_eq!(counted_as(2, "vertex", "vertices"), "2 vertices");
    }
}
