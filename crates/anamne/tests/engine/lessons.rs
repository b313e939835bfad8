//! Finished attempts suggest lessons, which are shown where they apply, kept, or set aside for good.

use anamne::{
    ActionOutcome, Advice, AdviceKind, Body, Draft, Experience, ExperienceQuery, MemoryId, Space,
    ToolCall, Verdict, WorkFeedback,
};

use crate::common::{Home, files_with};

const GOAL: &str = "publish the release of the parser";

fn record(space: &Space, outcome: ActionOutcome) -> MemoryId {
    let draft = Draft::experience(Experience::Outcome(outcome));
    space.remember(draft).expect("recorded").id
}

/// A run of calls, each with its error; returns the memory of its outcome.
fn run(space: &Space, name: &str, goal: &str, steps: &[(&str, &str)], succeeded: bool) -> MemoryId {
    for (call, error) in steps {
        record(
            space,
            ActionOutcome {
                action: "shell".to_owned(),
                arguments: (*call).to_owned(),
                succeeded: error.is_empty(),
                error: (*error).to_owned(),
                run: name.to_owned(),
                ..ActionOutcome::default()
            },
        );
    }
    record(
        space,
        ActionOutcome {
            action: ActionOutcome::TASK.to_owned(),
            succeeded,
            goal: goal.to_owned(),
            run: name.to_owned(),
            ends_run: true,
            ..ActionOutcome::default()
        },
    )
}

fn judge(space: &Space, about: MemoryId, verdict: Verdict) {
    let record = Experience::Feedback(WorkFeedback {
        verdict,
        about: Some(about),
        comment: String::new(),
        wanted: String::new(),
    });
    space.remember(Draft::experience(record)).expect("judged");
}

fn asked(space: &Space, goal: &str, error: &str) -> Vec<Advice> {
    let query = ExperienceQuery {
        goal: goal.to_owned(),
        error: error.to_owned(),
        limit: Some(20),
        ..ExperienceQuery::default()
    };
    let advice = space.experience(&query).expect("advice").into_iter();
    advice
        .filter(|one| one.kind == AdviceKind::ProposedLesson)
        .collect()
}

fn proposals(space: &Space) -> Vec<Advice> {
    space.lesson_proposals().expect("proposals")
}

fn titles(advice: &[Advice]) -> Vec<&str> {
    advice.iter().map(|one| one.subject.as_str()).collect()
}

/// The titles of what is proposed after an error.
fn titles_of(space: &Space, error: &str) -> Vec<String> {
    let advice = asked(space, "", error).into_iter();
    advice.map(|one| one.subject).collect()
}

fn item(advice: &Advice) -> String {
    advice.lesson.as_ref().expect("a lesson").item.clone()
}

/// A failure, and then a success that did something more.
fn two_runs(space: &Space) {
    run(space, "r1", GOAL, &[("make", ""), ("upload", "")], false);
    let better = [("make", ""), ("sign the archive", ""), ("upload", "")];
    run(space, "r2", GOAL, &better, true);
}

#[test]
fn the_next_similar_task_is_told_what_made_the_difference() {
    let home = Home::new();
    let space = home.space();
    two_runs(&space);
    let found = asked(&space, "publish the release of the lexer", "");
    assert_eq!(found.len(), 1, "{found:?}");
    let lesson = found[0].lesson.as_ref().expect("a lesson");
    assert_eq!(lesson.title, format!("What made the difference: {GOAL}"));
    assert!(
        lesson.content.ends_with("1. shell sign the archive"),
        "{lesson:?}"
    );
    assert!(lesson.succeeded && lesson.model.is_empty());
    assert_eq!((found[0].successes, found[0].failures), (1, 0));
    assert_eq!(found[0].cases.len(), 1);
    assert!(asked(&space, "water the plants", "").is_empty());
}

#[test]
fn what_recoveries_say_is_not_said_again() {
    let home = Home::new();
    let space = home.space();
    let steps = [
        ("make", "no linker"),
        ("install a linker", ""),
        ("make", ""),
    ];
    run(&space, "r1", GOAL, &steps, true);
    assert_eq!(
        titles(&asked(&space, GOAL, "")),
        ["What ended the error: no linker"]
    );
    assert!(asked(&space, GOAL, "no linker").is_empty());
    assert!(asked(&space, "", "no linker").is_empty());
}

#[test]
fn an_error_in_another_form_is_warned_of() {
    let home = Home::new();
    let space = home.space();
    let error = "cannot find the linker: no such entry";
    let steps = [("make", error), ("make all", error)];
    run(&space, "r1", GOAL, &steps, false);
    let same = titles_of(&space, error);
    assert_eq!(same.len(), 1, "{same:?}");
    let other_form = "E   cannot find the linker: no such entry; see the log";
    assert_eq!(titles_of(&space, other_form), same);
    assert!(titles_of(&space, "cannot find the compiler: no such entry").is_empty());
}

