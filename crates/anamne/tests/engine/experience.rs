//! What was experienced is told like everything else, found again, and forgotten completely.

use anamne::{
    ActionOutcome, AdviceKind, Body, Draft, Experience, ExperienceQuery, Filter, Kind, Lesson,
    Listing, MemoryId, Recall, Role, SearchFeedback, SearchTrace, Space, Usefulness, Verdict,
    WorkFeedback, WorkingScope,
};
use serde_json::json;

use crate::common::{Home, files_with};

fn outcome(action: &str, arguments: &str, error: &str) -> ActionOutcome {
    ActionOutcome {
        action: action.to_owned(),
        arguments: arguments.to_owned(),
        succeeded: error.is_empty(),
        error: error.to_owned(),
        ..ActionOutcome::default()
    }
}

fn record(space: &Space, outcome: ActionOutcome) -> MemoryId {
    let draft = Draft::experience(Experience::Outcome(outcome));
    space.remember(draft).expect("recorded").id
}

/// A run that fails once, recovers and succeeds, or not.
fn run(space: &Space, name: &str, goal: &str, recovery: &str, succeeds: bool) {
    let step = |outcome: ActionOutcome| {
        let run = name.to_owned();
        record(space, ActionOutcome { run, ..outcome });
    };
    step(outcome("shell", "make release", "linker `mold` not found"));
    step(outcome("shell", recovery, ""));
    step(ActionOutcome {
        goal: goal.to_owned(),
        ends_run: true,
        succeeded: succeeds,
        ..outcome(ActionOutcome::TASK, "", "")
    });
}

fn ask(space: &Space, query: &ExperienceQuery) -> Vec<anamne::Advice> {
    space.experience(query).expect("advice")
}

fn after_error(space: &Space, error: &str) -> Vec<anamne::Advice> {
    ask(
        space,
        &ExperienceQuery {
            error: error.to_owned(),
            ..ExperienceQuery::default()
        },
    )
}

#[test]
fn recovery_that_led_to_success_comes_first() {
    let home = Home::new();
    let space = home.space();
    for number in 0..4 {
        let name = format!("good {number}");
        run(
            &space,
            &name,
            "publish the release",
            "apt install mold",
            true,
        );
        let name = format!("bad {number}");
        run(
            &space,
            &name,
            "publish the release",
            "make release -j1",
            false,
        );
    }
    let advice = after_error(&space, "linker `mold` not found");
    assert_eq!(advice.len(), 2);
    assert_eq!(advice[0].kind, AdviceKind::Recovery);
    assert!(advice[0].subject.contains("apt install mold"));
    assert_eq!((advice[0].successes, advice[0].failures), (4, 0));
    assert!(advice[0].confidence > 0.7 && advice[1].confidence < 0.4);
    assert!(!advice[0].too_few);
    assert_eq!(advice[0].cases.len(), 4);
    assert!(after_error(&space, "disk full").is_empty());
}

#[test]
fn an_error_in_another_form_is_found_with_less_confidence_and_marked() {
    let home = Home::new();
    let space = home.space();
    for number in 0..4 {
        let name = format!("run {number}");
        run(
            &space,
            &name,
            "publish the release",
            "apt install mold",
            true,
        );
    }
    let same = &after_error(&space, "linker `lld` not found")[0];
    assert_eq!(same.other_error, "");
    for error in [
        "error: linker `mold` not found",
        "E   linker mold not found",
        "build.rs:12:5: linker\n    \"mold\" not found; see the log",
    ] {
        let near = &after_error(&space, error)[0];
        assert_eq!(near.kind, AdviceKind::Recovery, "{error}");
        assert_eq!(near.other_error, "linker <value> not found", "{error}");
        assert!(near.subject.contains("apt install mold"), "{error}");
        assert!(near.confidence < same.confidence, "{error}");
    }
    for error in [
        "linker `mold` found",
        "linker `mold` not executable",
        "compiler `mold` not found",
    ] {
        assert!(after_error(&space, error).is_empty(), "{error}");
    }
}

