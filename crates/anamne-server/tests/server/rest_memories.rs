//! REST: memories, links, spaces and questions.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::common::served::{Reply, Served};

const MEMORIES: &str = "/v1/spaces/core/memories";

/// Stores a text; returns its id.
fn tell(server: &Served, content: &str) -> String {
    let told = server.post(MEMORIES, &json!({ "content": content }));
    told.expect(201)["id"].as_str().expect("an id").to_owned()
}

fn with_key(server: &Served, path: &str, key: &str, body: &Value) -> Reply {
    server.json("POST", path, &[("idempotency-key", key)], body)
}

fn contents(listed: &Value) -> Vec<String> {
    let memories = listed["memories"].as_array().expect("memories").iter();
    memories
        .map(|memory| memory["content"].as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn what_is_stored_is_found_and_read() {
    let server = Served::start();
    let told = server.post(
        MEMORIES,
        &json!({ "content": "The staging server listens on port 8471", "tags": ["staging"] }),
    );
    let told = told.expect(201);
    let id = told["id"].as_str().expect("an id");
    let again = server.post(
        MEMORIES,
        &json!({ "content": "The staging server listens on port 8471" }),
    );
    assert_eq!(again.expect(200)["id"], id);

    let question = json!({ "query": "which port does staging use?" });
    let answer = server.post("/v1/spaces/core/recall", &question).expect(200);
    let found = &answer["results"][0];
    assert_eq!(found["memory"]["id"], id);
    assert_eq!(found["explanation"]["matched"], json!(["port", "staging"]));
    assert_eq!(found["explanation"]["features"], json!(null));
    let detailed = server.post("/v1/spaces/core/recall?features=true", &question);
    let detailed = detailed.expect(200);
    let found = &detailed["results"][0]["explanation"];
    assert_eq!(found["features"][0][0], "lexical", "{found}");
    assert!(found["judged_by"].is_array(), "{found}");

    let memory = server.get(&format!("/v1/spaces/core/memories/{id}"));
    assert_eq!(memory.expect(200)["tags"], json!(["staging"]));
    let cited = server.get("/v1/spaces/core/memories/m1").expect(200);
    assert_eq!(cited["id"], id);
    let external = json!({ "content": "Ticket of the harbour", "external_id": "ticket 7" });
    server.post(MEMORIES, &external).expect(201);
    let found = server.get("/v1/spaces/core/memories/ticket%207?external=true");
    assert_eq!(found.expect(200)["content"], "Ticket of the harbour");
    server
        .get("/v1/spaces/core/memories/ticket%208?external=true")
        .problem(404);
    let origin = server.get("/v1/spaces/core/memories/m1/origin").expect(200);
    assert_eq!(origin["opened"]["count"], 2);
    assert_eq!(origin["disputes"], json!([]));
    assert!(origin["provenance"].is_object(), "{origin}");
    let listed = server.get("/v1/spaces").expect(200);
    assert_eq!(listed, json!({ "spaces": ["core"] }));
}

#[test]
fn an_edit_of_an_older_version_is_refused_and_changes_nothing() {
    let server = Served::start();
    let path = format!(
        "/v1/spaces/core/memories/{}",
        tell(&server, "The harbour opens at six")
    );
    let first = server.get(&path);
    assert_eq!(first.header("etag"), "\"1\"");
    let known = server.send("GET", &path, &[("if-none-match", "\"1\"")], None);
    assert_eq!((known.status, known.text.as_str()), (304, ""));
    assert_eq!(known.header("etag"), "\"1\"");

    let edit = json!({ "content": "The harbour opens at seven" });
    let edited = server.json("PATCH", &path, &[("if-match", "\"1\"")], &edit);
    assert_eq!(edited.header("etag"), "\"2\"");
    assert_eq!(edited.expect(200)["version"], 2);

    let lost = json!({ "content": "The harbour opens at eight" });
    for tag in ["\"1\"", "\"99\"", "W/\"2\"", "\"0\"", "x"] {
        let refused = server.json("PATCH", &path, &[("if-match", tag)], &lost);
        assert!(
            refused.problem(412)["detail"]
                .to_string()
                .contains("version 2")
        );
    }
    let two = server.json("PATCH", &path, &[("if-match", "\"1\", \"2\"")], &lost);
    two.problem(422);
    let deleted = server.send("DELETE", &path, &[("if-match", "\"1\"")], None);
    deleted.problem(412);
    let hard = format!("{path}?hard=true");
    let erased = server.send("DELETE", &hard, &[("if-match", "\"2\"")], None);
    erased.problem(422);
    let now = server.send("GET", &path, &[("if-none-match", "\"1\"")], None);
    assert_eq!(now.expect(200)["content"], "The harbour opens at seven");

    let history = server.get(&format!("{path}/history")).expect(200);
    let versions = history["versions"].as_array().expect("versions");
    let was: Vec<&Value> = versions
        .iter()
        .map(|one| &one["memory"]["content"])
        .collect();
    assert_eq!(
        was,
        ["The harbour opens at six", "The harbour opens at seven"]
    );
    let at = versions[0]["at"].as_str().expect("a time");
    let then = server.get(&format!("{path}?as_of={at}"));
    assert_eq!(then.header("etag"), "");
    assert_eq!(then.expect(200)["content"], "The harbour opens at six");
    server
        .get(&format!("{path}?as_of=2001-01-01T00:00:00Z"))
        .problem(404);
}

/// The operations that change something, and whether their description has the header `If-Match`.
fn changing(description: &Value) -> Vec<(String, String, bool)> {
    let mut changing = Vec::new();
    for (path, item) in description["paths"].as_object().expect("paths") {
        for method in ["put", "post", "patch", "delete"] {
            let Some(operation) = item.get(method) else {
                continue;
            };
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let mut names = parameters.map(|one| one["name"].clone());
            let checks = names.any(|name| name == "If-Match");
            let path = path.replace(['{', '}'], "");
            changing.push((method.to_uppercase(), path, checks));
        }
    }
    changing
}

#[test]
fn a_condition_that_an_operation_does_not_check_is_refused() {
    let server = Served::start();
    let description = server.get("/openapi.json").expect(200);
    let operations = changing(&description);
    let checking = operations.iter().filter(|(.., checks)| *checks);
    assert_eq!(checking.count(), 3, "{operations:?}");
    for (method, path, checks) in operations {
        let sent = server.send(&method, &path, &[("if-match", "\"777\"")], None);
        let is_refused = sent.text.contains("If-Match is for");
        assert_eq!(is_refused, !checks, "{method} {path}: {}", sent.text);
        if is_refused {
            sent.problem(422);
        }
    }
    let id = tell(&server, "The harbour opens at six");
    let forgetting = json!({ "ids": [id] });
    let path = format!("{MEMORIES}/forget");
    let refused = server.json("POST", &path, &[("if-match", "\"1\"")], &forgetting);
    refused.problem(422);
    server.get(&format!("{MEMORIES}/{id}")).expect(200);
    let question = json!({ "query": "harbour" });
    server.post("/v1/spaces/core/recall", &question).expect(200);
    let read = server.send(
        "GET",
        &format!("{MEMORIES}/{id}"),
        &[("if-match", "\"777\"")],
        None,
    );
    read.expect(200);
}

#[test]
fn many_clients_that_edit_by_version_lose_no_update() {
    let server = Served::start();
    let path = format!(
        "/v1/spaces/core/memories/{}",
        tell(&server, "Counted visitors of the museum")
    );
    let edits: u32 = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|client| {
                let (server, path) = (&server, &path);
                scope.spawn(move || {
                    let mut done = 0;
                    while done < 5 {
                        let tag = server.get(path).header("etag").to_owned();
                        let edit = json!({ "metadata": { format!("c{client}n{done}"): 1 } });
                        let edited = server.json("PATCH", path, &[("if-match", &tag)], &edit);
                        match edited.status {
                            200 => done += 1,
                            412 => {}
                            other => panic!("{other}: {}", edited.text),
                        }
                    }
                    done
                })
            })
            .collect();
        clients
            .into_iter()
            .map(|one| one.join().expect("edits"))
            .sum()
    });
    let memory = server.get(&path).expect(200);
    assert_eq!(memory["version"], edits + 1);
    assert_eq!(memory["metadata"].as_object().expect("names").len(), 20);
}

