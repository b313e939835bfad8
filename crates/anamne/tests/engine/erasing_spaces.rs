//! A whole space is erased: everything of it is gone, here, in its backups and in spaces that had members from it, also if
//! that was interrupted.

use std::fs;
use std::path::{Path, PathBuf};

use anamne::{
    Actor, Draft, Error, ErrorKind, Filter, KeyInfo, MemberTerms, MemoryId, NewKey, Recall, Right,
    Scope, Selection, Space, SpaceErasure, SpaceSet, Store, StoreError, TenantQuota,
};
use anamne_store::{SpaceName, SpaceSource, SystemClock};

use crate::common::files_with;

const SECRET: &str = "The xylophone key of pier nine is under the mat";

/// A store in a folder, with places for its backups beside it.
struct Harbour(tempfile::TempDir);

impl Harbour {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("store")
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The store, opened as another process would.
    fn store(&self) -> Store {
        Store::open(self.root()).expect("a store")
    }

    /// Checks that no file has a word of the secret.
    #[track_caller]
    fn assert_clean(&self) {
        let found = files_with(self.0.path(), b"xylophone");
        assert!(found.is_empty(), "{found:#?}");
    }
}

fn remember(store: &Store, space: &str, content: &str) -> MemoryId {
    let space = store.space(space).expect("a space");
    space.remember(Draft::new(content)).expect("told").id
}

/// A store with the secret in `atlas`, used so that everything derived has it, and another space.
fn told(harbour: &Harbour) -> (Store, MemoryId) {
    let store = harbour.store();
    let id = remember(&store, "atlas", SECRET);
    remember(&store, "team", "The ferry leaves at seven");
    for name in ["atlas", "team"] {
        let space = store.existing_space(name).expect("a space");
        space
            .recall(&Recall::new("xylophone key"))
            .expect("an answer");
        space.fold().expect("folded");
        space.settle(&mut |_, _| {}).expect("settled");
    }
    (store, id)
}

fn erase(store: &Store, name: &str) -> SpaceErasure {
    let erased = store.erase_space(name).expect("erased");
    assert!(erased.outside.is_complete(), "{erased:#?}");
    erased
}

fn names(store: &Store) -> Vec<String> {
    let names = store.spaces().expect("a list").into_iter();
    names.map(|name| name.to_string()).collect()
}

fn is_gone<T: std::fmt::Debug>(answer: &Result<T, Error>) -> bool {
    matches!(answer, Err(Error::Store(StoreError::SpaceGone(_))))
}

#[test]
fn everything_of_it_is_gone_and_its_name_is_free() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    drop(store);
    let store = harbour.store();
    assert!(!files_with(&harbour.root(), b"xylophone").is_empty());
    let erased = erase(&store, "atlas");
    assert_eq!((erased.memories, erased.forgotten), (1, 0));
    harbour.assert_clean();
    assert_eq!(names(&store), ["team"]);
    assert!(!harbour.root().join("spaces/atlas").exists());
    assert_eq!(
        fs::read_dir(harbour.root().join("erased"))
            .expect("a folder")
            .count(),
        0
    );
    let missing = store.existing_space("atlas");
    assert!(matches!(missing, Err(Error::Store(StoreError::NoSpace(_)))));
    let missing = store.erase_space("atlas").expect_err("it is erased");
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    let again = store.space("atlas").expect("another one");
    assert_eq!(again.report().expect("counts").statistics.events, 0);
    assert_eq!(store.unfinished_space_erasures().expect("a list"), []);
}

#[test]
fn core_can_be_emptied_and_is_there_again_when_it_is_used() {
    let harbour = Harbour::new();
    let store = harbour.store();
    remember(&store, "core", SECRET);
    let _ = erase(&store, "core");
    harbour.assert_clean();
    remember(&store, "core", "Something new");
    assert_eq!(names(&store), ["core"]);
}

