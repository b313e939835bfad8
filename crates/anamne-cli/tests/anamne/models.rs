//! A space switches to another embedding model.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::bench::Bench;

/// The built-in model as a folder.
fn write_model(folder: &Path) {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/anamne-static-v1");
    fs::create_dir_all(folder).expect("made");
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        fs::copy(built_in.join(file), folder.join(file)).expect("copied");
    }
}

/// The built-in model as a folder of the store: another model by its name.
fn add_model(bench: &Bench, name: &str) {
    write_model(&bench.store().join("models").join(name));
}

/// A small model beside the store.
fn write_small_model(bench: &Bench, name: &str) {
    let folder = bench.folder().join(name);
    fs::create_dir_all(&folder).expect("made");
    let header = br#"{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#;
    let mut weights = (header.len() as u64).to_le_bytes().to_vec();
    weights.extend(header);
    weights.extend(
        [0.0_f32, 1.0, 0.5, 1.0]
            .iter()
            .flat_map(|number| number.to_le_bytes()),
    );
    let tokenizer = json!({
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true
        },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": { "[UNK]": 0, "ferry": 1 }
        }
    });
    fs::write(folder.join("model.safetensors"), weights).expect("written");
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).expect("written");
    fs::write(folder.join("config.json"), "{}").expect("written");
}

#[test]
fn a_model_of_the_store_is_chosen_by_name_and_embeds_everything_at_once() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    bench.remember(&["The baker opens at six"]);
    let state = bench.json(&["stats"])["embedding"].clone();
    assert_eq!(state, json!({ "model": "builtin", "answering": "builtin" }));
    add_model(&bench, "harbour");
    let set = bench.json(&["spaces", "set", "--model", "harbour"]);
    assert_eq!(set["model"], "harbour");
    let state = bench.json(&["stats"])["embedding"].clone();
    assert_eq!(state, json!({ "model": "harbour", "answering": "harbour" }));
    assert!(bench.recall(&["when does the ferry go"])[0].contains("ferry"));
    assert!(bench.run(&["stats"]).stdout.contains("harbour"));
    let doctor = bench.run(&["doctor"]);
    assert_eq!(doctor.code, 0);
    assert!(doctor.stdout.contains("the model harbour answers"));

    fs::remove_dir_all(bench.store().join("models")).expect("removed");
    let answer = bench.json(&["recall", "when does the ferry go"]);
    assert_eq!(answer["degraded"], json!(["embedding model harbour"]));
    let doctor = bench.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("harbour") && doctor.stdout.contains("builtin"));
    assert!(
        bench
            .run(&["stats"])
            .stdout
            .contains("builtin answers, for")
    );
    bench.json(&["spaces", "set", "--model", "builtin"]);
    assert_eq!(bench.json(&["doctor"])["healthy"], true);
}

#[test]
fn a_missing_model_is_refused() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    add_model(&bench, "harbour");
    let refused = bench.run(&["--json", "spaces", "set", "--model", "harbor"]);
    assert_eq!(refused.code, 2);
    let said = refused.error().to_string();
    assert!(
        said.contains("harbor") && said.contains("builtin, harbour"),
        "{said}"
    );
    let tokenizer = bench.store().join("models/harbour/tokenizer.json");
    fs::write(tokenizer, "{}").expect("damaged");
    let refused = bench.run(&["spaces", "set", "--model", "harbour"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("tokenizer.json"),
        "{}",
        refused.stderr
    );
    assert_eq!(bench.json(&["spaces", "set"])["model"], "builtin");
}

#[test]
fn a_model_is_imported_used_verified_and_removed() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    write_small_model(&bench, "harbour");
    let imported = bench.json(&["model", "import", "harbour"]);
    assert_eq!(
        (&imported["name"], &imported["dimensions"]),
        (&json!("harbour"), &json!(2))
    );
    bench.json(&["spaces", "set", "--model", "harbour"]);
    let listed = bench.json(&["model", "list"]);
    let harbour = &listed["models"][1];
    assert_eq!(harbour["spaces"], json!(["core"]));
    assert_eq!(
        (&harbour["kind"], &harbour["state"]),
        (&json!("imported"), &json!("ready"))
    );
    assert_eq!(bench.json(&["model", "verify"])["sound"], true);
    assert_eq!(bench.json(&["doctor"])["embedding_models"]["sound"], true);
    let refused = bench.run(&["model", "remove", "harbour"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("core") && refused.stderr.contains("spaces set --model"));
    bench.json(&["spaces", "set", "--model", "builtin"]);
    let removed = bench.json(&["model", "remove", "harbour"]);
    assert_eq!(removed["files_removed"], 3);
    assert_eq!(removed["bytes_removed"], imported["bytes"]);
    assert_eq!(
        bench.json(&["model", "list"])["models"][0]["name"],
        "builtin"
    );
    assert!(bench.json(&["model", "list"])["models"][1].is_null());
}

