//! Commands against a server.

use std::io::Write;

use serde_json::json;

use crate::bench::Bench;

/// The command with a server instead of a store.
fn through(bench: &Bench, arguments: &[&str]) -> crate::bench::RunOutput {
    let mut command = bench.command(arguments);
    command
        .env_remove("ANAMNE_STORE")
        .env("ANAMNE_SERVER", &bench.server().address);
    command.output().expect("the command starts").into()
}

#[test]
fn a_memory_goes_to_the_server_and_comes_back() {
    let bench = Bench::new();
    let stored = through(&bench, &["remember", "Staging listens on port 8471"]);
    assert_eq!(stored.code, 0, "{}", stored.stderr);
    let id = stored.stdout.trim().to_owned();
    // The same store, without the server.
    assert_eq!(
        bench.recall(&["which port?"]),
        ["Staging listens on port 8471"]
    );
    let found = through(&bench, &["--json", "recall", "which port?"]);
    assert_eq!(found.parsed()["results"][0]["memory"]["id"], id.as_str());
    let shown = through(&bench, &["show", &id]);
    assert!(shown.stdout.contains("8471"), "{}", shown.stdout);
    let missing = through(&bench, &["--json", "show", "m99"]);
    assert_eq!(
        (missing.code, &missing.error()["kind"]),
        (3, &json!("not_found"))
    );
}

#[test]
fn lines_are_imported_and_exported() {
    let bench = Bench::new();
    let file = bench.file(
        "talk.jsonl",
        crate::bench::lines([json!({"text": "Sow the beans in May"}), json!({"text": ""})]),
    );
    let file = file.to_str().expect("a name");
    let stopped = through(&bench, &["--json", "import", file]);
    assert_eq!(stopped.code, 2, "{}", stopped.stderr);
    let skipped = through(&bench, &["--json", "import", file, "--skip-bad"]);
    let told = skipped.parsed();
    assert_eq!((&told["known"], &told["refused"]), (&json!(1), &json!(1)));
    assert_eq!(skipped.code, 4, "not all of it");
    let exported = through(&bench, &["export"]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    assert!(
        exported.stdout.contains("beans in May"),
        "{}",
        exported.stdout
    );
    let refused = through(&bench, &["--json", "export", "--format", "corpus"]);
    assert_eq!(refused.error()["field"], "server");
}

#[test]
fn what_only_a_store_can_do_is_refused() {
    let bench = Bench::new();
    for arguments in [&["verify"][..], &["backup", "elsewhere"], &["spaces"]] {
        let refused = through(&bench, &[&["--json"], arguments].concat());
        let error = refused.error();
        assert_eq!(error["field"], "server", "{arguments:?}: {error}");
        assert_eq!(refused.code, 2);
    }
}

#[test]
fn a_login_is_kept_until_it_ends() {
    let bench = Bench::new();
    let address = bench.server().address.clone();
    let here = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        command
            .env_remove("ANAMNE_STORE")
            .env_remove("ANAMNE_SERVER");
        crate::bench::RunOutput::from(command.output().expect("the command starts"))
    };
    let logged_in = here(&["login", &address, "--no-key"]);
    assert_eq!(logged_in.code, 0, "{}", logged_in.stderr);
    assert_eq!(here(&["remember", "Sow the beans in May"]).code, 0);
    assert_eq!(
        bench.recall(&["when are beans sown?"]),
        ["Sow the beans in May"]
    );
    assert_eq!(here(&["login", "--end"]).code, 0);
    let local = here(&["recall", "when are beans sown?"]);
    assert_eq!(local.code, 3, "no store on this machine: {}", local.stdout);
}

#[test]
fn an_address_that_sends_a_key_in_the_clear_is_refused() {
    let bench = Bench::new();
    for address in ["http://memory.example.org", "memory.example.org", "ftp://a"] {
        let refused = bench.run(&["--server", address, "recall", "anything"]);
        assert_eq!(refused.code, 2, "{address}: {}", refused.stderr);
    }
    let nobody = bench.run(&["--server", "http://127.0.0.1:9", "recall", "anything"]);
    assert_eq!(nobody.code, 1, "{}", nobody.stderr);
}

#[test]
fn a_host_reaches_the_server_over_stdio() {
    let bench = Bench::new();
    let mut command = bench.command(&["mcp"]);
    command
        .env_remove("ANAMNE_STORE")
        .env("ANAMNE_SERVER", &bench.server().address)
        .stdin(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the relay starts");
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "probe", "version": "1" },
        },
    });
    let store = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "memory_store", "arguments": { "content": "Sow the beans in May" } },
    });
    let search = json!({
        "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": { "name": "memory_search", "arguments": { "query": "when are beans sown?" } },
    });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let mut input = crate::bench::lines([initialize, ready, store]);
    input.push_str("no JSON\n");
    input.push_str(&crate::bench::lines([search]));
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("written");
    drop(stdin);
    let ended: crate::bench::RunOutput = child.wait_with_output().expect("it ends").into();
    let answers: Vec<serde_json::Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(answers.len(), 4, "{}", ended.stdout);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "anamne");
    assert!(answers[1]["result"].to_string().contains("Stored"));
    assert_eq!(answers[2]["error"]["code"], -32700);
    assert!(answers[3]["result"].to_string().contains("beans in May"));
}
