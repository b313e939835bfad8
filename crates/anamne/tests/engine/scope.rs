//! No call does more than the scope of its handle allows. Methods are enumerated from the source, so a new one fails
//! here until its needs are declared.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anamne::{
    Actor, Assertion, BackupSchedule, BadLines, ContextRequest, Denied, Draft, Edit, EntityType,
    Error, ErrorKind, Feedback, Fetched, Insight, Invalidation, Link, LinkType, MemoryId, Metadata,
    Recall, RequestKind, Right, Scope, Selection, Space, SpaceChoice, SpaceSet, Spaces, Store,
    ToldEntity, ToolRequest, Transfer,
};

use crate::common::public_methods::public_methods;

/// A space with some content, and the ids of two memories.
struct World {
    _folder: tempfile::TempDir,
    store: Store,
    one: MemoryId,
    other: MemoryId,
    outside: std::path::PathBuf,
}

fn world() -> World {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = anamne::Options::new(folder.path().join("store")).background(false);
    let store = Store::open_with(options).expect("a store");
    let space = store.space("atlas").expect("a space");
    let write = |text: &str| {
        let draft = Draft::new(text).thread("harbour");
        space.remember(draft).expect("told").id
    };
    let (one, other) = (
        write("The pilot boat leaves at six"),
        write("The pilot boat leaves at seven"),
    );
    let payroll = store.space("payroll").expect("a space");
    payroll
        .remember("The pilot boat earns saffron nine")
        .expect("told");
    World {
        outside: folder.path().join("outside"),
        _folder: folder,
        store,
        one,
        other,
    }
}

type Call = fn(&Space, &World) -> Result<(), Error>;

/// What a method of a space needs besides the right to read it.
enum Needs {
    /// Nothing: it only reads, or only affects this handle.
    Nothing,
    Write(Call),
    Right(Right, Call),
}
use Needs::{Nothing, Write};

fn link(world: &World) -> Link {
    Link {
        from: world.one,
        to: world.other,
        link_type: LinkType::Related,
        weight: 1.0,
        reason: String::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
    }
}

fn tool_request() -> ToolRequest {
    ToolRequest::new(RequestKind::Search, "web", "pilot boat")
}

fn assertion() -> Assertion {
    Assertion::Entity(ToldEntity {
        name: "Mara Lind".into(),
        entity_type: EntityType::Person,
        ..ToldEntity::default()
    })
}

fn insight(world: &World) -> Insight {
    Insight {
        text: "said".into(),
        sentence: "said".into(),
        central: world.one,
        sources: vec![world.one],
        confidence: 0.5,
        days: 1,
        made_by: anamne::MadeBy::rule("insight", 1),
        first: jiff::Timestamp::UNIX_EPOCH,
        last: jiff::Timestamp::UNIX_EPOCH,
    }
}

