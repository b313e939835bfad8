//! Members of several spaces agree with their homes, whatever is interrupted, and whoever writes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::{AgingScope, Order, SpaceSource, Step as Moving, SystemClock, Visibility};
use anamne_types::{Edit, Filter, MemberTerms, Memory, MemoryId, Row};

use crate::common::{MARK, assert_sound, child, child_task, user};

fn open(root: &Path, name: &str) -> SpaceSource {
    let folder = root.join("spaces").join(name);
    let name = name.parse().expect("a name");
    SpaceSource::open(&folder, &name, Arc::new(SystemClock), true).expect("the space opens")
}

/// All memories of a space by id, forgotten ones too.
fn ids(space: &SpaceSource) -> Vec<MemoryId> {
    let select = space.select(&Filter::default(), Visibility::Both, Order::OldestFirst);
    select.expect("ids")
}

/// The texts that views of the space see.
fn seen_by_views(space: &SpaceSource) -> BTreeMap<Row, String> {
    use anamne_store::view::ChangeFeed;
    let mut rows = BTreeMap::new();
    let mut after = anamne_types::Seq(0);
    loop {
        let changes = space.feed().since(after, 1_000).expect("changes");
        let Some(last) = changes.last() else {
            return rows;
        };
        after = last.seq;
        for change in changes {
            match change.record {
                Some(record) => rows.insert(change.row, record.text),
                None => rows.remove(&change.row),
            };
        }
    }
}

/// Checks that every memory of the home that is a member of the space is in it with its text, and no other.
fn check_agreement(home: &SpaceSource, space: &SpaceSource) {
    let name = space.name().to_string();
    let mut there = BTreeMap::new();
    for id in ids(home) {
        let memory = home.get(id).expect("a memory");
        let is_shared = home.spaces_with(id).expect("spaces").contains(&name);
        if memory.deleted_at.is_none() && is_shared {
            there.insert(id, memory);
        }
    }
    let seen = seen_by_views(space);
    let live = space.select(&Filter::default(), Visibility::Live, Order::OldestFirst);
    let members: Vec<_> = live
        .expect("ids")
        .into_iter()
        .filter_map(|id| Some(space.get(id).expect("a memory")).filter(Memory::is_member))
        .collect();
    assert_eq!(members.len(), there.len());
    for member in members {
        let memory = &there[&member.id];
        assert_eq!(member.content, memory.content);
        assert_eq!(member.importance, memory.importance);
        assert_eq!(member.member.expect("a membership").seq, memory.seq);
        assert_eq!(seen[&member.row], memory.content);
    }
}

fn edit(space: &SpaceSource, id: MemoryId, text: &str) {
    let edit = Edit {
        content: Some(text.to_owned()),
        ..Edit::default()
    };
    space.edit(&user(), id, &edit).expect("an edit");
}

/// Does something with members that the step says; returns its memory.
fn step(home: &SpaceSource, team: &SpaceSource, round: usize) -> MemoryId {
    let text = format!("round {round} of {}", std::process::id());
    let id = home
        .remember(&user(), &text.as_str().into())
        .expect("told")
        .id;
    let add = || team.add_members(&user(), home, &[id], &MemberTerms::new());
    add().expect("added");
    match round % 6 {
        0 => edit(home, id, &format!("{text}, edited")),
        1 => team.remove_members(&user(), &[id]).expect("removed"),
        2 => drop(home.forget(&user(), id).expect("forgotten")),
        3 => home.erase(&user(), id).expect("erased"),
        4 => {
            home.forget(&user(), id).expect("forgotten");
            home.restore(&user(), id).expect("restored");
        }
        _ => {
            team.remove_members(&user(), &[id]).expect("removed");
            add().expect("added again");
        }
    }
    id
}

#[test]
fn every_change_of_a_home_is_followed() {
    let root = tempfile::tempdir().expect("a folder");
    let (home, team) = (open(root.path(), "atlas"), open(root.path(), "team"));
    for round in 0..18 {
        step(&home, &team, round);
        check_agreement(&home, &team);
    }
    assert_sound(&home);
    assert_sound(&team);
}

