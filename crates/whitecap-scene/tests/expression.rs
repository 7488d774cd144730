//! Contracts of expressions in settings.

use proptest::prelude::*;
use whitecap_scene::expression::{Cause, EvaluationError, Expression, Scratch};

/// The value of a text for one entry.
fn value(text: &str, names: &[&str], values: &[f32]) -> Result<f32, EvaluationError> {
    let columns: Vec<&[f32]> = values.chunks(1).collect();
    let mut out = [0.0];
    let expression = Expression::parse(text, names).unwrap_or_else(|error| panic!("{error}"));
    expression.evaluate(&columns, &mut Scratch::default(), &mut out).map(|()| out[0])
}

/// Contract: operators bind as in Python; comparisons give 0 or 1.
#[test]
fn operators_bind_as_in_python() {
    let (x, y) = (3.0f32, 2.0f32);
    let table = [
        ("1 + x*y", 1.0 + x * y),
        ("x - y - 1", x - y - 1.0),
        ("x/y/2", x / y / 2.0),
        ("x/y*2", x / y * 2.0),
        ("-x^2", -(x * x)),
        ("(-x)^2", x * x),
        ("x^-1", 1.0 / x),
        ("2^y^x", 256.0),
        ("-x*y", -x * y),
        ("x*-y", -x * y),
        ("x--y", x + y),
        ("+x - +y", x - y),
        ("x + 1 > y*2 - 1", 1.0),
        ("x <= 3", 1.0),
        ("x < 3", 0.0),
        ("x >= 3.5", 0.0),
        ("1e-3*x + .5 + 5.", 1e-3 * x + 0.5 + 5.0),
        ("2*pi", std::f32::consts::TAU),
        ("x^0", 1.0),
        ("x^5", 243.0),
    ];
    for (text, expected) in table {
        let found = value(text, &["x", "y"], &[x, y]).unwrap();
        assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{text}: {found}, {expected}");
    }
}

/// Contract: every function is that of the standard library.
#[test]
fn functions_are_those_of_the_standard_library() {
    for x in [0.1f32, 0.7, 1.0, 2.5] {
        let table = [
            ("sqrt(x)", x.sqrt()),
            ("exp(x)", x.exp()),
            ("log(x)", x.ln()),
            ("sin(x)", x.sin()),
            ("cos(x)", x.cos()),
            ("tanh(x)", x.tanh()),
            ("abs(-x)", x),
            ("min(x, 1)", x.min(1.0)),
            ("max(x, 1)", x.max(1.0)),
            ("clamp(x, 0.5, 2)", x.clamp(0.5, 2.0)),
            ("step(1, x)", if x < 1.0 { 0.0 } else { 1.0 }),
            ("mix(2, 3, x)", 2.0 * (1.0 - x) + 3.0 * x),
            ("pow(x, 1.5)", x.powf(1.5)),
        ];
        for (text, expected) in table {
            assert_eq!(value(text, &["x"], &[x]), Ok(expected), "{text} at {x}");
        }
    }
}

/// Contract: a mistake is told with its line and character, tabs and other alphabets counting one each, and with
/// what is expected; an unknown name with the nearest one.
#[test]
fn mistakes_have_a_place() {
    let table = [
        ("", 1, 1, "expected a number"),
        ("f1 +", 1, 5, "found the end"),
        ("f1\n\t* / 2", 2, 4, "found `/`"),
        ("f1 ** 2", 1, 5, "a power is written a^b"),
        ("größe + f1", 1, 1, "no name `größe`"),
        ("f1 + größe*§", 1, 12, "no meaning"),
        ("f1 + fed", 1, 6, "did you mean `feed`? Known are `f1`, `feed`, `pi`"),
        ("sqr(f1)", 1, 1, "did you mean `sqrt`"),
        ("clamp(f1, 1)", 1, 1, "takes 3 arguments, but 2"),
        ("clamp(f1, 2, 1)", 1, 1, "above the upper end"),
        ("(f1", 1, 4, "`)`"),
        ("2 f1", 1, 3, "an operator"),
        ("f1(2)", 1, 3, "is a variable"),
        ("1 < f1 < 2", 1, 8, "chained"),
        ("f1/(2 - 2)", 1, 3, "division by zero"),
        ("f1 +\n1/0", 2, 2, "division by zero"),
        ("sqrt(-1)", 1, 1, "square root of a negative number"),
        ("1e60", 1, 1, "too large"),
        ("1e30*1e30", 1, 5, "too large"),
    ];
    for (text, line, column, part) in table {
        let error = Expression::parse(text, &["f1", "feed"]).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.message.contains(part), "{text:?}: {error}");
        assert!(error.to_string().contains(&format!("line {line}, column {column}")));
    }
}

/// Contract: text of any length and depth gives a sentence.
#[test]
fn hostile_text_gives_a_sentence() {
    for piece in ["(", "-", "2^", "sqrt(", "1+", "f1*"] {
        for length in [9_000, 1 << 20] {
            let text = piece.repeat(length / piece.len());
            assert!(Expression::parse(&text, &["f1"]).is_err());
        }
    }
    let long = format!("{}f1", "f1+".repeat(3000));
    assert_eq!(value(&long, &["f1"], &[1.0]), Ok(3001.0));
}

