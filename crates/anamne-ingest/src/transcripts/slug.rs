//! The folder of a project whose path became a name.

use std::fs;
use std::path::{Path, PathBuf};

/// The most folder entries that one search looks at.
const MAX_ENTRIES: usize = 50_000;

/// The folder below `root` whose path a host turned into this name, with each character other than a letter or digit as
/// `-`. `None` if there is no such folder, or more than one. O(entries of the folders on the way), which is bounded.
pub(super) fn folder_of(name: &str, root: &Path) -> Option<PathBuf> {
    let words = words(name);
    let mut search = Search {
        found: Vec::new(),
        left: MAX_ENTRIES,
    };
    search.below(root, &words)?;
    match search.found.as_slice() {
        [folder] => Some(folder.clone()),
        _ => None,
    }
}

/// The runs of letters and digits.
fn words(name: &str) -> Vec<&str> {
    name.split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect()
}

struct Search {
    found: Vec<PathBuf>,
    left: usize,
}

impl Search {
    /// Adds the folders whose names below `folder` together have these words; `None` where the search must stop: two
    /// are as unclear as many. Each step takes a word, so that links can't lead it round for ever.
    fn below(&mut self, folder: &Path, wanted: &[&str]) -> Option<()> {
        // A folder that can't be listed holds no folder that could be worked in.
        let Ok(entries) = fs::read_dir(folder) else {
            return Some(());
        };
        for entry in entries.flatten() {
            self.left = self.left.checked_sub(1)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let named = words(&name);
            if named.is_empty() || !wanted.starts_with(&named) || !entry.path().is_dir() {
                continue;
            }
            match &wanted[named.len()..] {
                [] => self.found.push(entry.path()),
                rest => self.below(&entry.path(), rest)?,
            }
            if self.found.len() > 1 {
                return None;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(folders: &[&str], name: &str, expected: Option<&str>) {
        let root = tempfile::tempdir().expect("a folder");
        for folder in folders {
            fs::create_dir_all(root.path().join(folder)).expect("a folder");
        }
        let expected = expected.map(|folder| root.path().join(folder));
        assert_eq!(folder_of(name, root.path()), expected, "{name}");
    }

    #[test]
    fn a_name_leads_to_the_only_folder_that_it_can_mean() {
        check(&["home/ann/app"], "home-ann-app", Some("home/ann/app"));
        check(
            &["home/ann/my.app-2"],
            "home-ann-my-app-2",
            Some("home/ann/my.app-2"),
        );
        check(
            &["home/.ann/app", "home/bob"],
            "home--ann-app",
            Some("home/.ann/app"),
        );
        check(&["home/ann"], "home-ann-app", None);
        check(&["home/annex"], "home-ann", None);
        check(&["home"], "", None);
    }

    #[test]
    fn a_name_that_can_mean_two_folders_leads_to_none() {
        check(&["home/my-app", "home/my/app"], "home-my-app", None);
        check(&["home/my-app", "home/my.app"], "home-my-app", None);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_end() {
        let root = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(root.path(), root.path().join("a")).expect("a link");
        assert!(folder_of(&"a-".repeat(20), root.path()).is_some());
        assert_eq!(folder_of(&"a-".repeat(10_000), root.path()), None);
    }
}
