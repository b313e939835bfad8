//! Embedding models of a store: importing, listing, verifying and removing them.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anamne::{
    Error, ErrorKind, ImportedModel, ModelImport, ModelKind, ModelState, NextStep, Recall, Right,
    Scope, Space, SpaceSet, Store,
};
use tempfile::TempDir;

const FILES: [&str; 3] = ["model.safetensors", "tokenizer.json", "config.json"];

/// A store, and models beside it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().expect("a folder"));
        home.write_model("harbour", 0.25);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn models(&self) -> PathBuf {
        self.path("store/models")
    }

    fn store(&self) -> Store {
        Store::open(self.path("store")).expect("a store")
    }

    /// A model with a row for each of three tokens. Models with other values share their other files.
    fn write_model(&self, name: &str, value: f32) {
        let folder = self.path(name);
        fs::create_dir_all(&folder).expect("made");
        let header = br#"{"embeddings":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}"#;
        let mut weights = (header.len() as u64).to_le_bytes().to_vec();
        weights.extend(header);
        for number in [0.0, 1.0, value, 1.0, 1.0, value] {
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
                "max_input_chars_per_word": 100, "vocab": { "[UNK]": 0, "ferry": 1, "seven": 2 }
            }
        });
        let contents = [weights, tokenizer.to_string().into_bytes(), b"{}".to_vec()];
        for (file, content) in FILES.iter().zip(contents) {
            fs::write(folder.join(file), content).expect("written");
        }
    }

    fn import(&self, model: &str) -> ImportedModel {
        let imported = self
            .store()
            .import_model(&self.path(model), &ModelImport::default());
        imported.expect("imported")
    }

    /// The stored file with the content of a file beside the store.
    fn stored(&self, file: &Path) -> PathBuf {
        let content = fs::read(file).expect("a file");
        let digest = blake3::hash(&content).to_hex();
        self.models().join("files").join(digest.as_str())
    }

    fn stored_files(&self) -> usize {
        fs::read_dir(self.models().join("files")).map_or(0, Iterator::count)
    }

    fn summary(&self, name: &str) -> anamne::ModelSummary {
        let models = self.store().models().expect("the models");
        let mut found = models.into_iter().filter(|model| model.name == name);
        found.next().expect("the model")
    }
}

fn choose(space: &Space, model: &str) {
    let chosen = space.configure(|config| model.clone_into(&mut config.embedding.model));
    chosen.expect("configured");
    space.settle(&mut |_, _| {}).expect("settled");
}

fn answering(space: &Space) -> String {
    space.embedding().expect("a state").answering
}

fn flip_a_bit(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(path, bytes).expect("written");
}

#[test]
fn an_imported_model_is_used_by_its_name_and_needs_its_source_no_more() {
    let home = Home::new();
    let imported = home.import("harbour");
    assert_eq!(
        (
            imported.name.as_str(),
            imported.dimensions,
            imported.replaced
        ),
        ("harbour", Some(2), false)
    );
    assert_eq!(imported.bytes, imported.bytes_written);
    fs::remove_dir_all(home.path("harbour")).expect("removed");
    let space = home.store().space("tests").expect("a space");
    space.remember("The ferry leaves at seven").expect("told");
    choose(&space, "harbour");
    assert_eq!(answering(&space), "harbour");
    let answer = space.recall(&Recall::new("ferry")).expect("an answer");
    assert_eq!(answer.results.len(), 1);
    assert!(answer.degraded.is_empty(), "{:?}", answer.degraded);
    let summary = home.summary("harbour");
    assert_eq!(summary.spaces, ["tests"]);
    assert_eq!(
        (
            summary.kind,
            summary.state,
            summary.dimensions,
            summary.bytes
        ),
        (
            ModelKind::Imported,
            ModelState::Ready,
            Some(2),
            imported.bytes
        )
    );
    assert!(home.summary("builtin").spaces.is_empty());
}

#[test]
fn models_share_the_files_that_they_have_in_common() {
    let home = Home::new();
    home.write_model("twin", 0.5);
    home.import("harbour");
    let twin = home.import("twin");
    assert!(twin.bytes_written < twin.bytes);
    assert_eq!(home.stored_files(), 4);
    // Once more changes nothing.
    assert_eq!(home.import("twin").bytes_written, 0);
    let removed = home.store().remove_model("twin").expect("removed");
    assert_eq!(removed.files_removed, 1);
    assert_eq!(removed.bytes_removed, twin.bytes_written);
    assert!(
        home.store()
            .verify_models(Some("harbour"))
            .expect("verified")[0]
            .is_sound()
    );
    assert_eq!(
        home.store()
            .remove_model("harbour")
            .expect("removed")
            .files_removed,
        3
    );
    assert_eq!(home.stored_files(), 0);
}

