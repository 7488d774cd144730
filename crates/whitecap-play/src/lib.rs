//! Shallow liquid to play with: a local server with one page on which a
//! [`PipeScene`](whitecap_pipes::PipeScene) is shown and can be touched while it runs.
//!
//! The liquid runs natively, at sixty frames per second, in its own thread (`simulation`). Browsers
//! ask for what is new and say what the hand does (`message`); they get vertex and index buffers
//! that go to the graphics card unchanged (`packing`). The page is part of the program (`page`):
//! plain modules and shaders, and nothing from the network.
//!
//! # Guarantees
//! * The server listens on the loopback address only.
//! * Requests for another host (DNS rebinding) and from other origins are refused; the socket also needs
//!   the token that was made at random for this run (`request`).
//! * Request headers, messages and the number of connections are bounded; a client that sends
//!   nonsense is disconnected (`session`). Nothing that is sent can cause a panic.
//!
//! # Non-guarantees
//! Everyone who has the address shares one liquid. A liquid too large for sixty frames per second, or a
//! terrain that takes long to read, runs slower than real time. What was carved into a moving terrain is gone
//! at its next frame.

mod error;
mod exchange;
mod message;
mod packing;
mod page;
mod request;
mod room;
mod scene;
mod server;
mod session;
mod sides;
mod simulation;
mod strike;

pub use error::PlayError;
pub use scene::demo_scene;
pub use server::Server;
