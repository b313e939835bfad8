//! Keys, tenants and quotas: every attack is refused, and nothing is told about what it aimed at.

mod backups;
mod deleting;
mod measurements;
mod members;
mod tenants;
mod tokens;

use anamne::{Actor, Clock, KeyRole, NewKey, Options, Right, ServerRecords, Store};
use anamne_server::http::{Address, HttpError, HttpSettings, Server};
use serde_json::{Value, json};

use crate::common::served::{Reply, Served};

const MEMORIES: &str = "/v1/spaces/core/memories";

/// Just over a day ago.
struct Yesterday;

impl Clock for Yesterday {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now() - jiff::SignedDuration::from_secs(86_401)
    }
}

fn records(server: &Served) -> ServerRecords {
    let store = Store::open_with(Options::new(server.store())).expect("a store");
    store.server_records().expect("records")
}

/// The same, a day ago.
fn earlier(server: &Served) -> ServerRecords {
    let options = Options {
        clock: std::sync::Arc::new(Yesterday),
        ..Options::new(server.store())
    };
    let store = Store::open_with(options).expect("a store");
    store.server_records().expect("records")
}

/// A key of this description.
fn key(server: &Served, wanted: &NewKey) -> String {
    records(server).create_key(wanted).expect("a key").key
}

fn admin(server: &Served) -> String {
    let wanted = NewKey {
        role: Some(KeyRole::Admin),
        ..NewKey::named("operator")
    };
    key(server, &wanted)
}

fn of_tenant(server: &Served, tenant: &str) -> String {
    let wanted = NewKey {
        tenant: Some(tenant.to_owned()),
        ..NewKey::named("worker")
    };
    key(server, &wanted)
}

fn ask(server: &Served, key: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
    let bearer = format!("Bearer {key}");
    let authorization = ("authorization", bearer.as_str());
    match body {
        Some(body) => server.json(method, path, &[authorization], body),
        None => server.send(method, path, &[authorization], None),
    }
}

fn tell(server: &Served, key: &str, content: &str) -> Reply {
    ask(
        server,
        key,
        "POST",
        MEMORIES,
        Some(&json!({ "content": content })),
    )
}

fn recall(server: &Served, key: &str, space: &str, query: &str) -> Reply {
    let path = format!("/v1/spaces/{space}/recall");
    ask(
        server,
        key,
        "POST",
        &path,
        Some(&json!({ "query": query, "min_confidence": 0 })),
    )
}

#[test]
fn unknown_wrong_revoked_and_expired_keys_get_the_same_answer() {
    let server = Served::start();
    // Before there is a key, a program of this machine is the owner.
    server
        .post(MEMORIES, &json!({ "content": "told without a key" }))
        .expect(201);
    let good = key(&server, &NewKey::named("ada"));
    let absent = server.get("/v1/spaces");
    recall(&server, &good, "core", "key").expect(200);

    let revoked = records(&server)
        .create_key(&NewKey::named("bob"))
        .expect("a key");
    recall(&server, &revoked.key, "core", "key").expect(200);
    records(&server)
        .revoke_key(&revoked.listed.id)
        .expect("revoked")
        .expect("known");

    let wanted = NewKey {
        expires_days: Some(1),
        ..NewKey::named("eve")
    };
    let expired = earlier(&server).create_key(&wanted).expect("a key").key;

    let last = good.chars().last().expect("a character");
    let other = if last == '0' { '1' } else { '0' };
    let wrong = format!("{}{other}", &good[..good.len() - 1]);
    let unknown = format!("anamne_{}_{}", "0".repeat(16), "a".repeat(64));
    let ask = |authorization: &str| {
        server.send(
            "GET",
            "/v1/spaces",
            &[("authorization", authorization)],
            None,
        )
    };
    for given in [
        format!("Bearer {wrong}"),
        format!("Bearer {unknown}"),
        format!("Bearer {}", revoked.key),
        format!("Bearer {expired}"),
        format!("Basic {good}"),
        good.clone(),
        "Bearer".to_owned(),
        String::new(),
        format!("Bearer {}", "x".repeat(5_000)),
    ] {
        let refused = ask(&given);
        assert_eq!(refused.status, 401, "{given}: {}", refused.text);
        assert_eq!(refused.text, absent.text, "{given}");
        assert_eq!(refused.header("www-authenticate"), "Bearer");
        assert!(!refused.text.contains("anamne_"));
    }
    assert_eq!(
        absent.problem(401)["type"],
        "urn:anamne:problem:unauthenticated"
    );
    // The secret is nowhere in the files.
    let secret = good.rsplit('_').next().expect("a secret").as_bytes();
    for file in std::fs::read_dir(server.store().join("server")).expect("files") {
        let path = file.expect("a file").path();
        if path.is_file() {
            let bytes = std::fs::read(&path).expect("read");
            assert!(bytes.windows(secret.len()).all(|window| window != secret));
        }
    }
}

