//! Commands against a server.

use std::io::{Read, Write};

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
    assert_eq!(stopped.code, 1, "{}", stopped.stderr);
    let error = stopped.error();
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("talk.jsonl:2: "), "{error}");
    let taken = json!({ "imported": 1, "known": 0, "links": 0 });
    assert_eq!(error["taken"], taken);
    let skipped = through(&bench, &["--json", "import", file, "--skip-bad"]);
    let told = skipped.parsed();
    assert_eq!(
        (&told["known"], &told["bad"][0]["line"]),
        (&json!(1), &json!(2))
    );
    let exported = through(&bench, &["export"]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    assert_eq!(exported.stdout.lines().count(), 1, "{}", exported.stdout);
    assert!(
        exported.stdout.contains("beans in May"),
        "{}",
        exported.stdout
    );
    let written = bench.folder().join("all.jsonl");
    let written = written.to_str().expect("a name");
    let told = through(&bench, &["--json", "export", "--output", written]).parsed();
    assert_eq!(told["exported"], 1);
    let written = std::fs::read_to_string(written).expect("a file");
    assert_eq!(written, exported.stdout);
    let refused = through(&bench, &["--json", "export", "--format", "corpus"]);
    assert_eq!(refused.error()["field"], "server");
}

#[test]
fn what_only_a_store_can_do_is_refused_with_what_to_do_instead() {
    let bench = Bench::new();
    for arguments in [
        &["backup", "elsewhere"][..],
        &["repair"],
        &["rewind", "--at", "yesterday", "--into", "old"],
        &["guard"],
        &["model"],
        &["costs"],
        &["keys", "list"],
        &["tenants", "list"],
        &["spaces", "split", "one", "two"],
        &["spaces", "join", "one", "other"],
        &["summaries", "--reword"],
        &["import", "--from", "claude-code"],
        &["spaces", "set", "--model", "builtin", "--dry-run"],
    ] {
        let refused = through(&bench, &[&["--json"], arguments].concat());
        let error = refused.error();
        assert!(
            ["server", "dry_run"].contains(&error["field"].as_str().unwrap_or_default()),
            "{arguments:?}: {error}"
        );
        assert!(error["hint"].is_string(), "{arguments:?}: {error}");
        assert_eq!(refused.code, 2);
    }
}

#[test]
fn a_deletion_through_a_server_says_what_it_could_not_reach() {
    let bench = Bench::new();
    bench.json(&["--space", "recipes", "remember", "Rhubarb needs sugar"]);
    bench.json(&["--space", "recipes", "backup", "copy"]);
    let preview = ["--json", "spaces", "delete", "recipes"];
    let shown = through(&bench, &preview).parsed();
    assert_eq!(shown["preview"]["memories"], 1, "{shown}");
    let copy = shown["preview"]["backups"][0].as_str().expect("a folder");
    assert!(copy.ends_with("copy"), "{shown}");
    let (copy, away) = (bench.folder().join("copy"), bench.folder().join("away"));
    std::fs::rename(&copy, &away).expect("moved");
    let agreed = [&preview[..], &["--yes", "recipes"]].concat();
    let deleted = through(&bench, &agreed);
    assert_eq!(deleted.code, 4, "{}", deleted.stderr);
    let deleted = deleted.parsed();
    assert_eq!(
        (&deleted["complete"], &deleted["unreached_count"]),
        (&json!(false), &json!(1)),
        "{deleted}"
    );
    assert_eq!(through(&bench, &agreed).code, 3);
}

#[test]
fn a_deletion_through_a_server_needs_the_right_to_erase_and_names_the_keys_that_lose_it() {
    let bench = Bench::new();
    bench.json(&["--space", "recipes", "remember", "Rhubarb needs sugar"]);
    let key = |arguments: &[&str]| {
        let made = bench.json(&[&["keys", "create"], arguments].concat());
        made["key"].as_str().expect("a key").to_owned()
    };
    let writer = key(&["ada", "--spaces", "recipes,core"]);
    let operator = key(&["operator", "--role", "admin", "--all-spaces"]);
    let with = |key: &str, arguments: &[&str]| {
        let mut command = bench.command(arguments);
        command
            .env_remove("ANAMNE_STORE")
            .env("ANAMNE_SERVER", &bench.server().address)
            .env("ANAMNE_KEY", key);
        crate::bench::RunOutput::from(command.output().expect("the command starts"))
    };
    let delete = ["--json", "spaces", "delete", "recipes", "--yes", "recipes"];
    let denied = with(&writer, &delete);
    assert!(denied.stderr.contains("\"denied\""), "{}", denied.stderr);
    assert_eq!(denied.stdout, "");
    let deleted = with(&operator, &delete);
    assert_eq!(deleted.code, 0, "{}", deleted.stderr);
    let lost = &deleted.parsed()["keys"][0];
    assert_eq!(
        (&lost["name"], &lost["revoked"]),
        (&json!("ada"), &json!(false))
    );
    // Another space of the name is not for that key.
    bench.json(&["--space", "recipes", "remember", "Leeks need sand"]);
    let asked = ["--json", "--space", "recipes", "list"];
    assert_eq!(with(&writer, &asked).code, 3);
    assert_eq!(with(&operator, &asked).code, 0);
    let listed = bench.run(&["keys", "list"]);
    assert!(
        listed.stdout.contains("recipes, deleted"),
        "{}",
        listed.stdout
    );
}

