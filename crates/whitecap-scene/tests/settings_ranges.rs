//! Contracts of the one check of ranges: every number is found, judged by the range at its field and
//! named by its key.

use schemars::JsonSchema;
use serde::Serialize;
use whitecap_scene::check_ranges;

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Liquid {
    #[schemars(range(min = 1e-5, max = 0.1))]
    grain_size: f32,
    #[schemars(range(min = -2.0))]
    level: Option<f64>,
    #[schemars(range(min = 1, max = 8))]
    octaves: u32,
    #[schemars(inner(range(min = -1e6, max = 1e6)))]
    gravity: [f32; 3],
    #[schemars(inner(range(max = 1.0)))]
    shares: Vec<f32>,
    shape: Shape,
    more: Vec<Shape>,
    nested: Option<Nested>,
    pair: (f32, Nested),
    free: Option<f32>,
    name: String,
    method: Method,
    #[serde(flatten)]
    flat: Flat,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Nested {
    #[schemars(range(min = 0.0, max = 1.0))]
    share: f64,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Flat {
    #[schemars(range(min = 0.0))]
    depth: f32,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Method {
    Fast,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Shape {
    None,
    Ball(Ball),
    OpenBox {
        #[schemars(range(min = 0.0, max = 5.0))]
        width: f32,
    },
}

#[derive(Clone, Serialize, JsonSchema)]
struct Ball {
    #[schemars(range(min = 1e-9, max = 1e9))]
    radius: f32,
}

fn good() -> Liquid {
    Liquid {
        grain_size: 0.02,
        level: None,
        octaves: 3,
        gravity: [0.0, -9.81, 0.0],
        shares: vec![0.5, 1.0],
        shape: Shape::None,
        more: vec![Shape::Ball(Ball { radius: 1.0 }), Shape::OpenBox { width: 2.0 }],
        nested: Some(Nested { share: 0.25 }),
        pair: (1.0, Nested { share: 1.0 }),
        free: Some(-3.0),
        name: String::from("NaN"),
        method: Method::Fast,
        flat: Flat { depth: 1.0 },
    }
}

/// (key, message) of what is wrong after a change.
fn problem(change: impl Fn(&mut Liquid)) -> (String, String) {
    let mut settings = good();
    change(&mut settings);
    let error = check_ranges(&settings).unwrap_err();
    (error.key, error.message)
}

fn words(key: &str, message: &str) -> (String, String) {
    (key.to_string(), message.to_string())
}

/// Contract: values within their ranges pass, the limits included, in single precision too.
#[test]
fn limits_pass() {
    assert_eq!(check_ranges(&good()), Ok(()));
    for grain_size in [1e-5, 0.1] {
        assert_eq!(check_ranges(&Liquid { grain_size, ..good() }), Ok(()));
    }
}

/// Contract: a number out of its range is reported by its key, in fields, options, lists, arrays, tables,
/// tuples, choices of both forms and flattened tables.
#[test]
fn numbers_out_of_range_are_told_by_their_keys() {
    let expected = "`grain-size` is 0.2, but must lie between 1e-5 and 0.1";
    assert_eq!(problem(|s| s.grain_size = 0.2), words("grain-size", expected));
    assert_eq!(
        problem(|s| s.level = Some(-2.5)),
        words("level", "`level` is -2.5, but must be at least -2")
    );
    assert_eq!(
        problem(|s| s.octaves = 9),
        words("octaves", "`octaves` is 9, but must lie between 1 and 8")
    );
    let expected = "a value of `gravity` is 10000000, but must lie between -1e6 and 1e6";
    assert_eq!(problem(|s| s.gravity[2] = 1e7), words("gravity", expected));
    assert_eq!(
        problem(|s| s.shares.push(1.5)),
        words("shares", "a value of `shares` is 1.5, but must be at most 1")
    );
    let ball = || Shape::Ball(Ball { radius: 0.0 });
    assert_eq!(problem(|s| s.shape = ball()).0, "shape.ball.radius");
    assert_eq!(problem(|s| s.more[0] = ball()).0, "more.0.ball.radius");
    let expected = "`more.1.open-box.width` is -1, but must lie between 0 and 5";
    assert_eq!(
        problem(|s| s.more[1] = Shape::OpenBox { width: -1.0 }),
        words("more.1.open-box.width", expected)
    );
    assert_eq!(problem(|s| s.nested = Some(Nested { share: 2.0 })).0, "nested.share");
    assert_eq!(problem(|s| s.pair.1.share = -0.1).0, "pair.1.share");
    assert_eq!(
        problem(|s| s.flat.depth = -1.0),
        words("depth", "`depth` is -1, but must be at least 0")
    );
}

/// Contract: values that are not finite are found with or without a range, in options
/// too, which text formats would write as nothing.
#[test]
fn numbers_that_are_not_finite_are_found() {
    assert_eq!(
        problem(|s| s.level = Some(f64::NAN)),
        words("level", "`level` is NaN, but must be at least -2")
    );
    assert_eq!(
        problem(|s| s.free = Some(f32::NAN)),
        words("free", "`free` is NaN, but must be a finite number")
    );
    assert_eq!(problem(|s| s.pair.0 = f32::INFINITY).0, "pair");
    assert_eq!(problem(|s| s.gravity[0] = f32::NEG_INFINITY).0, "gravity");
}

/// Contract: of several wrong numbers the first in the order of the fields is reported.
#[test]
fn the_first_wrong_number_is_told() {
    let wrong = |s: &mut Liquid| {
        s.free = Some(f32::NAN);
        s.octaves = 0;
    };
    assert_eq!(problem(wrong).0, "octaves");
}
