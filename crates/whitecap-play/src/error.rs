//! What can go wrong with a live view.

use whitecap_pipes::PipeError;

/// Why there is no live view, or no longer one.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The port cannot be used.
    #[error("port {port} of this machine cannot be used: {cause}; another --port, or none, may do")]
    Port {
        /// Which port; 0 is any free one.
        port: u16,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The system has no random numbers for the token.
    #[error("the system gives no random numbers, which keep others out: {0}")]
    Token(getrandom::Error),
    /// The liquid cannot go on.
    #[error("the liquid cannot go on: {0}")]
    Liquid(#[from] PipeError),
    /// The terrain cannot move on.
    #[error("the terrain cannot move on: {0}")]
    Terrain(String),
}
