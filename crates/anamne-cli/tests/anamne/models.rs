//! A space switches to another embedding model.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::bench::Bench;

/// The built-in model as a folder of the store: another model by its name.
fn add_model(bench: &Bench, name: &str) {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/anamne-static-v1");
    let folder = bench.store().join("models").join(name);
    fs::create_dir_all(&folder).expect("made");
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        fs::copy(built_in.join(file), folder.join(file)).expect("copied");
    }
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
