//! The folders and variables of a person's account.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The operating systems that hosts distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux and other systems with the XDG folders.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The platform that this program was built for.
    pub const fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// The folders and variables of a person's account, as the caller sees them.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The operating system.
    pub platform: Platform,
    /// The home folder.
    pub home: PathBuf,
    /// The folder of configurations: `$XDG_CONFIG_HOME` or `~/.config`; on Windows `%APPDATA%`.
    pub config: PathBuf,
    /// The folder of application data: `$XDG_DATA_HOME` or `~/.local/share`; on Windows `%LOCALAPPDATA%`.
    pub data: PathBuf,
    /// Environment variables. Empty ones count as missing.
    pub variables: BTreeMap<String, String>,
    /// What a program prints when it is asked for its version; `None` if it doesn't answer. May start it.
    pub version_of: fn(&Path) -> Option<String>,
}

impl Machine {
    /// An account on this platform with the default folders under `home`, no variables and no programs.
    pub fn at(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        let platform = Platform::current();
        let (config, data) = match platform {
            Platform::Windows => (home.join("AppData/Roaming"), home.join("AppData/Local")),
            _ => (home.join(".config"), home.join(".local/share")),
        };
        Self {
            platform,
            home,
            config,
            data,
            variables: BTreeMap::new(),
            version_of: |_| None,
        }
    }

    /// A variable, unless it is missing or empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The folder named by a variable, else `default`.
    pub fn folder_or(&self, variable: &str, default: PathBuf) -> PathBuf {
        self.variable(variable).map_or(default, PathBuf::from)
    }
}
