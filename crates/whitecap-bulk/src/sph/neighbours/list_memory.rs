//! Memory of lists whose length changes a little from step to step.
//!
//! Neighbour lists are the largest part of a liquid's memory. They grow by a thirty-second instead
//! of doubling, and a list that was once much longer than it is now releases memory.

/// Room that is always kept.
const LEAST: usize = 16;

/// Makes room for `more` values.
#[inline]
pub(crate) fn reserve_with_slack<T>(list: &mut Vec<T>, more: usize) {
    let needed = list.len() + more;
    if needed > list.capacity() {
        list.reserve_exact((needed + needed / 32 + LEAST) - list.len());
    }
}

/// Removes all values, and half of the memory if less than a quarter was used.
pub(crate) fn clear_and_shrink<T>(list: &mut Vec<T>) {
    if list.capacity() > 4 * list.len() + 4 * LEAST {
        list.shrink_to(list.capacity() / 2);
    }
    list.clear();
}
