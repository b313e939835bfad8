//! Remote embedding models: nothing waits for them, nothing private leaves, and what was paid is kept.

mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anamne::llm::{CostQuery, CostsBy, Ledger};
use anamne::{Draft, MemoryId, ModelKind, ModelState, Options, Recall, Signals, Space, Store};
use tempfile::TempDir;

use server::{Manner, Server};

use crate::common::sources::Sources;

struct Home {
    folder: TempDir,
    server: Server,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path()).expect("a folder");
        Self {
            folder,
            server: Server::new(),
        }
    }

    fn store(&self) -> Store {
        let root = self.folder.path();
        let store = Store::open_with(Options {
            embedding_sources: Some(Arc::new(Sources::at(&self.server.url(), root))),
            ..Options::new(root)
        });
        store.expect("a store")
    }

    /// The space, opened like another process would.
    fn space(&self) -> Space {
        self.store().space("core").expect("a space")
    }
}

const MODEL: &str = "local:embed-1@32";

fn choose(space: &Space, model: &str) {
    space
        .configure(|config| {
            model.clone_into(&mut config.embedding.model);
            // This machine may be busy.
            config.embedding.query_wait_ms = 10_000;
        })
        .expect("the model is known");
}

fn settle(space: &Space) {
    space.settle(&mut |_, _| {}).expect("settled");
}

fn text(number: usize) -> String {
    format!("The keeper of lighthouse number{number} writes about storm{number} in the logbook")
}

fn write(space: &Space, numbers: std::ops::Range<usize>) -> Vec<MemoryId> {
    let drafts: Vec<Draft> = numbers.map(|number| Draft::from(text(number))).collect();
    let stored = space.remember_all(&drafts).expect("stored");
    stored.into_iter().map(|one| one.id).collect()
}

/// The best result, whether vectors found it, and what was degraded.
fn ask(space: &Space, words: &str) -> (Option<MemoryId>, bool, Vec<String>) {
    let answer = space
        .recall(&Recall::new(words).limit(3))
        .expect("an answer");
    let best = answer.results.first();
    let by_vectors = best.is_some_and(|hit| hit.scores.semantic != 0.0);
    (best.map(|hit| hit.memory.id), by_vectors, answer.degraded)
}

#[test]
fn the_remote_models_of_spaces_are_listed_after_those_of_the_store() {
    let home = Home::new();
    choose(&home.space(), MODEL);
    let models = home.store().models().expect("models");
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, ["builtin", MODEL]);
    let remote = &models[1];
    assert_eq!(
        (remote.kind, remote.state, remote.dimensions),
        (ModelKind::Remote, ModelState::Ready, Some(32))
    );
    assert_eq!(remote.spaces, ["core"]);
    // A program that can't open the source says so.
    let other = Store::open(home.folder.path()).expect("a store");
    let models = other.models().expect("models");
    assert_eq!(models[1].name, MODEL);
    assert_eq!(models[1].state, ModelState::Damaged);
    assert!(models[1].problem.contains("no sources"), "{models:?}");
}

#[test]
fn a_remote_model_takes_over_and_is_asked_once_per_text() {
    let home = Home::new();
    let space = home.space();
    let ids = write(&space, 0..300);
    choose(&space, MODEL);
    assert_eq!(space.embedding().expect("a state").answering, "builtin");
    settle(&space);
    let state = space.embedding().expect("a state");
    assert_eq!((state.answering.as_str(), state.pending), (MODEL, 0));
    let (best, by_vectors, degraded) = ask(&space, &text(17));
    assert_eq!(
        (best, by_vectors, degraded),
        (Some(ids[17]), true, Vec::new())
    );
    let answer = space.recall(&Recall::new(text(18)).signals(Signals::Semantic));
    assert_eq!(answer.expect("an answer").results[0].memory.id, ids[18]);
    let sent = home.server.texts();
    // Two queries repeat texts of memories, under another purpose.
    assert_eq!(sent.len(), 302, "each text is embedded once");
    let requests = home.server.requests();
    assert!(requests < 12, "in batches, not in {requests} requests");
    // What was paid is known to the next process, and booked to the space.
    let again = home.space();
    settle(&again);
    assert_eq!(home.server.texts().len(), 302);
    let ledger = Ledger::open(&home.folder.path().join("catalog.db")).expect("a ledger");
    let query = CostQuery {
        by: CostsBy::Space,
        ..CostQuery::default()
    };
    let costs = ledger.costs(&query).expect("costs");
    assert_eq!(costs[0].key, "core");
    assert!(costs[0].input_tokens > 300 && costs[0].cost.to_string() != "$0.00");
}

