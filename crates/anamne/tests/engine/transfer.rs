//! Memories moved from one space to another arrive complete, and nothing is lost.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anamne::{
    Body, Category, Draft, Edit, Error, Filter, Listing, Memory, MemoryId, Order, Role, Selection,
    Store, Transfer, Visibility,
};

use crate::common::{Home, link};

fn store(home: &Home) -> Store {
    home.store_with_clock("2026-03-01T12:00:00Z").0
}

fn stored(store: &Store, space: &str, text: &str, thread: &str) -> MemoryId {
    let space = store.space(space).expect("a space");
    let draft = Draft::new(text).thread(thread);
    space.remember(draft).expect("told").id
}

fn listed(store: &Store, space: &str, forgotten: bool) -> Vec<Memory> {
    let listing = Listing {
        order: Order::OldestFirst,
        limit: 5_000,
        forgotten,
        ..Listing::default()
    };
    let space = store.existing_space(space).expect("a space");
    space.list(&listing).expect("a list")
}

fn contents(store: &Store, space: &str) -> Vec<String> {
    let mut contents: Vec<_> = listed(store, space, false)
        .into_iter()
        .map(|memory| memory.content)
        .collect();
    contents.sort();
    contents
}

fn thread(name: &str) -> Selection {
    Selection {
        filter: Filter {
            threads: vec![name.to_owned()],
            ..Filter::default()
        },
        actors: Vec::new(),
    }
}

fn split(store: &Store, selection: &Selection) -> Result<Transfer, Error> {
    store.split_space("shared", "own", selection, &mut |_| {})
}

#[test]
fn what_goes_arrives_as_it_was() {
    let home = Home::new();
    let store = store(&home);
    let shared = store.space("shared").expect("a space");
    let bodies = [
        Body::Message {
            role: Some(Role::Assistant),
        },
        Body::Fact {
            category: Some(Category::BugFix),
        },
        Body::thought(None),
    ];
    let mut before = Vec::new();
    for (at, body) in bodies.into_iter().enumerate() {
        let draft = Draft {
            body,
            position: u32::try_from(at).ok(),
            author: Some("Ada".to_owned()),
            session: Some("s".to_owned()),
            trust: Some(0.25),
            importance: Some(7),
            confidence: Some(0.5),
            tags: vec!["one".to_owned(), "two".to_owned()],
            metadata: [("ticket".to_owned(), 42.into())].into(),
            external_id: Some(format!("outside-{at}")),
            occurred_at: Some("2024-05-06T07:08:09Z".parse().expect("an instant")),
            expires_at: Some("2034-05-06T07:08:09Z".parse().expect("an instant")),
            ..Draft::new(format!("memory {at}")).thread("t")
        };
        let id = shared.remember(draft).expect("told").id;
        before.push(shared.get(id).expect("there"));
    }
    shared.forget(before[1].id).expect("forgotten");
    let moved = split(&store, &thread("t")).expect("moved");
    assert_eq!(
        (moved.chosen, moved.copied, moved.moved),
        (3, 3, 2),
        "{moved:?}"
    );
    assert_eq!(moved.kept, []);
    let own = store.existing_space("own").expect("a space");
    for memory in before {
        let arrived = own.get(memory.id).expect("there");
        assert_eq!(arrived.deleted_at.is_some(), memory.content == "memory 1");
        let plain = |memory: &Memory| Memory {
            row: anamne::Row(0),
            seq: anamne::Seq(0),
            version: 0,
            space: String::new(),
            updated_at: memory.created_at,
            deleted_at: None,
            ..memory.clone()
        };
        assert_eq!(plain(&arrived), plain(&memory));
    }
    let left = shared.select(&Filter::default(), Visibility::Live, Order::default());
    assert_eq!(left.expect("ids"), []);
    assert_eq!(
        listed(&store, "shared", true).len(),
        3,
        "all of it can be restored"
    );
}

#[test]
fn an_interruption_at_any_step_loses_nothing() {
    for interrupted_at in 0.. {
        let home = Home::new();
        let store = store(&home);
        let all: Vec<_> = (0..1_100)
            .map(|number| format!("memory {number:04}"))
            .collect();
        let drafts: Vec<_> = all
            .iter()
            .map(|text| Draft::new(text.as_str()).thread("t"))
            .collect();
        let shared = store.space("shared").expect("a space");
        let stored = shared.remember_all(&drafts).expect("told");
        shared
            .link(&link(stored[0].id, stored[1_099].id, "both ends"))
            .expect("linked");
        let mut steps = 0;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            store.split_space("shared", "own", &thread("t"), &mut |_| {
                assert!(steps < interrupted_at, "interrupted");
                steps += 1;
            })
        }));
        let mut found = contents(&store, "shared");
        found.extend(contents(&store, "own"));
        found.sort();
        found.dedup();
        assert_eq!(found, all, "interrupted at {interrupted_at}");
        let was_interrupted = ended.is_err();
        split(&store, &thread("t")).expect("moved");
        assert_eq!(contents(&store, "own"), all);
        assert_eq!(contents(&store, "shared"), [""; 0]);
        let own = store.existing_space("own").expect("a space");
        assert_eq!(own.all_links().expect("links").len(), 1);
        if !was_interrupted {
            assert!(interrupted_at > 3, "{interrupted_at}");
            break;
        }
    }
}

