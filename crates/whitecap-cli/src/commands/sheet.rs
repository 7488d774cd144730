//! `whitecap sheet`: pictures side by side, or one after the other as a moving preview.

mod arguments;
mod canvas;
mod layout;
mod lettering;
mod movie;
mod sources;
mod zoom;

use std::path::Path;

use clap::{ArgMatches, Command};
use serde_json::json;
use whitecap_io::image::animation;
use whitecap_io::image::{self, Image, PngDepth};

use crate::answer::Answer;
use crate::failure::Failure;
use crate::frames::make_folder;
use crate::progress::Progress;
use crate::session::Session;
use crate::wording;

use arguments::{Moving, Request};
use canvas::Canvas;
use layout::Layout;
use sources::Picture;

/// Its arguments and help.
pub fn command() -> Command {
    arguments::command()
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let request = Request::of(matches)?;
    if let Some(Moving::Movie(_)) = request.moving {
        movie::find_ffmpeg(&request.output)?;
    }
    let rows = sources::of(&request, session)?;
    make_folder(&request.output)?;
    match request.moving {
        Some(moving) => animate(&request, moving, &rows, session),
        None => lay_out(&request, &rows, session),
    }
}

/// One sheet with every picture.
fn lay_out(
    request: &Request,
    pictures: &[Vec<Picture>],
    session: &Session,
) -> Result<Answer, Failure> {
    let pictures: Vec<&Picture> = pictures.iter().flatten().collect();
    let Some(first) = pictures.first() else {
        return Err(Failure::Usage("there is no picture to lay out".to_string()));
    };
    let captions = captions(request, &pictures)?;
    let first_image = image::read(&first.path)?;
    let layout = Layout::new(request, &first_image, &captions)?;
    let mut canvas = Canvas::new(&layout)?;
    let progress = Progress::new(session, pictures.len());
    for (place, picture) in pictures.iter().enumerate() {
        stop_if_cancelled(session, place, pictures.len())?;
        progress.within(place, 0.0, &picture.name);
        let image = if place == 0 { first_image.clone() } else { image::read(&picture.path)? };
        note_size(&image, &first_image, picture, session, &progress);
        canvas.put(&layout, place, &image, request.zoom.as_ref(), &picture.path)?;
        progress.finished(place + 1, &picture.name, None);
    }
    drop(progress);
    image::write_png(&request.output, &canvas.into_image(), PngDepth::Eight)?;
    Ok(answer(request, &layout, pictures.len(), 1))
}

/// A moving preview: the inputs side by side, frame after frame.
fn animate(
    request: &Request,
    moving: Moving,
    inputs: &[Vec<Picture>],
    session: &Session,
) -> Result<Answer, Failure> {
    let count = inputs.iter().map(Vec::len).max().unwrap_or(0);
    let firsts: Vec<&Picture> = inputs.iter().filter_map(|pictures| pictures.first()).collect();
    let Some(first) = firsts.first() else {
        return Err(Failure::Usage("there is no picture to show".to_string()));
    };
    // A single sequence gets a caption only if captions were asked for.
    let captions = match (request.captions.is_empty(), firsts.len()) {
        (true, 1) => vec![String::new()],
        (true, _) => firsts.iter().map(|picture| picture.input.clone()).collect(),
        (false, _) => captions(request, &firsts)?,
    };
    let first_image = image::read(&first.path)?;
    let layout = Layout::new(request, &first_image, &captions)?;
    let progress = Progress::new(session, count);
    let blank = Canvas::new(&layout)?;
    let frame = |frame: usize| {
        stop_if_cancelled(session, frame, count)?;
        progress.within(frame, 0.0, &format!("frame {}", frame + 1));
        let mut canvas = blank.clone();
        for (place, pictures) in inputs.iter().enumerate() {
            // A single picture beside a sequence is repeated.
            let Some(picture) = pictures.get(frame).or(pictures.last()) else { continue };
            let image = image::read(&picture.path)?;
            note_size(&image, &first_image, picture, session, &progress);
            canvas.put(&layout, place, &image, request.zoom.as_ref(), &picture.path)?;
        }
        progress.finished(frame + 1, &format!("frame {}", frame + 1), None);
        Ok::<Image, Failure>(canvas.into_image())
    };
    match moving {
        Moving::Animation(animation) => {
            animation::write(&request.output, animation, count, request.rate, frame)?;
        }
        Moving::Movie(movie) => {
            movie::write(&request.output, movie, count, request.rate, session, frame)?;
        }
    }
    drop(progress);
    Ok(answer(request, &layout, firsts.len(), count))
}

/// One caption for each picture: those given, or else what tells the pictures apart.
fn captions(request: &Request, pictures: &[&Picture]) -> Result<Vec<String>, Failure> {
    match request.captions.len() {
        0 if pictures.len() == 1 => Ok(vec![String::new()]),
        0 => Ok(pictures.iter().map(|picture| picture.name.clone()).collect()),
        count if count == pictures.len() => Ok(request.captions.clone()),
        count => Err(Failure::Usage(format!(
            "got {} for {}; give one for each, separated by commas",
            wording::count(count, "caption"),
            wording::count(pictures.len(), "picture")
        ))),
    }
}

fn note_size(
    image: &Image,
    first: &Image,
    picture: &Picture,
    session: &Session,
    progress: &Progress,
) {
    let size = |image: &Image| (image.width(), image.height());
    if size(image) != size(first) {
        let ((width, height), (first_width, first_height)) = (size(image), size(first));
        let text = format!(
            "{} is {width} x {height}, the first picture {first_width} x {first_height}; it is fitted into that size.",
            picture.path.display()
        );
        progress.note(session, &text);
    }
}

fn stop_if_cancelled(session: &Session, done: usize, total: usize) -> Result<(), Failure> {
    match session.cancel.is_cancelled() {
        true => Err(Failure::Cancelled(format!(
            "Cancelled after {done} of {total}; nothing was written."
        ))),
        false => Ok(()),
    }
}

fn answer(request: &Request, layout: &Layout, pictures: usize, frames: usize) -> Answer {
    let output: &Path = &request.output;
    let [width, height] = layout.size();
    let what = match request.moving {
        Some(_) => format!("{} at {} per second", wording::count(frames, "frame"), request.rate),
        None => wording::count(pictures, "picture"),
    };
    let text = format!("{}: {what}, {width} x {height} pixels.\n", output.display());
    let mut json = json!({
        "output": wording::path(output), "pictures": pictures, "frames": frames,
        "columns": layout.columns(), "width_pixels": width, "height_pixels": height,
    });
    if request.moving.is_some() {
        json["fps"] = json!(request.rate);
    }
    Answer::done(text, json)
}
