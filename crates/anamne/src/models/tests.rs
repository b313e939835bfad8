//! Imports and removals that end at any change of the disk.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Error as IoError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anamne_embed::MODEL_FILES;
use anamne_store::{Disk, Storage};
use tempfile::TempDir;

use super::{ModelImport, ModelState};
use crate::store::{Options, Store};

/// A disk that stops like a killed process: from the chosen change on, nothing is carried out any more. Of a write, the
/// first half is.
#[derive(Debug)]
struct Stopping {
    at: usize,
    changes: AtomicUsize,
}

impl Stopping {
    fn at(at: usize) -> Arc<Self> {
        let changes = AtomicUsize::new(0);
        Arc::new(Self { at, changes })
    }

    /// Counts a change. `Some` if it is not carried out: whether it is the first of these.
    fn stopped(&self) -> Option<bool> {
        let change = self.changes.fetch_add(1, Ordering::SeqCst);
        (change >= self.at).then_some(change == self.at)
    }

    fn is_stopped(&self) -> bool {
        self.changes.load(Ordering::SeqCst) > self.at
    }

    fn change<T>(&self, work: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
        match self.stopped() {
            Some(_) => Err(IoError::other("stopped")),
            None => work(),
        }
    }
}

impl Storage for Stopping {
    fn open(&self, path: &Path) -> std::io::Result<File> {
        self.change(|| Disk.open(path))
    }

    fn write(
        &self,
        path: &Path,
        file: &mut File,
        offset: u64,
        bytes: &[u8],
    ) -> std::io::Result<()> {
        match self.stopped() {
            Some(true) => {
                Disk.write(path, file, offset, &bytes[..bytes.len() / 2])?;
                Err(IoError::other("stopped"))
            }
            Some(false) => Err(IoError::other("stopped")),
            None => Disk.write(path, file, offset, bytes),
        }
    }

    fn resize(&self, path: &Path, file: &File, length: u64) -> std::io::Result<()> {
        self.change(|| Disk.resize(path, file, length))
    }

    fn sync(&self, path: &Path, file: &File) -> std::io::Result<()> {
        self.change(|| Disk.sync(path, file))
    }

    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        self.change(|| Disk.rename(from, to))
    }

    fn remove(&self, path: &Path) -> std::io::Result<()> {
        self.change(|| Disk.remove(path))
    }

    fn sync_folder(&self, folder: &Path) -> std::io::Result<()> {
        self.change(|| Disk.sync_folder(folder))
    }
}

/// A store, and models beside it to import.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().expect("a folder"));
        home.write_model("one", 1.0);
        home.write_model("two", 2.0);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A model of two tokens. Models with other values share the tokenizer and the configuration.
    fn write_model(&self, name: &str, value: f32) {
        let folder = self.path(name);
        fs::create_dir_all(&folder).expect("made");
        let header = br#"{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#;
        let mut weights = (header.len() as u64).to_le_bytes().to_vec();
        weights.extend(header);
        for number in [0.0, 1.0, value, 1.0] {
            weights.extend(f32::to_le_bytes(number));
        }
        let tokenizer = serde_json::json!({
            "added_tokens": [],
            "normalizer": {
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true
            },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": { "[UNK]": 0, "cat": 1 }
            }
        });
        let contents = [weights, tokenizer.to_string().into_bytes(), b"{}".to_vec()];
        for ((file, _), content) in MODEL_FILES.iter().zip(contents) {
            fs::write(folder.join(file), content).expect("written");
        }
    }

    fn store(&self) -> Store {
        Store::open(self.path("store")).expect("a store")
    }

    /// The store on a disk.
    fn store_on(&self, disk: &Arc<Stopping>) -> Store {
        let mut store = Store::open_with(Options::new(self.path("store"))).expect("a store");
        let models = Arc::get_mut(&mut store.models).expect("one handle");
        models.library.storage = disk.clone();
        store
    }

    /// Copies a model to the store by hand.
    fn add_plain(&self, model: &str, name: &str) {
        let folder = self.path("store/models").join(name);
        fs::create_dir_all(&folder).expect("made");
        for (file, _) in MODEL_FILES {
            fs::copy(self.path(model).join(file), folder.join(file)).expect("copied");
        }
    }

    /// Every file below `models`.
    fn stored(&self) -> BTreeSet<PathBuf> {
        let root = self.path("store/models");
        let mut found = BTreeSet::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for path in anamne_store::entries(&folder).expect("a folder") {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(path.strip_prefix(&root).expect("inside").to_owned());
                }
            }
        }
        found
    }
}

fn import(store: &Store, home: &Home, model: &str, name: &str) -> Result<(), crate::Error> {
    let import = ModelImport {
        name: Some(name.to_owned()),
        replace: true,
    };
    store.import_model(&home.path(model), &import).map(drop)
}

