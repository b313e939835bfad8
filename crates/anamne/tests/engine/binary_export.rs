//! An export file restores an equal space, claims nothing for itself, and leaves nothing behind if it is refused.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anamne::{
    Actor, Assertion, BinaryImport, BinaryImportReport, Denied, Draft, Edit, EntityType, Error,
    ErrorKind, ExportExtra, Filter, ImportOptions, Link, LinkType, LogEntry, LogQuery, Memory,
    NextStep, Options, Order, Recall, Right, Scope, Space, SpaceConfig, SpaceSet, Store,
    StoreError, StoreQuota, StoreUsage, ToldEntity, Visibility,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::{files_under, files_with, link};

fn store(folder: &Path) -> Store {
    Store::open_with(Options::new(folder).background(false)).expect("a store")
}

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn store(&self, name: &str) -> Store {
        store(&self.0.path().join(name))
    }

    fn file(&self) -> std::path::PathBuf {
        self.0.path().join("memories.anamne")
    }

    fn export(&self, store: &Store, space: Option<&str>) -> Vec<u8> {
        let exported = store
            .export_binary(&self.file(), space, &[])
            .expect("exported");
        let bytes = fs::read(self.file()).expect("a file");
        assert_eq!(exported.bytes, bytes.len() as u64);
        bytes
    }
}

fn trusted() -> BinaryImport {
    BinaryImport {
        options: ImportOptions::default().trusted(),
        ..BinaryImport::default()
    }
}

fn import(store: &Store, bytes: &[u8], how: &BinaryImport) -> Result<BinaryImportReport, Error> {
    store.import_binary(Path::new("file"), bytes, how)
}

/// Everything that must be equal.
#[derive(Debug, PartialEq)]
struct Content {
    memories: Vec<Memory>,
    links: Vec<Link>,
    log: Vec<LogEntry>,
    versions: Vec<String>,
    config: SpaceConfig,
}

fn content(space: &Space) -> Content {
    let ids = space
        .select(&Filter::default(), Visibility::Both, Order::OldestFirst)
        .expect("ids");
    let versions = ids
        .iter()
        .map(|id| format!("{:?}", space.history(*id).expect("versions")));
    Content {
        memories: space.get_each(&ids).expect("memories"),
        links: space.all_links().expect("links"),
        log: space
            .log(&LogQuery {
                limit: 1_000,
                ..LogQuery::default()
            })
            .expect("a log"),
        versions: versions.collect(),
        config: (*space.config()).clone(),
    }
}

/// A space with every kind of event, told by several actors.
fn lived_in(store: &Store) -> Space {
    let space = store.space("recipes").expect("a space");
    let ids: Vec<_> = (0..6)
        .map(|number| {
            let draft = Draft {
                importance: Some(4 + number),
                ..Draft::new(format!("Recipe {number}: fold the flour into the eggs"))
            };
            space
                .remember(draft.thread("cakes").tag("sweet"))
                .expect("told")
                .id
        })
        .collect();
    let agent = space.acting_as(Actor::agent("editor")).expect("an agent");
    agent.remember("The oven runs hot").expect("told");
    let edit = Edit {
        content: Some("Recipe 1: whisk first".into()),
        ..Edit::default()
    };
    space.edit(ids[1], &edit).expect("edited");
    space.forget(ids[2]).expect("forgotten");
    space.forget(ids[3]).expect("forgotten");
    space.restore(ids[3]).expect("restored");
    space
        .link(&link(ids[4], ids[0], "same dough"))
        .expect("linked");
    space
        .link(&link(ids[5], ids[0], "same oven"))
        .expect("linked");
    space
        .unlink(ids[5], ids[0], LinkType::Supports)
        .expect("unlinked");
    assert!(space.erase(ids[5]).expect("erased").is_complete());
    let assertion = Assertion::Entity(ToldEntity {
        name: "Mara Lind".into(),
        entity_type: EntityType::Person,
        ..ToldEntity::default()
    });
    space.assert(&assertion, None).expect("asserted");
    space
        .configure(|config| {
            config.description = "what we bake".into();
            config.recall.recency_days = 12.0;
        })
        .expect("configured");
    space
}

