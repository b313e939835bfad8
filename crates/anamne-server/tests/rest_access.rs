//! Keys, tenants and quotas: every attack is refused, and nothing is told about what it aimed at.

#[path = "common/served.rs"]
mod served;

use std::sync::Barrier;
use std::time::{Duration, Instant};

use anamne::{
    Actor, Clock, KeyRole, NewKey, Options, Rate, Right, ServerRecords, Store, TenantQuota,
};
use anamne_server::http::{Address, HttpError, HttpSettings, Server};
use serde_json::{Value, json};
use served::{Reply, Served};

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

    let options = Options {
        clock: std::sync::Arc::new(Yesterday),
        ..Options::new(server.store())
    };
    let earlier = Store::open_with(options).and_then(|store| store.server_records());
    let wanted = NewKey {
        expires_days: Some(1),
        ..NewKey::named("eve")
    };
    let expired = earlier
        .expect("records")
        .create_key(&wanted)
        .expect("a key")
        .key;

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
fn a_tenant_sees_nothing_of_another() {
    let server = Served::start();
    for name in ["acme", "zenith"] {
        records(&server)
            .create_tenant(name, &TenantQuota::default())
            .expect("a tenant");
    }
    let (acme, zenith) = (of_tenant(&server, "acme"), of_tenant(&server, "zenith"));
    let told = tell(&server, &acme, "The vault code is saffron nine").expect(201);
    let id = told["id"].as_str().expect("an id").to_owned();
    tell(&server, &zenith, "Lunch is at noon").expect(201);
    let never = ["0", "1"].map(|end| format!("{}{end}", &id[..id.len() - 1]));
    let never = never
        .iter()
        .find(|never| **never != id)
        .expect("another id");
    let read = |id: &str| ask(&server, &zenith, "GET", &format!("{MEMORIES}/{id}"), None);
    let (foreign, unknown) = (read(&id), read(never));
    assert_eq!((foreign.status, unknown.status), (404, 404));
    assert_eq!(foreign.text.replace(&id, never), unknown.text);
    let found = recall(&server, &zenith, "core", "vault code").expect(200);
    assert!(!found.to_string().contains("saffron"));
    // Nor does the server's own tenant, and no key of a tenant manages the server.
    let own = key(&server, &NewKey::named("ada"));
    recall(&server, &own, "core", "vault").problem(404);
    for (method, path) in [
        ("GET", "/v1/admin/tenants"),
        ("GET", "/v1/admin/tenants/acme"),
        ("GET", "/v1/admin/tenants/acme/export"),
        ("GET", "/v1/admin/keys"),
        ("POST", "/v1/admin/tenants/acme/suspend"),
    ] {
        ask(&server, &acme, method, path, None).problem(403);
    }
    let wanted = json!({ "name": "mine", "role": "admin", "all_spaces": true });
    ask(&server, &acme, "POST", "/v1/admin/keys", Some(&wanted)).problem(403);
    // Each is a store of its own.
    for name in ["acme", "zenith"] {
        let root = server.store().join("server/tenants").join(name);
        let store = Store::open_with(Options::new(root)).expect("a store");
        assert_eq!(store.spaces().expect("spaces").len(), 1);
    }
}

