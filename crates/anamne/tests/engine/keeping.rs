//! A space respects its quota and settings, and unwritable files can still be read.

use std::fs;
use std::sync::Arc;

use anamne::{
    Draft, Edit, Error, ErrorKind, Fetched, ImportOptions, Options, Recall, RequestKind, Space,
    Store, StoreError, StoreQuota, StoreUsage, ToolRequest, Visibility,
};

use crate::common::{Home, files_under, link};

fn bytes_of(home: &Home) -> u64 {
    files_under(&home.folder())
        .iter()
        .map(|file| fs::metadata(file).expect("a file").len())
        .sum()
}

/// About 8 KB of words.
fn page(number: usize) -> String {
    let words: Vec<_> = (0..1_040)
        .map(|word| format!("w{}", (number * 7_919 + word * 104_729) % 1_000_003))
        .collect();
    words.join(" ")
}

#[track_caller]
fn assert_over_quota(error: &Error, expected_limit: u64) {
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(
        matches!(error, Error::Store(StoreError::QuotaExceeded { limit, used, wanted, .. })
            if *limit == expected_limit && used + wanted > *limit),
        "{error}"
    );
}

const LIMIT: u64 = 8_000_000;

/// Stores pages, then short notes, until the quota rejects them; the quota is never exceeded on disk.
fn fill(home: &Home, space: &Space) -> usize {
    let pages = write_until_refused(home, space, &page);
    pages + write_until_refused(home, space, &|number| format!("note {number}"))
}

fn write_until_refused(home: &Home, space: &Space, text: &dyn Fn(usize) -> String) -> usize {
    for number in 0..10_000 {
        if let Err(error) = space.remember(text(number)) {
            assert_over_quota(&error, LIMIT);
            assert!(bytes_of(home) <= LIMIT, "{} bytes", bytes_of(home));
            return number;
        }
    }
    panic!("the quota was never reached");
}

#[test]
fn a_full_space_refuses_to_grow_and_does_everything_else() {
    let home = Home::new();
    let space = home.space();
    space
        .configure(|config| config.quota.bytes = LIMIT)
        .expect("configured");
    let stored = fill(&home, &space);
    assert!(stored > 40, "only {stored} pages");
    let before = space.report().expect("a report").statistics;
    assert_eq!(
        before.memories as usize, stored,
        "a refused write changes nothing"
    );
    let listing = anamne::Listing {
        limit: 3,
        ..anamne::Listing::default()
    };
    let [first, second, third] = space
        .list(&listing)
        .expect("a list")
        .try_into()
        .expect("three");
    let edit = Edit {
        content: Some(page(20_001)),
        ..Edit::default()
    };
    assert_over_quota(&space.edit(first.id, &edit).expect_err("full"), LIMIT);
    assert_over_quota(
        &space
            .link(&link(first.id, second.id, &"because ".repeat(500)))
            .expect_err("full"),
        LIMIT,
    );
    assert_over_quota(
        &space
            .remember_all(&[Draft::new("x"), Draft::new(page(20_002))])
            .expect_err("full"),
        LIMIT,
    );
    assert_eq!(space.report().expect("a report").statistics, before);

    // A duplicate: nothing grows.
    assert!(space.remember(page(0)).expect("known").duplicate);
    let answer = space
        .recall(&Recall::new(&first.content))
        .expect("an answer");
    assert!(!answer.results.is_empty());
    assert_eq!(
        space.export(std::io::sink()).expect("exported").exported as usize,
        stored
    );
    space.forget(third.id).expect("forgotten");
    let ids: Vec<_> = space
        .select(
            &anamne::Filter::default(),
            anamne::Visibility::Both,
            anamne::Order::OldestFirst,
        )
        .expect("ids");
    assert!(
        space
            .erase_all(&ids[..stored / 2])
            .expect("erased")
            .is_complete()
    );
    // The erasure truncated the database's log, so there is room again, also for another process.
    home.space().remember("there is room again").expect("told");
    assert_eq!(
        space.verify_journal().expect("a report").problems,
        Vec::<String>::new()
    );
}

#[test]
fn a_quota_that_another_process_sets_counts_from_the_next_write() {
    let home = Home::new();
    let space = home.space();
    for number in 0..20 {
        space.remember(page(number)).expect("told");
    }
    home.space()
        .configure(|config| config.quota.bytes = 100_000)
        .expect("configured");
    assert_over_quota(&space.remember("one more").expect_err("full"), 100_000);
    assert_eq!(space.config().quota.bytes, 100_000);
    home.space()
        .configure(|config| config.quota.bytes = 0)
        .expect("configured");
    space.remember("one more").expect("told");
}

/// A store with a quota of `memories`, and its quota.
fn limited(home: &Home, memories: u64) -> (Store, Arc<StoreQuota>) {
    let quota = Arc::new(StoreQuota::new(home.root(), memories, 0));
    let options = Options {
        quota: Some(quota.clone()),
        ..Options::new(home.root()).background(false)
    };
    (Store::open_with(options).expect("a store"), quota)
}