#[test]
fn what_is_deleted_is_restored_or_gone() {
    let server = Served::start();
    let (one, other) = (
        tell(&server, "The gate code is 4417"),
        tell(&server, "Bread needs salt"),
    );
    let path = format!("/v1/spaces/core/memories/{one}");
    let forgotten = server.send("DELETE", &path, &[], None).expect(200);
    assert_eq!(
        forgotten,
        json!({ "ids": [one], "erased": false, "unreached": 0 })
    );
    let listed = server
        .get("/v1/spaces/core/memories?forgotten=true")
        .expect(200);
    assert_eq!(contents(&listed), ["The gate code is 4417"]);
    let restored = server.send(
        "POST",
        &format!("/v1/spaces/core/memories/{one}/restore"),
        &[],
        None,
    );
    assert_eq!(restored.expect(200)["id"], one.as_str());
    server
        .send("POST", &format!("{path}/restore"), &[], None)
        .problem(422);

    let both = json!({ "ids": [one, other, "m2"] });
    let forgotten = server
        .post("/v1/spaces/core/memories/forget", &both)
        .expect(200);
    assert_eq!(forgotten["ids"], json!([one, other]));
    let missing = json!({ "ids": ["m1", "m77"], "hard": true });
    server
        .post("/v1/spaces/core/memories/forget", &missing)
        .problem(404);
    let erased = server.send("DELETE", &format!("{path}?hard=true"), &[], None);
    assert_eq!(erased.expect(200)["erased"], true);
    let never = server.get("/v1/spaces/core/memories/0190f0c0-0000-7000-8000-000000000000");
    let (never, gone) = (never.problem(404), server.get(&path).problem(404));
    let words = |problem: &Value, id: &str| problem.to_string().replace(id, "ID");
    let unknown = "0190f0c0-0000-7000-8000-000000000000";
    assert_eq!(words(&never, unknown), words(&gone, &one));
}

