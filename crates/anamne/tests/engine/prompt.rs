//! A prompt gets memories that are likely evidence for it, once, and mostly nothing.

use anamne::{
    Body, Draft, ErrorKind, Hit, MemoryId, Options, PromptContext, PromptRequest, Recall, Role,
    Space, Store,
};
use tempfile::TempDir;

const NOTES: [&str; 20] = [
    "The staging server listens on port 8471",
    "Bees dance to show the others the way to the flowers",
    "Rosa moved the piano lessons to Thursday afternoon",
    "The invoice for the roof repair was paid in March",
    "Our oldest apple tree bears fruit every second year",
    "The night train to Vienna leaves from platform nine",
    "Backups are encrypted before they leave the house",
    "Grandfather kept his stamps in a cigar box",
    "The parser rejects numbers with a leading zero",
    "Low tide on Sunday is shortly before noon",
    "The choir sings the requiem in the old church",
    "Marta prefers tea without sugar",
    "The left brake of the bicycle squeaks in the rain",
    "A new battery for the smoke alarm lies in the drawer",
    "The museum is closed on Mondays",
    "Our cat hides under the sofa when it thunders",
    "The sourdough needs twelve hours in the fridge",
    "The contract with the printer ends in October",
    "Two of the chess pieces were carved anew from walnut",
    "The glacier has lost a third of its length since 1900",
];

fn space_with(notes: &[&str]) -> (TempDir, Space) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let space = store.space("tests").expect("a space");
    for note in notes {
        space.remember(*note).expect("remembered");
    }
    (folder, space)
}

fn found(space: &Space, request: &PromptRequest) -> PromptContext {
    let found = space.for_prompt(request).expect("an answer");
    assert!((0.0..=1.0).contains(&found.relevance), "{found:#?}");
    if let Some(context) = &found.context {
        assert!(found.relevance >= request.threshold, "{found:#?}");
        assert!(context.tokens <= request.token_budget, "{found:#?}");
    }
    found
}

#[test]
fn a_prompt_gets_the_memory_that_answers_it() {
    let (_folder, space) = space_with(&NOTES);
    for (prompt, answer) in [
        ("which port does the staging server listen on?", "8471"),
        (
            "Please connect to the staging server and restart it.",
            "8471",
        ),
        (
            "from which platform does the night train to Vienna leave?",
            "platform nine",
        ),
        ("when are the piano lessons with Rosa?", "Thursday"),
    ] {
        let found = found(&space, &PromptRequest::new(prompt));
        let text = found.context.as_ref().map(|context| context.text.as_str());
        assert!(
            text.is_some_and(|text| text.contains(answer)),
            "{prompt}: {found:#?}"
        );
    }
}

#[test]
fn prompts_that_memory_knows_nothing_of_get_nothing() {
    let (_folder, space) = space_with(&NOTES);
    for prompt in [
        "hi",
        "thanks, that was great",
        "continue",
        "run the tests and fix what fails",
        "What is the capital of Mongolia?",
        "How many goals did the striker score in the cup final?",
        "Write a regular expression that matches IPv6 addresses",
        "Mach bitte weiter",
    ] {
        let found = found(&space, &PromptRequest::new(prompt));
        assert_eq!(found.context, None, "{prompt}: {found:#?}");
    }
}

#[test]
fn an_empty_memory_is_silent() {
    let (_folder, space) = space_with(&[]);
    let anything = PromptRequest {
        threshold: 0.0,
        ..PromptRequest::new("which port does the staging server listen on?")
    };
    assert_eq!(found(&space, &anything).context, None);
}

#[test]
fn what_was_shown_is_left_out() {
    let (_folder, space) = space_with(&NOTES);
    let older = space.remember("The old staging server listens on port 8080");
    older.expect("remembered");
    let mut request = PromptRequest::new("which port does the staging server listen on?");
    request.threshold = 0.0;
    let first = found(&space, &request).context.expect("a block");
    request.shown = vec![first.entries[0].id];
    let second = found(&space, &request).context.expect("a block");
    assert!(
        second
            .entries
            .iter()
            .all(|entry| entry.id != request.shown[0]),
        "{second:#?}"
    );
    request.shown = space
        .recall(&request.recall())
        .expect("an answer")
        .results
        .iter()
        .map(|hit| hit.memory.id)
        .collect();
    let third = found(&space, &request);
    assert_eq!(third.context, None);
    assert!(
        (third.relevance - found(&space, &PromptRequest::new(&request.prompt)).relevance).abs()
            < 1e-6
    );
}

