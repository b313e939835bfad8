//! Where a provider's key comes from: a variable of the environment, the keychain of the system, a file that only its owner reads.

mod keychain;

use std::fmt;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anamne_store::{Disk, Storage};

use super::BridgeError;

pub use keychain::{Keychain, NoKeychain, ToolKeychain};

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
            return Err(unusable("it is longer than any key"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unusable(
                "it holds something else than one word of plain characters",
            ));
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

/// The service under which keys stand in a keychain; the account is the provider's host.
pub const KEYCHAIN_SERVICE: &str = "anamne";

impl KeySources<'_> {
    /// The key for `host`: from `variable` where one is named, else from the keychain, else from the file.
    ///
    /// A place that holds something unusable is an error, and not passed over.
    /// Who may read the file is known on Unix alone.
    pub(crate) fn find(
        &self,
        host: &str,
        variable: Option<&str>,
    ) -> Result<Option<(Key, KeyOrigin)>, BridgeError> {
        let keep = |text: String, origin: KeyOrigin| {
            Key::new(&text, &origin.to_string()).map(|key| Some((key, origin)))
        };
        if let Some(name) = variable
            && let Some(text) = self.environment.variable(name)
            && !text.trim().is_empty()
        {
            return keep(text, KeyOrigin::Variable(name.to_owned()));
        }
        if let Some(text) = self.keychain.password(KEYCHAIN_SERVICE, host)? {
            return keep(text, KeyOrigin::Keychain(host.to_owned()));
        }
        match read_key_file(&self.file)? {
            Some(text) => keep(text, KeyOrigin::File(self.file.clone())),
            None => Ok(None),
        }
    }

    /// Where [`Self::find`] looks, in words.
    pub(crate) fn places(&self, host: &str, variable: Option<&str>) -> String {
        let variable = match variable {
            Some(name) => format!("the variable {name}"),
            None => "no variable (key_env names one)".to_owned(),
        };
        format!(
            "{variable}, the keychain (service {KEYCHAIN_SERVICE}, account {host}), {}",
            self.file.display()
        )
    }
}

fn read_key_file(path: &Path) -> Result<Option<String>, BridgeError> {
    match std::fs::metadata(path) {
        // Opening a pipe would wait for somebody who writes into it.
        Ok(metadata) => refuse_unfit(path, &metadata)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(BridgeError::io("look at", path)(error)),
    }
    let file = File::open(path).map_err(BridgeError::io("read", path))?;
    // Looked at once more when it is open, so that none can be put in its place in between.
    let metadata = file.metadata().map_err(BridgeError::io("look at", path))?;
    refuse_unfit(path, &metadata)?;
    let mut bytes = Vec::new();
    file.take(LONGEST_KEY as u64 + 3)
        .read_to_end(&mut bytes)
        .map_err(BridgeError::io("read", path))?;
    // What is not UTF-8 holds no key; as text it is refused by `Key::new`.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn refuse_unfit(path: &Path, metadata: &Metadata) -> Result<(), BridgeError> {
    if !metadata.is_file() {
        return Err(BridgeError::KeyUnusable {
            origin: path.display().to_string(),
            reason: "it is not a plain file",
        });
    }
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            return Err(BridgeError::KeyFileOpen {
                path: path.to_owned(),
                mode,
            });
        }
    }
    Ok(())
}

/// Writes a key file that only its owner can read, whole or not at all.
pub fn write_key_file(path: &Path, key: &Key) -> Result<(), BridgeError> {
    write_private(path, format!("{}\n", key.reveal()).as_bytes())
}

/// Replaces a file by one that only its owner can read.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Result<(), BridgeError> {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!("{name}.tmp-{}-{number}", std::process::id()));
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(BridgeError::io("remove", &new)(error));
        }
        _ => {}
    }
    let mut file = Disk.open(&new).map_err(BridgeError::io("open", &new))?;
    Disk.write(&new, &mut file, 0, content)
        .map_err(BridgeError::io("write", &new))?;
    Disk.sync(&new, &file)
        .map_err(BridgeError::io("sync", &new))?;
    Disk.rename(&new, path)
        .map_err(BridgeError::io("replace", path))?;
    match path.parent() {
        Some(folder) => Disk
            .sync_folder(folder)
            .map_err(BridgeError::io("sync", folder)),
        None => Ok(()),
    }
}