#[test]
fn many_are_stored_each_with_its_outcome() {
    let server = Served::start();
    let batch = json!({ "memories": [
        { "content": "The ferry sails at noon" },
        { "content": "", "metadata": { "secret-name": 1 } },
        { "content": "The ferry sails at noon" },
    ] });
    let path = "/v1/spaces/core/memories/batch".to_owned();
    let told = server.post(&path, &batch).expect(200);
    let statuses: Vec<&Value> = (0..3)
        .map(|item| &told["outcomes"][item]["status"])
        .collect();
    assert_eq!(statuses, [201, 422, 200]);
    assert_eq!(told["outcomes"][1]["problem"]["field"], "content");
    assert_eq!(
        told["outcomes"][0]["remembered"]["id"],
        told["outcomes"][2]["remembered"]["id"]
    );
    server.post(&path, &json!({ "memories": [] })).problem(422);
    let many = vec![json!({ "content": "a" }); 1_001];
    server
        .post(&path, &json!({ "memories": many }))
        .problem(422);
    let unknown = json!({ "memories": [{ "content": "a", "colour": "red" }] });
    let refused = server.post(&path, &unknown).problem(422);
    assert!(refused["detail"].to_string().contains("colour"));
}

#[test]
fn a_request_with_a_key_acts_once() {
    let server = Served::start();
    // Nothing else would recognise the text as known.
    server
        .post("/v1/spaces", &json!({ "name": "core" }))
        .expect(201);
    let settings = json!({ "duplicates": "none" });
    server
        .json("PATCH", "/v1/spaces/core/settings", &[], &settings)
        .expect(200);
    let draft = json!({ "content": "The pilot boat leaves at six", "metadata": { "a": 1 } });
    let first = with_key(&server, MEMORIES, "k1", &draft);
    assert_eq!(first.header("idempotency-replayed"), "");
    let first = first.expect(201);
    let again = with_key(&server, MEMORIES, "k1", &draft);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.expect(201), first);
    let another = json!({ "content": "The pilot boat leaves at seven" });
    with_key(&server, MEMORIES, "k1", &another).problem(422);
    let unkeyed = server.post(MEMORIES, &draft).expect(201);
    assert_ne!(unkeyed["id"], first["id"]);
    for wrong in ["", " ", &"k".repeat(256)] {
        with_key(&server, MEMORIES, wrong, &draft).problem(422);
    }

    let batch = json!({ "memories": [draft, { "content": "" }] });
    let path = "/v1/spaces/core/memories/batch".to_owned();
    let told = with_key(&server, &path, "k2", &batch).expect(200);
    assert_eq!(with_key(&server, &path, "k2", &batch).expect(200), told);
    let listed = server.get(MEMORIES).expect(200);
    assert_eq!(contents(&listed).len(), 3);

    // An erased memory is not stored again by a client that did not get its answer.
    let path = format!(
        "/v1/spaces/core/memories/{}?hard=true",
        first["id"].as_str().expect("an id")
    );
    server.send("DELETE", &path, &[], None).expect(200);
    assert_eq!(with_key(&server, MEMORIES, "k1", &draft).expect(201), first);
    assert_eq!(contents(&server.get(MEMORIES).expect(200)).len(), 2);
}

