//! The project entry in `space.toml`.

use std::path::{Path, PathBuf};

use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

use crate::hexadecimal;

/// Maximum number of folders of one project.
const MOST_FOLDERS: usize = 256;

/// The project whose memories a space holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectConfig {
    /// The space into which its memories were moved, if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined: Option<String>,
    /// The space that an earlier version used for this project, which may also hold memories of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formerly: Option<String>,
    /// The folders mapped to the space.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<ProjectFolder>,
}

/// A folder mapped to a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectFolder {
    /// Its path; a name that is not UTF-8 is written as `hex:` and its bytes.
    pub path: String,
    /// The project's identity: `commit:…`, `remote:…` or `path:…`.
    pub identity: String,
    /// The normalised address of its remote when first seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Inode numbers and creation times of its repository, which identify it without reading its history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
}

impl ProjectConfig {
    /// Checks bounds.
    pub(crate) fn check(&self) -> Result<(), InvalidValue> {
        if self.folders.len() > MOST_FOLDERS {
            let accepts = format!("at most {MOST_FOLDERS} folders");
            return Err(InvalidValue::new("project", accepts, self.folders.len()));
        }
        Ok(())
    }
}

impl ProjectFolder {
    /// The folder, if its path is valid on this system.
    pub fn location(&self) -> Option<PathBuf> {
        match self.path.strip_prefix("hex:") {
            None => Some(PathBuf::from(&self.path)),
            Some(digits) => path_of_bytes(digits),
        }
    }
}

/// A lossless text form of a path.
pub(crate) fn path_text(path: &Path) -> String {
    let digits = || hexadecimal::digits(path.as_os_str().as_encoded_bytes());
    path.to_str()
        .map_or_else(|| format!("hex:{}", digits()), str::to_owned)
}

#[cfg(unix)]
fn path_of_bytes(digits: &str) -> Option<PathBuf> {
    let mut bytes = vec![0; digits.len() / 2];
    hexadecimal::read(digits.as_bytes(), &mut bytes)?;
    let name: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    Some(name.into())
}

#[cfg(not(unix))]
fn path_of_bytes(_: &str) -> Option<PathBuf> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn paths_round_trip_through_text() {
        for bytes in [&b"/home/ada/api"[..], "/päth".as_bytes(), b"/a\xff\xfe"] {
            let path = Path::new(std::ffi::OsStr::from_bytes(bytes));
            let folder = ProjectFolder {
                path: path_text(path),
                identity: String::new(),
                remote: None,
                stamp: None,
            };
            assert_eq!(folder.location().as_deref(), Some(path));
        }
    }
}
