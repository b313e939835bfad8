//! The source behaves like an in-memory list, and the journal and the database restore each other.

use std::collections::{BTreeMap, BTreeSet};

use anamne_store::{Listing, SpaceSource, StoreError};
use anamne_types::{Draft, Edit, EventKind, Kind, Link, LinkType, Memory, MemoryId, Row, Version};
use proptest::prelude::*;

use crate::common::{Home, assert_sound, clock, head, lines, user};

/// Texts: the first two are equal once normalised, and two are long enough to be compressed.
fn text(number: usize) -> String {
    match number {
        0 => "The river rises".to_owned(),
        1 => "The  river\trises ".to_owned(),
        2 => "the river rises".to_owned(),
        3 => "水位が上がる \u{0}\u{1} e\u{301}".to_owned(),
        4 => "sluice gate seven ".repeat(30),
        5 => (0..400)
            .map(|number: u32| {
                char::from(b'!' + (number.wrapping_mul(2_654_435_761) >> 24) as u8 % 90)
            })
            .collect(),
        _ => format!("note {number}"),
    }
}

fn normal(text: &str) -> String {
    anamne_text::normal::normalise(text)
}

#[derive(Clone, Debug)]
enum Step {
    Remember(Vec<Writes>),
    Edit {
        which: usize,
        content: Option<usize>,
        add: Option<usize>,
        remove: Option<usize>,
        importance: Option<u8>,
        weight: Option<f32>,
        superseded_by: Option<usize>,
    },
    Forget(usize),
    Restore(usize),
    Erase(usize),
    Link {
        from: usize,
        to: usize,
        link_type: usize,
        weight: f32,
    },
    Unlink {
        from: usize,
        to: usize,
        link_type: usize,
    },
    Reopen,
    Seal,
}

#[derive(Clone, Debug)]
struct Writes {
    content: usize,
    place: Option<(usize, Option<u32>)>,
    external_id: Option<usize>,
    tag: Option<usize>,
    weight: f64,
    kind: usize,
}

fn writes() -> impl Strategy<Value = Writes> {
    let place = proptest::option::of((0..2usize, proptest::option::of(0..3u32)));
    (
        0..12usize,
        place,
        proptest::option::weighted(0.2, 0..4usize),
        proptest::option::of(0..4usize),
        any::<f64>(),
        0..3usize,
    )
        .prop_map(|(content, place, external_id, tag, weight, kind)| Writes {
            content,
            place,
            external_id,
            tag,
            weight,
            kind,
        })
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..8usize;
    let some = |range: std::ops::Range<usize>| proptest::option::of(range);
    prop_oneof![
        6 => proptest::collection::vec(writes(), 1..4).prop_map(Step::Remember),
        3 => (which.clone(), some(0..12), some(0..4), some(0..4), proptest::option::of(1..=10u8), proptest::option::of(0.0..=1.0f32), proptest::option::weighted(0.2, 0..8usize))
            .prop_map(|(which, content, add, remove, importance, weight, superseded_by)| Step::Edit { which, content, add, remove, importance, weight, superseded_by }),
        2 => which.clone().prop_map(Step::Forget),
        2 => which.clone().prop_map(Step::Restore),
        1 => which.clone().prop_map(Step::Erase),
        3 => (which.clone(), which.clone(), 0..3usize, -0.0..=1.0f32).prop_map(|(from, to, link_type, weight)| Step::Link { from, to, link_type, weight }),
        2 => (which.clone(), which.clone(), 0..3usize).prop_map(|(from, to, link_type)| Step::Unlink { from, to, link_type }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Seal),
    ]
}

const LINKS: [LinkType; 3] = [LinkType::Supports, LinkType::Supersedes, LinkType::Related];

/// A memory in the model.
#[derive(Clone, Debug)]
struct Written {
    id: MemoryId,
    content: String,
    thread: Option<String>,
    position: Option<u32>,
    external_id: Option<String>,
    tags: BTreeSet<String>,
    importance: u8,
    trust: f32,
    superseded_by: Option<MemoryId>,
    forgotten: bool,
    erased: bool,
    /// Its events in order; the number of state-changing ones is its version.
    events: Vec<EventKind>,
}

impl Written {
    fn live(&self) -> bool {
        !self.forgotten && !self.erased
    }

