//! The flags that say what a conversion changes.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches};
use whitecap_core::glam::Vec3;
use whitecap_io::changes::{Changes, Up};

use crate::setting_flags::numbers;

/// Units that files come in, and how many metres each is.
const UNITS: [(&str, f64); 6] =
    [("mm", 0.001), ("cm", 0.01), ("m", 1.0), ("km", 1000.0), ("in", 0.0254), ("ft", 0.3048)];

/// The flags.
pub fn arguments() -> [Arg; 8] {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let names = |name: &'static str, value: &'static str, help: &'static str| {
        flag(name, value, help).action(ArgAction::Append).value_delimiter(',')
    };
    [
        flag(
            "scale",
            "FACTOR|UNIT",
            "Multiply every length by this, or say the unit of IN: mm, cm, m, km, in or ft. Positions, \
             velocities, radii, areas and volumes change; other numbers do not",
        )
        .allow_hyphen_values(true)
        .value_parser(parse_scale),
        flag(
            "up",
            "AXIS",
            "Which axis of IN is up; z is turned up: (x, y, z) becomes (x, z, -y), with velocities, \
             normals and all other vectors but colours [default: y]",
        )
        .value_parser(PossibleValuesParser::new(["y", "z"])),
        flag("translate", "X,Y,Z", "Move everything by this, after --scale and --up [unit: m]")
            .allow_hyphen_values(true)
            .value_parser(parse_vector),
        Arg::new("flip-normals")
            .long("flip-normals")
            .action(ArgAction::SetTrue)
            .help("Turn every triangle over, for a mesh that is inside out"),
        names("rename", "OLD=NEW", "Rename columns, before anything else is done")
            .value_parser(parse_rename),
        names("drop", "NAME,…", "Leave out these columns"),
        names("keep", "NAME,…", "Leave out all columns but these").conflicts_with("drop"),
        flag(
            "fps",
            "NUMBER",
            "Make velocities anew from the motion between frames, at this many frames per second: of \
             particles by their ids, of meshes whose triangles stay the same",
        )
        .value_parser(parse_rate),
    ]
}

fn parse_scale(text: &str) -> Result<f64, String> {
    let unit = UNITS.iter().find(|(name, _)| *name == text).map(|unit| unit.1);
    let number = || text.parse().ok().filter(|scale: &f64| (1e-12..=1e12).contains(scale));
    unit.or_else(number).ok_or_else(|| {
        String::from("it must be a positive number, or one of mm, cm, m, km, in, ft")
    })
}

fn parse_vector(text: &str) -> Result<Vec3, String> {
    let values = numbers(text, 3)?;
    Ok(Vec3::new(values[0] as f32, values[1] as f32, values[2] as f32))
}

fn parse_rename(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok((from.into(), to.into())),
        _ => Err(String::from("write it as OLD=NEW, such as vel=velocity")),
    }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = numbers(text, 1)?[0];
    match (1e-3..=1e6).contains(&rate) {
        true => Ok(rate),
        false => Err(String::from("it must be 0.001 to 1000000 frames per second")),
    }
}

/// What the flags ask for.
pub fn changes(matches: &ArgMatches) -> Changes {
    let names = |name: &str| -> Vec<String> {
        matches.get_many(name).into_iter().flatten().cloned().collect()
    };
    Changes {
        renamed: matches.get_many("rename").into_iter().flatten().cloned().collect(),
        kept: matches.contains_id("keep").then(|| names("keep")),
        dropped: names("drop"),
        scale: matches.get_one("scale").copied().unwrap_or(1.0),
        up: match matches.get_one::<String>("up").map(String::as_str) {
            Some("z") => Up::Z,
            _ => Up::Y,
        },
        translation: matches.get_one("translate").copied().unwrap_or(Vec3::ZERO),
        flipped: matches.get_flag("flip-normals"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a scale is a number or the unit of the input; what is neither is refused.
    #[test]
    fn scales_are_numbers_or_units() {
        assert_eq!(parse_scale("mm"), Ok(0.001));
        assert_eq!(parse_scale("in"), Ok(0.0254));
        assert_eq!(parse_scale("0.5"), Ok(0.5));
        for text in ["0", "-1", "nan", "inf", "inch", ""] {
            assert!(parse_scale(text).is_err(), "{text}");
        }
        assert_eq!(parse_rename("vel=velocity"), Ok(("vel".into(), "velocity".into())));
        for text in ["vel", "=a", "a="] {
            assert!(parse_rename(text).is_err(), "{text}");
        }
    }
}
