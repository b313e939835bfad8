//! A language model in the background: its readings and verdicts count, its cost is bounded, and it is optional.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anamne::llm::{
    Bridge, BridgeConfig, BridgeError, Budgets, LanguageModel, Ledger, Reply, Request, SystemPace,
    Usage,
};
use anamne::queue::Outcome;
use anamne::{
    ActionOutcome, ContradictionQuery, Draft, Experience, Options, Space, Store, SystemClock,
};

/// Answers depending on the prompt.
struct Scripted {
    asked: AtomicU32,
    says: fn(&str) -> String,
}

impl LanguageModel for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn complete(&self, request: &Request) -> Result<Reply, BridgeError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let question = format!("{request:?}");
        Ok(Reply {
            text: (self.says)(&question),
            usage: Some(Usage {
                input_tokens: 400,
                output_tokens: 100,
            }),
            model: "scripted".to_owned(),
            cut: false,
        })
    }
}

fn space(folder: &Path, model: &Arc<Scripted>, budgets: Budgets) -> Space {
    let config = BridgeConfig {
        budgets,
        ..BridgeConfig::default()
    };
    let ledger = Arc::new(Ledger::open(&folder.join("catalog.db")).expect("a ledger"));
    let bridge = Bridge::new(
        config,
        model.clone(),
        ledger,
        Arc::new(SystemClock),
        Arc::new(SystemPace::new()),
    );
    let options = Options {
        language_model: Some(Arc::new(bridge)),
        ..Options::new(folder).background(false)
    };
    Store::open_with(options)
        .expect("a store")
        .space("tests")
        .expect("a space")
}

fn model(says: fn(&str) -> String) -> Arc<Scripted> {
    Arc::new(Scripted {
        asked: AtomicU32::new(0),
        says,
    })
}

/// Extracts that somebody likes a place, and finds no contradictions.
fn reads(question: &str) -> String {
    if question.contains("verdict") {
        return r#"{"verdict": "none", "reason": "They speak of two projects."}"#.to_owned();
    }
    if question.contains("Timbuktu") {
        return r#"{"names": [{"name": "Mara Lind", "type": "person"}, {"name": "Timbuktu", "type": "place"}],
            "statements": [{"sentence": 1, "subject": "Mara Lind", "relation": "likes", "object": "Timbuktu",
            "object_is": "name", "negated": false, "from": null, "until": null}]}"#
            .to_owned();
    }
    r#"{"names": [], "statements": []}"#.to_owned()
}

fn run(space: &Space) -> Vec<(String, Outcome)> {
    let mut ran = Vec::new();
    space
        .run_tasks(&mut |one| ran.push((one.task.kind.clone(), one.outcome.clone())))
        .expect("run");
    ran
}

const SAID: &str = "Whenever one asks her, Mara Lind cannot stop praising the streets of Timbuktu.";

#[test]
fn what_a_model_reads_is_known_and_asked_for_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(reads);
    let space = space(folder.path(), &model, Budgets::default());
    space.remember(SAID).expect("told");
    space.remember("Too short").expect("told");
    assert!(run(&space).contains(&("read-by-model".to_owned(), Outcome::Done)));
    let likes = || {
        let relations = space
            .knowledge()
            .expect("knowledge")
            .relations("Mara Lind")
            .expect("known");
        relations.iter().any(|one| {
            let is_it = one.relation == "likes" && one.object.text() == "Timbuktu";
            assert!(!is_it || one.made_by.is_model(), "{}", one.made_by);
            is_it
        })
    };
    assert!(likes());
    assert_eq!(model.asked.load(Ordering::Relaxed), 1);
    run(&space);
    space.extract_again(&mut |_| true).expect("extracted");
    assert!(likes(), "extracted again it knows what was read");
    assert_eq!(model.asked.load(Ordering::Relaxed), 1, "and asks no more");
}