#[test]
fn what_the_agent_that_asks_did_itself_comes_first() {
    let home = Home::new();
    let space = home.space();
    let recover = |agent: &str, name: &str, recovery: &str| {
        let failed = outcome("shell", "make release", "linker `mold` not found");
        for step in [failed, outcome("shell", recovery, "")] {
            let run = name.to_owned();
            let step = Experience::Outcome(ActionOutcome { run, ..step });
            let draft = Draft::experience(step).author(agent);
            space.remember(draft).expect("recorded");
        }
    };
    recover("first", "run 0", "brew install mold");
    for number in 1..5 {
        recover("second", &format!("run {number}"), "apt install mold");
    }
    for (agent, recovery) in [
        ("first", "brew"),
        ("second", "apt"),
        ("third", "apt"),
        ("", "apt"),
    ] {
        let query = ExperienceQuery {
            error: "linker `lld` not found".to_owned(),
            agent: agent.to_owned(),
            ..ExperienceQuery::default()
        };
        let advice = ask(&space, &query);
        assert_eq!(advice.len(), 2, "{agent}");
        assert!(advice[0].subject.contains(recovery), "{agent}");
    }
}

#[test]
fn calls_are_shown_as_they_were_recorded() {
    let home = Home::new();
    let space = home.space();
    let recovery = "CC=clang  Make -C src";
    run(&space, "one", "publish the release", recovery, true);
    let advice = after_error(&space, "LINKER `lld` not found");
    assert_eq!(advice[0].subject, "shell CC=clang  Make -C src");
    let query = ExperienceQuery {
        goal: "publish the release".to_owned(),
        ..ExperienceQuery::default()
    };
    assert_eq!(
        ask(&space, &query)[0].steps,
        ["shell CC=clang  Make -C src"]
    );
    let query = ExperienceQuery {
        action: "Shell".to_owned(),
        object: "cc=clang make -C SRC".to_owned(),
        ..ExperienceQuery::default()
    };
    let advice = ask(&space, &query);
    assert_eq!(advice[0].subject, "shell CC=clang  Make -C src");
    let long = "Ä".repeat(5_000);
    record(&space, outcome("shell", &long, ""));
    let query = ExperienceQuery {
        action: "shell".to_owned(),
        object: long,
        ..ExperienceQuery::default()
    };
    assert!(ask(&space, &query)[0].subject.len() <= 1_024);
}

#[test]
fn recoveries_of_the_same_goal_come_first() {
    let home = Home::new();
    let space = home.space();
    for name in ["a", "b"] {
        run(
            &space,
            name,
            "publish the release",
            "apt install mold",
            true,
        );
    }
    run(
        &space,
        "c",
        "measure the speed of the parser",
        "cargo bench",
        true,
    );
    let asked = |goal: &str| {
        let query = ExperienceQuery {
            goal: goal.to_owned(),
            error: "linker `mold` not found".to_owned(),
            ..ExperienceQuery::default()
        };
        ask(&space, &query)[0].subject.clone()
    };
    assert!(asked("publish the release").contains("apt install"));
    assert!(asked("measure the speed of the parser").contains("cargo bench"));
}

#[test]
fn success_of_whoever_mostly_fails_says_more() {
    let home = Home::new();
    let space = home.space();
    let end = |author: &str, goal: &str, succeeded: bool| {
        let mut draft = Draft::experience(Experience::Outcome(ActionOutcome {
            goal: goal.to_owned(),
            ends_run: true,
            succeeded,
            ..outcome(ActionOutcome::TASK, "", "")
        }));
        draft.author = Some(author.to_owned());
        space.remember(draft).expect("recorded");
    };
    for number in 0..10 {
        let goal = format!("unrelated errand of the number {number}");
        end("weak", &goal, false);
        end("strong", &goal, true);
    }
    end("weak", "water the tulips", true);
    end("strong", "paint the boat", true);
    let confidence = |goal: &str, agent: &str| {
        let query = ExperienceQuery {
            goal: goal.to_owned(),
            agent: agent.to_owned(),
            ..ExperienceQuery::default()
        };
        let advice = ask(&space, &query);
        assert_eq!(advice[0].subject, goal);
        advice[0].confidence
    };
    assert!(confidence("water the tulips", "") > confidence("paint the boat", ""));
    assert!(confidence("paint the boat", "strong") > confidence("paint the boat", "weak"));
}

