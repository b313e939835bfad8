//! The cost of every text is bounded by its length: storing, recall, extraction, summaries and export, and the
//! functions behind them, over texts of every kind.
//!
//! By default with small sizes, and only some texts for the engine as a whole, so that the tests are fast; with
//! `ANAMNE_COST=full` all texts up to a megabyte.

#[path = "../../anamne-text/tests/cost/measure.rs"]
mod measure;
#[path = "../../anamne-text/tests/cost/shapes.rs"]
mod shapes;

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Duration;

use anamne::embed::{Embedder, StaticModel};
use anamne::guard::{Action, Guard, Names, Policy};
use anamne::text::tokens::estimate_tokens;
use anamne::{
    Context, ContextPreset, ContextRequest, Draft, EntityType, ImportOptions, Limits, MemoryId,
    Options, Recall, Row, Space, Store, Visibility,
};
use anamne_index::vectors::embedded_texts;
use anamne_knowledge::conflicts::claims;
use anamne_knowledge::reading::{Utterance, echoes, normalised, read};
use anamne_knowledge::summaries::{Digest, Turn};
use jiff::Timestamp;

use measure::{Cost, faults, sizes};
use shapes::{Shape, chosen};

/// Maximum time to store a megabyte, in an optimised build.
const MOST_AT_WRITING: Duration = Duration::from_secs(1);

/// Maximum additional time of a query per megabyte of one memory.
const MOST_AT_RECALL: Duration = Duration::from_millis(50);

/// Bytes of a long query.
const LONG_QUESTION: usize = 8_000;

/// Maximum time of a query per quarter of a megabyte of its length.
const MOST_OF_QUESTION: Duration = Duration::from_millis(500);

/// For background work and work on the whole space: any time, if it grows no faster than the texts.
const ANY: Duration = Duration::from_hours(1);

/// Summaries compare the passages of a text pairwise, at most a thousand of them.
const OF_PASSAGES: Duration = Duration::from_millis(500);

/// A guard that looks for everything.
static GUARD: LazyLock<Guard> = LazyLock::new(|| {
    let actions = ["secret", "personal"].map(|group| (group.to_owned(), Action::Redact));
    let names = Names::new(["Ada", "Ada Lovelace"]);
    Guard::new(Policy::new(actions.into()).expect("a policy")).naming(names)
});

/// A function's name, and a call of it with a text.
type Function = (&'static str, fn(&str));

/// The functions that process texts.
const FUNCTIONS: &[Function] = &[
    ("read", |text| drop(black_box(read(&utterance(text))))),
    ("claims", |text| drop(black_box(claims(&utterance(text))))),
    ("echoes", |text| {
        let known = [
            ("Ada Lovelace".to_owned(), EntityType::Person),
            ("port".to_owned(), EntityType::Concept),
        ];
        drop(black_box(echoes(text, &known)));
    }),
    ("normalised", |text| drop(black_box(normalised(text)))),
    ("guard", |text| drop(black_box(GUARD.check(text)))),
    // The choice takes the same time for any text that is not short.
    ("digest", |text| {
        let mut digest = Digest::new();
        digest.read(&Turn {
            id: MemoryId::at(1),
            row: Row(1),
            author: "Ada",
            role: None,
            text,
            at: now(),
        });
        black_box(digest.characters());
    }),
    ("embedded_texts", |text| {
        drop(black_box(embedded_texts(text)));
    }),
    ("embed", |text| {
        let model = StaticModel::builtin();
        let mut vector = vec![0.0; model.dimensions()];
        model.embed_into(text, &mut vector).expect("a vector");
        black_box(vector);
    }),
    ("tokens", |text| {
        let mut tokens = Vec::new();
        StaticModel::builtin_tokens().tokens(text, &mut tokens);
        black_box(tokens);
    }),
];

fn utterance(text: &str) -> Utterance<'_> {
    Utterance {
        text,
        author: "Ada",
        role: None,
        at: now(),
    }
}

fn now() -> Timestamp {
    Timestamp::from_second(1_772_000_000).expect("an instant")
}

fn faults_of_functions(shape: &Shape) -> Vec<String> {
    let mut run = |bytes| {
        let text = shape.text(bytes);
        let costs = FUNCTIONS
            .iter()
            .map(|(name, run)| Cost::of(name, ANY, &mut || run(&text)));
        costs.collect()
    };
    stored(shape, |small| faults(small, &mut run))
}

fn stored(shape: &Shape, faults: impl FnMut(usize) -> Vec<String>) -> Vec<String> {
    let found = sizes().iter().copied().flat_map(faults);
    found
        .map(|fault| format!("{}: {fault}", shape.name))
        .collect()
}

#[test]
fn every_reader_is_linear_in_texts_of_every_kind() {
    let faults: Vec<String> = chosen(3).flat_map(faults_of_functions).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// A space in its own folder.
struct Home {
    folder: tempfile::TempDir,
    space: Space,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = Options::new(folder.path().join("store")).background(false);
        let store = Store::open_with(options).expect("a store");
        let space = store.space("tests").expect("a space");
        let home = Self { folder, space };
        home.write("The harbour was rebuilt in March, and Ada signed the lease.");
        home.recall("What did Ada sign?");
        home
    }

    fn write(&self, text: &str) {
        let draft = Draft::new(text).thread("talk").author("Ada");
        self.space.remember(draft).expect("told");
    }

    fn recall(&self, query: &str) {
        black_box(self.space.recall(&Recall::new(query)).expect("an answer"));
    }

    fn context(&self, request: &ContextRequest) {
        let context: Context = self.space.context(request).expect("a context");
        black_box(estimate_tokens(&context.text));
    }
}

