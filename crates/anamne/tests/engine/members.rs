//! A memory has one home, where its text is stored, and may be a member of other spaces.

use std::fs;
use std::path::Path;

use anamne::{
    Actor, BinaryImport, Body, Category, Draft, Edit, Error, ErrorKind, ImportOptions, Listing,
    MemberTerms, Memory, MemoryId, Recall, Scope, Space, SpaceChoice, SpaceSet, Spaces, Store,
};

use crate::common::traces::{Trace, traces_in};
use crate::common::{Home, files_with, link};

const TEXT: &str = "The Brackwater ferry leaves pier nine at seven";

/// A store with a memory in `atlas`.
fn told(home: &Home) -> (Store, MemoryId) {
    let (store, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    let atlas = store.space("atlas").expect("a space");
    let draft = Draft {
        body: Body::Fact {
            category: Some(Category::Constraint),
        },
        author: Some("Ada".to_owned()),
        ..Draft::new(TEXT)
            .tag("ferry")
            .importance(8)
            .thread("harbour")
    };
    let id = atlas.remember(draft).expect("told").id;
    (store, id)
}

fn terms(relevance: f32, tag: &str) -> MemberTerms {
    MemberTerms {
        relevance: Some(relevance),
        tags: vec![tag.to_owned()],
        ..MemberTerms::new()
    }
}

fn shared(home: &Home) -> (Store, MemoryId) {
    let (store, id) = told(home);
    store
        .add_members("atlas", &[id], "team", &terms(0.5, "shared"))
        .expect("added");
    (store, id)
}

fn space(store: &Store, name: &str) -> Space {
    store.existing_space(name).expect("a space")
}

fn listed(space: &Space) -> Vec<Memory> {
    let all = Listing {
        limit: 100,
        ..Listing::default()
    };
    space.list(&all).expect("a list")
}

fn found(space: &Space, query: &str) -> Vec<String> {
    let answer = space.recall(&Recall::new(query)).expect("an answer");
    let contents = answer.results.into_iter().map(|hit| hit.memory.content);
    contents.collect()
}

#[track_caller]
fn assert_sound(space: &Space) {
    let verified = space.verify().expect("a verification");
    assert!(verified.examination.findings.is_empty(), "{verified:?}");
}

#[test]
fn a_member_is_found_with_the_text_of_its_home_and_tags_of_its_own() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let team = space(&store, "team");
    let member = team.read(id).expect("a member");
    assert_eq!(member.content, TEXT);
    assert_eq!(member.tags, ["shared"]);
    assert_eq!((member.importance, member.thread), (8, None));
    assert_eq!(member.author.as_deref(), Some("Ada"));
    let membership = member.member.expect("a membership");
    assert_eq!(membership.home, "atlas");
    assert!((membership.relevance - 0.5).abs() < f32::EPSILON);
    assert_eq!(
        found(&team, "when does the Brackwater ferry leave?"),
        [TEXT]
    );
    assert_eq!(listed(&team).len(), 1);
    let tagged = Listing {
        filter: anamne::Filter {
            tags: vec!["shared".to_owned()],
            ..anamne::Filter::default()
        },
        limit: 100,
        ..Listing::default()
    };
    assert_eq!(team.list(&tagged).expect("a list").len(), 1);
    let atlas = space(&store, "atlas");
    assert_eq!(atlas.read(id).expect("the memory").tags, ["ferry"]);
    assert_eq!(atlas.spaces_with(id).expect("spaces"), ["team"]);
    assert_sound(&team);
    assert_sound(&atlas);
}

#[test]
fn the_text_is_stored_in_the_home_only() {
    let home = Home::new();
    let (_store, _) = shared(&home);
    let team = home.root().join("spaces/team");
    for folder in ["memories", "journal"] {
        let holders = files_with(&team.join(folder), b"Brackwater");
        assert!(holders.is_empty(), "{holders:?}");
    }
}

