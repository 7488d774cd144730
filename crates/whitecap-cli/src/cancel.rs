//! Ctrl-C: the first press asks to stop after the current write, the second stops at once.
//!
//! Requests to terminate and hang-ups keep their usual meaning, so that `nohup` works; a command
//! that is killed leaves no broken file either.

use std::io::Write;

use whitecap_shot::CancelToken;

/// The exit code of a cancelled command.
pub const CANCELLED: u8 = 130;

/// Makes Ctrl-C cancel `token`.
pub fn on_interrupt(token: &CancelToken) -> Result<(), ctrlc::Error> {
    let token = token.clone();
    ctrlc::set_handler(move || {
        if token.is_cancelled() {
            // Every write is atomic, so even this leaves no broken file behind.
            std::process::exit(i32::from(CANCELLED));
        }
        token.cancel();
        let _ = writeln!(
            std::io::stderr(),
            "\nStopping after the current write. Press Ctrl-C again to stop at once."
        );
    })
}
