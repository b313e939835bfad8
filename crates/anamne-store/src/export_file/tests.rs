//! Forged files: valid digests around content that no export has.

use std::path::Path;
use std::sync::Arc;

use anamne_types::{Actor, Draft};

use super::section::{SectionWriter, Tag};
use super::{ExportManifest, ExportedSpace, StagedExport, stage_export, write_export_file};
use crate::config::SpaceConfig;
use crate::files::entries;
use crate::journal::{Digest, Line, Lines};
use crate::space::SpaceSource;
use crate::space_name::SpaceName;
use crate::{Result, StoreError, SystemClock};

/// The parts of a file with one space.
struct Parts {
    manifest: ExportManifest,
    settings: SpaceConfig,
    lines: Vec<Line>,
}

impl Parts {
    /// Those of a space with two memories.
    fn honest() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let name: SpaceName = "tests".parse().expect("a name");
        let clock = Arc::new(SystemClock);
        let space = SpaceSource::open(folder.path(), &name, clock, true).expect("a space");
        for text in ["one thing", "another thing"] {
            let draft = Draft::new(text);
            space.remember(&Actor::user(), &draft).expect("told");
        }
        let lines: Result<Vec<Line>> = Lines::of(&folder.path().join("journal"))
            .expect("lines")
            .collect();
        let lines = lines.expect("sound");
        let mut parts = Self {
            manifest: ExportManifest {
                made_at: jiff::Timestamp::UNIX_EPOCH,
                spaces: vec![exported("tests")],
                extras: Vec::new(),
            },
            settings: (*space.config()).clone(),
            lines,
        };
        parts.agree();
        parts
    }

    /// Makes the manifest agree with the lines.
    fn agree(&mut self) {
        let last = self.lines.last().expect("a line");
        let space = &mut self.manifest.spaces[0];
        (space.last_seq, space.last_hash) = (last.seq, last.hash);
    }

    /// Replaces a part of the second payload, and makes the chain valid again.
    fn forge(mut self, part: &str, by: &str) -> Self {
        let second = self.lines.pop().expect("a line");
        let payload = second.payload.as_ref().expect("a payload").get().to_owned();
        assert!(payload.contains(part), "{payload}");
        let forged =
            serde_json::value::RawValue::from_string(payload.replace(part, by)).expect("JSON");
        let before = self.lines[0].hash;
        self.lines.push(Line::chain(before, second.event(), forged));
        self.agree();
        self
    }

    fn journal(&self) -> String {
        let lines = self
            .lines
            .iter()
            .map(|line| serde_json::to_string(line).expect("JSON") + "\n");
        lines.collect()
    }

    fn file(&self) -> Vec<u8> {
        let settings = toml::to_string(&self.settings).expect("TOML");
        self.with(&[
            (Tag::Settings, 0, settings.as_bytes()),
            (Tag::Journal, 0, self.journal().as_bytes()),
        ])
    }

    /// The file with these sections after its manifest.
    fn with(&self, sections: &[(Tag, u32, &[u8])]) -> Vec<u8> {
        let manifest = serde_json::to_vec(&self.manifest).expect("JSON");
        let mut writer = SectionWriter::begin(Vec::new()).expect("begun");
        writer.write(Tag::Manifest, 0, &manifest).expect("written");
        for (tag, space, text) in sections {
            writer.write(*tag, *space, text).expect("written");
        }
        writer.finish().expect("finished").0
    }
}

fn exported(name: &str) -> ExportedSpace {
    ExportedSpace {
        name: name.to_owned(),
        last_seq: anamne_types::Seq(0),
        last_hash: Digest::default(),
    }
}

fn stage(store: &Path, file: &[u8]) -> Result<StagedExport> {
    stage_within(u64::MAX, store, file)
}

fn stage_within(most_text: u64, store: &Path, file: &[u8]) -> Result<StagedExport> {
    stage_export(Path::new("file"), file, store, true, most_text, |space| {
        Ok::<_, StoreError>(Some(space.name.parse()?))
    })
}

