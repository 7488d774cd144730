//! What the command of a stage adds to what follows from the stage itself.
//!
//! Inputs become file arguments, settings become flags and metrics become the answer without any
//! help from here; see `whitecap-cli`.

/// The command of a kind of stage.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// Examples and remarks, shown below the help.
    pub examples: &'static str,
    /// The argument without a flag.
    pub subject: Subject,
    /// Metrics that the answer reports in words.
    pub told: &'static [&'static str],
    /// How many frames there are, if no input provides them.
    pub frames: u32,
    /// Frames per second by default.
    pub fps: f64,
}

impl CommandInfo {
    /// A command of 48 frames without an argument, at 24 frames per second.
    pub const PLAIN: Self =
        Self { examples: "", subject: Subject::Nothing, told: &[], frames: 48, fps: 24.0 };
}

/// What a command works on: its first argument.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// Nothing: everything is given by flags.
    Nothing,
    /// The files of an input.
    Input(&'static str),
    /// The file of a setting, such as the terrain that liquid runs over.
    Setting {
        /// What the help calls it.
        name: &'static str,
        /// What it is, in a sentence.
        doc: &'static str,
        /// The setting (keys separated by dots) for each list of file extensions; an empty list
        /// matches all others.
        keys: &'static [(&'static [&'static str], &'static str)],
    },
}