#[test]
fn confidence_follows_later_attempts_until_the_lesson_is_no_longer_offered() {
    let home = Home::new();
    let space = home.space();
    two_runs(&space);
    let first = proposals(&space)[0].confidence;
    run(&space, "r3", GOAL, &[("sign the archive", "")], true);
    let better = proposals(&space);
    assert!(better[0].confidence > first);
    assert_eq!((better[0].successes, better[0].failures), (2, 0));
    for number in 4..14 {
        run(
            &space,
            &format!("r{number}"),
            GOAL,
            &[("sign the archive", "")],
            false,
        );
    }
    assert!(
        !titles(&proposals(&space))
            .iter()
            .any(|title| title.contains("difference"))
    );
}

#[test]
fn a_kept_lesson_is_stored_with_its_attempts_and_not_proposed_again() {
    let home = Home::new();
    let space = home.space();
    two_runs(&space);
    let kept = space
        .keep_lesson(&item(&proposals(&space)[0]))
        .expect("kept");
    let memory = space.get(kept.id).expect("a memory");
    let Body::Experience { experience } = &memory.body else {
        panic!("{memory:?}");
    };
    let Experience::Lesson(lesson) = &**experience else {
        panic!("{memory:?}");
    };
    assert_eq!(lesson.learned_from.len(), 1);
    assert!(memory.content.contains("sign the archive") && !lesson.set_aside);
    assert!(proposals(&space).is_empty());
    let query = ExperienceQuery {
        goal: GOAL.to_owned(),
        ..ExperienceQuery::default()
    };
    let advice = space.experience(&query).expect("advice");
    assert!(
        advice.iter().any(|one| one.kind == AdviceKind::Lesson),
        "{advice:?}"
    );
    assert!(space.keep_lesson("m1-000000000000").is_err());
    assert!(space.keep_lesson("nothing").is_err());
}

#[test]
fn a_lesson_set_aside_stays_so_until_that_is_forgotten() {
    let home = Home::new();
    let space = home.space();
    two_runs(&space);
    let aside = space.set_lesson_aside(&item(&proposals(&space)[0]));
    let aside = aside.expect("set aside").id;
    run(&space, "r3", GOAL, &[("make", ""), ("upload", "")], false);
    let again = [("sign the archive", ""), ("upload", "")];
    run(&space, "r4", GOAL, &again, true);
    assert!(proposals(&space).is_empty());
    let query = ExperienceQuery {
        goal: GOAL.to_owned(),
        limit: Some(20),
        ..ExperienceQuery::default()
    };
    let advice = space.experience(&query).expect("advice");
    let is_lesson =
        |one: &Advice| matches!(one.kind, AdviceKind::Lesson | AdviceKind::ProposedLesson);
    assert!(!advice.iter().any(is_lesson), "{advice:?}");
    space.forget(aside).expect("forgotten");
    assert_eq!(proposals(&space).len(), 1);
}

#[test]
fn a_verdict_ends_an_episode_and_changes_what_it_suggests() {
    let home = Home::new();
    let space = home.space();
    let call = |input: &str, succeeded: bool| ToolCall {
        tool: "shell".to_owned(),
        input: input.to_owned(),
        output: if succeeded { "" } else { "no linker" }.to_owned(),
        succeeded: Some(succeeded),
    };
    let draft = Draft::new("The release").body(Body::Episode {
        goal: GOAL.to_owned(),
        plan: Vec::new(),
        steps: Vec::new(),
        outcome: String::new(),
        tool_log: vec![
            call("make", false),
            call("install a linker", true),
            call("make", true),
        ],
        salience: None,
    });
    let episode = space.remember(draft).expect("told").id;
    assert!(proposals(&space).is_empty(), "it has not ended");
    judge(&space, episode, Verdict::Approval);
    let approved = proposals(&space);
    assert_eq!(titles(&approved), ["What ended the error: no linker"]);
    assert_eq!((approved[0].successes, approved[0].failures), (1, 0));
    judge(&space, episode, Verdict::Rejection);
    let rejected = proposals(&space);
    assert_eq!((rejected[0].successes, rejected[0].failures), (0, 1));
}

#[test]
fn an_erased_attempt_leaves_no_lesson_behind() {
    let home = Home::new();
    let space = home.space();
    run(&space, "r1", GOAL, &[("make", ""), ("upload", "")], false);
    let secret = record(
        &space,
        ActionOutcome {
            action: "shell".to_owned(),
            arguments: "sign as zanzibar".to_owned(),
            succeeded: true,
            run: "r2".to_owned(),
            ..ActionOutcome::default()
        },
    );
    let end = run(&space, "r2", GOAL, &[], true);
    assert_eq!(proposals(&space).len(), 1);
    space.forget(end).expect("forgotten");
    assert!(
        proposals(&space).is_empty(),
        "the run has not ended any more"
    );
    assert!(space.erase(secret).expect("erased").is_complete());
    assert!(files_with(home.root(), b"zanzibar").is_empty());
}