#[test]
fn open_handles_say_so_and_never_bring_it_back() {
    let harbour = Harbour::new();
    let (store, id) = told(&harbour);
    let elsewhere = harbour.store();
    let handles = [&store, &elsewhere].map(|store| store.existing_space("atlas").expect("it"));
    // One that has read and written, one that only read, and one that did neither.
    let unused = harbour.store().existing_space("atlas").expect("it");
    handles[0].remember(Draft::new("One more")).expect("told");
    handles[1].read(id).expect("a memory");
    let _ = erase(&store, "atlas");
    let check = |space: &Space| {
        assert!(is_gone(&space.read(id)));
        assert!(is_gone(&space.recall(&Recall::new("xylophone"))));
        assert!(is_gone(&space.remember(Draft::new(SECRET))));
        assert!(is_gone(&space.remember_all(&[Draft::new(SECRET)])));
        assert!(is_gone(
            &space.configure(|config| config.description = SECRET.to_owned())
        ));
        assert!(is_gone(&space.settle(&mut |_, _| {})));
        assert!(is_gone(&space.report()));
        assert!(space.fold().is_err());
        assert!(is_gone(&space.erase(id).map(drop)));
    };
    for space in handles.iter().chain([&unused]) {
        check(space);
    }
    assert!(!harbour.root().join("spaces/atlas").exists());
    harbour.assert_clean();
    let again = remember(&elsewhere, "atlas", "Another space of the name");
    for space in handles.iter().chain([&unused]) {
        check(space);
    }
    drop((handles, unused));
    harbour.assert_clean();
    for store in [&store, &elsewhere] {
        let space = store.existing_space("atlas").expect("the other one");
        assert_eq!(space.read(again).expect("a memory").id, again);
        assert!(space.read(id).is_err());
    }
}

#[test]
fn members_are_erased_with_their_home_and_stay_without_the_space() {
    let harbour = Harbour::new();
    let (store, id) = told(&harbour);
    store
        .add_members("atlas", &[id], "team", &MemberTerms::new())
        .expect("added");
    let stays = remember(&store, "harbour", "The crane is closed on Sundays");
    store
        .add_members("harbour", &[stays], "atlas", &MemberTerms::new())
        .expect("added");
    let team = store.existing_space("team").expect("a space");
    team.recall(&Recall::new("xylophone key"))
        .expect("an answer");
    team.fold().expect("folded");
    let erased = erase(&store, "atlas");
    assert_eq!(erased.members_lost_in, ["team"]);
    harbour.assert_clean();
    let question = Recall {
        min_confidence: 0.0,
        ..Recall::new("xylophone key")
    };
    let answer = team.recall(&question);
    let found = answer.expect("an answer").results;
    assert!(found.iter().all(|hit| hit.memory.id != id));
    assert_eq!(
        team.check_up().expect("a check").problems,
        Vec::<String>::new()
    );
    let home = store.existing_space("harbour").expect("a space");
    assert_eq!(
        home.spaces_with(stays).expect("a list"),
        Vec::<String>::new()
    );
    assert_eq!(
        home.read(stays).expect("a memory").content,
        "The crane is closed on Sundays"
    );
}

#[test]
fn its_backups_and_theirs_lose_it_and_keep_other_spaces() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    let (all, alone, further) = (
        harbour.beside("all"),
        harbour.beside("alone"),
        harbour.beside("further"),
    );
    store.backup(&all, None).expect("a backup");
    store.backup(&alone, Some("atlas")).expect("a backup");
    // A backup that was used since, and one of its own.
    let used = harbour.beside("used");
    store.backup(&used, Some("atlas")).expect("a backup");
    let copy = Store::open(&used).expect("a store");
    remember(&copy, "atlas", "The xylophone is told there only");
    copy.backup(&further, None).expect("a backup");
    drop(copy);
    let erased = erase(&store, "atlas");
    assert_eq!(erased.outside.backups.len(), 4);
    harbour.assert_clean();
    assert_eq!(names(&Store::open(&all).expect("a store")), ["team"]);
    assert!(!alone.exists(), "nothing is left in it");
    store.backup(&all, None).expect("it goes on");
}