#[test]
fn edits_in_the_home_are_seen_in_every_space() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let team = space(&store, "team");
    assert_eq!(found(&team, "Brackwater ferry"), [TEXT]);
    let text = "The Brackwater ferry leaves the north quay at eight";
    let edit = Edit {
        content: Some(text.to_owned()),
        importance: Some(3),
        ..Edit::default()
    };
    space(&store, "atlas").edit(id, &edit).expect("an edit");
    assert_eq!(found(&team, "north quay"), [text]);
    let member = team.read(id).expect("a member");
    assert_eq!(
        (member.importance, &member.tags[..]),
        (3, &["shared".to_owned()][..])
    );
    // Another process sees it too.
    let (other, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    assert_eq!(found(&space(&other, "team"), "north quay"), [text]);
    assert_sound(&team);
}

#[test]
fn a_space_edits_its_own_part_only() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let team = space(&store, "team");
    let own = Edit {
        add_tags: vec!["timetable".to_owned()],
        metadata: [("ticket".to_owned(), 42.into())].into(),
        ..Edit::default()
    };
    let edited = team.edit(id, &own).expect("an edit");
    assert_eq!((edited.content.as_str(), edited.tags.len()), (TEXT, 2));
    let foreign = Edit {
        content: Some("something else".to_owned()),
        ..Edit::default()
    };
    assert!(team.edit(id, &foreign).is_err());
    assert_eq!(space(&store, "atlas").read(id).expect("it").tags, ["ferry"]);
    // A second time changes what is told, and keeps the rest.
    store
        .add_members("atlas", &[id], "team", &terms(0.25, "shared"))
        .expect("added again");
    let member = team.read(id).expect("a member");
    assert_eq!(member.tags, ["shared", "timetable"]);
    assert!((member.member.expect("one").relevance - 0.25).abs() < f32::EPSILON);
    assert_sound(&team);
}

#[test]
fn adding_and_removing_leaves_both_spaces_as_they_were() {
    let home = Home::new();
    let (store, id) = told(&home);
    let team = store.space("team").expect("a space");
    team.remember("Crews meet at six").expect("told");
    let before = (listed(&team), listed(&space(&store, "atlas")));
    for round in 0..3 {
        store
            .add_members("atlas", &[id], "team", &MemberTerms::new())
            .expect("added");
        assert_eq!(listed(&team).len(), 2, "round {round}");
        if round == 1 {
            team.forget(id).expect("forgetting is removing");
        } else {
            team.remove_members(&[id]).expect("removed");
        }
        assert_eq!((listed(&team), listed(&space(&store, "atlas"))), before);
        assert!(
            space(&store, "atlas")
                .spaces_with(id)
                .expect("spaces")
                .is_empty()
        );
        assert!(
            found(&team, "Brackwater ferry pier")
                .iter()
                .all(|text| text != TEXT)
        );
        assert!(team.read(id).is_err(), "removed members show nothing");
        assert!(team.restore(id).is_err(), "only adding brings it back");
    }
    assert_sound(&team);
    assert_sound(&space(&store, "atlas"));
}

#[test]
fn what_the_home_forgets_is_hidden_everywhere_until_it_is_restored() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let (team, atlas) = (space(&store, "team"), space(&store, "atlas"));
    atlas.forget(id).expect("forgotten");
    assert!(listed(&team).is_empty());
    assert!(found(&team, "Brackwater ferry").is_empty());
    atlas.restore(id).expect("restored");
    assert_eq!(found(&team, "Brackwater ferry"), [TEXT]);
    assert_eq!(team.read(id).expect("a member").tags, ["shared"]);
    assert_sound(&team);
}