/// Every public method of `Space`, with what it needs.
fn methods_of_spaces() -> Vec<(&'static str, Needs)> {
    let right = |right, call: Call| Needs::Right(right, call);
    let mut methods: Vec<(&'static str, Needs)> = vec![
        (
            "remember",
            Write(|space, _| space.remember("new").map(drop)),
        ),
        (
            "remember_all",
            Write(|space, _| space.remember_all(&["new".into()]).map(drop)),
        ),
        (
            "remember_each",
            Write(|space, _| space.remember_each(&["new".into()]).map(drop)),
        ),
        (
            "edit",
            Write(|space, world| {
                let edit = Edit {
                    importance: Some(9),
                    ..Edit::default()
                };
                space.edit(world.one, &edit).map(drop)
            }),
        ),
        (
            "remember_once",
            Write(|space, _| space.remember_once(None, &["new".into()]).map(drop)),
        ),
        (
            "capture",
            Write(|space, _| space.capture("editor", None, &["new".into()]).map(drop)),
        ),
        (
            "edit_if",
            Write(|space, world| {
                let edit = Edit {
                    importance: Some(8),
                    ..Edit::default()
                };
                space.edit_if(world.one, 1, &edit).map(drop)
            }),
        ),
        (
            "forget_if",
            Write(|space, world| space.forget_if(world.one, 1).map(drop)),
        ),
        (
            "forget",
            Write(|space, world| space.forget(world.one).map(drop)),
        ),
        (
            "forget_all",
            Write(|space, world| space.forget_all(&[world.one]).map(drop)),
        ),
        (
            "remove_members",
            Write(|space, world| space.remove_members(&[world.one])),
        ),
        (
            "restore",
            Write(|space, world| space.restore(world.one).map(drop)),
        ),
        (
            "link",
            Write(|space, world| space.link(&link(world)).map(drop)),
        ),
        (
            "unlink",
            Write(|space, world| {
                space
                    .unlink(world.one, world.other, LinkType::Related)
                    .map(drop)
            }),
        ),
        ("settle", Write(|space, _| space.settle(&mut |_, _| {}))),
        ("fold", Write(|space, _| space.fold().map(drop))),
        (
            "extract",
            Write(|space, _| space.extract(&mut |_| true).map(drop)),
        ),
        (
            "extract_again",
            Write(|space, _| space.extract_again(&mut |_| true).map(drop)),
        ),
        (
            "extract_in_background",
            Write(|space, _| space.extract_in_background().map(drop)),
        ),
        (
            "assert",
            Write(|space, _| space.assert(&assertion(), None).map(drop)),
        ),
        (
            "resolve_contradiction",
            Write(|space, world| space.resolve_contradiction("c1", world.one).map(drop)),
        ),
        (
            "summarise",
            Write(|space, _| space.summarise(&mut |_| {}).map(drop)),
        ),
        (
            "consolidate",
            Write(|space, _| space.consolidate().map(drop)),
        ),
        (
            "feedback",
            Write(|space, world| space.feedback(&Feedback::new(world.one, true)).map(drop)),
        ),
        (
            "feedback_on_query",
            Write(|space, _| space.feedback_on_query(1, true, "").map(drop)),
        ),
        (
            "search_feedback",
            Write(|space, world| {
                let feedback = anamne::SearchFeedback {
                    search: world.one,
                    usefulness: anamne::Usefulness::Helpful,
                    used: Vec::new(),
                    reason: String::new(),
                    should_ask: String::new(),
                    implied: false,
                };
                space.search_feedback(feedback).map(drop)
            }),
        ),
        (
            "give_feedback",
            Write(|space, world| {
                let opinion = anamne::Opinion {
                    about: world.one,
                    said: anamne::Said::from_word("useful").expect("a word"),
                    comment: String::new(),
                    wanted: String::new(),
                    used: Vec::new(),
                    should_ask: String::new(),
                };
                space.give_feedback(opinion).map(drop)
            }),
        ),
        (
            "keep_skill",
            Write(|space, _| space.keep_skill("a goal").map(drop)),
        ),
        (
            "keep_lesson",
            Write(|space, _| space.keep_lesson("m1-0a1b2c3d4e5f").map(drop)),
        ),
        (
            "set_lesson_aside",
            Write(|space, _| space.set_lesson_aside("m1-0a1b2c3d4e5f").map(drop)),
        ),
        (
            "start_experiment",
            Write(|space, _| {
                let arms = ["default", "words"].map(str::to_owned);
                space.start_experiment("signals", &arms, 0.05).map(drop)
            }),
        ),
        (
            "stop_experiment",
            Write(|space, _| space.stop_experiment("signals").map(drop)),
        ),
        (
            "set_working",
            Write(|space, _| {
                let scope = anamne::WorkingScope::default();
                space.set_working(&scope, "key", 1.into(), None).map(drop)
            }),
        ),
        (
            "enrich",
            Write(|space, _| space.enrich(&mut |_| {}).map(drop)),
        ),
        (
            "remove_enrichment",
            Write(|space, world| {
                let parts = [anamne::EnrichedPart::Tags];
                space.remove_enrichment(world.one, &parts).map(drop)
            }),
        ),
        (
            "restore_enrichment",
            Write(|space, world| space.restore_enrichment(world.one).map(drop)),
        ),
        (
            "run_tasks",
            Write(|space, _| space.run_tasks(&mut |_| {}).map(drop)),
        ),
        (
            "reword_summary",
            Write(|space, world| {
                let owner = world.store.existing_space("atlas")?;
                owner.summarise(&mut |_| {})?;
                let mut known = owner.summaries_of_thread("harbour", 1)?;
                let summary = known.pop().expect("a summary of the thread");
                space.reword_summary(&summary, 2).map(drop)
            }),
        ),
        (
            "reword_insight",
            Write(|space, world| space.reword_insight(&insight(world)).map(drop)),
        ),
        (
            "import",
            Write(|space, _| {
                let line = br#"{"text": "new"}"#;
                space
                    .import(line.as_slice(), BadLines::Stop, &mut |_| {})
                    .map(drop)
            }),
        ),
        (
            "import_each",
            Write(|space, _| {
                let line = br#"{"text": "new"}"#;
                space
                    .import_each(line.as_slice(), BadLines::Stop, &mut |_| {})
                    .map(drop)
            }),
        ),
        (
            "import_notes",
            Write(|space, world| {
                let note = world.outside.join("note.md");
                fs::create_dir_all(&world.outside).expect("a folder");
                fs::write(note, "new").expect("a note");
                space
                    .import_notes(&world.outside, BadLines::Stop, &mut |_| {})
                    .map(drop)
            }),
        ),
        (
            "apply_retention",
            right(Right::Erase, |space, _| {
                space.apply_retention(true).map(drop)
            }),
        ),
        (
            "restore_forgotten_by_retention",
            Write(|space, _| space.restore_forgotten_by_retention().map(drop)),
        ),
        (
            "erase",
            right(Right::Erase, |space, world| {
                space.erase(world.one).map(drop)
            }),
        ),
        (
            "erase_all",
            right(Right::Erase, |space, world| {
                space.erase_all(&[world.one]).map(drop)
            }),
        ),
        (
            "finish_erasures",
            right(Right::Erase, |space, _| space.finish_erasures().map(drop)),
        ),
        (
            "forget_meta",
            right(Right::Erase, |space, _| space.forget_meta()),
        ),
        (
            "set_enrichment",
            right(Right::Configure, |space, _| {
                space.set_enrichment(false, false).map(drop)
            }),
        ),
        (
            "configure",
            right(Right::Configure, |space, _| {
                space
                    .configure(|config| config.description = "new".into())
                    .map(drop)
            }),
        ),
        (
            "embedding_estimate",
            right(Right::Configure, |space, _| {
                space.embedding_estimate("builtin").map(drop)
            }),
        ),
        (
            "full_model_name",
            right(Right::Configure, |space, _| {
                space.full_model_name("builtin").map(drop)
            }),
        ),
        (
            "check_up",
            right(Right::Configure, |space, _| space.check_up().map(drop)),
        ),
        (
            "rebuild",
            right(Right::Configure, |space, _| space.rebuild(&mut |_, _| {})),
        ),
        (
            "discard_graph",
            right(Right::Configure, |space, _| space.discard_graph()),
        ),
        (
            "age",
            right(Right::Configure, |space, _| {
                space.age(&mut |_, _| {}).map(drop)
            }),
        ),
        (
            "queue_backup",
            right(Right::Configure, |space, _| space.queue_backup()),
        ),
        (
            "task_queue",
            right(Right::Configure, |space, _| space.task_queue().map(drop)),
        ),
        (
            "chores",
            right(Right::Configure, |space, _| space.chores().map(drop)),
        ),
        (
            "without_guard",
            right(Right::Configure, |space, _| space.without_guard().map(drop)),
        ),
        (
            "cache_result",
            Write(|space, _| {
                let fetched = Fetched {
                    content: "high tide at six".to_owned(),
                    ..Fetched::default()
                };
                space.cache_result(&tool_request(), &fetched).map(drop)
            }),
        ),
        (
            "note_result_used",
            Write(|space, world| space.note_result_used(1, &[world.one])),
        ),
        (
            "invalidate_results",
            Write(|space, _| space.invalidate_results(&Invalidation::All).map(drop)),
        ),
        (
            "set_result_freshness",
            Write(|space, _| space.set_result_freshness(None, "", jiff::SignedDuration::ZERO)),
        ),
        (
            "guard_redact",
            right(Right::Erase, |space, world| {
                space.guard_redact(&[world.other]).map(drop)
            }),
        ),
    ];
    let reading = [
        "acting_as",
        "scope",
        "name",
        "state",
        "folder",
        "config",
        "now",
        "count_outdated",
        "provenance",
        "retention",
        "select",
        "get_each",
        "get",
        "read",
        "spaces_with",
        "use_of",
        "list_by_use",
        "list_by_importance",
        "link_strengths",
        "resolve",
        "find_imported",
        "list",
        "list_undamaged",
        "links",
        "all_links",
        "history",
        "report",
        "is_unsettled",
        "verify_journal",
        "recall",
        "context",
        "for_prompt",
        "summaries",
        "summaries_of_thread",
        "enrichment",
        "enrichments",
        "enrichment_state",
        "enriched",
        "export",
        "export_visibility",
        "export_notes",
        "export_corpus",
        "backups",
        "foldable",
        "insights",
        "guard_scan",
        "guard_test",
        "cached",
        "cached_results",
        "search_tool_results",
        "cache_savings",
        "quality_signals",
        "check_consistency",
        "check_claim",
        "verify",
        "work",
        "query_log",
        "query_performance",
        "known_topics",
        "embedding",
        "tiers",
        "as_of",
        "log",
        "watch",
        "experience",
        "working_memory",
        "similar_searches",
        "strategy_reports",
        "strategy_weeks",
        "skill_proposals",
        "lesson_proposals",
        "run_chance",
        "example_runs",
        "skill_records",
        "search_quality",
        "search_with_experience",
        "ranked_by",
        "note_used",
        "note_cited",
        "search_strategies",
        "experiment",
        "experiments",
        "knowledge",
        "extracted",
        "associations",
        "disputes",
        "resolution",
    ];
    methods.extend(reading.into_iter().map(|name| (name, Nothing)));
    methods
}