#[test]
fn an_equal_space_comes_back_with_its_history() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = lived_in(&source);
    let bytes = bench.export(&source, Some("recipes"));
    assert!(!contains(&bytes, b"flour"), "compressed");
    let target = bench.store("target");
    let report = import(&target, &bytes, &trusted()).expect("imported");
    assert_eq!((report.spaces.len(), report.spaces[0].known), (1, false));
    let copy = target.existing_space("recipes").expect("a space");
    assert_eq!(content(&copy), content(&space));
    assert_eq!(report.spaces[0].memories, 6);
    let problems = copy.verify_journal().expect("a report").problems;
    assert_eq!(problems, Vec::<String>::new());
    for found in target.verify(None).expect("verified") {
        assert_eq!(found.examination.findings, [], "{}", found.space);
    }
    // It works as the original does.
    let answer = copy.recall(&Recall::new("hot oven")).expect("an answer");
    assert!(answer.results[0].memory.content.contains("runs hot"));
    copy.remember("A new one").expect("told");
    let names: Vec<_> = files_under(&bench.0.path().join("target"))
        .into_iter()
        .filter(|path| path.display().to_string().contains(".tmp-"))
        .collect();
    assert_eq!(names, Vec::<std::path::PathBuf>::new());
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

#[test]
fn a_second_import_changes_nothing_and_another_history_is_not_merged() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = lived_in(&source);
    let bytes = bench.export(&source, None);
    let target = bench.store("target");
    import(&target, &bytes, &trusted()).expect("imported");
    let copy = target.existing_space("recipes").expect("a space");
    copy.remember("Told after the import").expect("told");
    let before = content(&copy);
    let again = import(&target, &bytes, &trusted()).expect("known already");
    assert!(again.spaces[0].known);
    assert_eq!(
        content(&target.existing_space("recipes").expect("a space")),
        before
    );

    // A longer history of the same space is not merged either.
    space.remember("Told after the export").expect("told");
    let longer = bench.export(&source, None);
    let refused = import(&target, &longer, &trusted()).expect_err("refused");
    assert!(matches!(&refused, Error::Store(StoreError::NotEmptySpace(name)) if name == "recipes"));
    assert_eq!(refused.next_step(), Some(NextStep::ImportAsAnother));
    let untrusted = import(&target, &longer, &BinaryImport::default()).expect_err("refused");
    assert_eq!(untrusted.kind(), ErrorKind::Refused);
    assert_eq!(
        content(&target.existing_space("recipes").expect("a space")),
        before
    );

    let other = BinaryImport {
        into: Some("recipes-2".into()),
        ..trusted()
    };
    import(&target, &longer, &other).expect("imported");
    let copy = content(&target.existing_space("recipes-2").expect("a space"));
    let original = content(&space);
    let renamed = |memories: &[Memory]| -> Vec<Memory> {
        let named = memories.iter().cloned();
        named
            .map(|memory| Memory {
                space: String::new(),
                ..memory
            })
            .collect()
    };
    assert_eq!(renamed(&copy.memories), renamed(&original.memories));
    assert_eq!((copy.links, copy.log), (original.links, original.log));
    assert_eq!(copy.config.name, "recipes-2");
}

