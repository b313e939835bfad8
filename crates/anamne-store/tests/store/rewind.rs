//! A space can be rewound to any time, and then has the state of that time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anamne_store::{
    Clock, Listing, LogQuery, SpaceName, SpaceSource, StoreError, StoreFolder, examine,
};
use anamne_types::{Draft, Edit, EventKind, Link, LinkType, MemoryId, Row};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::common::{Home, SteppingClock, assert_sound, clock, head, user};

#[derive(Clone, Debug)]
enum Step {
    Remember(usize),
    Edit(usize, usize),
    Forget(usize),
    Restore(usize),
    Erase(usize),
    Link(usize, usize),
    Unlink(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..6usize;
    prop_oneof![
        5 => (0..1000usize).prop_map(Step::Remember),
        3 => (which.clone(), 0..1000usize).prop_map(|(which, text)| Step::Edit(which, text)),
        2 => which.clone().prop_map(Step::Forget),
        1 => which.clone().prop_map(Step::Restore),
        1 => which.clone().prop_map(Step::Erase),
        2 => (which.clone(), which.clone()).prop_map(|(from, to)| Step::Link(from, to)),
        1 => (which.clone(), which).prop_map(|(from, to)| Step::Unlink(from, to)),
    ]
}

/// The state after an event: live contents by memory, forgotten ones, links.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    live: BTreeMap<MemoryId, String>,
    forgotten: BTreeMap<MemoryId, String>,
    links: BTreeSet<(MemoryId, MemoryId)>,
}

impl State {
    /// The state as visible after these memories have been erased.
    fn without(mut self, erased: &BTreeSet<MemoryId>) -> Self {
        self.live.retain(|id, _| !erased.contains(id));
        self.forgotten.retain(|id, _| !erased.contains(id));
        self.links
            .retain(|(from, to)| !erased.contains(from) && !erased.contains(to));
        self
    }

    fn of(space: &SpaceSource) -> Self {
        let listed = |forgotten| -> BTreeMap<_, _> {
            let listing = Listing {
                limit: 1000,
                forgotten,
                ..Listing::default()
            };
            let memories = space.list(&listing).expect("a list");
            memories
                .into_iter()
                .map(|memory| (memory.id, memory.content))
                .collect()
        };
        let links = space.all_links().expect("links");
        Self {
            live: listed(false),
            forgotten: listed(true),
            links: links.into_iter().map(|link| (link.from, link.to)).collect(),
        }
    }
}

fn now(clock: &SteppingClock) -> Timestamp {
    // The last time that the clock returned.
    Timestamp::from_millisecond(clock.0.load(Ordering::Relaxed) - 1).expect("an instant")
}

fn link(from: MemoryId, to: MemoryId) -> Link {
    Link {
        from,
        to,
        link_type: LinkType::Supports,
        weight: 0.5,
        reason: "seen together".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
    }
}

/// Applies a step to both; a step that the space refuses changes neither.
fn take(space: &SpaceSource, state: &mut State, ids: &mut Vec<MemoryId>, step: &Step) {
    if let Step::Remember(text) = step {
        let content = format!("note {text} of {}", ids.len());
        let stored = space
            .remember(
                &user(),
                &Draft::new(content.clone()).thread("log").tag("a tag"),
            )
            .expect("a write");
        ids.push(stored.id);
        state.live.insert(stored.id, content);
        return;
    }
    if ids.is_empty() {
        return;
    }
    let at = |which: &usize| ids[which % ids.len()];
    match step {
        Step::Remember(_) => {}
        Step::Edit(which, text) => {
            let content = format!("edited {text}");
            let edit = Edit {
                content: Some(content.clone()),
                ..Edit::default()
            };
            if space.edit(&user(), at(which), &edit).is_ok() {
                state.live.insert(at(which), content);
            }
        }
        Step::Forget(which) => {
            if space.forget(&user(), at(which)).is_ok() {
                let content = state.live.remove(&at(which)).expect("it was live");
                state.forgotten.insert(at(which), content);
            }
        }
        Step::Restore(which) => {
            if space.restore(&user(), at(which)).is_ok() {
                let content = state.forgotten.remove(&at(which)).expect("forgotten");
                state.live.insert(at(which), content);
            }
        }
        Step::Erase(which) => {
            if space.erase(&user(), at(which)).is_ok() {
                *state = state.clone().without(&BTreeSet::from([at(which)]));
            }
        }
        Step::Link(from, to) => {
            if space.link(&user(), &link(at(from), at(to))).is_ok() {
                state.links.insert((at(from), at(to)));
            }
        }
        Step::Unlink(from, to) => {
            if let Ok(true) = space.unlink(&user(), at(from), at(to), LinkType::Supports) {
                state.links.remove(&(at(from), at(to)));
            }
        }
    }
}

