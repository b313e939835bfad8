//! REST: import and export as streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::served::{Reply, Served};

const IMPORT: &str = "/v1/spaces/core/import";
const LINES: (&str, &str) = ("content-type", "application/x-ndjson");

fn import(server: &Served, query: &str, lines: &str) -> Reply {
    server.send(
        "POST",
        &format!("{IMPORT}{query}"),
        &[LINES],
        Some(lines.as_bytes()),
    )
}

#[test]
fn a_changed_line_edits_its_memory_if_the_import_updates() {
    let server = Served::start();
    let line = |text: &str| json!({ "id": "port", "text": text }).to_string() + "\n";
    import(&server, "", &line("Staging listens on port 8471")).expect(200);
    let changed = line("Staging listens on port 9000");
    let refused = import(&server, "", &changed).problem(422);
    assert_eq!(refused["next_step"], "import_updates", "{refused}");
    let path = format!("{IMPORT}?updates=true");
    let headers = [LINES, ("accept", "application/x-ndjson")];
    let reply = server.send("POST", &path, &headers, Some(changed.as_bytes()));
    let told = lines_of(&reply);
    assert_eq!(told[0]["updated"], true, "{told:?}");
    assert_eq!(told[1]["report"]["updated"], 1, "{told:?}");
    let id = told[0]["id"].as_str().expect("an id");
    let memory = server
        .get(&format!("/v1/spaces/core/memories/{id}"))
        .expect(200);
    assert_eq!(
        memory["content"], "Staging listens on port 9000",
        "{memory}"
    );
    let report = import(&server, "?updates=true", &changed).expect(200);
    assert_eq!(report["report"]["known"], 1, "{report}");
    assert!(report["report"].get("updated").is_none(), "{report}");
}

/// A line for each number, with its text.
fn lines(numbers: std::ops::Range<u32>, text: impl Fn(u32) -> String) -> String {
    let lines = numbers.map(|number| json!({ "text": text(number) }).to_string() + "\n");
    lines.collect()
}

