//! A process that reads the end of the log, while another one appends to it and applies the new events, discards
//! nothing.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use anamne::{ActionOutcome, Draft, Experience, Space};
use anamne_experience::ExperienceView;
use anamne_knowledge::graph::Graph;
use anamne_knowledge::summaries::Summaries;
use anamne_store::view::{MemoryFeed, MemoryState, ViewError};
use anamne_store::{SpaceName, SpaceSource, SystemClock};
use anamne_types::{Memory, MemoryId, Seq};
use jiff::Timestamp;

use crate::common::Home;

/// A log, after whose end is read for the first time another process does something.
struct Overtaken<'a> {
    log: &'a dyn MemoryFeed,
    other: RefCell<Option<&'a mut dyn FnMut()>>,
    read_after: RefCell<Vec<Seq>>,
}

impl MemoryFeed for Overtaken<'_> {
    fn head(&self) -> Result<Seq, ViewError> {
        let head = self.log.head();
        let other = self.other.borrow_mut().take();
        if let Some(act) = other {
            act();
        }
        head
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        self.read_after.borrow_mut().push(after);
        self.log.states_since(after, limit)
    }

    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        self.log.memories(ids)
    }
}

/// The position of the view at a path after it followed a log.
type Follow = fn(&Path, &dyn MemoryFeed) -> Seq;

fn graph(path: &Path, log: &dyn MemoryFeed) -> Seq {
    let graph = Graph::open(path, None).expect("a graph");
    graph
        .catch_up(log, 10, Timestamp::now(), &mut |_| true)
        .expect("extracted");
    graph.position().expect("read")
}

fn summaries(path: &Path, log: &dyn MemoryFeed) -> Seq {
    let summaries = Summaries::open(path).expect("summaries");
    summaries.catch_up(log, &mut |_| {}).expect("caught up")
}

fn experience(path: &Path, log: &dyn MemoryFeed) -> Seq {
    let view = ExperienceView::at(path);
    view.catch_up(log, &mut |_| true).expect("folded")
}

fn source(home: &Home) -> SpaceSource {
    let name: SpaceName = "tests".parse().expect("a name");
    SpaceSource::open(&home.folder(), &name, Arc::new(SystemClock), false).expect("a source")
}

fn write(space: &Space) {
    let outcome = ActionOutcome {
        action: "shell".to_owned(),
        arguments: "make".to_owned(),
        ..ActionOutcome::default()
    };
    let outcome = Draft::experience(Experience::Outcome(outcome));
    let drafts = [
        Draft::new("Runa Olsen repaired the crane in Bergen."),
        outcome,
    ];
    space.remember_all(&drafts).expect("told");
}

#[test]
fn a_process_that_is_overtaken_discards_nothing() {
    let follows: [(&str, Follow); 3] = [
        ("graph", graph),
        ("summaries", summaries),
        ("experience", experience),
    ];
    for (name, follow) in follows {
        let home = Home::new();
        let space = home.space();
        write(&space);
        let source = source(&home);
        let experiences = source.experience_feed();
        let log: &dyn MemoryFeed = match name {
            "experience" => &experiences,
            _ => &source,
        };
        let path = home.root().join(format!("{name}.db"));
        let before = follow(&path, log);
        let mut append_and_follow = || {
            write(&space);
            assert!(follow(&path, log) > before, "{name}");
        };
        let overtaken = Overtaken {
            log,
            other: RefCell::new(Some(&mut append_and_follow)),
            read_after: RefCell::default(),
        };
        assert!(follow(&path, &overtaken) >= before, "{name}");
        assert!(overtaken.other.borrow().is_none(), "{name}");
        let read_after = overtaken.read_after.into_inner();
        assert!(!read_after.contains(&Seq(0)), "{name}: {read_after:?}");
        assert_eq!(follow(&path, log), log.head().expect("read"), "{name}");
    }
}
