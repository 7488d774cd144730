//! The shot file: what to make, from what, over which frames.
//!
//! A shot file is TOML. The table `[shot]` says which frames; every other table is a stage with
//! its `kind`, its inputs by the names of other stages, its settings and what it saves. See
//! `docs/shot-files.md`.
//!
//! # Guarantees
//! * A [`Shot`] that was loaded has no unknown key, no impossible value, no unconnected input, no
//!   cycle, and its source files existed.
//! * A file with mistakes gives all of them, each with its line; see
//!   [`Diagnostics`].

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_io::{Sequence, plain};

use crate::contract::registry::Schemas;
use crate::shot_file::diagnostic::{Diagnostics, Mistakes, name_list, nearest};
use crate::shot_file::located::{self, Entry, Node};
use crate::shot_file::schema_check::SchemaCheck;
use crate::shot_file::stage_table::{self, Draft, DraftInput};
use crate::shot_file::terrain::connect_terrains;
use crate::stage::{CheckedStage, KindInfo, ShotContext, StageKind};
use crate::{DataKind, Registry, files::formats};

/// The `[shot]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShotSettings {
    /// Name of the shot.
    #[schemars(extend("unit" = "none"))]
    pub name: String,
    /// First and last frame, both included.
    #[schemars(extend("unit" = "frames"), inner(range(min = -99_999_999, max = 99_999_999)))]
    pub frames: [i64; 2],
    /// Frames per second.
    #[serde(default = "default_fps")]
    #[schemars(extend("unit" = "1/s"), range(min = 0.001, max = 1_000_000.0))]
    pub fps: f64,
    /// Seed of everything random; the same seed gives the same result.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub seed: u32,
    /// Folder for the results, relative to the shot file. Left out: `out/` and the shot's name.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub output: Option<String>,
}

fn default_fps() -> f64 {
    24.0
}

/// A shot that can be run.
#[derive(Clone)]
pub struct Shot {
    /// The shot file.
    pub path: PathBuf,
    /// Its folder, which relative paths start from.
    pub folder: PathBuf,
    /// The `[shot]` table.
    pub settings: ShotSettings,
    /// Where results go.
    pub output: PathBuf,
    /// The stages, each after its inputs.
    pub stages: Vec<ShotStage>,
    /// What stays when the run is finished.
    pub records: Records,
    /// Frames of the range that are not made, ascending, such as those that an input lacks. A shot
    /// with a stateful stage, which needs every frame, must have none.
    pub left_out: Vec<i64>,
}

/// What a finished run leaves besides the frames it was asked to save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Records {
    /// The records of its frames, manifests and a report: the next run makes only what is not up to date.
    #[default]
    Kept,
    /// Nothing: the folder of results is only needed to continue after a stop.
    UntilFinished,
}

/// A stage of a shot.
#[derive(Clone)]
pub struct ShotStage {
    /// Its name in the shot file.
    pub name: String,
    /// Its kind.
    pub kind: Arc<dyn StageKind>,
    /// Its settings and what was loaded to check them.
    pub checked: Arc<dyn CheckedStage>,
    /// Key of each connected input and the index in [`Shot::stages`] of the stage it comes from.
    pub inputs: Vec<(&'static str, usize)>,
    /// What it saves.
    pub save: Vec<Save>,
}

impl ShotStage {
    /// What it is.
    pub fn info(&self) -> &KindInfo {
        self.kind.info()
    }

    /// What it gives.
    pub fn gives(&self) -> DataKind {
        self.info().gives.with(self.checked.settings())
    }
}

/// A file that every frame is saved in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// The side result that is saved; otherwise what the stage gives.
    pub result: Option<&'static str>,
    /// File extension.
    pub format: String,
    /// The files, if they are not in the folder of the stage.
    pub files: Option<Sequence>,
}

impl Save {
    /// What an entry of `save` asks for: `ply`, or `points.bgeo` for a side result of the kind.
    pub(crate) fn named(text: &str, info: &KindInfo) -> Self {
        let side = text.split_once('.').and_then(|(name, format)| {
            let side = info.beside.iter().find(|side| side.name == name)?;
            formats::savable(side.kind).contains(&format).then_some((side.name, format))
        });
        let (result, format) = side.map_or((None, text), |(name, format)| (Some(name), format));
        Self { result, format: format.to_string(), files: None }
    }

    /// As in the shot file.
    pub fn in_words(&self) -> String {
        self.result.map_or(self.format.clone(), |result| format!("{result}.{}", self.format))
    }
}

/// Why a shot file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ShotError {
    /// It cannot be read.
    #[error("the shot file {} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// It has mistakes.
    #[error("{0}")]
    Mistakes(Diagnostics),
}

