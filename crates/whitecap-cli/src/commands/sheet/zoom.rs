//! A part of a picture, enlarged.

use std::path::Path;

use whitecap_io::image::Image;

use crate::failure::Failure;

/// A rectangle of a picture and how much larger it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    /// Left column.
    pub x: usize,
    /// Top row.
    pub y: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// How much larger.
    pub factor: f32,
}

impl Zoom {
    /// `X,Y,WIDTH,HEIGHT,FACTOR`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            "it must be X,Y,WIDTH,HEIGHT,FACTOR: whole pixels, and a factor from 1 to 64"
                .to_string()
        };
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let [x, y, width, height, factor] = parts[..] else { return Err(wrong()) };
        let pixels = |text: &str| text.parse::<u32>().map(|n| n as usize).map_err(|_| wrong());
        let zoom = Self {
            x: pixels(x)?,
            y: pixels(y)?,
            width: pixels(width)?,
            height: pixels(height)?,
            factor: factor.parse().map_err(|_| wrong())?,
        };
        let sensible = zoom.width > 0 && zoom.height > 0 && (1.0..=64.0).contains(&zoom.factor);
        if sensible { Ok(zoom) } else { Err(wrong()) }
    }

    /// Fails unless the rectangle lies inside the picture.
    pub fn check(&self, image: &Image, path: &Path) -> Result<(), Failure> {
        let inside = self.x + self.width <= image.width() && self.y + self.height <= image.height();
        match inside {
            true => Ok(()),
            false => Err(Failure::Usage(format!(
                "--zoom reaches from ({}, {}) to ({}, {}), beyond the {} x {} pixels of {}",
                self.x,
                self.y,
                self.x + self.width,
                self.y + self.height,
                image.width(),
                image.height(),
                path.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: five sensible numbers are accepted; anything else is refused with the expected
    /// form.
    #[test]
    fn zooms_are_understood() {
        let zoom = Zoom { x: 4, y: 5, width: 60, height: 7, factor: 2.5 };
        assert_eq!(Zoom::parse("4, 5,60,7,2.5"), Ok(zoom));
        for wrong in
            ["1,2,3,4", "1,2,3,4,5,6", "-1,2,3,4,5", "1,2,0,4,5", "1,2,3,4,0.5", "a,b,c,d,e"]
        {
            assert!(Zoom::parse(wrong).unwrap_err().contains("X,Y,WIDTH"), "{wrong}");
        }
    }
}