#[test]
fn an_empty_space_takes_the_content_also_while_it_is_open() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = lived_in(&source);
    let bytes = bench.export(&source, None);
    let target = bench.store("target");
    let open = target.space("recipes").expect("an empty space");
    assert!(
        open.recall(&Recall::new("oven"))
            .expect("an answer")
            .results
            .is_empty()
    );
    // As another process sees it.
    let elsewhere = bench
        .store("target")
        .existing_space("recipes")
        .expect("a space");
    assert!(
        elsewhere
            .recall(&Recall::new("oven"))
            .expect("an answer")
            .results
            .is_empty()
    );
    import(&target, &bytes, &trusted()).expect("imported");
    for handle in [&open, &elsewhere] {
        assert_eq!(content(handle).memories, content(&space).memories);
        let answer = handle.recall(&Recall::new("hot oven")).expect("an answer");
        assert!(!answer.results.is_empty());
    }
    elsewhere
        .remember("Written by the other one")
        .expect("told");
    open.remember("And by this one").expect("told");
    assert_eq!(
        target
            .existing_space("recipes")
            .expect("a space")
            .report()
            .expect("a report")
            .statistics
            .memories,
        8
    );
}

#[test]
fn an_import_interrupted_after_the_journal_is_completed_by_whoever_opens_the_space() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = lived_in(&source);
    let bytes = bench.export(&source, None);
    import(&bench.store("whole"), &bytes, &trusted()).expect("imported");
    // The settings and the journal are in place; the database is still the empty one.
    drop(
        bench
            .store("half")
            .space("recipes")
            .expect("an empty space"),
    );
    let [whole, half] =
        ["whole", "half"].map(|name| bench.0.path().join(name).join("spaces/recipes"));
    fs::copy(whole.join("space.toml"), half.join("space.toml")).expect("copied");
    fs::create_dir_all(half.join("journal")).expect("a folder");
    for segment in files_under(&whole.join("journal")) {
        let name = segment.file_name().expect("a name");
        fs::copy(&segment, half.join("journal").join(name)).expect("copied");
    }
    let completed = bench
        .store("half")
        .existing_space("recipes")
        .expect("a space");
    assert_eq!(content(&completed), content(&space));
    let again = import(&bench.store("half"), &bytes, &trusted()).expect("known already");
    assert!(again.spaces[0].known);
}

#[test]
fn a_project_folder_stays_with_the_space_that_has_it() {
    let bench = Bench::new();
    let source = bench.store("source");
    lived_in(&source);
    let folders = |store: &Store, space: &str| {
        let config = store.existing_space(space).expect("a space").config();
        let folders = config
            .project
            .folders
            .iter()
            .map(|folder| folder.path.clone());
        folders.collect::<Vec<_>>()
    };
    let bind = |store: &Store, space: &str, path: &str| {
        let folder = anamne::ProjectFolder {
            path: path.into(),
            identity: format!("path:{path}"),
            remote: None,
            stamp: None,
        };
        let space = store.space(space).expect("a space");
        space
            .configure(|config| {
                config.project.folders.push(folder);
                config.backup.folder = "/mnt/disk".into();
            })
            .expect("bound");
    };
    bind(&source, "recipes", "/home/ada/api");
    bind(&source, "recipes", "/home/ada/docs");
    let bytes = bench.export(&source, None);
    let target = bench.store("target");
    bind(&target, "mine", "/home/ada/docs");
    let report = import(&target, &bytes, &trusted()).expect("imported");
    assert_eq!(
        report.spaces[0].backups_to.as_deref(),
        Some(Path::new("/mnt/disk"))
    );
    assert_eq!(folders(&target, "recipes"), ["/home/ada/api"]);
    let copy = BinaryImport {
        into: Some("copy".into()),
        ..trusted()
    };
    let report = import(&target, &bytes, &copy).expect("imported");
    assert_eq!(report.spaces[0].backups_to, None);
    assert_eq!(folders(&target, "copy"), [""; 0]);
}