#[track_caller]
fn covers(listed: &[&str], of: &str) {
    let listed: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
    let there = public_methods(Path::new(env!("CARGO_MANIFEST_DIR")), of);
    let missing: Vec<_> = there.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&there).collect();
    assert!(missing.is_empty(), "{of}: say what these need: {missing:?}");
    assert!(gone.is_empty(), "{of}: no longer there: {gone:?}");
}

/// The state that a rejected call must not change.
fn state(store: &Store) -> (u64, String, u64) {
    let space = store.existing_space("atlas").expect("the space");
    let head = space
        .log(&anamne::LogQuery::default())
        .expect("the log")
        .len() as u64;
    let live = space.report().expect("a report").statistics;
    (head, space.config().description.clone(), live.memories)
}

#[test]
fn a_handle_does_no_more_in_a_space_than_its_scope_allows() {
    let methods = methods_of_spaces();
    covers(
        &methods.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        "Space",
    );
    for (name, needs) in methods {
        let world = world();
        let before = state(&world.store);
        let (scope, call, expected) = match needs {
            Nothing => continue,
            Write(call) => {
                let scope = Scope::owner().writing(SpaceSet::only(["payroll"]));
                (scope, call, Denied::Write("atlas".into()))
            }
            Needs::Right(right, call) => {
                let others = Right::ALL.iter().filter(|other| **other != right);
                let scope = others.fold(
                    Scope::of(Actor::user())
                        .reading(SpaceSet::All)
                        .writing(SpaceSet::All),
                    |scope, other| scope.allowing(*other),
                );
                (scope, call, Denied::Right(right))
            }
        };
        let space = world
            .store
            .narrowed(&scope)
            .existing_space("atlas")
            .expect("readable");
        match call(&space, &world) {
            Err(Error::Denied(denied)) => assert_eq!(denied, expected, "{name}"),
            other => panic!("{name} was not denied: {other:?}"),
        }
        assert_eq!(state(&world.store), before, "{name} changed something");
        // The same call is not denied in a scope that allows it.
        let owner = world.store.existing_space("atlas").expect("readable");
        let allowed = call(&owner, &world);
        assert!(
            !matches!(allowed, Err(Error::Denied(_))),
            "{name}: {allowed:?}"
        );
    }
}

