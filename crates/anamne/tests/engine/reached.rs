//! Capabilities of the engine that other tests reach only through commands and tools, called from Rust.

use anamne::{
    ActionOutcome, Actor, ConflictKind, ContradictionQuery, Draft, Edit, Error, Experience,
    Fetched, Filter, Invalidation, KeptOpinion, Kind, LearningSearch, Level, Lookup, MemoryId,
    Opinion, Order, Project, Recall, RequestKind, Said, Scope, Space, SpaceSet, Store, StoreFolder,
    ToolRequest, Visibility,
};
use jiff::{SignedDuration, Timestamp};

use crate::common::Home;

fn told(space: &Space, draft: impl Into<Draft>) -> MemoryId {
    space.remember(draft).expect("told").id
}

fn at(instant: &str) -> Timestamp {
    instant.parse().expect("an instant")
}

#[test]
fn many_memories_are_forgotten_together_or_not_at_all() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    let ids = ["one", "two", "three"].map(|text| told(&space, text));
    let live = || {
        let filter = Filter::default();
        space.select(&filter, Visibility::Live, Order::OldestFirst)
    };
    assert!(space.forget_all(&[ids[0], MemoryId::at(0)]).is_err());
    assert_eq!(live()?, ids);
    assert_eq!(space.forget_all(&ids[..2])?.len(), 2);
    assert_eq!(live()?, ids[2..]);
    space.restore(ids[0])?;
    assert_eq!(live()?, [ids[0], ids[2]]);
    Ok(())
}

#[test]
fn a_memory_is_shown_as_it_was_at_a_time() -> Result<(), Error> {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
    let space = store.space("tests")?;
    let id = told(&space, "The ferry leaves at nine");
    clock.set("2026-03-02T12:00:00Z");
    let edit = Edit {
        content: Some("The ferry leaves at ten".to_owned()),
        ..Edit::default()
    };
    space.edit(id, &edit)?;
    let content = |instant: &str| -> Result<Option<String>, Error> {
        let version = space.as_of(id, at(instant))?;
        Ok(version
            .and_then(|version| version.memory)
            .map(|memory| memory.content))
    };
    assert_eq!(content("2026-02-28T00:00:00Z")?, None);
    let before = content("2026-03-01T18:00:00Z")?;
    assert_eq!(before.as_deref(), Some("The ferry leaves at nine"));
    let after = content("2026-03-03T00:00:00Z")?;
    assert_eq!(after.as_deref(), Some("The ferry leaves at ten"));
    Ok(())
}

#[test]
fn a_contradiction_and_the_origin_of_its_sides_are_known() -> Result<(), Error> {
    let home = Home::new();
    let store = Store::open_with(anamne::Options::new(home.root()).background(false))?;
    let space = store.space("tests")?;
    let sides = [
        (
            "2026-03-01T10:00:00Z",
            "I implemented a Flask route for the homepage.",
        ),
        (
            "2026-03-02T10:00:00Z",
            "I have never written any Flask routes in this project.",
        ),
    ]
    .map(|(day, text)| told(&space, Draft::new(text).author("Ada").occurred_at(at(day))));
    let memories = space.get_each(&sides)?;
    assert_eq!(
        space.disputes(&memories[0])?,
        [],
        "nothing is extracted yet"
    );
    space.extract(&mut |_| true)?;
    let disputes = space.disputes(&memories[0])?;
    assert_eq!(
        (disputes[0].memory, disputes[0].kind, disputes[0].holds),
        (sides[1], ConflictKind::Contested, None)
    );
    let open = ContradictionQuery {
        open: true,
        limit: 10,
        ..ContradictionQuery::default()
    };
    let found = space.knowledge()?.contradictions(&open).expect("listed");
    let assertion = space.resolution(&found[0].id, sides[1])?;
    assert_eq!(
        space.disputes(&memories[0])?[0].holds,
        None,
        "nothing is decided yet"
    );
    space.assert(&assertion, None)?;
    space.extract(&mut |_| true)?;
    assert_eq!(space.disputes(&memories[0])?[0].holds, Some(false));
    let both: Vec<_> = memories.iter().collect();
    let origins = space.provenance(&both)?;
    assert_eq!(origins, store.provenance(&both)?);
    assert_eq!(origins.len(), 2);
    Ok(())
}

#[test]
fn the_graph_is_extracted_discarded_and_extracted_again() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    told(&space, "Mara Lind works at Tarnwick Foundry.");
    let (_, left) = space.extracted()?;
    assert_eq!(left, 1);
    let (report, skipped) = space.extract_in_background()?;
    assert!(skipped.is_empty(), "{report:?}");
    let (position, left) = space.extracted()?;
    assert_eq!(left, 0);
    space.discard_graph()?;
    let (discarded, left) = space.extracted()?;
    assert!(
        discarded < position && left == 1,
        "{discarded:?}, {left} left"
    );
    space.extract(&mut |_| true)?;
    assert_eq!(space.extracted()?, (position, 0));
    Ok(())
}

