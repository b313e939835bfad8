//! An export imported into an empty store gives an equal store, whatever the texts are.

use std::collections::BTreeMap;
use std::fs;

use anamne::{
    BadLines, Body, Category, Draft, Edit, Error, Filter, ImportOptions, Link, LinkType, Memory,
    MemoryId, Metadata, Order, Role, Row, Seq, Space, ToolCall, Visibility,
};
use jiff::Timestamp;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::common::{Home, files_under, link};

/// What must be equal: everything except numbers assigned by the store.
fn essence(memory: Memory) -> Memory {
    Memory {
        row: Row(0),
        seq: Seq(0),
        version: 1,
        ..memory
    }
}

fn all(space: &Space) -> (BTreeMap<MemoryId, Memory>, Vec<Link>) {
    let ids = space
        .select(&Filter::default(), Visibility::Both, Order::OldestFirst)
        .expect("ids");
    let memories = space.get_each(&ids).expect("memories");
    let mut links = space.all_links().expect("links");
    links.sort_by_key(|link| (link.from, link.to, link.link_type));
    let by_id = memories
        .into_iter()
        .map(|memory| (memory.id, essence(memory)));
    (by_id.collect(), links)
}

/// Exports a space, including forgotten memories, in both formats, and compares it with the result of an import.
fn check_round_trip(space: &Space) {
    let expected = all(space);
    let mut lines = Vec::new();
    let exported = space
        .export_visibility(&mut lines, Visibility::Both)
        .expect("exported")
        .exported;
    assert_eq!(exported as usize, expected.0.len());
    let home = Home::new();
    let copy = home.space();
    let report = copy
        .import(
            lines.as_slice(),
            ImportOptions::from(BadLines::Stop).trusted(),
            &mut |_| {},
        )
        .expect("imported");
    assert_eq!((report.imported, report.known), (exported, 0));
    assert_eq!(all(&copy), expected, "by JSON lines");
    let again = copy
        .import(
            lines.as_slice(),
            ImportOptions::from(BadLines::Stop).trusted(),
            &mut |_| {},
        )
        .expect("imported");
    assert_eq!((again.imported, again.known, again.links), (0, exported, 0));
    assert_eq!(all(&copy), expected, "by JSON lines, twice");

    let home = Home::new();
    let vault = home.root().join("vault");
    assert_eq!(
        space
            .export_notes(&vault, Visibility::Both)
            .expect("exported")
            .exported,
        exported
    );
    assert_eq!(files_under(&vault).len() as u64, exported);
    let copy = home.space();
    let report = copy
        .import_notes(
            &vault,
            ImportOptions::from(BadLines::Stop).trusted(),
            &mut |_| {},
        )
        .expect("imported");
    assert_eq!(report.imported, exported);
    assert_eq!(all(&copy), expected, "by notes");
    assert_eq!(
        copy.verify_journal().expect("a report").problems,
        Vec::<String>::new()
    );
}

