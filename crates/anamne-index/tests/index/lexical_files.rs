//! The lexical view's files: damage never causes a wrong answer, and folding repairs it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anamne_index::lexical::{LexicalHit, LexicalView};
use anamne_store::view::{Change, ChangeFeed, Fold, Health, View, ViewError};
use anamne_types::Seq;

use crate::lexical_twin::{Log, query};

/// A log whose index has several segments, one with deletions.
fn folded(folder: &Path) -> (Log, LexicalView) {
    let view = LexicalView::open(folder.to_owned());
    let mut log = Log::default();
    for row in 0..40 {
        log.write(
            row,
            &format!("copper lantern number{row} and barley"),
            "Ada Weber",
        );
    }
    log.fold(&view);
    for row in [3, 50] {
        log.write(row, "copper violin", "");
    }
    log.forget(4);
    log.fold(&view);
    (log, view)
}

fn answers(view: &LexicalView) -> Result<Vec<LexicalHit>, ViewError> {
    let hits = |text| view.search(&query(text), 20, None);
    Ok([hits("copper violin weber")?, hits("number7 lantern")?].concat())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a new folder");
    for file in files(from) {
        fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("copies");
    }
}

/// Opens a damaged copy: it must be broken or answer as before, and be whole after a fold.
fn check(
    log: &Log,
    whole: &Path,
    right: &[LexicalHit],
    case: &str,
    damage: impl FnOnce(&Path),
) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let damaged = folder.path().join("lexical");
    copy(whole, &damaged);
    damage(&damaged);
    let view = LexicalView::open(damaged);
    let is_broken = view.health() != Health::Whole;
    if is_broken {
        assert!(view.search(&query("copper"), 1, None).is_err(), "{case}");
        assert!(matches!(log.fold(&view), Fold::Published(_)), "{case}");
    }
    assert_eq!(
        (view.health(), view.verify()),
        (Health::Whole, Health::Whole),
        "{case}"
    );
    assert_eq!(answers(&view).expect(case), right, "{case}");
    is_broken
}

#[test]
fn a_flipped_bit_anywhere_breaks_the_view_or_changes_nothing_and_a_fold_heals() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, view) = folded(&folder.path().join("lexical"));
    let right = answers(&view).expect("whole");
    let mut broken = 0;
    for file in files(view.folder()) {
        let length = fs::metadata(&file).expect("there").len() as usize;
        let places = (0..length)
            .step_by((length / 6).max(1))
            .chain(length.checked_sub(1));
        for place in places {
            let case = format!("byte {place} of {}", file.display());
            broken += usize::from(check(&log, view.folder(), &right, &case, |damaged| {
                let path = damaged.join(file.file_name().expect("a name"));
                let mut bytes = fs::read(&path).expect("there");
                bytes[place] ^= 1 << (place % 8);
                fs::write(&path, bytes).expect("written");
            }));
        }
    }
    assert!(broken > 30, "only {broken} cases were noticed");
}

#[test]
fn a_truncated_or_missing_file_breaks_the_view_or_changes_nothing_and_a_fold_heals() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, view) = folded(&folder.path().join("lexical"));
    let right = answers(&view).expect("whole");
    for file in files(view.folder()) {
        let bytes = fs::read(&file).expect("there");
        for kept in [0, bytes.len() / 2, bytes.len().saturating_sub(1)] {
            let case = format!("{kept} bytes of {}", file.display());
            check(&log, view.folder(), &right, &case, |damaged| {
                fs::write(
                    damaged.join(file.file_name().expect("a name")),
                    &bytes[..kept],
                )
                .expect("written");
            });
        }
        let case = format!("without {}", file.display());
        check(&log, view.folder(), &right, &case, |damaged| {
            fs::remove_file(damaged.join(file.file_name().expect("a name"))).expect("removed");
        });
    }
}

#[test]
fn damage_that_comes_later_is_found_by_verifying_and_is_not_merged_into_new_segments() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut log, view) = folded(&folder.path().join("lexical"));
    let postings = files(view.folder())
        .into_iter()
        .find(|file| file.extension().is_some_and(|ending| ending == "idx"));
    let damage = || {
        let path = postings.clone().expect("postings");
        let mut bytes = fs::read(&path).expect("there");
        bytes[0] ^= 1;
        fs::remove_file(&path).expect("removed");
        fs::write(&path, bytes).expect("written");
    };
    damage();
    log.write(60, "copper", "");
    assert!(matches!(log.fold(&view), Fold::Published(_)));
    assert_eq!(view.verify(), Health::Whole);
    assert_eq!(
        view.search(&query("copper"), 99, None)
            .expect("whole")
            .len(),
        41
    );
    assert!(folder.path().join("lexical.damaged").is_dir());

    let postings = files(view.folder())
        .into_iter()
        .find(|file| file.extension().is_some_and(|ending| ending == "idx"));
    fs::write(postings.expect("postings"), b"no postings at all").expect("written");
    assert!(matches!(view.verify(), Health::Broken(_)));
    assert!(view.search(&query("copper"), 99, None).is_err());
    assert!(matches!(log.fold(&view), Fold::Published(_)));
    assert_eq!(
        view.search(&query("copper"), 99, None)
            .expect("whole")
            .len(),
        41
    );
}

