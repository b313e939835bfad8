//! How often a memory was opened is counted, filters and orders lists, and stands in the log where a space asks for it.

use anamne::{
    Actor, ActorKind, Draft, ErrorKind, EventKind, Filter, Listing, LogQuery, MemoryId, Options,
    QueryLogging, Recall, Space, Store, UseOrder,
};
use jiff::Timestamp;

use crate::common::Home;

fn tell(space: &Space, text: &str) -> MemoryId {
    space.remember(Draft::new(text)).expect("told").id
}

fn listed(space: &Space, filter: Filter) -> Vec<String> {
    let listing = Listing {
        filter,
        limit: 10,
        ..Listing::default()
    };
    let memories = space.list(&listing).expect("a list").into_iter();
    memories.map(|memory| memory.content).collect()
}

fn by_use(space: &Space, order: UseOrder, limit: usize, offset: usize) -> Vec<String> {
    let listing = Listing {
        limit,
        offset,
        ..Listing::default()
    };
    let memories = space
        .list_by_use(&listing, order)
        .expect("a list")
        .into_iter();
    memories.map(|memory| memory.content).collect()
}

fn accesses(space: &Space) -> Vec<(MemoryId, Actor)> {
    let query = LogQuery {
        kinds: vec![EventKind::Accessed],
        oldest_first: true,
        ..LogQuery::default()
    };
    let events = space.log(&query).expect("a log").into_iter();
    events
        .map(|entry| (entry.event.memory, entry.event.actor))
        .collect()
}

#[test]
fn openings_are_counted_and_filter_and_order_lists() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let [one, two, three] = ["The first", "The second", "The third"].map(|text| tell(&space, text));
    tell(&space, "Never opened");
    assert_eq!(space.use_of(one).expect("a use"), None);
    for (day, id) in [(2, one), (3, one), (4, two), (5, one), (6, three)] {
        clock.set(&format!("2026-03-0{day}T00:00:00Z"));
        space.get(id).expect("a memory");
    }
    // What isn't opened isn't counted: neither results nor reading for another purpose.
    space.recall(&Recall::new("the second")).expect("an answer");
    space.read(two).expect("a memory");
    let known = space.use_of(one).expect("a use").expect("opened");
    assert_eq!(
        (known.count, known.last.to_string().as_str()),
        (3, "2026-03-05T00:00:00Z")
    );
    let since = |text: &str| Filter {
        accessed_since: Some(text.parse::<Timestamp>().expect("an instant")),
        ..Filter::default()
    };
    let least = |least| Filter {
        min_accesses: Some(least),
        ..Filter::default()
    };
    assert_eq!(
        listed(&space, since("2026-03-05T00:00:00Z")),
        ["The third", "The first"]
    );
    assert_eq!(listed(&space, least(2)), ["The first"]);
    assert_eq!(listed(&space, least(0)).len(), 4);
    assert_eq!(
        listed(
            &space,
            Filter {
                min_accesses: Some(2),
                ..since("2026-03-06T00:00:00Z")
            }
        ),
        [""; 0]
    );
    let recall = Recall::new("the").filter(least(1)).limit(10);
    assert_eq!(space.recall(&recall).expect("an answer").results.len(), 3);
    assert_eq!(
        by_use(&space, UseOrder::Accessed, 10, 0),
        ["The third", "The first", "The second"]
    );
    assert_eq!(
        by_use(&space, UseOrder::AccessCount, 2, 0),
        ["The first", "The third"]
    );
    assert_eq!(by_use(&space, UseOrder::AccessCount, 2, 2), ["The second"]);
    let forgotten = Listing {
        forgotten: true,
        limit: 1,
        ..Listing::default()
    };
    let error = space
        .list_by_use(&forgotten, UseOrder::Accessed)
        .expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    drop((space, store));
    // Another process counts on.
    let space = home.space();
    assert_eq!(space.use_of(one).expect("a use"), Some(known));
    assert!(space.erase(three).expect("erased").is_complete());
    assert_eq!(
        by_use(&space, UseOrder::Accessed, 10, 0),
        ["The first", "The second"]
    );
}

