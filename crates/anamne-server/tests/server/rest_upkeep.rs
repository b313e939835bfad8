//! REST: query log, tasks, log, tiers, retention, backups, statistics, verification, the page of the routes, docs.

use std::time::Duration;

use anamne::{BackupConfig, KeyRole, NewKey, Options, Store};
use serde_json::{Value, json};

use crate::common::served::{Reply, Served};

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

/// Asks until an answer fits.
#[track_caller]
fn until(server: &Served, path: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..400 {
        last = server.get(path).expect(200);
        if fits(&last) {
            return last;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{path} stays {last}");
}

/// The work that an answer with 202 began, once it has ended.
#[track_caller]
fn outcome(server: &Served, begun: &Value) -> Value {
    let see = begun["see"].as_str().expect("a place");
    until(server, see, |work| work["state"] != "running")
}

fn post_nothing(server: &Served, path: &str) -> Reply {
    server.send("POST", path, &[], None)
}

#[test]
fn queries_are_logged_counted_and_cleared() {
    let (server, _) = told(&["The staging server listens on port 8471"]);
    let question = json!({ "query": "which port does staging use?" });
    server.post("/v1/spaces/core/recall", &question).expect(200);
    let logged = until(&server, "/v1/spaces/core/meta/queries?limit=5", |log| {
        log["queries"][0]["results"] == 1
    });
    assert_eq!(logged["queries"][0]["door"], "http", "{logged}");
    let told = server.get("/v1/spaces/core/meta/performance").expect(200);
    assert_eq!(told["weeks"][0]["all"]["queries"], 1);
    let topics = server.get("/v1/spaces/core/meta/topics").expect(200);
    assert!(topics["topics"].is_array());
    let quality = server.get("/v1/spaces/core/meta/quality").expect(200);
    assert_eq!(quality["weeks"], json!([]));
    let cleared = server.send("DELETE", "/v1/spaces/core/meta/queries", &[], None);
    assert_eq!(cleared.expect(200)["cleared"], true);
    let empty = server.get("/v1/spaces/core/meta/queries").expect(200);
    assert_eq!(empty["queries"], json!([]));
}

#[test]
fn background_work_is_shown_paused_run_and_cancelled() {
    let (server, _) = told(&["Mara Lind works at Hafen GmbH"]);
    let paused = server.post("/v1/spaces/core/tasks/pauses", &json!({}));
    assert_eq!(paused.expect(200)["changed"], true);
    let begun = post_nothing(&server, "/v1/spaces/core/tasks/runs").expect(202);
    assert_eq!(begun["progress"], "/v1/spaces/core/tasks");
    let ended = outcome(&server, &begun);
    assert_eq!(
        (&ended["state"], &ended["what"]),
        (&json!("done"), &json!("tasks"))
    );
    assert_eq!(
        ended["result"],
        json!({ "ran": 0, "failed": 0, "tasks": [] }),
        "paused"
    );
    let waiting = until(&server, "/v1/spaces/core/tasks/unfinished", |listed| {
        listed["tasks"]
            .as_array()
            .is_some_and(|tasks| tasks.len() == 2)
    });
    let number = waiting["tasks"][0]["id"].as_u64().expect("a number");
    let shown = server.get(&format!("/v1/spaces/core/tasks/{number}"));
    assert_eq!(shown.expect(200)["state"], "waiting");
    let path = format!("/v1/spaces/core/tasks/{number}");
    let cancelled = server.send("DELETE", &path, &[], None).expect(200);
    assert_eq!(cancelled["state"], "cancelled", "{cancelled}");
    server.send("DELETE", &path, &[], None).problem(422);
    let resumed = server.send("DELETE", "/v1/spaces/core/tasks/pauses", &[], None);
    assert_eq!(resumed.expect(200)["changed"], true);
    let begun = post_nothing(&server, "/v1/spaces/core/tasks/runs").expect(202);
    let ended = outcome(&server, &begun);
    let ran = ended["result"]["ran"].as_u64().expect("a number");
    assert!(ran >= 1, "{ended}");
    let tasks = ended["result"]["tasks"].as_array().expect("tasks");
    assert_eq!(tasks.len() as u64, ran);
    assert!(
        tasks.iter().all(|task| task["outcome"] == "done"),
        "{ended}"
    );
    let report = until(&server, "/v1/spaces/core/tasks", |report| {
        let kinds = report["kinds"].as_array().cloned().unwrap_or_default();
        kinds.iter().any(|kind| kind["done"] != 0)
    });
    assert_eq!(report["failed"], json!([]), "{report}");
    assert!(report["chores"][0]["name"].is_string());
    let none = server.post("/v1/spaces/core/tasks/retries", &json!({}));
    assert_eq!(none.expect(200)["retried"], json!([]));
    server
        .post("/v1/spaces/core/tasks/retries", &json!({ "task": 999 }))
        .problem(404);
    server.get("/v1/spaces/core/tasks/999").problem(404);
    server.get("/v1/spaces/core/tasks/0").problem(422);
    server.get("/v1/spaces/core/tasks/one").problem(404);
    server
        .get("/v1/spaces/core/tasks/18446744073709551615")
        .problem(422);
}

#[test]
fn the_log_is_listed_by_time_actor_kind_and_memory() {
    let (server, ids) = told(&["one", "two", "three"]);
    let all = server.get("/v1/spaces/core/log?limit=2").expect(200);
    assert_eq!(all["events"][0]["memory"], ids[2], "{all}");
    assert_eq!(all["more"], true);
    let rest = server
        .get("/v1/spaces/core/log?limit=2&offset=2")
        .expect(200);
    assert_eq!(rest["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(rest["more"], false);
    let one = format!("/v1/spaces/core/log?memory={}&oldest_first=true", ids[0]);
    assert_eq!(server.get(&one).expect(200)["events"][0]["seq"], 1);
    let none = server
        .get("/v1/spaces/core/log?kinds=erased,forgotten")
        .expect(200);
    assert_eq!(none, json!({ "events": [], "more": false }));
    // A key in the published format of access keys.
    let key = ["AK", "IA", "QYLPMN5H", "NM2NLPZA"].concat();
    let secret = json!({ "content": format!("deploy with {key}") });
    let secret = server.post("/v1/spaces/core/memories", &secret).expect(201);
    let secret = secret["id"].as_str().expect("an id");
    let found = server.get("/v1/spaces/core/log?limit=1").expect(200);
    assert_eq!(found["guard"][secret], json!(["aws-access-key"]), "{found}");
    for bad in [
        "kinds=burnt",
        "actor_kinds=ghost",
        "since=soon",
        "limit=0",
        "limit=1001",
        "offset=99999999999999999999",
        "colour=red",
        "kinds=",
        "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z",
    ] {
        let refused = server.get(&format!("/v1/spaces/core/log?{bad}"));
        assert_eq!(refused.status, 422, "{bad}");
        refused.problem(422);
    }
    // A memory of another space answers like one that never was.
    let other = server.post(
        "/v1/spaces/other/memories",
        &json!({ "content": "elsewhere" }),
    );
    let other = other.expect(201)["id"].clone();
    for id in [
        other.as_str().expect("an id"),
        "01900000-0000-7000-8000-000000000000",
    ] {
        let listed = server.get(&format!("/v1/spaces/core/log?memory={id}"));
        assert_eq!(listed.expect(200), none);
    }
}

#[test]
fn tiers_and_retention_are_shown_and_applied() {
    let (server, _) = told(&["one"]);
    let tiers = server.get("/v1/spaces/core/tiers").expect(200);
    assert_eq!(tiers["tiers"][0]["tier"], "active");
    let begun = post_nothing(&server, "/v1/spaces/core/tiers/moves").expect(202);
    assert_eq!(begun["progress"], "/v1/spaces/core/tiers");
    let ended = outcome(&server, &begun);
    assert_eq!(
        (&ended["state"], &ended["what"]),
        (&json!("done"), &json!("tiers"))
    );
    assert_eq!(ended["result"]["memories"], 0, "{ended}");
    let due = server.get("/v1/spaces/core/retention").expect(200);
    assert_eq!((&due["days"], &due["outdated"]), (&json!(0), &json!(0)));
    let applied = server.post("/v1/spaces/core/retention/applications", &json!({}));
    assert_eq!(applied.expect(200)["forgotten"], 0);
    let undone = post_nothing(&server, "/v1/spaces/core/retention/restorations");
    assert_eq!(undone.expect(200)["restored"], 0);
    let bad = json!({ "yes": true });
    server
        .post("/v1/spaces/core/retention/applications", &bad)
        .problem(422);
}

#[test]
fn a_scheduled_backup_is_made_on_request() {
    let (server, _) = told(&["one"]);
    let refused = post_nothing(&server, "/v1/spaces/core/backups").problem(422);
    assert!(
        refused["detail"].to_string().contains("scheduled backups"),
        "{refused}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(server.store()).background(false);
    let store = Store::open_with(options).expect("the store");
    let schedule = BackupConfig {
        folder: folder.path().join("daily"),
        ..BackupConfig::default()
    };
    store
        .schedule_backups(&schedule, Some("core"))
        .expect("scheduled");

    let begun = post_nothing(&server, "/v1/spaces/core/backups").expect(202);
    assert_eq!(begun["progress"], "/v1/spaces/core/backups");
    let ended = outcome(&server, &begun);
    assert_eq!(
        (&ended["state"], &ended["what"]),
        (&json!("done"), &json!("backup"))
    );
    assert_eq!(ended["result"]["backup"]["last_seq"], 1, "{ended}");
    let made = until(&server, "/v1/spaces/core/backups", |listed| {
        listed["backups"][0]["last_seq"].as_u64() > Some(0)
    });
    assert!(
        made["backups"][0]["folder"].to_string().contains("daily"),
        "{made}"
    );
    let body = json!({ "folder": "/etc" });
    let begun = server.post("/v1/spaces/core/backups", &body).expect(202);
    assert!(!begun.to_string().contains("etc"));
}

#[test]
fn work_that_fails_is_shown_with_its_problem_long_after_its_answer() {
    let (server, _) = told(&["one"]);
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(server.store()).background(false);
    let store = Store::open_with(options).expect("the store");
    let series = folder.path().join("daily");
    let schedule = BackupConfig {
        folder: series.clone(),
        ..BackupConfig::default()
    };
    store
        .schedule_backups(&schedule, Some("core"))
        .expect("scheduled");
    std::fs::write(&series, "a file in the place of the folder").expect("written");
    let begun = post_nothing(&server, "/v1/spaces/core/backups").expect(202);
    let ended = outcome(&server, &begun);
    assert_eq!(ended["state"], "failed", "{ended}");
    assert_eq!(ended["problem"]["type"], "urn:anamne:problem:backup_failed");
    assert!(ended["result"].is_null() && ended["ended_at"].is_string());
    // The outcome stays, and is listed.
    let id = ended["id"].as_str().expect("an id");
    assert_eq!(
        server
            .get(&format!("/v1/spaces/core/work/{id}"))
            .expect(200),
        ended
    );
    let listed = server.get("/v1/spaces/core/work?limit=1").expect(200);
    assert_eq!(listed["work"], json!([ended]));
    server.get("/v1/spaces/core/work?limit=0").problem(422);

    // What can't begin is answered at once, and no work.
    post_nothing(&server, "/v1/spaces/nowhere/tasks/runs").problem(404);
    assert_eq!(
        server.get("/v1/spaces/core/work").expect(200)["work"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn work_is_shown_to_who_began_it_or_looks_after_the_space() {
    let (server, _) = told(&["one"]);
    let store = Store::open(server.store()).expect("the store");
    store.space("other").expect("a space");
    let records = store.server_records().expect("the records");
    let key = |name: &str, role: KeyRole| {
        let wanted = NewKey {
            role: Some(role),
            ..NewKey::named(name)
        };
        let created = records.create_key(&wanted).expect("a key");
        format!("Bearer {}", created.key)
    };
    let (ada, ben, admin) = (
        key("ada", KeyRole::Assistant),
        key("ben", KeyRole::Assistant),
        key("root", KeyRole::Admin),
    );
    let send = |key: &str, method: &str, path: &str| {
        server.send(method, path, &[("authorization", key)], None)
    };
    let begun = send(&ada, "POST", "/v1/spaces/core/tasks/runs").expect(202);
    let see = begun["see"].as_str().expect("a place");
    let id = see.rsplit('/').next().expect("an id");
    for key in [&ada, &admin] {
        assert_eq!(send(key, "GET", see).expect(200)["id"], id);
    }
    send(&ben, "GET", see).problem(404);
    assert_eq!(
        send(&ben, "GET", "/v1/spaces/core/work").expect(200)["work"],
        json!([])
    );
    // It belongs to its space.
    send(&admin, "GET", &format!("/v1/spaces/other/work/{id}")).problem(404);
    send(&admin, "GET", "/v1/spaces/core/work/1").problem(404);
    let never = "ffffffff-ffff-7fff-bfff-ffffffffffff";
    send(&admin, "GET", &format!("/v1/spaces/core/work/{never}")).problem(404);
}

#[test]
fn after_a_restart_earlier_work_is_said_to_be_unknown() {
    let (server, _) = told(&["one"]);
    let begun = post_nothing(&server, "/v1/spaces/core/tasks/runs").expect(202);
    outcome(&server, &begun);
    let see = begun["see"].as_str().expect("a place").to_owned();
    // Another server of the store knows as little as the same one after a restart.
    let again = server.beside(|_| {});
    drop(server);
    let found = again.get(&see).expect(200);
    assert_eq!(found["state"], "unknown", "{found}");
    assert!(found["result"].is_null() && found["what"].is_null());
    assert_eq!(
        again.get("/v1/spaces/core/work").expect(200)["work"],
        json!([])
    );
}

#[test]
fn a_space_is_counted_verified_and_checked() {
    let (server, _) = told(&["one", "two"]);
    let stats = server.get("/v1/spaces/core/stats").expect(200);
    assert_eq!(
        (&stats["space"], &stats["memories"]),
        (&json!("core"), &json!(2))
    );
    let found = post_nothing(&server, "/v1/spaces/core/verification").expect(200);
    assert_eq!(
        (&found["sound"], &found["rows"]),
        (&json!(true), &json!(2)),
        "{found}"
    );
    let checked = post_nothing(&server, "/v1/spaces/core/check-up").expect(200);
    assert_eq!(checked["problems"], json!([]), "{checked}");

    let journal = server.store().join("spaces/core/journal");
    let segment = std::fs::read_dir(&journal).expect("a journal").next();
    let segment = segment.expect("a segment").expect("a segment").path();
    let mut bytes = std::fs::read(&segment).expect("bytes");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&segment, bytes).expect("damaged");
    let found = post_nothing(&server, "/v1/spaces/core/verification").expect(200);
    assert_eq!(found["sound"], false);
    assert_eq!(found["findings"][0]["part"], "journal", "{found}");
    let path = server.store().display().to_string();
    assert!(!found["findings"][0]["file"].to_string().contains(&path));
}

#[test]
fn the_page_of_the_routes_is_self_contained() {
    let server = Served::start();
    let page = server.get("/docs");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let policy = page.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'nonce-"),
        "{policy}"
    );
    let nonce = policy
        .split("nonce-")
        .nth(1)
        .and_then(|rest| rest.split('\'').next());
    let nonce = nonce.expect("a nonce");
    assert!(page.text.contains(&format!("<style nonce=\"{nonce}\">")));
    let other = server.get("/docs");
    assert!(!other.header("content-security-policy").contains(nonce));
    for outside in ["<script", "http://", "https://", "src=", "@import", "url("] {
        assert!(!page.text.contains(outside), "{outside}");
    }
    let description = anamne_server::rest::openapi();
    for path in description.paths.paths.keys() {
        assert!(page.text.contains(path.as_str()), "{path}");
    }
}

/// A line of the shell examples of `docs/rest.md`.
struct Example {
    method: String,
    path: String,
    body: Option<Value>,
    /// Whether it sends the file that an earlier one has written.
    sends_file: bool,
}

fn examples() -> Vec<Example> {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rest.md");
    let text = std::fs::read_to_string(place).expect("the page");
    let text = text.replace("\\\n", " ");
    let commands = text.lines().filter(|line| line.starts_with("curl "));
    let read = |line: &str| {
        let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest);
        let method = after("-X ").and_then(|rest| rest.split(' ').next());
        let path = after("localhost:7331").expect("a path");
        let path = path.split([' ', '\'']).next().expect("a path");
        let body = after("-d '").and_then(|rest| rest.split('\'').next());
        let body = body.map(|body| serde_json::from_str(body).expect("JSON"));
        let method = method.unwrap_or(if body.is_some() { "POST" } else { "GET" });
        Example {
            method: method.to_owned(),
            path: path.to_owned(),
            body,
            sends_file: line.contains(" -T "),
        }
    };
    commands.map(read).collect()
}

#[test]
fn the_examples_of_the_documentation_run() {
    let server = Served::start();
    let examples = examples();
    assert!(examples.len() >= 5, "{}", examples.len());
    let mut file = Vec::new();
    for Example {
        method,
        path,
        body,
        sends_file,
    } in examples
    {
        if path.contains("format=binary") {
            let (status, bytes) = server.download(&path, &[]);
            assert_eq!(status, 200, "{path}");
            file = bytes;
            continue;
        }
        let of_file = [("content-type", "application/octet-stream")];
        let answer = match &body {
            Some(body) => server.json(&method, &path, &[], body),
            None if sends_file => server.send(&method, &path, &of_file, Some(&file)),
            None => server.send(&method, &path, &[], None),
        };
        assert!(
            answer.status < 300,
            "{method} {path}: {} {}",
            answer.status,
            answer.text
        );
    }
}