#[test]
fn an_erasure_in_the_home_reaches_members_and_their_backups() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let (team, atlas) = (space(&store, "team"), space(&store, "atlas"));
    let own = Edit {
        metadata: [("note".to_owned(), "Quillwort".into())].into(),
        ..Edit::default()
    };
    team.edit(id, &own).expect("an edit");
    team.extract(&mut |_| true).expect("extracted");
    team.fold().expect("folded");
    let copies = tempfile::tempdir().expect("a folder");
    store.backup(copies.path(), None).expect("a backup");
    // A backup that was opened has views.
    {
        let copy = Store::open(copies.path()).expect("a store");
        let copy = space(&copy, "team");
        assert_eq!(found(&copy, "Brackwater ferry"), [TEXT]);
        copy.fold().expect("folded");
    }
    let traces = [
        Trace::tokens(TEXT),
        Trace::word("brackwater"),
        Trace::word("quillwort"),
    ];
    let left = |folder: &Path| traces_in(folder, &traces);
    assert!(!left(&home.root().join("spaces/team")).is_empty());
    assert!(!left(&copies.path().join("spaces/team")).is_empty());
    let erased = atlas.erase(id).expect("erased");
    assert!(erased.is_complete(), "{erased:?}");
    assert_eq!(erased.backups.len(), 1, "one folder: {erased:?}");
    assert!(team.read(id).is_err());
    assert!(listed(&team).is_empty() && found(&team, "Brackwater ferry").is_empty());
    assert_eq!(left(home.root()), []);
    assert_eq!(left(copies.path()), []);
    assert!(atlas.spaces_with(id).expect("spaces").is_empty());
    assert_sound(&team);
    assert_sound(&atlas);
}

#[test]
fn erasing_a_member_erases_nothing_but_the_membership() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let (team, atlas) = (space(&store, "team"), space(&store, "atlas"));
    assert!(team.erase(id).expect("erased").is_complete());
    assert_eq!(atlas.read(id).expect("the memory").content, TEXT);
    assert!(atlas.spaces_with(id).expect("spaces").is_empty());
    let again = store.add_members("atlas", &[id], "team", &MemberTerms::new());
    assert!(again.is_err(), "an erased id stays erased");
    assert!(atlas.spaces_with(id).expect("spaces").is_empty());
    assert_sound(&team);
}

#[test]
fn a_reader_of_the_space_sees_the_member_and_nothing_else_of_its_home() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let atlas = space(&store, "atlas");
    let other = atlas.remember("The toll is secret").expect("told").id;
    atlas.link(&link(id, other, "a reason")).expect("a link");
    let edit = Edit {
        content: Some(format!("{TEXT} sharp")),
        ..Edit::default()
    };
    atlas.edit(id, &edit).expect("an edit");
    let scope = Scope::of(Actor::agent("guest")).reading(SpaceSet::only(["team"]));
    let guest = store.narrowed(&scope);
    let team = space(&guest, "team");
    assert_eq!(
        team.read(id).expect("a member").content,
        format!("{TEXT} sharp")
    );
    assert!(team.links(id).expect("links").is_empty());
    let earlier = team.history(id).expect("a history");
    let texts = earlier.iter().filter_map(|version| version.memory.as_ref());
    assert!(
        texts
            .clone()
            .all(|memory| memory.content.is_empty() || memory.content.ends_with("sharp"))
    );
    assert!(matches!(
        guest.existing_space("atlas"),
        Err(Error::Denied(_))
    ));
    assert!(team.get_each(&[other]).expect("none").is_empty());
    assert!(team.spaces_with(id).expect("spaces").is_empty());
    // From the other side: spaces that a reader of the home may not see are not named.
    let scope = Scope::of(Actor::agent("guest")).reading(SpaceSet::only(["atlas"]));
    let other = space(&store.narrowed(&scope), "atlas");
    assert!(other.spaces_with(id).expect("spaces").is_empty());
}

