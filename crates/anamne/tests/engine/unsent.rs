//! Captures: who said what, and what waits for a server.

use std::path::Path;

use anamne::{
    Actor, ActorKind, Body, Draft, DraftOutcome, InvalidValue, LogQuery, Options, Role, Scope,
    Space, SpaceSet, Store, UnsentCaptures,
};
use jiff::Timestamp;

use crate::common::{Home, files_with};

/// No files.
const NOWHERE: [&Path; 0] = [];

const SERVER: &str = "https://memory.example.org:443";

fn captures(home: &Home) -> UnsentCaptures {
    Store::open(home.root())
        .and_then(|store| store.unsent_captures())
        .expect("the captures")
}

fn said(role: Role, text: &str) -> Draft {
    let mut draft = Draft::new(text)
        .body(Body::Message { role: Some(role) })
        .author("user");
    draft.trust = Some(0.9);
    draft
}

fn add(captures: &UnsentCaptures, space: &str, texts: &[&str]) {
    let drafts: Vec<Draft> = texts.iter().map(|text| said(Role::User, text)).collect();
    let added = captures.add(SERVER, space, "codex", &drafts, Timestamp::now());
    assert_eq!(added.expect("added").memories, texts.len() as u64);
}

/// The contents of what is sent, by taking all of it.
fn sent(captures: &UnsentCaptures) -> Vec<String> {
    let turn = captures.begin_sending().expect("read").expect("the turn");
    let mut contents = Vec::new();
    while let Some(batch) = turn.next(SERVER, &[]).expect("read") {
        contents.extend(batch.drafts.iter().map(|draft| draft.content.clone()));
        turn.acknowledged(&batch, &[]).expect("deleted");
    }
    turn.finish().expect("finished");
    contents
}

fn authors(space: &Space) -> Vec<(ActorKind, String, f32, Option<String>)> {
    let entries = space.log(&LogQuery::default()).expect("a log");
    let mut told: Vec<_> = entries
        .into_iter()
        .filter_map(|entry| {
            let memory = space.read(entry.event.memory).ok()?;
            let actor = entry.event.actor;
            Some((actor.kind, actor.name, memory.trust, memory.author))
        })
        .collect();
    told.reverse();
    told
}

#[test]
fn what_was_said_is_attributed_to_its_speaker_and_trusted_no_more() {
    let home = Home::new();
    let store = Store::open(home.root()).expect("a store");
    let drafts = [
        said(Role::User, "Please use tabs here"),
        said(Role::Assistant, "Tabs are used from now on"),
        Draft::new("Bash cargo test: failed"),
    ];
    let scope = Scope::of(Actor {
        name: "ada".into(),
        ..Actor::user()
    })
    .reading(SpaceSet::All)
    .writing(SpaceSet::All)
    .with_author("ada");
    let space = store.space("tests").expect("a space");
    let of_ada = store.narrowed(&scope).space("tests").expect("a space");
    let told = of_ada.capture("codex", None, &drafts).expect("told");
    assert!(told.outcomes.iter().all(|outcome| outcome.id().is_some()));
    let (user, agent, tool) = (ActorKind::User, ActorKind::Agent, ActorKind::Tool);
    let expected = [
        (user, "ada", 0.9, Some("ada")),
        (agent, "codex", 0.8, Some("user")),
        (tool, "codex", 0.6, Some("ada")),
    ];
    let expected = expected.map(|(kind, name, trust, author)| {
        (kind, name.to_owned(), trust, author.map(str::to_owned))
    });
    assert_eq!(authors(&space), expected);

    // A tool can't speak as an agent.
    let scope = Scope::of(Actor::tool("probe"))
        .reading(SpaceSet::All)
        .writing(SpaceSet::All);
    let of_tool = store.narrowed(&scope).space("other").expect("a space");
    of_tool.capture("codex", None, &drafts).expect("told");
    let other = store.space("other").expect("a space");
    let trusts: Vec<f32> = authors(&other).iter().map(|told| told.2).collect();
    assert_eq!(trusts, [0.6, 0.6, 0.6]);
    assert_eq!(authors(&other)[1].1, "probe");
    let long = "codex".repeat(100);
    assert!(of_tool.capture(&long, None, &drafts).is_err(), "no name");
}

#[test]
fn a_refused_draft_stops_no_other_one() {
    let home = Home::new();
    let space = home.space();
    let drafts = [said(Role::User, ""), said(Role::User, "Kept")];
    let told = space.capture("codex", None, &drafts).expect("told");
    assert!(matches!(
        &told.outcomes[..],
        [DraftOutcome::Refused(_), DraftOutcome::Remembered(_)]
    ));
}