#[test]
fn what_a_session_said_is_stored_once_and_attributed_to_its_speakers() {
    let server = Served::start();
    let said = |role: &str, text: &str| json!({"content": text, "body": {"kind": "message", "role": role}, "trust": 0.9});
    let capture = json!({"host": "codex", "memories": [
        said("user", "Please use tabs here"),
        said("assistant", "Tabs are used from now on"),
        {"content": "Bash cargo test: failed"},
        {"content": ""},
    ]});
    let path = "/v1/spaces/core/captures";
    let told = with_key(&server, path, "k1", &capture);
    let first = told.expect(200);
    let statuses: Vec<u64> = first["outcomes"]
        .as_array()
        .expect("outcomes")
        .iter()
        .filter_map(|outcome| outcome["status"].as_u64())
        .collect();
    assert_eq!(statuses, [201, 201, 201, 422]);
    let again = with_key(&server, path, "k1", &capture);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.expect(200), first);
    let log = server.get("/v1/spaces/core/log?limit=10").expect(200);
    let log = log.to_string();
    assert!(
        log.contains("\"agent\"") && log.contains("\"tool\""),
        "{log}"
    );
    let listed = server
        .get("/v1/spaces/core/memories?sort=oldest")
        .expect(200);
    let memories = listed["memories"].as_array().expect("memories");
    let trusts: Vec<f64> = memories
        .iter()
        .filter_map(|memory| memory["trust"].as_f64())
        .map(|trust| (trust * 10.0).round())
        .collect();
    assert_eq!(trusts, [9.0, 8.0, 6.0]);
    for wrong in [
        json!({"host": "x".repeat(300), "memories": [{"content": "a"}]}),
        json!({"host": "codex", "memories": []}),
        json!({"host": "codex"}),
        json!({"host": "codex", "memories": [{"content": "a"}], "space": "b"}),
    ] {
        let refused = server.post(path, &wrong);
        refused.problem(422);
    }
}

#[test]
fn a_prompt_gets_a_block_or_nothing() {
    let server = Served::start();
    let id = tell(&server, "The staging server listens on port 8471");
    let path = "/v1/spaces/core/prompt";
    let asked = json!({"prompt": "which port does the staging server listen on?"});
    let found = server.post(path, &asked).expect(200);
    let block = found["context"]["text"].as_str().expect("a block");
    assert!(
        block.contains("8471") && found["relevance"].as_f64() > Some(0.7),
        "{found}"
    );
    let mut shown = asked.clone();
    shown["shown"] = json!([id]);
    let found = server.post(path, &shown).expect(200);
    assert_eq!(found["context"], json!(null));
    let other = json!({"prompt": "sing me a sea shanty", "token_budget": 200});
    assert_eq!(
        server.post(path, &other).expect(200)["context"],
        json!(null)
    );
    let missing = server.post("/v1/spaces/nowhere/prompt", &asked);
    missing.problem(404);
    for wrong in [
        json!({"prompt": " "}),
        json!({"prompt": "a", "token_budget": 1}),
        json!({"prompt": "a", "threshold": 2}),
        json!({"prompt": "a", "shown": vec![id.clone(); 1_001]}),
    ] {
        server.post(path, &wrong).problem(422);
    }
}

#[test]
fn requests_with_one_key_at_a_time_act_once() {
    let server = Served::start();
    server
        .post("/v1/spaces", &json!({ "name": "core" }))
        .expect(201);
    let settings = json!({ "duplicates": "none" });
    server
        .json("PATCH", "/v1/spaces/core/settings", &[], &settings)
        .expect(200);
    let draft = json!({ "content": "The lighthouse was painted white" });
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| with_key(&server, MEMORIES, "one", &draft)))
            .collect();
        clients
            .into_iter()
            .map(|one| one.join().expect("a reply"))
            .collect()
    });
    for reply in &replies {
        assert!(matches!(reply.status, 201 | 409), "{}", reply.text);
        if reply.status == 409 {
            assert_eq!(reply.header("retry-after"), "1");
        }
    }
    assert!(replies.iter().any(|reply| reply.status == 201));
    assert_eq!(contents(&server.get(MEMORIES).expect(200)).len(), 1);
}