#[track_caller]
fn assert_over_store_quota(error: &Error, of: &str) {
    assert!(
        matches!(error, Error::Store(StoreError::StoreQuotaExceeded { what, .. }) if *what == of),
        "{error}"
    );
}

#[test]
fn the_quota_of_memories_counts_those_that_are_not_forgotten() {
    let home = Home::new();
    let (store, _) = limited(&home, 2);
    let space = store.space("tests").expect("a space");
    let tell = |text: &str| space.remember(text).expect("told").id;
    let former = [tell("The first"), tell("The second")];
    for id in former {
        space.forget(id).expect("forgotten");
    }
    let mut exported = Vec::new();
    space
        .export_visibility(&mut exported, Visibility::Forgotten)
        .expect("exported");
    let third = tell("The third");
    tell("The fourth");
    let refused = space.restore(former[0]).expect_err("full");
    assert_over_store_quota(&refused, "memories");
    assert!(space.read(former[0]).expect("there").deleted_at.is_some());
    let trusted = ImportOptions::default().trusted();
    let other = store.space("other").expect("a space");
    let imported = other.import(exported.as_slice(), trusted, &mut |_| {});
    assert_eq!(imported.expect("they are forgotten").imported, 2);
    assert_over_store_quota(&other.restore(former[0]).expect_err("full"), "memories");
    space.forget(third).expect("forgotten");
    space.restore(former[0]).expect("there is room");
    assert_over_store_quota(&space.remember("The fifth").expect_err("full"), "memories");
    let used = StoreUsage::of_store(home.root()).expect("measured");
    assert_eq!(used.memories, 2);
}

#[test]
fn the_quota_of_bytes_counts_cached_results_and_new_spaces() {
    let home = Home::new();
    let (store, quota) = limited(&home, 0);
    let space = store.space("tests").expect("a space");
    let cache = || {
        let request = ToolRequest::new(RequestKind::Search, "web", "tides of the harbour");
        let fetched = Fetched {
            content: page(1),
            ..Fetched::default()
        };
        space.cache_result(&request, &fetched)
    };
    let used = StoreUsage::of_store(home.root()).expect("measured").bytes;
    quota.set(0, used);
    assert_over_store_quota(&cache().expect_err("full"), "bytes");
    assert_over_store_quota(&store.space("other").map(drop).expect_err("full"), "bytes");
    assert_eq!(store.spaces().expect("spaces").len(), 1);
    let open = store.space("tests").expect("it exists");
    open.recall(&Recall::new("tides")).expect("an answer");
    quota.set(0, used + (10 << 20));
    cache().expect("it fits");
    store.space("other").expect("it fits");
    space
        .configure(|config| config.quota.bytes = 100_000)
        .expect("configured");
    assert_over_quota(&cache().expect_err("full"), 100_000);
}

#[test]
fn settings_are_checked_and_a_broken_file_stops_writes_alone() {
    let home = Home::new();
    let space = home.space();
    space.remember("The harbour is closed").expect("told");
    let refused = space
        .configure(|config| config.recall.recency_days = -1.0)
        .expect_err("below zero");
    assert_eq!(
        refused.refusal().map(anamne::InvalidValue::field),
        Some("recall.recency_days")
    );
    space
        .configure(|config| {
            config.description = "Ships".to_owned();
            config.name = "another".to_owned();
        })
        .expect("configured");
    let config = home.space().config();
    assert_eq!(
        (config.name.as_str(), config.description.as_str()),
        ("tests", "Ships")
    );
    fs::write(home.folder().join("space.toml"), "format = 1\nname = ").expect("written");
    let stopped = space.remember("more").expect_err("its quota is not known");
    assert!(
        matches!(stopped, Error::Store(StoreError::Damaged { .. })),
        "{stopped}"
    );
    assert_eq!(
        space
            .recall(&Recall::new("harbour"))
            .expect("an answer")
            .results
            .len(),
        1
    );
}

#[test]
fn a_space_with_broken_settings_keeps_no_other_from_being_listed() {
    let home = Home::new();
    let (store, _) = home.store_with_clock("2026-03-01T00:00:00Z");
    for name in ["one", "two", "three"] {
        store.space(name).expect("a space");
    }
    let broken = home.root().join("spaces/two/space.toml");
    fs::write(&broken, "nonsense").expect("written");
    let names: Vec<_> = store
        .spaces()
        .expect("spaces")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["one", "three"]);
    let unreadable = store.unreadable_spaces().expect("a look");
    assert_eq!(unreadable.len(), 1);
    assert!(
        unreadable[0]
            .error
            .to_string()
            .contains("two/space.toml is damaged")
    );
}

/// An unwritable path for any user: a folder is in the place of a file.
#[test]
fn what_cannot_be_written_is_an_error_that_names_it() {
    let home = Home::new();
    drop(home.space());
    fs::remove_file(home.folder().join("write.lock")).expect("removed");
    fs::create_dir(home.folder().join("write.lock")).expect("a folder in its place");
    let space = home.space();
    let error = space.remember("anything").expect_err("no lock to be had");
    assert!(error.to_string().contains("write.lock"), "{error}");
    assert_eq!(space.report().expect("a report").statistics.memories, 0);
}