/// Contract: a value that is not finite is told with entry, operator and cause, even if later operations would
/// hide it.
#[test]
fn values_that_are_not_finite_are_told() {
    use Cause::*;
    let mut x = vec![1.0f32; 1000];
    x[700] = 0.0;
    let table = [
        ("2 +\n 1/x", 2, 3, DivisionByZero),
        ("min(1/x, 5)", 1, 6, DivisionByZero),
        ("1/(1/x)", 1, 5, DivisionByZero),
        ("1/x > 0", 1, 2, DivisionByZero),
        ("x^-2", 1, 2, DivisionByZero),
        ("sqrt(x - 0.5)", 1, 1, RootOfNegative),
        ("log(x)", 1, 1, LogarithmOfNone),
        ("(x - 0.5)^0.5", 1, 10, PowerOfNegative),
        ("exp(100*(1 - x))", 1, 1, Overflow),
    ];
    let mut out = vec![0.0; x.len()];
    for (text, line, column, cause) in table {
        let expression = Expression::parse(text, &["x"]).unwrap();
        let found = expression.evaluate(&[&x], &mut Scratch::default(), &mut out);
        let expected = EvaluationError::NotFinite { entry: 700, line, column, cause };
        assert_eq!(found, Err(expected), "{text}");
    }
    x[700] = f32::NAN;
    let found = Expression::parse("max(x, 1)", &["x"]).unwrap();
    let found = found.evaluate(&[&x], &mut Scratch::default(), &mut out);
    assert_eq!(found, Err(EvaluationError::Input { entry: 700, name: String::from("x") }));
}

/// Contract: columns of one entry stand for all; other lengths and counts are refused; `uses` says what matters.
#[test]
fn columns_of_one_entry_stand_for_all() {
    let expression = Expression::parse("f*(feed + kill)", &["f", "feed", "kill", "g"]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|place| expression.uses(place)), [true, true, true, false]);
    let f: Vec<f32> = (0..700).map(|i| i as f32).collect();
    let (mut out, mut scratch) = (vec![0.0; 700], Scratch::default());
    expression.evaluate(&[&f, &[0.25], &[0.5], &[0.0]], &mut scratch, &mut out).unwrap();
    assert!(out.iter().zip(&f).all(|(out, f)| *out == f * 0.75));
    let wrong = expression.evaluate(&[&f, &[0.25], &f[1..], &[0.0]], &mut scratch, &mut out);
    assert!(matches!(wrong, Err(EvaluationError::ColumnLength { found: 699, .. })));
    let wrong = expression.evaluate(&[&f], &mut scratch, &mut out);
    assert_eq!(wrong, Err(EvaluationError::ColumnCount { found: 1, expected: 4 }));
    for (text, expected) in [("f", 3.0), ("2", 2.0), ("feed", 0.25), ("feed*2", 0.5)] {
        let expression = Expression::parse(text, &["f", "feed"]).unwrap();
        expression.evaluate(&[&f, &[0.25]], &mut scratch, &mut out).unwrap();
        assert_eq!(out[3], expected, "{text}");
    }
}

/// A printed expression, and its value by plain arithmetic; `None` once a value is not finite.
type Known = (String, Option<f32>);

const X: f32 = 1.75;
const Y: f32 = -0.625;

fn trees() -> impl Strategy<Value = Known> {
    let leaf = prop_oneof![
        (0u32..40).prop_map(|n| (format!("{}", n as f32 * 0.25), Some(n as f32 * 0.25))),
        Just((String::from("x"), Some(X))),
        Just((String::from("y"), Some(Y))),
    ];
    leaf.prop_recursive(6, 60, 2, |inner| {
        (inner.clone(), inner, 0..9usize).prop_map(|((a, of_a), (b, of_b), kind)| {
            let text = match kind {
                0 => format!("({a} + {b})"),
                1 => format!("({a} - {b})"),
                2 => format!("({a})*({b})"),
                3 => format!("({a})/({b})"),
                4 => format!("({a})^3"),
                5 => format!("min({a}, {b})"),
                6 => format!("({a} < {b})"),
                7 => format!("(-{a})"),
                _ => format!("sqrt({a})"),
            };
            let known = |a: f32, b: f32| match kind {
                0 => a + b,
                1 => a - b,
                2 => a * b,
                3 => a / b,
                4 => a * (a * a),
                5 => a.min(b),
                6 => f32::from(u8::from(a < b)),
                7 => -a,
                _ => a.sqrt(),
            };
            let binary = !matches!(kind, 4 | 7 | 8);
            let of_b = if binary { of_b } else { Some(0.0) };
            let value = of_a.zip(of_b).map(|(a, b)| known(a, b));
            (text, value.filter(|value| value.is_finite()))
        })
    })
}

proptest! {
    /// Contract: printed trees have the value of plain arithmetic, and fail exactly where that is not finite.
    #[test]
    fn printed_trees_have_their_value((text, expected) in trees()) {
        let mut out = [0.0; 300];
        let column = [X; 300];
        let found = Expression::parse(&text, &["x", "y"]).ok().and_then(|expression| {
            let done = expression.evaluate(&[&column, &[Y]], &mut Scratch::default(), &mut out);
            done.ok().map(|()| out[299])
        });
        prop_assert_eq!(found, expected, "{}", text);
    }

    /// Contract: no text makes the parser panic, and what it accepts can be evaluated.
    #[test]
    fn arbitrary_text_never_panics(text in "(\\PC|[ \t\nxf0-9.e+*/^()<>=,-]){0,60}") {
        if let Ok(expression) = Expression::parse(&text, &["x", "f"]) {
            let mut out = [0.0; 3];
            let _ = expression.evaluate(&[&[1.0, 0.0, -2.0], &[3.0]], &mut Scratch::default(), &mut out);
        }
    }
}
