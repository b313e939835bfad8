//! Erased text is in no file of the space any more, and everything else is unchanged.

use std::fs;
use std::path::Path;

use anamne_store::{SpaceSource, StoreError};
use anamne_types::{Body, Draft, Edit, Link, LinkType, MemoryId};
use serde_json::json;

use crate::common::{Home, assert_sound, files_under, head, lines, user};

/// Secret words that must not be found after the erasure.
const SECRETS: [&str; 12] = [
    "secretcontent",
    "secretedited",
    "secrettag",
    "secretformertag",
    "secretmetadata",
    "secretkey",
    "secretthread",
    "secretsession",
    "secretauthor",
    "secretoutside",
    "secretreason",
    "secrettitle",
];

/// The files that contain the needle; sealed segments are decompressed first.
fn files_with(folder: &Path, needle: &[u8]) -> Vec<std::path::PathBuf> {
    let holds = |path: &std::path::PathBuf| {
        let mut bytes = fs::read(path).expect("a file");
        if path.extension().is_some_and(|extension| extension == "zst") {
            bytes = zstd::decode_all(&bytes[..]).expect("a sealed segment");
        }
        bytes.windows(needle.len()).any(|window| window == needle)
    };
    files_under(folder).into_iter().filter(holds).collect()
}

fn link(space: &SpaceSource, from: MemoryId, to: MemoryId, reason: &str) {
    let link = Link {
        from,
        to,
        link_type: LinkType::Supports,
        weight: 1.0,
        reason: reason.to_owned(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
    };
    space.link(&user(), &link).expect("a link");
}

/// Writes a memory with secrets in every field, in earlier states and in links.
fn tell_secrets(space: &SpaceSource, other: MemoryId) -> MemoryId {
    let mut draft = Draft::new("secretcontent in the first state")
        .thread("secretthread")
        .author("secretauthor")
        .tag("secretformertag")
        .tag("public tag");
    draft.session = Some("secretsession".to_owned());
    draft.external_id = Some("secretoutside".to_owned());
    draft.metadata = [("secretkey".to_owned(), json!({"inner": "secretmetadata"}))].into();
    draft.body = Body::Document {
        title: "secrettitle".to_owned(),
        source: String::new(),
    };
    let id = space.remember(&user(), &draft).expect("a write").id;
    let edit = Edit {
        content: Some("secretedited in the second state".to_owned()),
        add_tags: vec!["secrettag".to_owned()],
        remove_tags: vec!["secretformertag".to_owned()],
        ..Edit::default()
    };
    space.edit(&user(), id, &edit).expect("an edit");
    link(space, other, id, "secretreason, drawn by another");
    link(space, other, id, "secretreason, drawn again");
    space
        .unlink(&user(), other, id, LinkType::Supports)
        .expect("an unlink");
    link(space, id, other, "secretreason, drawn from here");
    id
}

#[test]
fn no_byte_of_an_erased_memory_is_left_in_any_file() {
    let home = Home::new();
    let space = home.open();
    let other = space
        .remember(&user(), &Draft::new("a public note").tag("public tag"))
        .expect("a write")
        .id;
    for number in 0..300 {
        space
            .remember(
                &user(),
                &Draft::new(format!("filler {number}")).thread("public thread"),
            )
            .expect("a write");
    }
    let id = tell_secrets(&space, other);
    for secret in SECRETS {
        assert!(
            !files_with(&home.space(), secret.as_bytes()).is_empty(),
            "{secret} was told"
        );
    }
    // Quarantined copies and leftovers of a crash contain it too.
    fs::write(home.at("memories/active.db.damaged-1"), "secretcontent").expect("a copy");
    fs::write(home.journal().join("000001.jsonl.tmp-1-1"), "secretcontent").expect("a leftover");
    fs::create_dir(home.at("journal.damaged-1")).expect("a folder");
    fs::write(home.at("journal.damaged-1/000001.jsonl"), "secretcontent").expect("a copy");
    let reader = home.open();
    assert_eq!(
        reader.get(id).expect("a memory").thread.as_deref(),
        Some("secretthread")
    );
    space.erase(&user(), id).expect("an erasure");
    for secret in SECRETS {
        assert_eq!(
            files_with(&home.space(), secret.as_bytes()),
            Vec::<std::path::PathBuf>::new(),
            "{secret}"
        );
    }
    assert_sound(&space);
    assert!(space.get(id).is_err() && reader.get(id).is_err());
    assert_eq!(space.links(other).expect("links"), []);
    assert_eq!(
        space.get(other).expect("a memory").tags,
        ["public tag"],
        "what others bear too stays"
    );
    assert!(space.verify_journal().expect("a report").erased >= 6);
    // A name may be used again; in every process it then refers to the new memory.
    let again = reader
        .remember(
            &user(),
            &Draft::new("new").thread("secretthread").tag("secrettag"),
        )
        .expect("a write")
        .id;
    for space in [&space, &reader] {
        let memory = space.get(again).expect("a memory");
        assert_eq!(
            (memory.thread.as_deref(), &memory.tags[..]),
            (Some("secretthread"), &["secrettag".to_owned()][..])
        );
    }
    let stored = space
        .remember(&user(), &Draft::new("newer").thread("secretthread"))
        .expect("a write")
        .id;
    assert_eq!(reader.get(stored).expect("a memory").position, Some(1));
}

#[test]
fn long_contents_and_sealed_segments_are_erased_too() {
    let home = Home::new();
    let space = home.open();
    let text = |number: usize| -> String {
        let mut state = number as u64 + 1;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 40
        };
        let words: Vec<_> = (0..9_000).map(|_| format!("word{}", next())).collect();
        words.join(" ")
    };
    let ids: Vec<_> = (0..100)
        .map(|number| {
            space
                .remember(&user(), &text(number).into())
                .expect("a write")
                .id
        })
        .collect();
    assert!(space.seal_journal().expect("sealing") > 0);
    let frame = zstd::bulk::compress(text(3).as_bytes(), 1).expect("a frame");
    let part = &frame[frame.len() / 2..frame.len() / 2 + 24];
    let words = &text(3)[5_000..5_100];
    assert!(
        !files_with(&home.space(), part).is_empty()
            && !files_with(&home.space(), words.as_bytes()).is_empty()
    );
    space.erase(&user(), ids[3]).expect("an erasure");
    assert_eq!(
        files_with(&home.space(), part),
        Vec::<std::path::PathBuf>::new()
    );
    assert_eq!(
        files_with(&home.space(), words.as_bytes()),
        Vec::<std::path::PathBuf>::new()
    );
    assert_sound(&space);
    assert_eq!(space.get(ids[4]).expect("its neighbour").content, text(4));
}

