//! Asynchronous batches of embeddings: nothing is sent or paid twice, and whatever a provider does, the change of the
//! model ends.

mod server;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anamne::llm::{CostQuery, Ledger};
use anamne::{Clock, Draft, Edit, EmbeddingBatch, Error, MemoryId, Options, Recall, Space, Store};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use server::{End, Server, Start, success, vector};

use crate::common::sources::Sources;

/// A clock that a test moves.
struct TestClock(Mutex<Timestamp>);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("no panic")
    }
}

struct Home {
    folder: TempDir,
    server: Server,
    clock: Arc<TestClock>,
}

const MODEL: &str = "local:embed-1@32";
const FAR: &str = "far:embed-1@32";

/// Texts from which a batch is used.
const FROM: u32 = 20;

impl Home {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            server: Server::new(),
            clock: Arc::new(TestClock(Mutex::new(Timestamp::now()))),
        }
    }

    /// The space, opened like another process would.
    fn space(&self) -> Space {
        space_in(self.folder.path(), &self.server.url(), self.clock.clone())
    }

    fn pass(&self, time: SignedDuration) {
        *self.clock.0.lock().expect("no panic") += time;
    }

    /// A space with so many memories that asks the model in batches.
    fn space_with(&self, memories: usize) -> (Space, Vec<MemoryId>) {
        let space = self.space();
        let ids = write(&space, 0..memories);
        choose(&space, MODEL);
        (space, ids)
    }

    /// The costs so far: dollars, and input tokens.
    fn costs(&self) -> (String, u64) {
        let ledger = Ledger::open(&self.folder.path().join("catalog.db")).expect("a ledger");
        let costs = ledger.costs(&CostQuery::default()).expect("costs");
        costs.first().map_or((String::new(), 0), |row| {
            (row.cost.to_string(), row.input_tokens)
        })
    }
}

fn space_in(root: &Path, url: &str, clock: Arc<dyn Clock>) -> Space {
    let store = Store::open_with(Options {
        embedding_sources: Some(Arc::new(Sources::at(url, root))),
        clock,
        ..Options::new(root).background(false)
    });
    store.expect("a store").space("core").expect("a space")
}

fn choose(space: &Space, model: &str) {
    space
        .configure(|config| {
            model.clone_into(&mut config.embedding.model);
            config.embedding.query_wait_ms = 0;
            config.embedding.batch_from = FROM;
        })
        .expect("the model is known");
}

fn settle(space: &Space) {
    space.settle(&mut |_, _| {}).expect("settled");
}

fn text(number: usize) -> String {
    format!("The keeper of lighthouse number{number} writes about storm{number}")
}

fn write(space: &Space, numbers: std::ops::Range<usize>) -> Vec<MemoryId> {
    let drafts: Vec<Draft> = numbers.map(|number| Draft::from(text(number))).collect();
    let stored = space.remember_all(&drafts).expect("stored");
    stored.into_iter().map(|one| one.id).collect()
}

fn answering(space: &Space) -> String {
    space.embedding().expect("a state").answering
}

