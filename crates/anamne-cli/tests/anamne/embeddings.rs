//! A space uses an embedding model behind an API.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput, lines};

/// A server that embeds texts in eight dimensions, in OpenAI's form.
struct Server {
    url: String,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let known = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.expect("a connection"), &known);
            }
        });
        Self { url, seen }
    }

    /// The texts that it was sent.
    fn texts(&self) -> Vec<String> {
        let seen = self.seen.lock().expect("no panic");
        let texts = |(_, body): &(String, Value)| body["input"].as_array().cloned();
        let texts = seen.iter().filter_map(texts).flatten();
        texts
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    }

    /// The head of the first request.
    fn first_head(&self) -> String {
        self.seen.lock().expect("no panic")[0].0.clone()
    }
}

fn serve(stream: TcpStream, seen: &Mutex<Vec<(String, Value)>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a connection"));
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) <= 2 {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the whole body");
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        // The file of a batch, or a question about one.
        return answer(
            stream,
            "404 Not Found",
            "{\"error\": {\"message\": \"no batches here\"}}",
        );
    };
    let texts = body["input"].as_array().expect("texts").clone();
    seen.lock().expect("no panic").push((head, body));
    let entry = |(index, text): (usize, &Value)| {
        let text = text.as_str().unwrap_or_default();
        let place = |place: u8| text.bytes().filter(|byte| byte % 8 == place).count() + 1;
        let vector: Vec<usize> = (0..8).map(place).collect();
        json!({"index": index, "embedding": vector})
    };
    let data: Vec<Value> = texts.iter().enumerate().map(entry).collect();
    let vectors = json!({"data": data, "usage": {"prompt_tokens": 5 * texts.len()}});
    answer(stream, "200 OK", &vectors.to_string());
}

fn answer(mut stream: TcpStream, status: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // The command may have ended.
    let _ = stream.write_all((head + body).as_bytes());
}

/// Calls tools of `anamne mcp`, one after the other.
fn call_tools(bench: &Bench, calls: &[(&str, Value)]) -> RunOutput {
    let start = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    let call = |(id, (name, arguments)): (u64, &(&str, Value))| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}})
    };
    let input = lines(start.into_iter().chain((2..).zip(calls).map(call)));
    let ran = bench.feed(&["mcp"], input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

fn add_source(bench: &Bench, url: &str) -> Value {
    let add = ["model", "embeddings", "local", "--provider", "openai"];
    bench.json(&[&add[..], &["--url", url]].concat())
}

#[track_caller]
fn refused(bench: &Bench, arguments: &[&str], expected: &[&str]) {
    let ran = bench.run(arguments);
    assert_ne!(ran.code, 0, "{arguments:?} {}", ran.stdout);
    for said in expected {
        assert!(ran.stderr.contains(said), "{arguments:?} {}", ran.stderr);
    }
}

#[test]
fn a_source_is_added_chosen_used_paid_and_removed() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    bench.remember(&["The baker opens at six"]);
    let server = Server::new();
    let added = add_source(&bench, &server.url);
    assert_eq!(added["embeddings"]["local"]["on_this_machine"], true);
    assert_eq!(added["embeddings"]["local"]["url"], server.url);
    let key = bench.feed(
        &["model", "key", "--for", "local", "--file"],
        b"sk-of-local",
    );
    assert_eq!(key.code, 0, "{}", key.stderr);
    assert!(bench.store().join("embeddings-local.key").exists());

    let set = [
        "spaces",
        "set",
        "--query-wait",
        "10000",
        "--model",
        "local:small",
    ];
    let estimate = bench.json(&[&set[..], &["--dry-run"]].concat());
    assert_eq!(
        estimate["model"], "local:small@8",
        "its length was asked for"
    );
    assert_eq!(
        (&estimate["texts"], &estimate["leaves_machine"]),
        (&2.into(), &false.into())
    );
    assert!(server.first_head().contains("sk-of-local"));
    assert_eq!(server.texts().len(), 1);
    let chosen = bench.run(&set);
    assert_eq!(chosen.code, 0, "{}", chosen.stderr);
    assert!(
        chosen.stderr.contains("embeds 2 texts"),
        "{}",
        chosen.stderr
    );
    let state = bench.json(&["stats"])["embedding"].clone();
    assert_eq!(
        state,
        json!({"model": "local:small@8", "answering": "local:small@8"})
    );

    let answer = bench.json(&["recall", "when does the ferry go"]);
    assert_eq!(answer["degraded"], json!([]));
    let new = bench.remember(&["The lighthouse keeper is called Mara"]);
    assert!(
        server
            .texts()
            .iter()
            .any(|text| text.contains("lighthouse")),
        "{new}"
    );
    let costs = bench.json(&["costs", "--by", "model"]);
    assert!(costs.to_string().contains("small"), "{costs}");
    let shown = bench.run(&["spaces", "set"]).stdout;
    assert!(
        shown.contains("local:small@8") && shown.contains("query wait"),
        "{shown}"
    );

    bench.json(&["model", "embeddings", "local", "--remove"]);
    let answer = bench.json(&["recall", "when does the ferry go"]);
    assert_eq!(answer["degraded"], json!(["embedding model local:small@8"]));
    let doctor = bench.run(&["doctor"]).stdout;
    assert!(
        doctor.contains("no source of embeddings called local"),
        "{doctor}"
    );
    refused(
        &bench,
        &["model", "embeddings", "local", "--remove"],
        &["local"],
    );
}

