//! Tests of the flags: on the real settings, and on a type with every shape.

use clap::Command;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use whitecap_shot::stages::{PipesStageSettings, SphStageSettings};
use whitecap_surface::{Method, SurfaceSettings};

use super::*;

fn flags_of<S: JsonSchema>() -> SettingFlags {
    SettingFlags::of_schema(&short_numbers(schemars::schema_for!(S).to_value()))
}

fn parse<S: JsonSchema + DeserializeOwned>(arguments: &[&str]) -> Result<S, String> {
    let flags = flags_of::<S>();
    let command = Command::new("test").args(flags.arguments()).no_binary_name(true);
    let matches = command.try_get_matches_from(arguments).map_err(|error| error.to_string())?;
    serde_json::from_value(Value::Object(flags.read(&matches))).map_err(|error| error.to_string())
}

/// Contract: every setting of surfacing and of liquids has a flag whose help has words, the unit
/// where there is one, and the default, or what leaving it out means.
#[test]
fn every_setting_has_a_documented_flag() {
    documented::<SurfaceSettings>();
    documented::<SphStageSettings>();
}

fn documented<S: JsonSchema>() {
    let schema = schemars::schema_for!(S).to_value();
    let flags = flags_of::<S>();
    let mut command = Command::new("test").args(flags.arguments()).term_width(0);
    let help = command.render_long_help().to_string();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let belonging: Vec<&Flag> = flags.flags.iter().filter(|f| f.path[0] == *name).collect();
        assert!(!belonging.is_empty(), "`{name}` has no flag");
        for flag in belonging {
            let long = format!("--{}", flag.name);
            // A switch may go without a value.
            let start = [" ", "[="].iter().find_map(|end| help.find(&format!("{long}{end}")));
            let start = start.unwrap_or_else(|| panic!("{long} is not in the help"));
            let own = &help[start..];
            let own = &own[..own[2..].find("\n      --").map_or(own.len(), |end| end + 2)];
            assert!(flag.help.len() > 10, "{long} has no documentation");
            assert!(own.contains(&flag.help), "{own}");
            let is_item = matches!(flag.shape, Shape::Item(..));
            assert!(is_item || own.contains("[default: ") || own.contains("Left out"), "{own}");
            let unit = property["unit"].as_str().expect("every setting names its unit");
            assert!(is_item || unit == "none" || own.contains(&format!("[unit: {unit}]")), "{own}");
        }
    }
}

/// Contract: flags that were not given leave the type's own defaults alone; those that were reach
/// the field of the same name, with enums, lists and nested tables in their own form.
#[test]
fn flags_reach_their_fields() {
    assert_eq!(parse::<SurfaceSettings>(&[]).unwrap(), SurfaceSettings::default());
    assert_eq!(parse::<SphStageSettings>(&[]).unwrap(), SphStageSettings::default());
    let arguments = [
        "--method=zhu-bridson",
        "--radius=0.01",
        "--attributes=velocity,normal",
        "--crop-min=-1,0,-1",
        "--crop-max",
        "1,2,1",
        "--smooth",
        "5",
    ];
    let settings: SurfaceSettings = parse(&arguments).unwrap();
    assert_eq!(settings.method, Method::ZhuBridson);
    assert_eq!(settings.radius, Some(0.01));
    assert_eq!(settings.attributes, ["velocity", "normal"]);
    assert_eq!(settings.crop.unwrap().min, [-1.0, 0.0, -1.0]);
    assert_eq!(settings.smooth, 5);
    assert_eq!(settings.threshold, SurfaceSettings::default().threshold);
}

/// Contract: a value outside its range, of the wrong type, or half of a table is refused, and the
/// message says what would be right.
#[test]
fn impossible_values_are_refused() {
    let refused = |argument: &str| parse::<SurfaceSettings>(&[argument]).unwrap_err();
    assert!(refused("--radius=-1").contains("it must be 1e-9 to 1e9"));
    assert!(refused("--threshold=2").contains("0.01 to 0.99"));
    assert!(refused("--smooth=1.5").contains("not a whole number"));
    assert!(refused("--radius=nan").contains("not a number"));
    assert!(refused("--method=metaballs").contains("zhu-bridson"));
    assert!(refused("--crop-min=0,0").contains("3 numbers"));
    assert!(refused("--crop-min=0,0,0").contains("--crop-max"));
    assert!(refused("--crop=0,0,0,1,1").contains("6 numbers"));
    let twice =
        parse::<SurfaceSettings>(&["--crop=0,0,0,1,1,1", "--crop-min=0,0,0", "--crop-max=1,1,1"]);
    assert!(twice.unwrap_err().contains("cannot be used with"));
}

/// Contract: a box has one flag for both corners.
#[test]
fn a_box_has_one_flag() {
    let settings: SurfaceSettings = parse(&["--crop", "-1,0,-1,1,2,3"]).unwrap();
    let crop = settings.crop.unwrap();
    assert_eq!((crop.min, crop.max), ([-1.0, 0.0, -1.0], [1.0, 2.0, 3.0]));
}