#[test]
fn a_key_in_a_url_is_refused() {
    let server = Served::start();
    let key = key(&server, &NewKey::named("ada"));
    for path in [
        format!("/v1/spaces?key={key}"),
        format!("/v1/spaces?access_token={key}"),
        "/v1/spaces?api_key=abc".to_owned(),
        format!("/v1/spaces/{key}/memories/m1"),
    ] {
        let refused = ask(&server, &key, "GET", &path, None);
        let detail = refused.problem(400)["detail"].to_string();
        assert!(
            detail.contains("Authorization") && !detail.contains(&key),
            "{detail}"
        );
    }
}

#[test]
fn a_scope_is_kept_to_and_a_memory_says_who_told_it() {
    let server = Served::start();
    let ada = key(&server, &NewKey::named("ada"));
    let reader = key(
        &server,
        &NewKey {
            role: Some(KeyRole::Reader),
            ..NewKey::named("reader")
        },
    );
    let atlas = NewKey {
        spaces: Some(vec!["atlas".to_owned()]),
        all_spaces: false,
        principal: Some(Actor::agent("bot")),
        ..NewKey::named("a bot")
    };
    let atlas = key(&server, &atlas);
    let told = tell(&server, &ada, "The pilot boat leaves at six").expect(201);
    let id = told["id"].as_str().expect("an id").to_owned();
    tell(&server, &reader, "no").problem(403);
    let missing = recall(&server, &atlas, "nowhere", "boat");
    let hidden = recall(&server, &atlas, "core", "boat");
    assert_eq!(hidden.text.replace("core", "nowhere"), missing.text);
    assert_eq!(hidden.status, 404);
    let by_id = ask(&server, &atlas, "GET", &format!("{MEMORIES}/{id}"), None);
    assert_eq!(by_id.status, 404);
    let listed = ask(&server, &atlas, "GET", "/v1/spaces", None).expect(200);
    assert_eq!(listed["spaces"], json!([]));

    // A private space is its principal's.
    let mine = "/v1/spaces/~ada.notes/memories";
    let note = json!({ "content": "The safe opens with 4417" });
    ask(&server, &ada, "POST", mine, Some(&note)).expect(201);
    let bob = key(&server, &NewKey::named("bob"));
    ask(&server, &bob, "POST", mine, Some(&note)).problem(404);
    let hidden = recall(&server, &bob, "~ada.notes", "safe");
    let missing = recall(&server, &bob, "~ada.nothing", "safe");
    assert_eq!(hidden.text.replace("notes", "nothing"), missing.text);
    let listed = ask(&server, &bob, "GET", "/v1/spaces", None).expect(200);
    assert_eq!(listed["spaces"], json!(["core"]));
    let listed = ask(&server, &ada, "GET", "/v1/spaces", None).expect(200);
    assert_eq!(listed["spaces"], json!(["core", "~ada.notes"]));

    let store = Store::open_with(Options::new(server.store())).expect("a store");
    let space = store.existing_space("core").expect("a space");
    let id = space.resolve(&id).expect("known");
    assert_eq!(
        space.get(id).expect("a memory").author.as_deref(),
        Some("ada")
    );
    let history = space.history(id).expect("a history");
    assert_eq!(history[0].actor.name, "ada");
}

