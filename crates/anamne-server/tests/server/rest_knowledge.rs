//! REST: knowledge, contradictions, summaries, enrichment, consolidation, experience, strategies, working memory, cache.

use serde_json::{Value, json};

use crate::common::served::Served;

/// A server with these texts in the space `core`; returns their ids.
fn told(texts: &[&str]) -> (Served, Vec<String>) {
    let server = Served::start();
    let tell = |text: &&str| {
        let told = server.post("/v1/spaces/core/memories", &json!({ "content": text }));
        let told = told.expect(201);
        told["id"].as_str().expect("an id").to_owned()
    };
    let ids = texts.iter().map(tell).collect();
    (server, ids)
}

fn extract(server: &Served) {
    let extracted = server.post("/v1/spaces/core/knowledge/extraction", &json!({}));
    assert_eq!(extracted.expect(200)["behind"], 0);
}

#[test]
fn assertions_are_known_drawn_and_denied() {
    let (server, ids) = told(&["Mara Lind works at the harbour office"]);
    let relation = json!({
        "asserts": "relation", "subject": "Mara Lind", "relation": "works_at", "object": "Hafen GmbH",
    });
    let asserted = server.post(
        "/v1/spaces/core/knowledge/assertions",
        &json!({ "assertion": relation }),
    );
    assert_eq!(asserted.expect(201)["duplicate"], false);
    let entity =
        json!({ "asserts": "entity", "name": "Mara Lind", "type": "person", "tags": ["crew"] });
    let told = json!({ "assertion": entity, "expires_at": "2999-01-01T00:00:00Z" });
    server
        .post("/v1/spaces/core/knowledge/assertions", &told)
        .expect(201);
    extract(&server);

    let overview = server.get("/v1/spaces/core/knowledge").expect(200);
    assert_eq!(overview["behind"], 0, "{overview}");
    assert!(
        overview["entities"]["person"].as_u64() >= Some(1),
        "{overview}"
    );
    let listed = server.get("/v1/spaces/core/knowledge/entities?type=person&tag=crew");
    let listed = listed.expect(200);
    assert_eq!(listed["entities"][0]["name"], "Mara Lind", "{listed}");
    assert_eq!(listed["more"], false);
    for (also, count) in [("crew", 1), ("night", 0)] {
        let path = format!("/v1/spaces/core/knowledge/entities?tag=crew&limit=5&tag={also}");
        let listed = server.get(&path).expect(200);
        let listed = listed["entities"].as_array().map(Vec::len);
        assert_eq!(listed, Some(count), "{also}");
    }
    let many = "&tag=crew".repeat(65);
    for refused in [
        many.as_str(),
        "&limit=1&limit=2",
        "&tags=crew",
        "&attribute=port",
    ] {
        let path = format!("/v1/spaces/core/knowledge/entities?unconfirmed=true{refused}");
        assert_eq!(server.get(&path).status, 422, "{refused}");
    }
    let found = server.get("/v1/spaces/core/knowledge/entities?find=Mara&limit=1");
    let found = found.expect(200);
    assert!(found["entities"][0]["similarity"].is_number(), "{found}");
    let shown = server.get("/v1/spaces/core/knowledge/entities/Mara%20Lind");
    let shown = shown.expect(200);
    assert!(
        shown["frames"].to_string().contains("Hafen GmbH"),
        "{shown}"
    );
    assert_eq!(shown["mentions"].as_array().map(Vec::is_empty), Some(false));
    let drawn = server.get("/v1/spaces/core/knowledge/entities/Mara%20Lind/graph?steps=2");
    let drawn = drawn.expect(200);
    assert_eq!(drawn["entities"][0]["steps"], 0);
    assert_eq!(drawn["relations"][0]["relation"], "works_at", "{drawn}");
    let pairs = server
        .get("/v1/spaces/core/knowledge/suggestions")
        .expect(200);
    assert!(pairs["suggestions"].is_array());

    let denial = json!({ "asserts": "denial", "subject": "Mara Lind", "relation": "works_at" });
    server
        .post(
            "/v1/spaces/core/knowledge/assertions",
            &json!({ "assertion": denial }),
        )
        .expect(201);
    extract(&server);
    let again = server.post(
        "/v1/spaces/core/knowledge/extraction",
        &json!({ "again": true }),
    );
    assert!(again.expect(200)["memories"].as_u64() >= Some(ids.len() as u64));
}