#[test]
fn what_may_cost_money_is_said_and_confirmed() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    let private = ["remember", "The safe opens with 4711", "--tag", "private"];
    assert_eq!(bench.run(&private).code, 0);
    bench.json(&["model", "embeddings", "openai"]);
    let set = ["spaces", "set", "--model", "openai:text-embedding-3-small"];
    let with_key = |extra: &[&str]| {
        let mut command = bench.command(&[&set[..], extra].concat());
        command.env("OPENAI_API_KEY", "sk-1");
        RunOutput::from(command.output().expect("it runs"))
    };
    let without = bench.run(&set);
    assert!(
        without.stderr.contains("no key for api.openai.com")
            && without.stderr.contains("anamne model key --for SOURCE"),
        "{}",
        without.stderr
    );
    let asked = with_key(&[]);
    assert_ne!(asked.code, 0);
    for said in [
        "embeds 1 texts",
        "tokens",
        "$0.0",
        "1 memory marked private",
        "--yes",
    ] {
        assert!(asked.stderr.contains(said), "{said}: {}", asked.stderr);
    }
    let estimate = with_key(&["--dry-run", "--json"]).parsed();
    assert_eq!(
        (&estimate["texts"], &estimate["private"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        bench.json(&["spaces", "set"])["model"],
        "builtin",
        "nothing changed"
    );
}

#[test]
fn what_is_wrong_with_a_source_or_a_model_is_said() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    let add = ["model", "embeddings"];
    let check = |arguments: &[&str], expected: &[&str]| {
        refused(&bench, &[&add[..], arguments].concat(), expected);
    };
    check(&["mine"], &["--provider"]);
    check(&["Mine", "--provider", "openai"], &["lower-case"]);
    check(&["mine", "--provider", "anthropic"], &["openai or gemini"]);
    check(
        &[
            "mine",
            "--provider",
            "openai",
            "--url",
            "http://example.org/v1",
        ],
        &["https"],
    );
    add_source(&bench, "http://127.0.0.1:1/v1");
    let check = |model: &str, expected: &[&str]| {
        refused(&bench, &["spaces", "set", "--model", model], expected);
    };
    check("nowhere:small@8", &["nowhere", "local"]);
    check("local:two words", &["model"]);
    check("local:text-embedding-3-small@4096", &["at most 1536"]);
    check("local:small", &["127.0.0.1"]);
    // The settings are the store's, and may be a stranger's.
    let path = bench.store().join("model.toml");
    let text = std::fs::read_to_string(&path).expect("settings");
    std::fs::write(&path, text.replace("127.0.0.1:1/", "127.0.0.1:2/")).expect("written");
    check("local:small@8", &["not approved", "embeddings"]);
}

#[test]
fn an_agent_works_on_when_the_server_is_gone() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    let server = Server::new();
    add_source(&bench, &server.url);
    bench.json(&["spaces", "set", "--model", "local:small@8"]);
    // Another address behind the same name: nobody listens there.
    add_source(&bench, "http://127.0.0.1:1/v1");
    let ran = call_tools(
        &bench,
        &[
            (
                "memory_store",
                json!({"content": "The baker moved to the harbour"}),
            ),
            (
                "memory_search",
                json!({"query": "where did the baker move"}),
            ),
        ],
    );
    assert!(
        ran.stdout.contains("moved to the harbour"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("embedding model"), "{}", ran.stdout);
}

