//! Memories move to colder tiers as they age, and stay unchanged otherwise.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use anamne_store::view::{ChangeFeed, View};
use anamne_store::{
    AgingScope, Followers, Listing, LogQuery, SpaceName, SpaceSource, Step as Moving, StoreFolder,
};
use anamne_types::{Body, Draft, Edit, EventKind, MemoryId, Row, Seq, Tier};
use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;

use crate::common::{Home, MemoryView, assert_sound, files_under, user};

/// The start time of the clock.
fn start() -> Timestamp {
    Timestamp::from_millisecond(1_760_000_000_000).expect("an instant of this century")
}

/// A memory that happened this many days before the start.
fn days_ago(text: &str, days: i64) -> Draft {
    Draft::new(text).occurred_at(start() - (24 * days).hours())
}

fn write(space: &SpaceSource, draft: &Draft) -> MemoryId {
    space.remember(&user(), draft).expect("a write").id
}

/// Moves everything that has aged; returns the number of memories.
fn move_all(space: &SpaceSource) -> u64 {
    let mut mover = space.mover(AgingScope::All).expect("a mover");
    mover.clean().expect("a clean tier");
    let mut moved = 0;
    loop {
        match mover.step().expect("a step") {
            Moving::Moved(_, memories) => moved += memories,
            Moving::Done => return moved,
            Moving::Busy => panic!("nobody else moves"),
        }
    }
}

fn tier_of(space: &SpaceSource, id: MemoryId) -> Tier {
    let row = space.get(id).expect("a memory").row;
    space.tier_of(row).expect("a read").expect("a tier")
}

fn archive(name: &str) -> Tier {
    name.parse().expect("a tier")
}

#[test]
fn memories_move_unchanged_as_they_age() {
    let home = Home::new();
    let space = home.open();
    let long = "the tide table of the old harbour, line by line; ".repeat(40);
    let mut draft = days_ago(&long, 200)
        .thread("log")
        .author("Runa")
        .tag("tides");
    draft.metadata = [("page".to_owned(), 12.into())].into();
    draft.body = Body::Episode {
        goal: "write the table".to_owned(),
        plan: Vec::new(),
        steps: Vec::new(),
        outcome: "done".to_owned(),
        tool_log: Vec::new(),
        salience: Some(0.5),
    };
    let old = write(&space, &draft);
    let recent = write(&space, &days_ago("the mole was mended", 45).thread("log"));
    let new = write(&space, &days_ago("the gauge was read", 3).thread("log"));
    let before = [old, recent, new].map(|id| space.get(id).expect("a memory"));
    let listing = Listing {
        limit: 10,
        ..Listing::default()
    };
    let listed = space.list(&listing).expect("a list");
    assert_eq!(move_all(&space), 2);
    assert_eq!(move_all(&space), 0, "what has moved stays where it is");
    assert_eq!(
        [old, recent, new].map(|id| tier_of(&space, id)),
        [archive("archive-2025Q1"), Tier::Recent, Tier::Active]
    );
    assert_eq!(
        [old, recent, new].map(|id| space.get(id).expect("a memory")),
        before
    );
    assert_eq!(space.list(&listing).expect("a list"), listed);
    let tiers = space.tiers().expect("tiers");
    let counts: Vec<_> = tiers
        .iter()
        .map(|tier| (tier.tier, tier.memories))
        .collect();
    assert_eq!(
        counts,
        [
            (Tier::Active, 1),
            (Tier::Recent, 1),
            (archive("archive-2025Q1"), 1)
        ]
    );
    let moves = LogQuery {
        kinds: vec![EventKind::Moved],
        limit: 10,
        ..LogQuery::default()
    };
    let moves = space.log(&moves).expect("a log");
    assert_eq!(moves.len(), 2);
    assert_eq!(moves[0].event.actor.name, "aging");
    assert_eq!(space.history(old).expect("a history").len(), 1);
    let duplicate = space
        .remember(&user(), &days_ago(&long, 1))
        .expect("a write");
    assert!(duplicate.duplicate, "what is archived is known");
    assert_sound(&space);
}