    fn version(&self) -> u32 {
        let links = [EventKind::Linked, EventKind::Unlinked];
        self.events
            .iter()
            .filter(|event| !links.contains(event))
            .count() as u32
    }
}

#[derive(Default)]
struct Model {
    stored: Vec<Written>,
    links: BTreeMap<(MemoryId, MemoryId, LinkType), f32>,
    head: u64,
}

impl Model {
    fn log(&mut self, index: usize, kind: EventKind) {
        self.stored[index].events.push(kind);
        self.head += 1;
    }

    /// The memory that a draft repeats; as an error, whether the memory with its external id was erased, if it is refused.
    fn known(&self, draft: &Draft) -> Result<Option<MemoryId>, bool> {
        let same = |stored: &&Written| normal(&stored.content) == normal(&draft.content);
        if let Some(external_id) = &draft.external_id {
            let holder = self
                .stored
                .iter()
                .find(|stored| stored.external_id.as_ref() == Some(external_id));
            return match holder {
                Some(stored) if stored.erased => Err(true),
                Some(stored) if !same(&stored) => Err(false),
                holder => Ok(holder.map(|stored| stored.id)),
            };
        }
        let placed = |stored: &&Written| match (&draft.thread, draft.position) {
            (Some(_), Some(_)) => {
                stored.thread == draft.thread && stored.position == draft.position
            }
            _ => true,
        };
        Ok(self
            .stored
            .iter()
            .filter(|stored| stored.live())
            .filter(same)
            .rfind(placed)
            .map(|stored| stored.id))
    }

    fn next_position(&self, thread: &str) -> u32 {
        let taken = self
            .stored
            .iter()
            .filter(|stored| stored.thread.as_deref() == Some(thread));
        taken
            .filter_map(|stored| stored.position)
            .max()
            .map_or(0, |last| last + 1)
    }

    fn remember(&mut self, draft: &Draft, id: MemoryId) {
        let position = draft
            .thread
            .as_deref()
            .map(|thread| draft.position.unwrap_or_else(|| self.next_position(thread)));
        self.stored.push(Written {
            id,
            content: draft.content.clone(),
            thread: draft.thread.clone(),
            position,
            external_id: draft.external_id.clone(),
            tags: draft.tags.iter().cloned().collect(),
            importance: 5,
            trust: 1.0,
            superseded_by: None,
            forgotten: false,
            erased: false,
            events: Vec::new(),
        });
        self.log(self.stored.len() - 1, EventKind::Remembered);
    }
}

fn draft_of(writes: &Writes) -> Draft {
    let mut draft = Draft::new(text(writes.content));
    if let Some((thread, position)) = writes.place {
        draft = draft.thread(format!("thread {thread}"));
        draft.position = position;
    }
    draft = draft.kind([Kind::Message, Kind::Skill, Kind::Fact][writes.kind]);
    draft.external_id = writes.external_id.map(|number| format!("outside-{number}"));
    draft
        .tags
        .extend(writes.tag.map(|number| format!("tag {number}")));
    draft
        .metadata
        .insert("weight".to_owned(), serde_json::json!(writes.weight));
    draft
}