/// The contents that were live at a given time, combined from the current ones and the differences since then.
fn live_then(space: &SpaceSource, at: Timestamp) -> BTreeMap<MemoryId, String> {
    let past = space.past(at, usize::MAX).expect("a past");
    let past = past.expect("no bound was set");
    let changed: BTreeSet<Row> = past.changed.iter().map(|state| state.row).collect();
    let listing = Listing {
        limit: 1000,
        ..Listing::default()
    };
    let now = space.list(&listing).expect("a list").into_iter();
    let is_told = |row| past.later.is_none_or(|later| row < later);
    let unchanged = now.filter(|memory| is_told(memory.row) && !changed.contains(&memory.row));
    let then = past.changed.into_iter().filter_map(|state| state.then);
    let then = then.map(|(memory, record)| {
        assert_eq!(record.text, memory.content);
        assert!(record.attributes.thread > 0, "it is in the log");
        memory
    });
    unchanged
        .chain(then)
        .map(|memory| (memory.id, memory.content))
        .collect()
}

/// Opens a rebuilt store folder, after checking that it needs no repair.
#[track_caller]
fn open_rebuilt(store: &Path) -> SpaceSource {
    let folder = StoreFolder::at(store).space(&SpaceName::core());
    let found = examine(&folder).expect("an examination");
    assert_eq!(found.findings, []);
    let space = SpaceSource::open(&folder, &SpaceName::core(), clock(), false).expect("it opens");
    assert_eq!(space.repaired(), Vec::<String>::new());
    assert_sound(&space);
    space
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rewinding_to_any_instant_gives_what_was_known_then(
        steps in proptest::collection::vec(step(), 1..30),
        instants in proptest::collection::vec(any::<prop::sample::Index>(), 3),
    ) {
        let home = Home::new();
        let clock = clock();
        let space = SpaceSource::open(&home.space(), &SpaceName::core(), clock.clone(), true).expect("the space opens");
        let mut states = vec![(now(&clock), State::default())];
        let (mut state, mut ids) = (State::default(), Vec::new());
        for step in &steps {
            take(&space, &mut state, &mut ids, step);
            states.push((now(&clock), state.clone()));
        }
        prop_assert_eq!(&State::of(&space), &state);
        let erased: BTreeSet<_> = ids.iter().copied().filter(|id| space.get(*id).is_err()).collect();
        for instant in instants {
            let (at, then) = &states[instant.index(states.len())];
            let folder = tempfile::tempdir().expect("a folder");
            let rewound = space.rewind(*at, folder.path()).expect("a rewound space");
            let old = open_rebuilt(folder.path());
            prop_assert_eq!(head(&old), rewound.last_seq);
            prop_assert_eq!(rewound.later, head(&space).0 - rewound.last_seq.0);
            prop_assert_eq!(State::of(&old), then.clone().without(&erased));
            let then_known = then.live.keys().chain(then.forgotten.keys());
            let gone = then_known.filter(|id| erased.contains(id)).count();
            prop_assert_eq!(rewound.erased_since, gone as u64);
            prop_assert_eq!(live_then(&space, *at), then.clone().without(&erased).live);
            for id in &ids {
                let version = space.as_of(*id, *at).expect("an answer");
                let content = version.and_then(|version| version.memory).map(|memory| memory.content);
                let expected = then.live.get(id).or(then.forgotten.get(id)).filter(|_| !erased.contains(id));
                prop_assert_eq!(content.as_ref(), expected);
            }
        }
    }
}

#[test]
fn what_differed_at_an_instant_is_read_up_to_a_bound() {
    let home = Home::new();
    let clock = clock();
    let space = SpaceSource::open(&home.space(), &SpaceName::core(), clock.clone(), true)
        .expect("the space opens");
    let write = |text: &str| space.remember(&user(), &text.into()).expect("a write").id;
    let ids = [write("one"), write("two"), write("three")];
    let then = now(&clock);
    for id in ids {
        space.forget(&user(), id).expect("a write");
    }
    write("four");
    assert!(space.past(then, 2).expect("an answer").is_none());
    let past = space.past(then, 3).expect("an answer").expect("no more");
    assert_eq!((past.through.0, past.later), (3, Some(Row(4))));
    assert_eq!(past.changed.len(), 3);
    assert!(past.changed.iter().all(|state| state.then.is_some()));
    let past = space.past(now(&clock), 0).expect("an answer");
    let past = past.expect("nothing changed since");
    assert_eq!((past.later, past.changed.len()), (None, 0));
}

#[test]
fn a_rewound_space_continues_independently() {
    let home = Home::new();
    let clock = clock();
    let space = SpaceSource::open(&home.space(), &SpaceName::core(), clock.clone(), true)
        .expect("the space opens");
    let first = space
        .remember(&user(), &"first".into())
        .expect("a write")
        .id;
    let then = now(&clock);
    space.remember(&user(), &"second".into()).expect("a write");
    let folder = tempfile::tempdir().expect("a folder");
    let rewound = space.rewind(then, folder.path()).expect("a rewound space");
    assert_eq!((rewound.last_at, rewound.later), (Some(then), 1));
    let old = open_rebuilt(folder.path());
    assert_eq!(old.get(first).expect("a memory").content, "first");
    old.remember(&user(), &"another story".into())
        .expect("a write");
    assert_sound(&old);
    assert_eq!(
        space.statistics().expect("counts").memories,
        2,
        "the space itself is as it was"
    );
    let again = space.rewind(then, folder.path()).expect_err("it is taken");
    assert!(matches!(again, StoreError::NotEmpty { .. }), "{again}");
    assert_eq!(old.statistics().expect("counts").memories, 2);
}