#[test]
fn a_database_restored_from_an_erased_journal_keeps_row_numbers() {
    let home = Home::new();
    let space = home.open();
    let first = space
        .remember(&user(), &"first".into())
        .expect("a write")
        .id;
    let secret = tell_secrets(&space, first);
    let last = space
        .remember(&user(), &Draft::new("last").thread("t").tag("secrettag"))
        .expect("a write")
        .id;
    space.erase(&user(), secret).expect("an erasure");
    let seen = |space: &SpaceSource| {
        let memories = [first, last].map(|id| space.get(id).expect("a memory"));
        (
            memories,
            space.history(secret).expect("a history"),
            space.statistics().expect("counts"),
            head(space),
        )
    };
    let before = seen(&space);
    assert_eq!(before.0.each_ref().map(|memory| memory.row.0), [1, 3]);
    fs::create_dir_all(home.at("views/lexical")).expect("a folder");
    drop(space);
    home.remove_database();
    let space = home.open();
    assert_eq!(seen(&space), before);
    assert!(
        !home.at("views").exists(),
        "views hold numbers of names, which may be others now"
    );
    assert_sound(&space);
    for secret in SECRETS.iter().filter(|secret| **secret != "secrettag") {
        assert_eq!(
            files_with(&home.space(), secret.as_bytes()),
            Vec::<std::path::PathBuf>::new(),
            "{secret}"
        );
    }
    let next = space.remember(&user(), &"next".into()).expect("a write").id;
    assert_eq!(space.get(next).expect("a memory").row.0, 4);
    drop(space);
    home.remove_journal();
    assert_sound(&home.open());
    assert!(
        lines(&home)
            .iter()
            .filter(|line| line.payload.is_none())
            .count()
            >= 6
    );
}

#[test]
fn what_is_erased_cannot_be_changed_or_brought_back() {
    let home = Home::new();
    let space = home.open();
    let id = space.remember(&user(), &"gone".into()).expect("a write").id;
    let other = space.remember(&user(), &"here".into()).expect("a write").id;
    space.erase(&user(), id).expect("an erasure");
    let before = head(&space);
    assert!(space.restore(&user(), id).is_err());
    assert!(space.forget(&user(), id).is_err());
    assert!(space.erase(&user(), id).is_err());
    assert!(space.edit(&user(), id, &Edit::default()).is_err());
    assert!(space.unlink(&user(), other, id, LinkType::Related).is_err());
    let successor = Edit {
        superseded_by: Some(id),
        ..Edit::default()
    };
    assert!(space.edit(&user(), other, &successor).is_err());
    assert_eq!(head(&space), before);
}

