//! A project's memories are isolated: it is found by folder and identity, never by the name that a repository gives
//! itself.

use std::fs;
use std::path::Path;

use anamne_store::{
    Clock, Project, ProjectSpace, ProjectStatus, SpaceConfig, SpaceName, StoreError, StoreFolder,
    SystemClock,
};
use jiff::Timestamp;

use crate::repositories::{Desk, commit, copy, git, has_git, init};

/// The space claimed for the project around a folder.
#[track_caller]
fn claim(desk: &Desk, folder: &Path) -> ProjectSpace {
    desk.store()
        .claim_space(&project(folder), SystemClock.now())
        .expect("a space")
}

#[track_caller]
fn project(folder: &Path) -> Project {
    Project::around(folder, &mut Vec::new()).expect("a project")
}

#[track_caller]
fn space(desk: &Desk, folder: &Path) -> String {
    let looked_up = desk
        .store()
        .space_of(&project(folder), SystemClock.now())
        .expect("a space");
    let claimed = claim(desk, folder);
    assert_eq!(looked_up.name, claimed.name, "looking and claiming agree");
    assert_eq!(claim(desk, folder).status, ProjectStatus::Known);
    claimed.name.to_string()
}

fn name(text: &str) -> SpaceName {
    text.parse().expect("a name")
}

#[test]
fn projects_whose_claude_md_begins_alike_share_nothing() {
    let desk = Desk::new();
    let spaces: Vec<_> = ["api", "web", "other/api", "third/API"]
        .iter()
        .map(|path| {
            let folder = desk.repository(path);
            fs::write(folder.join("CLAUDE.md"), "# CLAUDE.md\n\nGuidance\n").expect("written");
            space(&desk, &folder)
        })
        .collect();
    assert_eq!(spaces, ["api", "web", "api-2", "API-3"]);
}

#[test]
fn no_project_can_call_itself_by_a_reserved_name() {
    let desk = Desk::new();
    for reserved in SpaceName::RESERVED {
        let upper = reserved.to_uppercase();
        for (at, label) in [reserved, &upper].into_iter().enumerate() {
            let named = desk.repository(&format!("{at}/{reserved}/plain"));
            let card = format!("---\nproject: {label}\nname: {label}\n---\n# {label}\n");
            fs::write(named.join("CLAUDE.md"), card).expect("written");
            let called = desk.repository(&format!("{at}/folders/{label}"));
            for folder in [named, called] {
                let got = space(&desk, &folder);
                assert!(!name(&got).is_reserved(), "{reserved}: {got}");
            }
        }
    }
}

#[test]
fn front_matter_sets_label_and_description_once() {
    let desk = Desk::new();
    let folder = desk.repository("api");
    let card = "---\nproject: Gauges\ndescription: What the\u{202e} mill tells\n---\n# Other\n";
    fs::write(folder.join("CLAUDE.md"), card).expect("written");
    assert_eq!(space(&desk, &folder), "Gauges");
    fs::write(folder.join("CLAUDE.md"), "---\nproject: Else\n---\n").expect("written");
    assert_eq!(space(&desk, &folder), "Gauges");
    let path = desk.store().space(&name("Gauges")).join("space.toml");
    let config = SpaceConfig::read(&path).expect("read").expect("there");
    assert_eq!(config.description, "What the mill tells");
}

#[test]
fn looking_for_a_space_writes_nothing() {
    let desk = Desk::new();
    let folder = desk.repository("api");
    let found = desk
        .store()
        .space_of(&project(&folder), SystemClock.now())
        .expect("a space");
    assert_eq!(found.name.as_str(), "api");
    assert!(!desk.store().root().exists());
}

#[test]
fn a_folder_that_moved_keeps_its_space() {
    let desk = Desk::new();
    let folder = desk.repository_with_commit("api", "a1");
    assert_eq!(space(&desk, &folder), "api");
    let moved = desk.path("elsewhere/renamed");
    fs::create_dir_all(moved.parent().expect("a parent")).expect("a folder");
    fs::rename(&folder, &moved).expect("moved");
    let found = claim(&desk, &moved);
    assert!(
        matches!(found.status, ProjectStatus::Moved { .. }),
        "{found:?}"
    );
    assert_eq!(space(&desk, &moved), "api");
    // Moved to another disk: every file is recreated.
    let copied = desk.path("third");
    copy(&moved, &copied);
    fs::remove_dir_all(&moved).expect("removed");
    assert_eq!(space(&desk, &copied), "api");
    // Another repository at the abandoned path.
    let other = desk.repository_with_commit("third2", "b2");
    fs::rename(&other, &moved).expect("moved");
    assert_eq!(space(&desk, &moved), "renamed");
    assert_eq!(space(&desk, &copied), "api");
}

