//! Repositories for tests: written by hand, and by git if it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anamne_store::StoreFolder;
use tempfile::TempDir;

/// A folder with repositories and a store beside them.
pub(crate) struct Desk {
    folder: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn store(&self) -> StoreFolder {
        StoreFolder::at(&self.path(".store"))
    }

    /// A repository without commits.
    pub(crate) fn repository(&self, path: &str) -> PathBuf {
        let folder = self.path(path);
        for part in ["objects/pack", "refs/heads"] {
            fs::create_dir_all(folder.join(".git").join(part)).expect("folders");
        }
        fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
        folder
    }

    /// A repository with two commits; the id of the first one repeats these two digits.
    pub(crate) fn repository_with_commit(&self, path: &str, digits: &str) -> PathBuf {
        let folder = self.repository(path);
        commit(&folder, digits, None);
        let second = digits.chars().rev().collect::<String>();
        commit(&folder, &second, Some(digits));
        folder
    }
}

/// Adds a commit whose id repeats two digits.
pub(crate) fn commit(folder: &Path, digits: &str, parent: Option<&str>) {
    let id = digits.repeat(20);
    let parent = parent.map_or(String::new(), |parent| {
        format!("parent {}\n", parent.repeat(20))
    });
    let text = format!(
        "tree {}\n{parent}author A <a> 0 +0000\n\nmessage\n",
        "0".repeat(40)
    );
    let object = format!("commit {}\0{text}", text.len());
    let place = folder.join(".git/objects").join(&id[..2]);
    fs::create_dir_all(&place).expect("a folder");
    fs::write(place.join(&id[2..]), stored(object.as_bytes())).expect("written");
    fs::write(folder.join(".git/refs/heads/main"), format!("{id}\n")).expect("written");
}

/// A zlib stream with uncompressed content.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("a short text");
    let (mut low, mut high) = (1u32, 0u32);
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(bytes);
    stream.extend((high << 16 | low).to_be_bytes());
    stream
}

/// Copies a folder recursively.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("copied");
        }
    }
}

pub(crate) fn has_git() -> bool {
    Command::new("git").arg("--version").output().is_ok()
}

/// Creates a repository with a commit.
pub(crate) fn init(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    git(folder, &["init", "-q", "-b", "main"]);
    let message = format!("first of {}", folder.display());
    git(folder, &["commit", "-q", "--allow-empty", "-m", &message]);
}

/// Runs git without the machine's configuration, and returns its output.
#[track_caller]
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.com"),
        ("GIT_COMMITTER_NAME", "A"),
        ("GIT_COMMITTER_EMAIL", "a@example.com"),
    ] {
        command.env(name, value);
    }
    let ran = command.output().expect("git starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(ran.stdout).expect("UTF-8")
}