#[test]
fn counts_of_an_earlier_version_are_kept() {
    let home = Home::new();
    let space = home.space();
    let id = tell(&space, "The first");
    for _ in 0..3 {
        space.get(id).expect("a memory");
    }
    space.query_log(1).expect("written");
    drop(space);
    let file = rusqlite::Connection::open(home.folder().join("observed/meta.db"));
    let earlier = "ALTER TABLE openings DROP COLUMN total; ALTER TABLE asked DROP COLUMN door; PRAGMA user_version = 2;";
    file.expect("a file")
        .execute_batch(earlier)
        .expect("format 2");
    let known = home.space().use_of(id).expect("a use").expect("opened");
    assert_eq!(known.count, 3);
}

#[test]
fn a_space_that_keeps_nothing_of_queries_says_so() {
    let home = Home::new();
    let space = home.space();
    let id = tell(&space, "The first");
    space
        .configure(|config| config.meta.queries = QueryLogging::Off)
        .expect("configured");
    space.get(id).expect("a memory");
    assert_eq!(space.use_of(id).expect("nothing"), None);
    let filter = Filter {
        min_accesses: Some(1),
        ..Filter::default()
    };
    let listing = Listing {
        filter,
        limit: 10,
        ..Listing::default()
    };
    let error = space.list(&listing).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("meta.queries"), "{error}");
    assert!(
        space
            .list_by_use(&Listing::default(), UseOrder::Accessed)
            .is_err()
    );
}

#[test]
fn access_is_logged_where_a_space_turns_it_on() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let [one, two] = ["The first", "The second"].map(|text| tell(&space, text));
    space.get(one).expect("a memory");
    assert!(accesses(&space).is_empty(), "off by default");
    space
        .configure(|config| config.meta.record_access = true)
        .expect("configured");
    let reader = space.acting_as(Actor::agent("reader")).expect("an agent");
    clock.set("2026-03-02T00:00:00Z");
    let before = reader.get(one).expect("a memory");
    space.recall(&Recall::new("the second")).expect("an answer");
    space.read(two).expect("a memory");
    assert_eq!(accesses(&space), [(one, Actor::agent("reader"))]);
    // It changes nothing about the memory, and has no version.
    assert_eq!(space.read(one).expect("a memory"), before);
    assert_eq!(space.history(one).expect("a history").len(), 1);
    // A space over its quota can still be read.
    space
        .configure(|config| config.quota.bytes = 1)
        .expect("configured");
    space.get(two).expect("a memory");
    space
        .configure(|config| config.quota.bytes = 0)
        .expect("configured");
    assert!(space.erase(two).expect("erased").is_complete());
    assert!(space.get(two).is_err());
    assert_eq!(accesses(&space).len(), 2);
    space.verify_journal().expect("a chain");
    let found = store.verify(None).expect("verified");
    assert!(
        found[0].examination.findings.is_empty(),
        "{:?}",
        found[0].examination
    );
    // A rewound store has the events too, and so has one whose database is rebuilt from the journal.
    let folder = tempfile::tempdir().expect("a folder");
    store
        .rewind(clock_now(&store), folder.path(), None)
        .expect("rewound");
    let rewound = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    assert_eq!(
        accesses(&rewound.existing_space("tests").expect("a space")).len(),
        2
    );
    drop((reader, space, store));
    std::fs::remove_file(home.folder().join("memories/active.db")).expect("removed");
    let restored = home.space();
    let known = accesses(&restored);
    assert_eq!(known.len(), 2);
    assert_eq!((known[1].0, known[1].1.kind), (two, ActorKind::User));
    assert_eq!(restored.read(one).expect("a memory"), before);
}

fn clock_now(store: &Store) -> Timestamp {
    store.existing_space("tests").expect("a space").now()
}

#[test]
fn reading_is_no_day_of_use_for_retention() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-01-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let old = tell(&space, "An old message");
    space
        .configure(|config| {
            config.retention.days = 30;
            config.meta.record_access = true;
        })
        .expect("configured");
    for day in 1..=9 {
        clock.set(&format!("2026-06-0{day}T00:00:00Z"));
        space.get(old).expect("a memory");
    }
    // The clock is confirmed by three days on which something was written, not by reading.
    space.settle(&mut |_, _| {}).expect("settled");
    assert_eq!(space.read(old).expect("a memory").deleted_at, None);
}