impl Shot {
    /// Reads and checks a shot file.
    pub fn load(path: &Path, registry: &Registry) -> Result<Self, ShotError> {
        let text = plain::open_named(path).and_then(std::io::read_to_string);
        let source = text
            .map_err(|cause| match cause.kind() {
                ErrorKind::InvalidData => {
                    std::io::Error::new(ErrorKind::InvalidData, "this is not a text file in UTF-8")
                }
                _ => cause,
            })
            .map_err(|cause| ShotError::Unreadable { path: path.to_path_buf(), cause })?;
        Self::parse(&source, path, registry).map_err(ShotError::Mistakes)
    }

    /// Checks the text of a shot file that is, or would be, at `path`.
    pub fn parse(source: &str, path: &Path, registry: &Registry) -> Result<Self, Diagnostics> {
        let mut mistakes = Mistakes::new(path, source);
        let shot = read(source, path, registry, &mut mistakes);
        match (shot, mistakes.into_diagnostics()) {
            (Some(shot), None) => Ok(shot),
            (_, Some(diagnostics)) => Err(diagnostics),
            (None, None) => unreachable!("a shot that could not be read has a mistake"),
        }
    }

    /// What every stage may know about the shot.
    pub fn context(&self) -> ShotContext {
        ShotContext { left_out: self.left_out.clone(), ..context(&self.settings, &self.folder) }
    }
}

fn context(settings: &ShotSettings, folder: &Path) -> ShotContext {
    let [first, last] = settings.frames;
    ShotContext {
        folder: folder.to_path_buf(),
        first,
        last,
        left_out: Vec::new(),
        fps: settings.fps,
        seed: u64::from(settings.seed),
    }
}

fn read(
    source: &str,
    path: &Path,
    registry: &Registry,
    mistakes: &mut Mistakes<'_>,
) -> Option<Shot> {
    let entries = located::parse(source, mistakes)?;
    let schemas = Schemas::of(registry);
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();

    let settings = shot_table(&entries, &schemas, mistakes);
    let shot = settings.as_ref().map(|settings| context(settings, &folder));
    let mut drafts: Vec<Draft> = entries
        .iter()
        .filter(|entry| entry.key != "shot")
        .filter_map(|entry| stage_table::read(entry, registry, &schemas, shot.as_ref(), mistakes))
        .collect();
    if !entries.iter().any(|entry| entry.key != "shot") {
        let help = String::from("add one, such as [water] with kind = \"example\"");
        mistakes.add(0..0, "this shot has no stage", Some(help));
    }
    connect_terrains(&mut drafts, shot.as_ref());
    same_folder(&drafts, mistakes);
    let order = connect(&drafts, mistakes)?;

    let settings = settings?;
    let output = match &settings.output {
        Some(output) => folder.join(whitecap_io::path_text::decode(output)),
        None => folder.join("out").join(&settings.name),
    };
    let stages = if mistakes.is_empty() { assemble(&drafts, &order)? } else { return None };
    let records = Records::Kept;
    let (path, left_out) = (path.to_path_buf(), Vec::new());
    Some(Shot { path, folder, settings, output, stages, records, left_out })
}

/// Checks and reads the `[shot]` table.
fn shot_table(
    entries: &[Entry],
    schemas: &Schemas,
    mistakes: &mut Mistakes<'_>,
) -> Option<ShotSettings> {
    const EXAMPLE: &str = "begin with [shot], name = \"drop\" and frames = [1, 96]";
    let Some(entry) = entries.iter().find(|entry| entry.key == "shot") else {
        mistakes.add(0..0, "this file has no [shot] table", Some(EXAMPLE.to_string()));
        return None;
    };
    let Node::Table(table) = &entry.value.node else {
        let message = "`shot` should be a table of its own";
        mistakes.add(entry.key_span.clone(), message, Some(EXAMPLE.to_string()));
        return None;
    };
    let before = mistakes.count();
    let check = SchemaCheck { definitions: &schemas.definitions };
    check.table(&schemas.shot, table, "[shot]", &entry.key_span, mistakes);
    if mistakes.count() > before {
        return None;
    }
    let span_of = |key: &str| {
        table.iter().find(|e| e.key == key).map_or(entry.key_span.clone(), |e| e.value.span.clone())
    };
    let settings: ShotSettings = match serde_json::from_value(entry.value.node.to_json()) {
        Ok(settings) => settings,
        // What is not a number has been told.
        Err(_) if !entry.value.node.is_readable() => return None,
        Err(error) => {
            mistakes.add(entry.key_span.clone(), format!("[shot] cannot be used: {error}"), None);
            return None;
        }
    };
    let [first, last] = settings.frames;
    if first > last {
        let message = format!("the first frame, {first}, comes after the last, {last}");
        let help = format!("write frames = [{last}, {first}]");
        mistakes.add(span_of("frames"), message, Some(help));
        return None;
    }
    if !stage_table::is_file_name(&settings.name) {
        let message = format!("the name \"{}\" cannot name a folder", settings.name);
        mistakes.add(span_of("name"), message, Some(stage_table::NAME_RULE.to_string()));
    }
    Some(settings)
}