#[test]
fn adding_needs_to_read_the_home_and_to_write_the_space() {
    let home = Home::new();
    let (store, id) = shared(&home);
    store.space("port").expect("a space");
    let agent = |read: &[&str], write: &[&str]| {
        let scope = Scope::of(Actor::agent("editor"))
            .reading(SpaceSet::only(read.iter().copied()))
            .writing(SpaceSet::only(write.iter().copied()));
        store.narrowed(&scope)
    };
    let add =
        |store: &Store, from: &str| store.add_members(from, &[id], "port", &MemberTerms::new());
    let denied = |added: Result<_, Error>| matches!(added, Err(Error::Denied(_)));
    assert!(denied(add(&agent(&["atlas", "port"], &["atlas"]), "atlas")));
    assert!(denied(add(&agent(&["port"], &["port"]), "atlas")));
    // A member may not be passed on by who can't read its home.
    assert!(denied(add(
        &agent(&["team", "port"], &["team", "port"]),
        "team"
    )));
    assert!(space(&store, "port").read(id).is_err());
    let added = add(&agent(&["atlas", "team", "port"], &["port"]), "team").expect("added");
    assert_eq!(
        (added[0].home.as_str(), added[0].space.as_str()),
        ("atlas", "port")
    );
    let removing = agent(&["port"], &[]);
    assert!(denied(
        space(&removing, "port")
            .remove_members(&[id])
            .map(|()| Vec::new())
    ));
    let removing = agent(&["port"], &["port"]);
    space(&removing, "port")
        .remove_members(&[id])
        .expect("removed");
    assert_eq!(
        space(&store, "atlas").spaces_with(id).expect("spaces"),
        ["team"]
    );
}

#[test]
fn private_memories_stay_in_their_space() {
    let home = Home::new();
    let (store, id) = told(&home);
    let atlas = space(&store, "atlas");
    let secret = atlas.remember(Draft::new("Door code of the mole").tag("private"));
    let secret = secret.expect("told").id;
    let refused = store.add_members("atlas", &[id, secret], "team", &MemberTerms::new());
    let refused = refused.expect_err("private").to_string();
    assert!(refused.contains("private"), "{refused}");
    assert!(listed(&space(&store, "team")).is_empty(), "all or none");
    store
        .add_members("atlas", &[id], "team", &MemberTerms::new())
        .expect("added");
    // One that becomes private leaves.
    let edit = Edit {
        add_tags: vec!["private".to_owned()],
        ..Edit::default()
    };
    atlas.edit(id, &edit).expect("an edit");
    assert!(listed(&space(&store, "team")).is_empty());
    assert!(atlas.spaces_with(id).expect("spaces").is_empty());
}

#[test]
fn memories_of_a_private_space_stay_with_its_owner() {
    let home = Home::new();
    let (store, _) = told(&home);
    let ada = store.space("~ada").expect("a space");
    let id = ada.remember("The diary is under the oak").expect("told").id;
    for into in ["team", "core", "~bo", "~adam"] {
        let refused = store.add_members("~ada", &[id], into, &MemberTerms::new());
        let refused = refused.expect_err("refused").to_string();
        assert!(refused.contains("private"), "{into}: {refused}");
    }
    let refused = store.promote("~ada", &[id], &MemberTerms::new());
    assert_eq!(refused.expect_err("refused").kind(), ErrorKind::Refused);
    assert!(store.existing_space("~bo").is_err(), "nothing is created");
    for into in ["~ada.notes", "~ada.trips"] {
        store
            .add_members("~ada", &[id], into, &MemberTerms::new())
            .expect("added");
    }
    // From where it is a member, too.
    let refused = store.add_members("~ada.notes", &[id], "team", &MemberTerms::new());
    assert_eq!(refused.expect_err("refused").kind(), ErrorKind::Refused);
}

#[test]
fn a_query_over_both_spaces_returns_it_once() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let spaces = Spaces {
        choice: SpaceChoice::All,
        core: false,
    };
    let answer = store
        .recall(&spaces, &Recall::new("Brackwater ferry"))
        .expect("an answer");
    assert_eq!(answer.results.len(), 1);
    let hit = &answer.results[0];
    let mut spaces = hit.also_in.clone();
    spaces.extend(hit.space.clone());
    spaces.sort();
    assert_eq!(
        (hit.memory.id, spaces),
        (id, vec!["atlas".to_owned(), "team".to_owned()])
    );
}

