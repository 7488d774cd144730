//! Letters from bitmaps of Noto Sans Mono, with soft edges.
//!
//! Only Latin-1 is supported; other letters become question marks.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Size and weight of letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lettering {
    weight: FontWeight,
    height: RasterHeight,
    /// Whole number by which letters are enlarged on very large sheets.
    factor: usize,
}

impl Lettering {
    /// Letters that suit a picture of this width in pixels.
    pub fn for_width(width: usize, weight: FontWeight) -> Self {
        let height = match width {
            0..400 => RasterHeight::Size16,
            400..800 => RasterHeight::Size20,
            800..1400 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        };
        Self { weight, height, factor: (width / 2400).max(1) }
    }

    /// Letters one size larger, and bold.
    pub fn larger(self) -> Self {
        let height = match self.height {
            RasterHeight::Size16 => RasterHeight::Size20,
            RasterHeight::Size20 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        };
        Self { weight: FontWeight::Bold, height, ..self }
    }

    /// Height of a line in pixels.
    pub fn line_height(self) -> usize {
        self.height.val() * self.factor + 4 * self.factor
    }

    /// Width of a text in pixels.
    pub fn width_of(self, text: &str) -> usize {
        text.chars().count() * get_raster_width(self.weight, self.height) * self.factor
    }

    /// Breaks a text into lines no wider than `width`, between words where possible.
    pub fn lines(self, text: &str, width: usize) -> Vec<String> {
        let letters = (width / self.width_of("m").max(1)).max(1);
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let mut rest: Vec<char> = word.chars().collect();
            while !rest.is_empty() {
                let used = lines.last().map_or(usize::MAX, |line| line.chars().count());
                if used < letters && used + 1 + rest.len() <= letters {
                    let line = lines.len() - 1;
                    lines[line].push(' ');
                    lines[line].extend(rest.drain(..));
                } else {
                    let taken = rest.len().min(letters);
                    lines.push(rest.drain(..taken).collect());
                }
            }
        }
        lines
    }

    /// Calls `dot(column, row, coverage)` for each pixel of a line that is not empty, coverage from 0 to
    /// 1.
    pub fn draw(self, text: &str, mut dot: impl FnMut(usize, usize, f32)) {
        let advance = get_raster_width(self.weight, self.height);
        for (place, character) in text.chars().enumerate() {
            let letter = get_raster(character, self.weight, self.height)
                .or_else(|| get_raster('?', self.weight, self.height));
            let Some(letter) = letter else { continue };
            for (row, line) in letter.rows().enumerate() {
                for (column, &coverage) in line.iter().enumerate().filter(|(_, c)| **c > 0) {
                    for offset in 0..self.factor * self.factor {
                        let (x, y) = (offset % self.factor, offset / self.factor);
                        let column = (place * advance + column) * self.factor + x;
                        dot(column, row * self.factor + y, f32::from(coverage) / 255.0);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Lettering {
        Lettering::for_width(100, FontWeight::Regular)
    }

    /// Contract: lines are no wider than asked for, hold every word in order, and break long words.
    #[test]
    fn texts_are_broken_into_lines() {
        let width = small().width_of("mmmmmmmm");
        let lines = small().lines("a film of oil on extraordinary water", width);
        assert_eq!(lines, ["a film", "of oil", "on", "extraord", "inary", "water"]);
        assert!(small().lines("  ", width).is_empty());
        assert_eq!(small().lines("ab", 0), ["a", "b"]);
    }

    /// Contract: letters stay inside their line, have soft edges, and unknown ones are question marks.
    #[test]
    fn letters_are_drawn() {
        let dots = |text: &str| {
            let mut dots = Vec::new();
            small().draw(text, |x, y, coverage| dots.push((x, y, coverage.to_bits())));
            dots
        };
        let found = dots("Ég°");
        assert!(found.len() > 40);
        assert!(found.iter().any(|dot| (0.1..0.9).contains(&f32::from_bits(dot.2))));
        let (width, height) = (small().width_of("Ég°"), small().line_height());
        assert!(found.iter().all(|dot| dot.0 < width && dot.1 < height));
        assert_eq!(dots("→"), dots("?"));
        assert!(dots(" ").is_empty());
    }
}
