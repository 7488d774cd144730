//! The message about the last refused call of a thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static SENTENCE: RefCell<CString> = RefCell::default();
}

/// Stores a message for [`whitecap_pipes_last_error`].
pub(crate) fn remember(sentence: String) {
    let bytes: Vec<u8> = sentence.into_bytes().into_iter().filter(|&byte| byte != 0).collect();
    // A thread that is ending has no storage left, and cannot ask any more.
    let _ = SENTENCE.try_with(|kept| *kept.borrow_mut() = CString::new(bytes).unwrap_or_default());
}

/// What was wrong with the last call of this thread that did not return OK: a sentence in UTF-8,
/// empty if there was none. Valid until the next call of this thread that does not return OK.
#[unsafe(no_mangle)]
pub extern "C" fn whitecap_pipes_last_error() -> *const c_char {
    SENTENCE.try_with(|kept| kept.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
