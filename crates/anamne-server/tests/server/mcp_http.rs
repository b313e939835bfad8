//! The Model Context Protocol over HTTP: both lifecycles on a real server.

use serde_json::{Value, json};

use crate::common::served::{Reply, Served};

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

/// A request of revision 2026-07-28, which stands for itself.
fn stateless(server: &Served, path: &str, method: &str, params: &Value) -> Reply {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "probe", "version": "1" },
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![
        ACCEPT,
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    if method == "tools/call" {
        headers.push(("mcp-name", &name));
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    server.json("POST", path, &headers, &body)
}

fn call(server: &Served, path: &str, tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    let answer = stateless(server, path, "tools/call", &params).expect(200);
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The citation in the answer of `memory_store`.
fn citation_in(text: &str) -> String {
    let stored = text.strip_prefix("Stored as ");
    let citation = stored.and_then(|rest| rest.split(' ').next());
    citation.unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// A message of a legacy session; the answer is JSON or the data of one event.
fn legacy(server: &Served, session: Option<&str>, message: &Value) -> (Reply, Value) {
    legacy_at(server, "/mcp", session, message)
}

/// The same at another URL.
fn legacy_at(
    server: &Served,
    path: &str,
    session: Option<&str>,
    message: &Value,
) -> (Reply, Value) {
    let mut headers = vec![ACCEPT];
    if let Some(session) = session {
        headers.push(("mcp-session-id", session));
        headers.push(("mcp-protocol-version", "2025-11-25"));
    }
    let reply = server.json("POST", path, &headers, message);
    let events = reply.text.lines();
    let data = events
        .filter_map(|line| line.strip_prefix("data:"))
        .find(|data| data.contains("jsonrpc"));
    let text = data.unwrap_or(&reply.text).trim();
    let value = serde_json::from_str(text).unwrap_or(Value::Null);
    (reply, value)
}

fn initialize(server: &Served) -> String {
    let (reply, answer) = legacy(
        server,
        None,
        &json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "probe", "version": "1" },
            },
        }),
    );
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(answer["result"]["serverInfo"]["name"], "anamne", "{answer}");
    let session = reply.header("mcp-session-id").to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(legacy(server, Some(&session), &ready).0.status, 202);
    session
}

#[test]
fn each_request_of_the_newest_revision_stands_for_itself() {
    let server = Served::start();
    let found = stateless(&server, "/mcp", "server/discover", &json!({})).expect(200);
    let versions = found["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2026-07-28"), "{found}");
    let listed = stateless(&server, "/mcp", "tools/list", &json!({})).expect(200);
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(8));

    let told = json!({ "content": "The staging server listens on port 8471" });
    let citation = citation_in(&call(&server, "/mcp", "memory_store", &told));
    let question = json!({ "query": "which port does staging use?" });
    assert!(call(&server, "/mcp", "memory_search", &question).contains("8471"));
    let memory = server.get(&format!("/v1/spaces/core/memories/{citation}"));
    assert_eq!(memory.expect(200)["content"], told["content"]);
}

#[test]
fn the_url_chooses_the_space_and_the_tools() {
    let server = Served::start();
    let told = json!({ "content": "Sow the beans in May" });
    call(&server, "/mcp/garden", "memory_store", &told);
    let spaces = server.get("/v1/spaces").expect(200);
    assert_eq!(spaces, json!({ "spaces": ["garden"] }));

    let wide = "/mcp/garden?tools=knowledge,cache";
    let listed = stateless(&server, wide, "tools/list", &json!({})).expect(200);
    let names = listed["result"]["tools"].to_string();
    assert!(names.contains("memory_knowledge") && names.contains("memory_cache_lookup"));
    let plain = "/mcp/garden?tools=read_only";
    let listed = stateless(&server, plain, "tools/list", &json!({})).expect(200);
    assert!(
        !listed["result"]["tools"]
            .to_string()
            .contains("memory_store")
    );

    let unknown = stateless(&server, "/mcp?tools=kitchen", "tools/list", &json!({}));
    assert_eq!(unknown.problem(422)["field"], "tools");
    let unknown = stateless(&server, "/mcp?tolls=all", "tools/list", &json!({}));
    assert!(unknown.problem(422)["detail"].to_string().contains("tolls"));
    let bad = stateless(&server, "/mcp/a%2Fb", "tools/list", &json!({}));
    assert_eq!(bad.problem(422)["field"], "space");
}

#[test]
fn a_legacy_client_has_a_session_until_it_ends_it() {
    let server = Served::start();
    let session = initialize(&server);
    let store = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "memory_store", "arguments": { "content": "Sow the beans in May" } },
    });
    let (_, answer) = legacy(&server, Some(&session), &store);
    let text = answer["result"]["content"][0]["text"].as_str();
    let citation = citation_in(text.unwrap_or_else(|| panic!("{answer}")));
    let memory = server.get(&format!("/v1/spaces/core/memories/{citation}"));
    let memory = memory.expect(200);
    let recorded = memory["session"].as_str().unwrap_or_default();
    assert!(recorded.starts_with("mcp "), "{memory}");
    assert!(!recorded.contains(&session), "the whole id is a secret");

    let ended = server.send("DELETE", "/mcp", &[("mcp-session-id", &session)], None);
    assert!((200..300).contains(&ended.status), "{}", ended.text);
    let (late, _) = legacy(&server, Some(&session), &store);
    assert_eq!(late.status, 404, "{}", late.text);
}