#[test]
fn promoted_memories_are_members_of_core() {
    let home = Home::new();
    let (store, id) = told(&home);
    store
        .promote("atlas", &[id], &MemberTerms::new())
        .expect("promoted");
    let core = space(&store, "core");
    let member = core.read(id).expect("a member").member.expect("one");
    assert_eq!(member.home, "atlas");
    store.demote(&[id]).expect("demoted");
    assert!(core.read(id).is_err());
    assert!(
        space(&store, "atlas").remove_members(&[id]).is_err(),
        "its home keeps it"
    );
}

#[test]
fn members_survive_a_rebuild_of_either_space_from_its_journal() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let other = space(&store, "atlas")
        .remember("Second text")
        .expect("told")
        .id;
    store
        .add_members("atlas", &[other], "team", &terms(1.0, "two"))
        .expect("added");
    space(&store, "team")
        .remove_members(&[other])
        .expect("removed");
    let before = listed(&space(&store, "team"));
    for name in ["atlas", "team"] {
        space(&store, name).fold().expect("folded");
    }
    drop(store);
    for name in ["atlas", "team"] {
        let folder = home.root().join("spaces").join(name);
        for file in ["active.db", "active.db-wal", "active.db-shm"] {
            let _ = fs::remove_file(folder.join("memories").join(file));
        }
        fs::remove_dir_all(folder.join("views")).expect("views");
    }
    let (store, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    let team = space(&store, "team");
    assert_eq!(listed(&team), before);
    assert_eq!(found(&team, "Brackwater ferry"), [TEXT]);
    assert_eq!(
        space(&store, "atlas").spaces_with(id).expect("spaces"),
        ["team"]
    );
    assert!(
        space(&store, "atlas")
            .spaces_with(other)
            .expect("spaces")
            .is_empty()
    );
    // And from the database, if the journal is lost.
    drop((store, team));
    for name in ["atlas", "team"] {
        fs::remove_dir_all(home.root().join("spaces").join(name).join("journal"))
            .expect("a journal");
    }
    let (store, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    let (team, atlas) = (space(&store, "team"), space(&store, "atlas"));
    assert_eq!(listed(&team), before);
    assert_sound(&team);
    assert_sound(&atlas);
}

#[test]
fn members_of_a_missing_home_are_left_out_and_named() {
    let home = Home::new();
    let (store, id) = shared(&home);
    space(&store, "team")
        .remember("Crews meet at six")
        .expect("told");
    space(&store, "team").fold().expect("folded");
    drop(store);
    let (atlas, aside) = (home.root().join("spaces/atlas"), home.root().join("aside"));
    fs::rename(&atlas, &aside).expect("taken away");
    {
        let (store, _) = home.store_with_clock("2026-03-02T12:00:00Z");
        let team = space(&store, "team");
        assert_eq!(listed(&team).len(), 1);
        assert!(
            found(&team, "Brackwater ferry")
                .iter()
                .all(|text| text != TEXT)
        );
        assert!(team.read(id).is_err());
        let rebuilt = team.check_up().expect("a check-up");
        assert!(
            rebuilt
                .problems
                .iter()
                .any(|problem| problem.contains("atlas")),
            "{rebuilt:?}"
        );
        fs::remove_dir_all(home.root().join("spaces/team/views")).expect("views");
    }
    {
        let (store, _) = home.store_with_clock("2026-03-02T12:00:00Z");
        assert!(
            found(&space(&store, "team"), "Brackwater ferry")
                .iter()
                .all(|text| text != TEXT)
        );
        space(&store, "team")
            .settle(&mut |_, _| {})
            .expect("settled");
    }
    fs::rename(&aside, &atlas).expect("brought back");
    let (store, _) = home.store_with_clock("2026-03-02T12:00:00Z");
    let team = space(&store, "team");
    assert!(
        found(&team, "Brackwater ferry")
            .iter()
            .any(|text| text == TEXT)
    );
    assert_sound(&team);
}

#[test]
fn a_space_that_claims_members_opens_nothing() {
    let home = Home::new();
    let (store, id) = shared(&home);
    // Another store has a space with the same members, and gets a home of the same name.
    let elsewhere = Home::new();
    let copy = elsewhere.root().join("spaces/team");
    drop(store);
    fs::create_dir_all(copy.join("journal")).expect("a folder");
    for entry in fs::read_dir(home.root().join("spaces/team/journal")).expect("a journal") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), copy.join("journal").join(entry.file_name())).expect("a copy");
    }
    fs::copy(
        home.root().join("spaces/team/space.toml"),
        copy.join("space.toml"),
    )
    .expect("a copy");
    let (store, _) = elsewhere.store_with_clock("2026-03-01T12:00:00Z");
    let atlas = store.space("atlas").expect("a space");
    let mut export = Vec::new();
    let (from, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    space(&from, "atlas")
        .export(&mut export)
        .expect("an export");
    atlas
        .import(&export[..], ImportOptions::default(), &mut |_| {})
        .expect("an import");
    assert_eq!(atlas.read(id).expect("the memory").content, TEXT);
    let team = space(&store, "team");
    assert!(team.read(id).is_err() && listed(&team).is_empty());
}