#[test]
fn an_import_stays_within_the_quota_of_the_store() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = source.space("recipes").expect("a space");
    for number in 0..6 {
        space.remember(format!("recipe {number}")).expect("told");
    }
    let bytes = bench.export(&source, None);
    let root = bench.store("target").root().to_owned();
    let quota = Arc::new(StoreQuota::new(&root, 8, 0));
    let target = Store::open_with(Options {
        quota: Some(quota.clone()),
        ..Options::new(&root).background(false)
    });
    let target = target.expect("a store");
    let mine = target.space("mine").expect("a space");
    for number in 0..3 {
        mine.remember(format!("note {number}")).expect("told");
    }
    let used = StoreUsage::of_store(&root).expect("measured").bytes;
    for (memories, most_bytes) in [(8, 0), (0, used + 100), (0, 1)] {
        quota.set(memories, most_bytes);
        for how in [trusted(), BinaryImport::default()] {
            import(&target, &bytes, &how).expect_err("too much");
            assert_eq!(target.spaces().expect("spaces").len(), 1);
        }
    }
    quota.set(9, used + (10 << 20));
    import(&target, &bytes, &trusted()).expect("it fits");
    // It adds nothing any more.
    import(&target, &bytes, &trusted()).expect("known");
    mine.remember("one more").expect_err("the quota is used up");
}

#[test]
fn all_spaces_in_scope_come_back_or_the_chosen_one() {
    let bench = Bench::new();
    let source = bench.store("source");
    lived_in(&source);
    source
        .space("Zimt & Zucker")
        .expect("a space")
        .remember("cinnamon")
        .expect("told");
    source.space("empty").expect("a space");
    let bytes = bench.export(&source, None);
    let target = bench.store("target");
    let report = import(&target, &bytes, &trusted()).expect("imported");
    assert_eq!(report.spaces.len(), 3);
    assert_eq!(
        target.spaces().expect("spaces"),
        source.spaces().expect("spaces")
    );
    for name in source.spaces().expect("spaces") {
        let pair = [&source, &target]
            .map(|store| content(&store.existing_space(name.as_str()).expect("a space")));
        assert_eq!(pair[0], pair[1], "{name}");
    }
    let one = bench.store("one");
    let choice = BinaryImport {
        space: Some("Zimt & Zucker".into()),
        into: Some("spices".into()),
        ..trusted()
    };
    import(&one, &bytes, &choice).expect("imported");
    assert_eq!(one.spaces().expect("spaces").len(), 1);
    for wrong in [
        BinaryImport {
            space: Some("salt".into()),
            ..trusted()
        },
        BinaryImport {
            into: Some("both".into()),
            ..trusted()
        },
    ] {
        let refused = import(&bench.store("none"), &bytes, &wrong).expect_err("refused");
        assert!(refused.refusal().is_some(), "{refused}");
    }
    assert!(bench.store("none").spaces().expect("spaces").is_empty());
    // A caller exports what it may read.
    let scope = Scope::of(Actor::agent("editor")).reading(SpaceSet::only(["empty", "recipes"]));
    let narrow = source.narrowed(&scope);
    let part = narrow
        .export_binary(&bench.file(), None, &[])
        .expect("exported");
    assert_eq!(part.spaces.len(), 2);
}

