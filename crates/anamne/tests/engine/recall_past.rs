//! A recall as of a time is compared with a simple model of what was known, or valid, then.

use std::collections::BTreeMap;

use anamne::{
    AsOf, Body, ContextRequest, Draft, Edit, ErrorKind, Filter, Link, LinkType, MemoryId, Options,
    Recall, Space, Store,
};
use jiff::{Timestamp, ToSpan};

use crate::common::{Home, SetClock};

fn start() -> Timestamp {
    "2026-03-01T00:00:00Z".parse().expect("an instant")
}

fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Pseudo-random numbers, the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// The state of a memory from a time on.
#[derive(Clone, Debug, PartialEq)]
struct State {
    content: String,
    importance: u8,
    tag: bool,
    occurred_at: Timestamp,
    expires_at: Option<Timestamp>,
    superseded_by: Option<MemoryId>,
    is_forgotten: bool,
}

/// A space as the states of every memory over time.
#[derive(Default)]
struct Model {
    memories: BTreeMap<MemoryId, Vec<(Timestamp, State)>>,
}

/// The expected content of each memory in an answer.
type Expected = BTreeMap<MemoryId, (String, u8, Option<MemoryId>)>;

impl Model {
    fn state(&self, id: MemoryId, at: Timestamp) -> Option<&State> {
        let states = self.memories.get(&id)?;
        let state = states.iter().rfind(|(since, _)| *since <= at);
        state.map(|(_, state)| state)
    }

    fn change(&mut self, id: MemoryId, at: Timestamp, change: impl FnOnce(&mut State)) {
        let states = self.memories.get_mut(&id).expect("a memory");
        let mut state = states.last().expect("a state").1.clone();
        change(&mut state);
        states.push((at, state));
    }

    fn live(&self, at: Timestamp) -> Vec<MemoryId> {
        let is_live = |id: &MemoryId| self.state(*id, at).is_some_and(|state| !state.is_forgotten);
        self.memories.keys().copied().filter(is_live).collect()
    }

    /// The memories known at one time and valid at another.
    fn expected(&self, known: Timestamp, held: Option<Timestamp>) -> Expected {
        let moment = held.unwrap_or(known);
        let mut expected = Expected::new();
        for id in self.live(known) {
            let state = self.state(id, known).expect("a live memory has a state");
            if state.expires_at.is_some_and(|expires| expires <= moment) {
                continue;
            }
            let mut successor = state.superseded_by;
            if let Some(held) = held {
                if state.occurred_at > held {
                    continue;
                }
                let by = successor.and_then(|id| self.state(id, known));
                match by.map(|by| by.occurred_at <= held) {
                    Some(true) => continue,
                    Some(false) => successor = None,
                    None => {}
                }
            }
            expected.insert(id, (state.content.clone(), state.importance, successor));
        }
        expected
    }
}

fn recall(words: &str, as_of: AsOf) -> Recall {
    Recall {
        as_of,
        ..Recall::new(words).limit(1_000)
    }
}