#[test]
fn a_list_is_read_page_by_page_while_others_write() {
    let server = Served::start();
    for number in 0..7 {
        let draft = json!({
            "content": format!("note {number}"),
            "occurred_at": format!("2026-03-0{}T00:00:00Z", 1 + number / 2),
            "thread": if number % 3 == 0 { Value::Null } else { json!(format!("t{}", number % 3)) },
            "metadata": { "number": number },
            "importance": 1 + number,
        });
        server.post(MEMORIES, &draft).expect(201);
    }
    for (sort, expected) in [
        ("newest", [6, 5, 4, 3, 2, 1, 0]),
        ("oldest", [0, 1, 3, 2, 4, 5, 6]),
        ("thread", [1, 4, 2, 5, 0, 3, 6]),
    ] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/v1/spaces/core/memories?sort={sort}&limit=2{cursor}");
            let page = server.get(&path).expect(200);
            seen.extend(contents(&page));
            let late = json!({ "content": format!("late {sort} {}", seen.len()), "occurred_at": "2026-03-20T00:00:00Z" });
            if sort == "newest" {
                server.post(MEMORIES, &late).expect(201);
            }
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        seen.retain(|content| content.starts_with("note"));
        let expected: Vec<String> = expected
            .iter()
            .map(|number| format!("note {number}"))
            .collect();
        assert_eq!(seen, expected, "{sort}");
    }
    let filtered = server.get("/v1/spaces/core/memories?where=number%3E%3D2&where=number%3C5&min_importance=4&kind=message&kind=fact");
    assert_eq!(contents(&filtered.expect(200)), ["note 4", "note 3"]);
    let opened = server.get("/v1/spaces/core/memories/m3").expect(200);
    let by_use = server
        .get("/v1/spaces/core/memories?sort=most_accessed")
        .expect(200);
    assert_eq!(
        contents(&by_use),
        [opened["content"].as_str().expect("a text")]
    );
}

#[test]
fn a_page_of_long_texts_ends_early_and_goes_on() {
    let server = Served::start();
    let long = "harbour ".repeat(110_000);
    for number in 0..7 {
        tell(&server, &format!("{number} {long}"));
    }
    let page = server.get("/v1/spaces/core/memories?limit=100").expect(200);
    let (first, next) = (contents(&page), page["next"].as_str().expect("more"));
    assert_eq!(first.len(), 5);
    let rest = server
        .get(&format!("/v1/spaces/core/memories?limit=100&cursor={next}"))
        .expect(200);
    assert_eq!((contents(&rest).len(), &rest["next"]), (2, &Value::Null));
}

#[test]
fn a_list_refuses_what_it_does_not_know() {
    let server = Served::start();
    tell(&server, "one");
    tell(&server, "two");
    for (query, named) in [
        ("colour=red", "colour"),
        ("limit=0", "limit"),
        ("limit=many", "limit"),
        ("limit=1&limit=2", "limit"),
        ("kind=poem", "kind"),
        ("since=yesterday", "since"),
        ("sort=colour", "sort"),
        ("where=%3D", "where"),
        ("min_trust=7", "min_trust"),
    ] {
        let problem = server
            .get(&format!("/v1/spaces/core/memories?{query}"))
            .problem(422);
        assert!(problem.to_string().contains(named), "{query}: {problem}");
    }
    let page = server.get("/v1/spaces/core/memories?limit=1").expect(200);
    let cursor = page["next"].as_str().expect("a cursor").to_owned();
    let other = json!({ "content": "elsewhere" });
    server.post("/v1/spaces/other/memories", &other).expect(201);
    for stolen in [
        format!("/v1/spaces/other/memories?limit=1&cursor={cursor}"),
        format!("/v1/spaces/core/memories?limit=1&sort=oldest&cursor={cursor}"),
        format!("/v1/spaces/core/memories?limit=1&tag=x&cursor={cursor}"),
        format!(
            "/v1/spaces/core/memories?cursor={}",
            "0".repeat(cursor.len())
        ),
        format!("/v1/spaces/core/memories?cursor={cursor}00"),
        "/v1/spaces/core/memories?cursor=%00".to_owned(),
    ] {
        let problem = server.get(&stolen).problem(422);
        assert!(
            problem["detail"].to_string().contains("cursor"),
            "{problem}"
        );
    }
    let next = server.get(&format!("/v1/spaces/core/memories?limit=1&cursor={cursor}"));
    assert_eq!(next.expect(200)["next"], Value::Null);
}