#[test]
fn an_unrelated_store_in_the_place_of_a_backup_is_left_alone() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    let backup = harbour.beside("copy");
    store.backup(&backup, Some("atlas")).expect("a backup");
    fs::remove_dir_all(&backup).expect("removed");
    let other = Store::open(&backup).expect("a store");
    let kept = remember(&other, "atlas", "Someone else's");
    let erased = store.erase_space("atlas").expect("erased");
    assert!(!erased.outside.is_complete());
    assert!(erased.outside.backups[0].problem.contains("unrelated"));
    let there = other.existing_space("atlas").expect("a space");
    assert_eq!(
        there.read(kept).expect("a memory").content,
        "Someone else's"
    );
    let left = store.unfinished_space_erasures().expect("a list");
    assert_eq!(left.len(), 1);
    let forgotten = store.forget_backup(&backup, None).expect("forgotten");
    assert_eq!(forgotten.spaces, ["atlas"]);
    assert_eq!(store.unfinished_space_erasures().expect("a list"), []);
}

#[test]
fn a_backup_out_of_reach_is_named_and_erased_once_it_is_back() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    let (backup, away) = (harbour.beside("copy"), harbour.beside("away"));
    store.backup(&backup, Some("atlas")).expect("a backup");
    fs::rename(&backup, &away).expect("moved");
    let erased = store.erase_space("atlas").expect("erased");
    let unreached = erased.outside.unreached();
    assert_eq!(unreached.len(), 1, "{unreached:#?}");
    assert_eq!(
        unreached[0].place,
        backup.canonicalize().unwrap_or(backup.clone())
    );
    assert!(files_with(&harbour.root(), b"xylophone").is_empty());
    assert_eq!(
        harbour
            .store()
            .unfinished_space_erasures()
            .expect("a list")
            .len(),
        1
    );
    fs::rename(&away, &backup).expect("moved back");
    let later = harbour.store();
    harbour.assert_clean();
    assert_eq!(later.unfinished_space_erasures().expect("a list"), []);
}

/// Moves the memories of a thread from `from` to `atlas`.
fn move_to_atlas(store: &Store, from: &str, thread: &str) {
    let selection = Selection {
        filter: Filter {
            threads: vec![thread.to_owned()],
            ..Filter::default()
        },
        ..Selection::default()
    };
    let moved = store.split_space(from, "atlas", &selection, &mut |_| {});
    assert_eq!(moved.expect("moved").moved, 1);
}

/// A store whose secret was told in `team`, and moved from there to `atlas`.
fn moved(harbour: &Harbour) -> (Store, MemoryId) {
    let store = harbour.store();
    let team = store.space("team").expect("a space");
    let id = team
        .remember(Draft::new(SECRET).thread("keys"))
        .expect("told")
        .id;
    remember(&store, "team", "The ferry leaves at seven");
    store
        .backup(&harbour.beside("copy"), None)
        .expect("a backup");
    move_to_atlas(&store, "team", "keys");
    (store, id)
}

#[test]
fn what_a_transfer_left_behind_goes_with_the_space() {
    for is_forgotten in [false, true] {
        let harbour = Harbour::new();
        let (store, id) = moved(&harbour);
        if is_forgotten {
            let atlas = store.existing_space("atlas").expect("a space");
            atlas.forget(id).expect("forgotten");
        }
        let erased = erase(&store, "atlas");
        assert_eq!(erased.copies_erased_in, ["team"]);
        harbour.assert_clean();
        let team = store.existing_space("team").expect("a space");
        assert!(team.restore(id).is_err());
        assert_eq!(names(&store), ["team"]);
    }
}

#[test]
fn an_interrupted_erasure_completes_what_a_transfer_left_behind() {
    let harbour = Harbour::new();
    drop(moved(&harbour));
    half_erase(&harbour);
    assert!(!files_with(&harbour.root(), b"xylophone").is_empty());
    let store = harbour.store();
    harbour.assert_clean();
    assert_eq!(store.unfinished_space_erasures().expect("a list"), []);
}

