//! Tenants: isolation, administration, quotas, open stores.

use std::sync::Barrier;

use anamne::{NewKey, Options, Rate, Store, TenantQuota};
use serde_json::{Value, json};

use super::{MEMORIES, admin, ask, earlier, key, of_tenant, recall, records, tell};
use crate::common::served::Served;

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
    // Nobody could resume it over the network.
    let own = send("POST", "/v1/admin/tenants/default/suspend", None);
    assert_eq!(own.problem(422)["field"], "tenant");
    send("POST", "/v1/admin/tenants/default/resume", None).expect(200);

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

    let quota = json!({ "memories": 100 });
    let limited = send("PUT", "/v1/admin/tenants/acme/quota", Some(&quota)).expect(200);
    assert_eq!(limited["quota"]["memories"], 100);
    let spare = json!({ "name": "spare", "tenant": "acme", "all_spaces": true });
    let spare = send("POST", "/v1/admin/keys", Some(&spare)).expect(201);
    let (id, key) = (spare["listed"]["id"].as_str(), spare["key"].as_str());
    let (id, key) = (id.expect("an id"), key.expect("a key"));
    tell(&server, key, "We deploy on Mondays too").expect(200);
    send("DELETE", &format!("/v1/admin/keys/{id}"), None).expect(200);
    tell(&server, key, "no").problem(401);

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
fn an_erasure_that_was_cut_short_is_completed() {
    let server = Served::start();
    records(&server)
        .create_tenant("acme", &TenantQuota::default())
        .expect("a tenant");
    let acme = of_tenant(&server, "acme");
    tell(&server, &acme, "The vault code is saffron nine").expect(201);
    earlier(&server)
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
    // A round does the chores of every space.
    tell(&server, &of_tenant(&server, "acme"), "Lunch is at noon").expect(201);
    let root = records.tenant_root("acme").expect("a folder");
    let store = Store::open_with(Options::new(root)).expect("a store");
    store.run_background_round(&|| true).expect("done");
    let chores = store
        .existing_space("core")
        .and_then(|space| space.chores());
    let done = |name: &str| {
        let mut chores = chores.as_ref().expect("chores").iter();
        chores.any(|chore| chore.name == name && chore.last_at.is_some())
    };
    assert!(done("examination") && done("tasks"), "{chores:?}");
    records.suspend_tenant("acme", true).expect("suspended");
    assert_eq!(records.tenant_due().expect("read"), None);
}

#[test]
fn a_list_that_can_not_go_on_does_not_look_whole() {
    let server = Served::start();
    let operator = admin(&server);
    for name in ["acme", "birch", "cedar"] {
        let new = json!({ "name": name });
        ask(&server, &operator, "POST", "/v1/admin/tenants", Some(&new)).expect(201);
    }
    let get = |path: &str| ask(&server, &operator, "GET", path, None);
    let first = get("/v1/admin/tenants?limit=2").expect(200);
    let next = format!(
        "/v1/admin/tenants?cursor={}",
        first["next"].as_str().expect("more")
    );
    assert_eq!(
        get(&next).expect(200)["tenants"].as_array().map(Vec::len),
        Some(2)
    );
    for lost in [
        "/v1/admin/tenants?cursor=oak",
        "/v1/admin/keys?cursor=oak",
        "/v1/admin/tenants?tenant=acme",
    ] {
        get(lost).problem(422);
    }
}

#[test]
fn no_key_is_the_engine_itself() {
    let server = Served::start();
    let operator = admin(&server);
    let create = |kind: &str| {
        let principal = json!({ "kind": kind, "name": "retention" });
        let new = json!({ "name": "bo", "all_spaces": true, "principal": principal });
        ask(&server, &operator, "POST", "/v1/admin/keys", Some(&new))
    };
    let refused = create("system").problem(422);
    assert_eq!(refused["field"], "principal", "{refused}");
    create("tool").expect(201);
}

#[test]
fn a_key_names_spaces_that_can_be() {
    let server = Served::start();
    let operator = admin(&server);
    let create = |spaces: serde_json::Value| {
        let new = json!({ "name": "bo", "spaces": spaces });
        ask(&server, &operator, "POST", "/v1/admin/keys", Some(&new))
    };
    for bad in ["../garden", " ", "a\\b"] {
        assert_eq!(
            create(json!([bad])).problem(422)["field"],
            "spaces",
            "{bad:?}"
        );
    }
    let created = create(json!([" garden "])).expect(201);
    assert_eq!(created["listed"]["grant"]["spaces"], json!(["garden"]));
}
