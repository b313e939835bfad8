//! Derived data of a program is treated like the engine's own: in erasure, checks, rebuilds and backups, after damage,
//! and in processes that are killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anamne::{
    Budget, Class, Damage, Derived, DerivedFactory, DerivedSite, Effort, Error, Options, Recall,
    Seq, Space, Store,
};

/// All memories in one file: the first line is the event that it covers, the last one the number of lines.
struct Toy {
    class: Class,
    site: DerivedSite,
}

impl Toy {
    fn bring(class: Class) -> DerivedFactory {
        Arc::new(move |site: &DerivedSite| {
            let site = site.clone();
            Arc::new(Self { class, site })
        })
    }

    fn path(&self) -> PathBuf {
        self.site.folder.join(self.class.folder()).join("toy.txt")
    }
}

impl Derived<Error> for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn class(&self) -> Class {
        self.class
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path()]
    }

    fn position(&self) -> Result<Option<Seq>, Error> {
        let text = fs::read_to_string(self.path()).unwrap_or_default();
        let first = text.lines().next().and_then(|line| line.parse().ok());
        Ok(Some(Seq(first.unwrap_or(0))))
    }

    fn is_due(&self, _: Effort) -> Result<bool, Error> {
        Ok(self.position()? != Some(self.site.feed.head()?))
    }

    fn catch_up(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        if self.is_due(budget.effort)? {
            let head = self.site.feed.head()?;
            let states = self.site.feed.states_since(Seq(0), usize::MAX)?;
            let stored = states.into_iter().filter_map(|state| state.memory);
            let stored: Vec<_> = stored.map(|memory| memory.content + "\n").collect();
            let text = format!("{head}\n{}{}\n", stored.concat(), stored.len());
            let folder = self.site.folder.join(self.class.folder());
            anamne_store::create_private_folder(&folder)?;
            anamne_store::replace_file(&self.path(), text.as_bytes())?;
        }
        Ok(())
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        let text = fs::read_to_string(self.path()).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        let is_whole = lines.is_empty() || lines.last() == Some(&&*(lines.len() - 2).to_string());
        let damage = || Damage {
            part: "toy".to_owned(),
            reason: "lines are missing".to_owned(),
        };
        Ok((!is_whole).then(damage).into_iter().collect())
    }

    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.remove()
    }
}

/// Opens a space with the toy.
fn space(root: &Path, class: Class) -> Space {
    let options = Options {
        derived: vec![Toy::bring(class)],
        ..Options::new(root)
    };
    let store = Store::open_with(options).expect("a store");
    store.space("tests").expect("a space")
}

fn settle(space: &Space) {
    space.settle(&mut |_, _| {}).expect("settled");
}