fn lines_of(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    let lines = reply.text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn count(server: &Served, space: &str) -> u64 {
    let space = server.get(&format!("/v1/spaces/{space}")).expect(200);
    space["statistics"]["memories"].as_u64().expect("a number")
}

fn connect(server: &Served, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a timeout");
    stream
        .write_all(format!("{head}\r\nhost: localhost\r\n\r\n").as_bytes())
        .expect("sent");
    stream
}

#[test]
fn what_is_exported_is_imported_elsewhere() {
    let server = Served::start();
    let line = "{\"text\": \"note 0 of the harbour\"}\n";
    import(&server, "", line).expect(200);
    let lines = lines(0..300, |number| format!("note {number} of the harbour"));
    let report = import(&server, "", &lines).expect(200);
    assert_eq!(
        (&report["report"]["imported"], &report["report"]["known"]),
        (&json!(299), &json!(1))
    );
    let link = json!({ "from": "m1", "to": "m2", "type": "related" });
    server.post("/v1/spaces/core/links", &link).expect(201);
    server
        .send("DELETE", "/v1/spaces/core/memories/m3", &[], None)
        .expect(200);

    let exported = server.get("/v1/spaces/core/export");
    assert_eq!(lines_of(&exported).len(), 299);
    assert_eq!(
        lines_of(&server.get("/v1/spaces/core/export?forgotten=true")).len(),
        300
    );
    let path = "/v1/spaces/copy/import?trusted=true";
    let copied = server.send("POST", path, &[LINES], Some(exported.text.as_bytes()));
    let copied = copied.expect(200);
    assert_eq!(
        (&copied["report"]["imported"], &copied["report"]["links"]),
        (&json!(299), &json!(1))
    );
    let again = server.send("POST", path, &[LINES], Some(exported.text.as_bytes()));
    assert_eq!(again.expect(200)["report"]["known"], 299);
    let copy = server.get("/v1/spaces/copy/export");
    let without_place = |reply: &Reply| -> Vec<Value> {
        let mut lines = lines_of(reply);
        for line in &mut lines {
            for field in ["space", "row", "seq", "version", "updated_at"] {
                line.as_object_mut().expect("a memory").remove(field);
            }
        }
        lines
    };
    assert_eq!(without_place(&copy), without_place(&exported));
    let reported = lines_of(&server.get("/v1/spaces/core/export?report=true"));
    assert_eq!(reported.len(), 300);
    assert_eq!(
        reported.last(),
        Some(&json!({ "report": { "exported": 299 } }))
    );
    server.get("/v1/spaces/nowhere/export").problem(404);
}

const FILE: (&str, &str) = ("content-type", "application/octet-stream");

fn import_file(server: &Served, path: &str, file: &[u8]) -> Reply {
    server.send("POST", path, &[FILE], Some(file))
}

#[test]
fn an_export_file_brings_a_space_with_its_history() {
    let server = Served::start();
    import(
        &server,
        "",
        &lines(0..200, |number| format!("note {number} of the harbour")),
    )
    .expect(200);
    let edit = json!({ "content": "note 0 of the pier" });
    server
        .json("PATCH", "/v1/spaces/core/memories/m1", &[], &edit)
        .expect(200);
    server
        .send("DELETE", "/v1/spaces/core/memories/m2", &[], None)
        .expect(200);
    let (status, file) = server.download("/v1/spaces/core/export?format=binary&with=observed", &[]);
    assert_eq!(status, 200);
    let accept = [("accept", "application/octet-stream")];
    let (_, same) = server.download("/v1/spaces/core/export", &accept);
    for file in [&file, &same] {
        assert!(anamne::is_export_file(file.as_slice()).expect("read"));
    }
    assert!(!server.store().read_dir().expect("a folder").any(|entry| {
        let name = entry.expect("an entry").file_name();
        name.to_string_lossy().starts_with("export-")
    }));

    // Trusted, with history; sent again, nothing changes.
    let path = "/v1/spaces/copy/import?trusted=true";
    let report = import_file(&server, path, &file).expect(200);
    assert_eq!(report["trusted"], true, "{report}");
    let copied = &report["spaces"][0];
    assert_eq!(
        (&copied["space"], &copied["exported"]),
        (&json!("copy"), &json!("core"))
    );
    assert_eq!(
        (&copied["memories"], &copied["known"]),
        (&json!(199), &json!(false))
    );
    let again = import_file(&server, path, &file).expect(200);
    assert_eq!(again["spaces"][0]["known"], true);
    let history = server
        .get("/v1/spaces/copy/memories/m1/history")
        .expect(200);
    assert_eq!(
        history["versions"].as_array().map(Vec::len),
        Some(2),
        "{history}"
    );

    // Untrusted, as an import of lines.
    let path = "/v1/spaces/plain/import?from=core";
    let report = import_file(&server, path, &file).expect(200);
    assert_eq!(report["spaces"][0]["import"]["imported"], 200, "{report}");
    assert_eq!(count(&server, "plain"), 199);
    server.get("/v1/spaces/plain/memories/m1").expect(200);

    for (path, status) in [
        ("/v1/spaces/new/import?from=elsewhere", 422),
        ("/v1/spaces/plain/import?trusted=true", 409),
        ("/v1/spaces/new/import?colour=red", 422),
    ] {
        let refused = import_file(&server, path, &file);
        let expected = if status == 409 {
            refused.status
        } else {
            status
        };
        assert!(
            (400..500).contains(&refused.status),
            "{path}: {}",
            refused.text
        );
        refused.problem(expected);
    }
    for bad in ["?format=binary&with=secrets", "?format=paper", "?with=paid"] {
        let refused = server.get(&format!("/v1/spaces/core/export{bad}"));
        refused.problem(422);
    }
    server
        .get("/v1/spaces/nowhere/export?format=binary")
        .problem(404);
}

#[test]
fn a_damaged_cut_off_or_oversized_file_changes_nothing() {
    let server = Served::start();
    import(
        &server,
        "",
        &lines(0..50, |number| format!("note {number}")),
    )
    .expect(200);
    let (_, file) = server.download("/v1/spaces/core/export?format=binary", &[]);
    let mut changed = file.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 0x55;
    let path = "/v1/spaces/new/import";
    for bad in [&changed[..], &file[..middle], &[], b"no file at all"] {
        for query in ["", "?trusted=true"] {
            import_file(&server, &format!("{path}{query}"), bad).problem(422);
        }
    }
    let compressed = [FILE, ("content-encoding", "gzip")];
    server
        .send("POST", path, &compressed, Some(&file))
        .problem(415);
    // Refused by its declared length, before anything is read.
    let mut stream = connect(
        &server,
        &format!(
            "POST {path} HTTP/1.1\r\ncontent-type: application/octet-stream\r\ncontent-length: 1073741825"
        ),
    );
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 413");
    // Cut off while it is sent.
    let mut stream = connect(
        &server,
        &format!(
            "POST {path} HTTP/1.1\r\ncontent-type: application/octet-stream\r\ncontent-length: {}",
            file.len()
        ),
    );
    stream.write_all(&file[..middle]).expect("sent");
    stream.shutdown(std::net::Shutdown::Write).expect("shut");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(!answer.contains(" 200 "), "{answer}");
    server.get("/v1/spaces/new").problem(404);
    let left = std::fs::read_dir(server.store()).expect("a folder");
    let left: Vec<_> = left
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name.to_string_lossy().contains(".tmp-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_export_file_needs_the_right_to_configure_and_to_vouch() {
    let server = Served::start();
    import(&server, "", "{\"text\": \"one\"}\n").expect(200);
    let (_, file) = server.download("/v1/spaces/core/export?format=binary", &[]);
    let store = anamne::Store::open(server.store()).expect("the store");
    let records = store.server_records().expect("the records");
    let key = |name: &str, rights: Vec<anamne::Right>| {
        let wanted = anamne::NewKey {
            rights,
            ..anamne::NewKey::named(name)
        };
        format!("Bearer {}", records.create_key(&wanted).expect("a key").key)
    };
    let (plain, trusted) = (
        key("ada", Vec::new()),
        key("ben", vec![anamne::Right::Trust, anamne::Right::Configure]),
    );
    let path = "/v1/spaces/core/export?format=binary";
    assert_eq!(server.download(path, &[("authorization", &plain)]).0, 403);
    assert_eq!(server.download(path, &[("authorization", &trusted)]).0, 200);
    let send = |key: &str, path: &str| {
        server.send("POST", path, &[FILE, ("authorization", key)], Some(&file))
    };
    send(&plain, "/v1/spaces/new/import?trusted=true").problem(403);
    send(&plain, "/v1/spaces/new/import").expect(200);
    send(&trusted, "/v1/spaces/equal/import?trusted=true").expect(200);
    send(&plain, "/v1/spaces/~ben.mine/import").problem(404);
}

#[test]
fn each_line_has_its_outcome() {
    let server = Served::start();
    let lines = "{\"text\": \"one\"}\n\nnot JSON\n{\"text\": \"one\"}\n{\"text\": \"two\"}\n";
    let headers = [LINES, ("accept", "application/x-ndjson")];
    let path = format!("{IMPORT}?bad_lines=skip");
    let told = lines_of(&server.send("POST", &path, &headers, Some(lines.as_bytes())));
    let line = |number: u64| {
        told.iter()
            .find(|told| told["line"] == number)
            .expect("told")
    };
    assert!(line(1)["id"].is_string());
    assert!(line(3)["problem"].is_string());
    assert_eq!(
        (&line(4)["id"], &line(4)["known"]),
        (&line(1)["id"], &json!(true))
    );
    assert!(line(5)["id"].is_string());
    let end = told.last().expect("an end");
    assert_eq!(
        (&end["report"]["imported"], &end["refused"]),
        (&json!(2), &json!(1))
    );

    let stopped = server.send(
        "POST",
        IMPORT,
        &headers,
        Some(b"{\"text\": \"three\"}\nnot JSON\n{\"text\": \"four\"}\n"),
    );
    let stopped = lines_of(&stopped);
    assert_eq!(stopped.last().expect("an end")["problem"]["status"], 422);
    let report = import(&server, "", "{\"text\": \"five\"}\nnot JSON\n").problem(422);
    assert!(report["detail"].to_string().contains("line 2"), "{report}");
    let stopped = &report["stopped"];
    assert_eq!(
        (&stopped["line"], &stopped["imported"], &stopped["known"]),
        (&json!(2), &json!(1), &json!(0))
    );
    assert_eq!(count(&server, "core"), 4);

    let lines = "{\"text\": \"six\", \"links\": [{\"to\": \"nobody\", \"type\": \"extends\"}]}\n{\"text\": \"seven\"}\n";
    let stopped = &import(&server, "", lines).problem(422)["stopped"];
    assert_eq!(
        (&stopped["line"], &stopped["imported"], &stopped["stored"]),
        (&json!(1), &json!(2), &json!(true))
    );
    let told = import(&server, "?bad_lines=skip", lines).expect(200);
    assert_eq!(
        (&told["report"]["known"], &told["refused"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(told["report"]["bad"][0]["stored"], true);
}

#[test]
fn bad_lines_are_bounded_in_the_report() {
    let server = Served::start();
    let bad = "not JSON\n".repeat(5_000);
    let report = import(&server, "?bad_lines=skip", &bad).expect(200);
    assert_eq!(report["refused"], 5_000);
    assert_eq!(
        report["report"]["bad"].as_array().expect("lines").len(),
        100
    );
    let long = format!(
        "{{\"text\": \"{}\"}}\n{{\"text\": \"short\"}}\n",
        "a".repeat(9_000_000)
    );
    let report = import(&server, "?bad_lines=skip", &long).expect(200);
    assert_eq!(
        (&report["refused"], &report["report"]["imported"]),
        (&json!(1), &json!(1))
    );
    for (query, headers) in [
        ("?bad_lines=mend", vec![LINES]),
        ("?colour=red", vec![LINES]),
    ] {
        let reply = server.send("POST", &format!("{IMPORT}{query}"), &headers, Some(b""));
        reply.problem(422);
    }
    let json = [("content-type", "application/json")];
    server.send("POST", IMPORT, &json, Some(b"{}")).problem(415);
    let packed = [LINES, ("content-encoding", "gzip")];
    server
        .send("POST", IMPORT, &packed, Some(b"x"))
        .problem(415);
}

#[test]
fn a_client_that_goes_away_leaves_whole_lines_and_sends_again() {
    let server = Served::start();
    let lines: Vec<String> = (0..200)
        .map(|number| format!("{{\"text\": \"shipment {number} left the harbour\"}}\n"))
        .collect();
    let all = lines.concat();
    let head = format!(
        "POST {IMPORT} HTTP/1.1\r\ncontent-type: application/x-ndjson\r\ncontent-length: {}",
        all.len()
    );
    let mut stream = connect(&server, &head);
    // In the middle of a line.
    let cut = all.len() / 2 + 7;
    stream.write_all(&all.as_bytes()[..cut]).expect("sent");
    drop(stream);
    let whole = all[..cut].lines().count() as u64 - 1;
    std::thread::sleep(Duration::from_millis(500));
    let before = match server.get("/v1/spaces/core").status {
        200 => count(&server, "core"),
        _ => 0,
    };
    assert!(before <= whole, "{before} of {whole}");
    let again = import(&server, "", &all).expect(200);
    assert_eq!(again["report"]["known"], before);
    assert_eq!(again["report"]["imported"], 200 - before);
    assert_eq!(count(&server, "core"), 200);
}

#[test]
fn lines_are_stored_and_told_while_more_are_sent() {
    let server = Served::start();
    let head = format!(
        "POST {IMPORT} HTTP/1.1\r\ncontent-type: application/x-ndjson\r\naccept: application/x-ndjson\r\ntransfer-encoding: chunked"
    );
    let mut stream = connect(&server, &head);
    let mut send = |text: &str| {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        stream.write_all(chunk.as_bytes()).expect("sent");
    };
    for part in 0..40 {
        let lines = lines(0..100, |number| {
            format!("measurement {part}-{number} of the tide")
        });
        send(&lines);
    }
    // The server has not seen the end yet.
    std::thread::sleep(Duration::from_millis(1_500));
    for number in 0..2_000 {
        send(&format!("{{\"text\": \"another {number} of the tide\"}}\n"));
    }
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut status = String::new();
    reader
        .read_line(&mut status)
        .expect("a response before the end");
    assert!(status.starts_with("HTTP/1.1 200"), "{status}");
    stream.write_all(b"0\r\n\r\n").expect("sent");
    let mut rest = String::new();
    let mut buffer = [0; 4096];
    while !rest.contains("\"refused\":0") {
        let read = reader.read(&mut buffer).expect("more");
        assert!(read > 0, "cut off");
        rest.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    assert_eq!(count(&server, "core"), 6_000);
}

#[test]
fn an_export_waits_for_a_slow_client_and_ends_with_one_that_goes() {
    let server = Served::start();
    let text = "harbour ".repeat(2_000);
    let lines = lines(0..400, |number| format!("{number} {text}"));
    import(&server, "", &lines).expect(200);
    // More at a time than are allowed, each abandoned after the first bytes.
    for _ in 0..8 {
        let mut stream = connect(&server, "GET /v1/spaces/core/export HTTP/1.1");
        let mut begin = [0; 64];
        let mut read = 0;
        while read < begin.len() {
            match stream.read(&mut begin[read..]).expect("a response") {
                0 => break,
                more => read += more,
            }
        }
        assert!(
            begin.starts_with(b"HTTP/1.1"),
            "{:?}",
            String::from_utf8_lossy(&begin)
        );
        drop(stream);
    }
    std::thread::sleep(Duration::from_millis(500));
    let head = "GET /v1/spaces/core/export HTTP/1.1\r\nte: trailers\r\nconnection: close";
    let mut stream = connect(&server, head);
    let mut whole = Vec::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let read = stream.read(&mut buffer).expect("more");
        if read == 0 {
            break;
        }
        whole.extend_from_slice(&buffer[..read]);
        std::thread::sleep(Duration::from_millis(2));
    }
    let text = String::from_utf8_lossy(&whole);
    assert!(text.starts_with("HTTP/1.1 200"), "{}", &text[..200]);
    let end = &text[text.len() - 200..];
    assert!(end.contains("anamne-exported: 400"), "{end}");
    assert!(end.contains("anamne-skipped: 0"), "{end}");
}
