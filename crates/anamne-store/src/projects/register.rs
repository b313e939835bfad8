//! `projects.toml`: the spaces that existed before projects had identities.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::LARGEST_FILE;
use crate::Result;
use crate::bounded::read_regular;
use crate::settings_file::{check_format, write_toml};
use crate::store::StoreFolder;

/// The version of `projects.toml`.
pub(super) const REGISTER_FORMAT: i64 = 1;

/// The content of `projects.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Register {
    pub(super) format: i64,
    /// The creation time of the file. A repository created later never used these spaces.
    pub(super) since: Timestamp,
    /// The spaces that existed at that time.
    #[serde(default)]
    pub(super) earlier: Vec<String>,
}

impl StoreFolder {
    fn register_path(&self) -> PathBuf {
        self.root().join("projects.toml")
    }

    pub(super) fn read_register(&self) -> Result<Option<Register>> {
        let path = self.register_path();
        let read = match read_regular(&path, LARGEST_FILE) {
            Ok(None) => return Ok(None),
            Ok(Some(bytes)) => toml::from_slice(&bytes).ok(),
            Err(_) => None,
        };
        // Without it no project adopts a space of an earlier version; nothing else depends on it.
        let register = read.unwrap_or(Register {
            format: REGISTER_FORMAT,
            since: Timestamp::UNIX_EPOCH,
            earlier: Vec::new(),
        });
        check_format(&path, register.format, REGISTER_FORMAT)?;
        Ok(Some(register))
    }

    pub(super) fn write_register(&self, register: &Register) -> Result<()> {
        write_toml(&self.register_path(), register)
    }
}