#[test]
fn a_home_of_the_same_name_but_another_log_shows_nothing() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let mut export = Vec::new();
    space(&store, "atlas")
        .export(&mut export)
        .expect("an export");
    drop(store);
    fs::remove_dir_all(home.root().join("spaces/atlas")).expect("taken away");
    let (store, _) = home.store_with_clock("2026-03-02T12:00:00Z");
    let team = space(&store, "team");
    let atlas = store.space("atlas").expect("a space");
    let forged = String::from_utf8(export)
        .expect("text")
        .replace("pier nine", "pier two");
    atlas
        .import(forged.as_bytes(), ImportOptions::default(), &mut |_| {})
        .expect("an import");
    assert!(
        atlas
            .read(id)
            .expect("the memory")
            .content
            .contains("pier two")
    );
    team.settle(&mut |_, _| {}).expect("settled");
    assert!(team.read(id).is_err() && listed(&team).is_empty());
    // A person who adds it again vouches for it.
    store
        .add_members("atlas", &[id], "team", &MemberTerms::new())
        .expect("added");
    assert!(
        team.read(id)
            .expect("a member")
            .content
            .contains("pier two")
    );
    assert_sound(&team);
}

#[test]
fn less_relevant_members_come_behind_surer_results() {
    let home = Home::new();
    let (store, id) = told(&home);
    let team = store.space("team").expect("a space");
    let own = team
        .remember("The ferry leaves from a pier")
        .expect("told")
        .id;
    let order = |relevance: f32| -> Vec<(MemoryId, f32)> {
        store
            .add_members("atlas", &[id], "team", &terms(relevance, "shared"))
            .expect("added");
        let recall = Recall::new("when does the Brackwater ferry leave pier nine?");
        let results = team.recall(&recall).expect("an answer").results;
        results
            .iter()
            .map(|hit| (hit.memory.id, hit.confidence))
            .collect()
    };
    let full = order(1.0);
    assert_eq!(full[0].0, id);
    let half = order(0.5);
    let confidence =
        |hits: &[(MemoryId, f32)]| hits.iter().find(|hit| hit.0 == id).map(|hit| hit.1);
    let expected = confidence(&full).expect("found") * 0.5;
    assert!((confidence(&half).expect("found") - expected).abs() < 1e-6);
    let none = order(0.0);
    assert_eq!(none.iter().map(|hit| hit.0).collect::<Vec<_>>(), [own, id]);
}

