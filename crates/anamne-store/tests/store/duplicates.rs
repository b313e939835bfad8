//! Writing the same memory again changes nothing and returns the existing one.

use anamne_store::StoreError;
use anamne_types::{Draft, Edit};

use crate::common::{Home, head, user};

fn placed(content: &str, thread: &str, position: u32) -> Draft {
    Draft {
        position: Some(position),
        ..Draft::new(content).thread(thread)
    }
}

fn outside(content: &str, external_id: &str) -> Draft {
    Draft {
        external_id: Some(external_id.to_owned()),
        ..Draft::new(content)
    }
}

/// Writes both, and checks whether the second counts as a duplicate of the first.
#[track_caller]
fn check(first: &Draft, second: &Draft, same: bool) {
    let home = Home::new();
    let space = home.open();
    let one = space.remember(&user(), first).expect("a write");
    let before = head(&space);
    let two = space.remember(&user(), second).expect("a write");
    assert_eq!(
        (two.id == one.id, two.duplicate),
        (same, same),
        "{second:?}"
    );
    assert_eq!(head(&space) == before, same);
    if same {
        assert_eq!(
            space.get(one.id).expect("a memory").tags,
            first.tags,
            "nothing was changed"
        );
    }
    let batch = space
        .remember_all(&user(), &[second.clone(), second.clone()])
        .expect("a batch");
    assert!(
        batch
            .iter()
            .all(|stored| stored.duplicate && stored.id == two.id)
    );
}

#[test]
fn the_same_content_in_one_space_is_one_memory() {
    let note = || Draft::new("The weir is  open");
    check(&note(), &note(), true);
    check(
        &note().tag("first"),
        &Draft::new(" The\tweir is open\n").tag("second"),
        true,
    );
    check(&Draft::new("é"), &Draft::new("e\u{301}"), true);
    check(&note(), &note().thread("t"), true);
    check(&note(), &Draft::new("The weir is Open"), false);
    check(&Draft::new("a\nb"), &Draft::new("a b"), false);
}

#[test]
fn the_position_in_a_thread_distinguishes_messages() {
    check(&placed("yes", "a", 0), &placed("yes", "a", 0), true);
    check(&placed("yes", "a", 0), &placed("yes", "a", 1), false);
    check(&placed("yes", "a", 0), &placed("yes", "b", 0), false);
    check(&placed("yes", "a", 0), &placed("no", "a", 0), false);
    check(&Draft::new("yes"), &placed("yes", "a", 0), false);
    check(&placed("yes", "a", 0), &Draft::new("yes"), true);
}

#[test]
fn an_external_id_distinguishes_imports() {
    check(&outside("yes", "1"), &outside(" yes ", "1"), true);
    check(&outside("yes", "1"), &outside("yes", "2"), false);
    check(&Draft::new("yes"), &outside("yes", "1"), false);
    check(&outside("yes", "1"), &Draft::new("yes"), true);
}

#[test]
fn a_known_external_id_with_other_content_is_a_conflict_and_later_writes_work() {
    let home = Home::new();
    let space = home.open();
    let first = space
        .remember(&user(), &outside("the pump is off", "7"))
        .expect("a write");
    let other = outside("the pump is on", "7");
    let conflict = |error| matches!(error, Err(StoreError::Conflict { external_id, id }) if external_id == "7" && id == first.id);
    assert!(conflict(space.remember(&user(), &other).map(drop)));
    assert!(conflict(
        space
            .remember_all(&user(), &["new".into(), other.clone()])
            .map(drop)
    ));
    assert_eq!(head(&space).0, 1, "all or none");
    let each = space
        .remember_each(&user(), &["new".into(), other, "newer".into()])
        .expect("a batch");
    assert_eq!(
        each.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [true, false, true]
    );
    assert_eq!(head(&space).0, 3);
    assert_eq!(space.find_imported("7").expect("a look"), Some(first.id));
}

#[test]
fn what_was_forgotten_may_be_told_again_but_not_imported_again() {
    let home = Home::new();
    let space = home.open();
    let first = space
        .remember(&user(), &"the mill is closed".into())
        .expect("a write");
    space.forget(&user(), first.id).expect("forgetting");
    let again = space
        .remember(&user(), &"the mill is closed".into())
        .expect("a write");
    assert!(!again.duplicate && again.id != first.id);
    space.restore(&user(), first.id).expect("restoring");
    let third = space
        .remember(&user(), &"the mill is closed".into())
        .expect("a write");
    assert_eq!(
        (third.id, third.duplicate),
        (again.id, true),
        "the last of two is the one"
    );
    let imported = space
        .remember(&user(), &outside("from a file", "f1"))
        .expect("a write");
    space.forget(&user(), imported.id).expect("forgetting");
    let again = space
        .remember(&user(), &outside("from a file", "f1"))
        .expect("a write");
    assert_eq!(
        (again.id, again.duplicate),
        (imported.id, true),
        "an import does not undo forgetting"
    );
    space.erase(&user(), imported.id).expect("an erasure");
    let again = space.remember(&user(), &outside("from a file", "f1"));
    assert!(
        matches!(again, Err(StoreError::WasErased { id }) if id == imported.id),
        "nor erasing"
    );
}

#[test]
fn an_edit_that_changes_nothing_is_no_event() {
    let home = Home::new();
    let space = home.open();
    let id = space
        .remember(&user(), &Draft::new("gauge").tag("a"))
        .expect("a write")
        .id;
    let before = space.get(id).expect("a memory");
    let edit = Edit {
        content: Some("gauge".to_owned()),
        add_tags: vec!["a".to_owned()],
        importance: Some(5),
        ..Edit::default()
    };
    assert_eq!(space.edit(&user(), id, &edit).expect("an edit"), before);
    assert_eq!(head(&space).0, 1);
}

#[test]
fn a_rolled_back_write_leaves_no_name_behind() {
    let home = Home::new();
    let (space, other) = (home.open(), home.open());
    space
        .remember(&user(), &outside("first", "1"))
        .expect("a write");
    let lost = [
        Draft::new("x").thread("lost thread"),
        outside("conflict", "1"),
    ];
    assert!(space.remember_all(&user(), &lost).is_err());
    let id = other
        .remember(&user(), &Draft::new("y").thread("other thread"))
        .expect("a write")
        .id;
    assert_eq!(
        space.get(id).expect("a memory").thread.as_deref(),
        Some("other thread")
    );
    let id = space
        .remember(&user(), &Draft::new("z").thread("lost thread"))
        .expect("a write")
        .id;
    for space in [&space, &other] {
        assert_eq!(
            space.get(id).expect("a memory").thread.as_deref(),
            Some("lost thread")
        );
    }
}

#[test]
fn what_lasts_longer_than_the_known_memory_is_stored() {
    let at = |instant: &str| Some(instant.parse().expect("an instant"));
    let lasting = |expires_at| Draft {
        expires_at,
        ..Draft::new("the code of the gate is on the yellow card")
    };
    let (early, late) = (at("2020-01-01T00:00:00Z"), at("2120-01-01T00:00:00Z"));
    check(&lasting(late), &lasting(late), true);
    check(&lasting(late), &lasting(early), true);
    check(&lasting(None), &lasting(late), true);
    check(&lasting(early), &lasting(late), false);
    check(&lasting(late), &lasting(None), false);
}