#[test]
fn a_deleted_folder_heals_and_open_views_keep_working() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, open) = folded(&folder.path().join("lexical"));
    let right = answers(&open).expect("whole");
    fs::remove_dir_all(open.folder()).expect("removed");
    open.refresh();
    assert_eq!(answers(&open).expect("whole"), right);
    let new = LexicalView::open(open.folder().to_owned());
    assert_eq!((new.health(), new.position()), (Health::Whole, Seq(0)));
    assert!(matches!(log.fold(&new), Fold::Published(_)));
    open.refresh();
    for view in [&open, &new] {
        assert_eq!(
            (view.watermark(), answers(view).expect("whole")),
            (Seq(log.head), right.clone())
        );
    }
    fs::remove_dir_all(open.folder()).expect("removed");
    assert!(matches!(open.verify(), Health::Broken(_)));
    assert!(matches!(log.fold(&open), Fold::Published(_)));
    assert_eq!(answers(&open).expect("whole"), right);
}

#[test]
fn a_view_reads_nothing_before_its_first_use() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, written) = folded(&folder.path().join("lexical"));
    let open = || LexicalView::open(written.folder().to_owned());
    let (unused, used) = (open(), open());
    assert_eq!(used.watermark(), Seq(log.head));
    fs::remove_dir_all(written.folder()).expect("removed");
    assert_eq!(unused.watermark(), Seq(0));
    assert_eq!(used.watermark(), Seq(log.head));
}

/// A log that becomes unreadable after its first batch.
struct FailingFeed<'a>(&'a Log);

impl ChangeFeed for FailingFeed<'_> {
    fn head(&self) -> Result<Seq, ViewError> {
        self.0.head()
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        if after > Seq(0) {
            Err(ViewError::Feed("the disk is gone".into()))
        } else {
            self.0.since(after, limit)
        }
    }
}

#[test]
fn a_fold_that_fails_half_way_leaves_the_view_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("lexical"));
    let mut log = Log::default();
    for row in 0..3_000 {
        log.write(row, "glacier", "");
    }
    assert!(matches!(
        view.fold(&FailingFeed(&log), &mut |_| ()),
        Err(ViewError::Feed(_))
    ));
    assert_eq!((view.health(), view.watermark()), (Health::Whole, Seq(0)));
    assert_eq!(log.fold(&view), Fold::Published(Seq(3_000)));
    assert_eq!(
        view.search(&query("glacier"), 5_000, None)
            .expect("whole")
            .len(),
        3_000
    );
}

/// Checks while it is read that another process finds the folder locked.
struct Folding<'a>(&'a Log, &'a LexicalView);

impl ChangeFeed for Folding<'_> {
    fn head(&self) -> Result<Seq, ViewError> {
        assert_eq!(
            self.1.fold(self.0, &mut |_| ()).expect("answers"),
            Fold::Busy
        );
        self.0.head()
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        self.0.since(after, limit)
    }
}

#[test]
fn during_a_fold_other_folds_return_busy_without_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = [(); 2].map(|()| LexicalView::open(folder.path().join("lexical")));
    let mut log = Log::default();
    log.write(0, "glacier", "");
    assert_eq!(
        first
            .fold(&Folding(&log, &second), &mut |_| ())
            .expect("folds"),
        Fold::Published(Seq(1))
    );
}

const CHILD_FOLDER: &str = "LEXICAL_TEST_FOLDER";

/// Reports that the fold is running, then blocks until the process is killed.
struct Stuck<'a>(&'a Log);

impl ChangeFeed for Stuck<'_> {
    fn head(&self) -> Result<Seq, ViewError> {
        self.0.head()
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        if after > Seq(0) {
            let said = writeln!(std::io::stderr(), "\nin the middle of a fold");
            said.map_err(|error| ViewError::Feed(error.to_string()))?;
            std::io::stdin()
                .read_to_end(&mut Vec::new())
                .map_err(|error| ViewError::Feed(error.to_string()))?;
        }
        self.0.since(after, limit)
    }
}

#[test]
fn the_lock_of_a_killed_process_does_not_block() {
    let mut log = Log::default();
    for row in 0..3_000 {
        log.write(row, "glacier", "");
    }
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        // The process to be killed.
        let folded = LexicalView::open(folder.into()).fold(&Stuck(&log), &mut |_| ());
        panic!("it should not get here: {folded:?}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let view = LexicalView::open(folder.path().join("lexical"));
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args([
            "--exact",
            "lexical_files::the_lock_of_a_killed_process_does_not_block",
            "--nocapture",
        ])
        .env(CHILD_FOLDER, view.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    assert!(
        lines
            .map_while(Result::ok)
            .any(|line| line.contains("in the middle")),
        "the child ended early"
    );
    assert_eq!(log.fold(&view), Fold::Busy);
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(log.fold(&view), Fold::Published(Seq(3_000)));
    assert_eq!(
        view.search(&query("glacier"), 5_000, None)
            .expect("whole")
            .len(),
        3_000
    );
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let (_, view) = folded(&folder.path().join("lexical"));
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(view.folder()), 0o700);
    for file in files(view.folder()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    assert_eq!(mode(&folder.path().join("lexical.lock")), 0o600);
}