#[test]
fn sealed_segments_are_rewound_too() {
    let home = Home::new();
    let clock = clock();
    let space = SpaceSource::open(&home.space(), &SpaceName::core(), clock.clone(), true)
        .expect("the space opens");
    let mut instants = Vec::new();
    for number in 0..12 {
        let text = format!("{number}{}", " a long story".repeat(70_000));
        space
            .remember(&user(), &text.as_str().into())
            .expect("a write");
        instants.push(now(&clock));
    }
    assert!(space.seal_journal().expect("sealing") > 0);
    for kept in [5, 11] {
        let folder = tempfile::tempdir().expect("a folder");
        let rewound = space
            .rewind(instants[kept - 1], folder.path())
            .expect("a rewound space");
        assert_eq!(rewound.last_seq.0, kept as u64);
        let old = open_rebuilt(folder.path());
        assert_eq!(old.statistics().expect("counts").memories, kept as u64);
    }
}

/// A clock that is set by hand.
struct SetClock(std::sync::Mutex<Timestamp>);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("no panic before")
    }
}

#[test]
fn where_a_clock_was_set_back_the_order_of_the_log_counts() {
    let home = Home::new();
    let instant = |second: i64| Timestamp::from_second(1_760_000_000 + second).expect("an instant");
    let clock = Arc::new(SetClock(std::sync::Mutex::new(instant(0))));
    let space = SpaceSource::open(&home.space(), &SpaceName::core(), clock.clone(), true)
        .expect("the space opens");
    for (second, text) in [(10, "one"), (30, "two"), (20, "three"), (40, "four")] {
        *clock.0.lock().expect("no panic before") = instant(second);
        space.remember(&user(), &text.into()).expect("a write");
    }
    for (second, kept) in [(5, 0), (10, 1), (25, 1), (30, 3), (35, 3), (40, 4), (99, 4)] {
        let folder = tempfile::tempdir().expect("a folder");
        let rewound = space
            .rewind(instant(second), folder.path())
            .expect("a rewound space");
        assert_eq!(rewound.last_seq.0, kept, "at second {second}");
        let old = open_rebuilt(folder.path());
        assert_eq!(old.statistics().expect("counts").memories, kept);
    }
}

#[test]
fn the_log_is_listed_by_time_actor_kind_and_memory() {
    let home = Home::new();
    let clock = clock();
    let space = SpaceSource::open(&home.space(), &SpaceName::core(), clock.clone(), true)
        .expect("the space opens");
    let agent = anamne_types::Actor::agent("scribe");
    let first = space.remember(&user(), &"one".into()).expect("a write").id;
    let middle = now(&clock);
    let second = space.remember(&agent, &"two".into()).expect("a write").id;
    space.link(&agent, &link(first, second)).expect("a link");
    space.forget(&user(), second).expect("a change");
    let numbers = |query: LogQuery| -> Vec<u64> {
        let entries = space.log(&query).expect("a log");
        entries.iter().map(|entry| entry.event.seq.0).collect()
    };
    let all = LogQuery::default;
    assert_eq!(numbers(all()), [4, 3, 2, 1]);
    assert_eq!(
        numbers(LogQuery {
            oldest_first: true,
            limit: 2,
            offset: 1,
            ..all()
        }),
        [2, 3]
    );
    assert_eq!(
        numbers(LogQuery {
            actor_names: vec!["scribe".to_owned()],
            ..all()
        }),
        [3, 2]
    );
    assert_eq!(
        numbers(LogQuery {
            actor_kinds: vec![anamne_types::ActorKind::User],
            ..all()
        }),
        [4, 1]
    );
    assert_eq!(
        numbers(LogQuery {
            kinds: vec![EventKind::Linked, EventKind::Forgotten],
            ..all()
        }),
        [4, 3]
    );
    assert_eq!(
        numbers(LogQuery {
            memory: Some(second),
            ..all()
        }),
        [4, 2]
    );
    assert_eq!(
        numbers(LogQuery {
            until: Some(middle),
            ..all()
        }),
        Vec::<u64>::new()
    );
    assert_eq!(
        numbers(LogQuery {
            since: Some(middle),
            kinds: vec![EventKind::Remembered],
            ..all()
        }),
        [2, 1]
    );
    for refused in [
        LogQuery { limit: 0, ..all() },
        LogQuery {
            since: Some(middle),
            until: Some(middle),
            ..all()
        },
    ] {
        assert!(matches!(space.log(&refused), Err(StoreError::Refused(_))));
    }
}