#[test]
fn memories_are_linked_and_links_removed() {
    let server = Served::start();
    let (one, other) = (
        tell(&server, "Use port 8471"),
        tell(&server, "Use port 9000"),
    );
    let link = json!({ "from": "m1", "to": other, "type": "contradicts", "reason": "one port" });
    let linked = server.post("/v1/spaces/core/links", &link).expect(201);
    assert_eq!(
        (&linked["from"], &linked["weight"]),
        (&json!(one), &json!(1.0))
    );
    for id in [&one, &other] {
        let links = server
            .get(&format!("/v1/spaces/core/memories/{id}/links"))
            .expect(200);
        assert_eq!(links["links"][0]["reason"], "one port");
        assert_eq!(links["strengths"][0]["told"], 1.0, "{links}");
        assert!(links["strengths"][0]["current"].as_f64() > Some(0.9));
    }
    let path = format!("/v1/spaces/core/links?from={one}&to={other}&type=contradicts");
    let removed = server.send("DELETE", &path, &[], None);
    assert_eq!((removed.status, removed.text.as_str()), (204, ""));
    server.send("DELETE", &path, &[], None).problem(404);
    let same = json!({ "from": one, "to": one, "type": "related" });
    assert_eq!(
        server.post("/v1/spaces/core/links", &same).problem(422)["field"],
        "to"
    );
    let unknown = json!({ "from": one, "to": "m9", "type": "related" });
    server.post("/v1/spaces/core/links", &unknown).problem(404);
    let wrong = json!({ "from": one, "to": other, "type": "likes" });
    server.post("/v1/spaces/core/links", &wrong).problem(422);
}