#[test]
fn the_sessions_of_a_thread_are_summarised() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    for (thread, when, text) in [
        (
            "roof",
            "2026-03-02T10:00:00Z",
            "We chose larch for the roof.",
        ),
        (
            "roof",
            "2026-03-05T10:00:00Z",
            "The larch boards arrived for the roof.",
        ),
        (
            "garden",
            "2026-03-05T11:00:00Z",
            "The tomatoes are planted.",
        ),
    ] {
        told(
            &space,
            Draft::new(text).thread(thread).occurred_at(at(when)),
        );
    }
    space.summarise(&mut |_| {})?;
    let sessions = space.summaries_of_thread("roof", 5)?;
    assert_eq!(sessions.len(), 2);
    assert!(
        sessions
            .iter()
            .all(|session| session.thread.as_deref() == Some("roof"))
    );
    assert!(sessions[0].start < sessions[1].start);
    assert_eq!(space.summaries_of_thread("roof", 1)?.len(), 1);
    assert!(space.summaries_of_thread("cellar", 5)?.is_empty());
    Ok(())
}

#[test]
fn expired_memories_are_in_no_summary_and_are_not_merged() -> Result<(), Error> {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T10:00:00Z");
    let space = store.space("tests")?;
    let said = |text: &str| {
        Draft::new(text)
            .kind(Kind::Fact)
            .thread("visits")
            .occurred_at(at("2026-03-01T09:00:00Z"))
    };
    let mut passing =
        said("The visitor code for the east gate is on the yellow card").importance(9);
    passing.expires_at = Some(at("2026-03-02T10:00:00Z"));
    let passing = told(&space, passing);
    space.summarise(&mut |_| {})?;
    let cited = || -> Result<Vec<MemoryId>, Error> {
        let mut summaries = space.summaries_of_thread("visits", 5)?;
        let day = at("2026-03-01T00:00:00Z")..at("2026-03-02T00:00:00Z");
        summaries.extend(space.summaries(Level::Day, day, 5)?);
        let sentences = summaries.iter().flat_map(|summary| &summary.sentences);
        Ok(sentences.map(|sentence| sentence.memory).collect())
    };
    assert_eq!(cited()?, [passing; 2]);
    let lasting = told(
        &space,
        said("the visitor code for the east gate is on the yellow card."),
    );
    assert_eq!(space.foldable()?.0[0].winner, passing);
    clock.set("2026-03-02T10:00:00Z");
    assert!(cited()?.is_empty());
    assert!(space.consolidate()?.0.is_empty());
    assert_eq!(space.get(lasting)?.superseded_by, None);
    Ok(())
}

#[test]
fn facts_in_other_words_are_merged_and_recurring_statements_shown() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    let facts = [
        "The staging server listens on port 8471",
        "the staging server listens on port 8471.",
        "The staging server listens on port 8472",
    ]
    .map(|text| told(&space, Draft::new(text).kind(Kind::Fact)));
    let (planned, _) = space.foldable()?;
    assert_eq!(planned.len(), 1);
    assert_eq!(
        space.get(planned[0].losers[0])?.superseded_by,
        None,
        "only proposed"
    );
    let (applied, _) = space.consolidate()?;
    assert_eq!(applied.len(), 1);
    let loser = applied[0].losers[0];
    assert!(facts[..2].contains(&loser));
    assert_eq!(space.get(loser)?.superseded_by, Some(applied[0].winner));
    assert!(space.foldable()?.0.is_empty());
    let winner = space.quality_signals(applied[0].winner)?;
    assert!((winner.utility - 0.5).abs() < 1e-6, "{winner:?}");
    assert!((1.0..=10.0).contains(&winner.importance), "{winner:?}");
    assert!(space.insights()?.0.is_empty());
    for (day, text) in [
        (1, "The harbour crane jams whenever it rains."),
        (2, "Hey! The harbour crane jams again when it rains."),
        (3, "When it rains the harbour crane jams."),
    ] {
        let day = at(&format!("2026-03-0{day}T10:00:00Z"));
        told(&space, Draft::new(text).occurred_at(day));
    }
    let (insights, _) = space.insights()?;
    assert_eq!(
        (insights.len(), insights[0].sources.len(), insights[0].days),
        (1, 3, 3)
    );
    Ok(())
}

fn record(space: &Space, run: &str, outcome: ActionOutcome) {
    let run = run.to_owned();
    told(
        space,
        Draft::experience(Experience::Outcome(ActionOutcome { run, ..outcome })),
    );
}

