//! Reads return what was written: SQLite does not detect values that were changed behind its back, but the digests of
//! the log do, and the database is restored before the answer.

use anamne_store::{Listing, LogQuery, Order, Part, SpaceSource, Visibility, examine};
use anamne_types::{Draft, Edit, Filter, Link, LinkType, MemoryId};

use crate::common::{Home, assert_sound, user};

/// Two memories; the first was edited and links to the second.
fn stored(home: &Home) -> [MemoryId; 2] {
    let space = home.open();
    let ids = ["the tide is out", "the tide is in"]
        .map(|text| space.remember(&user(), &Draft::new(text)).expect("told").id);
    let edit = Edit {
        content: Some("the tide is far out".to_owned()),
        ..Edit::default()
    };
    space.edit(&user(), ids[0], &edit).expect("an edit");
    let link = Link {
        from: ids[0],
        to: ids[1],
        link_type: LinkType::Contradicts,
        weight: 0.5,
        reason: "one of them is late".to_owned(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
    };
    space.link(&user(), &link).expect("a link");
    ids
}

/// Changes the database directly; the result of `ask` must stay the same, and the damage must be repaired.
#[track_caller]
fn check<T: PartialEq + std::fmt::Debug>(
    sql: &str,
    ask: impl Fn(&SpaceSource, [MemoryId; 2]) -> T,
) {
    let home = Home::new();
    let ids = stored(&home);
    let before = ask(&home.open(), ids);
    let database = rusqlite::Connection::open(home.database()).expect("a database");
    assert!(database.execute(sql, []).expect("a change") > 0, "{sql}");
    drop(database);
    let space = home.open();
    assert_eq!(ask(&space, ids), before, "{sql}");
    let repaired = space.repaired();
    assert!(
        repaired.iter().any(|said| said.contains("restored")),
        "{sql}: {repaired:?}"
    );
    assert_sound(&space);
}

#[test]
fn a_memory_falsely_marked_as_erased_is_restored() {
    check(
        "UPDATE memories SET erased = 1 WHERE row = 1",
        |space, [first, _]| space.get(first).expect("a memory"),
    );
}

#[test]
fn changed_links_are_detected() {
    for sql in [
        "UPDATE links SET reason = 'one of them is lame'",
        "UPDATE links SET weight = 0.25",
        "UPDATE links SET type = 6",
    ] {
        check(sql, |space, [_, second]| {
            space.links(second).expect("links")
        });
        check(sql, |space, _| space.all_links().expect("links"));
    }
}

#[test]
fn changed_earlier_states_are_detected() {
    check(
        "UPDATE versions SET state = replace(state, 'tide', 'ride')",
        |space, [first, _]| space.history(first).expect("a history"),
    );
    check(
        "UPDATE memories SET importance = 9 WHERE row = 1",
        |space, [first, _]| space.history(first).expect("a history"),
    );
}

#[test]
fn a_missing_earlier_state_is_detected() {
    for sql in ["DELETE FROM versions", "UPDATE versions SET row = 2"] {
        check(sql, |space, [first, _]| {
            space.history(first).expect("a history")
        });
    }
}

#[test]
fn changed_log_entries_are_detected() {
    for sql in [
        "UPDATE events SET at = at + 1 WHERE seq = 2",
        "UPDATE events SET actor_kind = 2 WHERE seq = 2",
        "UPDATE events SET kind = 3 WHERE seq = 3",
        "UPDATE events SET row = 2 WHERE seq = 1",
    ] {
        check(sql, |space, _| {
            space.log(&LogQuery::default()).expect("a log")
        });
    }
}

/// The type byte of a b-tree page that holds index entries.
const INDEX_PAGE: u8 = 10;

/// Flips a bit of `bytes` in every index that contains them.
#[track_caller]
fn damage_index(home: &Home, bytes: &[u8]) {
    let mut database = std::fs::read(home.database()).expect("a database");
    let mut turned = 0;
    let indexes = database.chunks_mut(4_096);
    for page in indexes.filter(|page| page[0] == INDEX_PAGE) {
        let found = page.windows(bytes.len()).position(|found| found == bytes);
        if let Some(entry) = found {
            page[entry] ^= 1;
            turned += 1;
        }
    }
    assert!(turned > 0, "an index holds it");
    std::fs::write(home.database(), database).expect("written");
}

#[test]
fn a_memory_that_the_index_of_ids_has_lost_is_there() {
    for by_prefix in [false, true] {
        let home = Home::new();
        let [first, _] = stored(&home);
        damage_index(&home, first.as_bytes());
        let space = home.open();
        if by_prefix {
            let digits = first.to_string();
            assert_eq!(space.resolve(&digits[..30]).expect("an id"), first);
        }
        let memory = space.get(first).expect("a memory");
        assert_eq!(memory.content, "the tide is far out");
        assert!(!space.repaired().is_empty());
        assert_sound(&space);
    }
}

#[test]
fn a_memory_that_another_index_has_lost_is_listed() {
    let home = Home::new();
    let [first, second] = stored(&home);
    let memory = home.open().get(first).expect("a memory");
    let happened = memory.occurred_at.as_microsecond().to_be_bytes();
    damage_index(&home, &happened);
    let space = home.open();
    let listing = Listing {
        filter: Filter {
            since: Some(memory.occurred_at),
            until: Some(memory.occurred_at + jiff::SignedDuration::from_micros(1)),
            ..Filter::default()
        },
        limit: 10,
        ..Listing::default()
    };
    let listed = space.list(&listing).expect("a list");
    let ids: Vec<_> = listed.iter().map(|memory| memory.id).collect();
    assert!(ids.contains(&first), "{ids:?}");
    let all = Filter::default();
    let mut selected = space
        .select(&all, Visibility::Live, Order::OldestFirst)
        .expect("ids");
    selected.sort();
    assert_eq!(selected, [first, second]);
}

#[test]
fn hidden_changes_are_found_by_reading_everything_back() {
    let home = Home::new();
    stored(&home);
    let space = home.open();
    assert_eq!(space.examine_and_heal().expect("read back"), []);
    let database = rusqlite::Connection::open(home.database()).expect("a database");
    let hidden = "UPDATE memories SET deleted_at = 1 WHERE row = 2";
    assert_eq!(database.execute(hidden, []).expect("a change"), 1);
    drop(database);
    assert_eq!(space.statistics().expect("counts").memories, 1);
    assert_eq!(space.examine_and_heal().expect("read back"), []);
    assert_eq!(space.statistics().expect("counts").memories, 2);
    let found = examine(&home.space()).expect("an examination").findings;
    assert!(
        found.iter().all(|finding| finding.part != Part::Database),
        "{found:?}"
    );
}
