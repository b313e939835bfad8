//! Which space a folder of source code belongs to.

use std::fs;
use std::path::{Path, PathBuf};

use crate::space_name::SpaceName;

/// A project on disk and the space that holds its memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder that holds `.git`.
    pub root: PathBuf,
    /// The space.
    pub space: SpaceName,
}

impl Project {
    /// The project around `folder`: the nearest folder above it that holds `.git`, if there is one.
    ///
    /// Its space is named by `name:` in the front matter of CLAUDE.md, else by that file's first
    /// heading, else by the folder itself. A name that no space can have is passed over.
    pub fn around(folder: &Path) -> Option<Self> {
        let root = folder
            .ancestors()
            .find(|candidate| candidate.join(".git").exists())?;
        let written = fs::read_to_string(root.join("CLAUDE.md"))
            .ok()
            .and_then(|text| name_in(&text));
        let folder_name = || root.file_name()?.to_str()?.parse().ok();
        Some(Self {
            root: root.to_owned(),
            space: written.or_else(folder_name)?,
        })
    }
}

/// The name that a CLAUDE.md gives its project.
fn name_in(text: &str) -> Option<SpaceName> {
    let (front_matter, rest) = split_front_matter(text);
    let named = front_matter
        .lines()
        .find_map(|line| line.trim_end().strip_prefix("name:"));
    let heading = || rest.lines().find_map(|line| line.trim().strip_prefix("# "));
    let clean = |name: &str| name.trim().trim_matches(['"', '\'']).trim().parse().ok();
    named.and_then(clean).or_else(|| heading().and_then(clean))
}

fn split_front_matter(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let Some(body) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return ("", text);
    };
    body.split_once("\n---").unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(claude_md: Option<&str>, expected: &str) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join("river-watch");
        let inside = root.join("src/deep");
        fs::create_dir_all(&inside).expect("folders");
        fs::create_dir(root.join(".git")).expect("a .git folder");
        if let Some(text) = claude_md {
            fs::write(root.join("CLAUDE.md"), text).expect("CLAUDE.md");
        }
        let project = Project::around(&inside).expect("a project");
        assert_eq!((project.space.as_str(), project.root), (expected, root));
    }

    #[test]
    fn a_project_is_named_by_front_matter_then_heading_then_folder() {
        check(None, "river-watch");
        check(Some("Notes without a heading"), "river-watch");
        check(Some("# River Watch\n\ntext"), "River Watch");
        check(
            Some("---\ntitle: x\nname: \"gauges\"\n---\n# River Watch\n"),
            "gauges",
        );
        check(Some("---\nname: a/b\n---\n# Rivers\n"), "Rivers");
    }
}