/// Two stages whose names differ only in case would share a folder on some systems.
fn same_folder(drafts: &[Draft], mistakes: &mut Mistakes<'_>) {
    for (place, draft) in drafts.iter().enumerate() {
        let twin = drafts[..place]
            .iter()
            .find(|other| other.name.to_lowercase() == draft.name.to_lowercase());
        if let Some(twin) = twin {
            let message =
                format!("`{}` and `{}` differ only in upper and lower case", twin.name, draft.name);
            let help = String::from("rename one: some systems cannot keep their folders apart");
            mistakes.add(draft.name_span.clone(), message, Some(help));
        }
    }
}

/// Checks every connection and finds the order to run in.
fn connect(drafts: &[Draft], mistakes: &mut Mistakes<'_>) -> Option<Vec<usize>> {
    let mut targets = vec![Vec::new(); drafts.len()];
    for (place, draft) in drafts.iter().enumerate() {
        for input in &draft.inputs {
            match drafts.iter().position(|other| other.name == input.target) {
                Some(target) => targets[place].push((input, target)),
                None => {
                    let names = drafts.iter().map(|d| d.name.as_str()).filter(|n| *n != draft.name);
                    let help = match nearest(&input.target, names.clone()) {
                        Some(name) => format!("did you mean `{name}`?"),
                        None => format!("the other stages are {}", name_list(names, "and")),
                    };
                    let message = format!("there is no stage called `{}`", input.target);
                    mistakes.add(input.span.clone(), message, Some(help));
                }
            }
        }
    }
    let inputs = targets.iter().map(|list| list.iter().map(|&(_, target)| target).collect());
    let (order, cyclic) = break_cycles(drafts, inputs.collect(), mistakes)?;
    for (place, list) in targets.iter().enumerate() {
        for &(input, target) in list {
            if !(cyclic[place] && cyclic[target]) {
                data_fits(input, &drafts[target], mistakes);
            }
        }
    }
    Some(order)
}

/// Checks that an input gets the kind of data it takes.
fn data_fits(input: &DraftInput, target: &Draft, mistakes: &mut Mistakes<'_>) {
    let Some(gives) = target.gives else { return };
    if input.port.accepts.contains(&gives) {
        return;
    }
    let accepted: Vec<&str> = input.port.accepts.iter().map(|kind| kind.in_words()).collect();
    let message = format!(
        "the input `{}` takes {}, but `{}` gives {}",
        input.port.key,
        accepted.join(" or "),
        target.name,
        gives.in_words()
    );
    mistakes.add(
        input.span.clone(),
        message,
        Some(format!("`{}`: {}", input.port.key, input.port.doc)),
    );
}

/// Reports every cycle once, by cutting the connection that closes it, until there is an order.
/// Also returns which stages were part of a cycle.
fn break_cycles(
    drafts: &[Draft],
    mut inputs: Vec<Vec<usize>>,
    mistakes: &mut Mistakes<'_>,
) -> Option<(Vec<usize>, Vec<bool>)> {
    let mut cyclic = vec![false; drafts.len()];
    loop {
        let cycle = match crate::shot_file::graph::order(&inputs) {
            Ok(order) => return Some((order, cyclic)),
            Err(cycle) => cycle,
        };
        let (&last, &first) = (cycle.last()?, cycle.first()?);
        let closing = drafts[last].inputs.iter().find(|input| input.target == drafts[first].name);
        let span = closing.map_or(drafts[last].name_span.clone(), |input| input.span.clone());
        let message = match cycle[..] {
            [only] => format!("`{}` takes itself as input", drafts[only].name),
            _ => {
                let names: Vec<String> = cycle
                    .iter()
                    .chain([&first])
                    .map(|&stage| format!("`{}`", drafts[stage].name))
                    .collect();
                format!("these stages wait for each other: {}", names.join(" needs "))
            }
        };
        let help = String::from("a stage can only take from stages that do not depend on it");
        mistakes.add(span, message, Some(help));
        cycle.iter().for_each(|&stage| cyclic[stage] = true);
        inputs[last].retain(|&input| input != first);
    }
}

/// The stages in the order in which they run.
fn assemble(drafts: &[Draft], order: &[usize]) -> Option<Vec<ShotStage>> {
    let place_of = |name: &str| order.iter().position(|&draft| drafts[draft].name == name);
    order
        .iter()
        .map(|&draft| {
            let draft = &drafts[draft];
            Some(ShotStage {
                name: draft.name.clone(),
                kind: Arc::clone(draft.kind.as_ref()?),
                checked: Arc::clone(draft.checked.as_ref()?),
                inputs: draft
                    .inputs
                    .iter()
                    .map(|input| Some((input.port.key, place_of(&input.target)?)))
                    .collect::<Option<_>>()?,
                save: draft.save.clone(),
            })
        })
        .collect()
}
