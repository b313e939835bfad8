//! The tasks, and what they accept of a model's answer.

use anamne_knowledge::reading::{Reading, Term, Utterance};
use anamne_llm::tasks::{self, ConflictVerdict, Insight, SourceText, SummarySentence};
use anamne_llm::{Bridge, BridgeError, Call, Provider};
use anamne_types::EntityType;
use jiff::civil::date;
use serde_json::{Value, json};

use crate::world::{Form, Turn, World};

fn world(answers: &[Value]) -> World {
    let form = Form(Provider::Anthropic);
    let script = answers
        .iter()
        .map(|answer| Turn::json(&form.structured(answer)));
    World::new(Provider::Anthropic, script.collect())
}

fn with<T>(answer: &Value, task: impl FnOnce(&Bridge, &Call<'_>) -> Result<T, BridgeError>) -> T {
    let world = world(std::slice::from_ref(answer));
    task(&world.bridge(), &Call::of("core")).expect("an answer")
}

fn said(text: &str) -> SourceText<'_> {
    SourceText {
        text,
        author: "Ida",
        on: date(2026, 1, 31),
    }
}

fn utterance(text: &str) -> Utterance<'_> {
    Utterance {
        text,
        author: "Ida Brandt",
        role: None,
        at: "2026-01-31T12:00:00Z".parse().expect("an instant"),
    }
}

fn read(text: &str, names: &Value, statements: &Value) -> Reading {
    let answer = json!({"names": names, "statements": statements});
    with(&answer, |bridge, call| {
        tasks::read(bridge, call, &utterance(text))
    })
}

fn statement(subject: &str, relation: &str, object: &str, object_is: &str) -> Value {
    json!({"sentence": 1, "subject": subject, "relation": relation, "object": object, "object_is": object_is,
        "negated": false, "from": null, "until": null})
}

#[track_caller]
fn too_long(error: &BridgeError) {
    assert!(matches!(error, BridgeError::TooLong { .. }), "{error}");
}

fn place(name: &str) -> Term {
    Term::Entity(name.to_owned(), EntityType::Place)
}

#[test]
fn names_are_found_again_and_others_are_dropped() {
    let text = "Bonn is old. I left New York for Bonn; the city of york has no part in it.";
    let names = json!([
        {"name": "bonn", "type": "place"}, {"name": "York", "type": "place"},
        {"name": "New York", "type": "place"}, {"name": "Paris", "type": "place"},
        {"name": "on", "type": "concept"}, {"name": "", "type": "concept"},
    ]);
    let reading = read(text, &names, &json!([]));
    let found: Vec<_> = reading
        .mentions
        .iter()
        .map(|mention| (&text[mention.span.clone()], mention.name.as_str()))
        .collect();
    // York occurs as a separate word only within New York, which is the longer name.
    assert_eq!(
        found,
        [("Bonn", "Bonn"), ("New York", "New York"), ("Bonn", "Bonn")]
    );
    assert!(
        reading
            .mentions
            .iter()
            .all(|mention| mention.entity_type == EntityType::Place)
    );
}

#[test]
fn statements_without_evidence_are_dropped() {
    let text = "I live in Bonn since 2019. The rent is 900 euros.";
    let names = json!([{"name": "Bonn", "type": "place"}]);
    let check = |statement: Value, kept: bool| {
        let reading = read(text, &names, &json!([statement]));
        assert_eq!(reading.statements.len(), usize::from(kept), "{statement}");
    };
    check(statement("Ida Brandt", "lives_in", "Bonn", "name"), true);
    check(statement("Ida Brandt", "lives_in", "Köln", "name"), false);
    check(statement("Eve", "lives_in", "Bonn", "name"), false);
    check(
        statement("Ida Brandt", "has_value", "since 2019", "value"),
        true,
    );
    check(
        statement("Ida Brandt", "has_value", "since 2020", "value"),
        false,
    );
    check(
        statement("Ida Brandt", "costs", "900 EUROS", "value"),
        false,
    );
    check(statement("Bonn", "part_of", "Bonn", "name"), false);
    let with = |field: &str, value: Value| {
        let mut statement = statement("Ida Brandt", "costs", "900 EUROS", "value");
        statement["sentence"] = json!(2);
        statement[field] = value;
        statement
    };
    check(with("negated", json!(true)), true);
    check(with("sentence", json!(3)), false);
    check(with("sentence", json!(1e18)), false);
}

