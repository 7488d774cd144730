//! Where everything goes on a sheet.

use noto_sans_mono_bitmap::FontWeight;
use whitecap_io::image::Image;

use super::arguments::Request;
use super::lettering::Lettering;
use crate::failure::Failure;

/// Largest number of pixels of a sheet; four gigabytes of memory.
const MOST_PIXELS: usize = 1 << 28;

/// A line of text and the top left corner it begins at.
pub struct Line {
    /// What is written.
    pub text: String,
    /// Column and row.
    pub at: [usize; 2],
    /// Its lettering.
    pub lettering: Lettering,
}

/// Places and sizes in pixels.
pub struct Layout {
    columns: usize,
    cell: [usize; 2],
    gap: usize,
    /// Height of the title, the gap below it included.
    head: usize,
    /// Height of a row of captions.
    foot: usize,
    size: [usize; 2],
    lines: Vec<Line>,
}

impl Layout {
    /// For one picture per caption, each of the size of the first.
    pub fn new(request: &Request, first: &Image, captions: &[String]) -> Result<Self, Failure> {
        let count = captions.len();
        let columns = request.columns.unwrap_or_else(|| square(count)).min(count);
        let cell = cell_size(request, first);
        let gap = (cell[0] / 40).clamp(4, 32);
        let lettering = Lettering::for_width(cell[0], FontWeight::Regular);
        let width = gap + columns * (cell[0] + gap);
        let title = lettering.larger();
        let titles = title.lines(&request.title, width - 2 * gap);
        let head = titles.len() * title.line_height();
        let captions: Vec<Vec<String>> =
            captions.iter().map(|caption| lettering.lines(caption, cell[0])).collect();
        let most_lines = captions.iter().map(Vec::len).max().unwrap_or(0);
        let foot = most_lines * lettering.line_height();
        let rows = count.div_ceil(columns.max(1));
        let height = gap + head + rows * (cell[1] + foot + gap);
        if width.saturating_mul(height) > MOST_PIXELS {
            return Err(Failure::Usage(format!(
                "the sheet would have {width} x {height} pixels; make it smaller with --cell-width, --every or --frames"
            )));
        }
        let mut layout =
            Self { columns, cell, gap, head, foot, size: [width, height], lines: Vec::new() };
        layout.place_text(&titles, title, &captions, lettering);
        Ok(layout)
    }

    fn place_text(
        &mut self,
        titles: &[String],
        title: Lettering,
        captions: &[Vec<String>],
        lettering: Lettering,
    ) {
        for (number, text) in titles.iter().enumerate() {
            let at = [self.gap, self.gap / 2 + number * title.line_height()];
            self.lines.push(Line { text: text.clone(), at, lettering: title });
        }
        for (place, caption) in captions.iter().enumerate() {
            let [left, top] = self.corner(place);
            for (number, text) in caption.iter().enumerate() {
                // In the middle below its picture.
                let inset = self.cell[0].saturating_sub(lettering.width_of(text)) / 2;
                let row = top + self.cell[1] + 2 + number * lettering.line_height();
                self.lines.push(Line { text: text.clone(), at: [left + inset, row], lettering });
            }
        }
    }

    /// Pictures in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Width and height of the sheet.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Width and height of the place for a picture.
    pub fn cell(&self) -> [usize; 2] {
        self.cell
    }

    /// Column and row of the top left corner of a picture.
    pub fn corner(&self, place: usize) -> [usize; 2] {
        let (column, row) = (place % self.columns, place / self.columns);
        let left = self.gap + column * (self.cell[0] + self.gap);
        let top = self.gap + self.head + row * (self.cell[1] + self.foot + self.gap);
        [left, top]
    }

    /// Every line of text.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

/// A number of columns about equal to the number of rows, or larger; up to four pictures are in one
/// row.
fn square(count: usize) -> usize {
    match count {
        0..=4 => count.max(1),
        _ => (count as f64).sqrt().ceil() as usize,
    }
}

fn cell_size(request: &Request, first: &Image) -> [usize; 2] {
    let (width, height) = (first.width().max(1), first.height().max(1));
    match request.cell_width {
        Some(wanted) => {
            let scaled = (height as f64 * wanted as f64 / width as f64).round() as usize;
            [wanted, scaled.max(1)]
        }
        None => [width, height],
    }
}