#[test]
fn a_folder_without_commits_keeps_its_space_when_it_moves_on_its_disk() {
    let desk = Desk::new();
    let folder = desk.repository("draft");
    assert_eq!(space(&desk, &folder), "draft");
    let moved = desk.path("final");
    fs::rename(&folder, &moved).expect("moved");
    assert_eq!(space(&desk, &moved), "draft");
}

#[test]
fn a_copy_has_a_space_of_its_own_until_a_person_joins_them() {
    let desk = Desk::new();
    let folder = desk.repository_with_commit("api", "a1");
    assert_eq!(space(&desk, &folder), "api");
    let clone = desk.path("other/api");
    copy(&folder, &clone);
    let found = claim(&desk, &clone);
    let ProjectStatus::New { alike, .. } = &found.status else {
        panic!("{found:?}")
    };
    assert_eq!(alike[0].space.as_str(), "api");
    assert_eq!(space(&desk, &clone), "api-2");
    assert_eq!(space(&desk, &folder), "api");
    let store = desk.store();
    for _ in 0..2 {
        store
            .join_projects(&name("api-2"), &name("api"), SystemClock.now())
            .expect("joined");
        assert_eq!(space(&desk, &clone), "api");
        assert_eq!(space(&desk, &folder), "api");
    }
}

#[test]
fn an_address_alone_does_not_claim_the_space_of_a_folder_that_is_gone() {
    let desk = Desk::new();
    let remote = "[remote \"origin\"]\n\turl = git@example.com:ada/secret.git\n";
    let folder = desk.repository_with_commit("secret", "a1");
    fs::write(folder.join(".git/config"), remote).expect("written");
    assert_eq!(space(&desk, &folder), "secret");
    fs::remove_dir_all(&folder).expect("removed");
    let hostile = desk.repository("unpacked/secret");
    fs::write(hostile.join(".git/config"), remote).expect("written");
    assert_eq!(space(&desk, &hostile), "secret-2");
}

#[test]
fn a_folder_in_which_another_repository_lies_now_has_a_space_of_its_own() {
    let desk = Desk::new();
    let folder = desk.repository_with_commit("api", "a1");
    assert_eq!(space(&desk, &folder), "api");
    fs::remove_dir_all(&folder).expect("removed");
    desk.repository_with_commit("api", "b2");
    assert_eq!(space(&desk, &folder), "api-2");
    // The first one again, as after a fresh clone.
    fs::remove_dir_all(&folder).expect("removed");
    desk.repository_with_commit("api", "a1");
    assert_eq!(space(&desk, &folder), "api");
}

#[test]
fn remotes_and_commits_that_come_later_change_nothing() {
    let desk = Desk::new();
    let folder = desk.repository("api");
    assert_eq!(space(&desk, &folder), "api");
    let remote = "[remote \"origin\"]\n\turl = https://example.com/ada/api.git\n";
    fs::write(folder.join(".git/config"), remote).expect("written");
    assert_eq!(space(&desk, &folder), "api");
    commit(&folder, "a1", None);
    assert_eq!(space(&desk, &folder), "api");
    fs::write(folder.join(".git/config"), "").expect("written");
    assert_eq!(space(&desk, &folder), "api");
    // Its identity is now its first commit.
    let recorded = &desk.store().projects().expect("projects")[0]
        .project
        .folders;
    assert!(
        recorded[0].identity.starts_with("commit:a1a1"),
        "{recorded:?}"
    );
}