#[test]
fn a_name_for_a_space_says_nothing_of_spaces_out_of_reach() {
    let server = Served::start();
    let of_people = ["ada", "bob", "ADA"].map(|name| key(&server, &NewKey::named(name)));
    let [ada, bob, upper] = &of_people;
    let listed = NewKey {
        spaces: Some(vec!["VAULT".to_owned()]),
        all_spaces: false,
        ..NewKey::named("bot")
    };
    let bot = key(&server, &listed);
    let create = |key: &str, name: &str| {
        let wanted = json!({ "name": name });
        ask(&server, key, "POST", "/v1/spaces", Some(&wanted))
    };
    create(ada, "~ada.salary").expect(201);
    create(ada, "vault").expect(201);

    for tilde in ["\u{ff5e}", "\u{2dc}", "\u{223c}"] {
        let there = create(bob, &format!("{tilde}ada.salary")).problem(422);
        let missing = create(bob, &format!("{tilde}ada.nothing")).problem(422);
        let there = there.to_string().replace("salary", "nothing");
        assert_eq!(there, missing.to_string());
    }
    create(upper, "~ADA.salary").expect(201);
    create(&bot, "VAULT").expect(201);
    // Whoever reaches both spaces needs names that can be told apart.
    let refused = create(bob, "Vault").problem(422);
    let accepts = refused["accepts"].to_string();
    assert!(accepts.contains("distinguishable"), "{refused}");
}

#[test]
fn two_servers_on_one_store_share_keys() {
    let one = Served::start();
    let other = one.beside(|_| {});
    let made = records(&one)
        .create_key(&NewKey::named("ada"))
        .expect("a key");
    for server in [&one, &other] {
        ask(server, &made.key, "GET", "/v1/spaces", None).expect(200);
        server.get("/v1/spaces").problem(401);
    }
    records(&other)
        .revoke_key(&made.listed.id)
        .expect("revoked");
    for server in [&one, &other] {
        ask(server, &made.key, "GET", "/v1/spaces", None).problem(401);
    }
}

#[test]
fn last_use_and_requests_are_written_down_at_the_end() {
    let server = Served::start();
    let made = records(&server)
        .create_key(&NewKey::named("ada"))
        .expect("a key");
    let beside = server.beside(|_| {});
    for _ in 0..3 {
        ask(&beside, &made.key, "GET", "/v1/spaces", None).expect(200);
    }
    assert_eq!(records(&server).keys(None).expect("keys")[0].used_at, None);
    drop(beside);
    assert!(
        records(&server).keys(None).expect("keys")[0]
            .used_at
            .is_some()
    );
    let tenant = records(&server)
        .tenant("default")
        .expect("read")
        .expect("known");
    assert_eq!(tenant.requests_today, 3);
}

#[test]
fn an_address_that_others_reach_needs_a_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut settings = HttpSettings::default();
    settings.address = Address::Tcp("0.0.0.0:0".parse().expect("an address"));
    let bind = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let options = Options::new(folder.path());
        let bound = runtime
            .expect("a runtime")
            .block_on(Server::bind(options, &settings));
        bound.map(|_| ())
    };
    let refused = bind().expect_err("refused");
    assert!(matches!(refused, HttpError::Unprotected(_)));
    assert!(
        refused.to_string().contains("anamne keys create"),
        "{refused}"
    );
    let store = Store::open_with(Options::new(folder.path())).expect("a store");
    let records = store.server_records().expect("records");
    let key = records.create_key(&NewKey::named("ada")).expect("a key");
    bind().expect("bound");
    records.revoke_key(&key.listed.id).expect("revoked");
    assert!(bind().is_err());
}