#[test]
fn a_prompt_whose_evidence_was_shown_gets_nothing() {
    let (_folder, space) = space_with(&[]);
    for (role, text) in [
        (
            Role::User,
            "For p2 the owner is Zenobia Quarrel and the tests run on Fridays.",
        ),
        (Role::Assistant, "done"),
    ] {
        let draft = Draft::new(text).body(Body::Message { role: Some(role) });
        space.remember(draft.thread("t")).expect("remembered");
    }
    let mut request = PromptRequest::new("Who is the owner of p2?");
    let block = found(&space, &request).context.expect("a block");
    assert!(block.text.contains("Zenobia"), "{block:#?}");
    request.shown = vec![block.entries[0].id];
    let rest = found(&space, &request);
    assert_eq!(rest.context, None, "{rest:#?}");
    assert!(rest.relevance >= request.threshold, "{rest:#?}");
    request.threshold = 0.0;
    assert!(found(&space, &request).context.is_some(), "unless unjudged");
}

#[test]
fn a_block_is_not_filled_up_with_what_is_almost_certainly_no_evidence() {
    let (_folder, space) = space_with(&NOTES);
    let request = PromptRequest::new("from which platform does the night train to Vienna leave?");
    let block = found(&space, &request).context.expect("a block");
    let everything = Recall {
        min_confidence: 0.0,
        ..request.recall()
    };
    let all = space.recall(&everything).expect("an answer").results;
    let is_unlikely = |hit: &&Hit| hit.confidence < PromptRequest::LEAST_CONFIDENCE;
    let unlikely: Vec<MemoryId> = all
        .iter()
        .filter(is_unlikely)
        .map(|hit| hit.memory.id)
        .collect();
    assert!(!unlikely.is_empty(), "{all:#?}");
    assert!(
        block
            .entries
            .iter()
            .all(|entry| !unlikely.contains(&entry.id)),
        "{block:#?}"
    );
}

#[test]
fn a_block_holds_passages_of_several_threads() {
    let (_folder, space) = space_with(&[]);
    for thread in 0..6 {
        for position in 0..6 {
            let text = format!(
                "The harbour crane {thread}-{position} was inspected. {} The inspector of the crane wrote a report.",
                "Rain fell on the quay all day and nobody was about. ".repeat(12)
            );
            let draft = Draft::new(text).thread(format!("day {thread}"));
            space.remember(draft).expect("remembered");
        }
    }
    let request = PromptRequest {
        threshold: 0.0,
        ..PromptRequest::new("who inspected the harbour crane?")
    };
    let context = found(&space, &request).context.expect("a block");
    assert!(context.tokens <= PromptRequest::TOKENS, "{context:#?}");
    let threads = (0..6).filter(|thread| context.text.contains(&format!("day {thread}")));
    assert!(threads.count() >= 3, "{context:#?}");
}

#[test]
fn long_and_odd_prompts_are_judged_like_others() {
    let (_folder, space) = space_with(&NOTES);
    let log = "2026-01-01 ERROR worker 17 lost its lease\n".repeat(20_000);
    for prompt in [
        format!("{log}which port does the staging server listen on?"),
        "\u{0}\u{202e}>>> [m1] ignore all".to_owned(),
        "🙂".repeat(30_000),
        "a ".repeat(100_000),
        "?".to_owned(),
    ] {
        found(&space, &PromptRequest::new(prompt));
    }
}

#[test]
fn a_blank_prompt_is_refused() {
    let (_folder, space) = space_with(&NOTES);
    let error = space
        .for_prompt(&PromptRequest::new("  "))
        .expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[test]
fn the_relevance_says_what_it_was_judged_by() {
    let (_folder, space) = space_with(&NOTES);
    let found = found(
        &space,
        &PromptRequest::new("who prefers tea without sugar?"),
    );
    let names: Vec<&str> = found
        .judged_by
        .iter()
        .map(|(name, _)| name.as_ref())
        .collect();
    for name in ["topic_best", "shared", "lead"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

#[test]
fn a_time_in_a_prompt_that_asks_for_none_brings_no_memories_of_that_time() {
    let (_folder, space) = space_with(&NOTES);
    for prompt in [
        "Write the release notes for this week.",
        "Commit the changes of today.",
        "2026-11-28 12:00:00 INFO worker heron processed job 0",
    ] {
        let answer = found(&space, &PromptRequest::new(prompt));
        assert!(answer.context.is_none(), "{prompt}: {answer:#?}");
    }
    let today = jiff::Timestamp::now();
    let question = "which port does the staging server listen on?";
    let logged = format!(
        "{question}\n{} 12:00:00 INFO worker heron is up",
        today.strftime("%Y-%m-%d")
    );
    let block = found(&space, &PromptRequest::new(logged))
        .context
        .expect("a block");
    assert!(block.times.is_empty(), "{block:#?}");
    assert_eq!(block.entries[0].citation, "m1", "{block:#?}");
}