/// Applies a step to both, and checks that they respond alike.
fn take(space: &SpaceSource, model: &mut Model, step: &Step) {
    let id_of = |model: &Model, which: usize| {
        (!model.stored.is_empty()).then(|| model.stored[which % model.stored.len()].id)
    };
    let index_of = |model: &Model, id: MemoryId| {
        model
            .stored
            .iter()
            .position(|stored| stored.id == id)
            .expect("a known id")
    };
    match step {
        Step::Remember(tellings) => {
            let drafts: Vec<_> = tellings.iter().map(draft_of).collect();
            let answers = space.remember_each(&user(), &drafts).expect("a write");
            for (draft, answer) in drafts.iter().zip(answers) {
                match (model.known(draft), answer) {
                    (Err(false), Err(StoreError::Conflict { .. }))
                    | (Err(true), Err(StoreError::WasErased { .. })) => {}
                    (Ok(Some(known)), Ok(stored)) => {
                        assert_eq!((stored.id, stored.duplicate), (known, true));
                    }
                    (Ok(None), Ok(stored)) => {
                        assert!(!stored.duplicate);
                        model.remember(draft, stored.id);
                        assert_eq!(stored.seq.0, model.head);
                    }
                    (expected, answer) => {
                        panic!("{draft:?}: {expected:?} was expected, {answer:?} came")
                    }
                }
            }
        }
        Step::Edit {
            which,
            content,
            add,
            remove,
            importance,
            weight,
            superseded_by,
        } => {
            let Some(id) = id_of(model, *which) else {
                return;
            };
            let successor = superseded_by.and_then(|which| id_of(model, which));
            let edit = Edit {
                content: content.map(text),
                add_tags: add.iter().map(|number| format!("tag {number}")).collect(),
                remove_tags: remove
                    .iter()
                    .map(|number| format!("tag {number}"))
                    .collect(),
                importance: *importance,
                trust: *weight,
                superseded_by: successor,
                ..Edit::default()
            };
            let answer = space.edit(&user(), id, &edit);
            let index = index_of(model, id);
            let possible = model.stored[index].live()
                && successor.is_none_or(|successor| {
                    model.stored[index_of(model, successor)].live()
                        && !is_superseded_by(model, successor, id)
                });
            assert_eq!(answer.is_ok(), possible, "{answer:?}");
            if !possible {
                return;
            }
            let stored = &mut model.stored[index];
            let before = stored.clone();
            stored.content = edit.content.clone().unwrap_or(stored.content.clone());
            edit.remove_tags.iter().for_each(|tag| {
                stored.tags.remove(tag);
            });
            stored.tags.extend(edit.add_tags.iter().cloned());
            stored.importance = importance.unwrap_or(stored.importance);
            stored.trust = weight.unwrap_or(stored.trust);
            stored.superseded_by = successor.or(stored.superseded_by);
            let state = |stored: &Written| {
                (
                    stored.content.clone(),
                    stored.tags.clone(),
                    stored.importance,
                    stored.trust.to_bits(),
                    stored.superseded_by,
                )
            };
            if state(stored) != state(&before) {
                model.log(index, EventKind::Edited);
            }
        }
        Step::Forget(which) => {
            let Some(id) = id_of(model, *which) else {
                return;
            };
            let index = index_of(model, id);
            let possible = model.stored[index].live();
            assert_eq!(space.forget(&user(), id).is_ok(), possible);
            if possible {
                model.stored[index].forgotten = true;
                model.log(index, EventKind::Forgotten);
            }
        }
        Step::Restore(which) => {
            let Some(id) = id_of(model, *which) else {
                return;
            };
            let index = index_of(model, id);
            let possible = model.stored[index].forgotten && !model.stored[index].erased;
            assert_eq!(space.restore(&user(), id).is_ok(), possible);
            if possible {
                model.stored[index].forgotten = false;
                model.log(index, EventKind::Restored);
            }
        }
        Step::Erase(which) => {
            let Some(id) = id_of(model, *which) else {
                return;
            };
            let index = index_of(model, id);
            let possible = !model.stored[index].erased;
            assert_eq!(space.erase(&user(), id).is_ok(), possible);
            if possible {
                let successor = model.stored[index].superseded_by;
                for other in 0..model.stored.len() {
                    let stored = &mut model.stored[other];
                    if !stored.erased && stored.superseded_by == Some(id) {
                        stored.superseded_by = successor;
                        model.log(other, EventKind::Edited);
                    }
                }
                let stored = &mut model.stored[index];
                (stored.erased, stored.thread, stored.position) = (true, None, None);
                model
                    .links
                    .retain(|(from, to, _), _| *from != id && *to != id);
                model.log(index, EventKind::Erased);
            }
        }
        Step::Link {
            from,
            to,
            link_type,
            weight,
        } => {
            let (Some(from), Some(to)) = (id_of(model, *from), id_of(model, *to)) else {
                return;
            };
            let link = Link {
                from,
                to,
                link_type: LINKS[*link_type],
                weight: *weight,
                reason: "seen twice".to_owned(),
                created_at: jiff::Timestamp::UNIX_EPOCH,
            };
            let (source, target) = (index_of(model, from), index_of(model, to));
            let supersedes = link.link_type == LinkType::Supersedes;
            let possible = from != to
                && model.stored[source].live()
                && model.stored[target].live()
                && !(supersedes && is_superseded_by(model, from, to));
            assert_eq!(space.link(&user(), &link).is_ok(), possible);
            if possible {
                model.links.insert((from, to, link.link_type), link.weight);
                model.log(source, EventKind::Linked);
                if link.link_type == LinkType::Supersedes
                    && model.stored[target].superseded_by != Some(from)
                {
                    model.stored[target].superseded_by = Some(from);
                    model.log(target, EventKind::Edited);
                }
            }
        }
        Step::Unlink {
            from,
            to,
            link_type,
        } => {
            let (Some(from), Some(to)) = (id_of(model, *from), id_of(model, *to)) else {
                return;
            };
            let link_type = LINKS[*link_type];
            let (source, target) = (index_of(model, from), index_of(model, to));
            let possible = !model.stored[source].erased && !model.stored[target].erased;
            let was_there = model.links.contains_key(&(from, to, link_type));
            assert_eq!(
                space.unlink(&user(), from, to, link_type).ok(),
                possible.then_some(was_there)
            );
            if possible && was_there {
                model.links.remove(&(from, to, link_type));
                model.log(source, EventKind::Unlinked);
                if link_type == LinkType::Supersedes
                    && model.stored[target].superseded_by == Some(from)
                {
                    model.stored[target].superseded_by = None;
                    model.log(target, EventKind::Edited);
                }
            }
        }
        Step::Reopen => {}
        Step::Seal => assert_eq!(space.seal_journal().expect("sealing"), 0),
    }
}