#[test]
fn a_memory_is_looked_at_without_being_opened() {
    let server = Served::start();
    let id = tell(&server, "Use port 8471");
    let path = format!("/v1/spaces/core/memories/{id}");
    let origin = || server.get(&format!("{path}/origin")).expect(200);
    let looked_at = server.get(&format!("{path}?peek=true")).expect(200);
    assert_eq!(looked_at["content"], "Use port 8471");
    assert_eq!(origin()["opened"], json!(null));
    server.get(&path).expect(200);
    let opened = origin();
    assert_eq!(opened["opened"]["count"], 1, "{opened}");
    assert!(
        opened["signals"]["importance"].as_f64() > Some(0.0),
        "{opened}"
    );
    assert_eq!(
        (&opened["related"], &opened["spaces"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn spaces_are_created_counted_and_set() {
    let server = Served::start();
    let made = server
        .post("/v1/spaces", &json!({ "name": "garden" }))
        .expect(201);
    assert_eq!(made["statistics"]["memories"], 0);
    server
        .post("/v1/spaces", &json!({ "name": "garden" }))
        .expect(200);
    let told =
        json!({ "content": "The apple tree was pruned", "occurred_at": "2020-01-01T00:00:00Z" });
    server.post("/v1/spaces/garden/memories", &told).expect(201);
    let space = server.get("/v1/spaces/garden").expect(200);
    assert_eq!(space["statistics"]["memories"], 1);
    let settings = "/v1/spaces/garden/settings";
    let change = json!({ "description": "What grows", "recency_days": 90.0, "kinds": ["message"], "daily_tokens": 5 });
    let changed = server.json("PATCH", settings, &[], &change).expect(200);
    assert_eq!(server.get(settings).expect(200), changed);
    assert_eq!(
        (&changed["description"], &changed["daily_tokens"]),
        (&json!("What grows"), &json!(5))
    );
    let decay = json!({ "recompute_importance": false, "recompute_links": false, "half_life_days": 30.0,
        "link_half_life_days": 90.0, "link_floor": 0.5 });
    let changed = server.json("PATCH", settings, &[], &decay).expect(200);
    for (name, value) in decay.as_object().expect("settings") {
        assert_eq!(changed[name], *value, "{name}");
    }
    for (wrong, field) in [
        (json!({ "similarity": 7.0 }), "similarity"),
        (json!({ "link_floor": 2.0 }), "link_floor"),
        (json!({ "retention_grace_days": 0 }), "grace_days"),
        (json!({ "colour": 1 }), "colour"),
    ] {
        let refused = server.json("PATCH", settings, &[], &wrong).problem(422);
        assert!(refused.to_string().contains(field), "{refused}");
    }
    let short = json!({ "retention_days": 30 });
    let refused = server.json("PATCH", settings, &[], &short).problem(422);
    assert_eq!(refused["field"], "confirm");
    assert_eq!(server.get(settings).expect(200), changed);
    let sure = json!({ "retention_days": 30, "confirm": true });
    server.json("PATCH", settings, &[], &sure).expect(200);
    let due = server.get("/v1/spaces/garden/retention").expect(200);
    assert_eq!(due["days"], 30);
    let waits = due["deferred"].to_string();
    assert!(waits.contains("1 of 1 memories"), "{waits}");
    let applied = server.post(
        "/v1/spaces/garden/retention/applications",
        &json!({ "confirmed": true }),
    );
    assert_eq!(applied.expect(200)["forgotten"], 1);
    let undone = server.send(
        "POST",
        "/v1/spaces/garden/retention/restorations",
        &[],
        None,
    );
    assert_eq!(undone.expect(200)["restored"], 1);
    let tiers = server.get("/v1/spaces/garden/tiers").expect(200);
    assert_eq!(tiers["tiers"][0]["tier"], "active");
    let sick = json!({ "content": "a fact", "body": { "kind": "fact" } });
    server
        .post("/v1/spaces/garden/memories", &sick)
        .problem(422);
}

#[test]
fn questions_reach_one_space_or_several() {
    let server = Served::start();
    let told = json!({ "content": "The apple tree was pruned in February" });
    server.post("/v1/spaces/garden/memories", &told).expect(201);
    tell(&server, "The release manager is Mara Lind");
    let asked = json!({
        "spaces": { "choice": "all" },
        "recall": { "query": "when was the apple tree pruned?" },
    });
    let answer = server.post("/v1/recall", &asked).expect(200);
    assert_eq!(answer["results"][0]["space"], "garden");
    let named = json!({
        "spaces": { "choice": { "named": ["garden"] }, "core": true },
        "context": { "recall": { "query": "who is the release manager?" }, "token_budget": 400 },
    });
    let block = server.post("/v1/context", &named).expect(200);
    assert!(block["text"].to_string().contains("Mara Lind"), "{block}");
    let one = json!({ "recall": { "query": "release manager" }, "token_budget": 400 });
    let block = server.post("/v1/spaces/core/context", &one).expect(200);
    assert!(block["text"].to_string().contains("Mara Lind"), "{block}");
    let briefing = server
        .get("/v1/spaces/core/briefing?token_budget=300")
        .expect(200);
    assert!(briefing["tokens"].as_u64().expect("a number") <= 300);
    let proposed = json!({ "query": "apple tree" });
    let proposed = server.post("/v1/recall/spaces", &proposed).expect(200);
    assert_eq!(proposed["spaces"][0]["space"], "garden");
    let claim = json!({ "claim": "The release manager is Jonas Weber" });
    let report = server.post("/v1/spaces/core/claims", &claim).expect(200);
    assert_eq!(report["checked"], 1);
    let topic = json!({ "topic": "release manager" });
    let report = server
        .post("/v1/spaces/core/consistency", &topic)
        .expect(200);
    assert_eq!(report["contradictions"], json!([]));
    server
        .post("/v1/spaces/core/consistency", &json!({}))
        .problem(422);

    let past = json!({ "query": "release manager", "as_of": { "known": "2001-01-01T00:00:00Z" } });
    let past = server.post("/v1/spaces/core/recall", &past).expect(200);
    assert_eq!(past["results"], json!([]));
    let nowhere = json!({
        "spaces": { "choice": { "named": ["nowhere"] } },
        "recall": { "query": "a" },
    });
    let missing = server.post("/v1/recall", &nowhere).problem(404);
    assert_eq!(missing["detail"], "no space \"nowhere\"");
}

#[test]
fn bad_requests_are_refused_and_named() {
    let server = Served::start();
    let unknown = server.post(MEMORIES, &json!({ "content": "a", "colour": "red" }));
    let detail = unknown.problem(422)["detail"].clone();
    assert!(
        detail
            .as_str()
            .is_some_and(|detail| detail.contains("colour"))
    );
    let wrong = server.post(MEMORIES, &json!({ "content": 7 }));
    assert!(wrong.problem(422)["detail"].to_string().contains("string"));
    let json = [("content-type", "application/json")];
    let torn = server.send("POST", MEMORIES, &json, Some(b"{\"content\": \"a"));
    torn.problem(400);
    let text = [("content-type", "text/plain")];
    let other = server.send("POST", MEMORIES, &text, Some(b"{\"content\": \"a\"}"));
    other.problem(415);
    // Refused by its announced length, before any of it is sent.
    let mut stream = TcpStream::connect(server.address).expect("a connection");
    let head = format!(
        "POST {MEMORIES} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: 9000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut refused = String::new();
    stream.read_to_string(&mut refused).expect("a response");
    assert!(refused.starts_with("HTTP/1.1 413"), "{refused}");
    let long = server.post(MEMORIES, &json!({ "content": "a".repeat(1_000_001) }));
    assert_eq!(long.problem(422)["field"], "content");
    let empty = server
        .post(MEMORIES, &json!({ "content": "" }))
        .problem(422);
    assert_eq!(empty["field"], "content");
    server.get("/v1/spaces/core/recall").problem(405);
    server.get("/v2").problem(404);
    tell(&server, "something");
    let hard = server.send("DELETE", "/v1/spaces/core/memories/m1?hart=true", &[], None);
    assert!(hard.problem(422)["detail"].to_string().contains("hart"));
    let as_of = server.get("/v1/spaces/core/memories/m1?as_of=soon");
    as_of.problem(422);
    for torn in ["tag=%ff", "tag=100%", "tag=%e", "tag=%+1", "%c3=a"] {
        let refused = server.get(&format!("{MEMORIES}?{torn}"));
        assert!(
            refused.problem(400)["detail"].to_string().contains("%25"),
            "{torn}"
        );
    }
    let read = server.get(&format!("{MEMORIES}?tag=100%25&tag=%C3%A9+%26"));
    read.expect(200);
}

#[test]
fn names_are_no_paths() {
    let server = Served::start();
    tell(&server, "something");
    // A name of dots is a name like others, and its folder has another one.
    let is_dots = |name: &str| matches!(name, ".." | "%2e%2e");
    for name in [
        "..%2f..%2fetc",
        "..",
        "%2e%2e",
        "a%2fb",
        "a%00b",
        "%ff",
        "a%0ab",
        ".hidden%2f",
        "%5c..%5c",
    ] {
        for path in [
            format!("/v1/spaces/{name}"),
            format!("/v1/spaces/{name}/export"),
        ] {
            let reply = server.get(&path);
            let is_refused = matches!(reply.status, 400 | 404 | 422);
            assert!(is_refused || is_dots(name), "{path}: {}", reply.status);
            assert!(
                !reply
                    .text
                    .contains(server.store().to_str().expect("a path"))
            );
        }
        let path = format!("/v1/spaces/{name}/memories");
        let made = server.post(&path, &json!({ "content": "a" }));
        let is_refused = matches!(made.status, 400 | 404 | 405 | 422);
        assert!(is_refused || is_dots(name), "{name}: {}", made.status);
    }
    let store = server.store();
    let beside = std::fs::read_dir(store.parent().expect("a folder")).expect("files");
    assert_eq!(beside.count(), 1, "something is beside the store");
    let folders = std::fs::read_dir(store.join("spaces")).expect("folders");
    assert_eq!(folders.count(), 2);
    let long = "a".repeat(3_000);
    server.get(&format!("/v1/spaces/{long}")).problem(422);
    for id in ["..%2fm1", "m1%00", "m99999999999", "%2a", &"f".repeat(400)] {
        let reply = server.get(&format!("/v1/spaces/core/memories/{id}"));
        assert!(
            matches!(reply.status, 400 | 404 | 422),
            "{id}: {}",
            reply.status
        );
    }
    let spaces = server.get("/v1/spaces").expect(200);
    assert_eq!(spaces, json!({ "spaces": ["..", "core"] }));
}

#[test]
fn a_space_that_is_missing_and_one_outside_the_scope_answer_alike() {
    let server = Served::start();
    let question = json!({ "query": "which port?" });
    let missing = server.post("/v1/spaces/nowhere/recall", &question);
    assert_eq!(missing.problem(404)["detail"], "no space \"nowhere\"");
    // The id of a memory of another space is unknown here.
    let id = tell(&server, "Only in core");
    let other = json!({ "content": "Only in other" });
    server.post("/v1/spaces/other/memories", &other).expect(201);
    let elsewhere = server
        .get(&format!("/v1/spaces/other/memories/{id}"))
        .problem(404);
    let unknown = "0190f0c0-0000-7000-8000-000000000000";
    let never = server
        .get(&format!("/v1/spaces/other/memories/{unknown}"))
        .problem(404);
    assert_eq!(
        elsewhere.to_string().replace(&id, "ID"),
        never.to_string().replace(unknown, "ID")
    );
}

#[test]
fn every_route_is_described() {
    let server = Served::start();
    let description = server.get("/openapi.json").expect(200);
    let paths = description["paths"].as_object().expect("paths");
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().expect("methods") {
            let summary = operation["summary"].as_str().unwrap_or_default();
            assert!(!summary.is_empty(), "{method} {path} has no summary");
            assert!(
                operation["responses"]["default"].is_object(),
                "{method} {path}"
            );
            let named = path.matches('{').count();
            let empty = Vec::new();
            let parameters = operation["parameters"].as_array().unwrap_or(&empty);
            let in_path = parameters.iter().filter(|one| one["in"] == "path").count();
            assert_eq!(in_path, named, "{method} {path}");
        }
    }
    assert!(paths.contains_key("/v1/spaces/{space}/memories/{id}/history"));
}