#[test]
fn what_waits_is_sent_in_order_and_once_by_one_process_at_a_time() {
    let home = Home::new();
    let here = captures(&home);
    add(&here, "atlas", &["one", "two"]);
    add(&here, "garden", &["three"]);
    add(&captures(&home), "atlas", &["four"]);
    let waiting = here.waiting().expect("listed");
    let counts: Vec<_> = waiting
        .iter()
        .map(|one| (one.space.as_str(), one.memories))
        .collect();
    assert_eq!(counts, [("atlas", 3), ("garden", 1)]);

    let turn = here.begin_sending().expect("read").expect("the turn");
    assert!(captures(&home).begin_sending().expect("read").is_none());
    // Nothing goes to another server, and a space that takes nothing is passed.
    assert!(turn.next("https://other:443", &[]).expect("read").is_none());
    let first = turn.next(SERVER, &[]).expect("read").expect("a batch");
    let again = turn.next(SERVER, &[]).expect("read").expect("a batch");
    assert_eq!(first, again, "the same key for the same batch");
    let stuck = ["atlas".to_owned()];
    let other = turn.next(SERVER, &stuck).expect("read").expect("a batch");
    assert_eq!(other.space, "garden");
    turn.failed(SERVER, "atlas", "denied", Timestamp::now())
        .expect("noted");
    // What the server could not store is another request.
    turn.acknowledged(&first, &first.drafts[1..])
        .expect("noted");
    let left = turn.next(SERVER, &[]).expect("read").expect("a batch");
    assert_eq!(left.drafts, first.drafts[1..]);
    assert_ne!(left.key, first.key);
    drop(turn);
    assert_eq!(here.waiting().expect("listed")[0].problem, "denied");
    assert_eq!(sent(&here), ["two", "three", "four"]);
    assert_eq!(here.waiting().expect("listed"), []);
    assert_eq!(
        files_with(home.root(), b"three"),
        NOWHERE,
        "nothing is left"
    );
}

#[test]
fn the_same_capture_twice_waits_once_and_every_one_has_an_id() {
    let home = Home::new();
    let here = captures(&home);
    let mut draft = said(Role::User, "Said once");
    draft.external_id = Some("codex:1".into());
    for _ in 0..2 {
        let added = here.add(SERVER, "atlas", "codex", &[draft.clone()], Timestamp::now());
        added.expect("added");
    }
    add(&here, "atlas", &["Told twice"]);
    add(&here, "atlas", &["Told twice"]);
    let turn = here.begin_sending().expect("read").expect("the turn");
    let mut ids = Vec::new();
    while let Some(batch) = turn.next(SERVER, &[]).expect("read") {
        ids.extend(batch.drafts.iter().map(|draft| draft.external_id.clone()));
        turn.acknowledged(&batch, &[]).expect("deleted");
    }
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(Option::is_some));
    assert_ne!(ids[1], ids[2]);
}

#[test]
fn a_secret_is_redacted_before_it_is_kept_and_what_is_refused_is_left_out() {
    let home = Home::new();
    let key = ["AK", "IA", "QYLPMN5H", "NM2NLPZA"].concat();
    let here = captures(&home);
    let drafts = [said(Role::User, &format!("deploy with {key}"))];
    let added = here.add(SERVER, "atlas", "codex", &drafts, Timestamp::now());
    let added = added.expect("added");
    assert_eq!((added.memories, added.redacted), (1, 1));
    assert_eq!(files_with(home.root(), key.as_bytes()), NOWHERE);
    // The settings of the space with that name count, if there is one here.
    let space = Store::open(home.root()).and_then(|store| store.space("garden"));
    let refuse = space.expect("a space").configure(|config| {
        let refused = anamne::guard::Action::Refuse;
        config.guard.actions.set("secret", Some(refused));
    });
    refuse.expect("configured");
    let added = here.add(SERVER, "garden", "codex", &drafts, Timestamp::now());
    assert_eq!(added.expect("added").memories, 0);
}

#[test]
fn a_private_space_keeps_everything_here() {
    let home = Home::new();
    let here = captures(&home);
    assert!(!here.stays_here("atlas").expect("read"));
    let space = Store::open(home.root()).and_then(|store| store.space("atlas"));
    space
        .expect("a space")
        .configure(|config| config.guard.private = true)
        .expect("configured");
    assert!(here.stays_here("atlas").expect("read"));
    let added = here.add(
        SERVER,
        "atlas",
        "codex",
        &["not for others".into()],
        Timestamp::now(),
    );
    let error = added.expect_err("refused");
    assert_eq!(error.refusal().map(InvalidValue::field), Some("space"));
    assert_eq!(files_with(home.root(), b"not for others"), NOWHERE);
}

