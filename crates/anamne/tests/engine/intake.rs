//! What a space accepts: kinds, quality, and what counts as a duplicate.

use anamne::{
    BadLines, Body, Category, Draft, Duplicates, ImportOptions, IntakeConfig, Kind, LinkType,
    Recall, Space, Store, text_quality,
};

fn space() -> (tempfile::TempDir, Space) {
    let folder = tempfile::tempdir().expect("a folder");
    let space = Store::open(folder.path()).expect("a store");
    let space = space.space("core").expect("a space");
    (folder, space)
}

fn accept(space: &Space, change: impl FnOnce(&mut IntakeConfig)) {
    space
        .configure(|config| change(&mut config.intake))
        .expect("configured");
}

fn fact(text: &str) -> Draft {
    let body = Body::Fact {
        category: Some(Category::Reference),
    };
    Draft {
        body,
        ..Draft::from(text)
    }
}

#[test]
fn other_kinds_are_refused_by_name_at_every_entry() {
    let (_folder, space) = space();
    accept(&space, |intake| {
        intake.kinds = vec![Kind::Fact, Kind::Episode];
    });
    space
        .remember(fact("The ferry leaves at seven"))
        .expect("a fact");
    let refused = space.remember("The ferry is late").expect_err("a message");
    let refused = refused.to_string();
    for said in ["message", "fact, episode", "intake.kinds", "space.toml"] {
        assert!(refused.contains(said), "{refused}");
    }
    let both = [
        fact("The baker opens at six"),
        Draft::from("The baker sleeps"),
    ];
    assert!(space.remember_all(&both).is_err());
    let each = space.remember_each(&both).expect("answers");
    assert!(each[0].is_ok() && each[1].is_err());
    let lines = "{\"content\": \"An imported message\"}\n";
    let report = space.import(lines.as_bytes(), BadLines::Skip, &mut |_| {});
    let report = report.expect("a report");
    assert_eq!(report.imported, 0);
    assert!(report.bad[0].reason.contains("intake.kinds"), "{report:?}");
    assert_eq!(space.report().expect("a report").statistics.memories, 2);
}

#[test]
fn a_text_that_says_too_little_is_refused_with_the_reason() {
    let (_folder, space) = space();
    accept(&space, |intake| intake.quality = 0.3);
    let refused = space.remember("ok thanks").expect_err("it says nothing");
    let refused = refused.to_string();
    for said in ["quality 0.3", "intake.quality", "say more"] {
        assert!(refused.contains(said), "{refused}");
    }
    let told = "The harbour office in Kiel moved its ledger to PostgreSQL 16 in March";
    assert!(text_quality(told) > 0.3);
    space.remember(told).expect("it says enough");
    let unsure = Draft {
        confidence: Some(0.1),
        ..Draft::from("The harbour office in Kiel may move its ledger to Oracle 23 in April")
    };
    space.remember(unsure).expect_err("hardly believed");
    accept(&space, |intake| intake.quality = 0.0);
    space.remember("ok thanks").expect("everything is accepted");
}

#[test]
fn without_duplicates_the_same_text_is_stored_again_except_under_its_external_id() {
    let (_folder, space) = space();
    let text = "The ferry leaves at seven";
    let first = space.remember(text).expect("stored");
    assert!(space.remember(text).expect("known").duplicate);
    accept(&space, |intake| intake.duplicates = Duplicates::None);
    let again = space.remember(text).expect("stored");
    assert!(!again.duplicate && again.id != first.id);
    let named = || Draft {
        external_id: Some("line 7".to_owned()),
        ..Draft::from(text)
    };
    assert!(!space.remember(named()).expect("stored").duplicate);
    assert!(space.remember(named()).expect("known").duplicate);
    assert_eq!(space.report().expect("a report").statistics.memories, 3);
}

#[test]
fn a_rewording_keeps_its_words_and_names_the_known_memory() {
    let (_folder, space) = space();
    accept(&space, |intake| {
        intake.duplicates = Duplicates::Semantic;
        intake.similarity = 0.8;
    });
    let known = space
        .remember(fact(
            "The harbour office keeps its ledger in the blue cabinet",
        ))
        .expect("stored");
    assert_eq!(known.rewording, None);
    let words = "In the blue cabinet the harbour office keeps its ledger";
    let told = space.remember(fact(words)).expect("stored");
    assert!(told.duplicate);
    assert_eq!(told.id, known.id);
    let kept = told.rewording.expect("the words are kept");
    let memory = space.get(kept).expect("a memory");
    assert_eq!(memory.content, words);
    assert_eq!(memory.superseded_by, Some(known.id));
    let answer = space.recall(&Recall::new("where is the ledger of the harbour office"));
    assert_eq!(answer.expect("an answer").results[0].memory.id, known.id);
    // The same words are an exact duplicate of what is kept.
    let same = space.remember(fact(words)).expect("known");
    assert_eq!(
        (same.duplicate, same.id, same.rewording),
        (true, kept, None)
    );
    // Removing the link undoes it.
    let undone = space.unlink(known.id, kept, LinkType::Supersedes);
    assert!(undone.expect("undone"));
    assert_eq!(space.get(kept).expect("a memory").superseded_by, None);
}

