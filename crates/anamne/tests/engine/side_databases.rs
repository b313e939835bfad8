//! Every side database can be opened by many processes at once, before it exists.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anamne::embed::{ModelIdentity, VectorCache};
use anamne::{EmbeddingCache, Fetched, HookRun, Recall, RequestKind, Space, Store, ToolRequest};
use anamne_jobs::{NewTask, Queue};
use anamne_knowledge::graph::{EntityQuery, Graph};
use anamne_knowledge::readings::{ConflictReading, Readings};
use anamne_knowledge::summaries::{Level, Summaries};
use anamne_llm::{
    Bridge, BridgeConfig, BridgeError, Call, CostQuery, LanguageModel, Ledger, Message, Reply,
    Request, SystemPace, Usage,
};
use anamne_store::{SpaceName, SpaceSource, SystemClock};
use jiff::Timestamp;

use crate::common::Home;

const PROCESSES: usize = 8;

/// Each round begins with a store whose side databases don't exist yet.
const ROUNDS: usize = 5;

/// Contains the number of a child process of this test.
const CHILD: &str = "ANAMNE_TEST_SIDE_CHILD";

/// The prefix of a child's output that is meant for its parent.
const MARK: &str = "child:";

/// A database, what a process writes to it, and a check of what all of them wrote.
struct Kind {
    name: &'static str,
    write: fn(&Path, usize),
    check: fn(&Path),
}

const KINDS: [Kind; 12] = [
    Kind {
        name: "tasks.db",
        write: add_a_task,
        check: all_tasks_are_there,
    },
    Kind {
        name: "catalog.db",
        write: spend,
        check: all_is_counted,
    },
    Kind {
        name: "summaries.db",
        write: summarise,
        check: all_is_summarised,
    },
    Kind {
        name: "knowledge.db",
        write: extract,
        check: all_is_extracted,
    },
    Kind {
        name: "readings.db",
        write: judge,
        check: all_is_judged,
    },
    Kind {
        name: "meta.db",
        write: ask,
        check: all_questions_are_noted,
    },
    Kind {
        name: "embedding-cache.db",
        write: keep_a_vector,
        check: all_vectors_are_kept,
    },
    Kind {
        name: "hooks.db",
        write: run_a_hook,
        check: all_runs_are_counted,
    },
    Kind {
        name: "unsent.db",
        write: add_a_capture,
        check: all_captures_wait,
    },
    Kind {
        name: "experience.db",
        write: fold_experience,
        check: all_is_folded,
    },
    Kind {
        name: "tool-results.db",
        write: cache_a_result,
        check: all_results_are_cached,
    },
    Kind {
        name: "server.db",
        write: create_a_key,
        check: all_keys_are_there,
    },
];

#[test]
fn eight_processes_open_each_kind_for_the_first_time_at_once() {
    if let Ok(number) = std::env::var(CHILD) {
        return obey(number.parse().expect("a number"));
    }
    let mut children: Vec<Worker> = (0..PROCESSES).map(Worker::start).collect();
    for _ in 0..ROUNDS {
        let home = Home::new();
        write(&home.space());
        for (which, kind) in KINDS.iter().enumerate() {
            for child in &mut children {
                child.order(which, home.root());
            }
            let failed: Vec<_> = children.iter_mut().filter_map(Worker::failure).collect();
            assert_eq!(failed, [""; 0], "{}", kind.name);
            (kind.check)(home.root());
        }
    }
    for child in children {
        child.end();
    }
}

fn run_a_hook(root: &Path, number: usize) {
    let log = Store::open(root).and_then(|store| store.hook_log());
    let log = log.expect("the record");
    let session = format!("session {number}");
    let run = HookRun {
        host: "claude-code",
        event: "prompt",
        ..HookRun::default()
    };
    log.begin(&session, run.host, "core", Timestamp::now())
        .expect("a session");
    log.note_run(&run, Timestamp::now()).expect("noted");
}

fn all_runs_are_counted(root: &Path) {
    let log = Store::open(root).and_then(|store| store.hook_log());
    let activity = log.expect("the record").activity(None).expect("activity");
    let runs: u64 = activity.iter().map(|of_event| of_event.runs).sum();
    assert_eq!(runs, PROCESSES as u64);
}

fn add_a_capture(root: &Path, number: usize) {
    let captures = Store::open(root).and_then(|store| store.unsent_captures());
    let said = format!("said by {number}");
    captures
        .and_then(|captures| {
            let server = "https://memory.example.org:443";
            captures.add(server, "core", "codex", &[said.into()], Timestamp::now())
        })
        .expect("added");
}

fn all_captures_wait(root: &Path) {
    let captures = Store::open(root).and_then(|store| store.unsent_captures());
    let waiting = captures.and_then(|captures| captures.waiting());
    assert_eq!(waiting.expect("listed")[0].memories, PROCESSES as u64);
}

