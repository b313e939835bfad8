//! Commands against a server of an earlier version, which lacks routes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput};

/// Routes that the earlier version lacks, by the end of their path, with its answer.
const MISSING: [(&str, &str, u16); 2] = [
    ("POST", "/memories/enrichment", 405),
    ("POST", "/members", 404),
];

/// A server in front of that of the bench, which answers as one of an earlier version does. `version` is what it says of
/// itself; without one, it says nothing.
fn older(bench: &Bench, version: Option<&'static str>) -> String {
    let behind = bench.server().address.clone();
    let behind = behind.strip_prefix("http://").expect("HTTP").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let client = client.expect("a client");
            let behind = behind.clone();
            // A client that goes in between is of no interest.
            std::thread::spawn(move || drop(answer(client, &behind, version)));
        }
    });
    address
}

/// Answers one request, and ends the connection.
fn answer(client: TcpStream, behind: &str, version: Option<&str>) -> std::io::Result<()> {
    let mut from = BufReader::new(client.try_clone()?);
    let (mut first, mut head, mut length) = (String::new(), String::new(), 0);
    from.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let (name, value) = line.trim().split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "" => break,
            "content-length" => length = value.trim().parse().expect("a length"),
            "connection" | "host" => continue,
            _ => {}
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let mut to = client;
    if path == "/openapi.json" {
        let said = json!({ "info": { "version": version } });
        let status = if version.is_some() { 200 } else { 500 };
        return send(&mut to, status, &said);
    }
    let missing = MISSING
        .iter()
        .find(|(of, end, _)| *of == method && path.ends_with(end));
    if let Some((_, _, status)) = missing {
        let (kind, detail) = if *status == 405 {
            ("method_not_allowed", "see /openapi.json")
        } else {
            ("not_found", "no such route; see /openapi.json")
        };
        let problem = json!({
            "type": format!("urn:anamne:problem:{kind}"), "title": "None", "status": status, "detail": detail,
        });
        return send(&mut to, *status, &problem);
    }
    if path.ends_with("/prompt") && String::from_utf8_lossy(&body).contains("\"zone\":") {
        let problem = json!({
            "type": "urn:anamne:problem:refused", "title": "None", "status": 422,
            "detail": "the body: unknown field `zone`, expected one of `prompt`, `shown`",
        });
        return send(&mut to, 422, &problem);
    }
    let mut server = TcpStream::connect(behind)?;
    server.write_all(first.as_bytes())?;
    server.write_all(b"Host: localhost\r\nConnection: close\r\n")?;
    server.write_all(head.as_bytes())?;
    server.write_all(b"\r\n")?;
    server.write_all(&body)?;
    std::io::copy(&mut server, &mut to).map(drop)
}

fn send(to: &mut TcpStream, status: u16, said: &Value) -> std::io::Result<()> {
    let said = said.to_string();
    let length = said.len();
    write!(
        to,
        "HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{said}"
    )
}

fn against(bench: &Bench, address: &str, arguments: &[&str]) -> RunOutput {
    let mut command = bench.command(arguments);
    command
        .env_remove("ANAMNE_STORE")
        .env("ANAMNE_SERVER", address);
    command.output().expect("the command starts").into()
}

#[test]
fn enrichment_is_asked_for_each_memory_where_it_can_not_be_for_all() {
    let bench = Bench::new();
    bench.remember(&["We decided to use Postgres as the database because it is reliable"]);
    bench.remember(&["Fixed the crash of the importer on empty files"]);
    bench.json(&["enrich"]);
    let here = bench.json(&["list"]);
    let noted = here["enrichment"].as_object().expect("enrichment");
    assert!(!noted.is_empty(), "{here}");
    let there = against(&bench, &older(&bench, None), &["--json", "list"]);
    assert_eq!(there.code, 0, "{}", there.stderr);
    assert_eq!(there.parsed()["enrichment"], here["enrichment"]);
}

#[test]
fn a_missing_route_is_said_with_both_versions() {
    let bench = Bench::new();
    bench.remember(&["Lunch is at noon"]);
    bench.json(&["--space", "team", "remember", "Dinner is at six"]);
    let command = env!("CARGO_PKG_VERSION");
    let add = ["--json", "spaces", "add", "m1", "--to", "team"];
    for (version, said) in [
        (Some("0.0.9"), "server 0.0.9"),
        (None, "server of an unknown version"),
        (Some("9; rm -rf /"), "server of an unknown version"),
    ] {
        let refused = against(&bench, &older(&bench, version), &add);
        assert_eq!(refused.code, 1, "{}", refused.stderr);
        let error = refused.error();
        let message = error["message"].as_str().expect("a message");
        let versions = format!("({said}, command {command})");
        assert!(
            message.starts_with("the server is older than this command: it has no route POST /v1/")
                && message.ends_with(&versions),
            "{message}"
        );
        let hint = error["hint"].as_str().expect("a hint");
        assert!(hint.contains("update the server"), "{hint}");
    }
    // What is not there on a server of this version is something else.
    let missing = against(&bench, &older(&bench, Some("0.0.9")), &["show", "m99"]);
    assert_eq!(missing.code, 3, "{}", missing.stderr);
}

#[test]
fn prompts_are_answered_by_a_server_that_knows_no_time_zones_of_prompts() {
    let bench = Bench::new();
    let told = ["remember", "The staging server listens on port 8471"];
    bench.run(&[&["--space", "unfiled"], &told[..]].concat());
    let address = older(&bench, None);
    // A busy machine may exceed the time of a hook.
    let mut asked = (0..20).map(|attempt| {
        let input = json!({
            "session_id": format!("s{attempt}"), "hook_event_name": "UserPromptSubmit",
            "prompt": "which port does the staging server listen on?",
        });
        let mut command = bench.command(&["hook", "prompt", "--host", "claude-code"]);
        command
            .env_remove("ANAMNE_STORE")
            .env("ANAMNE_SERVER", &address)
            .stdin(bench.stdin_of(&input.to_string()));
        RunOutput::from(command.output().expect("the command starts")).stdout
    });
    let answered = asked.find(|text| !text.trim().is_empty());
    let answered = answered.unwrap_or_default();
    assert!(answered.contains("8471"), "{answered}");
}