#[test]
fn goals_and_calls_have_their_shares() {
    let home = Home::new();
    let space = home.space();
    run(
        &space,
        "first",
        "publish the release",
        "apt install mold",
        true,
    );
    run(
        &space,
        "second",
        "publish the release",
        "apt install mold",
        false,
    );
    let goal = |goal: &str| ExperienceQuery {
        goal: goal.to_owned(),
        ..ExperienceQuery::default()
    };
    let advice = ask(&space, &goal("publish the release"));
    assert_eq!(advice[0].kind, AdviceKind::Goal);
    assert_eq!((advice[0].successes, advice[0].failures), (1, 1));
    assert!(advice[0].too_few);
    assert_eq!(advice[0].steps.len(), 1);
    let similar = ask(&space, &goal("publish a new release"));
    assert_eq!(similar[0].kind, AdviceKind::SimilarGoal);
    let call = ExperienceQuery {
        action: "shell".to_owned(),
        object: "make release".to_owned(),
        ..ExperienceQuery::default()
    };
    let advice = ask(&space, &call);
    assert_eq!((advice[0].successes, advice[0].failures), (0, 2));
}

#[test]
fn an_action_without_an_object_has_the_share_of_all_its_calls() {
    let home = Home::new();
    let space = home.space();
    for (action, arguments, error) in [
        ("Make", "release", ""),
        ("Make", "release", "no rule"),
        ("Make", "test", ""),
        ("Make", "", ""),
        ("makedepend", "", "not found"),
        ("shell", "make release", "not found"),
    ] {
        record(&space, outcome(action, arguments, error));
    }
    let shares = |action: &str, object: &str| {
        let query = ExperienceQuery {
            action: action.to_owned(),
            object: object.to_owned(),
            ..ExperienceQuery::default()
        };
        let advice = ask(&space, &query).swap_remove(0);
        assert_eq!(advice.kind, AdviceKind::Call);
        (advice.subject, advice.successes, advice.failures)
    };
    assert_eq!(shares("make", ""), ("make".to_owned(), 3, 1));
    assert_eq!(
        shares("make release", ""),
        ("make release".to_owned(), 1, 1)
    );
    assert_eq!(shares("Make", "release"), ("Make release".to_owned(), 1, 1));
}

#[test]
fn a_skill_is_offered_before_anything_was_experienced_and_by_its_trigger() {
    let home = Home::new();
    let space = home.space();
    let skill = |name: &str, trigger: &str, content: &str| {
        let draft = Draft::new(content).body(Body::Skill {
            name: name.to_owned(),
            trigger: trigger.to_owned(),
            steps: vec!["make rollback".to_owned()],
            code: String::new(),
        });
        space.remember(draft).expect("told").id
    };
    let rollback = skill("rollback", "a bad deploy", "Run make rollback");
    skill("watering", "", "How to water the tulips");
    let offered = |goal: &str| {
        let goal = goal.to_owned();
        let advice = ask(
            &space,
            &ExperienceQuery {
                goal,
                ..ExperienceQuery::default()
            },
        );
        let names = advice.into_iter().map(|advice| advice.subject);
        names.collect::<Vec<String>>()
    };
    assert_eq!(offered("A bad deploy"), ["rollback"]);
    assert_eq!(offered("Run make rollback"), ["rollback"]);
    assert_eq!(offered("how to water the tulips"), ["watering"]);
    assert_eq!(offered("bake bread"), [""; 0]);
    let records = space.skill_records().expect("skills");
    assert_eq!(records.len(), 2);
    assert!(records.iter().all(|record| record.too_few));
    assert!(!home.folder().join("views/experience.db").exists());
    for _ in 0..3 {
        let outcome = ActionOutcome {
            in_view: vec![rollback],
            ..outcome("shell", "make", "")
        };
        record(&space, outcome);
    }
    let records = space.skill_records().expect("skills");
    let judged = records.iter().find(|record| record.memory == rollback);
    let judged = judged.expect("a skill");
    assert_eq!((judged.successes, judged.too_few), (3, false));
}