/// Memories of which each is superseded by the next, the first one by a link.
fn chain(space: &SpaceSource) -> [MemoryId; 3] {
    let remember = |text: &str| space.remember(&user(), &text.into()).expect("a write").id;
    let chain = ["Kiel", "Ulm", "Hof"].map(remember);
    let link = Link {
        from: chain[1],
        to: chain[0],
        link_type: LinkType::Supersedes,
        weight: 1.0,
        reason: String::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
    };
    space.link(&user(), &link).expect("linked");
    let edit = Edit {
        superseded_by: Some(chain[2]),
        ..Edit::default()
    };
    space.edit(&user(), chain[1], &edit).expect("an edit");
    chain
}

#[test]
fn what_an_erased_memory_superseded_holds_again() {
    for (erased, successor) in [(&[1][..], Some(2)), (&[2, 1][..], None)] {
        let home = Home::new();
        let space = home.open();
        let chain = chain(&space);
        for &place in erased {
            space.erase(&user(), chain[place]).expect("an erasure");
        }
        let expected = successor.map(|place: usize| chain[place]);
        assert_eq!(space.get(chain[0]).expect("there").superseded_by, expected);
    }
    let home = Home::new();
    let space = home.open();
    let chain = chain(&space);
    space
        .erase_all(&user(), &[chain[2], chain[1]])
        .expect("an erasure");
    assert_eq!(space.get(chain[0]).expect("there").superseded_by, None);
}

#[test]
fn an_edit_removes_what_supersedes_a_memory_with_its_link() {
    let home = Home::new();
    let space = home.open();
    let [first, second, _] = chain(&space);
    let edit = Edit {
        not_superseded: true,
        ..Edit::default()
    };
    // Also while the successor is forgotten.
    space.forget(&user(), second).expect("forgotten");
    let edited = space.edit(&user(), first, &edit).expect("an edit");
    assert_eq!(edited.superseded_by, None);
    space.restore(&user(), second).expect("restored");
    assert_eq!(space.links(first).expect("links"), []);
    let edited = space.edit(&user(), second, &edit).expect("an edit");
    assert_eq!(edited.superseded_by, None);
    let both = Edit {
        superseded_by: Some(second),
        ..edit
    };
    assert!(both.check().is_err());
}

#[test]
fn a_reader_in_the_way_delays_an_erasure_and_does_not_undo_it() {
    let home = Home::new();
    let space = home.open();
    let id = space
        .remember(&user(), &"secretcontent".into())
        .expect("a write")
        .id;
    let reader = rusqlite::Connection::open(home.database()).expect("a reader");
    reader.execute_batch("BEGIN").expect("a transaction");
    let count = |reader: &rusqlite::Connection| -> i64 {
        reader
            .query_row("SELECT count(*) FROM memories", [], |row| row.get(0))
            .expect("a count")
    };
    assert_eq!(count(&reader), 1);
    let delayed = space.erase(&user(), id).expect_err("older pages are read");
    assert!(matches!(delayed, StoreError::StillRead { .. }), "{delayed}");
    assert!(space.get(id).is_err(), "it is gone for everybody who asks");
    reader.execute_batch("COMMIT").expect("the reader is done");
    space.finish_erasures().expect("finished");
    assert_eq!(
        files_with(&home.space(), b"secretcontent"),
        Vec::<std::path::PathBuf>::new()
    );
    assert!(space.unclean_views().expect("a look").is_some());
    space.views_are_clean(head(&space)).expect("noted");
    assert_eq!(space.unclean_views().expect("a look"), None);
    space.finish_erasures().expect("nothing left to do");
    assert_eq!(space.unclean_views().expect("a look"), None);
    assert_sound(&space);
}