#[test]
fn a_file_that_is_not_trusted_claims_no_authority() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = lived_in(&source);
    space
        .configure(|config| {
            config.guard.private = true;
            config
                .guard
                .actions
                .set("secret", Some(anamne::guard::Action::Off));
            config.backup.folder = bench.0.path().join("elsewhere");
        })
        .expect("configured");
    space
        .remember("The key is AKIAQ3EGRI2KHT5BN7SA and nothing else")
        .expect("told");
    let bytes = bench.export(&source, None);
    let target = bench.store("target");
    let report = import(&target, &bytes, &BinaryImport::default()).expect("imported");
    let lowered = report.spaces[0].import.as_ref().expect("a report");
    assert_eq!(lowered.imported, 8, "forgotten ones too: {lowered:?}");
    assert!(
        lowered.unproven.trust > 0
            && lowered.unproven.metadata > 0
            && lowered.unproven.importance > 0
    );
    let copy = target.existing_space("recipes").expect("a space");
    let there = content(&copy);
    assert!(
        there
            .memories
            .iter()
            .all(|memory| memory.trust <= 0.9 && memory.importance <= 5)
    );
    assert!(
        there
            .memories
            .iter()
            .all(|memory| !memory.metadata.contains_key(Assertion::KEY))
    );
    assert!(
        there
            .log
            .iter()
            .all(|entry| entry.event.actor.name != "editor")
    );
    assert_eq!(there.links.len(), 1);
    assert!(!there.config.backup.is_on() && !there.config.guard.private);
    let ids = |content: &Content| {
        content
            .memories
            .iter()
            .map(|memory| memory.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&there), ids(&content(&space)));
    drop(copy);
    let folder = bench.0.path().join("target");
    assert_eq!(
        files_with(&folder, b"AKIAQ3EGRI2KHT5BN7SA"),
        Vec::<std::path::PathBuf>::new(),
        "guarded"
    );

    // Trusting it needs the rights to vouch and to configure.
    let all = Scope::of(Actor::agent("editor"))
        .reading(SpaceSet::All)
        .writing(SpaceSet::All);
    let narrow = bench.store("third").narrowed(&all);
    let denied = import(&narrow, &bytes, &trusted()).expect_err("denied");
    assert!(matches!(denied, Error::Denied(Denied::Right(Right::Trust))));
    let denied = import(
        &bench
            .store("third")
            .narrowed(&Scope::of(Actor::agent("editor")).reading(SpaceSet::All)),
        &bytes,
        &BinaryImport::default(),
    )
    .expect_err("denied");
    assert!(
        matches!(denied, Error::Denied(Denied::Write(_))),
        "{denied}"
    );
    import(&narrow, &bytes, &BinaryImport::default()).expect("imported");
    let agent = content(&narrow.existing_space("recipes").expect("a space"));
    assert!(agent.memories.iter().all(|memory| memory.trust <= 0.8));
}

#[test]
fn what_was_erased_is_in_no_file() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = lived_in(&source);
    let gone = space.remember("xyzzy plugh is erased").expect("told").id;
    let kept = space.remember("xyzzy grue is forgotten").expect("told").id;
    space.forget(kept).expect("forgotten");
    assert!(space.erase(gone).expect("erased").is_complete());
    let bytes = bench.export(&source, None);
    let target = bench.store("target");
    import(&target, &bytes, &trusted()).expect("imported");
    let copy = target.existing_space("recipes").expect("a space");
    assert!(copy.get(gone).is_err());
    assert!(copy.get(kept).expect("a memory").deleted_at.is_some());
    assert_eq!(content(&copy), content(&space));
    let with = |needle| {
        files_with(
            &bench.0.path().join("target/spaces/recipes/journal"),
            needle,
        )
        .len()
    };
    assert_eq!((with(b"plugh"), with(b"grue")), (0, 1));
}

#[test]
fn paid_and_observed_data_come_along_if_asked_for() {
    let bench = Bench::new();
    let source = bench.store("source");
    let space = lived_in(&source);
    space.recall(&Recall::new("hot oven")).expect("an answer");
    let logged = space.query_log(10).expect("a log").len();
    assert!(logged > 0);
    let extras = [ExportExtra::Observed, ExportExtra::Paid];
    let exported = source
        .export_binary(&bench.file(), None, &extras)
        .expect("exported");
    assert_eq!(exported.extras, [ExportExtra::Paid, ExportExtra::Observed]);
    let bytes = fs::read(bench.file()).expect("a file");
    let target = bench.store("target");
    import(&target, &bytes, &trusted()).expect("imported");
    let copy = target.existing_space("recipes").expect("a space");
    assert_eq!(copy.query_log(10).expect("a log").len(), logged);
    let lowered = bench.store("lowered");
    import(&lowered, &bytes, &BinaryImport::default()).expect("imported");
    let copy = lowered.existing_space("recipes").expect("a space");
    assert!(copy.query_log(10).expect("a log").is_empty());
}