/// What a process sees of a model: its state and vectors, or nothing.
fn seen(home: &Home, name: &str) -> Option<(ModelState, String)> {
    let store = home.store();
    let listed = store.models().expect("a list");
    let summary = listed.into_iter().find(|model| model.name == name)?;
    let verified = store.verify_models(Some(name)).expect("verified");
    assert!(verified[0].is_sound(), "{verified:?}");
    let model = store.models.get(name).expect("a model");
    Some((summary.state, model.slug()))
}

/// Carries out `change` on disks that stop at each change of a file. Each time, the model is as before or as after, and
/// the next change leaves exactly the files that it would have left without the interruption.
#[track_caller]
fn check_at_every_change(
    begin: impl Fn(&Home),
    change: impl Fn(&Store, &Home) -> Result<(), crate::Error>,
) {
    let (plain, finished) = (Home::new(), Home::new());
    begin(&plain);
    begin(&finished);
    change(&finished.store(), &finished).expect("changed");
    let (before, after) = (seen(&plain, "harbour"), seen(&finished, "harbour"));
    let mut states = BTreeSet::new();
    for at in 0.. {
        let home = Home::new();
        begin(&home);
        let disk = Stopping::at(at);
        let outcome = change(&home.store_on(&disk), &home);
        if !disk.is_stopped() {
            outcome.expect("nothing failed");
            assert!(at > 1, "the change writes files");
            break;
        }
        let now = seen(&home, "harbour");
        assert!(now == before || now == after, "at {at}: {now:?}");
        if outcome.is_ok() {
            assert_eq!(now, after, "at {at}");
        }
        states.insert(now == after);
        // The next change of any model removes what is left.
        import(&home.store(), &home, "two", "other").expect("imported");
        let reference = Home::new();
        begin(&reference);
        if now == after {
            change(&reference.store(), &reference).expect("changed");
        }
        import(&reference.store(), &reference, "two", "other").expect("imported");
        assert_eq!(home.stored(), reference.stored(), "at {at}");
    }
    assert_eq!(states.len(), 2, "stopped before and after the change");
}

#[test]
fn an_import_that_ends_anywhere_imports_the_model_or_nothing() {
    check_at_every_change(|_| (), |store, home| import(store, home, "one", "harbour"));
}

#[test]
fn a_replacement_that_ends_anywhere_leaves_one_of_the_models() {
    check_at_every_change(
        |home| import(&home.store(), home, "one", "harbour").expect("imported"),
        |store, home| import(store, home, "two", "harbour"),
    );
}

#[test]
fn an_import_over_a_plain_folder_that_ends_anywhere_leaves_a_model() {
    check_at_every_change(
        |home| home.add_plain("one", "harbour"),
        |store, home| import(store, home, "one", "harbour"),
    );
}

#[test]
fn a_removal_that_ends_anywhere_leaves_the_model_or_nothing() {
    check_at_every_change(
        |home| {
            import(&home.store(), home, "one", "harbour").expect("imported");
            import(&home.store(), home, "one", "twin").expect("imported");
        },
        |store, _| store.remove_model("harbour").map(drop),
    );
    check_at_every_change(
        |home| import(&home.store(), home, "one", "harbour").expect("imported"),
        |store, _| store.remove_model("harbour").map(drop),
    );
}

#[test]
fn a_removal_of_a_plain_folder_that_ends_anywhere_leaves_all_of_it_or_nothing() {
    check_at_every_change(
        |home| home.add_plain("one", "harbour"),
        |store, _| store.remove_model("harbour").map(drop),
    );
}

#[test]
fn nothing_is_removed_while_a_manifest_can_not_be_read() {
    let home = Home::new();
    let store = home.store();
    import(&store, &home, "one", "harbour").expect("imported");
    let stored = home.stored();
    let manifest = home.path("store/models/harbour/manifest.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    for unreadable in [
        "format = 3\nnews = 1\n".to_owned(),
        text.replace("bytes", "byte"),
    ] {
        fs::write(&manifest, unreadable).expect("written");
        import(&store, &home, "two", "other").expect("imported");
        store.remove_model("other").expect("removed");
        assert!(home.stored().is_superset(&stored));
    }
    fs::write(&manifest, text).expect("written");
    assert_eq!(
        seen(&home, "harbour").map(|(state, _)| state),
        Some(ModelState::Ready)
    );
    import(&store, &home, "two", "other").expect("imported");
    store.remove_model("other").expect("removed");
    assert_eq!(home.stored(), stored);
}

#[test]
fn what_a_full_disk_left_is_removed_at_once() {
    let home = Home::new();
    let store = home.store();
    import(&store, &home, "one", "harbour").expect("imported");
    let stored = home.stored();
    // A folder in place of the manifest's folder can't be written to.
    fs::write(home.path("store/models/other"), "a file").expect("written");
    import(&store, &home, "two", "other").expect_err("no folder");
    fs::remove_file(home.path("store/models/other")).expect("removed");
    assert_eq!(home.stored(), stored);
}