#[test]
fn neither_a_write_nor_a_query_waits_for_the_model() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0..20);
    choose(&space, MODEL);
    settle(&space);
    home.server.behaves(Manner::Slow(Duration::from_secs(20)));
    space
        .configure(|config| config.embedding.query_wait_ms = 200)
        .expect("configured");
    let started = Instant::now();
    let new = write(&space, 100..101)[0];
    for _ in 0..3 {
        let (best, by_vectors, degraded) = ask(&space, &text(100));
        assert_eq!((best, by_vectors), (Some(new), false));
        assert_eq!(degraded, ["embedding model"]);
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(space.embedding().expect("a state").pending, 1);
    // The others keep their vectors, and with the query's vector they answer.
    home.server.behaves(Manner::Good);
    space
        .configure(|config| config.embedding.query_wait_ms = 10_000)
        .expect("configured");
    let other = home.space();
    assert_eq!(ask(&other, &text(7)).2, Vec::<String>::new());
    settle(&other);
    assert_eq!(other.embedding().expect("a state").pending, 0);
    let (best, by_vectors, degraded) = ask(&other, &text(100));
    assert_eq!((best, by_vectors, degraded), (Some(new), true, Vec::new()));
    // The first process follows what the other published.
    assert_eq!(ask(&space, &text(100)).0, Some(new));
    assert_eq!(space.embedding().expect("a state").pending, 0);
    // A space that never asks is answered by words.
    space
        .configure(|config| config.embedding.query_wait_ms = 0)
        .expect("configured");
    let before = home.server.requests();
    assert_eq!(ask(&space, &text(8)).2, ["embedding model"]);
    assert_eq!(home.server.requests(), before);
}

#[test]
fn without_the_server_everything_is_found_by_words_and_it_goes_on_later() {
    let home = Home::new();
    let space = home.space();
    let ids = write(&space, 0..5);
    choose(&space, MODEL);
    settle(&space);
    let again = home.server.close();
    let other = home.space();
    let new = write(&other, 50..51)[0];
    for (number, id) in [(3, ids[3]), (50, new)] {
        let (best, _, degraded) = ask(&other, &text(number));
        assert_eq!(
            (best, degraded),
            (Some(id), vec!["embedding model".to_owned()])
        );
    }
    let problem = other.settle(&mut |_, _| {}).expect_err("nobody listens");
    assert!(problem.to_string().contains(MODEL), "{problem}");
    let server = again();
    let third = home.space();
    settle(&third);
    assert!(server.has_seen("number50"));
    assert_eq!(ask(&third, &text(50)), (Some(new), true, Vec::new()));
}

#[test]
fn answers_that_are_no_vectors_change_nothing() {
    let manners = [
        (Manner::Length(31), "31 dimensions, not 32"),
        (Manner::TooFew, "one vector per text"),
        (Manner::NotANumber, "non-finite"),
        (Manner::Huge, "exceeds"),
        (Manner::Status(400, usize::MAX), "400"),
        (Manner::Status(401, usize::MAX), "401"),
        (Manner::Status(500, usize::MAX), "500"),
    ];
    for (manner, said) in manners {
        let home = Home::new();
        let space = home.space();
        let ids = write(&space, 0..70);
        home.server.behaves(manner.clone());
        choose(&space, MODEL);
        let problem = space.settle(&mut |_, _| {}).expect_err("no vectors");
        assert!(problem.to_string().contains(said), "{manner:?}: {problem}");
        let state = space.embedding().expect("a state");
        assert_eq!(
            (state.answering.as_str(), state.embedded),
            ("builtin", Some(0))
        );
        let (best, by_vectors, degraded) = ask(&space, &text(5));
        assert_eq!(
            (best, by_vectors, degraded),
            (Some(ids[5]), true, Vec::new())
        );
        let asked = home.server.requests();
        assert!(asked <= 6, "{manner:?} was tried {asked} times");
    }
}

#[test]
fn a_busy_server_is_asked_again() {
    for status in [429, 503] {
        let home = Home::new();
        let space = home.space();
        write(&space, 0..10);
        home.server.behaves(Manner::Status(status, 2));
        choose(&space, MODEL);
        settle(&space);
        assert_eq!(space.embedding().expect("a state").answering, MODEL);
        assert_eq!(home.server.requests(), 3);
    }
}

