//! `allowed.toml`: what a person approved on this machine. It lies in the user's own folder, outside every store.
//!
//! The settings in a store say which model is asked, where, with which key and at what cost. Whoever hands a store on, or can
//! write to it, could say so too. So they count only where the same settings were approved for this store here.

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

/// The version of the file.
const FORMAT: i64 = 1;

/// A longer file is refused.
const LONGEST_FILE: u64 = 1 << 20;

/// What a person approved on this machine.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    path: PathBuf,
    allowed: Allowed,
}

/// The file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowed {
    format: i64,
    /// Variables that may hold a key, each for one host.
    #[serde(default, rename = "key", skip_serializing_if = "Vec::is_empty")]
    keys: Vec<AllowedKey>,
    /// Stores whose settings may be used.
    #[serde(default, rename = "store", skip_serializing_if = "Vec::is_empty")]
    stores: Vec<AllowedStore>,
}

impl Default for Allowed {
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

/// How the settings of a store stand on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// They may be used.
    Given,
    /// Nobody approved settings of this store.
    Missing,
    /// A store with the same id was approved in this other folder; this one may be a copy.
    Elsewhere(PathBuf),
    /// These fields differ from what was approved.
    Changed(Vec<&'static str>),
}

impl Approval {
    /// What is missing, in words; empty where nothing is.
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
    /// Reads the file; nothing is approved where it is missing.
    ///
    /// [`BridgeError::Unsafe`] where somebody else may have written it.
    pub fn open(path: &Path) -> Result<Self, BridgeError> {
        let unreadable = |error: toml::de::Error| BridgeError::Unsafe {
            path: path.to_owned(),
            reason: format!("invalid content: {}", error.message()),
            remedy: "remove it, and approve models again".to_owned(),
            next_step: Some(NextStep::TrustModel),
        };
        let allowed = match read_guarded(path, Privacy::Settings, LONGEST_FILE)? {
            None => Allowed::default(),
            Some(text) => parse_settings(path, &text, FORMAT, unreadable)?,
        };
        Ok(Self {
            path: path.to_owned(),
            allowed,
        })
    }

    /// How the settings of the store in this folder stand.
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

    /// Fails unless the settings of the store may be used.
    pub fn require(&self, store: &Path, config: &BridgeConfig) -> Result<(), BridgeError> {
        match self.of_store(store, config)? {
            Approval::Given => Ok(()),
            missing => Err(BridgeError::NotApproved {
                path: store.join(MODEL_FILE),
                reason: missing.reason(),
            }),
        }
    }

    /// Takes note that a person approved these settings for the store in this folder, which must exist. The store
    /// gets an id of its own (`store.id`) where it has none.
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

    /// Fails where the settings name a variable for the key that is neither known to hold one nor allowed for their host.
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

    /// Takes note that a person named this variable as the key for the host of these settings.
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