fn toy(space: &Space, class: Class) -> String {
    let path = space.folder().join(class.folder()).join("toy.txt");
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn what_is_erased_leaves_it_here_and_in_a_backup() {
    for class in [Class::Log, Class::Observed, Class::Paid] {
        let (home, backup) = (tempfile::tempdir(), tempfile::tempdir());
        let (home, backup) = (home.expect("a folder"), backup.expect("a folder"));
        let space_here = space(home.path(), class);
        let gone = space_here.remember("the quellfruit is ripe").expect("told");
        space_here.remember("the lamp burns").expect("told");
        settle(&space_here);
        assert!(toy(&space_here, class).contains("quellfruit"));
        let store = Store::open(home.path()).expect("a store");
        store.backup(backup.path(), None).expect("backed up");
        let space_there = space(backup.path(), class);
        settle(&space_there);
        assert!(toy(&space_there, class).contains("quellfruit"));
        drop(space_there);

        let erased = space_here.erase(gone.id).expect("erased");
        assert!(erased.is_complete(), "{erased:?}");
        let space_there = space(backup.path(), class);
        for space in [&space_here, &space_there] {
            assert!(!toy(space, class).contains("quellfruit"), "{class:?}");
            settle(space);
            let text = toy(space, class);
            assert!(text.contains("the lamp burns") && !text.contains("quellfruit"));
        }
    }
}

#[test]
fn a_rebuild_computes_it_again_and_keeps_what_was_paid_for() {
    for (class, is_kept) in [
        (Class::Log, false),
        (Class::Paid, true),
        (Class::Observed, true),
        (Class::External, true),
    ] {
        let home = tempfile::tempdir().expect("a folder");
        let space = space(home.path(), class);
        space.remember("the lamp burns").expect("told");
        settle(&space);
        let path = space.folder().join(class.folder()).join("toy.txt");
        let marked = toy(&space, class).replace("lamp", "mark");
        fs::write(&path, &marked).expect("written");
        space.rebuild(&mut |_, _| {}).expect("rebuilt");
        assert_eq!(toy(&space, class).contains("mark"), is_kept, "{class:?}");
        assert_eq!(toy(&space, class).contains("lamp"), !is_kept, "{class:?}");
    }
}

#[test]
fn what_is_damaged_is_mended_and_keeps_nothing_else_back() {
    for class in [Class::Log, Class::Paid] {
        let home = tempfile::tempdir().expect("a folder");
        let space = space(home.path(), class);
        space.remember("the lamp burns").expect("told");
        settle(&space);
        let found = space.check_up().expect("checked");
        let well = format!("toy: covers the log up to event {}", 1);
        assert!(found.well.contains(&well), "{found:?}");
        let path = space.folder().join(class.folder()).join("toy.txt");
        fs::write(&path, "1\ndamaged\n7\n").expect("written");
        let answer = space.recall(&Recall::new("lamp")).expect("an answer");
        assert_eq!(answer.results.len(), 1);
        let found = space.check_up().expect("checked");
        let said = found.repaired.iter().find(|said| said.starts_with("toy: "));
        assert!(said.is_some() && found.problems.is_empty(), "{found:?}");
        let aside = path.with_file_name("toy.txt.damaged-1");
        assert_eq!(aside.exists(), class == Class::Paid);
        assert!(toy(&space, class).contains("lamp"));
        assert!(space.check_up().expect("checked").repaired.is_empty());
    }
}

#[test]
fn it_stands_in_the_report() {
    let home = tempfile::tempdir().expect("a folder");
    let space = space(home.path(), Class::Observed);
    space.remember("the lamp burns").expect("told");
    assert!(space.is_unsettled().expect("asked"));
    settle(&space);
    assert!(!space.is_unsettled().expect("asked"));
    let report = space.report().expect("a report");
    let state = report.views.iter().find(|view| view.name == "toy");
    let state = state.expect("the toy");
    assert_eq!((state.class, state.position), (Class::Observed, Some(1)));
    assert!(state.exists && state.bytes > 0 && state.problem.is_empty());
}

/// Set for a process that stores memories until it is killed.
const WRITER_CHILD: &str = "ANAMNE_TEST_TELLER";

#[test]
fn processes_that_are_killed_leave_it_as_the_log_says() {
    if let Some(root) = std::env::var_os(WRITER_CHILD) {
        let space = space(Path::new(&root), Class::Log);
        for number in 0.. {
            space
                .remember(format!("{} told {number}", std::process::id()))
                .expect("told");
            settle(&space);
        }
    }
    let home = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("a program");
    let name = "derived::processes_that_are_killed_leave_it_as_the_log_says";
    for pause in [40, 90, 150, 230] {
        let mut child = Command::new(&program)
            .args(["--exact", name, "--nocapture"])
            .env(WRITER_CHILD, home.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        // It has stored at least one memory.
        let before = count(home.path());
        while count(home.path()) == before {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let space = space(home.path(), Class::Log);
        let found = space.check_up().expect("checked");
        assert!(found.problems.is_empty(), "{found:?}");
        settle(&space);
        let text = toy(&space, Class::Log);
        let stored = space.report().expect("a report").statistics.memories;
        assert_eq!(text.lines().last(), Some(&*stored.to_string()));
    }
}

fn count(root: &Path) -> u64 {
    let store = Store::open(root).expect("a store");
    let space = store.space("tests").expect("a space");
    space.report().expect("a report").statistics.memories
}

/// Types and files of concrete views, which the engine must not mention outside the registry's folder.
const CONCRETE: [&str; 15] = [
    "LexicalView",
    "VectorsView",
    "ColumnsView",
    "TieredLexical",
    "TieredVectors",
    "TieredColumns",
    "LatentIndex",
    "Graph>",
    "Graph::",
    "Readings::",
    "Summaries>",
    "MetaFile",
    "VIEWS",
    "PAID",
    "\"views/",
];

#[test]
fn outside_the_registry_nothing_names_a_concrete_view() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![sources.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path != sources.join("derived") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                let named = CONCRETE.iter().filter(|name| text.contains(**name));
                found.extend(named.map(|name| format!("{}: {name}", path.display())));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