/// Requests that the server of a bench has answered on this route.
fn requests(bench: &Bench, route: &str) -> u64 {
    let address = bench.server().address.strip_prefix("http://");
    let mut connection = std::net::TcpStream::connect(address.expect("an address")).expect("it");
    let asked = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    connection.write_all(asked).expect("sent");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("read");
    let named = format!("route=\"{route}\"");
    let counts = answer.lines().filter(|line| {
        line.starts_with("anamne_http_request_seconds_count") && line.contains(&named)
    });
    let counts = counts.map(|line| line.rsplit(' ').next().expect("a count"));
    counts
        .map(|count| count.parse::<u64>().expect("a number"))
        .sum()
}

#[test]
fn what_rules_note_is_asked_for_at_once() {
    let bench = Bench::new();
    for number in 0..12 {
        bench.remember(&[&format!("Use Redis for the sessions of service {number}.")]);
    }
    bench.json(&["enrich"]);
    for arguments in [
        &["list", "-k", "12"][..],
        &["recall", "which store has the sessions?", "-k", "5"],
        &[
            "recall",
            "--across",
            "all",
            "which store has the sessions?",
            "-k",
            "5",
        ],
    ] {
        let arguments = [&["--json"], arguments].concat();
        let each = "/v1/spaces/{space}/memories/enrichment";
        let one = "/v1/spaces/{space}/memories/{id}/enrichment";
        let before = (requests(&bench, each), requests(&bench, one));
        let told = through(&bench, &arguments);
        assert_eq!(told.code, 0, "{arguments:?}: {}", told.stderr);
        let told = told.stdout;
        assert!(told.contains("\"enrichment\""), "{arguments:?}: {told}");
        let after = (requests(&bench, each), requests(&bench, one));
        assert_eq!(after, (before.0 + 1, before.1), "{arguments:?}");
    }
}

/// A store of a little of everything.
fn furnished() -> Bench {
    let bench = Bench::new();
    for (text, at) in [
        ("The nightly backup takes 40 minutes.", "2026-03-01"),
        ("The nightly backup takes 25 minutes.", "2026-03-02"),
        ("Mara Lind works at Hafen GmbH.", "2026-03-03"),
        ("Use Redis for the sessions.", "2026-03-04"),
    ] {
        bench.remember(&[text, "--at", at, "--kind", "fact"]);
    }
    for arguments in [
        &["link", "m1", "m2", "--type", "contradicts"][..],
        &["knowledge", "relation", "Mara Lind", "leads", "Team Anker"],
        &[
            "knowledge",
            "entity",
            "Anker",
            "--type",
            "organisation",
            "--tag",
            "crew",
            "--tag",
            "night",
        ],
        &[
            "knowledge",
            "entity",
            "Boje",
            "--type",
            "organisation",
            "--tag",
            "crew",
            "--attribute",
            "port=Emden",
            "--attribute",
            "flag=a&b=c",
        ],
        &[
            "experience",
            "outcome",
            "cargo",
            "test",
            "--error",
            "linker not found",
        ],
        &["experience", "lesson", "Look first", "Read the log."],
        &["working", "set", "branch", "login"],
        &["feedback", "m3", "useful"],
        &["enrich"],
        &["extract"],
    ] {
        bench.json(arguments);
    }
    let stored = bench.feed(&["cache", "store", "anamne release"], b"Version one");
    assert_eq!(stored.code, 0, "{}", stored.stderr);
    bench
}