/// The cost of each operation for a text.
fn doors(text: &str) -> Vec<Cost> {
    let home = Home::new();
    let space = &home.space;
    let beginning: String = text.chars().take(100).collect();
    let question = ContextRequest::new(beginning.clone(), 500);
    let start = ContextRequest::preset(ContextPreset::SessionStart);
    let notes = home.folder.path().join("notes");
    let mut lines = Vec::new();
    let usual = Cost::of("", ANY, &mut || home.recall(&beginning)).took;
    let mut costs = vec![
        Cost::of("remember", MOST_AT_WRITING, &mut || home.write(text)),
        Cost::of("first recall", MOST_AT_WRITING, &mut || {
            home.recall(&beginning);
        }),
        Cost::of("recall", MOST_AT_RECALL, &mut || home.recall(&beginning)),
        Cost::of("recall of others", MOST_AT_RECALL, &mut || {
            home.recall("What did Ada sign?");
        }),
        Cost::of("context", ANY, &mut || home.context(&question)),
        Cost::of("extract", ANY, &mut || {
            black_box(space.extract(&mut |_| true).expect("extracted"));
        }),
        Cost::of("summaries", ANY, &mut || {
            black_box(space.summarise(&mut |_| ()).expect("summarised"));
        })
        .judged_from(OF_PASSAGES),
        Cost::of("enrichment", ANY, &mut || {
            drop(black_box(space.enrich(&mut |_| ()).expect("enriched")));
        }),
        Cost::of("current importance", ANY, &mut || {
            let id = space.resolve("m2").expect("the text");
            black_box(space.quality_signals(id).expect("signals"));
        }),
        Cost::of("start of a session", ANY, &mut || home.context(&start)).judged_from(OF_PASSAGES),
        Cost::of("insights", ANY, &mut || {
            drop(black_box(space.insights().expect("insights")));
        }),
        Cost::of("consolidation", ANY, &mut || {
            drop(black_box(space.foldable().expect("proposals")));
        }),
        Cost::of("export", ANY, &mut || {
            space.export(&mut lines).expect("exported");
        }),
        Cost::of("export of notes", ANY, &mut || {
            space
                .export_notes(&notes, Visibility::Live)
                .expect("exported");
        }),
        Cost::of("export of a corpus", ANY, &mut || {
            space
                .export_corpus(true, std::io::sink())
                .expect("exported");
        }),
        Cost::of("fold", ANY, &mut || {
            drop(black_box(space.fold().expect("folded")));
        }),
    ];
    for cost in &mut costs[2..4] {
        cost.took = cost.took.saturating_sub(usual);
    }
    // A long query whose words occur in the text again and again.
    let end = text.floor_char_boundary(LONG_QUESTION);
    costs.push(Cost::of(
        "recall by much of it",
        MOST_AT_WRITING,
        &mut || {
            home.recall(&text[..end]);
        },
    ));
    let other = Home::new();
    costs.push(Cost::of("import", ANY, &mut || {
        let taken = other
            .space
            .import(&lines[..], ImportOptions::default(), &mut |_| ());
        black_box(taken.expect("imported"));
    }));
    costs.push(Cost::of("import of notes", ANY, &mut || {
        let taken = other
            .space
            .import_notes(&notes, ImportOptions::default(), &mut |_| ());
        black_box(taken.expect("imported"));
    }));
    costs
}

/// The cost of a query with the text itself.
fn questions(text: &str) -> Vec<Cost> {
    let home = Home::new();
    for day in 1..30 {
        home.write(&format!(
            "Release {day} was on day {day} of May, a week later."
        ));
    }
    home.recall("When was the last release?");
    let request = ContextRequest::new(text, 500);
    vec![
        Cost::of("recall by it", MOST_OF_QUESTION, &mut || home.recall(text)),
        Cost::of("context by it", MOST_OF_QUESTION, &mut || {
            home.context(&request);
        }),
    ]
}

#[test]
fn every_door_is_linear_in_texts_of_every_kind() {
    let faults_of = |shape: &'static Shape| {
        let mut run = |bytes: usize| {
            doors(&format!(
                "So: {}",
                shape.text(bytes.min(Limits::CONTENT_BYTES) - 16)
            ))
        };
        stored(shape, |small| faults(small, &mut run))
    };
    let faults: Vec<String> = chosen(60).flat_map(faults_of).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_question_is_answered_in_linear_time() {
    let faults_of = |shape: &'static Shape| {
        let mut run = |bytes: usize| {
            // Queries are shorter than memories.
            let bytes = (bytes / 4).min(Limits::QUERY_BYTES) - 16;
            questions(&format!("So: {}", shape.text(bytes)))
        };
        stored(shape, |small| faults(small, &mut run))
    };
    let faults: Vec<String> = chosen(9).flat_map(faults_of).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