#[test]
fn a_goal_that_is_reached_again_and_again_becomes_a_skill() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    let goal = "publish the release";
    for run in ["r1", "r2", "r3"] {
        record(
            &space,
            run,
            ActionOutcome {
                action: "shell".to_owned(),
                arguments: "apt install mold".to_owned(),
                succeeded: true,
                ..ActionOutcome::default()
            },
        );
        record(
            &space,
            run,
            ActionOutcome {
                action: ActionOutcome::TASK.to_owned(),
                goal: goal.to_owned(),
                ends_run: true,
                succeeded: true,
                ..ActionOutcome::default()
            },
        );
    }
    let runs = space.example_runs("publish the next release", 2)?;
    assert_eq!(runs.len(), 1, "one of each goal: {runs:?}");
    assert_eq!(runs[0].goal, goal);
    let proposed = space.skill_proposals()?;
    assert_eq!(proposed.len(), 1);
    assert_eq!(proposed[0].subject, goal);
    assert!(space.skill_records()?.is_empty());
    let skill = space.keep_skill(goal)?.id;
    assert_eq!(space.get(skill)?.kind(), Kind::Skill);
    assert!(space.skill_proposals()?.is_empty());
    assert!(space.keep_skill(goal).is_err(), "it is kept already");
    let records = space.skill_records()?;
    assert_eq!((records[0].memory, records[0].failures), (skill, 0));
    Ok(())
}

#[test]
fn an_opinion_of_a_memory_is_kept_with_it() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    let id = told(&space, "The ferry leaves at nine");
    let opinion = |said: &str| Opinion {
        about: id,
        said: Said::from_word(said).expect("a word"),
        comment: "it was right".to_owned(),
        wanted: String::new(),
        used: Vec::new(),
        should_ask: String::new(),
    };
    let KeptOpinion::Result(memory) = space.give_feedback(opinion("useful"))? else {
        panic!("kept elsewhere");
    };
    assert_eq!(memory.id, id);
    assert!(space.quality_signals(id)?.utility > 0.5);
    assert!(space.give_feedback(opinion("partial")).is_err());
    let KeptOpinion::Recorded(judged) = space.give_feedback(opinion("approval"))? else {
        panic!("work is judged in a memory of its own");
    };
    assert_eq!(space.get(judged.id)?.kind(), Kind::Experience);
    Ok(())
}

#[test]
fn strategies_are_listed_and_their_use_by_week() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    told(&space, "The ferry leaves at nine");
    let strategies = Space::search_strategies();
    assert!(strategies.len() > 1);
    assert!(space.strategy_weeks()?.is_empty());
    let search = LearningSearch::new(Recall::new("when does the ferry leave?"));
    let found = space.search_with_experience(&search)?;
    let weeks = space.strategy_weeks()?;
    assert_eq!((weeks.len(), weeks[0].searches, weeks[0].judged), (1, 1, 0));
    assert_eq!(weeks[0].strategy, found.strategy);
    assert!(
        strategies
            .iter()
            .any(|strategy| strategy.name == found.strategy)
    );
    Ok(())
}

#[test]
fn cached_results_are_listed_expire_and_are_removed() -> Result<(), Error> {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
    let space = store.space("tests")?;
    let request = |text: &str| ToolRequest::new(RequestKind::Search, "web", text);
    let fetched = Fetched {
        content: "August 2024".to_owned(),
        ..Fetched::default()
    };
    space.set_result_freshness(Some(RequestKind::Search), "", SignedDuration::from_hours(1))?;
    for text in ["tokio 1.40 release date", "largest harbour of Norway"] {
        space.cache_result(&request(text), &fetched)?;
    }
    let listed = space.cached_results(10)?;
    let texts: Vec<&str> = listed
        .iter()
        .map(|result| result.request.text.as_str())
        .collect();
    assert_eq!(
        texts,
        ["largest harbour of Norway", "tokio 1.40 release date"]
    );
    assert_eq!(space.cached_results(1)?.len(), 1);
    clock.set("2026-03-01T14:00:00Z");
    let old = space.cached(&request("tokio 1.40 release date"))?;
    assert!(matches!(old, Lookup::Stale(_)), "{old:?}");
    assert_eq!(
        space.invalidate_results(&Invalidation::Number(listed[0].number))?,
        1
    );
    assert_eq!(
        space.invalidate_results(&Invalidation::Tool("web".to_owned()))?,
        1
    );
    assert!(space.cached_results(10)?.is_empty());
    Ok(())
}

