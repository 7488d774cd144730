//! Which pictures there are.

use std::path::{Path, PathBuf};

use whitecap_io::Sequence;

use super::arguments::Request;
use crate::failure::Failure;
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
pub fn of(request: &Request) -> Result<Vec<Vec<Picture>>, Failure> {
    let inputs: Vec<Vec<Picture>> =
        request.inputs.iter().map(|input| of_input(request, input)).collect::<Result<_, _>>()?;
    let total: usize = inputs.iter().map(Vec::len).sum();
    if request.animation.is_none() && total > MOST_PICTURES {
        return Err(Failure::Usage(format!(
            "a sheet of {total} pictures would be unreadable; use fewer with --every or --frames"
        )));
    }
    if request.animation.is_some() {
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

fn of_input(request: &Request, input: &Path) -> Result<Vec<Picture>, Failure> {
    let sequence = Sequence::new(input)?;
    let single = sequence.is_single();
    let range = request.frames.clone().filter(|_| !single);
    let frames = sequence.expand(range)?;
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