fn create_a_key(root: &Path, number: usize) {
    let records = Store::open(root).and_then(|store| store.server_records());
    let wanted = anamne::NewKey::named(format!("key-{number}"));
    records
        .and_then(|records| records.create_key(&wanted))
        .expect("a key");
}

fn all_keys_are_there(root: &Path) {
    let records = Store::open(root).and_then(|store| store.server_records());
    let keys = records.and_then(|records| records.keys(None));
    assert_eq!(keys.expect("keys").len(), PROCESSES);
}

fn cache_a_result(root: &Path, number: usize) {
    let request = ToolRequest::new(RequestKind::Search, "web", format!("harbour {number}"));
    let store = Store::open(root).expect("a store");
    let space = store.space("core").expect("a space");
    let fetched = Fetched {
        content: "high tide at six".to_owned(),
        ..Fetched::default()
    };
    space.cache_result(&request, &fetched).expect("cached");
}

fn all_results_are_cached(root: &Path) {
    let space = Store::open(root).and_then(|store| store.space("core"));
    let savings = space.expect("a space").cache_savings().expect("savings");
    assert_eq!(savings.results, PROCESSES as u64);
}

/// A process that executes orders from its input.
struct Worker {
    process: Child,
    orders: ChildStdin,
    said: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    fn start(number: usize) -> Self {
        let this = std::env::current_exe().expect("this program");
        let test = "side_databases::eight_processes_open_each_kind_for_the_first_time_at_once";
        let mut process = Command::new(this)
            .args(["--exact", test, "--nocapture"])
            .env(CHILD, number.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let orders = process.stdin.take().expect("its input");
        let said = BufReader::new(process.stdout.take().expect("its output")).lines();
        Self {
            process,
            orders,
            said,
        }
    }

    fn order(&mut self, kind: usize, root: &Path) {
        writeln!(self.orders, "{kind} {}", root.display()).expect("the child listens");
    }

    /// The failure of the last order, if any.
    fn failure(&mut self) -> Option<String> {
        let said = self.said.find_map(|line| {
            let line = line.expect("text");
            Some(line.split_once(MARK)?.1.to_owned())
        });
        let said = said.expect("the child lives");
        (said != "done").then_some(said)
    }

    fn end(mut self) {
        drop(self.orders);
        assert!(self.process.wait().expect("its end").success());
    }
}

/// What the child with this number does until its input ends.
fn obey(number: usize) {
    for order in std::io::stdin().lines() {
        let order = order.expect("an order");
        let (kind, root) = order.split_once(' ').expect("a kind and a folder");
        let kind = &KINDS[kind.parse::<usize>().expect("a number")];
        let done = std::panic::catch_unwind(|| (kind.write)(Path::new(root), number));
        let said = match done {
            Ok(()) => "done".to_owned(),
            Err(panic) => panic
                .downcast_ref::<String>()
                .cloned()
                .unwrap_or_else(|| "panicked".to_owned()),
        };
        let said = said.replace('\n', " ");
        writeln!(std::io::stdout(), "{MARK}{said}").expect("the parent listens");
    }
}

fn write(space: &Space) {
    for number in 0..PROCESSES {
        let text = format!("Runa Olsen repaired crane number {number} in Bergen.");
        space.remember(text.as_str()).expect("told");
    }
}

fn source(root: &Path) -> SpaceSource {
    let name: SpaceName = "tests".parse().expect("a name");
    let folder = root.join("spaces/tests");
    SpaceSource::open(&folder, &name, Arc::new(SystemClock), false).expect("a source")
}

fn view(root: &Path, name: &str) -> PathBuf {
    root.join("side").join(name)
}

fn queue(root: &Path) -> Queue {
    Queue::open(&root.join("tasks.db"), Arc::new(SystemClock)).expect("a queue")
}

fn add_a_task(root: &Path, number: usize) {
    let task = NewTask::new("k", number.to_string());
    queue(root).enqueue(&task).expect("queued");
}

fn all_tasks_are_there(root: &Path) {
    let waiting = queue(root).unfinished(99).expect("a list");
    assert_eq!(waiting.len(), PROCESSES);
}

/// A model that takes 10 tokens and returns 1.
struct Terse;

impl LanguageModel for Terse {
    fn name(&self) -> &'static str {
        "terse"
    }

    fn complete(&self, _: &Request) -> Result<Reply, BridgeError> {
        Ok(Reply {
            text: "one".to_owned(),
            usage: Some(Usage {
                input_tokens: 10,
                output_tokens: 1,
            }),
            model: "terse".to_owned(),
            cut: false,
        })
    }
}

fn ledger(root: &Path) -> Ledger {
    Ledger::open(&root.join("catalog.db")).expect("a ledger")
}

fn spend(root: &Path, _: usize) {
    let config = BridgeConfig {
        enabled: true,
        ..BridgeConfig::default()
    };
    let (ledger, pace) = (Arc::new(ledger(root)), Arc::new(SystemPace::new()));
    let bridge = Bridge::new(config, Arc::new(Terse), ledger, Arc::new(SystemClock), pace);
    let question = Request {
        system: "Say how many.".to_owned(),
        messages: vec![Message::asked("How many?")],
        schema: None,
        max_output_tokens: 10,
        temperature: None,
        longest: Duration::from_secs(20),
    };
    bridge.ask(&Call::of("tests"), &question).expect("answered");
}

