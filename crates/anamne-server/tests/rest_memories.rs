//! REST: memories, links and questions.

#[path = "common/served.rs"]
mod served;

use serde_json::json;
use served::Served;

#[test]
fn what_is_stored_is_found_and_read() {
    let server = Served::start();
    let told = server.post(
        "/v1/spaces/core/memories",
        &json!({ "content": "The staging server listens on port 8471", "tags": ["staging"] }),
    );
    let told = told.expect(201);
    let id = told["id"].as_str().expect("an id");
    let again = server.post(
        "/v1/spaces/core/memories",
        &json!({ "content": "The staging server listens on port 8471" }),
    );
    assert_eq!(again.expect(200)["id"], id);

    let question = json!({ "query": "which port does staging use?" });
    let answer = server.post("/v1/spaces/core/recall", &question).expect(200);
    assert_eq!(answer["results"][0]["memory"]["id"], id);

    let memory = server.get(&format!("/v1/spaces/core/memories/{id}"));
    assert_eq!(memory.expect(200)["tags"], json!(["staging"]));
    let listed = server.get("/v1/spaces").expect(200);
    assert_eq!(listed, json!({ "spaces": ["core"] }));
}

#[test]
fn bad_requests_are_refused_and_named() {
    let server = Served::start();
    let memories = "/v1/spaces/core/memories";
    let unknown = server.post(memories, &json!({ "content": "a", "colour": "red" }));
    let detail = unknown.problem(422)["detail"].clone();
    assert!(
        detail
            .as_str()
            .is_some_and(|detail| detail.contains("colour"))
    );
    let wrong = server.post(memories, &json!({ "content": 7 }));
    assert!(wrong.problem(422)["detail"].to_string().contains("string"));
    let json = [("content-type", "application/json")];
    let torn = server.send("POST", memories, &json, Some(b"{\"content\": \"a"));
    torn.problem(400);
    let text = [("content-type", "text/plain")];
    let other = server.send("POST", memories, &text, Some(b"{\"content\": \"a\"}"));
    other.problem(415);
    let empty = server
        .post(memories, &json!({ "content": "" }))
        .problem(422);
    assert_eq!(empty["field"], "content");
    server.get("/v1/spaces/core/recall").problem(405);
    server.get("/v2").problem(404);
}

#[test]
fn a_space_that_is_missing_and_one_outside_the_scope_answer_alike() {
    let server = Served::start();
    let question = json!({ "query": "which port?" });
    let missing = server.post("/v1/spaces/nowhere/recall", &question);
    assert_eq!(missing.problem(404)["detail"], "no space \"nowhere\"");
}