#[cfg(unix)]
#[test]
fn imported_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.import("harbour");
    let mut folders = vec![home.models()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let mode = fs::metadata(&path).expect("metadata").permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}

#[test]
fn another_model_does_not_replace_one_unasked() {
    let home = Home::new();
    home.write_model("other", 0.5);
    home.import("harbour");
    let mut import = ModelImport {
        name: Some("harbour".to_owned()),
        replace: false,
    };
    let other = home.path("other");
    let refused = home.store().import_model(&other, &import);
    assert!(
        matches!(refused, Err(Error::ModelExists { .. })),
        "{refused:?}"
    );
    assert!(home.stored(&home.path("harbour").join(FILES[0])).exists());
    import.replace = true;
    let replaced = home
        .store()
        .import_model(&other, &import)
        .expect("replaced");
    assert!(replaced.replaced);
    assert!(!home.stored(&home.path("harbour").join(FILES[0])).exists());
    assert!(home.stored(&other.join(FILES[0])).exists());
}

#[test]
fn names_that_are_paths_or_taken_are_refused() {
    let home = Home::new();
    home.import("harbour");
    let long = "a".repeat(65);
    for name in [
        "",
        ".",
        "..",
        "a/b",
        "../a",
        ".hidden",
        "-a",
        "builtin",
        "files",
        "Harbour",
        "a b",
        "é",
        "a\u{1b}[31m",
        &long,
    ] {
        let import = ModelImport {
            name: Some(name.to_owned()),
            replace: true,
        };
        let refused = home.store().import_model(&home.path("harbour"), &import);
        let error = refused.expect_err(name);
        assert_eq!(error.kind(), ErrorKind::Refused, "{name}: {error}");
    }
    assert_eq!(home.store().models().expect("the models").len(), 2);
}

#[test]
fn a_folder_that_is_no_model_is_refused_and_leaves_nothing() {
    let home = Home::new();
    let import = |folder: &str| {
        let error = home
            .store()
            .import_model(&home.path(folder), &ModelImport::default())
            .expect_err(folder);
        assert!(!home.models().exists(), "{folder}: {error}");
        error.to_string()
    };
    import("nowhere");
    import("harbour/config.json");
    let broken = |file: &str, content: &[u8]| {
        home.write_model("broken", 0.5);
        fs::write(home.path("broken").join(file), content).expect("written");
        import("broken")
    };
    for file in FILES {
        assert!(broken(file, b"[").contains(file));
        fs::remove_file(home.path("broken").join(file)).expect("removed");
        assert!(import("broken").contains(file));
    }
    let long = vec![b' '; (1 << 20) + 1];
    assert!(broken("config.json", &long).contains("longer than"));
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let config = home.path("harbour/config.json");
    fs::rename(&config, home.path("config.json")).expect("moved");
    symlink("../config.json", &config).expect("a link");
    let import = || {
        home.store()
            .import_model(&home.path("harbour"), &ModelImport::default())
    };
    let error = import().expect_err("a link outside");
    assert!(matches!(error, Error::Unsuitable { .. }), "{error}");
    fs::remove_file(&config).expect("removed");
    symlink("/dev/zero", &config).expect("a link");
    import().expect_err("a device");
    fs::remove_file(&config).expect("removed");
    fs::rename(home.path("config.json"), home.path("harbour/settings")).expect("moved");
    symlink("settings", &config).expect("a link");
    import().expect("a link inside");
    // The folder itself may be reached through a link.
    symlink("harbour", home.path("linked")).expect("a link");
    home.store()
        .import_model(&home.path("linked"), &ModelImport::default())
        .expect("the same model");
}

#[cfg(unix)]
#[test]
fn nothing_is_changed_behind_a_link_in_the_store() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    home.import("harbour");
    let precious = home.path("precious");
    fs::create_dir(&precious).expect("made");
    fs::write(precious.join("a".repeat(64)), "mine").expect("written");
    let files = home.models().join("files");
    fs::rename(&files, home.path("away")).expect("moved");
    symlink(&precious, &files).expect("a link");
    home.write_model("other", 0.5);
    let store = home.store();
    store
        .import_model(&home.path("other"), &ModelImport::default())
        .expect_err("a link");
    store.remove_model("harbour").expect_err("a link");
    assert_eq!(fs::read_dir(&precious).expect("a folder").count(), 1);
    fs::remove_file(&files).expect("removed");
    fs::rename(home.path("away"), &files).expect("moved back");
    // A model that is a link is unlinked; its target stays.
    symlink(home.path("other"), home.models().join("linked")).expect("a link");
    store.remove_model("linked").expect("removed");
    assert!(home.path("other/config.json").exists());
    assert!(store.verify_models(None).expect("verified")[0].is_sound());
}

