//! Many processes on one space: all are equal, none fails, each sees the others' writes.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use anamne_store::view::View;
use anamne_store::{Followers, StoreError};
use anamne_types::{Draft, Edit, MemoryId, Seq, Tier};

use crate::common::{
    Home, MARK, MemoryView, assert_sound, child, child_task, head, lines, open_in_child, user,
};

const CHILDREN: usize = 4;
const WRITES: usize = 150;

#[test]
fn child_writes_its_share() {
    let Some((space, number)) = child_task() else {
        return;
    };
    let space = open_in_child(&space);
    let mut out = std::io::stdout();
    let mut written = 0;
    while written < WRITES {
        let text = |part: usize| format!("child {number} tells {written}.{part}");
        let mut stored = Vec::new();
        if written % 10 == 3 {
            let batch: Vec<_> = (0..3)
                .map(|part| {
                    Draft::new(text(part))
                        .thread(format!("thread {written}"))
                        .tag(format!("tag {written}"))
                })
                .collect();
            stored = space.remember_all(&user(), &batch).expect("a batch");
        } else {
            stored.push(
                space
                    .remember(
                        &user(),
                        &Draft::new(text(0)).author(format!("author {}", written % 7)),
                    )
                    .expect("a write"),
            );
        }
        if written % 10 == 5 {
            let edit = Edit {
                importance: Some(9),
                ..Edit::default()
            };
            space.edit(&user(), stored[0].id, &edit).expect("an edit");
        }
        written += stored.len();
        for stored in stored {
            writeln!(out, "{MARK}{} {}", stored.id, stored.seq).expect("the parent's pipe");
        }
    }
}

#[test]
fn four_processes_write_at_once_and_nothing_is_lost_or_doubled() {
    write_at_once("processes::child_writes_its_share", WRITES);
}

/// Several children run `function`, each of which writes at least `writes` memories.
fn write_at_once(function: &str, writes: usize) {
    let home = Home::new();
    let children: Vec<_> = (0..CHILDREN)
        .map(|number| {
            child(function, &home.space(), number)
                .spawn()
                .expect("a child")
        })
        .collect();
    let mut stored: Vec<(MemoryId, u64)> = Vec::new();
    for child in children {
        let output = child.wait_with_output().expect("the child's end");
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).expect("text");
        for line in text.lines().filter_map(|line| line.split_once(MARK)) {
            let (id, seq) = line.1.split_once(' ').expect("an id and a number");
            stored.push((id.parse().expect("an id"), seq.parse().expect("a number")));
        }
    }
    assert!(stored.len() >= CHILDREN * writes);
    let space = home.open();
    assert!(space.repaired().is_empty(), "{:?}", space.repaired());
    assert_sound(&space);
    for (id, seq) in &stored {
        let history = space.history(*id).expect("a history");
        assert_eq!(
            history[0].seq,
            Seq(*seq),
            "it stands where its writer was told"
        );
    }
    assert_eq!(
        stored
            .iter()
            .map(|(_, seq)| seq)
            .collect::<BTreeSet<_>>()
            .len(),
        stored.len()
    );
    let seqs: Vec<_> = lines(&home).iter().map(|line| line.seq.0).collect();
    assert_eq!(
        seqs,
        (1..=head(&space).0).collect::<Vec<_>>(),
        "no gap, no double"
    );
    assert_eq!(
        space.statistics().expect("counts").memories,
        stored.len() as u64
    );
}

/// Threads of each child, and what each of them writes.
const THREADS: usize = 6;
const EACH: usize = 40;

#[test]
fn child_writes_with_many_threads() {
    let Some((space, number)) = child_task() else {
        return;
    };
    let space = open_in_child(&space);
    let name = |thread: usize, round: usize| format!("{number}.{thread}.{round}");
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let space = &space;
            scope.spawn(move || {
                for round in 0..EACH {
                    let mut draft = Draft::new(format!("told by {}", name(thread, round)))
                        .thread(format!("thread {}", round % 7));
                    draft.external_id = Some(name(thread, round));
                    let stored = space.remember(&user(), &draft).expect("a write");
                    match round % 8 {
                        // Told again, in other words, or about something unknown.
                        1 => {
                            let again = space.remember(&user(), &draft).expect("known");
                            assert!(again.duplicate && again.id == stored.id);
                        }
                        3 => {
                            draft.content = "other words".to_owned();
                            let conflict = space.remember(&user(), &draft);
                            assert!(matches!(conflict, Err(StoreError::Conflict { .. })));
                        }
                        5 => {
                            let unknown = space.forget(&user(), MemoryId::at(1));
                            assert!(matches!(unknown, Err(StoreError::NoMemory { .. })));
                        }
                        7 => {
                            let edit = Edit {
                                importance: Some(9),
                                ..Edit::default()
                            };
                            let edited = space.edit(&user(), stored.id, &edit);
                            assert_eq!(edited.expect("an edit").importance, 9);
                        }
                        _ => {}
                    }
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "{MARK}{} {}", stored.id, stored.seq).expect("the parent's pipe");
                }
            });
        }
    });
}