#[test]
fn a_contradiction_is_listed_decided_and_opened_again() {
    let server = Served::start();
    let tell = |(content, at): (&str, &str)| {
        let draft = json!({ "content": content, "author": "Ada", "occurred_at": at });
        let told = server.post("/v1/spaces/core/memories", &draft).expect(201);
        told["id"].as_str().expect("an id").to_owned()
    };
    let ids = [
        (
            "I implemented a Flask route for the homepage.",
            "2026-02-01T00:00:00Z",
        ),
        (
            "I have never written any Flask routes in this project.",
            "2026-02-03T00:00:00Z",
        ),
    ]
    .map(tell);
    extract(&server);
    let all = server
        .get("/v1/spaces/core/contradictions?all=true")
        .expect(200);
    let compared = server.post(
        "/v1/spaces/core/consistency",
        &json!({ "memories": [ids[0], "m2"] }),
    );
    let compared = compared.expect(200);
    assert_eq!(compared["checked"], 2, "{compared}");
    let claim = json!({ "claim": "Ada has never written any Flask routes in this project." });
    let checked = server.post("/v1/spaces/core/claims", &claim).expect(200);
    assert!(checked["contradictions"].is_array(), "{checked}");

    let id = all["contradictions"][0]["id"]
        .as_str()
        .expect("a contradiction");
    let shown = server.get(&format!("/v1/spaces/core/contradictions/{id}"));
    assert_eq!(shown.expect(200)["id"], id);
    let decided = server.post(
        &format!("/v1/spaces/core/contradictions/{id}/resolution"),
        &json!({ "keep": ids[1] }),
    );
    let decided = decided.expect(201);
    assert_eq!(decided["contradiction"]["kept"], ids[1], "{decided}");
    let open = server.get("/v1/spaces/core/contradictions").expect(200);
    assert_eq!(open["contradictions"], json!([]), "{open}");
    let missing = server.get("/v1/spaces/core/contradictions/ffff");
    missing.problem(404);
    // A memory of another space is not there.
    let other = server.post(
        "/v1/spaces/other/memories",
        &json!({ "content": "elsewhere" }),
    );
    let other = json!({ "keep": other.expect(201)["id"] });
    let resolution = format!("/v1/spaces/core/contradictions/{id}/resolution");
    server.post(&resolution, &other).problem(404);
}