#[test]
fn what_a_model_takes_for_no_contradiction_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(reads);
    let space = space(folder.path(), &model, Budgets::default());
    for text in [
        "I implemented a Flask route for the homepage.",
        "I have never written any Flask routes in this project.",
    ] {
        space
            .remember(Draft::new(text).author("Ada"))
            .expect("told");
    }
    space.extract(&mut |_| true).expect("extracted");
    let open = ContradictionQuery {
        open: true,
        limit: 10,
        ..ContradictionQuery::default()
    };
    let count = || {
        space
            .knowledge()
            .expect("knowledge")
            .contradictions(&open)
            .expect("listed")
            .len()
    };
    assert_eq!(count(), 1);
    run(&space);
    assert_eq!(count(), 0);
}

#[test]
fn nonsense_leaves_what_the_rules_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(|_| "I would rather talk about the weather.".to_owned());
    let space = space(folder.path(), &model, Budgets::default());
    space
        .remember("Mara Lind lives in Bonn with her two sisters and a dog.")
        .expect("told");
    assert!(
        run(&space)
            .iter()
            .all(|(_, outcome)| *outcome == Outcome::Done)
    );
    space
        .knowledge()
        .expect("knowledge")
        .entity("Mara Lind")
        .expect("the rules read it");
    let asked = model.asked.load(Ordering::Relaxed);
    run(&space);
    assert_eq!(
        model.asked.load(Ordering::Relaxed),
        asked,
        "it is not asked again"
    );
}

#[test]
fn a_budget_stops_the_spending_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(reads);
    let tight = Budgets {
        daily_tokens: 10,
        ..Budgets::default()
    };
    let space = space(folder.path(), &model, tight);
    space.remember(SAID).expect("told");
    let ran = run(&space);
    assert!(
        ran.iter()
            .any(|(kind, outcome)| kind == "read-by-model" && *outcome != Outcome::Done),
        "{ran:?}"
    );
    assert_eq!(model.asked.load(Ordering::Relaxed), 0);
    space
        .knowledge()
        .expect("knowledge")
        .entity("Mara Lind")
        .expect("the rules read it");
}

#[test]
fn nothing_of_what_was_erased_stays_in_what_a_model_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(reads);
    let space = space(folder.path(), &model, Budgets::default());
    let stored = space.remember(SAID).expect("told");
    run(&space);
    assert!(space.erase(stored.id).expect("erased").is_complete());
    for entry in std::fs::read_dir(space.folder().join("views"))
        .expect("read")
        .flatten()
    {
        let Ok(bytes) = std::fs::read(entry.path()) else {
            continue;
        };
        let bytes = bytes.to_ascii_lowercase();
        assert!(
            !bytes.windows(8).any(|window| window == b"timbuktu"),
            "{:?}",
            entry.path()
        );
    }
}

