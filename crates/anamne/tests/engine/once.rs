//! What programs need that send a request again or change what another one changes: keys of requests, versions, places
//! in lists, and the outcome of each line of an import.

use anamne::{
    BadLines, Draft, DraftOutcome, Edit, Error, LineOutcome, ListPosition, Listing, Order,
    RequestKey, RequestKeyError, Space, Store, StoreError,
};

use crate::common::Home;

const TEXT: &str = "The saffron ledger lies in the harbour office";

fn key(caller: &str, key: &str) -> RequestKey {
    RequestKey::new(caller, key).expect("a key")
}

fn memories(space: &Space) -> u64 {
    space.report().expect("a report").statistics.memories
}

/// A space in which only keys recognise what is stored again.
fn without_duplicates(store: &Store) -> Space {
    let space = store.space("tests").expect("a space");
    space
        .configure(|config| config.intake.duplicates = anamne::Duplicates::None)
        .expect("configured");
    space
}

#[test]
fn a_request_with_a_key_is_answered_again_by_any_process_for_a_day() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T00:00:00Z");
    let space = without_duplicates(&store);
    let drafts = [Draft::new(TEXT), Draft::new("")];
    let first = space
        .remember_once(Some(&key("ada", "k1")), &drafts)
        .expect("told");
    assert!(!first.is_repeated);
    assert!(matches!(
        &first.outcomes[..],
        [DraftOutcome::Remembered(_), DraftOutcome::Refused(refusal)] if refusal.field.as_deref() == Some("content")
    ));

    // Another handle is to it like another process, and so is one after a restart.
    clock.set("2026-03-01T23:59:00Z");
    for _ in 0..2 {
        let (other, other_clock) = home.store_with_clock("2026-03-01T23:59:00Z");
        let other = other.existing_space("tests").expect("the space");
        let again = other
            .remember_once(Some(&key("ada", "k1")), &drafts)
            .expect("told");
        assert!(again.is_repeated);
        assert_eq!(again.outcomes, first.outcomes);
        drop(other_clock);
    }
    let other = space.remember_once(Some(&key("ada", "k1")), &["another".into()]);
    assert!(matches!(
        other,
        Err(Error::RequestKey(RequestKeyError::OtherRequest))
    ));
    assert_eq!(memories(&space), 1);

    let of_bob = space.remember_once(Some(&key("bob", "k1")), &drafts);
    assert!(!of_bob.expect("told").is_repeated);
    clock.set("2026-03-02T00:00:01Z");
    let later = space.remember_once(Some(&key("ada", "k1")), &drafts);
    assert!(!later.expect("told").is_repeated);
    assert_eq!(memories(&space), 3);
}

#[test]
fn a_request_that_failed_can_be_sent_again() {
    let home = Home::new();
    let store = Store::open(home.root()).expect("a store");
    let space = without_duplicates(&store);
    let draft = [Draft::new("a".repeat(200_000))];
    space
        .configure(|config| config.quota.bytes = 1)
        .expect("configured");
    let failed = space.remember_once(Some(&key("ada", "k1")), &draft);
    assert!(matches!(
        failed,
        Err(Error::Store(StoreError::QuotaExceeded { .. }))
    ));
    space
        .configure(|config| config.quota.bytes = 0)
        .expect("configured");
    let other = space.remember_once(Some(&key("ada", "k1")), &["another".into()]);
    assert!(matches!(
        other,
        Err(Error::RequestKey(RequestKeyError::OtherRequest))
    ));
    let told = space.remember_once(Some(&key("ada", "k1")), &draft);
    assert!(!told.expect("told").is_repeated);
    let told = space.remember_once(Some(&key("ada", "k1")), &draft);
    assert!(told.expect("told").is_repeated);
    RequestKey::new("ada", "k\n").expect_err("not visible");
    RequestKey::new("ada", "k".repeat(256)).expect_err("too long");
}

#[test]
fn keys_of_an_earlier_format_are_known() {
    let home = Home::new();
    let store = Store::open(home.root()).expect("a store");
    let space = without_duplicates(&store);
    let keys = [key("ada", "k1"), key("ada", "k2")];
    let drafts = [Draft::new(TEXT)];
    let tell = |space: &Space, key| space.remember_once(Some(key), &drafts).expect("told");
    let first = tell(&space, &keys[0]);
    tell(&space, &keys[1]);
    let path = space.folder().join("observed/requests.db");
    drop((space, store));
    let file = rusqlite::Connection::open(&path).expect("the file");
    file.execute_batch(
        "ALTER TABLE requests DROP COLUMN seed;
         ALTER TABLE requests ADD COLUMN worker BLOB NOT NULL DEFAULT x'01';
         UPDATE requests SET answer = NULL WHERE number = 2;
         DELETE FROM told WHERE number = 2;
         PRAGMA user_version = 1;",
    )
    .expect("a file of format 1");
    drop(file);

    let store = Store::open(home.root()).expect("a store");
    let space = store.existing_space("tests").expect("the space");
    let again = tell(&space, &keys[0]);
    assert!(again.is_repeated);
    assert_eq!(again.outcomes, first.outcomes);
    assert!(!tell(&space, &keys[1]).is_repeated);
    assert!(tell(&space, &keys[1]).is_repeated);
    assert_eq!(memories(&space), 3);
}