#[test]
fn nothing_asked_is_refused() {
    let home = Home::new();
    let nothing = home.space().experience(&ExperienceQuery::default());
    assert!(nothing.unwrap_err().to_string().contains("goal"));
}

#[test]
fn same_outcome_counts_twice_and_is_not_searched_or_listed() {
    let home = Home::new();
    let space = home.space();
    let first = record(&space, outcome("shell", "make quellfruit", ""));
    let second = record(&space, outcome("shell", "make quellfruit", ""));
    assert_ne!(first, second);
    let said = "shell make quellfruit – succeeded";
    let told = space.remember(said).expect("told");
    assert!(!told.duplicate, "a message is not what was recorded");
    let answer = space.recall(&Recall::new("quellfruit")).expect("an answer");
    let kinds = answer.results.iter().map(|hit| hit.memory.kind());
    assert_eq!(kinds.collect::<Vec<_>>(), [Kind::Message]);
    let listed = |kinds: Vec<Kind>| {
        let filter = Filter {
            kinds,
            ..Filter::default()
        };
        let listing = Listing {
            filter,
            limit: 10,
            ..Listing::default()
        };
        space.list(&listing).expect("a list").len()
    };
    assert_eq!(listed(Vec::new()), 1);
    assert_eq!(listed(vec![Kind::Experience]), 2);
}

#[test]
fn forgotten_and_erased_outcomes_leave_every_count() {
    let home = Home::new();
    let space = home.space();
    let query = || ExperienceQuery {
        action: "shell".to_owned(),
        object: "make quellfruit".to_owned(),
        ..ExperienceQuery::default()
    };
    let first = record(
        &space,
        outcome("shell", "make quellfruit", "broken zirbelkiefer"),
    );
    let second = record(&space, outcome("shell", "make quellfruit", ""));
    assert_eq!(ask(&space, &query())[0].cases.len(), 2);
    space.forget(second).expect("forgotten");
    let advice = ask(&space, &query());
    assert_eq!((advice[0].successes, advice[0].failures), (0, 1));
    space.restore(second).expect("restored");
    assert_eq!(ask(&space, &query())[0].successes, 1);
    let erased = space.erase_all(&[first, second]).expect("erased");
    assert!(erased.is_complete());
    assert!(ask(&space, &query()).is_empty());
    drop(space);
    for word in ["quellfruit", "zirbelkiefer"] {
        assert!(
            files_with(home.root(), word.as_bytes()).is_empty(),
            "{word}"
        );
    }
}

#[test]
fn rebuilt_view_answers_alike() {
    let home = Home::new();
    let space = home.space();
    for number in 0..3 {
        run(
            &space,
            &format!("r{number}"),
            "publish it",
            "apt install mold",
            number != 1,
        );
    }
    let before = after_error(&space, "linker `mold` not found");
    drop(space);
    let views = home.folder().join("views");
    assert!(views.join("experience.db").exists());
    std::fs::remove_dir_all(&views).expect("removed");
    let again = after_error(&home.space(), "linker `mold` not found");
    assert_eq!(again, before);
}

#[test]
fn lessons_are_found_by_what_they_are_about() {
    let home = Home::new();
    let space = home.space();
    let lesson = |title: &str, description: &str, text: &str| {
        let mut draft = Draft::experience(Experience::Lesson(Lesson {
            title: title.to_owned(),
            description: description.to_owned(),
            succeeded: true,
            ..Lesson::default()
        }));
        draft.content = text.to_owned();
        space.remember(draft).expect("recorded");
    };
    lesson(
        "Check the lock file",
        "when a build fails in CI",
        "Compare the lock files first.",
    );
    lesson(
        "Ask for the address",
        "when a parcel is sent",
        "Never guess a street.",
    );
    let query = ExperienceQuery {
        goal: "the build fails in CI".to_owned(),
        ..ExperienceQuery::default()
    };
    let advice = ask(&space, &query);
    assert_eq!(advice[0].kind, AdviceKind::Lesson);
    assert_eq!(advice[0].subject, "Compare the lock files first.");
}

