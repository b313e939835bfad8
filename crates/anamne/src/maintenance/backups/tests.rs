//! An erasure in a backup, interrupted at every step.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_embed::{EmbedError, Embedder, ModelIdentity};
use anamne_store::{StoreError, entries};
use anamne_types::MemoryId;
use tempfile::TempDir;

use super::copy::{BackupCopy, EraseStep};
use crate::{Options, Recall, Space, Store};

const SECRET: &str = "The zyxlive quellfruit lies under the seventh lighthouse";

/// A costly model, so that its vectors are cached.
struct Costly(ModelIdentity);

impl Embedder for Costly {
    fn model(&self) -> &ModelIdentity {
        &self.0
    }

    fn dimensions(&self) -> usize {
        4
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        vector.fill(0.5);
        vector[0] = if text.len().is_multiple_of(2) {
            0.5
        } else {
            -0.5
        };
        Ok(())
    }

    fn is_costly(&self) -> bool {
        true
    }
}

fn space(home: &TempDir, name: &str) -> Space {
    let costly = Costly(ModelIdentity::new("costly", "1"));
    let options = Options {
        embedders: vec![Arc::new(costly)],
        ..Options::new(home.path().join(name)).background(false)
    };
    let store = Store::open_with(options).expect("a store");
    store.space("tests").expect("a space")
}

fn use_views(space: &Space) {
    space.recall(&Recall::new("zyxlive")).expect("an answer");
    space.settle(&mut |_, _| {}).expect("settled");
    space.fold().expect("folded");
    space.extract(&mut |_| true).expect("extracted");
    space.summarise(&mut |_| {}).expect("summarised");
}

/// A store with a secret, and a backup that was used and repaired once.
fn backed_up(home: &TempDir) -> (Space, MemoryId) {
    let origin = space(home, "store");
    let settings = origin.configure(|config| "costly".clone_into(&mut config.embedding.model));
    settings.expect("configured");
    let id = origin.remember(SECRET).expect("told").id;
    origin.remember("Something that stays").expect("told");
    let store = Store::open(home.path().join("store")).expect("a store");
    store
        .backup(&home.path().join("backup"), None)
        .expect("a backup");
    let copy = space(home, "backup");
    use_views(&copy);
    let aside = copy.folder().join("memories/active.db.damaged-1");
    std::fs::write(aside, SECRET).expect("set aside");
    (origin, id)
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let files = entries(folder).expect("a folder").into_iter();
    let under = |path: PathBuf| {
        if path.is_dir() {
            files_under(&path)
        } else {
            vec![path]
        }
    };
    files.flat_map(under).collect()
}

/// The files that contain the secret, or its digest in the cache.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let digest = blake3::hash(SECRET.as_bytes());
    let needles = [&b"zyxlive"[..], &digest.as_bytes()[..16]];
    let holds = |path: &PathBuf| {
        let bytes = std::fs::read(path).expect("a file");
        let is_at = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
        needles.iter().any(|needle| is_at(needle))
    };
    files_under(folder).into_iter().filter(holds).collect()
}

/// Erases in the store, and in the backup only until after a step, like a process that is killed then.
fn interrupted(home: &TempDir, after: Option<EraseStep>) {
    let (origin, id) = backed_up(home);
    let inner = &origin.inner;
    let texts = inner.derived.cache.texts_of(&[id]);
    inner.derived.cache.begin_forgetting(&texts).expect("noted");
    inner
        .source
        .begin_erasure(origin.actor(), &[id])
        .expect("begun");
    let Some(after) = after else { return };
    inner.source.finish_erasures().expect("finished");
    inner.clean_derived(&mut |_, _| {}).expect("cleaned");
    let known = &inner.source.backups().expect("known")[0];
    assert!(known.pending.is_some());
    let copy = BackupCopy {
        origin: inner,
        store: &known.folder,
    };
    let stopped = copy.erase(&mut inner.seen(), &mut |step| {
        if step == after {
            return Err(StoreError::NoSpace("interrupted".to_owned()).into());
        }
        Ok(())
    });
    assert!(stopped.is_err(), "{after:?}");
}

const STEPS: [Option<EraseStep>; 6] = [
    None,
    Some(EraseStep::CacheWarned),
    Some(EraseStep::CopiesReplaced),
    Some(EraseStep::ViewsRemoved),
    Some(EraseStep::KeptCleaned),
    Some(EraseStep::Cleaned),
];

#[test]
fn interrupted_after_any_step_an_erasure_is_finished_when_the_store_is_opened() {
    for step in STEPS {
        let home = tempfile::tempdir().expect("a folder");
        interrupted(&home, step);
        let origin = space(&home, "store");
        assert!(origin.inner.are_backups_due(), "{step:?}");
        origin.inner.run_round();
        let known = &origin.backups().expect("known")[0];
        assert_eq!(known.pending, None, "{step:?}");
        assert_eq!(traces(home.path()), Vec::<PathBuf>::new(), "{step:?}");
        assert!(!origin.inner.are_backups_due(), "{step:?}");
        let found = space(&home, "backup").check_up().expect("a check-up");
        assert_eq!(found.problems, Vec::<String>::new(), "{step:?}");
    }
}

#[test]
fn once_its_copies_are_replaced_a_backup_that_is_opened_cleans_itself() {
    for step in &STEPS[2..] {
        let home = tempfile::tempdir().expect("a folder");
        interrupted(&home, *step);
        let backup = space(&home, "backup");
        backup.settle(&mut |_, _| {}).expect("settled");
        drop(backup);
        assert_eq!(
            traces(&home.path().join("backup")),
            Vec::<PathBuf>::new(),
            "{step:?}"
        );
    }
}

#[test]
fn problem_with_a_backup_is_not_met_again_with_every_look() {
    let home = tempfile::tempdir().expect("a folder");
    let (origin, id) = backed_up(&home);
    let away = home.path().join("elsewhere");
    std::fs::rename(home.path().join("backup"), &away).expect("moved");
    assert!(!origin.erase(id).expect("erased").is_complete());
    origin.inner.look_for_pending_backups();
    assert!(origin.inner.are_backups_due());
    origin.inner.run_round();
    assert!(!origin.inner.are_backups_due());
    std::fs::rename(&away, home.path().join("backup")).expect("moved back");
    assert_eq!(
        origin.check_up().expect("a check-up").problems,
        Vec::<String>::new()
    );
    assert_eq!(traces(home.path()), Vec::<PathBuf>::new());
}
