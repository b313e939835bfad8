//! The start of a session shows what was decided, is to be kept, and is open, however it got into the store.

use anamne::{Body, Context, ContextPreset, ContextRequest, Draft, Options, Role, Space, Store};
use tempfile::TempDir;

fn space() -> (TempDir, Space) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let space = store.space("shop").expect("a space");
    (folder, space)
}

/// Captures a session as hooks do; an hour lies between two.
fn session(space: &Space, number: i64, turns: &[(&str, &str)]) {
    let begin = 1_772_000_000 + number * 3_600;
    let said = |place: usize, role: Role, text: &str| {
        let at = jiff::Timestamp::from_second(begin + place as i64).expect("an instant");
        let mut draft = Draft::new(text)
            .body(Body::Message { role: Some(role) })
            .thread(format!("codex s{number}"))
            .author(if role == Role::User { "user" } else { "codex" })
            .occurred_at(at);
        draft.session = Some(format!("s{number}"));
        draft
    };
    let mut drafts = Vec::new();
    for (place, (asked, answered)) in turns.iter().enumerate() {
        drafts.push(said(2 * place, Role::User, asked));
        drafts.push(said(2 * place + 1, Role::Assistant, answered));
    }
    let told = space.capture("codex", None, &drafts).expect("captured");
    assert!(told.outcomes.iter().all(|outcome| outcome.id().is_some()));
}

fn started(space: &Space) -> Context {
    let mut request = ContextRequest::preset(ContextPreset::SessionStart);
    request.token_budget = 1_200;
    space.context(&request).expect("a context")
}

/// The part of the block under a heading; empty if it has none.
fn under<'text>(context: &'text Context, heading: &str) -> &'text str {
    let part = context.text.split_once(&format!("## {heading}\n"));
    part.map_or("", |(_, rest)| {
        rest.split("\n## ").next().unwrap_or_default()
    })
}

const DECISION: &str = "We decided to store sessions in Valkey 8, not in Redis.";
const RULE: &str = "From now on always write commit messages in English.";
const TO_DO: &str = "TODO: rotate the TLS certificate before Friday.";
const BROKEN: &str = "The refund job is still broken, we must fix it before the release.";
const QUESTION: &str = "Open question: should refunds be synchronous?";

fn told_long_ago(space: &Space) {
    let turns = [
        (DECISION, "Right, Valkey 8."),
        (RULE, "Will do."),
        (TO_DO, "Noted."),
        (BROKEN, "I keep it in mind."),
        (QUESTION, "I don't know yet."),
    ];
    session(space, 0, &turns);
    for (number, part) in [
        "footer",
        "header",
        "logo",
        "sidebar",
        "cart icon",
        "banner",
        "cookie notice",
        "search box",
        "login form",
        "contact page",
    ]
    .iter()
    .enumerate()
    {
        let turns = [
            (
                &*format!("Please make the {part} a bit smaller on phones."),
                &*format!("I changed the CSS of the {part}."),
            ),
            (
                &*format!("Now run the tests for the {part}."),
                "All 214 tests pass.",
            ),
        ];
        session(space, number as i64 + 1, &turns);
    }
}

#[test]
fn decisions_rules_and_open_points_of_earlier_sessions_stay() {
    let (_folder, space) = space();
    told_long_ago(&space);
    for is_enriched in [false, true] {
        if is_enriched {
            space.enrich(&mut |_| {}).expect("enriched");
        }
        let context = started(&space);
        let (decided, open) = (under(&context, "Decided"), under(&context, "Open"));
        for words in [DECISION, RULE] {
            assert!(decided.contains(words), "{words}: {}", context.text);
        }
        for words in [TO_DO, BROKEN, QUESTION] {
            assert!(open.contains(words), "{words}: {}", context.text);
        }
        for part in [decided, open] {
            assert!(!part.contains("Please make"), "{}", context.text);
        }
        assert!(
            under(&context, "Recent").contains("contact page"),
            "{}",
            context.text
        );
        assert!(context.tokens <= 1_200, "{}", context.tokens);
        for words in [DECISION, RULE, TO_DO] {
            assert_eq!(context.text.matches(words).count(), 1, "{}", context.text);
        }
    }
}

#[test]
fn a_point_that_was_closed_is_open_no_more() {
    let (_folder, space) = space();
    told_long_ago(&space);
    let turns = [
        (
            "Is the certificate rotated?",
            "I rotated the TLS certificate, it holds for a year.",
        ),
        ("And the refund job?", "The refund job is fixed."),
    ];
    session(&space, 20, &turns);
    let context = started(&space);
    let open = under(&context, "Open");
    assert!(open.contains(QUESTION), "{}", context.text);
    for words in [TO_DO, BROKEN] {
        assert!(!open.contains(words), "{words}: {}", context.text);
    }
}

#[test]
fn a_note_that_decides_stands_before_later_trivial_ones() {
    let (_folder, space) = space();
    space
        .remember("We decided to use trunk-based development.")
        .expect("told");
    for number in 0..8 {
        space
            .remember(format!("Added entry {number} to the list.").as_str())
            .expect("told");
    }
    let context = started(&space);
    assert!(
        under(&context, "Decided").contains("trunk-based"),
        "{}",
        context.text
    );
}

#[test]
fn of_a_long_text_the_sentence_that_decides_is_shown() {
    let (_folder, space) = space();
    let before =
        "The kitchen was painted on the first day and the hall on the second one. ".repeat(3);
    let text = format!("{DECISION} {before}");
    session(&space, 0, &[(text.as_str(), "Noted.")]);
    let context = started(&space);
    let decided = under(&context, "Decided");
    assert!(decided.contains(DECISION), "{}", context.text);
    assert!(!decided.contains("kitchen"), "{}", context.text);
}

#[test]
fn enrichment_that_is_off_or_was_removed_decides_nothing() {
    let (_folder, space) = space();
    let id = space.remember(DECISION).expect("told").id;
    assert!(under(&started(&space), "Decided").contains(DECISION));
    space
        .remove_enrichment(id, &["category".parse().expect("a part")])
        .expect("removed");
    assert_eq!(under(&started(&space), "Decided"), "");
    space.restore_enrichment(id).expect("restored");
    space.set_enrichment(false, false).expect("off");
    assert_eq!(under(&started(&space), "Decided"), "");
}