#[test]
fn summaries_and_insights_are_said_in_a_models_words_with_their_sources() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(|question| {
        if question.contains("most_sentences") {
            return r#"{"sentences": [{"text": "The roof is done in larch.", "sources": [1, 2]}, {"text": "Nobody said this.", "sources": [99]}]}"#.to_owned();
        }
        r#"{"insight": "Larch it is.", "sources": [1, 2]}"#.to_owned()
    });
    let space = space(folder.path(), &model, Budgets::default());
    let mut ids = Vec::new();
    for (day, text) in [
        (1, "We decided on larch for the roof, 4200 euro."),
        (2, "Decided: larch for the roof, delivery on 17 March."),
        (3, "As decided, larch for the roof."),
    ] {
        let at: jiff::Timestamp = format!("2026-03-0{day}T10:00:00Z")
            .parse()
            .expect("an instant");
        ids.push(
            space
                .remember(
                    Draft::new(text)
                        .author("Ida")
                        .thread("roof")
                        .occurred_at(at),
                )
                .expect("told")
                .id,
        );
    }
    space.summarise(&mut |_| {}).expect("summarised");
    let months = space
        .summaries(
            anamne::Level::Month,
            jiff::Timestamp::MIN..jiff::Timestamp::MAX,
            5,
        )
        .expect("read");
    let worded = space
        .reword_summary(&months[0], 3)
        .expect("asked")
        .expect("there is a model");
    assert_eq!(worded.len(), 1, "a sentence without a source is left out");
    assert_eq!(worded[0].text, "The roof is done in larch.");
    assert!(worded[0].made_by.is_model());
    assert!(!worded[0].sources.is_empty() && worded[0].sources.iter().all(|id| ids.contains(id)));
    let insight = anamne::Insight {
        text: String::new(),
        sentence: String::new(),
        central: ids[0],
        sources: ids.clone(),
        first: months[0].start,
        last: months[0].end,
        days: 3,
        made_by: anamne::MadeBy::rule("insight", 1),
        confidence: 0.9,
    };
    let worded = space
        .reword_insight(&insight)
        .expect("asked")
        .expect("there is a model");
    assert_eq!(
        (worded[0].text.as_str(), worded[0].citations.len()),
        ("Larch it is.", 2)
    );
    let tight = Budgets {
        daily_tokens: 10,
        ..Budgets::default()
    };
    let other = tempfile::tempdir().expect("a folder");
    let poor = self::space(other.path(), &model, tight);
    for id in &ids {
        let memory = space.get(*id).expect("there");
        poor.remember(
            Draft::new(memory.content)
                .thread("roof")
                .occurred_at(memory.occurred_at),
        )
        .expect("told");
    }
    poor.summarise(&mut |_| {}).expect("summarised");
    let months = poor
        .summaries(
            anamne::Level::Month,
            jiff::Timestamp::MIN..jiff::Timestamp::MAX,
            5,
        )
        .expect("read");
    poor.reword_summary(&months[0], 3)
        .expect_err("the budget is spent");
}

/// Enriches everything in the same words.
fn enriches(question: &str) -> String {
    if question.contains("careful reader would note") {
        return r#"{"category": "insight", "importance": 9, "keywords": ["Timbuktu", "dragons"], "tags": ["Travel"],
            "language": "en", "summary": ""}"#
            .to_owned();
    }
    reads(question)
}

#[test]
fn a_model_enriches_once_where_it_may_and_told_values_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(enriches);
    let space = space(folder.path(), &model, Budgets::default());
    let id = space.remember(SAID).expect("told").id;
    let private = "Whenever one asks her, Mara Lind whispers about the streets of Timbuktu.";
    let private = space
        .remember(Draft::new(private).tag("private"))
        .expect("told")
        .id;
    run(&space);
    let by = |id| space.enrichment(id).expect("read").expect("noted").by;
    assert_eq!(
        by(id),
        "rules 2",
        "a model costs money, so it is asked only where it was switched on"
    );
    space.set_enrichment(true, true).expect("on");
    let before = model.asked.load(Ordering::Relaxed);
    assert!(run(&space).contains(&("enrich-by-model".to_owned(), Outcome::Done)));
    let noted = space.enrichment(id).expect("read").expect("noted");
    assert_eq!(
        (noted.importance, noted.keywords.len()),
        (Some(9), 1),
        "{noted:?}"
    );
    assert_eq!(noted.tags, ["travel"]);
    assert_ne!(noted.by, "rules 2");
    assert_eq!(
        by(private),
        "rules 2",
        "it is not sent to a model elsewhere"
    );
    assert_eq!(model.asked.load(Ordering::Relaxed), before + 1);
    // A removal is an edit of the memory, and not of its text.
    space
        .remove_enrichment(id, &[anamne::EnrichedPart::Tags])
        .expect("removed");
    run(&space);
    let noted = space.enrichment(id).expect("read").expect("noted");
    assert!(
        noted.tags.is_empty() && noted.importance == Some(9),
        "{noted:?}"
    );
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    assert_eq!(space.enrichment(id).expect("read"), Some(noted));
    let erased = space.erase_all(&[id]).expect("erased");
    assert!(erased.is_complete(), "{erased:?}");
}