#[test]
fn what_a_transfer_took_elsewhere_stays_there() {
    let harbour = Harbour::new();
    let (store, id) = moved(&harbour);
    let forgotten = store.existing_space("team").expect("a space");
    let forgotten = forgotten.remember(Draft::new("The tide turns at two").thread("tides"));
    let forgotten = forgotten.expect("told").id;
    move_to_atlas(&store, "team", "tides");
    let atlas = store.existing_space("atlas").expect("a space");
    atlas.forget(forgotten).expect("forgotten");
    let erased = erase(&store, "team");
    assert!(erased.copies_erased_in.is_empty());
    assert_eq!(atlas.read(id).expect("a memory").content, SECRET);
    atlas.restore(forgotten).expect("it is still there");
}

#[test]
fn a_live_copy_in_another_space_is_only_named() {
    let harbour = Harbour::new();
    let (store, id) = moved(&harbour);
    let team = store.existing_space("team").expect("a space");
    team.restore(id).expect("restored");
    let erased = store.erase_space("atlas").expect("erased");
    let unreached = erased.outside.unreached();
    assert_eq!(unreached.len(), 1, "{unreached:?}");
    assert!(unreached[0].reason.contains("team"), "{unreached:?}");
    assert_eq!(team.read(id).expect("a memory").content, SECRET);
}

/// Erases the space `atlas` as a process would that is killed right after the decisive step.
fn half_erase(harbour: &Harbour) -> PathBuf {
    let name: SpaceName = "atlas".parse().expect("a name");
    let folder = harbour.root().join("spaces/atlas");
    let clock = std::sync::Arc::new(SystemClock);
    let source = SpaceSource::open(&folder, &name, clock, false).expect("a space");
    let others = harbour.store().spaces().expect("a list");
    let left = source.leave_store(None, &others, || Ok::<(), StoreError>(()));
    left.expect("renamed").folder().to_owned()
}

#[test]
fn an_interrupted_erasure_is_completed_by_whoever_opens_the_store_next() {
    let all = ["memories", "journal", "space.toml", "views"];
    for lost in [&all[..0], &all[..1], &all[..2], &all[1..3], &all[..]] {
        let harbour = Harbour::new();
        let (store, id) = told(&harbour);
        store
            .add_members("atlas", &[id], "team", &MemberTerms::new())
            .expect("added");
        let backup = harbour.beside("copy");
        store.backup(&backup, Some("atlas")).expect("a backup");
        drop(store);
        let remains = half_erase(&harbour);
        for file in lost {
            anamne_store::remove_path(&remains.join(file)).expect("removed");
        }
        let store = harbour.store();
        assert_eq!(names(&store), ["team"], "{lost:?}");
        harbour.assert_clean();
        assert_eq!(store.unfinished_space_erasures().expect("a list"), []);
        assert!(!remains.exists());
        let team = store.existing_space("team").expect("a space");
        assert!(team.read(id).is_err());
    }
}

#[test]
fn a_folder_without_a_note_is_the_end_of_an_erasure() {
    let harbour = Harbour::new();
    drop(told(&harbour));
    let left = harbour.root().join("erased/atlas.1");
    fs::create_dir_all(&left).expect("a folder");
    let store = harbour.store();
    assert!(!left.exists());
    assert_eq!(store.unfinished_space_erasures().expect("a list"), []);
    assert_eq!(names(&store), ["atlas", "team"]);
}

#[test]
fn a_note_of_an_erasure_that_never_was_harms_nothing() {
    let harbour = Harbour::new();
    let (store, id) = told(&harbour);
    fs::write(harbour.root().join("spaces/atlas/erased.json"), "{").expect("written");
    drop(store);
    let store = harbour.store();
    let space = store.existing_space("atlas").expect("a space");
    assert_eq!(space.read(id).expect("a memory").content, SECRET);
    let _ = erase(&store, "atlas");
    harbour.assert_clean();
}