#[test]
fn two_spaces_of_a_project_are_joined() -> Result<(), Error> {
    let home = Home::new();
    let store = Store::open_with(anamne::Options::new(home.root()).background(false))?;
    let clones = ["one", "other"].map(|parent| {
        let folder = home.root().join(parent).join("api");
        std::fs::create_dir_all(folder.join(".git")).expect("folders");
        let remote = "[remote \"origin\"]\n\turl = git@example.com:ada/api.git\n";
        std::fs::write(folder.join(".git/config"), remote).expect("written");
        let project = Project::around(&folder, &mut Vec::new()).expect("a project");
        let claimed = StoreFolder::at(home.root()).claim_space(&project, Timestamp::now());
        claimed.expect("a space").name.to_string()
    });
    assert_ne!(clones[0], clones[1]);
    for name in &clones {
        told(&store.space(name)?, format!("Told in {name}"));
    }
    let names = |store: &Store| -> Result<Vec<String>, Error> {
        let known = store.projects()?;
        Ok(known
            .iter()
            .map(|project| project.space.to_string())
            .collect())
    };
    assert_eq!(names(&store)?.len(), 2);
    let joined = store.join_spaces(&clones[1], &clones[0], &mut |_| {})?;
    assert_eq!(joined.moved, 1);
    let live = store.existing_space(&clones[0])?;
    let live = live.select(&Filter::default(), Visibility::Live, Order::OldestFirst)?;
    assert_eq!(live.len(), 2);
    assert!(store.shared_spaces()?.is_empty());
    store.settle_shared(&clones[0])?;
    assert!(store.settle_shared("nowhere").is_err());
    Ok(())
}

#[test]
fn chores_are_listed_with_their_latest_runs() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    told(&space, "The ferry leaves at nine");
    let before = space.chores()?;
    assert!(before.iter().any(|chore| chore.last_at.is_none()));
    space.run_tasks(&mut |_| {})?;
    let after = space.chores()?;
    let names = |chores: &[anamne::ChoreReport]| -> Vec<String> {
        chores.iter().map(|chore| chore.name.to_string()).collect()
    };
    assert_eq!(names(&before), names(&after));
    assert!(
        after.iter().all(|chore| chore.problem.is_empty()),
        "{after:?}"
    );
    Ok(())
}

#[test]
fn a_claim_is_compared_with_what_is_stored_and_not_stored_itself() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    let told = told(
        &space,
        Draft::new("The nightly backup takes 40 minutes.").occurred_at(at("2026-03-01T10:00:00Z")),
    );
    let report = space.check_claim("The nightly backup now takes 25 minutes.", 10)?;
    assert_eq!(report.checked, 1);
    assert_eq!(report.contradictions.len(), 1, "{report:?}");
    let found = &report.contradictions[0];
    assert_eq!(found.contradiction.earlier.evidence.memory, told);
    assert_eq!(found.contradiction.later.evidence.citation, "claim");
    assert_eq!(found.holds, None, "nobody decided");
    let agreeing = space.check_claim("The nightly backup takes 40 minutes.", 10)?;
    assert!(agreeing.is_consistent(), "{agreeing:?}");
    let ids = space.select(&Filter::default(), Visibility::Both, Order::OldestFirst)?;
    assert_eq!(ids, [told], "the claim is not stored");
    assert!(space.check_claim(" ", 10).is_err());
    assert!(space.check_claim("Ada", 0).is_err());
    Ok(())
}

#[test]
fn who_only_reads_verifies_a_space_and_sees_its_work() -> Result<(), Error> {
    let home = Home::new();
    let store = Store::open_with(anamne::Options::new(home.root()).background(false))?;
    let owner = store.space("tests")?;
    let lost = told(&owner, "The ferry leaves at nine");
    owner.run_tasks(&mut |_| {})?;
    let reader = Scope::of(Actor::agent("editor")).reading(SpaceSet::only(["tests"]));
    let space = store.narrowed(&reader).existing_space("tests")?;
    let found = space.verify()?;
    assert_eq!(found.space, "tests");
    assert_eq!(found.examination.findings, []);
    assert_eq!(found.examination.rows, 1);
    let work = space.work()?;
    assert!(work.failed.is_empty());
    assert!(
        !work.queue.kinds.is_empty() && !work.chores.is_empty(),
        "{work:?}"
    );
    let journal = home.folder().join("journal/000001.jsonl");
    let text = std::fs::read_to_string(&journal).expect("the journal");
    assert!(text.contains("ferry"), "{text}");
    std::fs::write(&journal, text.replace("ferry", "f3rry")).expect("damaged");
    let found = space.verify()?;
    assert!(!found.examination.findings.is_empty(), "{found:?}");
    assert_eq!(space.get(lost)?.content, "The ferry leaves at nine");
    Ok(())
}