#[test]
fn a_git_pointer_counts_only_if_its_target_points_back() {
    let desk = Desk::new();
    let secret = desk.repository_with_commit("secret", "a1");
    assert_eq!(space(&desk, &secret), "secret");
    let hostile = |called: &str| {
        let folder = desk.path(called);
        fs::create_dir_all(&folder).expect("a folder");
        folder
    };
    // A plain pointer.
    let plain = hostile("plain");
    let pointer = format!("gitdir: {}\n", secret.join(".git").display());
    fs::write(plain.join(".git"), &pointer).expect("written");
    assert_eq!(space(&desk, &plain), "plain");
    // A folder that claims to be a worktree.
    let worktree = hostile("worktree");
    let own = worktree.join("store");
    fs::create_dir_all(&own).expect("a folder");
    fs::write(
        own.join("commondir"),
        secret.join(".git").display().to_string(),
    )
    .expect("written");
    fs::write(
        own.join("gitdir"),
        worktree.join(".git").display().to_string(),
    )
    .expect("written");
    fs::write(worktree.join(".git"), "gitdir: store").expect("written");
    assert_eq!(space(&desk, &worktree), "worktree");
    // A pointer to itself, to nothing, and to a pointer.
    for (called, target) in [
        ("loop", ".git"),
        ("nothing", "gone"),
        ("chain", "../plain/.git"),
    ] {
        let folder = hostile(called);
        fs::write(folder.join(".git"), format!("gitdir: {target}")).expect("written");
        assert_eq!(space(&desk, &folder), called);
    }
    let huge = hostile("huge");
    fs::write(huge.join(".git"), "gitdir: x".repeat(1 << 20)).expect("written");
    assert_eq!(space(&desk, &huge), "huge");
    #[cfg(unix)]
    {
        let link = hostile("link");
        std::os::unix::fs::symlink(secret.join(".git"), link.join(".git")).expect("a link");
        assert_eq!(space(&desk, &link), "link");
    }
    assert_eq!(space(&desk, &secret), "secret");
}

#[cfg(unix)]
#[test]
fn a_claude_md_or_git_that_is_not_a_regular_file_does_not_block() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let fifo = desk.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo is there").success());
    let huge = desk.path("huge");
    fs::write(&huge, "# x\n".repeat(100_000)).expect("written");
    let folder = desk.path("folder");
    fs::create_dir(&folder).expect("a folder");
    let unfit = [
        ("a-fifo", &*fifo, "not a regular file"),
        ("a-folder", &folder, "not a regular file"),
        ("a-device", Path::new("/dev/zero"), "not a regular file"),
        ("a-huge-one", &huge, "longer than 262144 bytes"),
    ];
    for (called, target, reason) in unfit {
        let root = desk.repository(called);
        symlink(target, root.join("CLAUDE.md")).expect("a link");
        let found = claim(&desk, &root);
        assert_eq!(found.name.as_str(), called);
        assert!(
            found.notes.iter().any(|note| note.contains(reason)),
            "{found:?}"
        );
        // Already known, so the files are not read again.
        assert_eq!(claim(&desk, &root).notes, [""; 0]);
        if called == "a-folder" || called == "a-huge-one" {
            continue;
        }
        let nested = root.join("nested");
        fs::create_dir(&nested).expect("a folder");
        symlink(target, nested.join(".git")).expect("a link");
        let mut notes = Vec::new();
        let around = Project::around(&nested, &mut notes).expect("the project above");
        assert_eq!(around.root(), fs::canonicalize(&root).expect("a path"));
        assert!(
            notes[0].contains("neither a folder nor a regular file"),
            "{notes:?}"
        );
    }
    // Every other file of a repository that is read.
    for part in [
        "HEAD",
        "config",
        "packed-refs",
        "shallow",
        "objects/pack/x.idx",
        "refs/heads/main",
    ] {
        let root = desk.repository(&part.replace('/', "-"));
        let path = root.join(".git").join(part);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        let _ = fs::remove_file(&path);
        symlink(&fifo, &path).expect("a link");
        assert!(project(&root).identity().starts_with("path:"), "{part}");
    }
}

/// A space as left by an earlier version.
fn earlier_space(desk: &Desk, called: &str) {
    let folder = desk.store().space(&name(called));
    fs::create_dir_all(&folder).expect("a folder");
    SpaceConfig::new(called, Timestamp::UNIX_EPOCH)
        .write(&folder.join("space.toml"))
        .expect("written");
}