fn answered(space: &Space, recall: &Recall) -> Expected {
    let answer = space.recall(recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    let hits = answer.results.into_iter();
    hits.map(|hit| {
        let memory = hit.memory;
        let said = (memory.content, memory.importance, memory.superseded_by);
        (memory.id, said)
    })
    .collect()
}

/// A space with random changes, an hour apart, and its model.
struct Story {
    space: Space,
    model: Model,
    hours: i64,
}

impl Story {
    fn stored(space: Space, clock: &SetClock, seed: u64, steps: i64) -> Self {
        let mut story = Self {
            space,
            model: Model::default(),
            hours: steps,
        };
        let mut numbers = Numbers(seed);
        for hour in 0..steps {
            let now = start() + hour.hours();
            clock.set(&now.to_string());
            story.step(&mut numbers, hour, now);
        }
        story
    }

    fn step(&mut self, numbers: &mut Numbers, hour: i64, now: Timestamp) {
        let live = self.model.live(now);
        let mut pick = |from: &[MemoryId]| from[numbers.below(from.len() as u64) as usize];
        let (one, other) = match live.len() {
            0 | 1 => return self.write(numbers, hour, now),
            _ => (pick(&live), pick(&live)),
        };
        match numbers.below(12) {
            0..=4 => self.write(numbers, hour, now),
            5 => self.edit(one, now, |edit, state| {
                edit.content = Some(format!("the gauge was read anew, mark{hour}"));
                state.content = format!("the gauge was read anew, mark{hour}");
            }),
            6 => self.edit(one, now, |edit, state| {
                let importance = if state.importance == 9 { 2 } else { 9 };
                edit.importance = Some(importance);
                state.importance = importance;
                edit.add_tags = vec!["kept".to_owned()];
                state.tag = true;
            }),
            7 => self.edit(one, now, |edit, state| {
                let occurred_at = now - (24 * 3).hours();
                edit.occurred_at = Some(occurred_at);
                state.occurred_at = occurred_at;
            }),
            8 => {
                self.space.forget(one).expect("forgotten");
                self.model
                    .change(one, now, |state| state.is_forgotten = true);
            }
            9 => self.restore(now),
            10 if one != other => self.supersede(one, other, now),
            _ if hour % 5 == 0 => {
                assert!(self.space.erase(one).expect("erased").is_complete());
                self.model.memories.remove(&one);
            }
            _ => assert_eq!(self.space.fold().expect("folded"), Vec::<&str>::new()),
        }
    }

    fn write(&mut self, numbers: &mut Numbers, hour: i64, now: Timestamp) {
        let content = format!("gauge number {hour} was read, mark{hour}");
        let occurred_at = now - (numbers.below(60) as i64 - 10).hours();
        let expires_at = (numbers.below(5) == 0).then(|| now + 9.hours());
        let draft = Draft {
            expires_at,
            ..Draft::new(&content)
                .occurred_at(occurred_at)
                .thread(format!("log {}", hour % 3))
        };
        let id = self.space.remember(draft).expect("told").id;
        let state = State {
            content,
            importance: 5,
            tag: false,
            occurred_at,
            expires_at,
            superseded_by: None,
            is_forgotten: false,
        };
        self.model.memories.insert(id, vec![(now, state)]);
    }

    fn edit(&mut self, id: MemoryId, now: Timestamp, change: impl FnOnce(&mut Edit, &mut State)) {
        let mut edit = Edit::default();
        self.model.change(id, now, |state| change(&mut edit, state));
        self.space.edit(id, &edit).expect("edited");
    }

    fn restore(&mut self, now: Timestamp) {
        let forgotten = self.model.memories.keys().copied().find(|id| {
            let state = self.model.state(*id, now);
            state.is_some_and(|state| state.is_forgotten)
        });
        if let Some(id) = forgotten {
            self.space.restore(id).expect("restored");
            self.model
                .change(id, now, |state| state.is_forgotten = false);
        }
    }

    fn supersede(&mut self, old: MemoryId, new: MemoryId, now: Timestamp) {
        let link = Link {
            from: new,
            to: old,
            link_type: LinkType::Supersedes,
            weight: 1.0,
            reason: "read again".to_owned(),
            created_at: now,
        };
        self.space.link(&link).expect("linked");
        self.model
            .change(old, now, |state| state.superseded_by = Some(new));
    }

    /// Times of changes, and times in between.
    fn instants(&self) -> impl Iterator<Item = Timestamp> {
        let hours = (-1..=self.hours).step_by(5);
        hours.flat_map(|hour| {
            [
                start() + hour.hours(),
                start() + hour.hours() + 30.minutes(),
            ]
        })
    }
}

#[test]
fn a_recall_as_of_an_instant_answers_what_was_known_and_what_held_then() {
    for seed in [7, 1_848, 90_210] {
        let home = Home::new();
        let (store, clock) = home.store_with_clock("2026-03-01T00:00:00Z");
        let space = store.space("tests").expect("a space");
        let story = Story::stored(space, &clock, seed, 48);
        let now = start() + story.hours.hours();
        clock.set(&now.to_string());
        let (space, model) = (&story.space, &story.model);
        for at in story.instants() {
            let known = AsOf {
                known: Some(at),
                held: None,
            };
            assert_eq!(
                answered(space, &recall("gauge", known)),
                model.expected(at, None),
                "known at {at}, seed {seed}"
            );
            let held = AsOf {
                known: None,
                held: Some(at),
            };
            assert_eq!(
                answered(space, &recall("gauge", held)),
                model.expected(now, Some(at)),
                "held at {at}, seed {seed}"
            );
            let earlier = at - 7.hours();
            let both = AsOf {
                known: Some(at),
                held: Some(earlier),
            };
            assert_eq!(
                answered(space, &recall("gauge", both)),
                model.expected(at, Some(earlier)),
                "known at {at}, held at {earlier}, seed {seed}"
            );
        }
    }
}

#[test]
fn what_was_known_at_an_instant_is_what_a_store_rewound_to_it_knows() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T00:00:00Z");
    let story = Story::stored(store.space("tests").expect("a space"), &clock, 4_711, 40);
    for hour in [14, 21, 33] {
        let at = start() + hour.hours();
        clock.set(&at.to_string());
        let folder = tempfile::tempdir().expect("a folder");
        store.rewind(at, folder.path(), None).expect("rewound");
        let options = Options {
            clock: clock.clone(),
            ..Options::new(folder.path()).background(false)
        };
        let rewound = Store::open_with(options).expect("a store");
        let rewound = rewound.space("tests").expect("a space");
        clock.set(&(start() + story.hours.hours()).to_string());
        let as_of = AsOf {
            known: Some(at),
            held: None,
        };
        let then = answered(&story.space, &recall("gauge", as_of));
        clock.set(&at.to_string());
        assert_eq!(then, answered(&rewound, &recall("gauge", AsOf::default())));
        assert!(then.len() > 1, "{then:?}");
    }
}

