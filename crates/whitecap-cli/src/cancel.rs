//! Ctrl-C, and the system's request to terminate: the first one asks to stop where what is finished can be
//! kept, the second stops at once.
//!
//! Hang-ups keep their usual meaning, so that `nohup` works; a command that is killed leaves no broken file
//! either.

use std::io::{self, Write};

use whitecap_shot::CancelToken;

/// The exit code of a cancelled command.
pub const CANCELLED: u8 = 130;

/// Makes Ctrl-C and a request to terminate cancel `token`.
pub fn on_interrupt(token: &CancelToken) -> io::Result<()> {
    let interrupted = token.clone();
    ctrlc::set_handler(move || stop(&interrupted)).map_err(io::Error::other)?;
    #[cfg(unix)]
    on_terminate(token.clone())?;
    Ok(())
}

/// Schedulers and service managers send SIGTERM some time before they kill.
#[cfg(unix)]
fn on_terminate(token: CancelToken) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])?;
    std::thread::Builder::new()
        .name(String::from("terminate"))
        .spawn(move || signals.forever().for_each(|_| stop(&token)))?;
    Ok(())
}

fn stop(token: &CancelToken) {
    if token.is_cancelled() {
        // Every write is atomic, so even this leaves no broken file behind.
        std::process::exit(i32::from(CANCELLED));
    }
    token.cancel();
    let _ = writeln!(
        io::stderr(),
        "\nStopping; what is finished is kept. Press Ctrl-C again to stop at once."
    );
}