#[test]
fn what_was_changed_in_the_other_space_since_stays_and_is_named() {
    let home = Home::new();
    let store = store(&home);
    let id = stored(&store, "shared", "The port is 1", "t");
    split(&store, &thread("t")).expect("moved");
    let shared = store.existing_space("shared").expect("a space");
    shared.restore(id).expect("restored");
    let own = store.existing_space("own").expect("a space");
    let edit = Edit {
        importance: Some(9),
        ..Edit::default()
    };
    own.edit(id, &edit).expect("edited");
    let again = split(&store, &thread("t")).expect("moved");
    assert_eq!((again.moved, again.kept.len()), (0, 1), "{again:?}");
    assert_eq!(again.kept[0].memory, id);
    assert_eq!(contents(&store, "shared"), ["The port is 1"]);
    // Erased there: it is not restored, and stays here.
    let _ = own.erase(id).expect("erased");
    let again = split(&store, &thread("t")).expect("moved");
    assert_eq!((again.moved, again.kept.len()), (0, 1), "{again:?}");
}

#[test]
fn who_told_it_first_chooses_too() {
    let home = Home::new();
    let store = store(&home);
    stored(&store, "shared", "By the user", "t");
    let agent = store.space("shared").expect("a space");
    let agent = agent
        .acting_as(anamne::Actor::agent("helper"))
        .expect("an agent");
    agent.remember("By the agent").expect("told");
    let by_agent = Selection {
        actors: vec!["helper".to_owned()],
        ..Selection::default()
    };
    assert_eq!(store.count_split("shared", &by_agent).expect("a count"), 1);
    split(&store, &by_agent).expect("moved");
    assert_eq!(contents(&store, "own"), ["By the agent"]);
    assert_eq!(contents(&store, "shared"), ["By the user"]);
}

#[test]
fn memories_of_a_private_space_move_to_a_private_one_only() {
    let home = Home::new();
    let store = store(&home);
    let id = stored(&store, "shared", "She takes lithium", "t");
    let shared = store.existing_space("shared").expect("a space");
    let private = |space: &anamne::Space| {
        let changed = space.configure(|config| config.guard.private = true);
        changed.expect("configured");
    };
    private(&shared);
    let refused = split(&store, &thread("t")).expect_err("refused");
    assert!(refused.to_string().contains("private"), "{refused}");
    assert!(store.existing_space("own").is_err(), "nothing is created");
    private(&store.space("own").expect("a space"));
    let moved = split(&store, &thread("t")).expect("moved");
    assert_eq!(moved.moved, 1);
    let own = store.existing_space("own").expect("a space");
    assert_eq!(own.get(id).expect("there").content, "She takes lithium");
}

#[test]
fn memories_of_a_person_move_to_a_space_of_the_same_person_only() {
    let home = Home::new();
    let store = store(&home);
    stored(&store, "~ada", "She takes lithium", "t");
    for into in ["own", "~bo"] {
        let refused = store.split_space("~ada", into, &thread("t"), &mut |_| {});
        let refused = refused.expect_err("refused").to_string();
        assert!(refused.contains("private"), "{refused}");
        assert!(store.existing_space(into).is_err(), "nothing is created");
    }
    store.space("own").expect("a space");
    let refused = store.join_spaces("~ada", "own", &mut |_| {});
    assert!(refused.is_err(), "{refused:?}");
    let moved = store.split_space("~ada", "~ada.health", &thread("t"), &mut |_| {});
    assert_eq!(moved.expect("moved").moved, 1);
}

#[test]
fn an_erasure_reaches_what_a_transfer_left_behind() {
    let home = Home::new();
    let store = store(&home);
    let id = stored(&store, "shared", "The xylem diagnosis", "t");
    let restored = stored(&store, "shared", "The yttrium diagnosis", "t");
    let backups = tempfile::tempdir().expect("a folder");
    let copy = backups.path().join("copy");
    store.backup(&copy, None).expect("backed up");
    split(&store, &thread("t")).expect("moved");
    let own = store.existing_space("own").expect("a space");
    let erased = own.erase(id).expect("erased");
    assert!(erased.is_complete(), "{erased:?}");
    for folder in [home.root(), backups.path()] {
        let left = crate::common::files_with(folder, b"xylem");
        assert_eq!(left, Vec::<std::path::PathBuf>::new());
    }
    let shared = store.existing_space("shared").expect("a space");
    assert!(shared.restore(id).is_err());

    shared.restore(restored).expect("restored");
    let erased = own.erase(restored).expect("erased");
    assert!(!erased.is_complete(), "a live copy is only named");
    let unreached = erased.unreached();
    assert!(unreached[0].reason.contains("shared"), "{unreached:?}");
    assert_eq!(contents(&store, "shared"), ["The yttrium diagnosis"]);
}

#[test]
fn two_transfers_at_once_copy_no_memory_twice() {
    let home = Home::new();
    let store = store(&home);
    let drafts: Vec<_> = (0..300)
        .map(|number| Draft::new(format!("memory {number}")).thread("t"))
        .collect();
    let shared = store.space("shared").expect("a space");
    shared.remember_all(&drafts).expect("told");
    std::thread::scope(|threads| {
        for into in ["one", "two"] {
            let store = &store;
            threads.spawn(move || {
                let moved = store.split_space("shared", into, &thread("t"), &mut |_| {});
                moved.expect("moved");
            });
        }
    });
    let live = contents(&store, "one").len() + contents(&store, "two").len();
    assert_eq!(live, 300);
}

#[test]
fn a_space_is_not_moved_into_itself_however_its_name_is_written() {
    let home = Home::new();
    let store = store(&home);
    stored(&store, "shared", "The port is 1", "t");
    for into in ["shared", " shared "] {
        let refused = store.split_space("shared", into, &thread("t"), &mut |_| {});
        assert!(refused.is_err(), "{into:?}");
    }
    assert_eq!(contents(&store, "shared"), ["The port is 1"]);
}