#[test]
fn remains_without_a_readable_note_lose_their_content_and_are_named() {
    let harbour = Harbour::new();
    drop(told(&harbour));
    let remains = half_erase(&harbour);
    fs::write(remains.join("erased.json"), "{").expect("written");
    let store = harbour.store();
    harbour.assert_clean();
    let left = store.unfinished_space_erasures().expect("a list");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].place, remains);
}

#[test]
fn it_needs_the_right_to_erase_and_to_write_the_space() {
    let harbour = Harbour::new();
    let (store, id) = told(&harbour);
    let only = |names: &[&str]| SpaceSet::only(names.iter().copied());
    let without = Scope::of(Actor::agent("editor"))
        .reading(SpaceSet::All)
        .writing(SpaceSet::All);
    let elsewhere = Scope::owner()
        .reading(SpaceSet::All)
        .writing(only(&["team"]));
    let hidden = Scope::owner()
        .reading(only(&["team"]))
        .writing(only(&["team"]));
    assert!(!without.allows(Right::Erase));
    for scope in [without, elsewhere, hidden] {
        let error = store
            .narrowed(&scope)
            .erase_space("atlas")
            .expect_err("denied");
        assert_eq!(error.kind(), ErrorKind::Denied);
    }
    let space = store.existing_space("atlas").expect("a space");
    assert_eq!(space.read(id).expect("a memory").content, SECRET);
    assert!(
        Path::new(&harbour.root())
            .join("spaces/atlas/space.toml")
            .exists()
    );
}

/// Creates a key of a tenant that names these spaces.
fn create_key(store: &Store, tenant: Option<&str>, name: &str, spaces: &[&str], admin: bool) {
    let wanted = NewKey {
        tenant: tenant.map(str::to_owned),
        spaces: Some(spaces.iter().map(|&space| space.to_owned()).collect()),
        all_spaces: false,
        admin,
        ..NewKey::named(name)
    };
    let records = store.server_records().expect("records");
    records.create_key(&wanted).expect("a key");
}

/// The key of this name.
fn key(store: &Store, name: &str) -> KeyInfo {
    let records = store.server_records().expect("records");
    let keys = records.keys(None).expect("keys").into_iter();
    let mut named = keys.filter(|key| key.name == name);
    named.next().expect("the key")
}

fn spaces_of(store: &Store, name: &str) -> Vec<String> {
    key(store, name).grant.spaces.expect("spaces")
}

#[test]
fn keys_that_name_it_lose_it_and_one_that_names_no_other_is_revoked() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    create_key(&store, None, "ada", &["atlas", "team"], false);
    create_key(&store, None, "bob", &["atlas"], false);
    create_key(&store, None, "operator", &["atlas"], true);
    create_key(&store, None, "cleo", &["team"], false);
    let records = store.server_records().expect("records");
    let all = records.create_key(&NewKey::named("dan")).expect("a key");
    let erased = erase(&store, "atlas");
    let told: Vec<_> = erased
        .keys
        .iter()
        .map(|key| (key.name.as_str(), key.revoked))
        .collect();
    assert_eq!(told, [("ada", false), ("bob", true), ("operator", false)]);
    assert_eq!(spaces_of(&store, "ada"), ["team"]);
    assert_eq!(spaces_of(&store, "cleo"), ["team"]);
    assert!(key(&store, "bob").revoked_at.is_some());
    assert!(key(&store, "operator").revoked_at.is_none());
    assert_eq!(key(&store, "bob").lost_spaces[0].space, "atlas");
    assert!(key(&store, "cleo").lost_spaces.is_empty());
    assert_eq!(key(&store, "dan").grant, all.listed.grant);
    // A key for the next space of the name is for that one.
    remember(&store, "atlas", "Another space of the name");
    create_key(&store, None, "eve", &["atlas"], false);
    assert_eq!(spaces_of(&store, "eve"), ["atlas"]);
    assert_eq!(spaces_of(&store, "ada"), ["team"]);
    let again = erase(&store, "atlas");
    assert_eq!(again.keys.len(), 1, "{again:?}");
}

