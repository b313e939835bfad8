//! Finds a provider's key: in an environment variable, the system keychain, or a file that only its owner can read.
//!
//! A key belongs to one account: the provider, and the scheme, host and port of its API. It is never sent to another
//! account.

mod file;
mod keychain;
mod variables;

use std::fmt;
use std::path::PathBuf;

use super::wording::plain_line;
use super::{Approvals, BridgeError};

pub(crate) use file::{KeyFile, read_key_file};
pub use file::{bind_key_file, key_in_file, write_key_file};
pub use keychain::{Keychain, NoKeychain, ToolKeychain};
pub(crate) use variables::{check_variable, is_known_variable};

/// A secret key. `Debug` prints dots, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

/// Maximum length of a key, in bytes.
const LONGEST_KEY: usize = 4_096;

impl Key {
    /// A key, trimmed of white space. `origin` names its source in errors.
    pub fn new(text: &str, origin: &str) -> Result<Self, BridgeError> {
        let unusable = |reason| BridgeError::KeyUnusable {
            origin: origin.to_owned(),
            reason,
        };
        let text = text.trim();
        if text.is_empty() {
            return Err(unusable("it is empty"));
        }
        if text.len() > LONGEST_KEY {
            return Err(unusable("too long for a key"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unusable("not a single word of printable ASCII"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The key itself, only to be sent to its provider.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with the key redacted.
    pub(crate) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

/// Environment variables, provided by the caller.
pub trait Environment {
    /// The value of a variable, if set.
    fn variable(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Environment for F {
    fn variable(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// The places that are searched for a key.
pub struct KeySources<'a> {
    /// Environment variables.
    pub environment: &'a dyn Environment,
    /// The system keychain.
    pub keychain: &'a dyn Keychain,
    /// The key file, `<store>/model.key`.
    pub file: PathBuf,
    /// Approvals of variables other than the usual ones.
    pub approvals: &'a Approvals,
}

/// The account and variable of the key to find.
pub(crate) struct KeyRequest<'a> {
    /// Provider, scheme, host and port.
    pub(crate) account: &'a str,
    /// The account name that earlier versions, without scheme and port, used in the keychain: the host, if the address
    /// is the provider's own.
    pub(crate) former_account: Option<&'a str>,
    /// The configured variable, if any; already checked to be allowed.
    pub(crate) variable: Option<&'a str>,
}

/// Where a key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// In this environment variable.
    Variable(String),
    /// In the keychain, under [`KEYCHAIN_SERVICE`] and this account.
    Keychain(String),
    /// In this file.
    File(PathBuf),
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(formatter, "the variable {name}"),
            Self::Keychain(account) => {
                write!(formatter, "the keychain ({KEYCHAIN_SERVICE}, {account})")
            }
            Self::File(path) => write!(formatter, "{}", path.display()),
        }
    }
}

/// The keychain service of all keys; the account is [`BridgeConfig::key_account`](super::BridgeConfig::key_account).
pub const KEYCHAIN_SERVICE: &str = "anamne";

type KeyLookup = Option<(Key, KeyOrigin)>;

impl KeySources<'_> {
    /// Finds the key: in the variable if one is configured, else in the keychain, else in the file.
    ///
    /// An unusable value in one place is an error, not skipped. A key stored for another account is not found.
    pub(crate) fn find(&self, wanted: &KeyRequest<'_>) -> Result<KeyLookup, BridgeError> {
        let keep = |text: String, origin: KeyOrigin| {
            Key::new(&text, &origin.to_string()).map(|key| Some((key, origin)))
        };
        if let Some(name) = wanted.variable
            && let Some(text) = self.environment.variable(name)
            && !text.trim().is_empty()
        {
            return keep(text, KeyOrigin::Variable(name.to_owned()));
        }
        let accounts = std::iter::once(wanted.account).chain(wanted.former_account);
        for account in accounts {
            if let Some(text) = self.keychain.password(KEYCHAIN_SERVICE, account)? {
                return keep(text, KeyOrigin::Keychain(account.to_owned()));
            }
        }
        match read_key_file(&self.file)? {
            Some(KeyFile::Bound { account, text }) if account == wanted.account => {
                keep(text, KeyOrigin::File(self.file.clone()))
            }
            Some(KeyFile::Unbound { .. }) => Err(BridgeError::KeyUnbound {
                path: self.file.clone(),
                account: wanted.account.to_owned(),
            }),
            Some(KeyFile::Bound { .. }) | None => Ok(None),
        }
    }

    /// The places that [`Self::find`] searches, as text.
    pub(crate) fn places(&self, wanted: &KeyRequest<'_>) -> String {
        let variable = match wanted.variable {
            Some(name) => format!("the variable {name}"),
            None => "no variable (set key_env)".to_owned(),
        };
        let other = match read_key_file(&self.file) {
            Ok(Some(KeyFile::Bound { account, .. })) if account != wanted.account => {
                format!(" (it holds a key for {})", plain_line(&account, 200))
            }
            _ => String::new(),
        };
        format!(
            "{variable}, the keychain (service {KEYCHAIN_SERVICE}, account {}), {}{other}",
            wanted.account,
            self.file.display()
        )
    }
}