/// Whether a memory is another one, or superseded by it, directly or through others.
fn is_superseded_by(model: &Model, id: MemoryId, by: MemoryId) -> bool {
    let next = |id: &MemoryId| {
        let mut stored = model.stored.iter();
        let stored = stored.find(|stored| stored.id == *id && !stored.erased);
        stored.and_then(|stored| stored.superseded_by)
    };
    std::iter::successors(Some(id), next).any(|id| id == by)
}

/// Compares everything that can be queried with the model.
fn compare(space: &SpaceSource, model: &Model) {
    assert_eq!(head(space).0, model.head);
    for (index, stored) in model.stored.iter().enumerate() {
        let history = space.history(stored.id).expect("a history");
        let events: Vec<_> = history.iter().map(|version| version.change).collect();
        assert_eq!(events, stored.events);
        assert_eq!(history.last().expect("an event").version, stored.version());
        if stored.erased {
            assert!(space.get(stored.id).is_err());
            assert!(history.iter().all(|version| version.memory.is_none()));
            continue;
        }
        let memory = space.get(stored.id).expect("a memory");
        assert_eq!(memory.row, Row(index as u32 + 1));
        let seen = (
            &memory.content,
            &memory.thread,
            memory.position,
            &memory.external_id,
            memory.importance,
            memory.superseded_by,
        );
        assert_eq!(
            seen,
            (
                &stored.content,
                &stored.thread,
                stored.position,
                &stored.external_id,
                stored.importance,
                stored.superseded_by
            )
        );
        assert_eq!(memory.tags, stored.tags.iter().cloned().collect::<Vec<_>>());
        assert_eq!(
            (memory.deleted_at.is_some(), memory.version),
            (stored.forgotten, stored.version())
        );
        assert_eq!(memory.trust.to_bits(), stored.trust.to_bits());
        let mut states = history
            .iter()
            .filter(|version| !matches!(version.change, EventKind::Linked | EventKind::Unlinked));
        assert!(
            states.clone().all(|version| version.memory.is_some()),
            "no state is lost"
        );
        let last = states
            .next_back()
            .and_then(|version| version.memory.clone())
            .expect("a state");
        assert_eq!(
            Memory {
                space: memory.space.clone(),
                ..last
            },
            memory
        );
        let links = space.links(stored.id).expect("links");
        assert_eq!(
            links.len(),
            model
                .links
                .keys()
                .filter(|(from, to, _)| [from, to].contains(&&stored.id))
                .count()
        );
    }
    let ids = |forgotten: bool| -> BTreeSet<MemoryId> {
        let listing = Listing {
            limit: 1000,
            forgotten,
            ..Listing::default()
        };
        space
            .list(&listing)
            .expect("a list")
            .iter()
            .map(|memory| memory.id)
            .collect()
    };
    let live: BTreeSet<_> = model
        .stored
        .iter()
        .filter(|stored| stored.live())
        .map(|stored| stored.id)
        .collect();
    let forgotten: BTreeSet<_> = model
        .stored
        .iter()
        .filter(|stored| stored.forgotten && !stored.erased)
        .map(|stored| stored.id)
        .collect();
    assert_eq!((ids(false), ids(true)), (live.clone(), forgotten.clone()));
    let links: BTreeMap<_, _> = space
        .all_links()
        .expect("links")
        .into_iter()
        .map(|link| ((link.from, link.to, link.link_type), link.weight))
        .collect();
    assert_eq!(links, model.links);
    let statistics = space.statistics().expect("counts");
    let counted = (
        statistics.memories,
        statistics.forgotten,
        statistics.erased,
        statistics.links,
        statistics.events,
    );
    let erased = model.stored.iter().filter(|stored| stored.erased).count();
    assert_eq!(
        counted,
        (
            live.len() as u64,
            forgotten.len() as u64,
            erased as u64,
            links.len() as u64,
            model.head
        )
    );
    let threads: BTreeSet<_> = model
        .stored
        .iter()
        .filter(|stored| stored.live())
        .filter_map(|stored| stored.thread.clone())
        .collect();
    assert_eq!(statistics.threads, threads.len() as u64);
    assert_sound(space);
}