#[track_caller]
fn check(file: &[u8], said: &str) {
    let store = tempfile::tempdir().expect("a folder");
    let refused = stage(store.path(), file).expect_err(said);
    assert!(refused.to_string().contains(said), "{refused}, not {said}");
    let left = entries(store.path()).expect("a folder");
    assert!(
        left.iter().all(|path| path.ends_with("import.lock")),
        "{left:?}"
    );
}

#[test]
fn an_honest_file_is_staged_and_its_folder_removed_with_it() {
    let store = tempfile::tempdir().expect("a folder");
    let staged = stage(store.path(), &Parts::honest().file()).expect("staged");
    assert_eq!(
        (staged.spaces.len(), staged.spaces[0].exported.last_seq.0),
        (1, 2)
    );
    let second = stage(store.path(), &Parts::honest().file()).expect_err("one at a time");
    assert!(matches!(second, StoreError::Busy { .. }), "{second}");
    drop(staged);
    assert_eq!(
        entries(store.path()).expect("a folder").len(),
        1,
        "the lock file alone"
    );
    // What a crash left is removed by the next import.
    std::fs::create_dir_all(store.path().join("import.tmp-1-1/file/spaces/x")).expect("made");
    drop(stage(store.path(), &Parts::honest().file()).expect("staged"));
    assert_eq!(entries(store.path()).expect("a folder").len(), 1);
}

#[test]
fn a_file_with_more_text_than_there_is_room_for_is_refused() {
    let file = Parts::honest().file();
    let store = tempfile::tempdir().expect("a folder");
    let refused = stage_within(100, store.path(), &file).expect_err("too long");
    assert!(refused.to_string().contains("more text"), "{refused}");
    assert_eq!(entries(store.path()).expect("a folder").len(), 0);
    drop(stage_within(1 << 20, store.path(), &file).expect("staged"));
}

#[test]
fn names_that_are_no_names_are_refused() {
    for name in ["../evil", "/etc/evil", "a/b", "", "a\u{0}b", "a\\b"] {
        let mut parts = Parts::honest();
        parts.manifest.spaces[0].name = name.to_owned();
        name.clone_into(&mut parts.settings.name);
        check(&parts.file(), "its manifest");
    }
    // A name that is no path, in a folder of its own.
    let mut parts = Parts::honest();
    "..".clone_into(&mut parts.manifest.spaces[0].name);
    "..".clone_into(&mut parts.settings.name);
    let store = tempfile::tempdir().expect("a folder");
    let staged = stage(store.path(), &parts.file()).expect("staged");
    let spaces = staged.store().join("spaces");
    assert_eq!(staged.spaces[0].folder.parent(), Some(spaces.as_path()));
    assert!(!staged.spaces[0].folder.ends_with(".."));
    let mut parts = Parts::honest();
    parts.manifest.spaces = Vec::new();
    check(&parts.file(), "1 to 10000 spaces");
    parts.manifest.spaces = (0..10_001)
        .map(|number| exported(&number.to_string()))
        .collect();
    check(&parts.file(), "1 to 10000 spaces");
    parts.manifest.spaces = vec![exported("tests"), exported("tests")];
    check(&parts.file(), "twice");
    let mut parts = Parts::honest();
    "other".clone_into(&mut parts.settings.name);
    check(&parts.file(), "another name");
}