#[test]
fn many_memories_are_erased_in_one_transaction_with_names_used_only_by_them() {
    let home = Home::new();
    let space = home.open();
    let stored: Vec<_> = (0..60)
        .map(|number| {
            let mut draft = Draft::new(format!("secretcontent {number}"))
                .thread(if number == 0 {
                    "kept thread"
                } else {
                    "secretthread"
                })
                .tag(format!("secrettag {number}"));
            draft.session = Some(
                if number < 2 {
                    "kept session"
                } else {
                    "secretsession"
                }
                .to_owned(),
            );
            space.remember(&user(), &draft).expect("a write").id
        })
        .collect();
    let before = head(&space);
    assert!(
        space
            .erase_all(&user(), &[stored[1], MemoryId::at(0)])
            .is_err()
    );
    assert_eq!(head(&space), before, "all or none");
    let twice = [&stored[1..], &stored[5..9]].concat();
    space.erase_all(&user(), &twice).expect("an erasure");
    assert_eq!(head(&space).0, before.0 + 59, "each once");
    for secret in [
        "secretthread",
        "secretsession",
        "secrettag 1",
        "secretcontent 1",
    ] {
        assert_eq!(
            files_with(&home.space(), secret.as_bytes()),
            Vec::<std::path::PathBuf>::new(),
            "{secret}"
        );
    }
    let kept = space.get(stored[0]).expect("a memory");
    assert_eq!(
        (kept.thread.as_deref(), kept.session.as_deref()),
        (Some("kept thread"), Some("kept session"))
    );
    assert_eq!(kept.tags, ["secrettag 0"]);
    assert_sound(&space);
}

/// The numbers of all marks (`zq` and five digits) in the files of a folder.
fn marks_in(folder: &Path) -> std::collections::BTreeMap<u32, std::path::PathBuf> {
    let mut marks = std::collections::BTreeMap::new();
    for file in files_under(folder) {
        let bytes = fs::read(&file).expect("a file");
        for at in bytes.windows(7).filter(|window| window.starts_with(b"zq")) {
            let digits = std::str::from_utf8(&at[2..]).ok();
            if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
                marks.insert(number, file.clone());
            }
        }
    }
    marks
}

#[test]
fn no_copy_of_a_cell_moved_within_its_page_survives_an_erasure() {
    let home = Home::new();
    let space = home.open();
    let mut state = 7_u64;
    let mut dice = move |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut stored = Vec::new();
    for number in 0..500_u32 {
        let filler = "w ".repeat(dice(120) as usize);
        let draft = Draft::new(format!("zq{number:05} {filler}")).tag(format!("zq{number:05}"));
        let id = space.remember(&user(), &draft).expect("a write").id;
        if dice(3) == 0 {
            let edit = Edit {
                content: Some(format!("{filler} zq{number:05} {filler}")),
                ..Edit::default()
            };
            space.edit(&user(), id, &edit).expect("an edit");
        }
        stored.push((number, id));
    }
    assert_eq!(marks_in(&home.space()).len(), stored.len());
    for _ in 0..6 {
        let (gone, kept): (Vec<_>, Vec<_>) = stored.iter().copied().partition(|_| dice(3) == 0);
        let ids: Vec<_> = gone.iter().map(|(_, id)| *id).collect();
        space.erase_all(&user(), &ids).expect("an erasure");
        let marks = marks_in(&home.space());
        for (number, _) in gone {
            assert_eq!(marks.get(&number), None, "zq{number:05}");
        }
        stored = kept;
    }
    assert_sound(&space);
}

#[test]
fn an_external_id_of_an_erased_memory_is_known_from_a_hash_in_every_copy() {
    let home = Home::new();
    let space = home.open();
    let record = || Draft {
        external_id: Some("conversation-7/12".to_owned()),
        ..Draft::new("the diagnosis is asthma")
    };
    let id = space.remember(&user(), &record()).expect("a write").id;
    let plain = space
        .remember(&user(), &"plain".into())
        .expect("a write")
        .id;
    space.erase_all(&user(), &[id, plain]).expect("an erasure");
    let is_refused = |space: &SpaceSource| {
        let other = Draft {
            content: "the diagnosis is another one".to_owned(),
            ..record()
        };
        [record(), other].iter().all(|draft| {
            let told = space.remember(&user(), draft);
            matches!(told, Err(StoreError::WasErased { id: erased }) if erased == id)
        })
    };
    assert!(is_refused(&space));
    assert_sound(&space);
    let again = space.remember(&user(), &"plain".into()).expect("a write");
    assert!(!again.duplicate, "a text without an id is new");
    let file = files_with(&home.space(), b"conversation-7/12");
    assert_eq!(file, Vec::<std::path::PathBuf>::new());
    drop(space);
    home.remove_database();
    let space = home.open();
    assert!(is_refused(&space), "from the journal");
    drop(space);
    home.remove_journal();
    let space = home.open();
    assert!(is_refused(&space), "from the database");
    assert_sound(&space);
}