fn all_is_counted(root: &Path) {
    let costs = ledger(root).costs(&CostQuery::default()).expect("costs");
    let calls: u64 = costs.iter().map(|row| row.calls).sum();
    assert_eq!(calls, PROCESSES as u64);
}

fn summaries(root: &Path) -> Summaries {
    Summaries::open(&view(root, "summaries.db")).expect("summaries")
}

fn summarise(root: &Path, _: usize) {
    let (summaries, source) = (summaries(root), source(root));
    summaries.catch_up(&source, &mut |_| {}).expect("caught up");
    summaries
        .build(&source, usize::MAX, &mut |_| {})
        .expect("extracted");
}

fn all_is_summarised(root: &Path) {
    let days = summaries(root).between(Level::Day, Timestamp::MIN..Timestamp::MAX, 9);
    let memories: u32 = days.expect("days").iter().map(|day| day.memories).sum();
    assert_eq!(memories as usize, PROCESSES);
}

fn fold_experience(root: &Path, number: usize) {
    let store = Store::open_with(anamne::Options::new(root).background(false));
    let space = store
        .and_then(|store| store.space("tests"))
        .expect("a space");
    let outcome = anamne::ActionOutcome {
        action: "shell".to_owned(),
        arguments: "make".to_owned(),
        succeeded: number.is_multiple_of(2),
        ..anamne::ActionOutcome::default()
    };
    let draft = anamne::Draft::experience(anamne::Experience::Outcome(outcome));
    space.remember(draft).expect("recorded");
    assert!(cases(&space) > 0);
}

fn cases(space: &Space) -> usize {
    let query = anamne::ExperienceQuery {
        action: "shell".to_owned(),
        object: "make".to_owned(),
        ..anamne::ExperienceQuery::default()
    };
    let advice = space.experience(&query).expect("advice");
    advice.iter().map(|one| one.successes + one.failures).sum()
}

fn all_is_folded(root: &Path) {
    let space = Store::open(root).and_then(|store| store.space("tests"));
    assert_eq!(cases(&space.expect("a space")), PROCESSES);
}

fn graph(root: &Path) -> Graph {
    Graph::open(&view(root, "knowledge.db"), None).expect("a graph")
}

fn extract(root: &Path, _: usize) {
    let source = source(root);
    graph(root)
        .catch_up(&source, 1, Timestamp::now(), &mut |_| true)
        .expect("extracted");
}

fn all_is_extracted(root: &Path) {
    let query = EntityQuery {
        name: Some("Runa".to_owned()),
        unconfirmed: true,
        limit: 9,
        ..EntityQuery::default()
    };
    let entities = graph(root).entities(&query, Timestamp::now());
    let named: Vec<_> = entities
        .expect("entities")
        .iter()
        .map(|one| one.mentions)
        .collect();
    assert_eq!(named, [PROCESSES as u64]);
}

fn readings(root: &Path) -> Readings {
    Readings::open(&view(root, "readings.db")).expect("readings")
}

fn judge(root: &Path, number: usize) {
    let verdict = ConflictReading {
        kind: None,
        reason: format!("both hold, says {number}"),
    };
    readings(root)
        .judge(&number.to_string(), "terse", &verdict)
        .expect("judged");
}

fn all_is_judged(root: &Path) {
    let readings = readings(root);
    for number in 0..PROCESSES {
        let verdict = readings.verdict(&number.to_string()).expect("read");
        assert!(verdict.is_some(), "{number}");
    }
}

/// The store, opened like another process would.
fn space(root: &Path) -> Space {
    let options = anamne::Options::new(root).background(false);
    let store = anamne::Store::open_with(options).expect("a store");
    store.space("tests").expect("a space")
}

fn ask(root: &Path, number: usize) {
    let space = space(root);
    let question = format!("crane number {number}");
    space.recall(&Recall::new(question)).expect("answered");
    assert!(!space.query_log(99).expect("a log").is_empty());
}

fn all_questions_are_noted(root: &Path) {
    let log = space(root).query_log(99).expect("a log");
    assert_eq!(log.len(), PROCESSES);
}

fn cache(root: &Path) -> EmbeddingCache {
    EmbeddingCache::at(&root.join("embedding-cache.db"), 1 << 20)
}

fn keep_a_vector(root: &Path, number: usize) {
    let (model, text) = (ModelIdentity::new("far", "1"), number.to_string());
    let vector = [number as u16; 8];
    cache(root).put(&model, &[(&text, &vector)]).expect("kept");
}

fn all_vectors_are_kept(root: &Path) {
    let size = cache(root).size().expect("read");
    assert_eq!(size.vectors, PROCESSES as u64);
}