#[test]
fn an_export_has_the_text_and_the_home_and_its_import_is_a_memory_of_its_own() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let mut export = Vec::new();
    space(&store, "team")
        .export(&mut export)
        .expect("an export");
    let line = String::from_utf8(export.clone()).expect("text");
    assert!(
        line.contains(TEXT) && line.contains("\"home\":\"atlas\""),
        "{line}"
    );
    let elsewhere = Home::new();
    let (other, _) = elsewhere.store_with_clock("2026-03-01T12:00:00Z");
    let copy = other.space("copy").expect("a space");
    copy.import(&export[..], ImportOptions::default(), &mut |_| {})
        .expect("an import");
    let memory = copy.read(id).expect("the memory");
    assert_eq!((memory.content.as_str(), memory.is_member()), (TEXT, false));
    assert_eq!(memory.tags, ["shared"]);
    assert_eq!(memory.metadata["home"], "atlas");
    // Where the memory is a member already, nothing changes.
    let again = space(&store, "team").import(&export[..], ImportOptions::default(), &mut |_| {});
    again.expect("an import");
    assert_eq!(listed(&space(&store, "team")).len(), 1);
    assert!(space(&store, "team").read(id).expect("it").is_member());
}

#[test]
fn a_full_space_takes_no_members_and_the_home_is_as_before() {
    let home = Home::new();
    let (store, id) = told(&home);
    let team = store.space("team").expect("a space");
    team.configure(|config| config.quota.bytes = 1)
        .expect("a quota");
    let refused = store.add_members("atlas", &[id], "team", &MemberTerms::new());
    assert!(refused.is_err());
    assert!(
        space(&store, "atlas")
            .spaces_with(id)
            .expect("spaces")
            .is_empty()
    );
    team.configure(|config| config.quota.bytes = 0)
        .expect("no quota");
    store
        .add_members("atlas", &[id], "team", &MemberTerms::new())
        .expect("added");
    assert_eq!(listed(&team).len(), 1);
}

#[test]
fn a_query_as_of_an_earlier_time_sees_the_members_of_that_time() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
    let id = store
        .space("atlas")
        .expect("a space")
        .remember(TEXT)
        .expect("told")
        .id;
    let team = store.space("team").expect("a space");
    team.remember("Crews meet at six").expect("told");
    let asked = |at: &str| {
        let mut recall = Recall::new("Brackwater ferry");
        recall.as_of.known = Some(at.parse().expect("a time"));
        let answer = team.recall(&recall).expect("an answer");
        answer.results.iter().any(|hit| hit.memory.id == id)
    };
    clock.set("2026-03-02T12:00:00Z");
    store
        .add_members("atlas", &[id], "team", &terms(1.0, "old"))
        .expect("added");
    clock.set("2026-03-03T12:00:00Z");
    store
        .add_members("atlas", &[id], "team", &terms(1.0, "new"))
        .expect("changed");
    clock.set("2026-03-04T12:00:00Z");
    team.remove_members(&[id]).expect("removed");
    clock.set("2026-03-05T12:00:00Z");
    let seen = [
        "2026-03-01T13:00:00Z",
        "2026-03-02T13:00:00Z",
        "2026-03-03T13:00:00Z",
        "2026-03-04T13:00:00Z",
    ];
    // Once it is removed, the home shows nothing here, whatever the time that is asked for.
    assert_eq!(seen.map(asked), [false; 4]);
    store
        .add_members("atlas", &[id], "team", &MemberTerms::new())
        .expect("added again");
    assert_eq!(seen.map(asked), [false, true, true, false]);
}