#[test]
fn a_damaged_or_forged_file_leaves_nothing_behind() {
    let bench = Bench::new();
    let source = bench.store("source");
    lived_in(&source);
    let bytes = bench.export(&source, None);
    let target = bench.0.path().join("target");
    let check = |bytes: &[u8], said: &str| {
        let refused = import(&store(&target), bytes, &trusted()).expect_err(said);
        assert!(refused.to_string().contains(said), "{refused}, not {said}");
        assert_eq!(store(&target).spaces().expect("spaces"), []);
        let left: Vec<_> = files_under(&target)
            .into_iter()
            .filter(|path| !path.ends_with("import.lock"))
            .collect();
        assert_eq!(left, Vec::<std::path::PathBuf>::new());
    };
    check(b"", "cut off");
    check(
        b"{\"text\": \"a line\"}\n and more of it",
        "doesn't begin like one",
    );
    for part in 1..20 {
        check(&bytes[..bytes.len() * part / 20], "cut off");
    }
    for place in (40..bytes.len()).step_by(bytes.len() / 23) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 0x10;
        check(&flipped, "file");
    }
    let mut newer = bytes.clone();
    newer[8] = 9;
    let refused = import(&store(&target), &newer, &trusted()).expect_err("newer");
    assert_eq!(
        (refused.kind(), refused.next_step()),
        (ErrorKind::NewerFormat, Some(NextStep::InstallNewer))
    );
    check(
        &[bytes.as_slice(), b"more"].concat(),
        "goes on after its end",
    );
}

#[test]
fn the_file_replaces_only_a_regular_file_and_is_private() {
    let bench = Bench::new();
    let source = bench.store("source");
    lived_in(&source);
    bench.export(&source, None);
    bench.export(&source, None);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(bench.file())
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let link = bench.0.path().join("link");
        std::os::unix::fs::symlink(bench.file(), &link).expect("a link");
        let refused = source.export_binary(&link, None, &[]).expect_err("refused");
        assert!(refused.refusal().is_some());
    }
    let refused = source
        .export_binary(bench.0.path(), None, &[])
        .expect_err("a folder");
    assert!(refused.refusal().is_some());
    assert!(
        source
            .export_binary(&bench.0.path().join("no/such/folder"), None, &[])
            .is_err()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happened_in_a_space_comes_back_equal(
        texts in vec("(?s).{1,60}", 1..8),
        steps in vec((0u8..6, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..24),
    ) {
        let bench = Bench::new();
        let source = bench.store("source");
        let space = source.space("tests").expect("a space");
        let mut ids = Vec::new();
        for text in texts.iter().filter(|text| !text.trim().is_empty()) {
            ids.push(space.remember(text.as_str()).expect("told").id);
        }
        for (step, one, other) in steps.iter().filter(|_| !ids.is_empty()) {
            let (one, other) = (*one.get(&ids), *other.get(&ids));
            // A step that the memory's state doesn't allow changes nothing.
            let _ = match step {
                0 => space.forget(one).map(drop),
                1 => space.restore(one).map(drop),
                2 => space.edit(one, &Edit { importance: Some(9), ..Edit::default() }).map(drop),
                3 => space.link(&link(one, other, "why")).map(drop),
                4 => space.unlink(one, other, LinkType::Supports).map(drop),
                _ => space.erase(one).map(drop),
            };
        }
        let bytes = bench.export(&source, None);
        let target = bench.store("target");
        import(&target, &bytes, &trusted()).expect("imported");
        let copy = target.existing_space("tests").expect("a space");
        prop_assert_eq!(content(&copy), content(&space));
        let found = target.verify(None).expect("verified");
        prop_assert!(found.iter().all(|one| one.examination.findings.is_empty()));
    }
}