#[test]
fn an_erasure_leaves_no_digest_of_the_request() {
    let home = Home::new();
    let store = Store::open(home.root()).expect("a store");
    let space = without_duplicates(&store);
    let drafts = [Draft::new(TEXT), Draft::new("Bread needs salt")];
    let told = space
        .remember_once(Some(&key("ada", "k1")), &drafts)
        .expect("told");
    let kept = space
        .remember_once(Some(&key("ada", "k2")), &["Tea needs time".into()])
        .expect("told");
    let path = space.folder().join("observed/requests.db");
    let digests = || -> Vec<Option<Vec<u8>>> {
        let file = rusqlite::Connection::open(&path).expect("the file");
        let mut rows = file
            .prepare("SELECT body FROM requests ORDER BY number")
            .expect("a statement");
        let rows = rows.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("digests")
    };
    let before = digests();
    let digest = before[0].clone().expect("a digest");
    let id = told.outcomes[0].id().expect("an id");
    assert!(space.erase(id).expect("erased").is_complete());

    assert_eq!(digests(), [None, before[1].clone()]);
    for file in std::fs::read_dir(path.parent().expect("a folder")).expect("files") {
        let bytes = std::fs::read(file.expect("a file").path()).expect("read");
        let has = |part: &[u8]| bytes.windows(part.len()).any(|found| found == part);
        assert!(!has(&digest), "the digest is left");
        assert!(!has(b"saffron"), "the text is left");
    }
    // The client that did not get the answer doesn't store it again.
    let again = space.remember_once(Some(&key("ada", "k1")), &drafts);
    let again = again.expect("told");
    assert!(again.is_repeated);
    assert_eq!(again.outcomes, told.outcomes);
    let second = space.remember_once(Some(&key("ada", "k2")), &["Tea needs time".into()]);
    assert_eq!(second.expect("told").outcomes, kept.outcomes);
    let states = space.report().expect("a report").views;
    let state = states.iter().find(|state| state.name == "requests");
    assert!(state.is_some_and(|state| state.exists && state.problem.is_empty()));
}

#[test]
fn a_change_of_another_version_changes_nothing() {
    let home = Home::new();
    let store = Store::open(home.root()).expect("a store");
    let space = store.space("tests").expect("a space");
    let id = space.remember(TEXT).expect("told").id;
    let edit = Edit {
        importance: Some(9),
        ..Edit::default()
    };
    assert_eq!(space.edit_if(id, 1, &edit).expect("edited").version, 2);
    let edit = Edit {
        importance: Some(3),
        ..Edit::default()
    };
    for version in [0, 1, 3] {
        let lost = space.edit_if(id, version, &edit);
        assert!(matches!(
            lost,
            Err(Error::Store(StoreError::VersionDiffers { found: 2, expected, .. })) if expected == version
        ));
        space.forget_if(id, version).expect_err("another version");
    }
    let now = space.read(id).expect("the memory");
    assert_eq!((now.importance, now.deleted_at), (9, None));
    let forgotten = space.forget_if(id, 2).expect("forgotten");
    assert!(forgotten.deleted_at.is_some());
}

#[test]
fn places_in_every_order_lead_through_all_memories_once() {
    let home = Home::new();
    let (store, _clock) = home.store_with_clock("2026-03-10T00:00:00Z");
    let space = store.space("tests").expect("a space");
    for number in 0..40_u8 {
        let mut draft = Draft::new(format!("note {number}"));
        let day = 1 + number % 3;
        draft.occurred_at = Some(format!("2026-03-0{day}T00:00:00Z").parse().expect("a time"));
        if number % 4 > 0 {
            draft = draft.thread(format!("thread {}", number % 4));
        }
        space.remember(draft).expect("told");
    }
    for order in [Order::NewestFirst, Order::OldestFirst, Order::ByThread] {
        let listing = |limit, after| Listing {
            order,
            limit,
            after,
            ..Listing::default()
        };
        let ids = |listing: &Listing| -> Vec<_> {
            let listed = space.list(listing).expect("a list");
            listed.iter().map(|memory| memory.row).collect()
        };
        let whole = ids(&listing(100, None));
        assert_eq!(whole.len(), 40);
        for limit in [1, 7] {
            let (mut pages, mut after) = (Vec::new(), None);
            loop {
                let page = space.list(&listing(limit, after.take())).expect("a page");
                let Some(last) = page.last() else { break };
                // Places are kept as text in cursors.
                let place = serde_json::to_string(&ListPosition::from(last)).expect("JSON");
                after = Some(serde_json::from_str(&place).expect("a place"));
                pages.extend(page.iter().map(|memory| memory.row));
            }
            assert_eq!(pages, whole, "{order:?} by {limit}");
        }
    }
    let by_use = Listing {
        limit: 1,
        after: space
            .list(&Listing {
                limit: 1,
                ..Listing::default()
            })
            .expect("a list")
            .first()
            .map(ListPosition::from),
        ..Listing::default()
    };
    let refused = space.list_by_use(&by_use, anamne::UseOrder::Accessed);
    refused.expect_err("a place in another order");
}

#[test]
fn the_outcome_of_each_line_is_told() {
    let home = Home::new();
    let store = Store::open(home.root()).expect("a store");
    let space = store.space("tests").expect("a space");
    let lines = "{\"text\": \"one\"}\nbad\n{\"text\": \"one\"}\n".to_owned() + &"bad\n".repeat(300);
    let mut told: Vec<LineOutcome> = Vec::new();
    let report = space
        .import_each(lines.as_bytes(), BadLines::Skip, &mut |outcome| {
            told.push(outcome);
        })
        .expect("imported");
    assert_eq!(
        (report.imported, report.known, report.bad.len()),
        (1, 1, 100)
    );
    assert_eq!(told.len(), 303);
    let line = |number| told.iter().find(|told| told.line == number).expect("told");
    assert_eq!((line(1).known, line(3).known), (false, true));
    assert_eq!(line(1).id, line(3).id);
    assert!(line(2).problem.is_some());
}
