//! `allowed.toml`: approvals given on this machine. The file is in the user's own folder, outside every store.
//!
//! The settings of a store choose the model, its address, its key and its budgets. Anyone who can write to a store, or
//! hands one on, can change them, so they take effect only if the same settings were approved for this store on this
//! machine.

mod identity;
mod terms;

use std::path::{Path, PathBuf};

use anamne_types::NextStep;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::guarded::{Privacy, parse_settings, read_guarded, write_settings};
use super::keys::{check_variable, is_known_variable};
use super::{BridgeConfig, BridgeError, MODEL_FILE};
pub use identity::STORE_ID_FILE;
use identity::StoreIdentity;
use terms::Terms;

/// File format version.
const FORMAT: i64 = 1;

/// Maximum file size in bytes.
const LONGEST_FILE: u64 = 1 << 20;

/// The approvals given on this machine.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    path: PathBuf,
    allowed: ApprovalsFile,
}

/// The file format.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalsFile {
    format: i64,
    /// Variables that may contain a key, each for one host.
    #[serde(default, rename = "key", skip_serializing_if = "Vec::is_empty")]
    keys: Vec<AllowedKey>,
    /// Stores with approved settings.
    #[serde(default, rename = "store", skip_serializing_if = "Vec::is_empty")]
    stores: Vec<AllowedStore>,
}

impl Default for ApprovalsFile {
    fn default() -> Self {
        Self {
            format: FORMAT,
            keys: Vec::new(),
            stores: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowedKey {
    variable: String,
    /// Scheme, host and port.
    host: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowedStore {
    approved_at: Timestamp,
    #[serde(flatten)]
    store: StoreIdentity,
    settings: Terms,
}

/// Whether the settings of a store are approved on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// Approved.
    Given,
    /// No settings of this store are approved.
    Missing,
    /// A store with the same id was approved in this other folder; this store may be a copy.
    Elsewhere(PathBuf),
    /// These fields differ from what was approved.
    Changed(Vec<&'static str>),
}

impl Approval {
    /// The reason why the settings aren't approved; empty if they are.
    pub fn reason(&self) -> String {
        match self {
            Self::Given => String::new(),
            Self::Missing => "the model settings of this store are not approved yet".to_owned(),
            Self::Elsewhere(folder) => format!(
                "approved for the store in {}; this may be a copy",
                folder.display()
            ),
            Self::Changed(fields) => {
                format!("changed since approval: {}", fields.join(", "))
            }
        }
    }
}

impl Approvals {
    /// Reads the file; a missing file means no approvals.
    ///
    /// [`BridgeError::Unsafe`] if another user may have written it.
    pub fn open(path: &Path) -> Result<Self, BridgeError> {
        let unreadable = |error: toml::de::Error| BridgeError::Unsafe {
            path: path.to_owned(),
            reason: format!("invalid content: {}", error.message()),
            remedy: "remove it, and approve models again".to_owned(),
            next_step: Some(NextStep::TrustModel),
        };
        let allowed = match read_guarded(path, Privacy::Settings, LONGEST_FILE)? {
            None => ApprovalsFile::default(),
            Some(text) => parse_settings(path, &text, FORMAT, unreadable)?,
        };
        Ok(Self {
            path: path.to_owned(),
            allowed,
        })
    }

    /// Whether the settings of the store in this folder are approved.
    pub fn of_store(&self, store: &Path, config: &BridgeConfig) -> Result<Approval, BridgeError> {
        let Some(here) = StoreIdentity::read(store)? else {
            return Ok(Approval::Missing);
        };
        let known = self
            .allowed
            .stores
            .iter()
            .filter(|known| known.store.id == here.id);
        let mut elsewhere = None;
        for known in known {
            if known.store.is_same_place(&here) {
                let changed = known.settings.differences(&Terms::of(config));
                return Ok(match changed.as_slice() {
                    [] => Approval::Given,
                    _ => Approval::Changed(changed),
                });
            }
            elsewhere = Some(known.store.folder.clone());
        }
        Ok(elsewhere.map_or(Approval::Missing, Approval::Elsewhere))
    }

    /// Fails unless the settings of the store are approved.
    pub fn require(&self, store: &Path, config: &BridgeConfig) -> Result<(), BridgeError> {
        match self.of_store(store, config)? {
            Approval::Given => Ok(()),
            missing => Err(BridgeError::NotApproved {
                path: store.join(MODEL_FILE),
                reason: missing.reason(),
            }),
        }
    }

    /// Approves these settings for the store in this folder, which must exist. Creates the store's id (`store.id`) if
    /// there is none.
    pub fn approve(
        &mut self,
        store: &Path,
        config: &BridgeConfig,
        now: Timestamp,
    ) -> Result<(), BridgeError> {
        let here = StoreIdentity::read_or_make(store, now)?;
        self.allowed.stores.retain(|known| {
            !(known.store.folder == here.folder
                || known.store.id == here.id && known.store.is_same_place(&here))
        });
        self.allowed.stores.push(AllowedStore {
            approved_at: now,
            store: here,
            settings: Terms::of(config),
        });
        self.save()
    }

    /// Fails if the settings name a key variable that is neither a known key variable nor approved for their host.
    pub fn require_variable(&self, config: &BridgeConfig) -> Result<(), BridgeError> {
        let Some(name) = config.key_variable() else {
            return Ok(());
        };
        let origin = config.origin()?;
        if is_known_variable(name) || self.allows_variable(name, &origin) {
            return Ok(());
        }
        Err(BridgeError::VariableNotAllowed {
            variable: name.to_owned(),
            origin,
        })
    }

    /// Approves this key variable for the host of these settings.
    pub fn allow_variable(
        &mut self,
        variable: &str,
        config: &BridgeConfig,
    ) -> Result<(), BridgeError> {
        check_variable(variable)?;
        let host = config.address()?.origin().to_owned();
        if self.allows_variable(variable, &host) {
            return Ok(());
        }
        self.allowed.keys.push(AllowedKey {
            variable: variable.to_owned(),
            host,
        });
        self.save()
    }

    fn allows_variable(&self, variable: &str, origin: &str) -> bool {
        let mut keys = self.allowed.keys.iter();
        keys.any(|key| key.variable == variable && key.host == origin)
    }

    fn save(&self) -> Result<(), BridgeError> {
        if let Some(folder) = self.path.parent() {
            anamne_store::create_private_folder(folder)
                .map_err(|error| BridgeError::io("create", folder)(std::io::Error::other(error)))?;
        }
        write_settings(&self.path, &self.allowed)
    }
}
