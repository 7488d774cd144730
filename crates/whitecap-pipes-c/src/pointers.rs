//! From C pointers to references, with every possible check.

use crate::status::{Refusal, WhitecapPipesStatus};

fn check<T>(name: &str, pointer: *const T) -> Result<(), Refusal> {
    let what_is_wrong = match () {
        () if pointer.is_null() => "null",
        () if !pointer.is_aligned() => "not aligned for its type",
        () => return Ok(()),
    };
    let sentence = format!("the pointer `{name}` is {what_is_wrong}");
    Err(Refusal::new(WhitecapPipesStatus::BadPointer, sentence))
}

/// What a pointer points to.
///
/// # Safety
/// Unless null or misaligned, it must point to a live value that nobody writes to for as long as `'a`.
pub(crate) unsafe fn reference<'a, T>(name: &str, pointer: *const T) -> Result<&'a T, Refusal> {
    check(name, pointer)?;
    // SAFETY: not null and aligned; the rest is the caller's promise.
    Ok(unsafe { &*pointer })
}

/// What a pointer points to, mutably.
///
/// # Safety
/// Unless null or misaligned, it must point to a live value that nobody else uses for as long as `'a`.
pub(crate) unsafe fn exclusive<'a, T>(name: &str, pointer: *mut T) -> Result<&'a mut T, Refusal> {
    check(name, pointer)?;
    // SAFETY: not null and aligned; the rest is the caller's promise.
    Ok(unsafe { &mut *pointer })
}

/// The array of `count` entries that a pointer points to. An array without entries may be null.
///
/// # Safety
/// Unless null or misaligned, it must point to `count` live values that nobody writes to for as long as
/// `'a`.
pub(crate) unsafe fn array<'a, T>(
    name: &str,
    pointer: *const T,
    count: usize,
) -> Result<&'a [T], Refusal> {
    if count == 0 {
        return Ok(&[]);
    }
    check(name, pointer)?;
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        let sentence = format!("`{name}` has {count} entries, more than memory can hold");
        return Err(Refusal::new(WhitecapPipesStatus::WrongSize, sentence));
    }
    // SAFETY: not null, aligned, and not larger than memory; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Writes to where a pointer points, unless it is null.
///
/// # Safety
/// Unless null or misaligned, it must point to memory for one value.
pub(crate) unsafe fn write_if_wanted<T>(
    name: &str,
    pointer: *mut T,
    value: T,
) -> Result<(), Refusal> {
    if pointer.is_null() {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    unsafe { write(name, pointer, value) }
}

/// Writes to where a pointer points.
///
/// # Safety
/// Unless null or misaligned, it must point to memory for one value.
pub(crate) unsafe fn write<T>(name: &str, pointer: *mut T, value: T) -> Result<(), Refusal> {
    check(name, pointer)?;
    // SAFETY: not null and aligned; the rest is the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}