#[test]
fn a_damaged_file_is_named_and_never_loaded_and_an_import_repairs_it() {
    let home = Home::new();
    home.import("harbour");
    let space = home.store().space("tests").expect("a space");
    space.remember("The ferry leaves at seven").expect("told");
    choose(&space, "harbour");
    drop(space);
    for file in FILES {
        let source = home.path("harbour").join(file);
        let stored = home.stored(&source);
        flip_a_bit(&stored);
        let store = home.store();
        let verified = &store.verify_models(None).expect("verified")[0];
        assert_eq!(verified.state, ModelState::Damaged);
        let damaged: Vec<_> = verified.problems.iter().map(|one| &one.file).collect();
        assert_eq!(damaged, [file]);
        let space = store.space("tests").expect("a space");
        assert_eq!(answering(&space), "builtin");
        let check = space.check_up().expect("a check-up");
        let said = check.problems.join("\n");
        assert!(said.contains("harbour") && said.contains(file), "{said}");
        assert_eq!(check.next_steps, [NextStep::ImportModel]);
        assert!(home.import("harbour").bytes_written > 0);
        assert!(store.verify_models(None).expect("verified")[0].is_sound());
        space.settle(&mut |_, _| {}).expect("settled");
        assert_eq!(answering(&space), "harbour");
        fs::remove_file(&stored).expect("removed");
        assert_eq!(home.summary("harbour").state, ModelState::Damaged);
        assert!(home.summary("harbour").problem.contains(file));
        home.import("harbour");
    }
}

#[test]
fn a_hostile_manifest_reads_nothing_outside_of_the_stored_files() {
    let home = Home::new();
    home.import("harbour");
    let path = home.models().join("harbour/manifest.toml");
    let sound = fs::read_to_string(&path).expect("a manifest");
    let digest = sound
        .split('"')
        .find(|part| part.len() == 64)
        .expect("a digest");
    let escape = format!("../../{}", "a".repeat(58));
    for hostile in [
        sound.replace(digest, &escape),
        sound.replace(digest, &digest.to_uppercase()),
        sound.replace("tokenizer.json", "../tokenizer.json"),
        sound.replace("name = \"harbour\"", "name = \"other\""),
        sound.replace("dimensions = 2", "dimensions = 99999999"),
        sound.replace("dimensions = 2", "dimensions = 0"),
        sound.replace("kind = \"model2vec\"", "kind = \"pickle\""),
        sound.replace("kind = \"model2vec\"", "kind = \"cross-encoder\""),
        sound.replace("format = 1", "format = 2"),
        sound.replace("dimensions = 2\n", ""),
        format!("{sound}\n[[files]]\nname = \"x\"\ndigest = \"{digest}\"\nbytes = 1\n"),
        "[".repeat(60_000),
        "\u{0}".repeat(100_000),
        String::new(),
    ] {
        fs::write(&path, &hostile).expect("written");
        let verified = home.store().verify_models(None).expect("verified");
        assert_eq!(verified[0].state, ModelState::Damaged, "{hostile:.300}");
        let space = home.store().space("tests").expect("a space");
        let chosen = space.configure(|config| "harbour".clone_into(&mut config.embedding.model));
        assert_eq!(chosen.expect_err("refused").kind(), ErrorKind::Refused);
    }
    fs::write(&path, sound.replace("format = 1", "format = 3")).expect("written");
    let newer = home
        .store()
        .verify_models(Some("harbour"))
        .expect_err("newer");
    assert_eq!(newer.kind(), ErrorKind::NewerFormat);
}

#[test]
fn a_plain_folder_works_and_gets_a_manifest_by_an_import() {
    let home = Home::new();
    let plain = home.models().join("harbour");
    fs::create_dir_all(home.models()).expect("made");
    fs::rename(home.path("harbour"), &plain).expect("moved");
    let space = home.store().space("tests").expect("a space");
    space.remember("The ferry leaves at seven").expect("told");
    choose(&space, "harbour");
    assert_eq!(answering(&space), "harbour");
    let vectors = || {
        let note = home.path("store/spaces/tests/views/vectors/answering.toml");
        fs::read_to_string(note).expect("a note")
    };
    let before = vectors();
    let summary = home.summary("harbour");
    assert_eq!(
        (summary.kind, summary.state, summary.dimensions),
        (ModelKind::Folder, ModelState::NotVerified, None)
    );
    let verified = &home.store().verify_models(None).expect("verified")[0];
    assert!(verified.is_sound() && verified.state == ModelState::NotVerified);
    home.store()
        .import_model(&plain, &ModelImport::default())
        .expect("imported in place");
    assert_eq!(home.summary("harbour").state, ModelState::Ready);
    let left: Vec<_> = fs::read_dir(&plain).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "only the manifest is left: {left:?}");
    space.settle(&mut |_, _| {}).expect("settled");
    assert_eq!(answering(&space), "harbour");
    assert_eq!(vectors(), before, "nothing was embedded again");
}

