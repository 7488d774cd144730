//! glTF as other programs write it, and as the standard wants it.

use std::path::Path;

use whitecap_core::glam::{Vec2, Vec3};
use whitecap_core::{Column, TriMesh};
use whitecap_io::{Format, gltf, parse_mesh_noted};

/// Contract: glTF as trimesh writes it is read: several meshes as one, each where its node puts it,
/// mirrored ones with their triangles turned, indices of 8 to 32 bits.
#[test]
fn gltf_of_other_programs() {
    let noted =
        parse_mesh_noted(include_bytes!("files/trimesh.glb"), Format::Glb, Path::new("a")).unwrap();
    let mesh = noted.data;
    assert_eq!((mesh.positions().len(), mesh.triangles().len()), (16, 24));
    // A cube of 1 m at the origin, and one twice as large, mirrored and moved by (10, 0, 0).
    let bounds = mesh.bounds();
    assert_eq!((bounds.min, bounds.max), (Vec3::new(-0.5, -1.0, -1.0), Vec3::new(11.0, 1.0, 1.0)));
    let volume: f32 = (0..24)
        .map(|triangle| {
            let [a, b, c] = mesh.corners(triangle);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!((volume - 9.0).abs() < 1e-4, "{volume}");
    let Some(Column::Vec4(colors)) = mesh.attribute("color") else { panic!("no colours") };
    assert_eq!(colors[0].to_array().map(|c| (255.0 * c).round() as u8), [255, 0, 0, 255]);
}

/// Contract: triangles, strips and fans give the same surface; normalized bytes become 0 to 1; an
/// attribute that only some meshes have, points, and vertices at one place are told of.
#[test]
fn gltf_of_every_mode() {
    let corners: Vec<u8> = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let colors = [255_u8, 0, 51, 0].repeat(4);
    let data = [corners, colors].concat();
    let read = |mode: u32, more: &str| {
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0,"translation":[0,0,5]}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"COLOR_0":1}},"mode":{mode}}}{more}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
            {{"bufferView":1,"componentType":5121,"normalized":true,"count":4,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":16,"byteStride":4}}],
            "buffers":[{{"byteLength":64}}]}}"#
        );
        let mut json = json.into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut glb = b"glTF\x02\0\0\0".to_vec();
        glb.extend((28 + json.len() as u32 + 64).to_le_bytes());
        glb.extend((json.len() as u32).to_le_bytes());
        glb.extend(b"JSON");
        glb.extend(json);
        glb.extend(64_u32.to_le_bytes());
        glb.extend(b"BIN\0");
        glb.extend(&data);
        parse_mesh_noted(&glb, Format::Glb, Path::new("a.glb")).unwrap()
    };
    let strip = read(5, "");
    assert_eq!(strip.data.triangles(), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(strip.data.positions()[3], Vec3::new(1.0, 1.0, 5.0));
    assert_eq!(
        strip.data.attribute("color"),
        Some(&Column::Vec3(vec![Vec3::new(1.0, 0.0, 0.2); 4]))
    );
    assert_eq!(read(6, "").data.triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(read(4, "").data.triangles(), [[0, 1, 2]]);
    assert_eq!(strip.notes.len(), 0);
    let several =
        read(4, r#",{"attributes":{"POSITION":0}},{"attributes":{"POSITION":0},"mode":0}"#);
    assert_eq!(several.data.triangles(), [[0, 1, 2], [4, 5, 6]]);
    assert!(several.data.attributes().is_empty());
    let told = several.notes.join("; ");
    assert!(told.contains("not every mesh of the scene has `color`"), "{told}");
    assert!(told.contains("points and lines") && told.contains("4 vertices lie exactly"), "{told}");
}

/// Contract: the data of a `.gltf` file may lie in plain files in its folder or below, and nowhere
/// else: not above, not at an absolute path or an address, not behind a link that leads out.
#[test]
fn gltf_reads_no_file_outside_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("scene");
    std::fs::create_dir_all(inside.join("da ta")).unwrap();
    let mesh = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let glb = gltf::to_glb(&mesh, Path::new("m.glb")).unwrap();
    let json_length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json = std::str::from_utf8(&glb[20..20 + json_length]).unwrap();
    let data = &glb[28 + json_length..];
    for place in ["scene/a.bin", "scene/da ta/b.bin", "secret.bin"] {
        std::fs::write(folder.path().join(place), data).unwrap();
    }
    let document = inside.join("a.gltf");
    let read = |uri: &str| {
        let uri = uri.replace('\\', "\\\\");
        let with_uri =
            json.replace("\"buffers\":[{", &format!("\"buffers\":[{{\"uri\":\"{uri}\","));
        assert_ne!(with_uri, json);
        std::fs::write(&document, with_uri).unwrap();
        whitecap_io::read_mesh(&document)
    };
    for uri in ["a.bin", "./a.bin", "da%20ta/b.bin"] {
        assert_eq!(read(uri).unwrap().positions(), mesh.positions(), "{uri}");
    }
    let absolute = folder.path().join("secret.bin").display().to_string();
    for uri in [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "da ta/../../secret.bin",
        &absolute,
        "file:///etc/passwd",
        "http://example.com/a.bin",
        "..\\secret.bin",
    ] {
        let message = read(uri).unwrap_err().to_string();
        assert!(message.contains("only files in the same folder or below"), "{uri}: {message}");
    }
    assert!(read("da%20ta").unwrap_err().to_string().contains("not a plain file"));
    assert!(read("missing.bin").unwrap_err().to_string().contains("cannot read"));
    std::fs::write(inside.join("short.bin"), &data[..8]).unwrap();
    assert!(read("short.bin").unwrap_err().to_string().contains("in this file of 8"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.bin", inside.join("link.bin")).unwrap();
        let message = read("link.bin").unwrap_err().to_string();
        assert!(message.contains("only files in the same folder or below"), "{message}");
    }
}

/// Contract: glTF meets the requirements of the standard: lengths, alignment, bounds, accessors that lie in
/// their views, and indices below the vertex count.
#[test]
fn gltf_is_valid() {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y, Vec3::Z];
    let mut mesh = TriMesh::new(corners, vec![[0, 1, 4], [1, 2, 4]]).unwrap();
    mesh.set_attribute("normal", Column::Vec3(vec![Vec3::ZERO; 5])).unwrap();
    mesh.set_attribute("uv", Column::Vec2(vec![Vec2::new(0.25, 0.0); 5])).unwrap();
    mesh.set_attribute("heat", Column::F32(vec![2.0; 5])).unwrap();
    let glb = gltf::to_glb(&mesh, Path::new("m.glb")).unwrap();
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&glb[..4], word(4), word(8)), (&b"glTF"[..], 2, glb.len()));
    let json_length = word(12);
    assert_eq!((&glb[16..20], json_length % 4), (&b"JSON"[..], 0));
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + json_length]).unwrap();
    assert_eq!(&glb[24 + json_length..28 + json_length], b"BIN\0");
    let data = &glb[28 + json_length..];
    assert_eq!(json["buffers"][0]["byteLength"], data.len());
    let attributes = &json["meshes"][0]["primitives"][0]["attributes"];
    let floats = |name: &str| -> Vec<f32> {
        let accessor = &json["accessors"][attributes[name].as_u64().unwrap() as usize];
        assert_eq!(accessor["count"], 5);
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap() as usize;
        let bytes = &data[start..start + view["byteLength"].as_u64().unwrap() as usize];
        assert_eq!(start % 4, 0);
        bytes.chunks(4).map(|number| f32::from_le_bytes(number.try_into().unwrap())).collect()
    };
    assert_eq!(floats("POSITION")[12..], [0.0, 0.0, 1.0]);
    assert_eq!(floats("NORMAL")[..3], [0.0, 1.0, 0.0]);
    assert_eq!(floats("TEXCOORD_0")[..2], [0.25, 1.0]);
    assert_eq!(floats("_HEAT"), [2.0; 5]);
    let position = &json["accessors"][attributes["POSITION"].as_u64().unwrap() as usize];
    assert_eq!(position["max"], serde_json::json!([1.0, 1.0, 1.0]));
    let indices = json["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
    assert_eq!(json["accessors"][indices]["count"], 6);

    let empty = gltf::to_gltf(&TriMesh::default(), Path::new("m.gltf")).unwrap();
    let empty: serde_json::Value = serde_json::from_slice(&empty).unwrap();
    assert!(empty.get("meshes").is_none() && empty.get("accessors").is_none());
    mesh.positions_mut()[3].y = f32::NAN;
    let message = gltf::to_glb(&mesh, Path::new("m.glb")).unwrap_err().to_string();
    assert!(message.contains("position of vertex 3"), "{message}");
}
