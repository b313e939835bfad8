//! The state of a space, to notice that it was changed since it was read.

use std::fmt;

use rusqlite::Connection;

use crate::Result;
use crate::config::SpaceConfig;
use crate::journal::Digest;
use crate::source::{feed, log};
use crate::space::SpaceSource;

/// A digest of a space's log and settings: it differs after every event and every change of a setting, and for a later
/// space of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceState(Digest);

impl SpaceState {
    /// The state that [`ToString`] wrote; `None` for any other text.
    pub fn read(digits: &str) -> Option<Self> {
        Digest::read(digits).map(Self)
    }

    /// The state by the end of the log and the settings, which have the time of the space's creation.
    pub(crate) fn of(connection: &Connection, config: &SpaceConfig) -> Result<Self> {
        let last = feed::head(connection)?;
        let chain = log::hash_at(connection, last)?.unwrap_or_default();
        let mut state = format!("{last} {chain} ").into_bytes();
        serde_json::to_writer(&mut state, config)?;
        Ok(Self(Digest::of(&state)))
    }
}

impl fmt::Display for SpaceState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl SpaceSource {
    /// Its state now.
    pub fn state(&self) -> Result<SpaceState> {
        let config = self.current_config()?;
        self.read(|connection| SpaceState::of(connection, &config))
    }
}