#[test]
fn child_shares_until_it_is_killed() {
    let Some((root, number)) = child_task() else {
        return;
    };
    let (home, team) = (open(&root, "atlas"), open(&root, "team"));
    let mut out = std::io::stdout();
    for round in number.. {
        step(&home, &team, round);
        writeln!(out, "{MARK}{round}").expect("the parent's pipe");
        out.flush().expect("the parent's pipe");
    }
}

/// Waits until the child has done a step, and kills it during its next ones.
fn kill_soon(mut child: std::process::Child, pause: u64) {
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let is_done = |line: std::io::Result<String>| line.is_ok_and(|line| line.contains(MARK));
    assert!(lines.any(is_done), "the child does something");
    std::thread::sleep(std::time::Duration::from_micros(pause));
    child.kill().expect("a kill");
    child.wait().expect("the child's end");
}

#[test]
fn a_process_killed_at_any_instant_leaves_spaces_that_agree_once_they_are_opened() {
    let root = tempfile::tempdir().expect("a folder");
    drop((open(root.path(), "atlas"), open(root.path(), "team")));
    for round in 0..24 {
        let child = child(
            "members::child_shares_until_it_is_killed",
            root.path(),
            round,
        );
        let mut child = child;
        kill_soon(
            child.spawn().expect("a child"),
            (round as u64 * 7_919) % 23_000,
        );
        // Whichever of the two is opened first.
        let names = if round % 2 == 0 {
            ["atlas", "team"]
        } else {
            ["team", "atlas"]
        };
        drop(names.map(|name| open(root.path(), name)));
        let (home, team) = (open(root.path(), "atlas"), open(root.path(), "team"));
        check_agreement(&home, &team);
        assert_sound(&home);
        assert_sound(&team);
    }
}

#[test]
fn two_processes_share_at_once() {
    let root = tempfile::tempdir().expect("a folder");
    let (home, team) = (open(root.path(), "atlas"), open(root.path(), "team"));
    let mut children: Vec<_> = (0..2)
        .map(|number| {
            let mut child = child(
                "members::child_shares_until_it_is_killed",
                root.path(),
                number * 3,
            );
            child.spawn().expect("a child")
        })
        .collect();
    for round in 0..30 {
        step(&home, &team, round);
    }
    for child in children.drain(..) {
        kill_soon(child, 0);
    }
    drop((home, team));
    let (home, team) = (open(root.path(), "atlas"), open(root.path(), "team"));
    check_agreement(&home, &team);
    assert_sound(&home);
    assert_sound(&team);
}

#[test]
fn members_age_like_other_memories_and_keep_their_own_part() {
    let root = tempfile::tempdir().expect("a folder");
    let (home, team) = (open(root.path(), "atlas"), open(root.path(), "team"));
    let draft = anamne_types::Draft {
        occurred_at: Some("2020-05-01T00:00:00Z".parse().expect("a time")),
        ..anamne_types::Draft::new("An old tide table of the mole")
    };
    let id = home.remember(&user(), &draft).expect("told").id;
    let terms = MemberTerms {
        tags: vec!["old".to_owned()],
        metadata: [("ticket".to_owned(), 7.into())].into(),
        ..MemberTerms::new()
    };
    team.add_members(&user(), &home, &[id], &terms)
        .expect("added");
    for space in [&home, &team] {
        let moved = move_old(space);
        assert_eq!(moved, 1, "{}", space.name());
    }
    let member = team.get(id).expect("a member");
    assert_eq!(member.content, "An old tide table of the mole");
    assert_eq!((member.tags, member.metadata), (terms.tags, terms.metadata));
    edit(&home, id, "A new tide table of the mole");
    assert_eq!(
        team.get(id).expect("a member").content,
        "A new tide table of the mole"
    );
    assert_sound(&team);
    assert_sound(&home);
    let files: Vec<PathBuf> = crate::common::files_under(team.folder());
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).expect("a file");
        bytes.windows(10).any(|window| window == b"tide table")
    };
    assert!(!files.iter().any(holds));
}

/// Moves everything that is old enough; returns how many memories moved.
fn move_old(space: &SpaceSource) -> u64 {
    let mut mover = space.mover(AgingScope::All).expect("a mover");
    mover.clean().expect("a clean tier");
    let mut all = 0;
    while let Moving::Moved(_, moved) = mover.step().expect("a step") {
        all += moved;
    }
    all
}