#[test]
fn a_damaged_model_is_named_with_its_next_step() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    write_small_model(&bench, "harbour");
    bench.json(&["model", "import", "harbour"]);
    let files = bench.store().join("models/files");
    let longest = fs::read_dir(&files)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .max_by_key(|path| fs::metadata(path).expect("metadata").len())
        .expect("a file");
    let mut bytes = fs::read(&longest).expect("a file");
    bytes[40] ^= 1;
    fs::write(&longest, bytes).expect("written");
    for command in [
        &["model", "verify"][..],
        &["model", "verify", "harbour"],
        &["doctor"],
    ] {
        let ran = bench.run(command);
        assert_eq!(ran.code, 1, "{command:?}: {}", ran.stderr);
        for part in ["tokenizer.json", "digest", "anamne model import"] {
            assert!(ran.stdout.contains(part), "{command:?}: {}", ran.stdout);
        }
    }
    let verified = bench.run(&["--json", "model", "verify"]).parsed();
    assert_eq!(verified["sound"], false);
    assert_eq!(
        verified["models"][0]["problems"][0]["file"],
        "tokenizer.json"
    );
    assert_eq!(verified["next_steps"], json!(["import_model"]));
    let refused = bench.run(&["spaces", "set", "--model", "harbour"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("tokenizer.json"),
        "{}",
        refused.stderr
    );
    bench.json(&["model", "import", "harbour"]);
    assert_eq!(bench.json(&["doctor"])["healthy"], true);
}

#[test]
fn a_plain_folder_is_removed_only_when_confirmed() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    write_small_model(&bench, "store/models/harbour");
    let listed = bench.run(&["model", "list"]);
    assert!(
        listed.stdout.contains("not verified: no manifest"),
        "{}",
        listed.stdout
    );
    let refused = bench.run(&["--json", "model", "remove", "harbour"]);
    assert_eq!(refused.code, 2);
    assert_eq!(refused.error()["field"], "yes");
    let removed = bench.json(&["model", "remove", "harbour", "--yes"]);
    assert_eq!(removed["files_removed"], 3);
    assert!(!bench.store().join("models/harbour").exists());
}

#[test]
fn a_taken_name_and_a_folder_without_a_model_are_refused_with_a_way_out() {
    let bench = Bench::new();
    write_small_model(&bench, "harbour");
    bench.json(&["model", "import", "harbour"]);
    write_model(&bench.folder().join("other"));
    let taken = bench.run(&["model", "import", "other", "--name", "harbour"]);
    assert_eq!(taken.code, 2);
    assert!(taken.stderr.contains("--replace"), "{}", taken.stderr);
    let imported = bench.json(&["model", "import", "other", "--name", "harbour", "--replace"]);
    assert_eq!(
        (&imported["replaced"], &imported["dimensions"]),
        (&json!(true), &json!(256))
    );
    fs::remove_file(bench.folder().join("other/config.json")).expect("removed");
    let refused = bench.run(&["--json", "model", "import", "other"]);
    assert_eq!(refused.code, 2);
    let said = refused.error()["message"].to_string();
    assert!(said.contains("config.json"), "{said}");
    for command in ["remove", "verify"] {
        let unknown = bench.run(&["model", command, "nowhere"]);
        assert_eq!(unknown.code, 3, "{command}");
        assert!(
            unknown.stderr.contains("anamne model list"),
            "{}",
            unknown.stderr
        );
    }
}

/// Processes that are killed while they import and remove, and others beside them.
#[test]
fn killed_processes_leave_whole_models() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    write_model(&bench.folder().join("large"));
    write_small_model(&bench, "small");
    bench.json(&["model", "import", "small"]);
    for round in 0..12 {
        let arguments: &[&str] = match round % 3 {
            0 | 1 => &["model", "import", "large"],
            _ => &["model", "remove", "large"],
        };
        let mut killed = bench.command(arguments).spawn().expect("started");
        let mut beside = bench
            .command(&["model", "import", "small"])
            .spawn()
            .expect("started");
        // Ends at another point in every round: once so many entries are there, or the process has ended.
        while killed.try_wait().expect("its state").is_none() && entries(&bench) < 3 + round % 5 {
            std::thread::yield_now();
        }
        let _ = killed.kill();
        killed.wait().expect("ended");
        assert!(beside.wait().expect("ended").success());
        let verified = bench.json(&["model", "verify"]);
        assert_eq!(verified["sound"], true, "round {round}: {verified}");
    }
    bench.json(&["model", "import", "large"]);
    bench.json(&["model", "remove", "large"]);
    assert_eq!(entries(&bench), 3);
}

/// The number of files, finished or not, under `models/files`.
fn entries(bench: &Bench) -> usize {
    fs::read_dir(bench.store().join("models/files")).map_or(0, Iterator::count)
}
