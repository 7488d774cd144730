//! What can be wrong with a film.

use whitecap_scene::SettingError;

/// What is wrong with a film.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ThinFilmError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
}