#[test]
fn an_administrator_manages_tenants_from_creation_to_erasure() {
    let server = Served::start();
    let admin = admin(&server);
    let send =
        |method: &str, path: &str, body: Option<&Value>| ask(&server, &admin, method, path, body);
    for bad in ["", "..", "a/b", "ACME", "default", "acme.db", "-a"] {
        send("POST", "/v1/admin/tenants", Some(&json!({ "name": bad }))).problem(422);
    }
    let created = send(
        "POST",
        "/v1/admin/tenants",
        Some(&json!({ "name": "acme" })),
    );
    assert_eq!(created.expect(201)["name"], "acme");
    send(
        "POST",
        "/v1/admin/tenants",
        Some(&json!({ "name": "acme" })),
    )
    .problem(422);
    let wanted = json!({ "name": "worker", "tenant": "acme", "all_spaces": true });
    let made = send("POST", "/v1/admin/keys", Some(&wanted)).expect(201);
    let worker = made["key"].as_str().expect("a key").to_owned();
    let unknown = json!({ "name": "worker", "tenant": "nobody", "all_spaces": true });
    send("POST", "/v1/admin/keys", Some(&unknown)).problem(422);
    tell(&server, &worker, "We deploy on Fridays only").expect(201);

    send("POST", "/v1/admin/tenants/acme/suspend", None).expect(200);
    let refused = tell(&server, &worker, "no").problem(403);
    assert_eq!(refused["type"], "urn:anamne:problem:suspended");
    send("POST", "/v1/admin/tenants/acme/resume", None).expect(200);
    tell(&server, &worker, "We deploy on Mondays too").expect(201);

    let shown = send("GET", "/v1/admin/tenants/acme", None).expect(200);
    assert_eq!(shown["usage"]["memories"], 2);
    assert!(shown["usage"]["bytes"].as_u64().expect("bytes") > 0);
    let listed = send("GET", "/v1/admin/tenants?limit=1", None).expect(200);
    assert_eq!(listed["tenants"][0]["name"], "acme");
    let next = listed["next"].as_str().expect("a cursor");
    let rest = send("GET", &format!("/v1/admin/tenants?cursor={next}"), None).expect(200);
    assert_eq!(rest["tenants"][0]["name"], "default");
    let keys = send("GET", "/v1/admin/keys?tenant=acme", None).expect(200);
    assert_eq!(keys["keys"][0]["name"], "worker");
    assert!(!keys.to_string().contains(&worker));

    let bearer = format!("Bearer {admin}");
    let exported = ureq::get(format!(
        "http://{}/v1/admin/tenants/acme/export",
        server.address
    ))
    .header("authorization", &bearer)
    .call();
    let mut exported = exported.expect("an export");
    let bytes = exported.body_mut().read_to_vec().expect("bytes");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("acme.anamne");
    std::fs::write(&file, bytes).expect("written");
    let copy = Store::open_with(Options::new(folder.path().join("copy"))).expect("a store");
    let import = anamne::BinaryImport {
        options: anamne::ImportOptions {
            trusted: true,
            ..anamne::ImportOptions::default()
        },
        ..anamne::BinaryImport::default()
    };
    let input = std::fs::File::open(&file).expect("opened");
    copy.import_binary(&file, input, &import).expect("imported");
    let space = copy.existing_space("core").expect("a space");
    assert_eq!(space.report().expect("a report").statistics.memories, 2);

    let path = "/v1/admin/tenants/acme/erase";
    send("POST", path, Some(&json!({ "confirm": "zenith" }))).problem(422);
    assert_eq!(
        send("POST", path, Some(&json!({ "confirm": "acme" }))).status,
        204
    );
    assert!(!server.store().join("server/tenants/acme").exists());
    recall(&server, &worker, "core", "deploy").problem(401);
    send("POST", path, Some(&json!({ "confirm": "acme" }))).problem(404);
    let path = "/v1/admin/tenants/default/erase";
    send("POST", path, Some(&json!({ "confirm": "default" }))).problem(422);
}