#[test]
fn a_caller_who_may_not_configure_is_told_of_no_key() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    create_key(&store, None, "bob", &["atlas"], false);
    let scope = Scope::of(Actor::user())
        .reading(SpaceSet::All)
        .writing(SpaceSet::All)
        .allowing(Right::Erase);
    let erased = erase(&store.narrowed(&scope), "atlas");
    assert_eq!(erased.keys, []);
    assert!(key(&store, "bob").revoked_at.is_some());
}

#[test]
fn keys_of_a_suspended_tenant_lose_its_space_and_no_other_tenants_do() {
    let harbour = Harbour::new();
    let (server, _) = told(&harbour);
    let records = server.server_records().expect("records");
    for name in ["acme", "zenith"] {
        let quota = TenantQuota::default();
        records.create_tenant(name, &quota).expect("a tenant");
        create_key(&server, Some(name), name, &["atlas"], false);
    }
    create_key(&server, None, "own", &["atlas"], false);
    let root = records.tenant_root("acme").expect("a root");
    let store = Store::open(&root).expect("a store");
    remember(&store, "atlas", "We deploy on Fridays only");
    records.suspend_tenant("acme", true).expect("suspended");
    let erased = erase(&store, "atlas");
    assert_eq!(erased.keys.len(), 1, "{erased:?}");
    records.suspend_tenant("acme", false).expect("resumed");
    assert!(key(&server, "acme").revoked_at.is_some());
    assert_eq!(spaces_of(&server, "zenith"), ["atlas"]);
    assert_eq!(spaces_of(&server, "own"), ["atlas"]);
}

#[test]
fn keys_of_a_backup_of_the_server_lose_it_too() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    create_key(&store, None, "ada", &["atlas", "team"], false);
    let copy = harbour.beside("copy");
    assert!(store.backup_server(&copy).expect("a backup").is_whole());
    let _ = erase(&store, "atlas");
    let restored = harbour.beside("restored");
    let clock: std::sync::Arc<dyn anamne::Clock> = std::sync::Arc::new(SystemClock);
    let restore = Store::restore_server(&copy, &restored, &clock).expect("restored");
    assert_eq!(restore.keys[0].grant.spaces, Some(vec!["team".to_owned()]));
}

#[test]
fn what_can_not_be_erased_leaves_the_keys() {
    let harbour = Harbour::new();
    let (store, _) = told(&harbour);
    create_key(&store, None, "bob", &["atlas"], false);
    let space = store.existing_space("atlas").expect("it");
    let state = space.state().expect("a state");
    assert_eq!(space.state().expect("a state"), state);
    remember(&store, "atlas", "One more");
    let changed = store.erase_space_if("atlas", state);
    assert!(
        matches!(&changed, Err(Error::Store(StoreError::SpaceChanged(name))) if name == "atlas"),
        "{changed:?}"
    );
    assert_eq!(names(&store), ["atlas", "team"]);
    assert_eq!(spaces_of(&store, "bob"), ["atlas"]);

    let state = space.state().expect("a state");
    let describe = |config: &mut anamne::SpaceConfig| config.description = "Maps".to_owned();
    space.configure(describe).expect("configured");
    assert!(store.erase_space_if("atlas", state).is_err());
    let state = space.state().expect("a state");
    let read = anamne::SpaceState::read(&state.to_string());
    let erased = store.erase_space_if("atlas", read.expect("a state"));
    assert!(erased.expect("erased").outside.is_complete());
    // The next space of the name has another state, although it is as empty as one can be.
    let again = store.space("atlas").expect("a space").state();
    assert_ne!(again.expect("a state"), state);
    assert!(store.erase_space_if("atlas", state).is_err());
}