#[test]
fn a_model_in_use_is_not_removed() {
    let home = Home::new();
    home.import("harbour");
    let store = home.store();
    let space = store.space("tests").expect("a space");
    space.remember("The ferry leaves at seven").expect("told");
    choose(&space, "harbour");
    let error = store.remove_model("harbour").expect_err("in use");
    assert!(error.to_string().contains("\"tests\""), "{error}");
    assert_eq!(error.next_step(), Some(NextStep::ChooseModel));
    // Its vectors answer until the built-in model has embedded everything.
    let chosen = space.configure(|config| "builtin".clone_into(&mut config.embedding.model));
    chosen.expect("configured");
    store.remove_model("harbour").expect_err("still in use");
    // A caller who may not read the space doesn't learn its name.
    let scope = Scope::owner().reading(SpaceSet::none());
    let error = store
        .narrowed(&scope)
        .remove_model("harbour")
        .expect_err("in use");
    assert!(error.to_string().contains("1 other space"), "{error}");
    assert!(!error.to_string().contains("tests"), "{error}");
    assert!(scope.allows(Right::Configure));
    choose(&space, "builtin");
    store.remove_model("harbour").expect("removed");
    let gone = store.remove_model("harbour").expect_err("gone");
    assert!(matches!(gone, Error::Nothing { .. }), "{gone}");
    for name in ["builtin", "files", "..", ""] {
        store.remove_model(name).expect_err(name);
    }
}

#[test]
fn a_model_is_not_removed_while_settings_can_not_be_read() {
    let home = Home::new();
    home.import("harbour");
    let space = home.store().space("tests").expect("a space");
    let settings = space.folder().join("space.toml");
    drop(space);
    fs::write(settings, "format = [").expect("damaged");
    home.store()
        .remove_model("harbour")
        .expect_err("unknown use");
    assert_eq!(home.summary("harbour").state, ModelState::Ready);
}

#[test]
fn imports_and_removals_at_once_leave_whole_models() {
    let home = Home::new();
    home.write_model("twin", 0.5);
    home.import("harbour");
    thread::scope(|scope| {
        let change = || {
            for _ in 0..10 {
                home.import("twin");
                // Another thread may have been faster.
                let _ = home.store().remove_model("twin");
            }
        };
        scope.spawn(change);
        scope.spawn(change);
        scope.spawn(|| {
            for _ in 0..40 {
                let verified = home.store().verify_models(Some("harbour"));
                assert!(verified.expect("verified")[0].is_sound());
            }
        });
    });
    home.import("twin");
    for verified in home.store().verify_models(None).expect("verified") {
        assert!(verified.is_sound(), "{verified:?}");
    }
    assert_eq!(home.stored_files(), 4);
}

#[test]
fn a_backup_has_no_models_and_goes_on_with_the_built_in_one() {
    let home = Home::new();
    home.import("harbour");
    let store = home.store();
    let space = store.space("tests").expect("a space");
    let ferry = space
        .remember("The ferry leaves at seven")
        .expect("told")
        .id;
    choose(&space, "harbour");
    let backup = home.path("backup");
    store.backup(&backup, None).expect("a backup");
    assert!(!backup.join("models").exists());
    let copy = Store::open(&backup).expect("the backup");
    let restored = copy.space("tests").expect("a space");
    let answer = restored
        .recall(&Recall::new("when does the ferry leave"))
        .expect("an answer");
    assert_eq!(answer.results[0].memory.id, ferry);
    assert_eq!(answer.degraded, ["embedding model harbour"]);
    let check = restored.check_up().expect("a check-up");
    assert_eq!(check.next_steps, [NextStep::ImportModel]);
    copy.import_model(&home.path("harbour"), &ModelImport::default())
        .expect("imported");
    restored.settle(&mut |_, _| {}).expect("settled");
    assert_eq!(answering(&restored), "harbour");
    drop(restored);
    // Models in a backup stay through the next backup, and erasures reach it.
    space.remember("The baker opens at six").expect("told");
    store.backup(&backup, None).expect("a backup");
    assert!(copy.verify_models(None).expect("verified")[0].is_sound());
    let erased = space.erase(ferry).expect("erased");
    assert!(erased.is_complete(), "{erased:?}");
}