#[test]
fn a_text_that_says_something_else_is_no_rewording() {
    let (_folder, space) = space();
    accept(&space, |intake| {
        intake.duplicates = Duplicates::Semantic;
        intake.similarity = 0.5;
    });
    let told = |draft: Draft| space.remember(draft).expect("stored").duplicate;
    assert!(!told(fact(
        "The ferry to Laboe leaves the pier at 7 every morning"
    )));
    assert!(
        !told(fact(
            "The ferry to Laboe leaves the pier at 8 every morning"
        )),
        "a number"
    );
    assert!(
        !told(fact("The ferry to Kiel leaves the pier at 7 every morning")),
        "a name"
    );
    let denied = "The ferry to Laboe never leaves the pier at 7 every morning";
    assert!(!told(fact(denied)), "a negation");
    let message = "Every morning at 7 the ferry to Laboe leaves the pier";
    assert!(!told(Draft::from(message)), "another kind");
    let said = Draft::from("The ferry to Laboe leaves the pier every morning at 7").thread("chat");
    assert!(!told(said), "a conversation is kept as it is");
    assert_eq!(space.report().expect("a report").statistics.memories, 5 + 1);
    // By default, rewordings are memories of their own.
    accept(&space, |intake| *intake = IntakeConfig::default());
    assert!(!told(fact(
        "Each morning at 7 the ferry to Laboe leaves its pier"
    )));
}

#[test]
fn an_import_names_the_lines_below_the_quality_of_the_space() {
    let (_folder, space) = space();
    accept(&space, |intake| intake.quality = 0.3);
    let told = "The harbour office in Kiel moved its ledger to PostgreSQL 16 in March";
    let lines = format!(
        "{{\"text\": {told:?}}}\n{{\"text\": \"ok thanks\"}}\n{{\"text\": \"{told}, and nobody noticed\"}}\n"
    );
    let report = space.import(lines.as_bytes(), BadLines::Skip, &mut |_| {});
    let report = report.expect("a report");
    assert_eq!((report.imported, report.bad.len()), (2, 1));
    assert_eq!(report.bad[0].line, 2);
    assert!(report.bad[0].reason.contains("quality 0.3"), "{report:?}");
    let stopped = space.import(lines.as_bytes(), BadLines::Stop, &mut |_| {});
    let stopped = stopped.expect_err("line 2 is refused").to_string();
    assert!(stopped.contains("quality 0.3"), "{stopped}");
}

#[test]
fn an_import_names_the_lines_that_reword_an_earlier_memory() {
    let lines = r#"{"text": "The harbour office keeps its ledger in the blue cabinet", "kind": "fact"}
{"text": "The ferry leaves at seven from the northern pier", "kind": "fact"}
{"text": "In the blue cabinet the harbour office keeps its ledger", "kind": "fact"}
"#;
    let import = |space: &Space| {
        let report = space.import(lines.as_bytes(), BadLines::Stop, &mut |_| {});
        report.expect("a report")
    };
    let (_folder, exact) = space();
    let report = import(&exact);
    assert_eq!((report.imported, report.reworded.len()), (3, 0));
    let (_folder, space) = space();
    accept(&space, |intake| {
        intake.duplicates = Duplicates::Semantic;
        intake.similarity = 0.8;
    });
    let report = import(&space);
    assert_eq!((report.imported, report.bad.len()), (3, 0));
    let [reworded] = report.reworded.as_slice() else {
        panic!("{report:?}");
    };
    assert_eq!(reworded.line, 3);
    let known = space.get(reworded.known).expect("a memory");
    assert!(known.content.starts_with("The harbour office"), "{known:?}");
    assert_eq!(
        known.superseded_by, None,
        "the earlier one is the known one"
    );
    let mut told = Vec::new();
    space.export(&mut told).expect("exported");
    let (_folder, restored) = self::space();
    accept(&restored, |intake| {
        intake.duplicates = Duplicates::Semantic;
        intake.quality = 1.0;
    });
    let trusted = ImportOptions::default().trusted();
    let report = restored
        .import(told.as_slice(), trusted, &mut |_| {})
        .expect("a report");
    assert_eq!(
        (report.imported, report.bad.len()),
        (3, 0),
        "an export is restored as it was"
    );
    assert!(report.reworded.is_empty());
}
