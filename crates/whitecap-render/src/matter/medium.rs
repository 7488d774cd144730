//! Which transparent bodies a ray is in (Schmidt & Budge 2002).
//!
//! Bodies may overlap. Where they do, the one with the highest priority counts, and the surfaces of
//! the others are passed as if they did not exist. Of bodies with the same priority, the one
//! entered first counts.

/// Largest number of bodies that one ray can be in at a time; more are ignored.
const CAPACITY: usize = 12;

/// The bodies a ray is in, in the order they were entered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MediumStack {
    objects: [u32; CAPACITY],
    count: usize,
}

/// What a ray finds at the surface of a transparent body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crossing {
    /// A surface hidden inside another body.
    Hidden,
    /// An interface between two media; `None` is the air outside everything.
    Interface { from: Option<u32>, to: Option<u32> },
}

impl MediumStack {
    /// The body whose matter is here.
    pub(crate) fn current(&self, priority: &impl Fn(u32) -> i32) -> Option<u32> {
        let mut best: Option<(u32, i32)> = None;
        for &object in &self.objects[..self.count] {
            let rank = priority(object);
            if best.is_none_or(|(_, highest)| rank > highest) {
                best = Some((object, rank));
            }
        }
        best.map(|(object, _)| object)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn contains(&self, object: u32) -> bool {
        self.objects[..self.count].contains(&object)
    }

    pub(crate) fn enter(&mut self, object: u32) {
        if self.count < CAPACITY {
            self.objects[self.count] = object;
            self.count += 1;
        }
    }

    /// Removes the latest entry of an object.
    pub(crate) fn leave(&mut self, object: u32) {
        if let Some(place) = self.objects[..self.count].iter().rposition(|&o| o == object) {
            self.objects.copy_within(place + 1..self.count, place);
            self.count -= 1;
        }
    }

    /// The stack behind the surface of an object, and the kind of surface.
    pub(crate) fn across(
        &self,
        object: u32,
        enters: bool,
        priority: &impl Fn(u32) -> i32,
    ) -> (MediumStack, Crossing) {
        let mut behind = *self;
        let mut before = *self;
        if enters {
            behind.enter(object);
        } else if self.contains(object) {
            behind.leave(object);
        } else {
            // The ray was already inside, unnoticed.
            before.enter(object);
        }
        let (from, to) = (before.current(priority), behind.current(priority));
        let crossing = if from == to { Crossing::Hidden } else { Crossing::Interface { from, to } };
        (behind, crossing)
    }
}