#[test]
fn a_memory_written_just_now_is_not_moved_in_the_background() {
    let home = Home::new();
    let space = home.open();
    write(&space, &days_ago("an old letter, found today", 900));
    let mut mover = space.mover(AgingScope::Settled).expect("a mover");
    assert_eq!(mover.step().expect("a step"), Moving::Done);
}

#[test]
fn facts_stay_while_they_matter() {
    let home = Home::new();
    let space = home.open();
    let fact = |text: &str, importance| {
        let mut draft = days_ago(text, 400);
        draft.body = Body::Fact { category: None };
        draft.importance(importance)
    };
    let vital = write(&space, &fact("the lock opens at high water only", 8));
    // Facts age from the time of writing, which was just now.
    let fresh = write(&space, &fact("the crane is green", 3));
    assert_eq!(move_all(&space), 0);
    assert_eq!(
        [vital, fresh].map(|id| tier_of(&space, id)),
        [Tier::Active; 2]
    );
}

#[test]
fn a_change_brings_a_memory_back() {
    let home = Home::new();
    let space = home.open();
    let id = write(&space, &days_ago("the buoy is red", 300));
    move_all(&space);
    let edit = Edit {
        add_tags: vec!["buoys".to_owned()],
        ..Edit::default()
    };
    space.edit(&user(), id, &edit).expect("an edit");
    assert_eq!(tier_of(&space, id), Tier::Active);
    assert_eq!(space.get(id).expect("a memory").content, "the buoy is red");
    assert_sound(&space);
    assert_eq!(move_all(&space), 1, "it is as old as before");
    assert_eq!(space.get(id).expect("a memory").tags, ["buoys"]);
    assert_sound(&space);
}

#[test]
fn an_erased_memory_leaves_the_file_of_its_tier() {
    let home = Home::new();
    let space = home.open();
    let erased = write(
        &space,
        &days_ago("unspeakable words", 300).tag("unspeakable"),
    );
    let edited = write(&space, &days_ago("unspeakable as well", 300));
    let kept = write(&space, &days_ago("an ordinary day", 300));
    move_all(&space);
    let edit = Edit {
        content: Some("unspeakable in other words".to_owned()),
        ..Edit::default()
    };
    // When it is erased, its former content is still in the archive.
    space.edit(&user(), edited, &edit).expect("an edit");
    space.erase_all(&user(), &[erased, edited]).expect("erased");
    assert_eq!(
        space.get(kept).expect("a memory").content,
        "an ordinary day"
    );
    assert_sound(&space);
    drop(space);
    for path in files_under(&home.space()) {
        let bytes = fs::read(&path).expect("a file");
        let holds = bytes.windows(11).any(|window| window == b"unspeakable");
        assert!(!holds, "{}", path.display());
    }
}

#[test]
fn a_damaged_or_lost_archive_is_restored_from_the_journal() {
    let stored = |home: &Home| {
        let space = home.open();
        let ids: Vec<_> = (0..20)
            .map(|number| write(&space, &days_ago(&format!("page {number} of the log"), 300)))
            .collect();
        move_all(&space);
        ids
    };
    for harm in ["lost", "cut", "overwritten"] {
        for in_use in [false, true] {
            let home = Home::new();
            let ids = stored(&home);
            let file = home.at("memories/archive-2024Q4.db");
            let space = in_use.then(|| home.open());
            match harm {
                "lost" => fs::remove_file(&file).expect("a file"),
                "cut" => fs::OpenOptions::new()
                    .write(true)
                    .open(&file)
                    .and_then(|file| file.set_len(5_000))
                    .expect("a file"),
                _ => fs::write(&file, vec![0x5A; 9_000]).expect("a file"),
            }
            let space = space.unwrap_or_else(|| home.open());
            for (number, id) in ids.iter().enumerate() {
                let content = space.get(*id).expect("a memory").content;
                assert_eq!(content, format!("page {number} of the log"), "{harm}");
            }
            assert!(!space.repaired().is_empty(), "{harm}: it is spoken of");
            assert_sound(&space);
            assert_eq!(move_all(&space), 20, "{harm}");
            assert_sound(&space);
        }
    }
}