/// Texts that are difficult for file formats.
fn text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "---\nid: \"x\"\n---\n",
        "line one\r\nline two\r",
        "\n\n leading and trailing \n\n",
        "[[wikilink]] #tag %% comment %%",
        "\u{feff}mark \u{2028} \u{2029} \u{85} \u{7f} \u{0} \u{1b}[31m",
        "quote \" ' ` \\ / \\u0041 {\"a\": [1, 2]}",
        "記憶は残る 🦉 e\u{301} \u{202e}reversed",
        "- item\nkey: value\n# heading\n...\n",
        "| a | b |\n> quoted\n\t\ttabs",
    ]);
    prop_oneof![
        2 => odd.prop_map(str::to_owned),
        3 => "\\PC{1,40}",
        1 => "(?s).{1,60}",
    ]
    .prop_filter("more than white space", |text| !text.trim().is_empty())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => prop::sample::select(vec!["standup", "Standup", "stand/up", "../up", "a: b # c", "CON", "\u{feff}x", "true", "12"])
            .prop_map(str::to_owned),
        1 => "\\PC{1,12}",
    ]
    .prop_filter("a name", |name| {
        !name.trim().is_empty() && !name.chars().any(char::is_control)
    })
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("a number", |number| number.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            btree_map(name(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn body() -> impl Strategy<Value = Body> {
    let role = prop::option::of(prop::sample::select(Role::ALL.to_vec()));
    let category = prop::option::of(prop::sample::select(Category::ALL.to_vec()));
    let id = (0u64..1 << 40).prop_map(MemoryId::at);
    let part = || prop_oneof![Just(String::new()), text()];
    let call = (part(), part(), part(), any::<Option<bool>>()).prop_map(
        |(tool, input, output, succeeded)| ToolCall {
            tool,
            input,
            output,
            succeeded,
        },
    );
    prop_oneof![
        role.prop_map(|role| Body::Message { role }),
        (
            prop::option::of(id.clone()),
            prop::option::of(name()),
            prop::option::of((1u32..9, 0u32..9)),
        )
            .prop_map(|(follows, named, numbering)| Body::Thought {
                follows,
                framework: named.clone().unwrap_or_default(),
                number: numbering.map(|(number, _)| number),
                total: numbering.map(|(number, more)| number + more),
                chain: named.unwrap_or_default(),
            }),
        category.prop_map(|category| Body::Fact { category }),
        (
            part(),
            vec(text(), 0..3),
            vec(text(), 0..3),
            part(),
            vec(call, 0..2),
            prop::option::of(0.0f32..=1.0)
        )
            .prop_map(
                |(goal, plan, steps, outcome, tool_log, salience)| Body::Episode {
                    goal,
                    plan,
                    steps,
                    outcome,
                    tool_log,
                    salience
                }
            ),
        (part(), part(), vec(text(), 0..3), part()).prop_map(|(name, trigger, steps, code)| {
            Body::Skill {
                name,
                trigger,
                steps,
                code,
            }
        }),
        (part(), part()).prop_map(|(title, source)| Body::Document { title, source }),
        (id.clone(), part()).prop_map(|(document, heading)| Body::Chunk { document, heading }),
        vec(id, 0..3).prop_map(|sources| Body::Summary { sources }),
    ]
}

fn draft() -> impl Strategy<Value = Draft> {
    let instant = || {
        (-2_000_000_000_000_000i64..4_000_000_000_000_000)
            .prop_map(|microseconds| Timestamp::from_microsecond(microseconds).expect("an instant"))
    };
    let names = (
        prop::option::of(name()),
        prop::option::of(0u32..5),
        prop::option::of(name()),
        prop::option::of(name()),
        vec(name(), 0..4),
        btree_map(name(), value(), 0..3),
    );
    let numbers = (
        prop::option::of(0.0f32..=1.0),
        prop::option::of(1u8..=10),
        prop::option::of(0.0f32..=1.0),
    );
    let times = (prop::option::of(instant()), prop::option::of(instant()));
    (text(), body(), names, numbers, times).prop_map(|(content, body, names, numbers, times)| {
        let (thread, position, session, author, tags, metadata) = names;
        Draft {
            position: position.filter(|_| thread.is_some()),
            body,
            thread,
            session,
            author,
            tags,
            metadata: metadata.into_iter().collect::<Metadata>(),
            trust: numbers.0,
            importance: numbers.1,
            confidence: numbers.2,
            occurred_at: times.0,
            expires_at: times.1,
            ..Draft::new(content)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_told_comes_back_equal(
        drafts in vec((draft(), any::<bool>()), 1..12),
        ends in vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0usize..10, text(), 0.0f32..=1.0), 0..6),
        forgotten in vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let home = Home::new();
        let space = home.space();
        let mut ids = Vec::new();
        for (number, (mut draft, outside)) in drafts.into_iter().enumerate() {
            draft.external_id = outside.then(|| format!("outside {number}"));
            ids.push(space.remember(draft).expect("told").id);
        }
        for (from, to, link_type, reason, weight) in ends {
            let drawn = Link {
                link_type: LinkType::ALL[link_type],
                weight,
                ..link(*from.get(&ids), *to.get(&ids), &reason)
            };
            if drawn.from == drawn.to {
                continue;
            }
            if let Err(error) = space.link(&drawn) {
                // Memories don't supersede one another in a circle.
                prop_assert_eq!(drawn.link_type, LinkType::Supersedes, "{}", error);
                prop_assert!(error.to_string().contains("does not supersede itself"), "{}", error);
            }
        }
        space.edit(ids[0], &Edit { importance: Some(10), ..Edit::default() }).expect("edited");
        for index in forgotten {
            let id = *index.get(&ids);
            if space.get(id).expect("a memory").deleted_at.is_none() {
                space.forget(id).expect("forgotten");
            }
        }
        check_round_trip(&space);
    }
}

#[test]
fn equal_contents_under_two_ids_stay_two() {
    let home = Home::new();
    let space = home.space();
    for place in 0..3 {
        let draft = Draft {
            position: Some(place),
            ..Draft::new("Thanks!").thread("talk")
        };
        space.remember(draft).expect("told");
    }
    check_round_trip(&space);
}

#[test]
fn what_was_erased_is_not_taken_in_again() {
    let home = Home::new();
    let space = home.space();
    let kept = space.remember("this stays").expect("told").id;
    let gone = space.remember("this goes").expect("told").id;
    let mut lines = Vec::new();
    space.export(&mut lines).expect("exported");
    assert!(space.erase(gone).expect("erased").is_complete());
    let report = space
        .import(
            lines.as_slice(),
            ImportOptions::from(BadLines::Skip).trusted(),
            &mut |_| {},
        )
        .expect("imported");
    assert_eq!(
        (report.imported, report.known, report.erased),
        (0, 2, 1),
        "{report:?}"
    );
    assert_eq!(report.bad, []);
    assert!(space.get(gone).is_err() && space.get(kept).is_ok());
    let untrusted = space
        .import(lines.as_slice(), BadLines::Skip, &mut |_| {})
        .expect("imported");
    assert_eq!(untrusted.erased, 1);
    assert!(untrusted.unproven.is_empty(), "{untrusted:?}");
}

#[test]
fn notes_have_names_that_every_system_takes_and_links_that_lead_somewhere() {
    let home = Home::new();
    let space = home.space();
    let place = |position| Draft {
        position: Some(position),
        ..Draft::new("Shall we? [[Yes]]/no")
            .thread("Plans: 2026/27")
            .tag("a tag")
    };
    let first = space.remember(place(0)).expect("told").id;
    let second = space.remember(place(1)).expect("told").id;
    let alone =
        Draft::new("Alone").occurred_at("2026-02-03T00:00:00Z".parse().expect("an instant"));
    let alone = space.remember(alone).expect("told").id;
    space
        .link(&link(alone, second, "as agreed"))
        .expect("linked");
    let vault = home.root().join("vault");
    space
        .export_notes(&vault, Visibility::Live)
        .expect("exported");
    let end = |id: MemoryId| id.to_string()[28..].to_owned();
    let name = |position: &str, id| format!("Plans 2026 27/{position} Shall we Yes no {}", end(id));
    assert!(vault.join(name("0000", first) + ".md").exists());
    let note = fs::read_to_string(vault.join(format!("2026-02-03 Alone {}.md", end(alone))))
        .expect("a note");
    assert!(
        note.starts_with("---\nid: \"") && note.ends_with("---\nAlone\n"),
        "{note}"
    );
    assert!(
        note.contains(&format!("supports: [\"[[{}]]\"]\n", name("0001", second))),
        "{note}"
    );
    let refused = space
        .export_notes(&vault, Visibility::Live)
        .expect_err("it is not empty");
    assert!(matches!(refused, Error::Unsuitable { .. }), "{refused}");
}

#[test]
fn a_vault_that_people_wrote_is_read_too() {
    let home = Home::new();
    let vault = home.root().join("vault");
    fs::create_dir_all(vault.join("sub/.obsidian")).expect("folders");
    let notes = [
        ("Plain.md", "Just a text\nin two lines\n"),
        (
            "sub/Decision.md",
            "---\ncategory: architecture_decision\ntags:\n  - design\n  - core\nimportance: 8\nsupports: \"[[Plain]]\"\nmood: calm\n---\nWe use a log\n",
        ),
        ("sub/.obsidian/app.md", "not a note"),
        ("sub/picture.png", "not a note"),
    ];
    for (path, text) in notes {
        fs::write(vault.join(path), text).expect("a note");
    }
    let space = home.space();
    for (imported, known) in [(2, 0), (0, 2)] {
        let report = space
            .import_notes(
                &vault,
                ImportOptions::from(BadLines::Stop).trusted(),
                &mut |_| {},
            )
            .expect("imported");
        assert_eq!((report.imported, report.known), (imported, known));
    }
    let of = |path: &str| {
        let id = space.find_imported(path).expect("a look-up").expect(path);
        space.get(id).expect("a memory")
    };
    let plain = of("Plain.md");
    assert_eq!(plain.content, "Just a text\nin two lines");
    assert!(matches!(&plain.body, Body::Document { title, .. } if title == "Plain"));
    let decision = of("sub/Decision.md");
    assert_eq!(
        decision.body.category(),
        Some(Category::ArchitectureDecision)
    );
    assert_eq!(
        (decision.importance, &decision.metadata["mood"]),
        (8, &"calm".into())
    );
    assert_eq!(decision.tags, ["core", "design"]);
    let links = space.links(decision.id).expect("links");
    assert_eq!(
        (links[0].to, links[0].link_type),
        (plain.id, LinkType::Supports)
    );

    fs::write(vault.join("Bad.md"), "---\nkind: rumour\ntext\n").expect("a note");
    let stopped = space
        .import_notes(
            &vault,
            ImportOptions::from(BadLines::Stop).trusted(),
            &mut |_| {},
        )
        .expect_err("a bad note");
    assert!(
        matches!(&stopped, Error::BadNote { file, .. } if file == "Bad.md"),
        "{stopped}"
    );
    let report = space
        .import_notes(
            &vault,
            ImportOptions::from(BadLines::Skip).trusted(),
            &mut |_| {},
        )
        .expect("imported");
    assert_eq!((report.known, report.bad.len()), (2, 1));
}

#[test]
fn a_note_is_read_whose_link_leads_to_a_note_that_is_gone() {
    let home = Home::new();
    let space = home.space();
    let tell = |text: &str| space.remember(Draft::new(text)).expect("told").id;
    let (crane, birthday) = (tell("The crane stands"), tell("The birthday is in May"));
    space.link(&link(crane, birthday, "")).expect("linked");
    let vault = home.root().join("vault");
    space
        .export_notes(&vault, Visibility::Live)
        .expect("exported");
    for note in fs::read_dir(&vault).expect("a folder") {
        let note = note.expect("a note").path();
        let text = fs::read_to_string(&note).expect("a note");
        if text.contains("The birthday") && !text.contains("The crane") {
            fs::remove_file(&note).expect("removed");
        } else {
            fs::write(&note, text.replace("The crane", "The red crane")).expect("written");
        }
    }
    let links = space.all_links().expect("links");
    let options = ImportOptions::default().trusted().updating();
    let report = space.import_notes(&vault, options, &mut |_| {});
    let report = report.expect("imported");
    assert_eq!((report.updated, report.links), (1, 0), "{report:?}");
    assert_eq!(
        space.get(crane).expect("a memory").content,
        "The red crane stands"
    );
    assert_eq!(space.all_links().expect("links"), links);
}

#[test]
fn a_wikilink_leads_to_the_memory_of_a_note_that_is_gone() {
    let home = Home::new();
    let space = home.space();
    let vault = home.root().join("vault");
    fs::create_dir_all(&vault).expect("a folder");
    fs::write(vault.join("Old.md"), "A note that will go\n").expect("a note");
    let import = || {
        let report = space.import_notes(&vault, BadLines::Skip, &mut |_| {});
        report.expect("imported")
    };
    import();
    fs::remove_file(vault.join("Old.md")).expect("removed");
    let text = "---\nsupports: [\"[[Old]]\", \"[[Never]]\"]\n---\nA note that stays\n";
    fs::write(vault.join("New.md"), text).expect("a note");
    let report = import();
    assert_eq!((report.imported, report.links), (1, 1), "{report:?}");
    assert!(report.bad[0].stored, "{report:?}");
    assert!(report.bad[0].reason.contains("\"Never.md\""), "{report:?}");
}

#[test]
fn a_note_with_other_line_ends_says_the_same() {
    let home = Home::new();
    let space = home.space();
    let own = space.remember(Draft::new("first\r\nsecond\r"));
    let own = own.expect("told");
    let vault = home.root().join("vault");
    space
        .export_notes(&vault, Visibility::Live)
        .expect("exported");
    for note in fs::read_dir(&vault).expect("a folder") {
        let note = note.expect("a note").path();
        let text = fs::read_to_string(&note).expect("a note");
        fs::write(&note, text.replace('\n', "\r\n")).expect("written");
    }
    let plain = "Just a text\r\nin two lines\r\n";
    fs::write(vault.join("Plain.md"), plain).expect("a note");
    let tagged = "---\r\ntags: [a]\r\n---\r\nfirst line\r\nsecond line\r\n";
    fs::write(vault.join("Tagged.md"), tagged).expect("a note");
    let options = ImportOptions::default().trusted().updating();
    let report = space.import_notes(&vault, options, &mut |_| {});
    let report = report.expect("imported");
    assert_eq!((report.imported, report.known, report.updated), (2, 1, 0));
    let version = space.get(own.id).expect("a memory").version;
    assert_eq!(version, 1);
    for (path, content) in [
        ("Plain.md", "Just a text\nin two lines"),
        ("Tagged.md", "first line\nsecond line"),
    ] {
        let id = space.find_imported(path).expect("a look-up").expect(path);
        assert_eq!(space.get(id).expect("a memory").content, content);
    }
}

#[test]
fn a_corpus_has_each_thread_with_its_messages_in_order() {
    let home = Home::new();
    let space = home.space();
    let say = |thread: &str, position, role, text: &str, author: Option<&str>| {
        let draft = Draft {
            position: Some(position),
            author: author.map(str::to_owned),
            ..Draft::new(text).thread(thread).body(Body::Message { role })
        };
        space.remember(draft).expect("told").id
    };
    say("b", 1, Some(Role::Assistant), "Hello!", None);
    say("a", 0, None, "Good morning", Some("Ada"));
    say("b", 0, Some(Role::System), "Be kind", None);
    say("b", 2, Some(Role::Tool), "{\"ok\": true}", None);
    let gone = say("b", 3, Some(Role::User), "Forget this", None);
    space.forget(gone).expect("forgotten");
    space.remember("in no thread").expect("told");
    space
        .remember(Draft::new("a fact").category(Category::Insight))
        .expect("told");
    let diary = Draft::new("Mara called").thread("a").tag(anamne::PRIVATE);
    space.remember(diary).expect("told");
    let mut corpus = Vec::new();
    let report = space.export_corpus(false, &mut corpus).expect("exported");
    assert_eq!(
        (report.threads, report.messages, report.left_out),
        (2, 4, 2)
    );
    assert_eq!(report.private, 1);
    let all = space.export_corpus(true, std::io::sink());
    assert_eq!(all.expect("exported").messages, 5);
    let expected = concat!(
        r#"{"thread":"b","messages":[{"role":"system","content":"Be kind"},{"role":"assistant","content":"Hello!"},"#,
        r#"{"role":"tool","content":"{\"ok\": true}"}]}"#,
        "\n",
        r#"{"thread":"a","messages":[{"role":"user","content":"Good morning","name":"Ada"}]}"#,
        "\n"
    );
    assert_eq!(String::from_utf8(corpus).expect("UTF-8"), expected);
}

#[test]
fn an_import_that_stops_says_what_it_had_taken() {
    let home = Home::new();
    let space = home.space();
    let line = |number| format!("{{\"id\": \"n{number}\", \"text\": \"note {number}\"}}\n");
    let mut lines: String = (0..600).map(line).collect();
    space
        .import(
            lines.lines().next().expect("a line").as_bytes(),
            BadLines::Stop,
            &mut |_| {},
        )
        .expect("imported");
    lines.push_str("{\"text\": }\n{\"text\": \"after\"}\n");
    let stopped = space
        .import(
            lines.as_bytes(),
            ImportOptions::from(BadLines::Stop).trusted(),
            &mut |_| {},
        )
        .expect_err("a bad line");
    let Error::BadLine { line, taken, .. } = &stopped else {
        panic!("{stopped}");
    };
    assert_eq!(
        (*line, taken.lines, taken.imported, taken.known),
        (601, 601, 599, 1)
    );
    assert!(
        stopped
            .to_string()
            .ends_with("(before it 599 imported, 1 known already, 0 links created)"),
        "{stopped}"
    );
    assert_eq!(space.report().expect("a report").statistics.memories, 600);
}