/// Contract: an item of a list that needs only numbers or a file has a flag of its own, which can be
/// repeated and adds to what the list's own flag gives.
#[test]
fn items_have_flags() {
    let arguments = [
        "--fill-box=0,0,0,1,2,3",
        r#"--fill=[{"sphere": {"center": [0, 1, 0], "radius": 0.5}}]"#,
        "--fill-sphere=-1,1,0,0.25",
        "--fill-mesh=toy.ply",
        "--fill-box=4,4,4,5,5,5",
    ];
    let SphStageSettings { scene, .. } = parse(&arguments).unwrap();
    let fill = scene.fill;
    let fill = serde_json::to_value(&fill).unwrap();
    let tags: Vec<&String> =
        fill.as_array().unwrap().iter().flat_map(|item| item.as_object().unwrap().keys()).collect();
    assert_eq!(tags.iter().filter(|tag| **tag == "box").count(), 2);
    assert_eq!(tags.iter().filter(|tag| **tag == "sphere").count(), 2);
    assert_eq!(tags.iter().filter(|tag| **tag == "mesh").count(), 1);
    let found = |pointer: &str| fill.as_array().unwrap().iter().find_map(|i| i.pointer(pointer));
    assert_eq!(found("/mesh/path").unwrap(), "toy.ply");
    assert_eq!(found("/box/max").unwrap(), &serde_json::json!([1.0, 2.0, 3.0]));
    let refused = parse::<SphStageSettings>(&["--fill-sphere=1,2,3"]).unwrap_err();
    assert!(refused.contains("4 numbers"), "{refused}");
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
struct EveryShape {
    /// A switch.
    switch: bool,
    /// A word.
    word: Option<String>,
    /// Things with structure.
    fill: Vec<Fill>,
    /// Some of several names.
    sides: Vec<Side>,
    /// Three numbers with a default.
    direction: [f32; 3],
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
enum Side {
    #[serde(rename = "-x")]
    Low,
    #[serde(rename = "+x")]
    High,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Fill {
    height: f32,
}

/// Contract: switches work with and without a value, and a shape without a flag form of its own
/// takes JSON.
#[test]
fn other_shapes_have_a_form() {
    let arguments = [
        "--switch",
        "--word=foam",
        r#"--fill=[{"height":0.5}]"#,
        "--sides",
        "-x,+x",
        "--direction=0,1,0",
    ];
    let shapes: EveryShape = parse(&arguments).unwrap();
    let expected = EveryShape {
        switch: true,
        word: Some("foam".into()),
        fill: vec![Fill { height: 0.5 }],
        sides: vec![Side::Low, Side::High],
        direction: [0.0, 1.0, 0.0],
    };
    assert_eq!(shapes, expected);
    assert_eq!(parse::<EveryShape>(&[]).unwrap(), EveryShape::default());
    assert!(parse::<EveryShape>(&["--sides=up"]).unwrap_err().contains("-x"));
    assert!(!parse::<EveryShape>(&["--switch=false"]).unwrap().switch);
    assert!(parse::<EveryShape>(&["--fill=["]).unwrap_err().contains("not JSON"));
}

/// Contract: a list of tables that need only numbers has a flag for one item, with commas or colons.
#[test]
fn a_source_has_a_flag() {
    let flags = ["--source=0,0.05,0:0.002:1e-6", "--source=1,2,3,4,5", "--drain=0,0,0,1,0.5"];
    let settings: PipesStageSettings = parse(&flags).unwrap();
    let sources = settings.liquid.sources;
    assert_eq!(
        (sources[0].position, sources[0].radius, sources[0].rate),
        ([0.0, 0.05, 0.0], 0.002, 1e-6)
    );
    assert_eq!((sources.len(), settings.liquid.drains.len()), (2, 1));
    let refused = parse::<PipesStageSettings>(&["--source=0,0,0,1"]).unwrap_err();
    assert!(refused.contains("5 numbers"), "{refused}");
}

/// Contract: the help of a flag that takes JSON lists its keys with their units.
#[test]
fn json_lists_its_keys() {
    let flags = flags_of::<PipesStageSettings>();
    let help = |name: &str| flags.flags.iter().find(|flag| flag.name == name).unwrap().help.clone();
    assert!(
        help("sources")
            .contains(r#"[{"position" (3 numbers, m), "radius" (m), "rate" (m³/s)}, …]"#),
        "{}",
        help("sources")
    );
    assert!(help("fill").contains(r#"{"level": {"height" (m)"#), "{}", help("fill"));
    for flag in flags_of::<SphStageSettings>().flags.iter().filter(|f| f.shape == Shape::Json) {
        assert!(flag.help.contains("JSON: "), "--{}: {}", flag.name, flag.help);
    }
}

/// Contract: what messages say in terms of shot files is said in terms of flags.
#[test]
fn messages_name_flags() {
    let flags = flags_of::<PipesStageSettings>();
    let told = |message: &str| flags.in_words(message);
    assert_eq!(told("give the terrain a `ground`"), "give the terrain a --terrain-ground");
    assert_eq!(told("set `cell` or the column `age`"), "set --cell or the column `age`");
    assert_eq!(
        told("such as area = { min = [0, 0], max = [0.1, 0.1] }, or a `mesh`"),
        "such as --area 0,0,0.1,0.1, or a --terrain-mesh"
    );
    let flags = flags_of::<SphStageSettings>();
    assert_eq!(
        flags.in_words(
            "such as fill = [{ box = { min = [0, 0, 0], max = [1, 0.3, 1] } }], or with `emitters`"
        ),
        "such as --fill-box 0,0,0,1,0.3,1, or with --emitters"
    );
    assert_eq!(flags.in_words("an odd ` stays"), "an odd ` stays");
}
