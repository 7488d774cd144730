//! What was asked for on the command line.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use whitecap_io::FrameRange;
use whitecap_io::image::animation::Animation;

use super::movie::Movie;
use super::zoom::Zoom;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::frames;

const EXAMPLES: &str = "\
Examples:
  whitecap sheet a.png b.png --captions 'before,after' -o sheet.png
  whitecap sheet 'render.####.png' --every 12 --columns 4 --title 'Dam break' -o sheet.png
  whitecap sheet coarse.exr fine.exr --zoom 400,220,80,60,4 -o detail.png
  whitecap sheet 'render.####.png' -o movie.mp4
  whitecap sheet render/ --fps 30 -o preview.apng
  whitecap sheet 'coarse.####.png' 'fine.####.png' --captions 'coarse,fine' -o both.gif

An output that ends in .mp4, .webm, .apng or .gif is a moving preview. For .mp4 and .webm an ffmpeg
must be on the PATH; the others need nothing.

PNG, OpenEXR and Radiance HDR pictures are read. Every picture is fitted into the size of the
first, or into --cell-width. Values brighter than white are clipped.";

/// What was asked for.
pub struct Request {
    /// Files and sequences, in order.
    pub inputs: Vec<PathBuf>,
    /// What to write.
    pub output: PathBuf,
    /// One for each picture, or none.
    pub captions: Vec<String>,
    /// Above everything; may be empty.
    pub title: String,
    /// Pictures in a row.
    pub columns: Option<usize>,
    /// Step between the frames taken from each sequence.
    pub every: usize,
    /// Only these frames of sequences.
    pub frames: Option<FrameRange>,
    /// Width of a picture on the sheet, in pixels.
    pub cell_width: Option<usize>,
    /// A part to show enlarged.
    pub zoom: Option<Zoom>,
    /// A moving preview instead of a sheet.
    pub moving: Option<Moving>,
    /// Frames per second.
    pub rate: f32,
}

/// How a moving preview is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moving {
    /// Without help.
    Animation(Animation),
    /// By `ffmpeg`.
    Movie(Movie),
}

/// The arguments and help.
pub fn command() -> Command {
    Command::new("sheet")
        .about("Lays pictures side by side, or makes a moving preview of a sequence")
        .after_help(EXAMPLES)
        .args([
            Arg::new("input")
                .value_name("PICTURE")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("Pictures, folders of them, or sequences such as render.####.png or 'render/*.png'"),
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file to write: a sheet as .png, a moving preview as .mp4, .webm, .apng or .gif"),
            Arg::new("captions").long("captions").value_name("TEXT,…").help(
                "A caption for each picture, separated by commas; \\, is a comma within one [default: file names or frame numbers]",
            ),
            Arg::new("title").long("title").value_name("TEXT").help("A line above everything"),
            number("columns", "COUNT", 1000, "Pictures in a row [default: as square as possible]"),
            number("every", "COUNT", 1_000_000, "Use only every COUNT-th frame of each sequence [default: 1]"),
            number("cell-width", "PIXELS", 16384, "Width of each picture on the sheet [default: that of the first]"),
            frames::frames_flag(),
            Arg::new("zoom")
                .long("zoom")
                .value_name("X,Y,WIDTH,HEIGHT,FACTOR")
                .value_parser(Zoom::parse)
                .help("Show a part of each picture enlarged in its corner [unit: pixels from the top left]"),
            Arg::new("animate")
                .long("animate")
                .action(ArgAction::SetTrue)
                .help("Make a moving preview of a .png, too: the inputs side by side, frame after frame"),
            Arg::new("fps")
                .long("fps")
                .value_name("NUMBER")
                .value_parser(parse_rate)
                .help("Frames per second of a moving preview [default: 24]"),
            json_flag(),
        ])
}

fn number(name: &'static str, value: &'static str, most: i64, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .value_parser(value_parser!(u32).range(1..=most))
        .help(help)
}

fn parse_rate(text: &str) -> Result<f32, String> {
    let rate: Option<f32> = text.parse().ok();
    rate.filter(|rate| (0.1..=1000.0).contains(rate))
        .ok_or_else(|| "it must be a number of frames per second, from 0.1 to 1000".to_string())
}

impl Request {
    /// Parses the arguments.
    pub fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let inputs: Vec<PathBuf> =
            matches.get_many("input").into_iter().flatten().cloned().collect();
        let output = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
        let number = |name| matches.get_one::<u32>(name).map(|&number| number as usize);
        let text = |name| matches.get_one::<String>(name).cloned().unwrap_or_default();
        let captions = text("captions");
        let moving = moving_of(&output, matches.get_flag("animate"))?;
        if moving.is_none() && matches.contains_id("fps") {
            return Err(Failure::Usage(String::from(
                "--fps is for a moving preview, but a .png is a sheet: add --animate, or write .mp4, .webm, .apng or .gif",
            )));
        }
        Ok(Self {
            inputs,
            moving,
            output,
            captions: if captions.is_empty() { Vec::new() } else { split(&captions) },
            title: text("title"),
            columns: number("columns"),
            every: number("every").unwrap_or(1),
            frames: matches.get_one::<FrameRange>("frames").copied(),
            cell_width: number("cell-width"),
            zoom: matches.get_one::<Zoom>("zoom").copied(),
            rate: matches.get_one::<f32>("fps").copied().unwrap_or(24.0),
        })
    }
}

/// The kind of moving preview, if one was asked for: by the ending of the name, or with `--animate`.
fn moving_of(output: &Path, animate: bool) -> Result<Option<Moving>, Failure> {
    let movie = Movie::of(output).map(Moving::Movie);
    let moving = movie.or_else(|| Animation::of(output).map(Moving::Animation));
    let is_sheet = whitecap_io::has_extension(output, &["png"]) && !animate;
    match moving {
        Some(_) if is_sheet => Ok(None),
        Some(moving) => Ok(Some(moving)),
        None => Err(Failure::Usage(format!(
            "{}: a sheet is written as .png, a moving preview as .mp4, .webm, .apng or .gif",
            output.display()
        ))),
    }
}

/// The parts between commas that have no backslash before them.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let part = parts.len() - 1;
        match character {
            '\\' if characters.peek() == Some(&',') => parts[part].extend(characters.next()),
            ',' => parts.push(String::new()),
            _ => parts[part].push(character),
        }
    }
    parts.into_iter().map(|part| part.trim().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: captions are split at commas, except at those with a backslash before them.
    #[test]
    fn captions_are_split() {
        assert_eq!(split("before, after"), ["before", "after"]);
        assert_eq!(split("1\\,5 mm,,b"), ["1,5 mm", "", "b"]);
    }

    /// Contract: the ending of the output says what is written; a .png moves only if asked to.
    #[test]
    fn names_say_what_is_written() {
        let kind = |name: &str, animate| moving_of(Path::new(name), animate);
        let apng = Some(Moving::Animation(Animation::Apng));
        assert_eq!(kind("a.PNG", false).unwrap(), None);
        assert_eq!(kind("a.png", true).unwrap(), apng);
        for animate in [false, true] {
            assert_eq!(kind("a.apng", animate).unwrap(), apng);
            assert_eq!(kind("a.gif", animate).unwrap(), Some(Moving::Animation(Animation::Gif)));
            assert_eq!(kind("a.mp4", animate).unwrap(), Some(Moving::Movie(Movie::Mp4)));
            assert_eq!(kind("a.webm", animate).unwrap(), Some(Moving::Movie(Movie::Webm)));
            for name in ["a.jpg", "a.avi", "a"] {
                assert!(kind(name, animate).is_err(), "{name}");
            }
        }
    }
}