#[test]
fn an_entity_is_known_to_be_the_same_where_a_memory_is_shared() {
    let home = Home::new();
    let (store, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    let atlas = store.space("atlas").expect("a space");
    let text = "Mara Lind works at Brackwater Ferries and lives in Oslo";
    let id = atlas.remember(text).expect("told").id;
    store
        .add_members("atlas", &[id], "team", &MemberTerms::new())
        .expect("added");
    let team = space(&store, "team");
    for space in [&atlas, &team] {
        space.extract(&mut |_| true).expect("extracted");
    }
    let elsewhere = |space: &Space| {
        let knowledge = space.knowledge().expect("a graph");
        let known = knowledge.elsewhere("Mara Lind").expect("an entity");
        let named = known.into_iter().map(|known| (known.space, known.name));
        named.collect::<Vec<_>>()
    };
    let mara = "Mara Lind".to_owned();
    assert_eq!(elsewhere(&team), [("atlas".to_owned(), mara.clone())]);
    assert_eq!(elsewhere(&atlas), [("team".to_owned(), mara)]);
    let scope = Scope::of(Actor::agent("guest")).reading(SpaceSet::only(["team"]));
    assert_eq!(elsewhere(&space(&store.narrowed(&scope), "team")), []);
    // Without a shared memory nothing connects them.
    team.remove_members(&[id]).expect("removed");
    team.remember("Mara Lind likes Oslo").expect("told");
    team.extract(&mut |_| true).expect("extracted");
    assert_eq!(elsewhere(&team), []);
}

#[test]
fn an_export_file_has_the_text_of_members_if_it_has_their_home() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let files = tempfile::tempdir().expect("a folder");
    let alone = files.path().join("alone.anamne");
    let written = store
        .export_binary(&alone, Some("team"), &[])
        .expect("an export");
    let without: Vec<_> = written
        .without_home
        .iter()
        .map(|without| {
            (
                without.space.as_str(),
                without.home.as_str(),
                without.members,
            )
        })
        .collect();
    assert_eq!(without, [("team", "atlas", 1)]);
    let both = files.path().join("both.anamne");
    let written = store.export_binary(&both, None, &[]).expect("an export");
    assert_eq!(written.without_home, []);
    let elsewhere = Home::new();
    let (other, _) = elsewhere.store_with_clock("2026-03-01T12:00:00Z");
    let import = BinaryImport {
        options: ImportOptions::default().trusted(),
        ..BinaryImport::default()
    };
    let taken = |path: &Path| {
        let file = fs::File::open(path).expect("a file");
        other.import_binary(path, file, &import).expect("an import")
    };
    taken(&both);
    let team = space(&other, "team");
    assert_eq!(listed(&team), listed(&space(&store, "team")));
    assert_eq!(team.read(id).expect("a member").content, TEXT);
    assert_eq!(found(&team, "Brackwater ferry"), [TEXT]);
    assert_sound(&team);
}

#[test]
fn a_split_moves_neither_members_nor_memories_that_others_share() {
    let home = Home::new();
    let (store, id) = shared(&home);
    let quiet = &mut |_: &anamne::Transfer| {};
    for from in ["atlas", "team"] {
        let split = store
            .split_space(from, "port", &anamne::Selection::default(), quiet)
            .expect("a split");
        assert_eq!(
            (split.chosen, split.moved, split.kept.len()),
            (1, 0, 1),
            "{from}"
        );
        assert!(split.kept[0].reason.contains("member"), "{split:?}");
    }
    assert_eq!(
        space(&store, "team").read(id).expect("a member").content,
        TEXT
    );
    assert!(listed(&space(&store, "port")).is_empty());
}

#[test]
fn a_change_is_followed_by_a_space_that_was_away() {
    let home = Home::new();
    let (store, id) = shared(&home);
    drop(store);
    let (team, aside) = (home.root().join("spaces/team"), home.root().join("aside"));
    fs::rename(&team, &aside).expect("taken away");
    {
        let (store, _) = home.store_with_clock("2026-03-02T12:00:00Z");
        let atlas = space(&store, "atlas");
        let edit = Edit {
            content: Some("The ferry leaves from the north quay".to_owned()),
            ..Edit::default()
        };
        atlas.edit(id, &edit).expect("an edit");
        assert_eq!(atlas.spaces_with(id).expect("spaces"), ["team"]);
    }
    fs::rename(&aside, &team).expect("brought back");
    let (store, _) = home.store_with_clock("2026-03-03T12:00:00Z");
    let found = found(&space(&store, "team"), "north quay");
    assert_eq!(found, ["The ferry leaves from the north quay"]);
}