#[test]
fn a_text_that_the_model_refuses_costs_no_other_its_vector() {
    let home = Home::new();
    let space = home.space();
    let ids = write(&space, 0..30);
    // At the end, so that its beginning is accepted; and everywhere.
    let animals = "zebra quagga okapi tapir ";
    let cut = format!("{}poison", animals.repeat(4));
    let cut = space.remember(cut).expect("stored").id;
    let whole = space.remember("poison ".repeat(8)).expect("stored").id;
    home.server.behaves(Manner::Refuses("poison"));
    choose(&space, MODEL);
    settle(&space);
    assert_eq!(space.embedding().expect("a state").answering, MODEL);
    let answer = space.recall(&Recall::new(text(11)).signals(Signals::Semantic));
    assert_eq!(answer.expect("an answer").results[0].memory.id, ids[11]);
    let answer = space.recall(&Recall::new(animals).signals(Signals::Semantic));
    assert_eq!(answer.expect("an answer").results[0].memory.id, cut);
    assert_eq!(ask(&space, "poison").0, Some(whole), "found by its words");
}

#[test]
fn a_budget_of_the_space_stops_embedding_and_more_lets_it_go_on() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0..300);
    space
        .configure(|config| config.budgets.daily_tokens = 8_000)
        .expect("configured");
    choose(&space, MODEL);
    let problem = space.settle(&mut |_, _| {}).expect_err("no budget left");
    assert!(
        problem.to_string().contains("budget of the space core"),
        "{problem}"
    );
    let embedded = home.server.texts().len();
    assert!((1..300).contains(&embedded), "{embedded}");
    assert_eq!(space.embedding().expect("a state").answering, "builtin");
    space
        .configure(|config| config.budgets.daily_tokens = 0)
        .expect("configured");
    settle(&space);
    assert_eq!(space.embedding().expect("a state").answering, MODEL);
    assert_eq!(home.server.texts().len(), 300, "nothing was paid twice");
}

#[test]
fn private_memories_never_go_to_another_machine() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0..3);
    let secret = Draft::from("The lighthouse safe opens with hushhush").tag("Private");
    let secret = space.remember(secret).expect("stored").id;
    let far = "far:embed-1@32";
    let estimate = space.embedding_estimate(far).expect("an estimate");
    assert_eq!((estimate.texts, estimate.private), (3, 1));
    assert!(
        estimate.leaves_machine && estimate.may_cost(),
        "{estimate:?}"
    );
    choose(&space, far);
    settle(&space);
    let later = Draft::from("The lighthouse cellar opens with hushhush too").tag("private");
    let later = space.remember(later).expect("stored").id;
    settle(&space);
    let state = space.embedding().expect("a state");
    assert_eq!(
        (state.answering.as_str(), state.pending, state.private),
        (far, 0, 2)
    );
    assert!(
        !home.server.has_seen("hushhush"),
        "{:?}",
        home.server.texts()
    );
    assert!(home.server.has_seen("number2"));
    let check_up = space.check_up().expect("examined");
    let well = check_up.well.join("\n");
    assert!(well.contains("2 private memories are not sent"), "{well}");
    // They are found by words, and become visible to the model when they are no longer private.
    assert_eq!(ask(&space, "lighthouse safe").0, Some(secret));
    assert_eq!(ask(&space, "lighthouse cellar").0, Some(later));
    let edit = anamne::Edit {
        remove_tags: vec!["private".to_owned()],
        ..anamne::Edit::default()
    };
    space.edit(later, &edit).expect("edited");
    settle(&space);
    assert!(home.server.has_seen("cellar opens with hushhush"));
    // A private space can't use it, and a space that uses it can't become private.
    let refused = space.configure(|config| config.guard.private = true);
    let refused = refused.expect_err("refused").to_string();
    assert!(
        refused.contains("guard.private") && refused.contains("builtin"),
        "{refused}"
    );
    choose(&space, "builtin");
    settle(&space);
    space
        .configure(|config| config.guard.private = true)
        .expect("configured");
    let refused = space.configure(|config| far.clone_into(&mut config.embedding.model));
    assert!(
        refused
            .expect_err("refused")
            .to_string()
            .contains("private")
    );
    choose(&space, MODEL);
    settle(&space);
    assert_eq!(
        space.embedding().expect("a state").answering,
        MODEL,
        "this machine may"
    );
}

