//! Where a provider's key comes from: a variable of the environment, the keychain of the system, a file that only its owner reads.
//!
//! A key belongs to one account, which is the provider and the scheme, host and port of its API. It is never sent
//! to another one.

mod file;
mod keychain;
mod variables;

use std::fmt;
use std::path::PathBuf;

use super::wording::plain_line;
use super::{Approvals, BridgeError};

pub(crate) use file::{KeyFile, read_key_file};
pub use file::{bind_key_file, write_key_file};
pub use keychain::{Keychain, NoKeychain, ToolKeychain};
pub(crate) use variables::{check_variable, is_known_variable};

/// A key. It shows itself to nobody: `Debug` gives dots, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

/// The longest key, in bytes.
const LONGEST_KEY: usize = 4_096;

impl Key {
    /// A key, without the white space around it. `origin` says in an error where it came from.
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

    /// The key itself, to be sent to its provider and nowhere else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// A text in which the key is blotted out.
    pub(crate) fn blot(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

/// The variables of the environment, as the caller hands them in.
pub trait Environment {
    /// The value of a variable, where it is set.
    fn variable(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Environment for F {
    fn variable(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// Where keys are looked for.
pub struct KeySources<'a> {
    /// The caller's environment.
    pub environment: &'a dyn Environment,
    /// The keychain of the system.
    pub keychain: &'a dyn Keychain,
    /// The file that may hold the key; `<store>/model.key`.
    pub file: PathBuf,
    /// Which other variables than the usual ones may be read.
    pub approvals: &'a Approvals,
}

/// Whose key is looked for.
pub(crate) struct Wanted<'a> {
    /// Provider, scheme, host and port.
    pub(crate) account: &'a str,
    /// The account under which a keychain may have had the key before ports and schemes counted: the host, where
    /// the address is the provider's own.
    pub(crate) former_account: Option<&'a str>,
    /// The variable that is named, if one is; it was checked that it may be read.
    pub(crate) variable: Option<&'a str>,
}

/// Where a key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// In this variable of the environment.
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

/// The service under which keys stand in a keychain; the account is [`BridgeConfig::key_account`](super::BridgeConfig::key_account).
pub const KEYCHAIN_SERVICE: &str = "anamne";

type KeyLookup = Option<(Key, KeyOrigin)>;

impl KeySources<'_> {
    /// The key: from the variable where one is named, else from the keychain, else from the file.
    ///
    /// A place that holds something unusable is an error, and not skipped. A key that was kept for another
    /// account is not found.
    pub(crate) fn find(&self, wanted: &Wanted<'_>) -> Result<KeyLookup, BridgeError> {
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

    /// Where [`Self::find`] looks, in words.
    pub(crate) fn places(&self, wanted: &Wanted<'_>) -> String {
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