#[test]
fn a_command_prints_the_same_from_a_store_and_through_a_server() {
    let bench = furnished();
    for arguments in [
        &["list"][..],
        &["list", "--sort", "importance", "-k", "2"],
        &["history", "m3"],
        &["audit"],
        &[
            "audit",
            "--actor",
            "user",
            "--memory",
            "m3",
            "--oldest-first",
        ],
        &["knowledge"],
        &["knowledge", "list", "--all"],
        &["knowledge", "list", "--find", "harbour"],
        &["knowledge", "list", "--tag", "crew", "--tag", "night"],
        &[
            "knowledge",
            "list",
            "--where",
            "port=Emden",
            "--where",
            "flag=a&b=c",
            "--tag",
            "crew",
        ],
        &["knowledge", "show", "Mara Lind"],
        &["knowledge", "show", "Mara Lind", "--frames"],
        &["knowledge", "suggestions"],
        &["graph", "Mara Lind", "--steps", "2"],
        &["resolve"],
        &["resolve", "--all"],
        &["check", "--topic", "nightly backup"],
        &["check", "--claim", "The nightly backup takes 9 minutes."],
        &["summaries", "--by", "month"],
        &["consolidate", "--insights"],
        &["experience", "ask", "--error", "linker not found"],
        &["experience", "skills"],
        &["experience", "lessons"],
        &["experience", "history", "backup"],
        &["experiment"],
        &["experiment", "strategies"],
        &["working"],
        &["cache", "list"],
        &["cache", "savings"],
        &["meta", "topics"],
        &["meta", "quality"],
        &["tiers"],
        &["retention"],
        &["enrich", "m4"],
        &["enrich", "status"],
        &["spaces", "set"],
        &["export"],
    ] {
        for json in [&[][..], &["--json"]] {
            let arguments = [json, arguments].concat();
            let here = bench.run_here(&arguments);
            let there = through(&bench, &arguments);
            assert_eq!(
                (there.code, there.stdout),
                (here.code, here.stdout),
                "{arguments:?}: {}",
                there.stderr
            );
        }
    }
}

#[test]
fn a_failure_is_the_same_from_a_store_and_through_a_server() {
    let bench = furnished();
    for (arguments, code) in [
        (&["show", "m99"][..], 3),
        (&["history", "none"], 2),
        (&["knowledge", "show", "Nobody"], 3),
        (&["knowledge", "list", "--find", " "], 2),
        (&["knowledge", "merge", "Mara Lind", "Mara Lind"], 2),
        (&["resolve", "ffffffff"], 3),
        (&["check", "m1", "m99"], 3),
        (&["check", "--claim", " "], 2),
        (&["tasks", "cancel", "999"], 3),
        (&["tasks", "retry", "999"], 3),
        (&["experiment", "show", "none"], 3),
        (&["experiment", "stop", "none"], 3),
        (&["cache", "used", "99", "m1"], 3),
        (&["working", "remove", "none"], 3),
        (&["experiment", "start", "one", "default", "luck"], 2),
        (&["experience", "keep", "nothing"], 3),
        (&["experience", "lessons", "--keep", "nothing"], 3),
        (&["experience", "lessons", "--set-aside", "nothing"], 3),
        (&["feedback", "m99", "useful"], 3),
        (&["feedback", "q99", "useful"], 3),
        (&["working", "set", "", "x"], 2),
        (&["enrich", "m1", "--remove", "colour"], 2),
        (&["spaces", "set", "--similarity", "7"], 2),
        (&["spaces", "set", "--retention-days", "30"], 2),
        (&["restore", "m1"], 2),
        (&["meta", "log", "-k", "0"], 2),
        (&["--space", "nowhere", "stats"], 3),
    ] {
        let arguments = [&["--json"], arguments].concat();
        let (here, there) = (bench.run_here(&arguments), through(&bench, &arguments));
        let (was, is) = (here.error(), there.error());
        assert_eq!(here.code, code, "{arguments:?}: {was}");
        assert_eq!(there.code, code, "{arguments:?}: {is}");
        for name in ["kind", "field", "next_step"] {
            assert_eq!(is[name], was[name], "{arguments:?}: {is}, not {was}");
        }
    }
}

#[test]
fn spaces_are_made_listed_and_examined_on_the_server() {
    let bench = Bench::new();
    let made = through(&bench, &["--json", "--space", "garden", "init"]).parsed();
    assert_eq!(
        (&made["created"], &made["folder"]),
        (&json!(true), &json!(null))
    );
    let again = through(&bench, &["--json", "--space", "garden", "init"]).parsed();
    assert_eq!(again["created"], false);
    let listed = through(&bench, &["--json", "spaces"]).parsed();
    assert_eq!(listed["store"], bench.server().address.as_str());
    assert_eq!(listed["spaces"][0]["name"], "garden");
    assert_eq!(
        listed["spaces"][0]["settings"]["active_days"], 30,
        "{listed}"
    );
    let here = bench.json(&["spaces"]);
    assert_eq!(listed["spaces"], here["spaces"]);
    for command in ["verify", "doctor"] {
        let examined = through(&bench, &["--json", command]);
        assert_eq!(examined.code, 0, "{command}: {}", examined.stderr);
        assert_eq!(examined.parsed()["spaces"][0]["space"], "garden");
    }
    let ran = through(&bench, &["--json", "--space", "garden", "tasks", "run"]).parsed();
    assert_eq!(ran, json!({ "begun": true }));
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
