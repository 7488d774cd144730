//! Contract: the page works in a real browser; see `browser/play.py`. Skipped unless
//! `WHITECAP_BROWSER_PYTHON` names a Python that has the package playwright, as `.ci/play` installs
//! it.

use std::io::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn the_page_works_in_a_browser() {
    let Some(python) = std::env::var_os("WHITECAP_BROWSER_PYTHON") else {
        // Not captured, so that it is seen when the tests run.
        let sentence = "skipped: the page in a real browser; .ci/play runs it";
        let _ = writeln!(std::io::stderr(), "{sentence}");
        return;
    };
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples/1_play");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/play.py");
    let output = Command::new(python).arg(script).arg(example).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{}", text.concat());
}