#[test]
fn a_lost_database_is_restored_with_all_tiers() {
    let home = Home::new();
    let space = home.open();
    let old = write(&space, &days_ago("long ago", 300));
    let new = write(&space, &days_ago("just now", 1));
    move_all(&space);
    drop(space);
    home.remove_database();
    let space = home.open();
    assert_eq!(space.get(old).expect("a memory").content, "long ago");
    assert_eq!(space.get(new).expect("a memory").content, "just now");
    assert_eq!(
        tier_of(&space, old),
        Tier::Active,
        "until it is moved again"
    );
    assert_eq!(move_all(&space), 1);
    assert_sound(&space);
}

#[test]
fn a_backup_holds_every_tier_and_copies_an_archive_once() {
    let home = Home::new();
    let space = home.open();
    let old = write(&space, &days_ago(&"a long winter ".repeat(500), 300));
    write(&space, &days_ago("summer", 60));
    move_all(&space);
    let store = tempfile::tempdir().expect("a folder");
    space.backup(store.path()).expect("a backup");
    write(&space, &days_ago("autumn", 1));
    let archived = StoreFolder::at(store.path())
        .space(&SpaceName::core())
        .join("memories/archive-2024Q4.db");
    let written = fs::metadata(&archived)
        .and_then(|file| file.modified())
        .expect("a file");
    space.backup(store.path()).expect("a second backup");
    let again = fs::metadata(&archived)
        .and_then(|file| file.modified())
        .expect("a file");
    assert_eq!(again, written, "it has not changed");
    space.erase(&user(), old).expect("erased");
    space.backup(store.path()).expect("a third backup");
    let folder = StoreFolder::at(store.path()).space(&SpaceName::core());
    let copy = crate::common::open(&folder).expect("the backup opens");
    assert_eq!(
        copy.statistics().expect("counts"),
        space.statistics().expect("counts")
    );
    assert_sound(&copy);
    drop(copy);
    // The file of a tier that the source no longer has is deleted.
    assert!(archived.exists());
}

#[test]
fn writers_continue_while_memories_move() {
    let home = Home::new();
    let space = home.open();
    let drafts: Vec<_> = (0..600)
        .map(|number| days_ago(&format!("note {number} of a busy year"), 100 + number % 300))
        .collect();
    space.remember_all(&user(), &drafts).expect("a write");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let other = home.open();
            (0..100)
                .map(|number| write(&other, &Draft::new(format!("meanwhile {number}"))))
                .collect::<Vec<_>>()
        });
        let mut moved = 0;
        while moved < 600 {
            moved += move_all(&space);
        }
        for id in writer.join().expect("no panic") {
            assert!(space.get(id).is_ok());
        }
    });
    assert_sound(&space);
}

/// An action of a user, or the passing of time.
#[derive(Clone, Debug)]
enum Action {
    Write { days: u16 },
    Edit { which: usize },
    Forget { which: usize },
    Restore { which: usize },
    Erase { which: usize },
    Age { steps: usize },
    Reopen,
}

fn deed() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (0_u16..400).prop_map(|days| Action::Write { days }),
        2 => any::<usize>().prop_map(|which| Action::Edit { which }),
        1 => any::<usize>().prop_map(|which| Action::Forget { which }),
        1 => any::<usize>().prop_map(|which| Action::Restore { which }),
        1 => any::<usize>().prop_map(|which| Action::Erase { which }),
        3 => (1_usize..4).prop_map(|steps| Action::Age { steps }),
        1 => Just(Action::Reopen),
    ]
}

/// A follower of each tier that has existed.
#[derive(Default)]
struct Following(BTreeMap<Tier, (Arc<MemoryView>, Followers)>);

impl Following {
    fn catch_up(&mut self, space: &SpaceSource) {
        let colder = space.colder_tiers().expect("tiers");
        for tier in std::iter::once(Tier::Active).chain(colder) {
            self.0.entry(tier).or_insert_with(|| {
                let view = Arc::new(MemoryView::default());
                let views = vec![view.clone() as Arc<dyn View>];
                let followers = Followers::new(space, tier, views).expect("followers");
                (view, followers)
            });
        }
        for (_, followers) in self.0.values() {
            followers.catch_up(space).expect("caught up");
        }
    }

