//! The files of the page, which are part of the program.

/// A file of the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    path: &'static str,
    pub kind: &'static str,
    pub content: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

macro_rules! file {
    ($path:literal, $kind:expr) => {
        File { path: $path, kind: $kind, content: include_str!(concat!("../page", $path)) }
    };
}

static FILES: [File; 17] = [
    file!("/index.html", HTML),
    file!("/style.css", CSS),
    file!("/main.js", SCRIPT),
    file!("/camera.js", SCRIPT),
    file!("/controls.js", SCRIPT),
    file!("/matrix.js", SCRIPT),
    file!("/mesh.js", SCRIPT),
    file!("/stream.js", SCRIPT),
    file!("/units.js", SCRIPT),
    file!("/view.js", SCRIPT),
    file!("/shaders/drops.frag", TEXT),
    file!("/shaders/drops.vert", TEXT),
    file!("/shaders/light.glsl", TEXT),
    file!("/shaders/liquid.frag", TEXT),
    file!("/shaders/mesh.vert", TEXT),
    file!("/shaders/shadow.frag", TEXT),
    file!("/shaders/terrain.frag", TEXT),
];

/// The file at a path.
pub(crate) fn file(path: &str) -> Option<&'static File> {
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().find(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: every file that a file of the page imports, loads or links is there, and none is from
    /// the network.
    #[test]
    fn the_page_is_whole() {
        let starts = ["from \"./", "src=\"/", "href=\"/", "load(\"/"];
        let mut found = 0;
        for file in &FILES {
            for start in starts {
                for rest in file.content.split(start).skip(1) {
                    let name = rest.split('"').next().unwrap_or("");
                    let path = format!("/{name}");
                    assert!(super::file(&path).is_some(), "{} needs {path}", file.path);
                    found += 1;
                }
            }
            assert!(!file.content.contains("://") || file.path == "/stream.js", "{}", file.path);
        }
        assert!(found > 15);
    }
}
