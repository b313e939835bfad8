//! The inputs of a space: imports, notes and queries.

use std::fs;
use std::sync::OnceLock;

use anamne::{BadLines, Options, Recall, Space, Store};
use tempfile::TempDir;

/// A store and a space, shared by the process.
struct Site {
    space: Space,
    _folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options::new(folder.path()).background(false);
        let store = Store::open_with(options).expect("a store");
        let space = store.space("fuzz").expect("a space");
        Self {
            space,
            _folder: folder,
        }
    }

    fn shared() -> &'static Self {
        static SITE: OnceLock<Site> = OnceLock::new();
        SITE.get_or_init(Self::new)
    }
}

/// Import lines.
pub(crate) fn import_line(bytes: &[u8]) -> bool {
    let space = &Site::shared().space;
    let report = space.import(bytes, BadLines::Skip, &mut |_| {});
    report.is_ok_and(|report| report.imported + report.known > 0)
}

/// A Markdown note with front matter.
pub(crate) fn front_matter(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("note.md"), bytes).expect("written");
    let space = &Site::shared().space;
    let report = space.import_notes(folder.path(), BadLines::Skip, &mut |_| {});
    report.is_ok_and(|report| report.imported + report.known > 0)
}

/// A query on a space with a few memories.
pub(crate) fn recall(bytes: &[u8]) -> bool {
    static KNOWN: OnceLock<Site> = OnceLock::new();
    let site = KNOWN.get_or_init(|| {
        let site = Site::new();
        for content in [
            "Nora moved to Lisbon in March 2024 and works at the harbour",
            "The staging server listens on port 8471",
            "昨日、東京で会議がありました。",
        ] {
            site.space.remember(content).expect("remembered");
        }
        site
    });
    let question = String::from_utf8_lossy(bytes);
    let answer = site.space.recall(&Recall::new(&*question));
    answer.is_ok_and(|answer| !answer.results.is_empty())
}