/// A space with one edited and one forgotten memory, changed an hour after both were stored.
fn changed(home: &Home) -> (Space, MemoryId, MemoryId) {
    let (store, clock) = home.store_with_clock("2026-03-01T09:00:00Z");
    let space = store.space("tests").expect("a space");
    let write = |text: &str| {
        let draft = Draft::new(text)
            .thread("harbour")
            .tag("pier")
            .author("Runa");
        space.remember(draft).expect("told").id
    };
    let edited = write("the ferry leaves at seven from the north pier");
    let forgotten = write("the pilot lives above the chandlery");
    write("the winch was painted green");
    clock.set("2026-03-01T10:00:00Z");
    let edit = Edit {
        content: Some("the tram leaves at nine from the market".to_owned()),
        remove_tags: vec!["pier".to_owned()],
        importance: Some(9),
        body: Some(Body::Fact { category: None }),
        ..Edit::default()
    };
    space.edit(edited, &edit).expect("edited");
    space.forget(forgotten).expect("forgotten");
    clock.set("2026-03-01T11:00:00Z");
    write("the lantern was lit at dusk");
    clock.set("2026-03-02T00:00:00Z");
    (space, edited, forgotten)
}

fn known(at: &str) -> AsOf {
    AsOf {
        known: Some(instant(at)),
        held: None,
    }
}

#[test]
fn what_was_edited_is_searched_and_filtered_by_what_it_was() {
    let home = Home::new();
    let (space, edited, forgotten) = changed(&home);
    let then = known("2026-03-01T09:30:00Z");
    for folded in [false, true] {
        if folded {
            space.fold().expect("folded");
        }
        let best = |words: &str, as_of| {
            let answer = space.recall(&recall(words, as_of)).expect("an answer");
            let best = answer.results.into_iter().next().expect("a result");
            assert!(!best.reasoning.is_empty());
            best
        };
        let ferry = best("when does the ferry leave?", then);
        assert_eq!(ferry.memory.id, edited);
        assert_eq!(ferry.memory.importance, 5);
        assert!(ferry.memory.content.starts_with("the ferry"));
        assert!(ferry.explanation.matched.contains(&"ferry".to_owned()));
        assert_eq!(
            best("who lives above the chandlery?", then).memory.id,
            forgotten
        );
        let tram = best("when does the tram leave?", known("2026-03-01T10:30:00Z"));
        assert!(tram.memory.content.starts_with("the tram"));
        let tagged = |as_of| {
            let recall = recall("the pier", as_of).filter(Filter {
                tags: vec!["pier".to_owned()],
                ..Filter::default()
            });
            answered(&space, &recall).len()
        };
        assert_eq!(tagged(then), 3);
        assert_eq!(tagged(AsOf::default()), 2);
        let facts = |as_of| {
            let recall = recall("the harbour", as_of).filter(Filter {
                kinds: vec![anamne::Kind::Fact],
                ..Filter::default()
            });
            answered(&space, &recall).len()
        };
        assert_eq!((facts(then), facts(AsOf::default())), (0, 1));
    }
}

#[test]
fn surroundings_and_contexts_are_those_of_then() {
    let home = Home::new();
    let (space, _, _) = changed(&home);
    let recall = Recall {
        surroundings: anamne::Surroundings::Neighbours,
        ..recall("the winch was painted", known("2026-03-01T09:30:00Z"))
    };
    let answer = space.recall(&recall).expect("an answer");
    let around: Vec<_> = answer.results[0]
        .surroundings
        .iter()
        .map(|memory| memory.content.as_str())
        .collect();
    assert_eq!(around, ["the pilot lives above the chandlery"]);
    let context = space
        .context(&ContextRequest {
            recall,
            token_budget: 500,
            preset: None,
        })
        .expect("a context");
    assert!(context.text.contains("the ferry"), "{}", context.text);
    assert!(!context.text.contains("the tram"), "{}", context.text);
    assert!(!context.text.contains("lantern"), "{}", context.text);
}