#[test]
fn a_damaged_file_refuses_everything_and_doctor_says_so() {
    let server = Served::start();
    let key = key(&server, &NewKey::named("ada"));
    tell(&server, &key, "Lunch is at noon").expect(201);
    let store = server.store();
    drop(server.beside(|_| {}));
    let file = store.join("server/server.db");
    for name in ["server.db-wal", "server.db-shm"] {
        let _ = std::fs::remove_file(store.join("server").join(name));
    }
    let torn = store.join("server/torn");
    std::fs::write(&torn, vec![7; 8_192]).expect("written");
    std::fs::rename(&torn, &file).expect("renamed");
    let space = Store::open_with(Options::new(&store))
        .and_then(|store| store.existing_space("core"))
        .expect("a space");
    let found = space.check_up().expect("checked");
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.starts_with("server")),
        "{found:?}"
    );
    assert_eq!(server.get("/v1/spaces").status, 500);
    assert_eq!(ask(&server, &key, "GET", "/v1/spaces", None).status, 500);
    assert_eq!(std::fs::read(&file).expect("kept"), vec![7; 8_192]);
}

#[test]
fn rights_of_a_key_are_those_that_it_was_given() {
    let server = Served::start();
    let listed = records(&server)
        .create_key(&NewKey {
            rights: vec![Right::Erase, Right::Erase],
            ..NewKey::named("ada")
        })
        .expect("a key")
        .listed;
    assert_eq!(listed.grant.rights, [Right::Erase]);
    assert!(!listed.grant.admin);
    for bad in [
        NewKey {
            all_spaces: false,
            ..NewKey::named("ada")
        },
        NewKey {
            expires_days: Some(0),
            ..NewKey::named("ada")
        },
        NewKey {
            tenant: Some("../x".to_owned()),
            ..NewKey::named("ada")
        },
        NewKey {
            spaces: Some(vec!["a\0".to_owned()]),
            all_spaces: false,
            ..NewKey::named("ada")
        },
        NewKey::named("a/b"),
        NewKey::named(""),
    ] {
        assert!(records(&server).create_key(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn a_space_is_deleted_with_the_right_to_erase_and_its_name_again() {
    let server = Served::start();
    let admin = admin(&server);
    let telling = json!({ "content": "The crane is closed on Sundays" });
    let memories = "/v1/spaces/recipes/memories";
    ask(&server, &admin, "POST", memories, Some(&telling)).expect(201);
    let path = "/v1/spaces/recipes";
    let writer = key(&server, &NewKey::named("ada"));
    let eraser = NewKey {
        rights: vec![Right::Erase],
        spaces: Some(vec!["core".to_owned()]),
        all_spaces: false,
        ..NewKey::named("bob")
    };
    let elsewhere = key(&server, &eraser);
    let named = format!("{path}?name=recipes");
    ask(&server, &writer, "DELETE", &named, None).problem(403);
    ask(&server, &elsewhere, "DELETE", &named, None).problem(404);
    for unnamed in [
        path,
        "/v1/spaces/recipes?name=core",
        "/v1/spaces/recipes?name=",
    ] {
        let refused = ask(&server, &admin, "DELETE", unnamed, None).problem(422);
        assert!(
            refused["detail"]
                .as_str()
                .is_some_and(|said| said.contains("name"))
        );
    }
    ask(&server, &admin, "GET", path, None).expect(200);
    let deleted = ask(&server, &admin, "DELETE", &named, None).expect(200);
    assert_eq!(
        (&deleted["memories"], &deleted["unreached"]),
        (&json!(1), &json!(0))
    );
    ask(&server, &admin, "GET", path, None).problem(404);
    ask(&server, &admin, "DELETE", &named, None).problem(404);
    ask(&server, &admin, "POST", memories, Some(&telling)).expect(201);
}