/// The complete content of a source.
#[derive(Debug, PartialEq)]
struct Everything {
    memories: Vec<(Option<Memory>, Vec<Version>)>,
    links: Vec<Link>,
    statistics: anamne_store::Statistics,
    rows: Vec<(u64, Row, bool)>,
}

fn everything(space: &SpaceSource, model: &Model) -> Everything {
    use anamne_store::view::ChangeFeed;
    let feed = space
        .feed()
        .since(anamne_types::Seq(0), usize::MAX)
        .expect("the log");
    Everything {
        memories: model
            .stored
            .iter()
            .map(|stored| {
                (
                    space.get(stored.id).ok(),
                    space.history(stored.id).expect("a history"),
                )
            })
            .collect(),
        links: space.all_links().expect("links"),
        statistics: space.statistics().expect("counts"),
        rows: feed
            .into_iter()
            .map(|change| (change.seq.0, change.row, change.record.is_some()))
            .collect(),
    }
}

/// Deletes each copy in turn, and expects everything back.
fn lose_each_copy(home: &Home, space: SpaceSource, model: &Model) {
    let before = everything(&space, model);
    drop(space);
    if model.head == 0 {
        return;
    }
    for round in 0..2 {
        home.remove_database();
        let space = home.open();
        assert!(
            !space.repaired().is_empty(),
            "a restored database is spoken of"
        );
        assert_eq!(everything(&space, model), before, "round {round}");
        compare(&space, model);
        drop(space);
        home.remove_journal();
        let space = home.open();
        assert_sound(&space);
        assert_eq!(everything(&space, model), before, "round {round}");
        drop(space);
        let payloads: BTreeMap<_, _> = lines(home)
            .into_iter()
            .map(|line| (line.seq, line.payload.is_some()))
            .collect();
        for (memory, history) in &before.memories {
            let states = history.iter().filter(|version| version.memory.is_some());
            assert!(memory.is_none() || states.clone().count() > 0);
            assert!(
                states.into_iter().all(|version| payloads[&version.seq]),
                "a state lost its payload"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_source_behaves_like_a_list_and_each_copy_restores_the_other(steps in proptest::collection::vec(step(), 1..30)) {
        let home = Home::new();
        let mut model = Model::default();
        let clock = clock();
        let reopen = || anamne_store::SpaceSource::open(&home.space(), &anamne_store::SpaceName::core(), clock.clone(), true).expect("the space opens");
        let mut space = reopen();
        for step in &steps {
            take(&space, &mut model, step);
            if matches!(step, Step::Reopen) {
                drop(space);
                space = reopen();
                prop_assert!(space.repaired().is_empty(), "nothing was broken: {:?}", space.repaired());
            }
            compare(&space, &model);
        }
        lose_each_copy(&home, space, &model);
    }
}