/// The stage and the outcome of each batch.
fn batches(space: &Space) -> Vec<(String, String)> {
    let state = space.embedding().expect("a state");
    let batches = state.batches.into_iter();
    let words = |batch: EmbeddingBatch| (batch.stage.into_owned(), batch.outcome);
    batches.map(words).collect()
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

#[test]
fn a_change_of_the_model_waits_for_a_batch_while_the_former_one_answers() {
    let home = Home::new();
    let (space, ids) = home.space_with(60);
    settle(&space);
    assert_eq!(answering(&space), "builtin");
    assert_eq!(batches(&space), [("running".to_owned(), String::new())]);
    assert_eq!(home.server.batched().len(), 60);
    assert!(!space.is_unsettled().expect("a state"), "it only waits");
    let answer = space.recall(&Recall::new(text(7))).expect("an answer");
    assert_eq!(answer.results[0].memory.id, ids[7]);
    assert_eq!(home.costs().1, 0, "reserved, not spent");
    // Before the provider is done, it is asked again now and then, and nothing else.
    let looks = home.server.count("GET /v1/batches/");
    settle(&space);
    assert_eq!(home.server.count("GET /v1/batches/"), looks);
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(home.server.count("GET /v1/batches/"), looks + 1);
    home.server.end(&End::Completed);
    home.pass(SignedDuration::from_mins(11));
    settle(&space);
    assert_eq!(answering(&space), MODEL);
    assert_eq!(home.server.asked(), Vec::<String>::new());
    assert_eq!(home.server.batched().len(), 60);
    assert_eq!(home.server.files(), Vec::<String>::new(), "all are deleted");
    assert_eq!(
        batches(&space),
        [("done".to_owned(), "completed".to_owned())]
    );
    // 600 tokens at ten dollars per million, half of it.
    assert_eq!(home.costs(), ("$0.003000".to_owned(), 600));
    // Nothing is left that would keep these texts from a later batch.
    choose(&space, "builtin");
    settle(&space);
    assert_eq!(home.server.count("POST /v1/batches"), 1);
}

#[test]
fn few_texts_and_spaces_that_did_not_ask_for_it_use_no_batch() {
    let home = Home::new();
    let (space, _) = home.space_with(19);
    settle(&space);
    assert_eq!(
        (answering(&space).as_str(), home.server.asked().len()),
        (MODEL, 19)
    );
    let home = Home::new();
    let (space, _) = home.space_with(60);
    space
        .configure(|config| config.embedding.batch_from = 0)
        .expect("configured");
    settle(&space);
    assert_eq!(
        (answering(&space).as_str(), home.server.asked().len()),
        (MODEL, 60)
    );
    assert_eq!(home.server.count("POST /v1/files"), 0);
}

#[test]
fn a_provider_without_batches_is_asked_in_the_ordinary_way() {
    let home = Home::new();
    home.server.has_no_batches();
    let (space, _) = home.space_with(60);
    settle(&space);
    settle(&space);
    assert_eq!(
        (answering(&space).as_str(), home.server.asked().len()),
        (MODEL, 60)
    );
    assert_eq!(
        home.costs(),
        ("$0.006000".to_owned(), 600),
        "the full price"
    );
}

#[test]
fn what_a_batch_lacks_is_asked_for_in_the_ordinary_way() {
    for end in [End::Without("number5"), End::Expired("number5")] {
        let home = Home::new();
        let (space, _) = home.space_with(60);
        settle(&space);
        home.server.end(&end);
        home.pass(SignedDuration::from_mins(5));
        settle(&space);
        assert_eq!(answering(&space), MODEL);
        let is_lacking = |number: &usize| {
            let has_word = text(*number).contains("number5");
            has_word == matches!(end, End::Without(_))
        };
        let lacking: Vec<String> = (0..60).filter(is_lacking).map(text).collect();
        let batched = 60 - lacking.len();
        assert_eq!(sorted(home.server.asked()), sorted(lacking.clone()));
        assert_eq!(home.server.count("POST /v1/batches"), 1);
        assert_eq!(home.costs().1, 600);
        let dollars = (batched as f64 / 2.0 + lacking.len() as f64) / 1e4;
        assert_eq!(home.costs().0, format!("${dollars:.6}"));
        assert_eq!(home.server.files(), Vec::<String>::new());
    }
}

#[test]
fn a_batch_that_is_lost_or_never_ends_is_given_up() {
    let home = Home::new();
    let (space, _) = home.space_with(60);
    settle(&space);
    home.server.end(&End::Gone);
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(
        (answering(&space).as_str(), home.server.asked().len()),
        (MODEL, 60)
    );
    let home = Home::new();
    let (space, _) = home.space_with(60);
    settle(&space);
    for _ in 0..3 {
        home.pass(SignedDuration::from_hours(11));
        settle(&space);
        assert_eq!(answering(&space), "builtin");
    }
    home.pass(SignedDuration::from_hours(16));
    settle(&space);
    assert_eq!(
        (answering(&space).as_str(), home.server.asked().len()),
        (MODEL, 60)
    );
    let outcome = &batches(&space)[0].1;
    assert!(outcome.contains("didn't end"), "{outcome}");
}

#[test]
fn a_start_whose_answer_is_lost_is_found_and_not_repeated() {
    let home = Home::new();
    let (space, _) = home.space_with(60);
    home.server.starts(Start::Lost);
    space.settle(&mut |_, _| {}).expect_err("no answer");
    assert_eq!(batches(&space)[0].0, "starting");
    home.server.starts(Start::Good);
    settle(&home.space());
    home.server.end(&End::Completed);
    home.pass(SignedDuration::from_mins(5));
    settle(&home.space());
    assert_eq!(answering(&space), MODEL);
    assert_eq!(home.server.count("POST /v1/batches"), 1);
    assert_eq!(
        (home.server.batched().len(), home.server.asked().len()),
        (60, 0)
    );
    assert_eq!(home.costs().1, 600);
}

#[test]
fn a_start_that_never_arrived_is_repeated_with_a_new_file() {
    let home = Home::new();
    let (space, _) = home.space_with(60);
    home.server.starts(Start::Missed);
    space.settle(&mut |_, _| {}).expect_err("no answer");
    home.server.starts(Start::Good);
    settle(&space);
    assert_eq!(
        home.server.count("POST /v1/batches"),
        1,
        "it may still appear"
    );
    home.pass(SignedDuration::from_mins(3));
    settle(&space);
    assert_eq!(
        (home.server.batched().len(), home.server.files().len()),
        (60, 1)
    );
    home.server.end(&End::Completed);
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(
        (answering(&space).as_str(), home.server.asked().len()),
        (MODEL, 0)
    );
    assert_eq!(home.costs().1, 600);
}

#[test]
fn a_refused_start_costs_nothing_and_a_busy_one_waits() {
    let home = Home::new();
    let (space, _) = home.space_with(60);
    home.server.starts(Start::Refused(429));
    space.settle(&mut |_, _| {}).expect_err("too busy");
    assert_eq!(batches(&space)[0].0, "uploaded");
    home.server.starts(Start::Refused(400));
    settle(&space);
    assert_eq!(
        (answering(&space).as_str(), home.server.asked().len()),
        (MODEL, 60)
    );
    assert_eq!(home.costs(), ("$0.006000".to_owned(), 600));
    assert_eq!(home.server.files(), Vec::<String>::new());
}

#[test]
fn a_lying_server_changes_nothing_but_the_price() {
    let nan = "[1,null,2]";
    let short = format!("{:?}", vec![0.5; 31]);
    let line = |vector: &str| {
        format!(
            "{{\"custom_id\": \"{{}}\", \"response\": {{\"body\": {{\"data\": [{{\"embedding\": {vector}}}]}}}}}}"
        )
    };
    let lies = [
        vec!["nonsense".to_owned(); 3],
        vec![
            success("t99999", &vector("x")),
            success("4", &vector("x")),
            success("t-1", &vector("x")),
        ],
        vec![line(nan); 60],
        vec![line(&short); 60],
        vec![line("[1e999]"); 60],
        vec!["x".repeat(2 << 20)],
    ];
    for lie in lies {
        let home = Home::new();
        let (space, ids) = home.space_with(60);
        settle(&space);
        home.server.end(&End::Lines(lie.clone()));
        home.pass(SignedDuration::from_mins(5));
        settle(&space);
        assert_eq!(answering(&space), MODEL);
        assert_eq!(home.server.asked().len(), 60, "{:?}", &lie[0][..8]);
        let answer = space.recall(&Recall::new(text(7))).expect("an answer");
        assert_eq!(answer.results[0].memory.id, ids[7]);
    }
    // The first answer to a text counts; more are refused.
    let home = Home::new();
    let (space, _) = home.space_with(60);
    settle(&space);
    home.server
        .end(&End::Lines(vec![success("t3", &vector("x")); 500]));
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(home.server.asked().len(), 59);
    assert_eq!(home.costs().1, 600);
}

#[test]
fn erased_memories_are_dropped_and_their_batch_is_cancelled() {
    let home = Home::new();
    let (space, ids) = home.space_with(60);
    settle(&space);
    assert!(home.server.keeps("number7 "));
    assert!(space.erase(ids[7]).expect("erased").is_complete());
    settle(&space);
    assert_eq!(home.server.count("POST /v1/batches/batch_2/cancel"), 1);
    assert!(!home.server.keeps("number7 "), "the file is deleted");
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(answering(&space), MODEL);
    assert!(!home.server.asked().contains(&text(7)));
    assert_eq!(home.server.asked().len(), 59);
    // The same with answers that are there already.
    let home = Home::new();
    let (space, ids) = home.space_with(60);
    settle(&space);
    home.server.end(&End::Completed);
    assert!(space.erase(ids[7]).expect("erased").is_complete());
    let edit = Edit {
        content: Some("Nothing of the kind".to_owned()),
        ..Edit::default()
    };
    space.edit(ids[8], &edit).expect("edited");
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(answering(&space), MODEL);
    assert_eq!(home.server.asked(), ["Nothing of the kind"]);
    let store = Store::open(home.folder.path()).expect("a store");
    let cache = store.embedding_cache().expect("a cache");
    assert_eq!(cache.forget(&[&text(7), &text(8)]).expect("a cache"), 0);
    assert_eq!(cache.forget(&[&text(9)]).expect("a cache"), 1);
}

#[test]
fn private_memories_are_in_no_batch() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0..60);
    space
        .remember(Draft::new("The keeper told a secret").tag("private"))
        .expect("stored");
    choose(&space, FAR);
    settle(&space);
    assert_eq!(home.server.batched().len(), 60);
    assert!(!home.server.keeps("secret"));
    // A space that became private keeps nothing of what comes.
    space
        .configure(|config| {
            config.guard.private = true;
            config.embedding.model = "builtin".to_owned();
        })
        .expect("configured");
    home.server.end(&End::Completed);
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    let store = Store::open(home.folder.path()).expect("a store");
    let cache = store.embedding_cache().expect("a cache");
    assert_eq!(cache.size().map(|size| size.vectors).unwrap_or_default(), 0);
    assert_eq!(home.server.files(), Vec::<String>::new());
}