#[test]
fn a_session_id_that_was_not_given_out_is_of_no_use() {
    let server = Served::start();
    let session = initialize(&server);
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let (id, seal) = session.rsplit_once('.').expect("a seal");
    let turned: String = seal.chars().rev().collect();
    let forged = [id.to_owned(), format!("{id}."), format!("{id}.{turned}")];
    for forged in forged {
        let (reply, _) = legacy(&server, Some(&forged), &list);
        reply.problem(404);
    }
    let (reply, answer) = legacy(&server, Some(&session), &list);
    assert_eq!(reply.status, 200);
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

#[test]
fn a_session_is_of_no_use_at_another_url() {
    let server = Served::start();
    let session = initialize(&server);
    let store = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "memory_store", "arguments": { "content": "Sow the beans in May" } },
    });
    for elsewhere in ["/mcp/garden", "/mcp?tools=read_only", "/mcp?session=other"] {
        let (reply, _) = legacy_at(&server, elsewhere, Some(&session), &store);
        let problem = reply.problem(404);
        assert_eq!(
            problem["type"], "urn:anamne:problem:no_session",
            "{elsewhere}"
        );
    }
    let (reply, _) = legacy_at(&server, "/mcp/core", Some(&session), &store);
    assert_eq!(reply.status, 200, "{}", reply.text);
}

#[test]
fn nonsense_is_refused_and_the_server_goes_on() {
    let server = Served::start();
    let headers = [ACCEPT, ("content-type", "application/json")];
    for body in ["", "{", "[]", "7", "{\"jsonrpc\": \"2.0\"}", "\u{0}"] {
        let reply = server.send("POST", "/mcp", &headers, Some(body.as_bytes()));
        assert!(
            (400..500).contains(&reply.status),
            "{body:?}: {}",
            reply.text
        );
    }
    let deep = "[".repeat(100_000);
    let reply = server.send("POST", "/mcp", &headers, Some(deep.as_bytes()));
    assert!((400..500).contains(&reply.status), "{}", reply.text);
    let text = [ACCEPT, ("content-type", "text/plain")];
    assert_eq!(server.send("POST", "/mcp", &text, Some(b"{}")).status, 415);
    let listed = stateless(&server, "/mcp", "tools/list", &json!({}));
    listed.expect(200);
}

#[test]
fn what_an_agent_tells_with_a_key_has_its_trust_and_the_key_s_author() {
    let server = Served::start();
    let wanted = json!({ "name": "ada", "all_spaces": true });
    let made = server.post("/v1/admin/keys", &wanted).expect(201);
    let authorization = format!("Bearer {}", made["key"].as_str().expect("a key"));
    let stateless = |params: Value| {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "probe", "version": "1" },
        });
        let headers = [
            ACCEPT,
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "memory_store"),
            ("authorization", authorization.as_str()),
        ];
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        server.json("POST", "/mcp", &headers, &body).expect(200)
    };
    let told = stateless(json!({
        "name": "memory_store", "arguments": { "content": "Sow the beans in May" },
    }));
    let text = told["result"]["content"][0]["text"].as_str();
    let citation = citation_in(text.unwrap_or_else(|| panic!("{told}")));
    let path = format!("/v1/spaces/core/memories/{citation}");
    let memory = server.send("GET", &path, &[("authorization", &authorization)], None);
    let memory = memory.expect(200);
    assert_eq!(memory["author"], "ada");
    assert!(
        memory["trust"].as_f64().expect("a number") < 1.0,
        "{memory}"
    );
    let history = server.send(
        "GET",
        &format!("{path}/history"),
        &[("authorization", &authorization)],
        None,
    );
    let history = history.expect(200);
    assert_eq!(history["versions"][0]["actor"]["kind"], "agent");
    assert_eq!(history["versions"][0]["actor"]["name"], "probe");
    server
        .send("POST", "/mcp", &[ACCEPT], Some(b"{}"))
        .problem(401);
}

#[test]
fn a_session_ends_when_its_key_loses_a_space() {
    let server = Served::start();
    let told = json!({ "content": "Rhubarb needs sugar" });
    let told = server.post("/v1/spaces/recipes/memories", &told);
    told.expect(201);
    let operator = json!({ "name": "operator", "role": "admin", "all_spaces": true });
    let operator = server.post("/v1/admin/keys", &operator).expect(201);
    let operator = format!("Bearer {}", operator["key"].as_str().expect("a key"));
    let admin = [("authorization", operator.as_str())];
    let wanted = json!({ "name": "ada", "spaces": ["core", "recipes"] });
    let made = server
        .json("POST", "/v1/admin/keys", &admin, &wanted)
        .expect(201);
    let key = format!("Bearer {}", made["key"].as_str().expect("a key"));
    let send = |session: Option<&str>, message: &Value| {
        let mut headers = vec![ACCEPT, ("authorization", key.as_str())];
        if let Some(session) = session {
            headers.push(("mcp-session-id", session));
            headers.push(("mcp-protocol-version", "2025-11-25"));
        }
        server.json("POST", "/mcp", &headers, message)
    };
    let begun = send(
        None,
        &json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "probe", "version": "1" },
            },
        }),
    );
    assert_eq!(begun.status, 200, "{}", begun.text);
    let session = begun.header("mcp-session-id");
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(send(Some(session), &ready).status, 202);
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    assert_eq!(send(Some(session), &list).status, 200);
    let deleted = server.send("DELETE", "/v1/spaces/recipes?name=recipes", &admin, None);
    assert_eq!(deleted.expect(200)["keys"][0]["name"], "ada");
    // The session would still reach a later space of that name.
    let ended = send(Some(session), &list);
    assert_eq!(ended.status, 404, "{}", ended.text);
}