#[test]
fn a_space_of_an_earlier_version_goes_to_the_project_that_used_it_where_that_is_safe() {
    let desk = Desk::new();
    for called in ["River Watch", "web", "CLAUDE.md", "taken", "core"] {
        earlier_space(&desk, called);
    }
    let watch = desk.repository("river");
    fs::write(watch.join("CLAUDE.md"), "# River Watch\n").expect("written");
    let tells_birth = fs::metadata(watch.join(".git"))
        .expect("there")
        .created()
        .is_ok();
    let found = claim(&desk, &watch);
    if !tells_birth {
        assert_eq!(found.name.as_str(), "river");
        return;
    }
    assert_eq!(
        (found.name.as_str(), &found.status),
        ("River Watch", &ProjectStatus::Adopted)
    );
    // File timestamps lag by some milliseconds, so a folder created immediately may seem older.
    std::thread::sleep(std::time::Duration::from_millis(100));
    let web = desk.repository("web");
    // Created after projects had identities: it never used the space.
    let found = claim(&desk, &web);
    assert_eq!(found.name.as_str(), "web-2", "{found:?}");
    let generic = desk.repository("gen");
    fs::write(generic.join("CLAUDE.md"), "# CLAUDE.md\n").expect("written");
    let found = claim(&desk, &generic);
    let ProjectStatus::New { formerly, .. } = &found.status else {
        panic!("{found:?}")
    };
    assert_eq!(
        (found.name.as_str(), formerly),
        ("gen", &Some(name("CLAUDE.md")))
    );
    let store = desk.store();
    assert_eq!(
        store.shared_spaces().expect("spaces"),
        [name("CLAUDE.md"), name("web")]
    );
    for shared in ["CLAUDE.md", "web"] {
        store
            .settle_shared(&name(shared), SystemClock.now())
            .expect("settled");
    }
    assert_eq!(store.shared_spaces().expect("spaces"), []);
    assert_eq!(space(&desk, &watch), "River Watch");
}

#[test]
fn two_projects_that_used_one_space_do_not_both_get_it() {
    let desk = Desk::new();
    earlier_space(&desk, "api");
    let (one, other) = (desk.repository("a/api"), desk.repository("b/api"));
    let both = [space(&desk, &one), space(&desk, &other)];
    assert_ne!(both[0], both[1]);
    assert_eq!(desk.store().shared_spaces().expect("spaces"), [name("api")]);
}

#[test]
fn a_space_whose_settings_are_damaged_is_not_replaced_by_a_new_one() {
    let desk = Desk::new();
    let folder = desk.repository("api");
    assert_eq!(space(&desk, &folder), "api");
    let path = desk.store().space(&name("api")).join("space.toml");
    let whole = fs::read_to_string(&path).expect("read");
    for damaged in [format!("{whole}\nnonsense"), String::new()] {
        fs::write(&path, damaged).expect("written");
        let now = SystemClock.now();
        for found in [
            desk.store().space_of(&project(&folder), now),
            desk.store().claim_space(&project(&folder), now),
        ] {
            assert!(
                matches!(found, Err(StoreError::Damaged { .. })),
                "{found:?}"
            );
        }
    }
    fs::write(&path, whole).expect("written");
    assert_eq!(space(&desk, &folder), "api");
}

#[test]
fn a_damaged_project_list_does_not_block_spaces() {
    let desk = Desk::new();
    let folder = desk.repository("api");
    assert_eq!(space(&desk, &folder), "api");
    let register = desk.store().root().join("projects.toml");
    for (at, damaged) in ["", "nonsense", "format = true"].iter().enumerate() {
        fs::write(&register, damaged).expect("written");
        assert_eq!(space(&desk, &folder), "api");
        let called = format!("after-{at}");
        assert_eq!(space(&desk, &desk.repository(&called)), called);
    }
    fs::write(&register, "format = 99\nsince = \"2026-01-01T00:00:00Z\"\n").expect("written");
    let newer = desk
        .store()
        .space_of(&project(&desk.repository("new")), SystemClock.now());
    assert!(matches!(newer, Err(StoreError::Newer { .. })), "{newer:?}");
}

#[test]
fn concurrent_projects_get_separate_spaces() {
    let desk = Desk::new();
    let folders: Vec<_> = (0..4)
        .map(|at| desk.repository(&format!("{at}/api")))
        .collect();
    let claimed: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = folders
            .iter()
            .chain(&folders)
            .map(|folder| scope.spawn(|| claim(&desk, folder).name))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a name"))
            .collect()
    });
    assert_eq!(claimed[..4], claimed[4..]);
    let mut names = claimed[..4].to_vec();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "{claimed:?}");
}

