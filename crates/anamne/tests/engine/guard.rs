//! Secrets and personal data never reach the store by accident, whatever door a text takes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anamne::guard::{Action, Policy};
use anamne::llm::{
    Bridge, BridgeConfig, BridgeError, LanguageModel, Ledger, Reply, Request, SystemPace,
};
use anamne::{
    Actor, Assertion, BadLines, Body, Draft, Edit, EntityScope, ErrorKind, Feedback, GuardNote,
    Insight, Metadata, Options, Perspective, Recall, Right, Scope, Space, SpaceSet, Store,
    SystemClock, ToldEntity, ToldProperty, WorkingScope,
};
use serde_json::json;

use crate::common::{Home, files_with, link};

/// A key in the published format of access keys; no two numbers give the same one.
fn key(number: u32) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut state = u64::from(number) + 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(ALPHABET[(state >> 59) as usize])
    };
    let digits: String = (0..16).map(|_| next()).collect();
    format!("AK{}{digits}", "IA")
}

/// A card number with a check digit, of an issuer's range.
fn card() -> String {
    let digits = "540128731904620";
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (u32::from(digit - b'0'), at % 2) {
            (digit, 0) if digit > 4 => digit * 2 - 9,
            (digit, 0) => digit * 2,
            (digit, _) => digit,
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

fn configure(space: &Space, change: impl Fn(&mut anamne::GuardConfig)) {
    space
        .configure(|config| change(&mut config.guard))
        .expect("configured");
}

fn policy(actions: &[(&str, Action)]) -> Policy {
    let actions = actions
        .iter()
        .map(|(kind, action)| ((*kind).to_owned(), *action));
    Policy::new(actions.collect()).expect("a policy")
}

#[track_caller]
fn assert_nowhere(home: &Home, secret: &str) {
    let found = files_with(home.root(), secret.as_bytes());
    assert_eq!(found, Vec::<PathBuf>::new(), "{secret}");
}

#[test]
fn a_secret_in_any_field_of_any_door_is_in_no_file() {
    let home = Home::new();
    let space = home.space();
    let mut draft = Draft::new(format!("deploy with {} today", key(1)))
        .body(Body::Skill {
            name: format!("use {}", key(2)),
            trigger: key(3),
            steps: vec![key(4)],
            code: format!("run({})", key(5)),
        })
        .thread(format!("thread {}", key(6)))
        .author(key(7))
        .tag(key(8));
    draft.metadata = Metadata::from([
        ("deep".to_owned(), json!({"list": [key(9)]})),
        (key(10), json!(format!("a value under a key: {}", key(13)))),
    ]);
    draft.session = Some(key(11));
    draft.external_id = Some(format!("import:{}", key(12)));
    let stored = space.remember(draft).expect("stored");
    let kinds: Vec<_> = stored.guard.iter().map(|note| note.kind.as_str()).collect();
    assert_eq!(kinds, ["aws-access-key"; 13]);
    let memory = space.get(stored.id).expect("a memory");
    assert_eq!(memory.content, "deploy with [secret:aws-access-key] today");
    let notes = GuardNote::of(&memory.metadata);
    assert_eq!(notes, stored.guard);
    let first = &notes[0];
    assert_eq!(
        &memory.content[first.start..first.end],
        "[secret:aws-access-key]"
    );

    let all = [Draft::new(key(20)), Draft::new(format!("and {}", key(21)))];
    let stored = space.remember_all(&all).expect("stored");
    let each = space
        .remember_each(&[Draft::new(key(22)).thread("t")])
        .expect("answers");
    assert_eq!(each[0].as_ref().expect("stored").guard.len(), 1);
    let edit = Edit {
        content: Some(format!("now {}", key(23))),
        add_tags: vec![key(24)],
        metadata: Metadata::from([("token".to_owned(), json!(key(25)))]),
        ..Edit::default()
    };
    let edited = space.edit(stored[1].id, &edit).expect("edited");
    assert_eq!(GuardNote::of(&edited.metadata).len(), 3);
    space
        .link(&link(
            stored[0].id,
            stored[1].id,
            &format!("because {}", key(26)),
        ))
        .expect("linked");
    space
        .feedback(&Feedback {
            note: format!("it was {}", key(27)),
            ..Feedback::new(stored[0].id, true)
        })
        .expect("judged");
    let lines = [
        json!({"id": "one", "text": format!("imported {}", key(28)),
               "links": [{"to": "two", "type": "supports", "reason": key(29)}]}),
        json!({"id": "two", "text": "a plain line"}),
        json!({"id": "three", "text": 7, "note": key(30)}),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let report = space
        .import(lines.join("\n").as_bytes(), BadLines::Skip, &mut |_| {})
        .expect("imported");
    assert_eq!(report.imported, 2, "{report:?}");
    assert_eq!(report.guard.kinds["aws-access-key"], 1);
    assert_eq!(report.guard.lines[0].line, 1);
    assert!(!format!("{report:?}").contains(&key(30)));
    space.knowledge().expect("knowledge");
    space.fold().expect("folded");
    let answer = space
        .recall(&Recall::new("deploy today"))
        .expect("an answer");
    assert!(
        answer.results[0]
            .memory
            .content
            .contains("[secret:aws-access-key]")
    );
    for number in 1..=30 {
        assert_nowhere(&home, &key(number));
    }
    let counts = space.report().expect("a report").statistics.guard;
    assert!(counts["aws-access-key"] >= 15, "{counts:?}");
}

/// A password without a format of its own, which only its name gives away.
fn password(number: u32) -> String {
    let digits = key(number);
    format!("{}x{}!", digits[4..8].to_lowercase(), &digits[8..14])
}

#[test]
fn a_value_is_judged_by_its_name_wherever_the_name_stands() {
    let home = Home::new();
    let space = home.space();
    let mut draft = Draft::new("settings of staging");
    draft.metadata = Metadata::from([
        ("db_password".to_owned(), json!(password(1))),
        (
            "conn".to_owned(),
            json!({"user": "app", "password": password(2)}),
        ),
        (
            "env".to_owned(),
            json!([{"name": "DB_PASSWORD", "value": password(3)}]),
        ),
        ("api_keys".to_owned(), json!([password(4)])),
        (
            "card".to_owned(),
            json!(card().parse::<u64>().expect("a number")),
        ),
    ]);
    let stored = space.remember(draft).expect("stored");
    let memory = space.get(stored.id).expect("a memory");
    let redacted = json!("[secret:password]");
    assert_eq!(memory.metadata["db_password"], redacted);
    assert_eq!(
        memory.metadata["conn"],
        json!({"user": "app", "password": redacted})
    );
    assert_eq!(memory.metadata["env"][0]["value"], redacted);
    // A mark leaves the number as it is.
    assert!(memory.metadata["card"].is_u64());
    assert!(stored.guard.iter().any(GuardNote::makes_private));

    let edit = Edit {
        metadata: Metadata::from([("wifi_password".to_owned(), json!(password(5)))]),
        ..Edit::default()
    };
    space.edit(stored.id, &edit).expect("edited");
    let told = Assertion::Property(ToldProperty {
        entity: "staging-db".to_owned(),
        frame: Perspective::default(),
        frame_name: None,
        property: "password".to_owned(),
        value: password(6),
    });
    let told = space.assert(&told, None).expect("told");
    assert_eq!(told.guard.len(), 1);
    let told = space.get(told.id).expect("a memory");
    assert_eq!(told.content, "staging-db: password is [secret:password].");
    let scope = WorkingScope::default();
    space
        .set_working(&scope, "db_password", json!(password(7)), None)
        .expect("set");
    let line = json!({"id": "one", "text": "imported", "smtp_password": password(8)});
    let line = line.to_string();
    space
        .import(line.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    space.knowledge().expect("knowledge");
    space.fold().expect("folded");
    for number in 1..=8 {
        assert_nowhere(&home, &password(number));
    }
    let scan = space.guard_scan().expect("scanned");
    assert_eq!(scan.affected, [], "{scan:?}");
}

#[test]
fn what_is_redacted_is_not_taken_for_the_same() {
    let home = Home::new();
    let space = home.space();
    let mut draft = Draft::new("two accounts");
    let names = [key(1), key(2)];
    draft.metadata = names
        .iter()
        .map(|name| (name.clone(), json!(name)))
        .collect();
    let stored = space.remember(draft).expect("stored").id;
    let metadata = space.get(stored).expect("a memory").metadata;
    let placeholder = "[secret:aws-access-key]";
    assert!(metadata.contains_key(placeholder));
    assert!(metadata.contains_key(&format!("{placeholder} 2")));

    let line =
        |id: &str, text: &str| json!({"id": format!("note?k={id}"), "text": text}).to_string();
    let lines = [line(&key(3), "about ducks"), line(&key(4), "about geese")].join("\n");
    let report = space
        .import(lines.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    assert_eq!(report.imported, 2, "{report:?}");

    let scope = WorkingScope::default();
    let refused = space.set_working(&scope, &key(5), json!(1), None);
    refused.expect_err("a redacted key");
    let feedback = Feedback {
        note: key(6),
        ..Feedback::new(stored, true)
    };
    configure(&space, |guard| {
        guard.actions = policy(&[("aws-access-key", Action::Refuse)]);
    });
    space.feedback(&feedback).expect_err("a refused note");
}

#[test]
fn names_of_clients_and_descriptions_pass_the_guard() {
    let home = Home::new();
    let space = home.space();
    let client = space.acting_as(Actor::agent(key(1))).expect("an actor");
    client.remember("a note of a client").expect("stored");
    let described = space.configure(|config| config.description = format!("with {}", key(2)));
    assert_eq!(
        described.expect("configured").description,
        "with [secret:aws-access-key]"
    );
    for number in 1..=2 {
        assert_nowhere(&home, &key(number));
    }
}

#[test]
fn a_refused_text_is_stored_nowhere_and_its_error_names_only_the_kind() {
    let home = Home::new();
    let space = home.space();
    configure(&space, |guard| {
        guard.actions = policy(&[("aws-access-key", Action::Refuse)]);
    });
    let secret = key(1);
    let text = format!("the key is {secret}");
    let error = space.remember(text.as_str()).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("aws-access-key"), "{error}");
    assert!(!error.to_string().contains(&secret), "{error}");
    let each = space
        .remember_each(&[Draft::new(text.as_str()), Draft::new("plain")])
        .expect("answers");
    assert!(each[0].is_err() && each[1].is_ok());
    assert!(
        space
            .remember_all(&[Draft::new("fine"), Draft::new(text.as_str())])
            .is_err()
    );
    let line = json!({"id": "one", "text": text}).to_string();
    let report = space
        .import(line.as_bytes(), BadLines::Skip, &mut |_| {})
        .expect("imported");
    assert_eq!((report.imported, report.bad.len()), (0, 1));
    assert!(!report.bad[0].reason.contains(&secret));
    assert_eq!(space.report().expect("a report").statistics.memories, 1);
    assert_nowhere(&home, &secret);
}

#[test]
fn exceptions_and_actions_follow_the_settings() {
    let home = Home::new();
    let space = home.space();
    let guarded = |text: &str| space.guard_test(text).expect("tested");
    let text = format!("pay {} with {}", card(), key(1));
    let (stored, notes) = guarded(&text);
    assert_eq!(
        stored,
        format!("pay {} with [secret:aws-access-key]", card())
    );
    let actions: Vec<_> = notes.iter().map(|note| note.action.as_str()).collect();
    assert_eq!(actions, ["mark", "redact"]);
    configure(&space, |guard| {
        guard.allow = vec![format!("{}*", &key(1)[..12])];
        guard.actions = policy(&[("personal", Action::Redact)]);
        guard.names = vec!["Mara Lind".to_owned()];
    });
    let (stored, _) = guarded(&format!("{text} for Mara Lind"));
    assert_eq!(
        stored,
        format!("pay [personal:card] with {} for [personal:name]", key(1))
    );
    configure(&space, |guard| guard.actions = Policy::off());
    assert_eq!(guarded(&text).0, text);
    let wide = space.configure(|config| config.guard.allow = vec!["*".to_owned()]);
    assert_eq!(wide.expect_err("refused").kind(), ErrorKind::Refused);
}

#[test]
fn writing_without_the_guard_needs_the_right_to_configure() {
    let home = Home::new();
    let space = home.space();
    let secret = key(1);
    let open = space.without_guard().expect("the owner may");
    let stored = open.remember(secret.as_str()).expect("stored");
    assert_eq!(space.get(stored.id).expect("a memory").content, secret);
    let store = Store::open_with(Options::new(home.root()).background(false)).expect("a store");
    let agent = Scope::of(anamne::Actor::agent("editor"))
        .reading(SpaceSet::only(["tests"]))
        .writing(SpaceSet::only(["tests"]))
        .allowing(Right::Erase);
    let space = store.narrowed(&agent).space("tests").expect("a space");
    let error = space.without_guard().err().expect("denied");
    assert_eq!(error.kind(), ErrorKind::Denied);
}

#[test]
fn a_memory_with_many_secrets_stays_private() {
    let home = Home::new();
    let space = home.space();
    let secrets: Vec<String> = (0..70).map(key).collect();
    let text = format!("{}\nIBAN DE89 3704 0044 0532 0130 00", secrets.join("\n"));
    let stored = space.remember(text).expect("stored");
    let memory = space.get(stored.id).expect("a memory");
    assert!(GuardNote::of(&memory.metadata).len() < 70);
    let mut notes = GuardNote::of(&memory.metadata).into_iter();
    assert!(
        notes.any(|note| note.makes_private()),
        "{:?}",
        memory.metadata
    );
    assert!(stored.guard.iter().any(|note| note.kind == "iban"));
}

#[test]
fn an_edit_keeps_the_notes_of_other_fields_and_drops_its_own() {
    let home = Home::new();
    let space = home.space();
    let draft = Draft::new(key(1)).tag(format!("t {}", key(2)));
    let id = space.remember(draft).expect("stored").id;
    let edit = Edit {
        content: Some("clean now".to_owned()),
        ..Edit::default()
    };
    let memory = space.edit(id, &edit).expect("edited");
    let fields = |metadata: &Metadata| -> Vec<String> {
        let notes = GuardNote::of(metadata).into_iter();
        notes.map(|note| note.field).collect()
    };
    assert_eq!(fields(&memory.metadata), ["tags"]);
    for value in [json!("DE89 3704 0044 0532 0130 00"), json!(null)] {
        let is_told = !value.is_null();
        let account = Edit {
            metadata: Metadata::from([("account".to_owned(), value)]),
            ..Edit::default()
        };
        let memory = space.edit(id, &account).expect("edited");
        let of_account = |field: &String| field == "metadata.account";
        assert_eq!(fields(&memory.metadata).iter().any(of_account), is_told);
    }
    let tagged = Edit {
        add_tags: vec!["plain".to_owned()],
        ..Edit::default()
    };
    let memory = space.edit(id, &tagged).expect("edited");
    assert_eq!(fields(&memory.metadata), ["tags"]);
    let importance = Edit {
        importance: Some(7),
        ..Edit::default()
    };
    let memory = space.edit(id, &importance).expect("edited");
    assert_eq!(fields(&memory.metadata), ["tags"]);
}

#[test]
fn stored_secrets_are_found_and_redacted_in_every_file_and_backup() {
    let home = Home::new();
    let space = home.space();
    let open = space.without_guard().expect("the owner may");
    let now = open
        .remember(Draft::new(format!("now {}", key(1))).thread("t"))
        .expect("stored")
        .id;
    let before = open
        .remember(format!("before {}", key(2)))
        .expect("stored")
        .id;
    let clean = Edit {
        content: Some("clean after an edit".to_owned()),
        ..Edit::default()
    };
    open.edit(before, &clean).expect("edited");
    let forgotten = open
        .remember(format!("forgotten {}", key(3)))
        .expect("stored")
        .id;
    open.forget(forgotten).expect("forgotten");
    let plain = open.remember("a plain one").expect("stored").id;
    open.link(&link(now, plain, &format!("as {}", key(4))))
        .expect("linked");
    open.link(&link(before, now, "earlier")).expect("linked");
    space.fold().expect("folded");
    let backup = tempfile::tempdir().expect("a folder");
    let copy = backup.path().join("copy");
    let store = Store::open_with(Options::new(home.root()).background(false)).expect("a store");
    store.backup(&copy, None).expect("backed up");

    let scan = space.guard_scan().expect("scanned");
    assert_eq!(scan.memories, 4);
    let mut affected = scan.affected.clone();
    affected.sort();
    let mut expected = vec![now, before, forgotten];
    expected.sort();
    assert_eq!(affected, expected);
    let versions: Vec<_> = scan
        .findings
        .iter()
        .filter_map(|found| found.version)
        .collect();
    assert_eq!(versions, [1]);
    assert!(!format!("{scan:?}").contains(&key(1)));

    let redaction = space.guard_redact(&scan.affected).expect("redacted");
    assert!(redaction.erasure.is_complete(), "{redaction:?}");
    let copy_of = |id| {
        let found = redaction.replaced.iter().find(|(old, _)| *old == id);
        found.expect("replaced").1
    };
    let copied = space.get(copy_of(now)).expect("a copy");
    assert_eq!(copied.content, "now [secret:aws-access-key]");
    assert_eq!(copied.thread.as_deref(), Some("t"));
    assert_eq!(
        space.get(copy_of(before)).expect("a copy").content,
        "clean after an edit"
    );
    assert!(
        space
            .get(copy_of(forgotten))
            .expect("a copy")
            .deleted_at
            .is_some()
    );
    let ends: Vec<_> = space
        .links(copy_of(now))
        .expect("links")
        .into_iter()
        .map(|link| (link.from, link.to))
        .collect();
    assert!(
        ends.contains(&(copy_of(now), plain)) && ends.contains(&(copy_of(before), copy_of(now)))
    );
    for number in 1..=4 {
        assert_nowhere(&home, &key(number));
        let left = files_with(&copy, key(number).as_bytes());
        assert_eq!(left, Vec::<PathBuf>::new(), "the backup, {number}");
    }
    let again = space.guard_scan().expect("scanned");
    assert_eq!(again.affected, []);
    assert_eq!(again.memories, 4);
    let check_up = space.check_up().expect("a check-up");
    assert_eq!(check_up.problems, Vec::<String>::new());
}

#[test]
fn a_redaction_keeps_who_names_the_memory_and_who_has_it_as_a_member() {
    let home = Home::new();
    let store = Store::open_with(Options::new(home.root()).background(false)).expect("a store");
    let space = store.space("tests").expect("a space");
    let open = space.without_guard().expect("a person may");
    let secret = open
        .remember(format!("the key is {}", key(1)))
        .expect("stored")
        .id;
    let older = open.remember("an older way").expect("stored").id;
    let successor = Edit {
        superseded_by: Some(secret),
        ..Edit::default()
    };
    open.edit(older, &successor).expect("edited");
    let thought = Draft {
        body: Body::thought(Some(secret)),
        ..Draft::new("so it must be replaced")
    };
    let thought = open.remember(thought).expect("stored").id;
    let linked = open.remember("one end").expect("stored").id;
    open.link(&link(linked, older, &format!("because {}", key(2))))
        .expect("linked");
    let team = store.space("team").expect("a space");
    team.configure(|config| config.guard.actions = Policy::off())
        .expect("configured");
    let terms = anamne::MemberTerms {
        tags: vec!["ours".to_owned()],
        ..anamne::MemberTerms::new()
    };
    let forgotten = open
        .remember(format!("an old key was {}", key(3)))
        .expect("stored")
        .id;
    store
        .add_members("tests", &[secret, forgotten], "team", &terms)
        .expect("added");
    space.forget(forgotten).expect("forgotten");

    let scan = space.guard_scan().expect("scanned");
    let mut affected = scan.affected.clone();
    affected.sort();
    assert_eq!(affected, [secret, linked, forgotten], "{scan:?}");
    let redaction = space.guard_redact(&scan.affected).expect("redacted");
    assert_eq!(redaction.not_shared, []);
    let copy = redaction.replaced[0].1;
    assert_eq!(space.get(older).expect("there").superseded_by, Some(copy));
    let body = space.get(thought).expect("there").body;
    assert_eq!(body, Body::thought(Some(copy)));
    let member = team.get(copy).expect("a member");
    assert_eq!(member.content, "the key is [secret:aws-access-key]");
    assert_eq!(member.tags, ["ours"]);
    let links = space.links(older).expect("links");
    assert_eq!(links[0].reason, "because [secret:aws-access-key]");
    for number in 1..=3 {
        assert_nowhere(&home, &key(number));
    }
    let check_up = space.check_up().expect("a check-up");
    assert_eq!(check_up.problems, Vec::<String>::new());
}

#[test]
fn what_is_written_while_a_redaction_runs_is_kept() {
    let home = Home::new();
    let space = home.space();
    let open = space.without_guard().expect("a person may");
    let drafts: Vec<_> = (0..600)
        .map(|number| Draft::new(format!("note {number}, key {}", key(number))))
        .collect();
    let stored = open.remember_all(&drafts).expect("stored");
    let ids: Vec<_> = stored.iter().map(|one| one.id).collect();
    let mut moved = Vec::new();
    std::thread::scope(|threads| {
        let redaction = threads.spawn(|| space.guard_redact(&ids).expect("redacted"));
        for id in ids.iter().rev() {
            let edit = Edit {
                content: Some("the meeting moved to Friday".to_owned()),
                ..Edit::default()
            };
            // It may be replaced already; then the edit says so.
            if open.edit(*id, &edit).is_ok() {
                moved.push(*id);
            }
        }
        let redaction = redaction.join().expect("no panic");
        assert_eq!(redaction.replaced.len(), 600);
        for id in &moved {
            let copy = redaction.replaced.iter().find(|(old, _)| old == id);
            let copy = space.get(copy.expect("replaced").1).expect("there");
            assert_eq!(copy.content, "the meeting moved to Friday");
        }
    });
    assert_eq!(space.guard_scan().expect("scanned").affected, []);
}

/// A model that counts its calls, and those about confidential remarks.
#[derive(Default)]
struct Counting {
    calls: AtomicU32,
    confidential: AtomicU32,
}

impl LanguageModel for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn complete(&self, request: &Request) -> Result<Reply, BridgeError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if format!("{request:?}").contains("confidential") {
            self.confidential.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Reply {
            text: r#"{"names": [], "statements": []}"#.to_owned(),
            usage: None,
            model: "counting".to_owned(),
            cut: false,
        })
    }
}

fn with_model(home: &Home, base_url: Option<&str>, model: &Arc<Counting>) -> Space {
    let config = BridgeConfig {
        base_url: base_url.map(str::to_owned),
        ..BridgeConfig::default()
    };
    let ledger = Arc::new(Ledger::open(&home.root().join("catalog.db")).expect("a ledger"));
    let (clock, pace) = (Arc::new(SystemClock), Arc::new(SystemPace::new()));
    let bridge = Bridge::new(config, model.clone(), ledger, clock, pace);
    let options = Options {
        language_model: Some(Arc::new(bridge)),
        ..Options::new(home.root()).background(false)
    };
    let store = Store::open_with(options).expect("a store");
    store.space("tests").expect("a space")
}

#[test]
fn private_memories_go_to_no_model_on_another_machine() {
    let private = |text: &str| Draft::new(format!("A confidential remark of some length: {text}"));
    let drafts = [
        private("the river was high").tag("Private"),
        private(&format!("the card is {}", card())),
    ];
    let calls_of = |base_url: Option<&str>| {
        let home = Home::new();
        let model = Arc::new(Counting::default());
        let space = with_model(&home, base_url, &model);
        for draft in &drafts {
            space.remember(draft.clone()).expect("stored");
        }
        space
            .remember("An open remark that is long enough to be read by a model.")
            .expect("stored");
        space.run_tasks(&mut |_| {}).expect("run");
        configure(&space, |guard| guard.private = true);
        space
            .remember("Another remark that is long enough to be read by a model.")
            .expect("stored");
        space.run_tasks(&mut |_| {}).expect("run");
        let counts = [&model.calls, &model.confidential];
        counts.map(|count| count.load(Ordering::Relaxed))
    };
    assert_eq!(calls_of(None), [1, 0]);
    assert_eq!(calls_of(Some("http://127.0.0.1:9")), [4, 2]);
}

#[test]
fn what_was_told_of_a_personal_entity_goes_to_no_model_on_another_machine() {
    let told = |name: &str, scope| {
        Assertion::Entity(ToldEntity {
            name: name.to_owned(),
            scope,
            ..ToldEntity::default()
        })
    };
    let property = |entity: &str| {
        Assertion::Property(ToldProperty {
            entity: entity.to_owned(),
            property: "remark".to_owned(),
            value: "confidential".to_owned(),
            ..ToldProperty::default()
        })
    };
    let calls_of = |base_url: Option<&str>, asserted: &[Assertion]| {
        let home = Home::new();
        let model = Arc::new(Counting::default());
        let space = with_model(&home, base_url, &model);
        let ids = asserted.iter().map(|assertion| {
            let stored = space.assert(assertion, None).expect("told");
            stored.id
        });
        let sources: Vec<_> = ids.collect();
        space.extract(&mut |_| true).expect("extracted");
        let insight = Insight {
            text: String::new(),
            sentence: String::new(),
            central: sources[0],
            sources,
            first: jiff::Timestamp::UNIX_EPOCH,
            last: jiff::Timestamp::UNIX_EPOCH,
            days: 1,
            confidence: 1.0,
            made_by: anamne::MadeBy::rule("insight", 1),
        };
        // The model's answer is no insight; what it was asked counts.
        let _ = space.reword_insight(&insight);
        model.confidential.load(Ordering::Relaxed)
    };
    let personal = [
        property("Rao"),
        told("Rao", Some(EntityScope::Personal)),
        told("Kestrel", None),
    ];
    let shared = [property("Rao"), told("Rao", None), told("Kestrel", None)];
    assert_eq!(calls_of(None, &personal), 0);
    assert_ne!(calls_of(None, &shared), 0);
    assert_ne!(calls_of(Some("http://127.0.0.1:9"), &personal), 0);
}

#[test]
fn a_secret_in_a_logged_query_is_redacted() {
    let home = Home::new();
    let space = home.space();
    space
        .configure(|config| config.meta.queries = anamne::QueryLogging::Text)
        .expect("configured");
    space
        .remember("The deployment key is with Mara.")
        .expect("stored");
    let query = format!("who has {}?", key(1));
    space
        .recall(&Recall::new(query.as_str()))
        .expect("an answer");
    let log = space.query_log(10).expect("a log");
    let logged = log[0].words.as_deref().unwrap_or_default();
    assert!(logged.contains("[secret:aws-access-key]"), "{logged}");
    assert_nowhere(&home, &key(1));
}

#[test]
fn a_megabyte_of_secrets_is_redacted_with_a_bounded_answer() {
    let home = Home::new();
    let space = home.space();
    let text = format!("{} ", key(1)).repeat(40_000);
    let stored = space.remember(text.as_str()).expect("stored");
    assert_eq!(stored.guard.len(), 64);
    let memory = space.get(stored.id).expect("a memory");
    assert!(!memory.content.contains(&key(1)));
    assert_eq!(GuardNote::of(&memory.metadata).len(), 64);
    let scan = space.guard_scan().expect("scanned");
    assert_eq!((scan.memories, scan.affected.len()), (1, 0));
}