#[test]
fn working_memory_lives_until_it_expires_or_is_removed() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2031-03-04T09:00:00Z");
    let space = store.space("atlas").expect("a space");
    let scope = WorkingScope {
        session: "s1".to_owned(),
        agent: "builder".to_owned(),
    };
    space
        .set_working(&scope, "branch", json!("main"), None)
        .expect("set");
    space
        .set_working(&scope, "branch", json!({"name": "next"}), None)
        .expect("set");
    space
        .set_working(&scope, "plan", json!(["tests"]), None)
        .expect("set");
    space
        .set_working(&scope, "plan", json!(null), None)
        .expect("removed");
    let live = space.working_memory(Some(&scope)).expect("values");
    assert_eq!(live.len(), 1);
    assert_eq!(
        (live[0].key.as_str(), &live[0].value),
        ("branch", &json!({"name": "next"}))
    );
    let other = WorkingScope::default();
    assert!(
        space
            .working_memory(Some(&other))
            .expect("values")
            .is_empty()
    );
    assert_eq!(space.working_memory(None).expect("values").len(), 1);
    clock.set("2031-03-05T10:00:00Z");
    assert!(space.working_memory(None).expect("values").is_empty());
    let past = "2031-03-05T09:00:00Z".parse().expect("a time");
    assert!(
        space
            .set_working(&scope, "x", json!(1), Some(past))
            .is_err()
    );
}

#[test]
fn feedback_on_a_search_is_counted_once_and_marks_what_was_used() {
    let home = Home::new();
    let space = home.space();
    let used = space
        .remember("The pilot boat leaves at six")
        .expect("told")
        .id;
    let trace = |query: &str| {
        let record = Experience::Search(SearchTrace {
            query: query.to_owned(),
            strategy: "default".to_owned(),
            results: vec![used],
            confidence: 0.5,
            features: vec![0.25, 1.0],
            ..SearchTrace::default()
        });
        space
            .remember(Draft::experience(record))
            .expect("recorded")
            .id
    };
    let search = trace("when does the boat leave?");
    trace("when does the pilot boat leave?");
    let feedback = |usefulness, implied| SearchFeedback {
        search,
        usefulness,
        used: vec![used],
        reason: String::new(),
        should_ask: String::new(),
        implied,
    };
    space
        .search_feedback(feedback(Usefulness::Helpful, false))
        .expect("told");
    // Implied later, but a person's word counts.
    space
        .search_feedback(feedback(Usefulness::Useless, true))
        .expect("implied");
    let past = space
        .similar_searches("when does the boat leave?", 5)
        .expect("searches");
    assert_eq!(past[0].memory, search);
    assert_eq!(past[0].usefulness, Some(Usefulness::Helpful));
    assert_eq!(past[1].usefulness, None);
    let report = &space.strategy_reports().expect("reports")[0];
    assert_eq!(
        (report.searches, report.judged, report.successes),
        (2, 1, 1.0)
    );
    let week = &space.search_quality().expect("weeks")[0];
    assert_eq!((week.searches, week.judged), (2, 1));
    let judged = space.get(used).expect("a memory");
    assert_eq!(anamne::Judgement::of(&judged.metadata).useful, 2);
    let wrong = SearchFeedback {
        search: used,
        ..feedback(Usefulness::Helpful, false)
    };
    assert!(space.search_feedback(wrong).is_err());
}

#[test]
fn export_carries_experience() {
    let home = Home::new();
    let space = home.space();
    let judged = record(&space, outcome("shell", "make", ""));
    let feedback = Experience::Feedback(WorkFeedback {
        verdict: Verdict::Correction,
        about: Some(judged),
        comment: String::new(),
        wanted: "a list".to_owned(),
    });
    space
        .remember(Draft::experience(feedback.clone()))
        .expect("recorded");
    let mut lines = Vec::new();
    space.export(&mut lines).expect("exported");
    let other = Home::new();
    let copy = other.space();
    let report = copy.import(&lines[..], anamne::ImportOptions::default(), &mut |_| {});
    report.expect("imported");
    let filter = Filter {
        kinds: vec![Kind::Experience],
        ..Filter::default()
    };
    let listing = Listing {
        filter,
        limit: 10,
        ..Listing::default()
    };
    let bodies: Vec<Body> = copy
        .list(&listing)
        .expect("a list")
        .into_iter()
        .map(|memory| memory.body)
        .collect();
    let body = Body::Experience {
        experience: Box::new(feedback),
    };
    assert!(bodies.contains(&body), "{bodies:?}");
}

