//! Which pictures there are.

use std::path::{Path, PathBuf};

use whitecap_io::{Present, Sequence};

use super::arguments::Request;
use crate::failure::Failure;
use crate::frames::note_missing;
use crate::session::Session;
use crate::wording;

/// More pictures than a sheet can show.
const MOST_PICTURES: usize = 10_000;

/// One picture.
pub struct Picture {
    /// The file.
    pub path: PathBuf,
    /// What tells it from the others: its frame, or its name.
    pub name: String,
    /// What tells its input from the other inputs.
    pub input: String,
}

/// The pictures of each input.
pub fn of(request: &Request, session: &Session) -> Result<Vec<Vec<Picture>>, Failure> {
    let mut inputs: Vec<Vec<Picture>> = request
        .inputs
        .iter()
        .map(|input| of_input(request, input, session))
        .collect::<Result<_, _>>()?;
    if request.moving.is_some() && inputs.len() > 1 && inputs.iter().all(|one| one.len() == 1) {
        // What a shell made of `render/*.png`: one frame after the other.
        inputs = vec![frames_of_files(request, inputs)];
    }
    let total: usize = inputs.iter().map(Vec::len).sum();
    if request.moving.is_none() && total > MOST_PICTURES {
        return Err(Failure::Usage(format!(
            "a sheet of {total} pictures would be unreadable; use fewer with --every or --frames"
        )));
    }
    if request.moving.is_some() {
        check_lengths(request, &inputs)?;
    }
    let is_output = |picture: &&Picture| {
        picture
            .path
            .canonicalize()
            .ok()
            .is_some_and(|path| request.output.canonicalize().ok() == Some(path))
    };
    match inputs.iter().flatten().find(is_output) {
        Some(picture) => Err(Failure::Usage(format!(
            "{} would be overwritten by the sheet made from it; give the output another name",
            picture.path.display()
        ))),
        None => Ok(inputs),
    }
}

/// Whether a file in a folder is a picture.
fn is_picture(path: &Path) -> bool {
    whitecap_io::has_extension(path, &["png", "exr", "hdr"])
}

fn of_input(request: &Request, input: &Path, session: &Session) -> Result<Vec<Picture>, Failure> {
    let sequence = Sequence::find(input, is_picture)?;
    if let Some(text) = sequence.understood() {
        session.note(text);
    }
    let single = sequence.is_single();
    let Present { frames, missing } = sequence.present(request.frames.filter(|_| !single))?;
    note_missing(session, &sequence, &missing);
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().to_string();
    let several = request.inputs.len() > 1;
    let label = stem(input).trim_end_matches(['#', '.', '_', '-']).to_string();
    let pictures = frames.into_iter().step_by(request.every).map(|(frame, path)| Picture {
        name: match (single, several) {
            (true, _) => stem(&path),
            (false, true) => format!("{label}, frame {frame}"),
            (false, false) => format!("frame {frame}"),
        },
        input: label.clone(),
        path,
    });
    Ok(pictures.collect())
}

/// Single pictures as the frames of one sequence: in the order of their numbers, if that is what tells
/// them apart, else in the order in which they were given.
fn frames_of_files(request: &Request, inputs: Vec<Vec<Picture>>) -> Vec<Picture> {
    let mut pictures: Vec<Picture> = inputs.into_iter().flatten().collect();
    if let Some(frames) =
        Sequence::of_files(&request.inputs).ok().and_then(|found| found.existing().ok())
    {
        let place = |picture: &Picture| frames.iter().position(|(_, path)| *path == picture.path);
        pictures.sort_by_key(|picture| place(picture));
    }
    pictures.into_iter().step_by(request.every).collect()
}

/// Sequences shown side by side have the same number of frames; a single picture goes with any.
fn check_lengths(request: &Request, inputs: &[Vec<Picture>]) -> Result<(), Failure> {
    let mut longer = request.inputs.iter().zip(inputs).filter(|(_, pictures)| pictures.len() > 1);
    let Some((first, first_pictures)) = longer.next() else {
        return Err(Failure::Usage(
            "a moving preview needs a sequence of at least two frames, such as render.####.png"
                .to_string(),
        ));
    };
    match longer.find(|(_, pictures)| pictures.len() != first_pictures.len()) {
        Some((other, pictures)) => Err(Failure::Usage(format!(
            "{} has {} and {} has {}; choose the same number of each with --frames",
            first.display(),
            wording::count(first_pictures.len(), "frame"),
            other.display(),
            wording::count(pictures.len(), "frame")
        ))),
        None => Ok(()),
    }
}