#[test]
fn a_private_space_sends_no_query_even_if_its_file_was_changed() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0..3);
    choose(&space, "far:embed-1@32");
    settle(&space);
    drop(space);
    let path = home.folder.path().join("spaces/core/space.toml");
    let file = std::fs::read_to_string(&path).expect("settings");
    std::fs::write(&path, format!("{file}\n[guard]\nprivate = true\n")).expect("written");
    let space = home.space();
    let before = home.server.texts().len();
    let (best, ..) = ask(&space, "storm1 hushhush");
    assert!(best.is_some());
    space
        .remember("the keeper says hushhush again")
        .expect("stored");
    drop(space.settle(&mut |_, _| {}));
    assert_eq!(home.server.texts().len(), before);
}

#[test]
fn unknown_lengths_are_asked_for_and_what_it_takes_is_said_before() {
    let home = Home::new();
    let space = home.space();
    write(&space, 0..40);
    let refused = space.configure(|config| "local:embed-1".clone_into(&mut config.embedding.model));
    let refused = refused.expect_err("its length isn't known").to_string();
    assert!(refused.contains("local:embed-1@768"), "{refused}");
    let refused = space.configure(|config| "nowhere:m@8".clone_into(&mut config.embedding.model));
    let refused = refused.expect_err("no such source").to_string();
    assert!(refused.contains("far, local"), "{refused}");
    assert_eq!(home.server.requests(), 0);
    assert_eq!(
        space.full_model_name("local:embed-1").expect("a name"),
        MODEL
    );
    assert_eq!(home.server.requests(), 1);
    assert_eq!(space.full_model_name("builtin").expect("a name"), "builtin");
    let estimate = space
        .embedding_estimate("far:embed-1@32")
        .expect("an estimate");
    assert_eq!((estimate.texts, estimate.cached), (40, 0));
    assert!(estimate.tokens > 400, "{estimate:?}");
    let dollars = estimate.cost.expect("a price").to_string();
    assert!(dollars != "$0.00", "{dollars}");
    let here = space.embedding_estimate(MODEL).expect("an estimate");
    assert!(!here.may_cost() && !here.leaves_machine);
    choose(&space, MODEL);
    settle(&space);
    let after = space.embedding_estimate(MODEL).expect("an estimate");
    assert_eq!(
        (after.cached, after.tokens),
        (40, 0),
        "what is cached costs nothing"
    );
    assert_eq!(home.server.requests(), 2);
}

#[test]
fn what_is_erased_leaves_the_vectors_and_the_cache_of_a_remote_model() {
    let home = Home::new();
    let space = home.space();
    let ids = write(&space, 0..10);
    choose(&space, MODEL);
    settle(&space);
    let erased = space.erase_all(&[ids[4]]).expect("erased");
    assert!(erased.is_complete(), "{erased:?}");
    let cached =
        anamne::EmbeddingCache::at(&home.folder.path().join("embedding-cache.db"), 1 << 20);
    assert_eq!(cached.size().expect("a size").vectors, 9);
    let answer = space.recall(&Recall::new(text(4)).signals(Signals::Semantic));
    let found = answer.expect("an answer").results;
    assert!(found.iter().all(|hit| hit.memory.id != ids[4]));
    assert_eq!(space.embedding().expect("a state").answering, MODEL);
}

/// The variable that makes this test's own program embed until it is killed.
const ROOT: &str = "ANAMNE_TEST_EMBEDS_IN";

#[test]
fn a_process_that_is_killed_while_it_embeds_pays_only_its_last_batch_twice() {
    if let Ok(root) = std::env::var(ROOT) {
        let (root, url) = root.split_once('|').expect("both");
        let store = Store::open_with(Options {
            embedding_sources: Some(Arc::new(Sources::at(url, Path::new(root)))),
            ..Options::new(root)
        });
        let space = store.expect("a store").space("core").expect("a space");
        drop(space.settle(&mut |_, _| {}));
        return;
    }
    let home = Home::new();
    let space = home.space();
    let ids = write(&space, 0..400);
    choose(&space, MODEL);
    drop(space);
    home.server.behaves(Manner::HoldsAfter(200));
    let test =
        "remote_models::a_process_that_is_killed_while_it_embeds_pays_only_its_last_batch_twice";
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
    while home.server.texts().len() <= 200 {
        assert!(
            started.elapsed() < Duration::from_mins(2),
            "it never embeds"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    home.server.behaves(Manner::Good);
    let space = home.space();
    assert_eq!(space.embedding().expect("a state").answering, "builtin");
    assert_eq!(ask(&space, &text(17)).0, Some(ids[17]), "found meanwhile");
    settle(&space);
    assert_eq!(space.embedding().expect("a state").answering, MODEL);
    let sent = home.server.texts().len();
    assert!(sent <= 401 + 64, "{sent} texts were sent");
    assert_eq!(ask(&space, &text(390)).0, Some(ids[390]));
}
