//! Shallow liquid to play with: a local server with one page on which a [`PipeScene`](whitecap_pipes::PipeScene) is seen and touched
//! while it runs.
//!
//! The liquid runs natively, sixty frames a second, in a thread of its own (`simulation`). Browsers ask
//! for what is new and say what the hand does (`message`); they get vertex and index buffers that go to
//! the graphics card as they are (`packing`). The page is part of the program (`page`): plain modules and
//! shaders, without a network.
//!
//! # Guarantees
//! * The server listens on the loopback address only.
//! * Requests for another host (DNS rebinding) and from other origins are refused; the socket also needs
//!   the token that was made at random for this run (`request`).
//! * Heads, messages and the number of connections are bounded; whoever sends nonsense is cut off
//!   (`session`). Nothing that is sent can cause a panic.
//!
//! # Non-guarantees
//! All who have the address share one liquid. A liquid too large for its sixty frames a second, or a
//! terrain that takes long to read, runs slower than real time. What was carved into a terrain that moves
//! is gone with its next frame.

mod error;
mod exchange;
mod message;
mod packing;
mod page;
mod request;
mod scene;
mod server;
mod session;
mod sides;
mod simulation;
mod strike;

pub use error::PlayError;
pub use scene::demo_scene;
pub use server::Server;