#[test]
fn a_search_shows_the_lesson_that_applies_and_the_briefing_those_for_open_work() {
    let home = Home::new();
    let space = home.space();
    space.remember("The archive lies in dist").expect("told");
    let search = |query: &str| {
        let search = anamne::LearningSearch::new(anamne::Recall::new(query));
        space
            .search_with_experience(&search)
            .expect("found")
            .lessons
    };
    assert!(search(GOAL).is_empty());
    two_runs(&space);
    let lessons = search(GOAL);
    assert_eq!(
        titles(&lessons),
        [format!("What made the difference: {GOAL}")]
    );
    assert!(search("who waters the plants?").is_empty());
    let brief = || {
        let request = anamne::ContextRequest::preset(anamne::ContextPreset::SessionStart);
        space.context(&request).expect("a block").text
    };
    assert!(!brief().contains("sign the archive"));
    let begun = Draft::new("Begun today").body(Body::Episode {
        goal: format!("{GOAL} 2.0"),
        plan: Vec::new(),
        steps: Vec::new(),
        outcome: String::new(),
        tool_log: Vec::new(),
        salience: None,
    });
    space.remember(begun).expect("told");
    let text = brief();
    assert!(
        text.contains("Lessons") && text.contains("sign the archive"),
        "{text}"
    );
}

/// How often this call counts as a success and as a failure.
fn counts(space: &Space, action: &str, object: &str) -> (usize, usize) {
    let query = ExperienceQuery {
        action: action.to_owned(),
        object: object.to_owned(),
        ..ExperienceQuery::default()
    };
    let advice = space.experience(&query).expect("advice").into_iter();
    let mut calls = advice.filter(|one| one.kind == AdviceKind::Call);
    calls
        .next()
        .map_or((0, 0), |one| (one.successes, one.failures))
}

#[test]
fn what_a_later_turn_of_the_session_undoes_counts_as_a_failure() {
    let home = Home::new();
    let space = home.space();
    let turn = |session: &str, tool: &str, input: &str| {
        let call = ToolCall {
            tool: tool.to_owned(),
            input: input.to_owned(),
            output: String::new(),
            succeeded: Some(true),
        };
        let draft = Draft::new(format!("{tool} {input} in {session}")).body(Body::Episode {
            goal: String::new(),
            plan: Vec::new(),
            steps: Vec::new(),
            outcome: String::new(),
            tool_log: vec![call],
            salience: None,
        });
        let draft = Draft {
            session: Some(session.to_owned()),
            ..draft
        };
        space.remember(draft).expect("told").id
    };
    let edit = |path: &str, from: &str, to: &str| {
        format!(r#"{{"file_path": "{path}", "old_string": "{from}", "new_string": "{to}"}}"#)
    };
    let [main, lib, cli] = [
        "/srv/parser/src/main.rs",
        "/srv/parser/src/lib.rs",
        "/srv/cli.rs",
    ];
    turn("s1", "Edit", &edit(main, "a", "b"));
    turn("s1", "Edit", &edit(lib, "one", "two"));
    turn("s1", "Edit", &edit(cli, "x", "y"));
    assert_eq!(counts(&space, "Edit", &edit(main, "a", "b")), (1, 0));
    turn("s2", "Bash", r#"{"command": "git restore src/main.rs"}"#);
    assert_eq!(
        counts(&space, "Edit", &edit(main, "a", "b")),
        (1, 0),
        "another session"
    );
    let restored = turn("s1", "Bash", r#"{"command": "git restore src/main.rs"}"#);
    assert_eq!(counts(&space, "Edit", &edit(main, "a", "b")), (0, 1));
    turn("s1", "Edit", &edit(lib, "two", "one"));
    assert_eq!(
        counts(&space, "Edit", &edit(lib, "one", "two")),
        (0, 1),
        "put back"
    );
    assert_eq!(counts(&space, "Edit", &edit(lib, "two", "one")), (1, 0));
    assert_eq!(counts(&space, "Edit", &edit(cli, "x", "y")), (1, 0));
    space.forget(restored).expect("forgotten");
    assert_eq!(
        counts(&space, "Edit", &edit(main, "a", "b")),
        (1, 0),
        "no trace is left"
    );
    for command in [
        "git commit -m one",
        "git commit -m two",
        "git revert --no-edit HEAD",
    ] {
        turn("s1", "Bash", &format!(r#"{{"command": "{command}"}}"#));
    }
    let committed = |message: &str| format!(r#"{{"command": "git commit -m {message}"}}"#);
    assert_eq!(counts(&space, "Bash", &committed("one")), (1, 0));
    assert_eq!(counts(&space, "Bash", &committed("two")), (0, 1));
}