#[test]
fn a_budget_makes_batches_smaller() {
    let home = Home::new();
    let (space, _) = home.space_with(60);
    // About seventy bytes a text.
    space
        .configure(|config| config.budgets.daily_tokens = 2_500)
        .expect("configured");
    settle(&space);
    assert_eq!(home.server.batched().len(), 30);
    home.server.end(&End::Completed);
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(home.server.batched().len(), 60 - 30 + 30);
}

#[test]
fn another_model_cancels_the_batches_of_the_former_one() {
    let home = Home::new();
    let (space, _) = home.space_with(60);
    settle(&space);
    choose(&space, "builtin");
    settle(&space);
    assert_eq!(home.server.count("POST /v1/batches/batch_2/cancel"), 1);
    assert_eq!(home.server.files(), Vec::<String>::new());
    assert_eq!(answering(&space), "builtin");
    assert_eq!(home.costs().1, 0);
}

/// The variable that makes this test's own program send a batch until it is killed.
const ROOT: &str = "ANAMNE_TEST_BATCHES";

#[test]
fn a_process_that_is_killed_while_it_starts_a_batch_pays_nothing_twice() {
    if let Ok(told) = std::env::var(ROOT) {
        let (root, url) = told.split_once('|').expect("a folder and an address");
        let clock = Arc::new(TestClock(Mutex::new(Timestamp::now())));
        let space = space_in(Path::new(root), url, clock);
        // The server is silent, so this ends by being killed.
        let _: Result<(), Error> = space.settle(&mut |_, _| {});
        return;
    }
    let home = Home::new();
    let (space, _) = home.space_with(60);
    drop(space);
    home.server.starts(Start::Silent);
    let test =
        "embedding_batches::a_process_that_is_killed_while_it_starts_a_batch_pays_nothing_twice";
    let mut child = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args([test, "--exact"])
        .env(
            ROOT,
            format!("{}|{}", home.folder.path().display(), home.server.url()),
        )
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("a child");
    let started = Instant::now();
    while home.server.batched().is_empty() {
        let waited = started.elapsed();
        assert!(waited < Duration::from_mins(2), "it never starts");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    home.server.starts(Start::Good);
    // The clock of the process that was killed is ahead.
    home.pass(SignedDuration::from_mins(1));
    let space = home.space();
    settle(&space);
    assert_eq!(batches(&space)[0].0, "running");
    home.server.end(&End::Completed);
    home.pass(SignedDuration::from_mins(5));
    settle(&space);
    assert_eq!(answering(&space), MODEL);
    assert_eq!(home.server.count("POST /v1/batches"), 1);
    assert_eq!(
        (home.server.batched().len(), home.server.asked().len()),
        (60, 0)
    );
    assert_eq!(home.costs(), ("$0.003000".to_owned(), 600));
}