#[test]
fn an_erasure_here_reaches_what_waits() {
    let home = Home::new();
    let here = captures(&home);
    let store = Store::open_with(Options::new(home.root()).background(false)).expect("a store");
    let space = store.space("atlas").expect("a space");
    let id = space
        .remember("The saffron ledger lies in the office")
        .expect("told")
        .id;
    let kept = "The harbour opens at six";
    add(
        &here,
        "atlas",
        &["The saffron ledger lies in the office", kept],
    );
    let erased = space.erase(id).expect("erased");
    assert!(erased.is_complete());
    assert_eq!(files_with(home.root(), b"saffron"), NOWHERE);
    assert_eq!(sent(&here), [kept]);
    add(&here, "atlas", &[kept]);
    assert_eq!(here.erase().expect("erased"), 1);
    assert_eq!(files_with(home.root(), b"harbour"), NOWHERE);
}

#[test]
fn the_file_is_private_and_bounded() {
    let home = Home::new();
    let here = captures(&home);
    let long = "word ".repeat(190_000);
    let mut added = 0;
    let full = loop {
        let drafts = [said(Role::User, &format!("{added} {long}"))];
        match here.add(SERVER, "atlas", "codex", &drafts, Timestamp::now()) {
            Ok(_) => added += 1,
            Err(error) => break error,
        }
        assert!(added < 100, "it has no end");
    };
    assert!(full.refusal().is_some(), "{full}");
    let waiting = here.waiting().expect("listed");
    assert_eq!(waiting[0].memories, added, "what waited stays");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = std::fs::metadata(home.root().join("unsent.db")).expect("the file");
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
}

/// Holds messages of a session at a time.
fn hold(captures: &UnsentCaptures, session: &str, texts: &[String], now: Timestamp) {
    for text in texts {
        let draft = said(Role::User, text);
        let held = captures.hold(session, "atlas", &draft, now);
        held.expect("held");
    }
}

fn held(captures: &UnsentCaptures, session: &str) -> Vec<String> {
    let held = captures.held(session).expect("read").into_iter();
    held.map(|message| message.draft.content).collect()
}

#[test]
fn what_a_person_said_is_held_by_session_until_it_is_released() {
    let home = Home::new();
    let here = captures(&home);
    let now = Timestamp::now();
    assert_eq!(held(&here, "s1"), Vec::<String>::new());
    let key = ["AK", "IA", "QYLPMN5H", "NM2NLPZA"].concat();
    hold(
        &here,
        "s1",
        &["one".into(), format!("deploy with {key}")],
        now,
    );
    hold(&captures(&home), "s2", &["other".into()], now);
    let redacted = "deploy with [secret:aws-access-key]";
    assert_eq!(held(&here, "s1"), ["one", redacted]);
    assert_eq!(files_with(home.root(), key.as_bytes()), NOWHERE);
    assert_eq!(here.waiting().expect("listed"), [], "for no server");
    let messages = here.held("s1").expect("read");
    assert!(messages.iter().all(|one| one.draft.external_id.is_some()));
    here.release(&messages[..1]).expect("released");
    assert_eq!(held(&here, "s1"), [redacted]);
    assert_eq!(held(&here, "s2"), ["other"]);
}

#[test]
fn what_is_held_is_bounded_in_number_and_size_whatever_the_clock() {
    let home = Home::new();
    let here = captures(&home);
    let now = Timestamp::now();
    let many: Vec<String> = (0..70).map(|number| format!("message {number}")).collect();
    hold(&here, "s1", &many, now);
    assert_eq!(held(&here, "s1"), many[6..], "the newest");
    let long: Vec<String> = (0..6)
        .map(|number| format!("{number} {}", "word ".repeat(190_000)))
        .collect();
    hold(&here, "s2", &long, now);
    assert_eq!(held(&here, "s2"), long[2..], "the newest that fit");
    assert_eq!(held(&here, "s1"), Vec::<String>::new());
    let ahead = now + jiff::SignedDuration::from_hours(10 * 365 * 24);
    hold(&here, "s3", &["new".into()], ahead);
    assert_eq!(held(&here, "s3"), ["new"]);
    assert!(
        held(&here, "s2").ends_with(&long[3..]),
        "none goes for its age"
    );
}

#[test]
fn an_erasure_here_reaches_what_is_held() {
    let home = Home::new();
    let here = captures(&home);
    let store = Store::open_with(Options::new(home.root()).background(false)).expect("a store");
    let space = store.space("atlas").expect("a space");
    let text = "The saffron ledger lies in the office";
    let now = Timestamp::now();
    hold(
        &here,
        "s1",
        &[text.into(), "The harbour opens at six".into()],
        now,
    );
    hold(&here, "s2", &[text.into()], now);
    here.release(&here.held("s2").expect("read"))
        .expect("released");
    let id = space.remember(text).expect("told").id;
    assert!(space.erase(id).expect("erased").is_complete());
    assert_eq!(files_with(home.root(), b"saffron"), NOWHERE);
    assert_eq!(held(&here, "s1"), ["The harbour opens at six"]);
}