#[test]
fn worktrees_are_one_folder_and_clones_are_not() {
    if !has_git() {
        return;
    }
    let desk = Desk::new();
    let main = desk.path("api");
    init(&main);
    git(
        &main,
        &["remote", "add", "origin", "git@example.com:ada/api.git"],
    );
    assert_eq!(space(&desk, &main), "api");
    git(
        &main,
        &["worktree", "add", "-q", "../feature", "-b", "feature"],
    );
    let worktree = desk.path("feature");
    assert_eq!(space(&desk, &worktree), "api");
    git(desk.root(), &["clone", "-q", "--bare", "api", "bare.git"]);
    git(&desk.path("bare.git"), &["worktree", "add", "-q", "../b1"]);
    git(&desk.path("bare.git"), &["worktree", "add", "-q", "../b2"]);
    assert_eq!(space(&desk, &desk.path("b1")), "bare");
    assert_eq!(space(&desk, &desk.path("b2")), "bare");
    git(desk.root(), &["clone", "-q", "api", "clone"]);
    assert_eq!(space(&desk, &desk.path("clone")), "clone");
    // A worktree whose repository was moved points to nothing that points back.
    fs::rename(&main, desk.path("moved")).expect("moved");
    assert_eq!(space(&desk, &desk.path("moved")), "api");
    assert_eq!(space(&desk, &worktree), "feature");
}

#[test]
fn a_submodule_is_a_project_of_its_own() {
    if !has_git() {
        return;
    }
    let desk = Desk::new();
    for called in ["library", "app"] {
        init(&desk.path(called));
    }
    let app = desk.path("app");
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        "../library",
        "lib",
    ];
    git(&app, &add);
    assert_eq!(space(&desk, &app), "app");
    assert_eq!(space(&desk, &app.join("lib")), "lib");
    let library = project(&desk.path("library")).identity();
    assert_eq!(project(&app.join("lib")).identity(), library);
}

#[test]
fn the_first_commit_is_what_git_says_it_is() {
    if !has_git() {
        return;
    }
    let desk = Desk::new();
    for format in ["sha1", "sha256"] {
        let folder = desk.path(format);
        fs::create_dir(&folder).expect("a folder");
        git(
            &folder,
            &["init", "-q", "--object-format", format, "-b", "main"],
        );
        for number in 0..40 {
            let message = format!("commit {number}\n\n{}", "the same words ".repeat(40));
            git(&folder, &["commit", "-q", "--allow-empty", "-m", &message]);
        }
        let roots = git(&folder, &["rev-list", "--max-parents=0", "HEAD"]);
        let expected = format!("commit:{}", roots.trim());
        assert_eq!(project(&folder).identity(), expected, "{format}, loose");
        git(&folder, &["repack", "-qadf", "--depth=50"]);
        git(&folder, &["pack-refs", "--all"]);
        assert_eq!(project(&folder).identity(), expected, "{format}, packed");
        git(&folder, &["checkout", "-q", "--detach"]);
        assert_eq!(project(&folder).identity(), expected, "{format}, detached");
    }
    let url = format!("file://{}", desk.path("sha1").display());
    git(desk.root(), &["clone", "-q", "--depth=2", &url, "shallow"]);
    let shallow = project(&desk.path("shallow")).identity();
    assert!(shallow.starts_with("remote:/"), "{shallow}");
}

#[test]
fn a_repository_whose_files_are_torn_is_read_without_harm() {
    if !has_git() {
        return;
    }
    let desk = Desk::new();
    let folder = desk.path("torn");
    init(&folder);
    for number in 0..12 {
        let message = format!("commit {number}\n\n{}", "the same words ".repeat(40));
        git(&folder, &["commit", "-q", "--allow-empty", "-m", &message]);
    }
    git(&folder, &["repack", "-qadf", "--depth=50"]);
    let whole = project(&folder).identity();
    for path in fs::read_dir(folder.join(".git/objects/pack")).expect("packs") {
        let path = path.expect("an entry").path();
        let content = fs::read(&path).expect("read");
        fs::remove_file(&path).expect("removed");
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..120 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut torn = content.clone();
            let at = usize::try_from(random >> 33).expect("a number") % torn.len();
            torn[at] ^= u8::try_from(random >> 56).expect("a byte") | 1;
            if random.is_multiple_of(7) {
                torn.truncate(at);
            }
            fs::write(&path, &torn).expect("written");
            let identity = project(&folder).identity();
            assert!(identity.contains(':'), "{identity}");
        }
        fs::write(&path, content).expect("written");
    }
    assert_eq!(project(&folder).identity(), whole);
}

#[test]
fn settings_of_an_earlier_version_are_read_and_written_without_a_project() {
    let desk = Desk::new();
    earlier_space(&desk, "plain");
    let path = desk.store().space(&name("plain")).join("space.toml");
    let text = fs::read_to_string(&path).expect("read");
    assert!(!text.contains("project"), "{text}");
    let _: StoreFolder = desk.store();
}