#[test]
fn sections_out_of_order_are_refused() {
    let mut parts = Parts::honest();
    let settings = toml::to_string(&parts.settings).expect("TOML");
    let (settings, journal) = (settings.as_bytes(), parts.journal());
    let journal = journal.as_bytes();
    check(&parts.with(&[(Tag::Journal, 0, journal)]), "out of order");
    check(&parts.with(&[(Tag::Settings, 1, settings)]), "out of order");
    check(
        &parts.with(&[(Tag::Settings, 0, settings), (Tag::Settings, 0, settings)]),
        "out of order",
    );
    check(
        &parts.with(&[(Tag::Settings, 0, settings), (Tag::Manifest, 0, b"{}")]),
        "out of order",
    );
    check(
        &parts.with(&[(Tag::Settings, 0, settings), (Tag::Journal, 1, journal)]),
        "out of order",
    );
    check(&parts.with(&[]), "are missing");
    check(
        &parts.with(&[(Tag::Settings, 0, settings)]),
        "ends at event 0",
    );
    check(
        &parts.with(&[(Tag::Settings, 0, b"format = 1")]),
        "the settings of the space",
    );
    let extra = (Tag::Paid, 0, &b"SQLite format 3"[..]);
    check(
        &parts.with(&[
            (Tag::Settings, 0, settings),
            (Tag::Journal, 0, journal),
            extra,
        ]),
        "doesn't list",
    );
    parts.manifest.extras = vec![super::ExportExtra::Paid, super::ExportExtra::Paid];
    check(&parts.file(), "twice");
    let mut writer = SectionWriter::begin(Vec::new()).expect("begun");
    writer.write(Tag::Settings, 0, settings).expect("written");
    check(&writer.finish().expect("finished").0, "no manifest");
}

#[test]
fn a_chain_that_says_something_else_is_refused() {
    let id = Parts::honest().lines[0].memory.to_string();
    for (part, by, said) in [
        ("\"trust\":1.0", "\"trust\":7.0", "trust"),
        ("\"importance\":5", "\"importance\":0", "importance"),
        ("\"seq\":2", "\"seq\":1", "state of another event"),
        ("\"kind\":\"message\"", "\"kind\":\"rumour\"", "rumour"),
        ("\"content\":", "\"unknown\":1,\"content\":", "event 2"),
    ] {
        check(&Parts::honest().forge(part, by).file(), said);
    }
    let own = Parts::honest();
    let second = own.lines[1].memory.to_string();
    check(&own.forge(&second, &id).file(), "state of another event");
    let many = format!("\"content\":{}", "[".repeat(500_000));
    let mut parts = Parts::honest();
    let mut text = parts.journal();
    text.push_str(&many);
    text.push('\n');
    let settings = toml::to_string(&parts.settings).expect("TOML");
    let sections = [
        (Tag::Settings, 0, settings.as_bytes()),
        (Tag::Journal, 0, text.as_bytes()),
    ];
    check(&parts.with(&sections), "JSON values");
    parts.lines.swap(0, 1);
    check(&parts.file(), "event 2 follows event 0");
    let mut parts = Parts::honest();
    parts.lines.pop();
    check(&parts.file(), "ends at event 1");
    let mut parts = Parts::honest();
    parts.lines[1].actor.name = "\u{1b}[31m".to_owned();
    check(&parts.file(), "event 2");
}

#[test]
fn a_file_is_not_written_over_a_folder_or_from_a_damaged_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let name: SpaceName = "tests".parse().expect("a name");
    let at = folder.path().join("space");
    let space = SpaceSource::open(&at, &name, Arc::new(SystemClock), true).expect("a space");
    space
        .remember(&Actor::user(), &Draft::new("one thing"))
        .expect("told");
    let now = jiff::Timestamp::UNIX_EPOCH;
    assert!(write_export_file(folder.path(), &[&space], &[], now).is_err());
    let segment = at.join("journal/000001.jsonl");
    let text = std::fs::read_to_string(&segment).expect("a segment");
    std::fs::write(&segment, text.replace("one thing", "two thing")).expect("written");
    let path = folder.path().join("file.anamne");
    let failure = write_export_file(&path, &[&space], &[], now).expect_err("damaged");
    assert!(
        matches!(
            (failure.space, &failure.error),
            (Some(0), StoreError::Damaged { .. })
        ),
        "{failure:?}"
    );
    let left: Vec<_> = entries(folder.path()).expect("a folder");
    assert_eq!(left, [at]);
}