    fn texts(&self) -> BTreeMap<Row, (Tier, String)> {
        let mut texts = BTreeMap::new();
        for (tier, (view, _)) in &self.0 {
            for (row, text) in view.rows() {
                let there = texts.insert(row, (*tier, text));
                assert!(there.is_none(), "{row:?} stands in two tiers");
            }
        }
        texts
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_live_memory_is_in_exactly_one_tier_and_says_what_it_said(deeds in proptest::collection::vec(deed(), 1..40)) {
        let home = Home::new();
        let mut space = home.open();
        let mut following = Following::default();
        let mut ids = Vec::new();
        let mut expected = BTreeMap::<MemoryId, Option<(String, bool)>>::new();
        for (number, deed) in deeds.iter().enumerate() {
            let chosen = |which: usize| ids.get(which % ids.len().max(1)).copied();
            match *deed {
                Action::Write { days } => {
                    let text = format!("deed {number}, {days} days ago");
                    let id = write(&space, &days_ago(&text, i64::from(days)));
                    ids.push(id);
                    expected.insert(id, Some((text, true)));
                }
                Action::Edit { which } => if let Some(id) = chosen(which)
                    && let Some(Some((text, true))) = expected.get(&id)
                {
                    let text = format!("{text}, changed");
                    let edit = Edit { content: Some(text.clone()), ..Edit::default() };
                    space.edit(&user(), id, &edit).expect("an edit");
                    expected.insert(id, Some((text, true)));
                },
                Action::Forget { which } => if let Some(id) = chosen(which)
                    && let Some(Some((_, live @ true))) = expected.get_mut(&id)
                {
                    space.forget(&user(), id).expect("forgotten");
                    *live = false;
                },
                Action::Restore { which } => if let Some(id) = chosen(which)
                    && let Some(Some((_, live @ false))) = expected.get_mut(&id)
                {
                    space.restore(&user(), id).expect("restored");
                    *live = true;
                },
                Action::Erase { which } => if let Some(id) = chosen(which)
                    && expected.get(&id).is_some_and(Option::is_some)
                {
                    space.erase(&user(), id).expect("erased");
                    expected.insert(id, None);
                },
                Action::Age { steps } => {
                    let mut mover = space.mover(AgingScope::All).expect("a mover");
                    mover.clean().expect("clean");
                    for _ in 0..steps {
                        mover.step().expect("a step");
                    }
                }
                Action::Reopen => {
                    drop(space);
                    space = home.open();
                    prop_assert!(space.repaired().is_empty(), "{:?}", space.repaired());
                }
            }
            following.catch_up(&space);
            let texts = following.texts();
            let mut live = 0;
            for (id, state) in &expected {
                match state {
                    Some((text, is_live)) => {
                        let memory = space.get(*id).expect("a memory");
                        prop_assert_eq!(&memory.content, text);
                        prop_assert_eq!(memory.deleted_at.is_none(), *is_live);
                        if *is_live {
                            live += 1;
                            let (tier, followed) = &texts[&memory.row];
                            prop_assert_eq!(followed, text);
                            prop_assert_eq!(Some(*tier), space.tier_of(memory.row).expect("a read"));
                        }
                    }
                    None => prop_assert!(space.get(*id).is_err()),
                }
            }
            prop_assert_eq!(texts.len(), live);
        }
        assert_sound(&space);
        // Following page by page from the beginning gives the same state.
        for (tier, (view, _)) in &following.0 {
            let (mut after, mut rows) = (Seq(0), BTreeMap::new());
            loop {
                let page = space.feed_of(*tier).since(after, 3).expect("a page");
                for change in &page {
                    match &change.record {
                        Some(record) => rows.insert(change.row, record.text.clone()),
                        None => rows.remove(&change.row),
                    };
                }
                if page.len() < 3 {
                    break;
                }
                let last = page.last().expect("a change").seq;
                prop_assert!(last > after);
                after = last;
            }
            prop_assert_eq!(rows, view.rows());
        }
        home.remove_database();
        drop(space);
        let space = home.open();
        for (id, state) in &expected {
            if let Some((text, _)) = state {
                prop_assert_eq!(&space.get(*id).expect("a memory").content, text);
            }
        }
    }
}