#[test]
fn a_statement_has_its_sentence_and_its_time() {
    let text = "The house was small and cold. I lived in Bonn from May to June.";
    let mut message = statement("ida brandt", "lives_in", "BONN", "name");
    message["sentence"] = json!(2);
    message["from"] = json!("2025-05-01");
    message["until"] = json!("2025-06-30");
    let mut reversed = message.clone();
    reversed["from"] = json!("2026-05-01");
    let mut vague = message.clone();
    vague["from"] = json!("in May");
    vague["until"] = json!("2025-13-40");
    let names = json!([{"name": "Bonn", "type": "place"}]);
    let reading = read(text, &names, &json!([message, message, reversed, vague]));
    assert_eq!(
        reading.statements.len(),
        2,
        "the same twice is one, and so is one without times"
    );
    let first = &reading.statements[0];
    assert_eq!(
        &text[first.span.clone()],
        "I lived in Bonn from May to June."
    );
    assert_eq!(
        first.subject,
        Term::Entity("Ida Brandt".to_owned(), EntityType::Person)
    );
    assert_eq!(first.object, place("Bonn"));
    assert_eq!(first.relation, "lives_in");
    let day = |text: &str| Some(text.parse().expect("an instant"));
    assert_eq!(first.valid_from, day("2025-05-01T00:00:00Z"));
    assert_eq!(first.valid_to, day("2025-06-30T00:00:00Z"));
    assert_eq!(
        (
            reading.statements[1].valid_from,
            reading.statements[1].valid_to
        ),
        (None, None)
    );
}

#[test]
fn texts_of_any_kind_are_read_without_problem() {
    let names = json!([{"name": "東京", "type": "place"}, {"name": "🦀", "type": "concept"},
        {"name": "İ", "type": "concept"}, {"name": "é", "type": "concept"}]);
    for text in [
        "東京に住む。",
        "🦀🦀🦀",
        "İİİ i̇",
        "e\u{301} é",
        "fn main() {}",
        "\u{0}\n\t",
        "... !!! ???",
    ] {
        let reading = read(
            text,
            &names,
            &json!([statement("東京", "is_a", "🦀", "name")]),
        );
        for mention in reading.mentions {
            assert!(!text[mention.span].is_empty());
        }
    }
}

#[test]
fn nothing_is_asked_about_nothing_and_too_much_is_refused() {
    let world = world(&[]);
    let (bridge, call) = (world.bridge(), Call::of("core"));
    for text in ["", " \n\t "] {
        assert_eq!(
            tasks::read(&bridge, &call, &utterance(text)).expect("nothing"),
            Reading::default()
        );
    }
    assert_eq!(
        tasks::summarise(&bridge, &call, &[], 3).expect("nothing"),
        []
    );
    assert_eq!(
        tasks::summarise(&bridge, &call, &[said("x")], 0).expect("nothing"),
        []
    );
    assert_eq!(
        tasks::insight(&bridge, &call, &[said("x")]).expect("nothing"),
        None
    );
    let long = "word ".repeat(20_000);
    too_long(&tasks::read(&bridge, &call, &utterance(&long)).expect_err("too long"));
    too_long(&tasks::judge(&bridge, &call, &said("x"), &said(&long)).expect_err("too long"));
    too_long(&tasks::summarise(&bridge, &call, &[said(&long)], 3).expect_err("too long"));
    too_long(&tasks::summarise(&bridge, &call, &[said("x"); 301], 3).expect_err("too many"));
    too_long(&tasks::insight(&bridge, &call, &[said("x"); 101]).expect_err("too many"));
}

#[test]
fn a_judgement_has_a_verdict_and_a_short_reason() {
    let check = |word: &str, verdict: ConflictVerdict| {
        let answer = json!({"verdict": word, "reason": "It \u{1b}[1mmoved.\n\nReally."});
        let judged = with(&answer, |bridge, call| {
            tasks::judge(bridge, call, &said("a"), &said("b"))
        });
        assert_eq!(
            (judged.verdict, judged.reason.as_str()),
            (verdict, "It [1mmoved. Really.")
        );
    };
    check("none", ConflictVerdict::None);
    check("superseded", ConflictVerdict::Superseded);
    check("contested", ConflictVerdict::Contested);
    let answer = json!({"verdict": "none", "reason": "x".repeat(900)});
    let judged = with(&answer, |bridge, call| {
        tasks::judge(bridge, call, &said("a"), &said("b"))
    });
    assert_eq!(judged.reason.len(), 300);
}

