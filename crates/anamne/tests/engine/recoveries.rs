//! What is named after an error helped, and what is stated of a call is of this call.

use anamne::{ActionOutcome, Advice, AdviceKind, Draft, Experience, ExperienceQuery, Space};

use crate::common::Home;

/// A step of a run: the call of a shell, and its error; empty if it succeeded.
type Step<'text> = (&'text str, &'text str);

fn record(space: &Space, run: &str, (arguments, error): Step<'_>) {
    let outcome = ActionOutcome {
        action: "Bash".to_owned(),
        arguments: arguments.to_owned(),
        succeeded: error.is_empty(),
        error: error.to_owned(),
        run: run.to_owned(),
        ..ActionOutcome::default()
    };
    let draft = Draft::experience(Experience::Outcome(outcome));
    space.remember(draft).expect("recorded");
}

/// Records runs with the same steps.
fn runs(space: &Space, name: &str, count: usize, steps: &[Step<'_>]) {
    for number in 0..count {
        for step in steps {
            record(space, &format!("{name} {number}"), *step);
        }
    }
}

fn ask(space: &Space, query: &ExperienceQuery) -> Vec<Advice> {
    let mut advice = space.experience(query).expect("advice");
    advice.retain(|one| matches!(one.kind, AdviceKind::Recovery | AdviceKind::Call));
    advice
}

fn after(space: &Space, error: &str) -> Vec<Advice> {
    let query = ExperienceQuery {
        error: error.to_owned(),
        ..ExperienceQuery::default()
    };
    ask(space, &query)
}

/// The calls that are named, with their successes and failures.
fn counts(advice: &[Advice]) -> Vec<(&str, usize, usize)> {
    let calls = advice.iter();
    calls
        .map(|one| (one.subject.as_str(), one.successes, one.failures))
        .collect()
}

#[test]
fn what_did_not_end_an_error_is_no_success() {
    let home = Home::new();
    let space = home.space();
    let failed = ("cargo test", "linker not found");
    runs(&space, "a", 3, &[failed, ("touch x", ""), failed]);
    let advice = after(&space, "linker not found");
    assert_eq!(counts(&advice), [("Bash touch x", 0, 3)]);
    assert!(advice[0].confidence < 0.3, "{advice:?}");
    let solved = [
        failed,
        ("touch x", ""),
        failed,
        ("apt install mold", ""),
        ("cargo test", ""),
    ];
    runs(&space, "b", 3, &solved);
    let expected = [("Bash apt install mold", 3, 0), ("Bash touch x", 0, 6)];
    assert_eq!(counts(&after(&space, "linker not found")), expected);
}

#[test]
fn the_next_error_of_a_call_says_that_the_first_one_ended() {
    let home = Home::new();
    let space = home.space();
    let missing = |name: &str| format!("ModuleNotFoundError: No module named '{name}'");
    let (numpy, torch) = (missing("numpy"), missing("torch"));
    let call = "python train.py";
    let steps = [
        (call, numpy.as_str()),
        ("pip install numpy", ""),
        (call, torch.as_str()),
        ("pip install torch", ""),
        (call, ""),
    ];
    runs(&space, "a", 3, &steps);
    let first = |error: &str| {
        let advice = after(&space, error);
        (
            advice[0].subject.clone(),
            advice[0].successes,
            advice[0].failures,
        )
    };
    assert_eq!(first(&numpy), ("Bash pip install numpy".to_owned(), 3, 0));
    assert_eq!(first(&torch), ("Bash pip install torch".to_owned(), 3, 0));
    let slow = ("make", "timed out after 31.2 s");
    let slower = ("make", "timed out after 40 s");
    runs(&space, "b", 3, &[slow, ("touch x", ""), slower]);
    let advice = after(&space, "timed out after 7 s");
    assert_eq!(counts(&advice), [("Bash touch x", 0, 3)]);
}

#[test]
fn what_ended_an_error_is_the_last_change_before_the_call_succeeded() {
    let home = Home::new();
    let space = home.space();
    let steps = [
        ("cargo test", "linker not found"),
        ("ls", ""),
        ("mkdir out", ""),
        ("apt install mold", ""),
        ("git status", ""),
        ("cargo test", ""),
    ];
    runs(&space, "a", 3, &steps);
    let advice = after(&space, "linker not found");
    assert_eq!(counts(&advice), [("Bash apt install mold", 3, 0)]);
    let read_only = [("make", "disk full"), ("ls -la", ""), ("cat a.rs", "")];
    runs(&space, "b", 3, &read_only);
    assert!(after(&space, "disk full").is_empty());
    let again = [("make", "connection reset"), ("ls", ""), ("make", "")];
    runs(&space, "c", 3, &again);
    assert_eq!(
        counts(&after(&space, "connection reset")),
        [("Bash make", 3, 0)]
    );
    let reading = [("cat a.rs", "no such file"), ("ls", "")];
    runs(&space, "d", 3, &reading);
    assert_eq!(counts(&after(&space, "no such file")), [("Bash ls", 3, 0)]);
}

#[test]
fn what_helped_after_the_very_error_comes_before_what_helped_after_another_name() {
    let home = Home::new();
    let space = home.space();
    let missing = |name: &str| format!("ModuleNotFoundError: No module named '{name}'");
    let (numpy, torch) = (missing("numpy"), missing("torch"));
    runs(
        &space,
        "t",
        1,
        &[("python serve.py", &torch), ("pip install torch", "")],
    );
    runs(
        &space,
        "n",
        300,
        &[("python train.py", &numpy), ("pip install numpy", "")],
    );
    let advice = after(&space, &torch);
    assert_eq!(advice[0].subject, "Bash pip install torch");
    assert!(!advice[0].differs && advice[0].recorded_error.is_empty());
    assert_eq!(advice[1].subject, "Bash pip install numpy");
    assert!(advice[1].differs && advice[1].other_error.is_empty());
    assert_eq!(advice[1].recorded_error, numpy);
    let other = &after(&space, &format!("Error in worker: {torch}"))[0];
    assert!(!other.differs && !other.other_error.is_empty());
    assert!(
        [&numpy, &torch].contains(&&other.recorded_error),
        "{other:?}"
    );
    for (recorded, asked) in [
        ("disk usage at 95%", "disk usage at 5%"),
        (
            "connect failed: 10.0.0.5:5432",
            "connect failed: 10.0.0.9:6379",
        ),
        ("cannot write /etc/shadow", "cannot write /home/bob/x"),
    ] {
        runs(&space, recorded, 1, &[("make", recorded), ("restart", "")]);
        assert!(after(&space, asked)[0].differs, "{asked}");
        assert!(
            !after(&space, &recorded.to_uppercase())[0].differs,
            "{recorded}"
        );
    }
}

#[test]
fn a_call_with_another_option_commit_or_file_is_another_call() {
    let home = Home::new();
    let space = home.space();
    let asked = |object: &str| {
        let query = ExperienceQuery {
            action: "Bash".to_owned(),
            object: object.to_owned(),
            ..ExperienceQuery::default()
        };
        ask(&space, &query)
    };
    let forced = "git push --force origin 9f8e7d6c5b4a";
    let calls = [
        ("git branch -D old", ""),
        (forced, ""),
        ("rm /tmp/a.log", ""),
    ];
    runs(&space, "a", 3, &calls);
    assert!(asked("git branch -d old").is_empty());
    record(&space, "b", ("git branch -d old", "not fully merged"));
    assert_eq!(
        counts(&asked("git branch -d old")),
        [("Bash git branch -d old", 0, 1)]
    );
    assert_eq!(
        counts(&asked("GIT  branch -D old")),
        [("Bash git branch -D old", 3, 0)]
    );
    assert!(!asked(forced)[0].differs);
    for other in ["git push --force origin 1a2b3c4d5e6f", "rm /tmp/b.log"] {
        let advice = asked(other);
        assert!(advice.len() == 1 && advice[0].differs, "{advice:?}");
    }
    record(&space, "c", ("rm /tmp/b.log", "denied"));
    let advice = asked("rm /tmp/b.log");
    let same = advice.iter().find(|one| !one.differs).expect("the call");
    let similar = advice.iter().find(|one| one.differs).expect("the other");
    assert_eq!((same.successes, same.failures), (0, 1));
    assert_eq!((similar.successes, similar.failures), (3, 0));
}

#[test]
fn a_goal_that_is_the_opposite_is_not_similar() {
    let home = Home::new();
    let space = home.space();
    for number in 0..3 {
        let name = format!("s {number}");
        record(&space, &name, ("systemctl stop db", ""));
        let end = Experience::Outcome(ActionOutcome {
            action: ActionOutcome::TASK.to_owned(),
            goal: "stop the database".to_owned(),
            run: name,
            ends_run: true,
            succeeded: true,
            ..ActionOutcome::default()
        });
        space.remember(Draft::experience(end)).expect("recorded");
    }
    let known = |goal: &str| {
        let query = ExperienceQuery {
            goal: goal.to_owned(),
            ..ExperienceQuery::default()
        };
        let advice = space.experience(&query).expect("advice");
        let chance = space.run_chance(goal, "").expect("a chance");
        (
            advice.len(),
            chance.map(|chance| chance.same + chance.similar),
        )
    };
    assert!(known("stop the main database").0 > 0);
    assert_eq!(known("stop the main database").1, Some(3));
    for opposite in ["start the database", "do not stop the database"] {
        assert_eq!(known(opposite), (0, Some(0)), "{opposite}");
    }
}

#[test]
fn what_never_helped_hides_no_warning() {
    let home = Home::new();
    let space = home.space();
    let failed = ("cargo test", "linker not found");
    for number in 0..3 {
        let name = format!("a {number}");
        for step in [failed, ("touch x", ""), failed] {
            record(&space, &name, step);
        }
        let end = Experience::Outcome(ActionOutcome {
            action: ActionOutcome::TASK.to_owned(),
            goal: "test it".to_owned(),
            run: name,
            ends_run: true,
            ..ActionOutcome::default()
        });
        space.remember(Draft::experience(end)).expect("recorded");
    }
    let query = ExperienceQuery {
        error: "linker not found".to_owned(),
        ..ExperienceQuery::default()
    };
    let advice = space.experience(&query).expect("advice");
    let has = |kind: AdviceKind| advice.iter().any(|one| one.kind == kind);
    assert!(
        has(AdviceKind::Recovery) && has(AdviceKind::ProposedLesson),
        "{advice:?}"
    );
}