#[test]
fn what_lay_in_a_colder_tier_then_is_found_as_it_was() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-01-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let drafts: Vec<_> = (0..40)
        .map(|number| Draft::new(format!("the gauge was read, entry {number}")))
        .collect();
    let stored = space.remember_all(&drafts).expect("told");
    clock.set("2026-09-01T00:00:00Z");
    assert!(space.age(&mut |_, _| {}).expect("moved").memories > 0);
    clock.set("2026-09-02T00:00:00Z");
    let edit = Edit {
        content: Some("the barometer fell".to_owned()),
        ..Edit::default()
    };
    space.edit(stored[7].id, &edit).expect("edited");
    space.forget(stored[8].id).expect("forgotten");
    clock.set("2026-09-03T00:00:00Z");
    for at in ["2026-02-01T00:00:00Z", "2026-09-01T12:00:00Z"] {
        let then = answered(&space, &recall("gauge entry", known(at)));
        assert_eq!(then.len(), 40, "as of {at}");
        assert_eq!(then[&stored[7].id].0, "the gauge was read, entry 7");
    }
    let now = answered(&space, &recall("gauge entry", AsOf::default()));
    assert_eq!(
        now.values()
            .filter(|(text, ..)| text.contains("gauge"))
            .count(),
        38
    );
}

#[test]
fn what_was_erased_is_gone_from_the_past_too() {
    let home = Home::new();
    let (space, edited, _) = changed(&home);
    let then = recall("when does the ferry leave?", known("2026-03-01T09:30:00Z"));
    assert!(answered(&space, &then).contains_key(&edited));
    assert!(space.erase(edited).expect("erased").is_complete());
    assert!(!answered(&space, &then).contains_key(&edited));
}

#[test]
fn a_release_that_was_put_off_later_still_held_before() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T09:00:00Z");
    let space = store.space("tests").expect("a space");
    let write = |text: &str, at: &str| {
        let draft = Draft::new(text).occurred_at(instant(at));
        space.remember(draft).expect("told").id
    };
    let old = write(
        "the release is on the fourth of May",
        "2026-02-01T00:00:00Z",
    );
    let new = write(
        "the release is on the ninth of June",
        "2026-02-20T00:00:00Z",
    );
    clock.set("2026-03-02T09:00:00Z");
    let edit = Edit {
        superseded_by: Some(new),
        ..Edit::default()
    };
    space.edit(old, &edit).expect("edited");
    let held = |at: &str| AsOf {
        known: None,
        held: Some(instant(at)),
    };
    let before = answered(
        &space,
        &recall("when is the release?", held("2026-02-10T00:00:00Z")),
    );
    assert_eq!(before.len(), 1);
    assert_eq!(before[&old].2, None);
    let after = answered(
        &space,
        &recall("when is the release?", held("2026-02-20T00:00:00Z")),
    );
    assert_eq!(after.into_keys().collect::<Vec<_>>(), [new]);
    let at_first = recall("when is the release?", known("2026-03-01T12:00:00Z"));
    assert_eq!(answered(&space, &at_first)[&old].2, None);
}

#[test]
fn before_the_beginning_nothing_is_known_and_in_the_future_everything() {
    let home = Home::new();
    let (space, _, _) = changed(&home);
    let early = known("2020-01-01T00:00:00Z");
    assert!(answered(&space, &recall("the harbour", early)).is_empty());
    let late = known("2030-01-01T00:00:00Z");
    let now = recall("the harbour", AsOf::default());
    assert_eq!(
        answered(&space, &recall("the harbour", late)),
        answered(&space, &now)
    );
    let nowhere = Recall {
        zone: Some("Nowhere/Atall".to_owned()),
        ..now
    };
    let refused = space.recall(&nowhere).expect_err("no such zone");
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert_eq!(refused.refusal().expect("a refusal").field(), "zone");
}

#[test]
fn a_clock_that_was_ahead_for_a_while_hides_nothing_of_the_past() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T09:00:00Z");
    let space = store.space("tests").expect("a space");
    let write = |at: &str, text: &str| {
        clock.set(at);
        space.remember(text).expect("told").id
    };
    let before = write("2026-03-01T09:00:00Z", "the harbour has a crane");
    write("2041-03-02T09:00:00Z", "the harbour has a chandlery");
    let after = [
        write("2026-03-03T09:00:00Z", "the harbour has a winch"),
        write("2026-03-04T09:00:00Z", "the harbour has a lantern"),
    ];
    write("2026-03-06T09:00:00Z", "the harbour has a pilot");
    let folder = tempfile::tempdir().expect("a folder");
    let at = instant("2026-03-05T00:00:00Z");
    store.rewind(at, folder.path(), None).expect("rewound");
    let then = answered(&space, &recall("the harbour", known(&at.to_string())));
    assert!(then.contains_key(&before) && after.iter().all(|id| then.contains_key(id)));
    assert_eq!(then.len(), 4, "not what was written later: {then:?}");
    let rewound = Store::open(folder.path()).expect("a store");
    let rewound = rewound.space("tests").expect("a space");
    let there = answered(&rewound, &recall("the harbour", AsOf::default()));
    assert_eq!(
        there.into_keys().collect::<Vec<_>>(),
        then.into_keys().collect::<Vec<_>>()
    );
}
