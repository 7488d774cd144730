//! The built-in scene in a browser: prints the address to open, and runs until it is stopped.
//!
//! `cargo run --release -p whitecap-play --example 1_play`

use whitecap_play::{PlayError, Server, demo_scene};

fn main() -> Result<(), PlayError> {
    let server = Server::bind(0)?;
    println!("{}", server.address());
    server.run(demo_scene()?, &|| false)
}