#[test]
fn summaries_enrichment_and_merges_follow_what_was_told() {
    let (server, ids) = told(&["We decided to use PostgreSQL for the billing service"]);
    let began = server
        .post("/v1/spaces/core/tasks/runs", &json!(null))
        .expect(202);
    assert_eq!(began["progress"], "/v1/spaces/core/tasks");
    let see = began["see"].as_str().expect("a path");
    assert!(see.starts_with("/v1/spaces/core/work/"), "{see}");
    let mut listed = json!(null);
    for _ in 0..200 {
        listed = server
            .get("/v1/spaces/core/summaries?by=day&limit=5")
            .expect(200);
        if listed["summaries"][0]["stale"] == false {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(listed["summaries"][0]["memories"], 1, "{listed}");
    let both = server.get("/v1/spaces/core/summaries?thread=a&since=2026-01-01T00:00:00Z");
    both.problem(422);

    let id = &ids[0];
    let mut state = json!(null);
    for _ in 0..200 {
        state = server.get("/v1/spaces/core/enrichment").expect(200);
        if state["state"]["memories"] == 1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(state["on"], true, "{state}");
    let noted = server.get(&format!("/v1/spaces/core/memories/{id}/enrichment"));
    let noted = noted.expect(200);
    let absent = "0198c0de-0000-7000-8000-000000000000";
    let each = "/v1/spaces/core/memories/enrichment";
    let noted_each = server
        .post(each, &json!({ "ids": [absent, id] }))
        .expect(200);
    assert_eq!(noted_each["memories"], json!([noted]));
    let many = vec![id.as_str(); 1_001];
    server.post(each, &json!({ "ids": many })).problem(422);
    let category = noted["enrichment"]["category"]
        .as_str()
        .expect("a category");
    let of = server.get(&format!(
        "/v1/spaces/core/enrichment/memories?category={category}"
    ));
    assert_eq!(of.expect(200)["memories"][0]["id"], *id);
    let removals = format!("/v1/spaces/core/memories/{id}/enrichment/removals");
    let removed = server
        .post(&removals, &json!({ "parts": ["category"] }))
        .expect(200);
    assert_eq!(removed["removed"], json!(["category"]));
    assert_eq!(removed["enrichment"]["category"], Value::Null, "{removed}");
    let many = vec!["category"; 65];
    server
        .post(&removals, &json!({ "parts": many }))
        .problem(422);
    let restored = server.send("DELETE", &removals, &[], None).expect(200);
    assert_eq!(restored["removed"], json!([]));
    let off = json!({ "on": false });
    let off = server.json("PUT", "/v1/spaces/core/enrichment", &[], &off);
    assert_eq!(off.expect(200)["on"], false);

    let proposed = server.get("/v1/spaces/core/consolidation").expect(200);
    assert_eq!(proposed["applied"], false);
    let applied = server.post("/v1/spaces/core/consolidation", &json!(null));
    assert_eq!(applied.expect(200)["applied"], true);
    let insights = server.get("/v1/spaces/core/insights").expect(200);
    assert_eq!(insights["insights"], json!([]));
}

#[test]
fn summaries_and_enrichment_are_brought_up_to_date_on_request() {
    let (server, _) = told(&["We decided to use PostgreSQL for the billing service"]);
    let updated = server.post("/v1/spaces/core/summaries", &json!(null));
    assert_eq!(updated.expect(200), json!({ "updated": true }));
    let listed = server.get("/v1/spaces/core/summaries?by=day").expect(200);
    assert_eq!(listed["summaries"][0]["stale"], false, "{listed}");
    assert_eq!(listed["summaries"][0]["memories"], 1);
    let ran = server.post("/v1/spaces/core/enrichment", &json!(null));
    assert_eq!(ran.expect(200)["events"], 1);
    let state = server.get("/v1/spaces/core/enrichment").expect(200);
    assert_eq!(state["state"]["memories"], 1, "{state}");
    for path in [
        "/v1/spaces/nowhere/summaries",
        "/v1/spaces/nowhere/enrichment",
    ] {
        server.post(path, &json!(null)).problem(404);
    }
}

#[test]
fn outcomes_teach_what_worked() {
    let server = Served::start();
    let outcome = json!({ "outcome": {
        "action": "cargo test", "error": "linker `cc` not found", "succeeded": false,
        "goal": "run the tests", "run": "one",
    } });
    server
        .post("/v1/spaces/core/experience/outcomes", &outcome)
        .expect(201);
    let outcome = json!({ "outcome": {
        "action": "apt install gcc", "succeeded": true, "goal": "run the tests", "run": "one",
    }, "author": "builder" });
    server
        .post("/v1/spaces/core/experience/outcomes", &outcome)
        .expect(201);
    let situation = json!({ "error": "linker `cc` not found" });
    let known = server.post("/v1/spaces/core/experience/advice", &situation);
    let known = known.expect(200);
    assert_eq!(known["advice"][0]["subject"], "apt install gcc", "{known}");
    assert_eq!(known["chance"], Value::Null);
    let lesson = json!({
        "lesson": { "title": "Install a linker first", "succeeded": true },
        "content": "apt install gcc",
    });
    server
        .post("/v1/spaces/core/experience/lessons", &lesson)
        .expect(201);
    let skills = server.get("/v1/spaces/core/experience/skills").expect(200);
    assert_eq!(skills, json!({ "skills": [], "proposals": [] }));
    let unknown = json!({ "goal": "nobody reached it" });
    let unknown = server.post("/v1/spaces/core/experience/skills", &unknown);
    unknown.problem(404);
    let empty = server.post("/v1/spaces/core/experience/advice", &json!({}));
    empty.problem(422);
}

#[test]
fn finished_runs_suggest_lessons_that_are_kept_or_set_aside() {
    let server = Served::start();
    let told = |outcome: Value| {
        let told = json!({ "outcome": outcome });
        server
            .post("/v1/spaces/core/experience/outcomes", &told)
            .expect(201);
    };
    for (run, last, succeeded) in [
        ("one", "upload", false),
        ("two", "sign", true),
        ("three", "tag", true),
    ] {
        for action in ["make", last] {
            told(json!({ "action": action, "succeeded": true, "run": run }));
        }
        told(
            json!({ "action": "task", "succeeded": succeeded, "goal": "publish the release",
            "run": run, "ends_run": true }),
        );
    }
    let listed = server.get("/v1/spaces/core/experience/lessons").expect(200);
    let items: Vec<&str> = listed["proposals"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["lesson"]["item"].as_str().expect("an item"))
        .collect();
    assert_eq!(items.len(), 2, "{listed}");
    assert_eq!(listed["proposals"][0]["kind"], "proposed_lesson");
    let kept = format!("/v1/spaces/core/experience/lessons/{}/keep", items[0]);
    server.post(&kept, &json!({})).expect(201);
    let aside = format!("/v1/spaces/core/experience/lessons/{}/set-aside", items[1]);
    server.post(&aside, &json!({})).expect(201);
    let listed = server.get("/v1/spaces/core/experience/lessons").expect(200);
    assert_eq!(listed["proposals"], json!([]));
    server.post(&kept, &json!({})).problem(404);
    let unknown = "/v1/spaces/core/experience/lessons/m99-0a1b2c3d4e5f/keep";
    server.post(unknown, &json!({})).problem(404);
}

#[test]
fn searches_are_recorded_judged_and_compared() {
    let (server, ids) = told(&["The staging server listens on port 8471"]);
    let search = json!({ "recall": { "query": "which port does staging use?" } });
    let answer = server.post("/v1/spaces/core/searches", &search).expect(200);
    assert_eq!(answer["results"][0]["memory"]["id"], ids[0]);
    let verdict = json!({ "about": answer["search"], "verdict": "useful", "used": [ids[0]] });
    let kept = server
        .post("/v1/spaces/core/feedback", &verdict)
        .expect(200);
    assert_eq!(kept["duplicate"], false, "{kept}");
    let verdict = json!({ "about": ids[0], "verdict": "useless", "comment": "the old port" });
    let kept = server
        .post("/v1/spaces/core/feedback", &verdict)
        .expect(200);
    assert_eq!(kept["useless"], 1, "{kept}");
    let verdict = json!({ "about": ids[0], "verdict": "brilliant" });
    let refused = server
        .post("/v1/spaces/core/feedback", &verdict)
        .problem(422);
    assert_eq!(refused["field"], "verdict");
    let earlier = server.get("/v1/spaces/core/experience/searches?query=staging%20port");
    assert_eq!(earlier.expect(200)["searches"][0]["usefulness"], "helpful");

    let strategies = server.get("/v1/spaces/core/strategies").expect(200);
    assert_eq!(strategies["weeks"][0]["searches"], 1, "{strategies}");
    let new = json!({ "name": "pages", "arms": ["default", "words"] });
    server.post("/v1/spaces/core/experiments", &new).expect(201);
    server
        .post("/v1/spaces/core/experiments", &new)
        .problem(422);
    let shown = server.get("/v1/spaces/core/experiments/pages").expect(200);
    assert_eq!(shown["running"], true);
    let stopped = server.post("/v1/spaces/core/experiments/pages/stop", &json!(null));
    assert_eq!(stopped.expect(200)["running"], false);
    let listed = server.get("/v1/spaces/core/experiments").expect(200);
    assert_eq!(listed["experiments"][0]["name"], "pages");
}

#[test]
fn working_memory_lives_until_it_is_removed() {
    let server = Served::start();
    let value = json!({ "value": ["tests", "docs"], "session": "s7" });
    server
        .json("PUT", "/v1/spaces/core/working/plan", &[], &value)
        .expect(200);
    let listed = server.get("/v1/spaces/core/working").expect(200);
    assert_eq!(listed["values"][0]["value"], json!(["tests", "docs"]));
    let other = server.send("DELETE", "/v1/spaces/core/working/plan", &[], None);
    other.problem(404);
    let listed = server.get("/v1/spaces/core/working").expect(200);
    assert_eq!(listed["values"][0]["key"], "plan", "of another session");
    let removed = server.send(
        "DELETE",
        "/v1/spaces/core/working/plan?session=s7",
        &[],
        None,
    );
    removed.expect(200);
    let listed = server.get("/v1/spaces/core/working").expect(200);
    assert_eq!(listed["values"], json!([]));
    let past = json!({ "value": 1, "expires_at": "1999-01-01T00:00:00Z" });
    let past = server.json("PUT", "/v1/spaces/core/working/plan", &[], &past);
    past.problem(422);
}

#[test]
fn results_of_tools_are_stored_found_and_removed() {
    let (server, ids) = told(&["Tokio 1.40 came out in August"]);
    let request = json!({ "tool": "web", "text": "tokio 1.40 release date" });
    let miss = server
        .post("/v1/spaces/core/cache/lookups", &request)
        .expect(200);
    assert_eq!(miss["outcome"], "miss");
    let result =
        json!({ "request": request, "content": "August 2024", "took_ms": 900, "cost": 40 });
    let stored = server
        .post("/v1/spaces/core/cache/results", &result)
        .expect(201);
    let hit = server
        .post("/v1/spaces/core/cache/lookups", &request)
        .expect(200);
    assert_eq!(hit["outcome"], "exact");
    assert_eq!(hit["result"]["content"], "August 2024");
    let number = &stored["number"];
    let uses = json!({ "memories": [ids[0]] });
    server
        .post(
            &format!("/v1/spaces/core/cache/results/{number}/uses"),
            &uses,
        )
        .expect(200);
    let listed = server
        .get("/v1/spaces/core/cache/results?matching=tokio")
        .expect(200);
    assert_eq!(listed["results"][0]["used_in"], json!([ids[0]]));
    let fresh = json!({ "fresh_for_seconds": 3600, "kind": "search" });
    server
        .json("PUT", "/v1/spaces/core/cache/freshness", &[], &fresh)
        .expect(200);
    let saved = server.get("/v1/spaces/core/cache/savings").expect(200);
    assert_eq!(saved["saved_ms"], 900, "{saved}");
    let removed = json!({ "number": number });
    let removed = server.post("/v1/spaces/core/cache/invalidations", &removed);
    assert_eq!(removed.expect(200)["removed"], 1);
    let none = server.post("/v1/spaces/core/cache/invalidations", &json!("all"));
    assert_eq!(none.expect(200)["removed"], 0);
    let dear = json!({ "request": request, "cost": u64::MAX });
    let dear = server
        .post("/v1/spaces/core/cache/results", &dear)
        .problem(422);
    assert_eq!(dear["field"], "cost");
}

/// Bodies that are refused: the path, the body, and what the detail names.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "knowledge/assertions",
        r#"{"assertion": {"asserts": "entity", "name": "A", "type": "person", "colour": 1}}"#,
        "colour",
    ),
    (
        "knowledge/assertions",
        r#"{"assertion": {"asserts": "wish"}}"#,
        "wish",
    ),
    ("knowledge/extraction", r#"{"agian": true}"#, "agian"),
    ("consistency", r#"{"memories": "m1"}"#, "sequence"),
    ("claims", r#"{"claim": 7}"#, "string"),
    (
        "experience/outcomes",
        r#"{"outcome": {"action": "x", "suceeded": true}}"#,
        "suceeded",
    ),
    (
        "experience/outcomes",
        r#"{"outcome": {"action": "x"}}"#,
        "succeeded",
    ),
    (
        "experience/lessons",
        r#"{"lesson": {"succeeded": true}, "content": "x", "titel": ""}"#,
        "titel",
    ),
    ("experience/advice", r#"{"goal": ["a"]}"#, "string"),
    ("feedback", r#"{"about": "m1"}"#, "verdict"),
    (
        "searches",
        r#"{"recall": {"query": "a", "colour": "red"}}"#,
        "colour",
    ),
    (
        "experiments",
        r#"{"name": "a", "arms": "default"}"#,
        "sequence",
    ),
    ("cache/lookups", r#"{"text": "a", "kind": "tv"}"#, "tv"),
    (
        "cache/results",
        r#"{"request": {"text": "a", "colour": 1}}"#,
        "colour",
    ),
    (
        "cache/invalidations",
        r#"{"everything": true}"#,
        "everything",
    ),
];

#[test]
fn bad_bodies_are_refused_and_named() {
    let (server, _) = told(&["x"]);
    let json = [("content-type", "application/json")];
    for (path, body, named) in REFUSED {
        let path = format!("/v1/spaces/core/{path}");
        let refused = server.send("POST", &path, &json, Some(body.as_bytes()));
        let problem = refused.problem(422);
        assert!(
            problem["detail"].to_string().contains(named),
            "{path}: {problem}"
        );
    }
    let long = json!({ "claim": "x".repeat(1 << 20) });
    let long = server.post("/v1/spaces/core/claims", &long).problem(422);
    assert!(
        long["detail"]
            .as_str()
            .is_some_and(|detail| detail.len() < 2_000)
    );
}

/// Queries that are refused.
const BAD_QUERIES: &[&str] = &[
    "knowledge/entities?limit=0",
    "knowledge/entities?limit=1001",
    "knowledge/entities?limit=-1",
    "knowledge/entities?type=dragon",
    "knowledge/entities?colour=red",
    "knowledge/entities?attribute=port",
    "knowledge/entities?limit=1&limit=2",
    "knowledge/suggestions?limit=0",
    "knowledge/entities/x/graph?steps=7",
    "contradictions?limit=0",
    "contradictions?all=maybe",
    "summaries?by=year",
    "summaries?limit=1000",
    "summaries?since=yesterday",
    "enrichment/memories?category=poem",
    "enrichment/memories",
    "experience/searches",
    "cache/results?limit=0",
];

#[test]
fn bad_queries_are_refused() {
    let (server, _) = told(&["x"]);
    for query in BAD_QUERIES {
        let refused = server.get(&format!("/v1/spaces/core/{query}"));
        assert_eq!(refused.status, 422, "{query}: {}", refused.text);
        refused.problem(422);
    }
}

#[test]
fn a_space_that_is_not_there_answers_alike_everywhere() {
    let server = Served::start();
    let paths = anamne_server::rest::openapi().paths.paths;
    let read = paths.iter().filter(|(path, item)| {
        path.matches('{').count() == 1 && path.contains("{space}") && item.get.is_some()
    });
    let mut asked = 0;
    for (path, _) in read {
        let query = match path.as_str() {
            "/v1/spaces/{space}/enrichment/memories" => "?category=bug_fix",
            "/v1/spaces/{space}/experience/searches" => "?query=a",
            _ => "",
        };
        let path = path.replace("{space}", "nowhere");
        let problem = server.get(&format!("{path}{query}")).problem(404);
        assert_eq!(problem["detail"], "no space \"nowhere\"", "{path}");
        asked += 1;
    }
    assert!(asked > 15, "{asked}");
}