#[test]
fn a_handle_reaches_no_other_space_than_its_scope_covers() {
    let methods = [
        "open",
        "open_with",
        "clock",
        "narrowed",
        "scope",
        "models",
        "import_model",
        "verify_models",
        "remove_model",
        "root",
        "space",
        "existing_space",
        "spaces",
        "unreadable_spaces",
        "recall",
        "context",
        "propose_spaces",
        "embedding_cache",
        "flush_query_logs",
        "hook_log",
        "unsent_captures",
        "server_records",
        "back_up_server_as_scheduled",
        "backup_server",
        "begin_server_backups",
        "restore_server",
        "run_background_round",
        "backup",
        "verify",
        "repair",
        "export_binary",
        "import_binary",
        "rewind",
        "forget_backup",
        "schedule_backups",
        "provenance",
        "count_split",
        "add_members",
        "promote",
        "demote",
        "split_space",
        "erase_space",
        "erase_space_if",
        "unfinished_space_erasures",
        "join_spaces",
        "projects",
        "shared_spaces",
        "settle_shared",
        "views_behind",
        "check_writable",
    ];
    covers(&methods, "Store");
    let world = world();
    let scope = Scope::of(Actor::agent("editor"))
        .reading(SpaceSet::only(["atlas"]))
        .writing(SpaceSet::only(["atlas"]));
    let store = world.store.narrowed(&scope);
    let names: Vec<String> = store
        .spaces()
        .expect("spaces")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["atlas"]);
    for name in ["payroll", "nowhere", "core"] {
        let denied = |result: Result<Space, Error>| match result {
            Err(Error::Denied(Denied::Read(space))) => assert_eq!(space, name),
            other => panic!("{name}: {:?}", other.map(|space| space.name().to_owned())),
        };
        denied(store.space(name));
        denied(store.existing_space(name));
    }
    assert!(
        !world.store.root().join("spaces/nowhere").exists(),
        "no space was made"
    );
    let question = Recall::new("what does the pilot boat earn?");
    for choice in [
        SpaceChoice::All,
        SpaceChoice::Proposed {
            hints: vec!["payroll".into()],
            most: 9,
        },
    ] {
        let spaces = Spaces { choice, core: true };
        let answer = store.recall(&spaces, &question).expect("an answer");
        let request = ContextRequest::new(&question.query, 500);
        let block = store.context(&spaces, &request).expect("a block");
        for said in [
            serde_json::to_string(&answer).expect("JSON"),
            serde_json::to_string(&block).expect("JSON"),
        ] {
            assert!(
                !said.contains("saffron") && !said.contains("payroll"),
                "{said}"
            );
        }
    }
    let named = Spaces {
        choice: SpaceChoice::Named(vec!["payroll".into()]),
        core: false,
    };
    let error = store.recall(&named, &question).expect_err("denied");
    assert_eq!(error.kind(), ErrorKind::Denied);
    let request = ContextRequest::new(&question.query, 500);
    let error = store.context(&named, &request).expect_err("denied");
    assert_eq!(error.kind(), ErrorKind::Denied);
    let proposed = store
        .propose_spaces("pilot boat", &["payroll".into()], 9)
        .expect("proposals");
    assert!(
        proposed
            .spaces
            .iter()
            .all(|proposal| proposal.space == "atlas"),
        "{proposed:?}"
    );
    assert!(matches!(store.embedding_cache(), Err(Error::Denied(_))));
    assert!(matches!(store.hook_log(), Err(Error::Denied(_))));
    assert!(matches!(store.unsent_captures(), Err(Error::Denied(_))));
    assert!(matches!(
        store.run_background_round(&|| true),
        Err(Error::Denied(_))
    ));
    // Rights alone don't reach keys: they concern every space.
    let narrow = Scope::owner()
        .narrowed(&Scope::owner().reading(SpaceSet::only(["atlas"])))
        .acting_as(Actor::agent("editor"));
    let schedule = BackupSchedule {
        folder: world.outside.clone(),
        every: Duration::from_hours(24),
        keep: 1,
    };
    for store in [&store, &world.store.narrowed(&narrow)] {
        assert!(matches!(
            store.server_records().map(|_| ()),
            Err(Error::Denied(_))
        ));
        assert!(matches!(
            store.begin_server_backups(&schedule),
            Err(Error::Denied(_))
        ));
        assert!(matches!(
            store.back_up_server_as_scheduled(&schedule),
            Err(Error::Denied(_))
        ));
    }
    assert!(matches!(store.check_writable(), Err(Error::Denied(_))));
    let import = anamne::ModelImport::default();
    assert!(matches!(
        store.import_model(&world.outside, &import),
        Err(Error::Denied(_))
    ));
    assert!(matches!(store.verify_models(None), Err(Error::Denied(_))));
    assert!(matches!(
        store.remove_model("builtin"),
        Err(Error::Denied(_))
    ));
    let models = store.models().expect("the models");
    assert_eq!(models[0].spaces, ["atlas"]);
    assert!(matches!(
        store.backup(&world.outside, None),
        Err(Error::Denied(_))
    ));
    assert!(matches!(store.verify(Some("atlas")), Err(Error::Denied(_))));
    assert!(matches!(store.repair(Some("atlas")), Err(Error::Denied(_))));
    assert!(matches!(
        store.forget_backup(&world.outside, None),
        Err(Error::Denied(_))
    ));
    let schedule = anamne::BackupConfig::default();
    assert!(matches!(
        store.schedule_backups(&schedule, None),
        Err(Error::Denied(_))
    ));
    assert!(matches!(
        store.export_binary(&world.outside, Some("payroll"), &[]),
        Err(Error::Denied(Denied::Read(_)))
    ));
    let mut file = Vec::new();
    {
        let path = world.outside.with_extension("anamne");
        let exported = store.export_binary(&path, None, &[]).expect("exported");
        assert_eq!(exported.spaces.len(), 1, "only what it may read");
        file.append(&mut fs::read(&path).expect("a file"));
    }
    for (into, trusted) in [("payroll", false), ("nowhere", false), ("atlas", true)] {
        let options = anamne::ImportOptions {
            trusted,
            ..anamne::ImportOptions::default()
        };
        let import = anamne::BinaryImport {
            into: Some(into.into()),
            options,
            ..anamne::BinaryImport::default()
        };
        let denied = store.import_binary(Path::new("file"), file.as_slice(), &import);
        assert!(
            matches!(denied, Err(Error::Denied(_))),
            "{into}: {denied:?}"
        );
    }
    assert!(matches!(
        store.rewind(jiff::Timestamp::now(), &world.outside, None),
        Err(Error::Denied(_))
    ));
    let payroll = world.store.existing_space("payroll").expect("the owner");
    let listed = payroll.list(&anamne::Listing {
        limit: 1,
        ..anamne::Listing::default()
    });
    let theirs = listed.expect("a list").remove(0);
    assert!(store.provenance(&[&theirs]).is_err());
    assert!(store.count_split("payroll", &Selection::default()).is_err());
    let mut quiet = |_: &Transfer| {};
    let terms = anamne::MemberTerms::new();
    let add = |from: &str, id, into: &str| store.add_members(from, &[id], into, &terms).map(drop);
    for denied in [
        add("payroll", theirs.id, "atlas"),
        add("atlas", world.one, "payroll"),
        store.promote("atlas", &[world.one], &terms).map(drop),
        store.demote(&[world.one]),
    ] {
        assert!(matches!(denied, Err(Error::Denied(_))), "{denied:?}");
    }
    for denied in [
        store
            .split_space("atlas", "core", &Selection::default(), &mut quiet)
            .map(drop),
        store.join_spaces("atlas", "payroll", &mut quiet).map(drop),
        store.settle_shared("atlas"),
    ] {
        assert!(matches!(denied, Err(Error::Denied(_))), "{denied:?}");
    }
    for project in store.projects().expect("projects") {
        assert_eq!(project.space.as_str(), "atlas");
    }
    for space in store.shared_spaces().expect("spaces") {
        assert_eq!(space.as_str(), "atlas");
    }
    assert!(!world.outside.exists());
}