#[test]
fn sentences_of_a_summary_cite_what_they_were_given() {
    let answer = json!({"sentences": [
        {"text": " The club\nmoved. ", "sources": [2, 1, 2, 9]},
        {"text": "Nobody said this.", "sources": []},
        {"text": "Nor this.", "sources": [0, 4, -1]},
        {"text": "  ", "sources": [1]},
        {"text": "It rains.", "sources": [3]},
    ]});
    let sources = [said("a"), said("b"), said("c")];
    let summary = with(&answer, |bridge, call| {
        tasks::summarise(bridge, call, &sources, 5)
    });
    let sentence = |text: &str, sources: &[usize]| SummarySentence {
        text: text.to_owned(),
        sources: sources.to_vec(),
    };
    assert_eq!(
        summary,
        [
            sentence("The club moved.", &[0, 1]),
            sentence("It rains.", &[2])
        ]
    );
}

#[test]
fn more_sentences_than_were_asked_for_are_a_wrong_answer() {
    let many = json!({"sentences": [{"text": "a", "sources": [1]}, {"text": "b", "sources": [1]}]});
    let world = world(&[many.clone(), many]);
    let refused = tasks::summarise(&world.bridge(), &Call::of("core"), &[said("x")], 1);
    assert!(matches!(refused, Err(BridgeError::Unusable { .. })));
}

#[test]
fn an_insight_needs_two_sources() {
    let memories = [said("a"), said("b"), said("c")];
    let check = |answer: Value, expected: Option<Insight>| {
        let found = with(&answer, |bridge, call| {
            tasks::insight(bridge, call, &memories)
        });
        assert_eq!(found, expected, "{answer}");
    };
    let insight = Insight {
        text: "It always rains.".to_owned(),
        sources: vec![0, 2],
    };
    check(
        json!({"insight": "It always rains.", "sources": [3, 1]}),
        Some(insight),
    );
    check(json!({"insight": "It always rains.", "sources": [1]}), None);
    check(
        json!({"insight": "It always rains.", "sources": [1, 1, 7]}),
        None,
    );
    check(json!({"insight": null, "sources": [1, 2]}), None);
    check(json!({"insight": "", "sources": [1, 2]}), None);
}

#[test]
fn a_probe_says_who_answers_and_whether_in_the_form_asked_for() {
    let probe = |answer: Value| with(&answer, tasks::probe);
    let good = probe(json!({"ready": true}));
    assert_eq!(
        (good.model.as_str(), good.keeps_to_form),
        ("model-1-20260101", true)
    );
    assert!(!probe(json!({"steady": true})).keeps_to_form);
}

#[test]
fn lessons_have_a_title_a_content_and_steps() {
    let steps = [
        tasks::StepText {
            call: "make",
            error: "no linker",
            succeeded: false,
        },
        tasks::StepText {
            call: "install mold",
            error: "",
            succeeded: true,
        },
    ];
    let lesson = |title: &str, content: &str, sources: Value| json!({"title": title, "description": "When\nit builds.", "content": content, "sources": sources});
    let written = |lessons: Value| {
        with(&json!({ "lessons": lessons }), |bridge, call| {
            tasks::lessons(bridge, call, "release", true, &steps)
        })
    };
    let found = written(json!([
        lesson("Linker\u{1b}[2J first", "Install it.", json!([2, 2, 7])),
        lesson("", "No title.", json!([1])),
        lesson("No steps", "Nothing bears it.", json!([3])),
    ]));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].description.as_str(), &found[0].steps[..]),
        ("When it builds.", &[1][..])
    );
    assert!(!found[0].title.contains('\u{1b}'), "{found:?}");
    let long = "x".repeat(300);
    let found = written(json!([lesson(&long, "It is long.", json!([1]))]));
    assert_eq!(found[0].title.chars().count(), 60);
    let world = world(&[]);
    let (bridge, call) = (world.bridge(), Call::of("core"));
    assert_eq!(
        tasks::lessons(&bridge, &call, "release", true, &[]).expect("nothing"),
        []
    );
    let many = [steps[0]; 65];
    too_long(&tasks::lessons(&bridge, &call, "release", true, &many).expect_err("too many"));
    let text = "x".repeat(64 << 10);
    too_long(&tasks::lessons(&bridge, &call, &text, true, &steps).expect_err("too long"));
}