/// Writes one lesson that cites the second step, and one that cites none.
fn teaches(question: &str) -> String {
    if question.contains("finished attempt") {
        return r#"{"lessons": [
            {"title": "Install the linker", "description": "Before a build.", "content": "It is missing on new machines.", "sources": [2, 9]},
            {"title": "Nothing bears this", "description": "", "content": "So it is dropped.", "sources": []}]}"#
            .to_owned();
    }
    reads(question)
}

/// Records a run that met an error, recovered and succeeded; `tag` is a tag of its outcome.
fn attempt(space: &Space, run: &str, goal: &str, tag: Option<&str>) -> anamne::MemoryId {
    let record = |outcome: ActionOutcome, tag: Option<&str>| {
        let mut draft = Draft::experience(Experience::Outcome(outcome));
        draft.tags.extend(tag.map(str::to_owned));
        space.remember(draft).expect("recorded").id
    };
    for (call, error) in [
        ("make", "no linker"),
        ("install a linker", ""),
        ("make", ""),
    ] {
        let step = ActionOutcome {
            action: "shell".to_owned(),
            arguments: call.to_owned(),
            succeeded: error.is_empty(),
            error: error.to_owned(),
            run: run.to_owned(),
            ..ActionOutcome::default()
        };
        record(step, None);
    }
    let end = ActionOutcome {
        action: ActionOutcome::TASK.to_owned(),
        succeeded: true,
        goal: goal.to_owned(),
        run: run.to_owned(),
        ends_run: true,
        ..ActionOutcome::default()
    };
    record(end, tag)
}

fn titles(space: &Space) -> Vec<(String, String)> {
    let proposals = space.lesson_proposals().expect("proposals").into_iter();
    let lessons = proposals.filter_map(|one| one.lesson);
    lessons.map(|lesson| (lesson.title, lesson.model)).collect()
}

#[test]
fn a_model_writes_the_lessons_of_an_attempt_once_and_not_of_a_private_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(teaches);
    let space = space(folder.path(), &model, Budgets::default());
    let by_rules = ("What ended the error: no linker".to_owned(), String::new());
    let by_model = ("Install the linker".to_owned(), "scripted".to_owned());
    let private = attempt(&space, "r1", "publish the secret", Some("private"));
    assert_eq!(titles(&space), std::slice::from_ref(&by_rules));
    run(&space);
    assert_eq!(
        model.asked.load(Ordering::Relaxed),
        0,
        "it is not sent to a model elsewhere"
    );
    space.forget(private).expect("forgotten");
    let open = attempt(&space, "r2", "publish the release", None);
    assert!(run(&space).contains(&("learn-by-model".to_owned(), Outcome::Done)));
    assert_eq!(titles(&space), std::slice::from_ref(&by_model));
    assert_eq!(model.asked.load(Ordering::Relaxed), 1);
    let ran = run(&space);
    assert!(
        !ran.iter().any(|(kind, _)| kind == "learn-by-model"),
        "{ran:?}"
    );
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    assert_eq!(
        titles(&space),
        std::slice::from_ref(&by_model),
        "what cost money stays"
    );
    let found = space.lesson_proposals().expect("proposals").remove(0);
    let kept = space
        .keep_lesson(&found.lesson.expect("a lesson").item)
        .expect("kept");
    assert!(
        space
            .get(kept.id)
            .expect("kept")
            .content
            .contains("new machines")
    );
    assert_eq!(titles(&space), []);
    assert!(space.erase_all(&[open]).expect("erased").is_complete());
    let paid = std::fs::read(space.folder().join("paid/readings.db")).expect("read");
    let holds = |needle: &[u8]| paid.windows(needle.len()).any(|bytes| bytes == needle);
    assert!(!holds(b"new machines"));
}

#[test]
fn without_a_usable_answer_the_lessons_of_the_rules_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(|_| "I would rather not.".to_owned());
    let space = space(folder.path(), &model, Budgets::default());
    attempt(&space, "r1", "publish the release", None);
    run(&space);
    assert!(model.asked.load(Ordering::Relaxed) > 0);
    assert_eq!(titles(&space)[0].0, "What ended the error: no linker");
}