#[test]
fn tool_calls_of_episodes_count() {
    let home = Home::new();
    let space = home.space();
    let call = anamne::ToolCall {
        tool: "shell".to_owned(),
        input: "make".to_owned(),
        output: "no rule to make target".to_owned(),
        succeeded: Some(false),
    };
    let draft = Draft::new("shell make: failed").body(Body::Episode {
        goal: String::new(),
        plan: Vec::new(),
        steps: Vec::new(),
        outcome: "failed".to_owned(),
        tool_log: vec![call],
        salience: None,
    });
    space.remember(draft).expect("told");
    let query = ExperienceQuery {
        action: "shell".to_owned(),
        object: "make".to_owned(),
        ..ExperienceQuery::default()
    };
    assert_eq!(ask(&space, &query)[0].failures, 1);
}

/// A call as the reader of Claude Code's transcripts tells it.
fn transcribed(space: &Space, id: &str, line: &str) -> MemoryId {
    let mut draft = Draft::new(line)
        .body(Body::Message {
            role: Some(Role::Tool),
        })
        .thread("claude-code s1")
        .author("claude-code");
    draft.session = Some("s1".to_owned());
    draft.external_id = Some(format!("claude-code:{id}"));
    space.remember(draft).expect("told").id
}

#[test]
fn tool_calls_of_transcripts_count_once_and_go_with_their_messages() {
    let home = Home::new();
    let space = home.space();
    let failed = "Bash test -f quellfruit: failed: broken zirbelkiefer";
    let tell = || {
        [
            transcribed(&space, "u1", failed),
            transcribed(&space, "u2", "Bash touch quellfruit: ok"),
            transcribed(&space, "u3", "Bash test -f quellfruit: ok"),
            transcribed(&space, "u4", "Bash test -f quellfruit"),
        ]
    };
    let query = || ExperienceQuery {
        action: "Bash".to_owned(),
        object: "test -f quellfruit".to_owned(),
        ..ExperienceQuery::default()
    };
    let counts = || {
        let advice = ask(&space, &query());
        (advice[0].successes, advice[0].failures)
    };
    let told = tell();
    assert_eq!(counts(), (1, 1));
    // The same transcript again, the failure as a hook of an older set-up told it, and a tool's answer in a chat.
    assert_eq!(tell(), told);
    let call = anamne::ToolCall {
        tool: "Bash".to_owned(),
        input: "test -f quellfruit".to_owned(),
        output: "broken zirbelkiefer".to_owned(),
        succeeded: Some(false),
    };
    let mut by_hook = Draft::new("Bash test -f quellfruit: failed").body(Body::Episode {
        goal: String::new(),
        plan: Vec::new(),
        steps: Vec::new(),
        outcome: "failed".to_owned(),
        tool_log: vec![call],
        salience: None,
    });
    by_hook.external_id = Some("claude-code:s1:t1:outcome".to_owned());
    let by_hook = space.remember(by_hook).expect("told").id;
    let chat = Draft::new("Bash test -f quellfruit: ok").body(Body::Message {
        role: Some(Role::Tool),
    });
    let chat = space.remember(chat.thread("a chat")).expect("told").id;
    assert_eq!(counts(), (1, 1));
    let recovery = &after_error(&space, "broken zirbelkiefer")[0];
    assert_eq!(recovery.kind, AdviceKind::Recovery);
    assert_eq!(recovery.subject, "Bash touch quellfruit");
    space.forget(told[2]).expect("forgotten");
    assert_eq!(counts(), (0, 1));
    space.restore(told[2]).expect("restored");
    assert_eq!(counts(), (1, 1));
    let all = [&told[..], &[by_hook, chat]].concat();
    assert!(space.erase_all(&all).expect("erased").is_complete());
    assert!(ask(&space, &query()).is_empty());
    assert!(after_error(&space, "broken zirbelkiefer").is_empty());
    drop(space);
    for word in ["quellfruit", "zirbelkiefer"] {
        assert!(
            files_with(home.root(), word.as_bytes()).is_empty(),
            "{word}"
        );
    }
}