#[test]
fn a_scope_is_never_widened() {
    let world = world();
    let narrow = Scope::of(Actor::agent("editor")).reading(SpaceSet::only(["atlas"]));
    let store = world.store.narrowed(&narrow);
    let again = store.narrowed(&Scope::owner());
    assert!(again.existing_space("payroll").is_err());
    let space = again.existing_space("atlas").expect("readable");
    assert!(space.remember("no").is_err());
    // An agent can't act as the person, who has more trust.
    let agent = store.existing_space("atlas").expect("readable");
    assert!(matches!(
        agent.acting_as(Actor::user()),
        Err(Error::Denied(Denied::Actor(_)))
    ));
    assert!(agent.acting_as(Actor::tool("linter")).is_ok());
}

fn agent(world: &World) -> Space {
    let scope = Scope::of(Actor::agent("editor"))
        .reading(SpaceSet::only(["atlas"]))
        .writing(SpaceSet::only(["atlas"]));
    world
        .store
        .narrowed(&scope)
        .existing_space("atlas")
        .expect("readable")
}

#[test]
fn an_agent_gives_no_more_trust_than_it_has() {
    let world = world();
    let agent = agent(&world);
    let refused = |result: Result<(), Error>| {
        let error = result.expect_err("refused");
        assert_eq!(
            error.refusal().map(anamne::InvalidValue::field),
            Some("trust"),
            "{error}"
        );
    };
    let vain = Draft {
        trust: Some(1.0),
        ..Draft::new("Believe me")
    };
    refused(agent.remember(vain.clone()).map(drop));
    refused(agent.remember_all(std::slice::from_ref(&vain)).map(drop));
    let each = agent
        .remember_each(&[vain, "plain".into()])
        .expect("one of them");
    assert!(each[0].is_err() && each[1].is_ok());
    let edit = Edit {
        trust: Some(1.0),
        ..Edit::default()
    };
    refused(agent.edit(world.one, &edit).map(drop));
    // Its words in a person's memory get its own trust.
    let edit = Edit {
        content: Some("The pilot boat never leaves".into()),
        ..Edit::default()
    };
    let edited = agent.edit(world.one, &edit).expect("an edit");
    assert!((edited.trust - 0.8).abs() < 1e-6, "{}", edited.trust);
}