#[test]
fn rates_and_quotas_are_kept_and_reported() {
    let server = Served::start();
    let slow = NewKey {
        rate: Some(Rate {
            requests: 2,
            seconds: 3_600,
        }),
        ..NewKey::named("slow")
    };
    let slow = key(&server, &slow);
    let list = || ask(&server, &slow, "GET", "/v1/spaces", None);
    list().expect(200);
    list().expect(200);
    let refused = list();
    let wait: u32 = refused.header("retry-after").parse().expect("seconds");
    assert!((1_700..=1_800).contains(&wait), "{wait}");
    assert_eq!(refused.problem(429)["type"], "urn:anamne:problem:too_many");

    let quota = TenantQuota {
        memories: 2,
        requests_per_day: 6,
        ..TenantQuota::default()
    };
    records(&server)
        .create_tenant("acme", &quota)
        .expect("a tenant");
    let acme = of_tenant(&server, "acme");
    for content in ["The first", "The second"] {
        tell(&server, &acme, content).expect(201);
    }
    let full = tell(&server, &acme, "The third").problem(507);
    assert!(
        full["detail"].to_string().contains("2 of 2 memories"),
        "{full}"
    );
    // What is there can be read, and changed.
    recall(&server, &acme, "core", "first").expect(200);
    recall(&server, &acme, "core", "second").expect(200);
    recall(&server, &acme, "core", "second").expect(200);
    let spent = recall(&server, &acme, "core", "first");
    assert_eq!(spent.status, 429, "{}", spent.text);

    let bytes = TenantQuota {
        bytes: 1 << 20,
        ..TenantQuota::default()
    };
    records(&server)
        .create_tenant("small", &bytes)
        .expect("a tenant");
    let small = of_tenant(&server, "small");
    let long = "word ".repeat(20_000);
    let statuses: Vec<u16> = (0..20)
        .map(|number| tell(&server, &small, &format!("{number} {long}")).status)
        .collect();
    assert_eq!(statuses.last(), Some(&507), "{statuses:?}");
    assert!(statuses.contains(&201), "{statuses:?}");
    let per_minute = TenantQuota {
        requests_per_minute: 1,
        ..TenantQuota::default()
    };
    records(&server)
        .limit_tenant("small", &per_minute)
        .expect("limited");
    ask(&server, &small, "GET", "/v1/spaces", None).expect(200);
    ask(&server, &small, "GET", "/v1/spaces", None).problem(429);
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
fn many_tenants_are_opened_at_once_and_few_stay_open() {
    let server = Served::with(|settings| settings.open_tenants = 2);
    let names: Vec<String> = (0..6).map(|number| format!("t{number}")).collect();
    let keys: Vec<String> = names
        .iter()
        .map(|name| {
            records(&server)
                .create_tenant(name, &TenantQuota::default())
                .expect("a tenant");
            of_tenant(&server, name)
        })
        .collect();
    let start = Barrier::new(keys.len() * 2);
    std::thread::scope(|scope| {
        for key in keys.iter().chain(&keys) {
            let (server, start) = (&server, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..4 {
                    let told = tell(server, key, &format!("round {round}"));
                    assert!(matches!(told.status, 200 | 201), "{}", told.text);
                }
            });
        }
    });
    for (name, key) in names.iter().zip(&keys) {
        let found = recall(&server, key, "core", "round").expect(200);
        assert_eq!(found["results"].as_array().map(Vec::len), Some(4), "{name}");
    }
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
fn an_erasure_that_was_cut_short_is_completed() {
    let server = Served::start();
    records(&server)
        .create_tenant("acme", &TenantQuota::default())
        .expect("a tenant");
    let acme = of_tenant(&server, "acme");
    tell(&server, &acme, "The vault code is saffron nine").expect(201);
    records(&server)
        .begin_tenant_erasure("acme")
        .expect("begun");
    recall(&server, &acme, "core", "vault").problem(401);
    let root = server.store().join("server/tenants/acme");
    assert!(root.exists());
    drop(server.beside(|_| {}));
    assert!(!root.exists());
    assert_eq!(records(&server).tenant("acme").expect("read"), None);
}

#[test]
fn background_work_of_closed_tenants_is_done_in_turn() {
    let server = Served::start();
    let records = records(&server);
    for name in ["acme", "zenith"] {
        records
            .create_tenant(name, &TenantQuota::default())
            .expect("a tenant");
    }
    assert_eq!(records.tenant_due().expect("read"), None, "never used");
    let used = ["acme", "zenith"].map(|tenant| anamne::Use {
        tenant: tenant.to_owned(),
        keys: Vec::new(),
        requests: 1,
    });
    records.note_use(&used).expect("noted");
    for name in ["acme", "zenith"] {
        assert_eq!(records.tenant_due().expect("read").as_deref(), Some(name));
        records.note_round(name).expect("noted");
    }
    assert_eq!(records.tenant_due().expect("read"), None);
    records.suspend_tenant("acme", true).expect("suspended");
    assert_eq!(records.tenant_due().expect("read"), None);
}

/// Prints the time of a recognised and of a refused key.
#[test]
#[ignore = "a measurement"]
fn a_request_is_identified_in_microseconds() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_with(Options::new(folder.path())).expect("a store");
    let records = store.server_records().expect("records");
    let keys: Vec<_> = (0..2_000)
        .map(|number| {
            records
                .create_key(&NewKey::named(format!("k{number}")))
                .expect("a key")
        })
        .collect();
    let unknown = format!("anamne_{}_{}", "0".repeat(16), "a".repeat(64));
    for (what, text) in [
        ("known", keys[1_000].key.as_str()),
        ("unknown", unknown.as_str()),
    ] {
        let mut times: Vec<Duration> = (0..5_000)
            .map(|_| {
                let key = anamne::KeyText::parse(text).expect("a key");
                let begun = Instant::now();
                let found = records.find_key(&key).expect("read");
                assert_eq!(found.is_some(), what == "known");
                begun.elapsed()
            })
            .collect();
        times.sort();
        eprintln!("{what}: p50 {:?}, p99 {:?}", times[2_500], times[4_950]);
    }
}

/// Prints memory and time of tenants that are opened in turn.
#[test]
#[ignore = "a measurement"]
fn a_cold_tenant_answers_soon_and_costs_little_memory() {
    const TENANTS: usize = 200;
    let server = Served::with(|settings| settings.open_tenants = TENANTS);
    let keys: Vec<String> = (0..TENANTS)
        .map(|number| {
            let name = format!("t{number}");
            records(&server)
                .create_tenant(&name, &TenantQuota::default())
                .expect("a tenant");
            let key = of_tenant(&server, &name);
            for told in 0..20 {
                tell(
                    &server,
                    &key,
                    &format!("Crane {told} of tenant {number} was repaired"),
                );
            }
            key
        })
        .collect();
    let other = server.beside(|settings| settings.open_tenants = TENANTS);
    let before = resident();
    let mut times = Vec::new();
    let mut warm = Vec::new();
    for key in &keys {
        for times in [&mut times, &mut warm] {
            let begun = Instant::now();
            recall(&other, key, "core", "which crane was repaired?").expect(200);
            times.push(begun.elapsed());
        }
    }
    let each = (resident() - before) / TENANTS as u64;
    times.sort();
    warm.sort();
    eprintln!(
        "cold p50 {:?} p95 {:?}, warm p50 {:?}; {} KiB for each open tenant",
        times[TENANTS / 2],
        times[TENANTS * 95 / 100],
        warm[TENANTS / 2],
        each >> 10
    );
}

/// Resident memory of this process in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.and_then(|kib| kib.parse::<u64>().ok())
        .expect("a number")
        << 10
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
