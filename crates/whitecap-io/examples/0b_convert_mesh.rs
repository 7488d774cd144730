//! Converts a mesh from any format to any other.
//!
//! `cargo run -p whitecap-io --example 0b_convert_mesh -- bunny.obj bunny.glb`

use std::process::ExitCode;

use whitecap_io::{read_mesh, write_mesh};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: 0b_convert_mesh FROM TO");
        return ExitCode::FAILURE;
    };
    match read_mesh(from).and_then(|mesh| write_mesh(to, &mesh)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