#[test]
fn threads_of_many_processes_write_at_once_and_nothing_is_lost_or_doubled() {
    write_at_once("processes::child_writes_with_many_threads", THREADS * EACH);
}

#[test]
fn child_writes_when_it_is_asked() {
    let Some((space, number)) = child_task() else {
        return;
    };
    let space = open_in_child(&space);
    let mut out = std::io::stdout();
    for (round, line) in std::io::stdin().lines().enumerate() {
        line.expect("the parent's line");
        let draft = Draft::new(format!("asked {number} {round}")).author("the child");
        let stored = space.remember(&user(), &draft).expect("a write");
        writeln!(out, "{MARK}{} {}", stored.id, stored.seq).expect("the parent's pipe");
        out.flush().expect("the parent's pipe");
    }
}

#[test]
fn every_read_sees_what_any_process_was_acknowledged_before_it() {
    let home = Home::new();
    let space = home.open();
    let early = Arc::new(MemoryView::default());
    let late = Arc::new(MemoryView::starting_at(Seq(3)));
    let views: Vec<Arc<dyn View>> = vec![early.clone(), late.clone()];
    let followers = Followers::new(&space, Tier::Active, views).expect("followers");
    let mut watch = space.watch().expect("a watch");
    let mut children: Vec<_> = (0..3)
        .map(|number| {
            let mut child = child(
                "processes::child_writes_when_it_is_asked",
                &home.space(),
                number,
            )
            .spawn()
            .expect("a child");
            let output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
            let input = child.stdin.take().expect("a pipe");
            (child, input, output)
        })
        .collect();
    assert!(
        watch.changed().expect("a look"),
        "the first look always finds something"
    );
    for round in 0..60 {
        assert!(!watch.changed().expect("a look"), "nothing was told since");
        let (_, input, output) = &mut children[round % 3];
        writeln!(input, "go").expect("the child's pipe");
        let answer = output
            .map(|line| line.expect("a line"))
            .find_map(|line| line.split_once(MARK).map(|(_, stored)| stored.to_owned()))
            .expect("an acknowledgement");
        let (id, seq) = answer.split_once(' ').expect("an id and a number");
        assert!(
            watch.changed().expect("a look"),
            "an acknowledged write is noticed"
        );
        assert_eq!(watch.head().expect("the head").to_string(), seq);
        assert_eq!(followers.catch_up(&space).expect("catching up"), []);
        let memory = space.get(id.parse().expect("an id")).expect("the memory");
        assert_eq!(early.rows().get(&memory.row), Some(&memory.content));
        assert_eq!(memory.author.as_deref(), Some("the child"));
        if round >= 3 {
            assert_eq!(late.rows().get(&memory.row), Some(&memory.content));
        }
    }
    for (mut child, input, _) in children {
        drop(input);
        assert!(child.wait().expect("the child's end").success());
    }
}

#[test]
fn a_view_ahead_is_not_rewound_by_one_that_is_behind() {
    let home = Home::new();
    let space = home.open();
    let drafts: Vec<_> = (0..5000)
        .map(|number| Draft::new(format!("reading {number}")))
        .collect();
    space.remember_all(&user(), &drafts).expect("a batch");
    let (behind, further) = (
        Arc::new(MemoryView::default()),
        Arc::new(MemoryView::starting_at(Seq(4900))),
    );
    let followers = Followers::new(
        &space,
        Tier::Active,
        vec![behind.clone() as Arc<dyn View>, further.clone() as _],
    )
    .expect("followers");
    followers.catch_up(&space).expect("catching up");
    assert_eq!((behind.rows().len(), further.rows().len()), (5000, 100));
    assert_eq!(*further.calls.lock().expect("no panic before"), [Seq(5000)]);
    let calls = behind.calls.lock().expect("no panic before").len();
    followers.catch_up(&space).expect("catching up");
    assert_eq!(
        behind.calls.lock().expect("no panic before").len(),
        calls,
        "nothing new, nothing read"
    );
}
