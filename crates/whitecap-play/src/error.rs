//! What can go wrong with a live view.

use whitecap_pipes::PipeError;

/// Why a live view cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The port cannot be used.
    #[error(
        "port {port} of this machine cannot be used: {cause}; try another --port, or leave it out"
    )]
    Port {
        /// Which port; 0 is any free one.
        port: u16,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The system has no random numbers for the token.
    #[error("the system has no random numbers for the token that keeps others out: {0}")]
    Token(getrandom::Error),
    /// The liquid cannot continue.
    #[error("the liquid cannot continue: {0}")]
    Liquid(#[from] PipeError),
    /// The terrain cannot move to its next frame.
    #[error("the terrain cannot move to its next frame: {0}")]
    Terrain(String),
}