#[test]
fn what_a_space_accepts_is_set_shown_and_kept_to() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    let accepts = [
        "--kinds",
        "fact,message",
        "--quality",
        "0.2",
        "--duplicates",
        "semantic",
    ];
    let budget = [
        "--similarity",
        "0.9",
        "--daily-dollars",
        "0.5",
        "--monthly-tokens",
        "100000",
    ];
    let set = bench.json(&[&["spaces", "set"], &accepts[..], &budget[..]].concat());
    assert_eq!(set["kinds"], json!(["fact", "message"]));
    assert_eq!(
        (&set["quality"], &set["similarity"]),
        (&0.2.into(), &0.9.into())
    );
    assert_eq!(set["duplicates"], "semantic");
    assert_eq!(set["budgets"]["daily_dollars"], 0.5);
    let listed = bench.json(&["spaces"]);
    assert_eq!(listed["spaces"][0]["settings"]["duplicates"], "semantic");
    let shown = bench.run(&["spaces", "set"]).stdout;
    for said in [
        "fact, message",
        "quality from 0.2",
        "semantic from 0.9",
        "$0.50 a day",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    refused(
        &bench,
        &["think", "Perhaps the ferry is always late in winter storms"],
        &["fact, message"],
    );
    refused(&bench, &["remember", "ok"], &["intake.quality"]);
    for (arguments, said) in [
        ("--kinds=rumour", "rumour"),
        ("--duplicates=fuzzy", "exact"),
        ("--similarity=0.2", "0.5 to 1"),
        ("--quality=2", "intake.quality"),
        ("--daily-dollars=-1", "budgets.daily_dollars"),
        ("--query-wait=60000", "embedding.query_wait_ms"),
    ] {
        let set = ["spaces", "set", arguments];
        let ran = bench.run(&set);
        assert_ne!(ran.code, 0, "{set:?}");
        assert!(ran.stderr.contains(said), "{set:?}: {}", ran.stderr);
    }
    let ran = call_tools(
        &bench,
        &[
            ("memory_store", json!({"content": "ok"})),
            (
                "memory_store",
                json!({"content": "The winter storms delay every ferry", "kind": "thought"}),
            ),
            (
                "memory_store",
                json!({"content": "Every ferry is delayed by storms in the winter months"}),
            ),
        ],
    );
    for said in ["intake.quality", "intake.kinds", "Stored as"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    // The file says what each setting means, and an error in it names file and key.
    let space = bench.json(&["spaces"])["here"]
        .as_str()
        .expect("a name")
        .to_owned();
    let path = bench.store().join("spaces").join(space).join("space.toml");
    let file = std::fs::read_to_string(&path).expect("settings");
    assert!(
        file.contains("# What counts as a duplicate: exact"),
        "{file}"
    );
    std::fs::write(&path, file.replace("similarity = 0.9", "similarity = 9.0")).expect("written");
    refused(&bench, &["list"], &["space.toml", "intake.similarity"]);
}

#[test]
fn a_rewording_says_which_memory_keeps_its_words() {
    let bench = Bench::new();
    let known = bench.json(&[
        "remember",
        "The harbour office keeps its ledger in the blue cabinet",
    ]);
    bench.json(&[
        "spaces",
        "set",
        "--duplicates",
        "semantic",
        "--similarity",
        "0.8",
    ]);
    let told = "In the blue cabinet the harbour office keeps its ledger";
    let reworded = bench.json(&["remember", told]);
    assert_eq!(
        (&reworded["duplicate"], &reworded["id"]),
        (&true.into(), &known["id"])
    );
    let kept = reworded["rewording"].as_str().expect("the words are kept");
    let shown = bench.run(&["show", kept]).stdout;
    assert!(shown.contains(told), "{shown}");
    let said = bench.run(&[
        "remember",
        "The ledger of the harbour office is kept in the blue cabinet",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
}

#[test]
fn a_change_of_the_model_is_sent_in_a_batch_and_listed() {
    let bench = Bench::new();
    let server = Server::new();
    bench.remember(&["The ferry leaves at seven"]);
    bench.remember(&["The baker opens at six"]);
    add_source(&bench, &server.url);
    let set = ["spaces", "set", "--batch-from", "2", "--query-wait=0"];
    let shown = bench.run(&set);
    assert!(shown.stdout.contains("builtin"), "{}", shown.stdout);
    let chosen = bench.run(&["spaces", "set", "--model", "local:small@8"]);
    assert_eq!(chosen.code, 0, "{}", chosen.stderr);
    assert!(chosen.stdout.contains("batches from"), "{}", chosen.stdout);
    // This server has no batches, which is noticed, listed and got around.
    let listed = bench.json(&["tasks"])["batches"].clone();
    assert_eq!(
        (
            &listed[0]["model"],
            &listed[0]["texts"],
            &listed[0]["answered"]
        ),
        (&json!("local:small@8"), &json!(2), &json!(0)),
        "{listed}"
    );
    let outcome = listed[0]["outcome"].as_str().unwrap_or_default();
    assert!(outcome.contains("no batches here"), "{outcome}");
    let lines = bench.run(&["tasks"]).stdout;
    assert!(lines.contains("2 texts for local:small@8"), "{lines}");
    let state = bench.json(&["stats"])["embedding"].clone();
    assert_eq!(state["answering"], "local:small@8", "{state}");
    assert_eq!(server.texts().len(), 2);
    refused(
        &bench,
        &["spaces", "set", "--batch-from=-1"],
        &["--batch-from"],
    );
}