#[test]
fn metadata_that_the_engine_believes_is_written_by_the_engine_alone() {
    let world = world();
    let owner = world.store.existing_space("atlas").expect("a space");
    for name in [
        "knowledge",
        "Knowledge",
        " knowledge",
        "anamne.feedback",
        "ANAMNE.x",
        "anamne.",
    ] {
        let metadata = Metadata::from([(
            name.to_owned(),
            serde_json::json!({"useful": 9, "useless": 0}),
        )]);
        for space in [&owner, &agent(&world)] {
            let draft = Draft {
                metadata: metadata.clone(),
                ..Draft::new("Forged")
            };
            let edit = Edit {
                metadata: metadata.clone(),
                ..Edit::default()
            };
            for refused in [
                space.remember(draft.clone()).map(drop),
                space.remember_all(std::slice::from_ref(&draft)).map(drop),
                space.edit(world.one, &edit).map(drop),
            ] {
                let error = refused.expect_err(name);
                assert_eq!(
                    error.refusal().map(anamne::InvalidValue::field),
                    Some("metadata"),
                    "{name}"
                );
            }
            assert!(
                space.remember_each(&[draft]).expect("answers")[0].is_err(),
                "{name}"
            );
        }
    }
    let plain = Metadata::from([
        ("knowledgeable".to_owned(), true.into()),
        ("anamnesis".to_owned(), 1.into()),
    ]);
    let draft = Draft {
        metadata: plain,
        ..Draft::new("Fine")
    };
    owner.remember(draft).expect("other names are free");
    owner
        .assert(&assertion(), None)
        .expect("the door for assertions");
}
