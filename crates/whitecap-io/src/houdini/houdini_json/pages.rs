//! Houdini's paged arrays.
//!
//! Points come in pages of a fixed number. The components of a value are split into packs; a page
//! stores its packs one after the other, and a pack whose value is constant over the page is stored
//! once. So the data of points 0–3 with page size 2, packs [1, 2] and the first pack constant on
//! the first page reads `x01 y0z0 y1z1 | x2 x3 y2z2 y3z3`.

use crate::encoding::scalar::Values;

/// The largest page that may be stored as a constant. Houdini's have 1024 points; the limit keeps
/// a small file from claiming billions of equal points.
const LARGEST_CONSTANT_PAGE: usize = 4096;

/// How the numbers are arranged.
#[derive(Clone, Debug)]
pub(super) struct PageLayout {
    /// Points in all pages.
    pub count: usize,
    /// Points in every page but the last.
    pub page_size: usize,
    /// Components of each pack.
    pub packing: Vec<usize>,
    /// For each pack, whether it is constant on each page; an empty list means never.
    pub constant: Vec<Vec<bool>>,
}

impl PageLayout {
    /// Arranges `raw` point by point. The message of a failure can follow the attribute's name.
    pub fn unpack(&self, raw: &Values) -> Result<Values, String> {
        Ok(match raw {
            Values::F32(numbers) => Values::F32(self.arrange(numbers)?),
            Values::I32(numbers) => Values::I32(self.arrange(numbers)?),
            Values::I64(numbers) => Values::I64(self.arrange(numbers)?),
        })
    }

    fn arrange<T: Copy + Default>(&self, raw: &[T]) -> Result<Vec<T>, String> {
        let components: usize = self.packing.iter().sum();
        let pages = self.check(raw.len(), components)?;
        let mut values = vec![T::default(); self.count * components];
        let mut stored = raw;
        let page_length = self.page_size.saturating_mul(components);
        for (page, points) in values.chunks_mut(page_length).enumerate() {
            let point_count = points.len() / components;
            let mut first = 0;
            for (pack, &width) in self.packing.iter().enumerate() {
                let constant = self.is_constant(pack, page)?;
                let length = if constant { width } else { width * point_count };
                let (numbers, rest) = stored
                    .split_at_checked(length)
                    .ok_or_else(|| format!("ends in page {page} of {pages}"))?;
                stored = rest;
                for (index, point) in points.chunks_exact_mut(components).enumerate() {
                    let start = if constant { 0 } else { index * width };
                    point[first..first + width].copy_from_slice(&numbers[start..start + width]);
                }
                first += width;
            }
        }
        Ok(values)
    }

    /// The number of pages, after making sure that `stored` numbers can fill them.
    fn check(&self, stored: usize, components: usize) -> Result<usize, String> {
        if self.page_size == 0 || self.packing.contains(&0) || components == 0 {
            return Err("has pages or packs of size 0".to_string());
        }
        let constant = self.constant.iter().flatten().any(|&flag| flag);
        if constant && self.page_size > LARGEST_CONSTANT_PAGE {
            return Err(format!(
                "has constant pages of {} points; at most {LARGEST_CONSTANT_PAGE} are read",
                self.page_size
            ));
        }
        // A page stores every component at least once; without constants, once per point.
        let pages = self.count.div_ceil(self.page_size);
        let least = if constant { pages } else { self.count };
        if stored / components < least {
            return Err(format!("stores {stored} numbers, too few for {} points", self.count));
        }
        Ok(pages)
    }

    fn is_constant(&self, pack: usize, page: usize) -> Result<bool, String> {
        match self.constant.get(pack) {
            None => Ok(false),
            Some(flags) if flags.is_empty() => Ok(false),
            Some(flags) => flags
                .get(page)
                .copied()
                .ok_or_else(|| format!("does not say whether page {page} is constant")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: packs, constant packs and a short last page are assembled point by point.
    #[test]
    fn mixed_pages_are_unpacked() {
        let layout = PageLayout {
            count: 5,
            page_size: 2,
            packing: vec![1, 2],
            constant: vec![vec![true, false, true], vec![false, true, false]],
        };
        let raw = Values::I32(vec![10, 20, 30, 21, 31, 12, 13, 22, 32, 14, 24, 34]);
        let expected = vec![10, 20, 30, 10, 21, 31, 12, 22, 32, 13, 22, 32, 14, 24, 34];
        assert_eq!(layout.unpack(&raw).unwrap(), Values::I32(expected));
    }

    /// Contract: constant pages cannot be used to claim more points than the file could hold.
    #[test]
    fn constant_pages_cannot_claim_billions_of_points() {
        let mut layout = PageLayout {
            count: 4_000_000_000,
            page_size: 4_000_000_000,
            packing: vec![3],
            constant: vec![vec![true]],
        };
        let raw = Values::F32(vec![0.0; 3]);
        assert!(layout.unpack(&raw).is_err());
        layout.page_size = 1024;
        assert!(layout.unpack(&raw).is_err());
    }
}