#[test]
fn a_change_that_git_took_back_counts_as_a_failure() {
    let home = Home::new();
    let space = home.space();
    let input = r#"{"file_path": "src/main.rs", "old_string": "a", "new_string": "b"}"#;
    let call = |tool: &str, input: &str| anamne::ToolCall {
        tool: tool.to_owned(),
        input: input.to_owned(),
        output: String::new(),
        succeeded: Some(true),
    };
    let restored = call("Bash", r#"{"command": "git restore src/main.rs"}"#);
    let episode = |tool_log| Body::Episode {
        goal: String::new(),
        plan: Vec::new(),
        steps: Vec::new(),
        outcome: String::new(),
        tool_log,
        salience: None,
    };
    let kept = episode(vec![call("Edit", input)]);
    let undone = episode(vec![call("Edit", input), restored]);
    for (day, body) in [("Monday", kept), ("Tuesday", undone)] {
        let draft = Draft::new(format!("worked on the parser on {day}")).body(body);
        space.remember(draft).expect("told");
    }
    let advice = ask(
        &space,
        &ExperienceQuery {
            action: "Edit".to_owned(),
            object: input.to_owned(),
            ..ExperienceQuery::default()
        },
    );
    assert_eq!((advice[0].successes, advice[0].failures), (1, 1));
}

#[test]
fn a_long_goal_or_error_is_asked_about_by_its_beginning() {
    let home = Home::new();
    let space = home.space();
    let long = "publish the release ".repeat(10_000);
    let ended = ActionOutcome {
        goal: long.clone(),
        ends_run: true,
        ..outcome(ActionOutcome::TASK, "", "")
    };
    record(&space, ended);
    let advice = ask(
        &space,
        &ExperienceQuery {
            goal: long.clone(),
            error: long,
            ..ExperienceQuery::default()
        },
    );
    assert_eq!(advice[0].kind, AdviceKind::Goal);
    assert!(advice[0].subject.len() <= 1_024);
    let other = space.run_chance("bake bread", "").expect("a chance");
    assert_eq!(other.expect("experience").similar, 0);
}

#[test]
fn the_steps_of_a_goal_are_those_that_its_runs_speak_for() {
    let home = Home::new();
    let space = home.space();
    let goal = "deploy to production";
    let tell = |name: &str, calls: &[&str], succeeds: bool| {
        for call in calls {
            let step = outcome("shell", call, "");
            record(
                &space,
                ActionOutcome {
                    run: name.to_owned(),
                    ..step
                },
            );
        }
        record(
            &space,
            ActionOutcome {
                run: name.to_owned(),
                goal: goal.to_owned(),
                ends_run: true,
                succeeded: succeeds,
                ..outcome(ActionOutcome::TASK, "", "")
            },
        );
    };
    let usual = ["make test", "make deploy", "make smoke"];
    for name in ["one", "two", "three"] {
        tell(name, &usual, true);
    }
    tell("four", &["make test", "make deploy-unsafe"], true);
    let query = ExperienceQuery {
        goal: goal.to_owned(),
        ..ExperienceQuery::default()
    };
    let steps = || ask(&space, &query)[0].steps.clone();
    let shell = |calls: &[&str]| -> Vec<String> {
        calls.iter().map(|call| format!("shell {call}")).collect()
    };
    assert_eq!(steps(), shell(&usual));
    // The usual way fails from now on, and the other goes on to succeed.
    for name in ["five", "six", "seven", "eight"] {
        tell(name, &["make deploy"], false);
    }
    assert_eq!(steps(), shell(&["make test", "make deploy-unsafe"]));
}
