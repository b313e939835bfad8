//! Keys and tenants of a server.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::bench::Bench;

#[test]
fn a_key_is_shown_once_listed_without_its_secret_and_revoked() {
    let bench = Bench::new();
    let made = bench.run(&[
        "keys",
        "create",
        "ada",
        "--spaces",
        "atlas,core",
        "--role",
        "reviewer",
        "--expires",
        "90d",
        "--rate",
        "10/s",
    ]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let key = made.stdout.trim();
    assert!(key.starts_with("anamne_") && key.len() == 88, "{key}");
    assert!(made.stderr.contains("only time"), "{}", made.stderr);
    let listed = bench.json(&["keys", "list"]);
    let listed = &listed["keys"][0];
    assert_eq!(listed["grant"]["rights"], json!(["trust"]));
    assert_eq!(listed["grant"]["spaces"], json!(["atlas", "core"]));
    assert_eq!(listed["grant"]["rate"], "10/s");
    assert_eq!(listed["grant"]["principal"]["name"], "ada");
    let shown = bench.run(&["keys", "list"]);
    let secret = key.rsplit('_').next().expect("a secret");
    assert!(shown.stdout.contains("expires in"), "{}", shown.stdout);
    assert!(!shown.stdout.contains(secret) && !listed.to_string().contains(secret));
    // A memory must not hold a key.
    bench.remember(&[&format!("the server's key is {key}")]);
    assert!(!bench.recall(&["server key"])[0].contains(secret));

    let id = listed["id"].as_str().expect("an id");
    assert_eq!(bench.run(&["keys", "revoke", id]).code, 0);
    assert!(bench.run(&["keys", "list"]).stdout.contains("revoked"));
    assert_eq!(bench.run(&["keys", "revoke", "0123456789abcdef"]).code, 3);
    for refused in [
        &["keys", "create", "bob"][..],
        &["keys", "create", "bob", "--all-spaces", "--spaces", "a"],
        &["keys", "create", "bob", "--all-spaces", "--expires", "0d"],
        &[
            "keys",
            "create",
            "bob",
            "--all-spaces",
            "--tenant",
            "nobody",
        ],
        &["keys", "create", "a/b", "--all-spaces"],
        &["keys", "create", "bob", "--all-spaces", "--rate", "much"],
    ] {
        let ran = bench.run(refused);
        assert_eq!(ran.code, 2, "{refused:?}: {}", ran.stderr);
    }
    let aimless = bench.run(&["keys", "create", "bob"]).stderr;
    assert!(
        aimless.contains("--spaces") && aimless.contains("--all-spaces"),
        "{aimless}"
    );
    assert_eq!(
        bench.json(&["keys", "list"])["keys"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_tenant_is_created_limited_suspended_exported_and_erased() {
    let bench = Bench::new();
    let created = bench.json(&["tenants", "create", "acme", "--memories", "2"]);
    assert_eq!(created["quota"]["memories"], 2);
    for refused in ["acme", "../x", "default", "A"] {
        assert_eq!(
            bench.run(&["tenants", "create", refused]).code,
            2,
            "{refused}"
        );
    }
    let root = bench.store().join("server/tenants/acme");
    let root = root.to_str().expect("UTF-8");
    bench.remember(&["--store", root, "We deploy on Fridays only"]);
    let free = bench.run(&["tenants", "show", "acme"]).stdout;
    assert!(free.contains("0 requests, no limit"), "{free}");
    let limited = bench.json(&["tenants", "limit", "acme", "--requests-per-day", "9"]);
    assert_eq!(limited["quota"]["memories"], 2, "what is not given stays");
    assert_eq!(limited["quota"]["requests_per_day"], 9);
    let shown = bench.json(&["tenants", "show", "acme"]);
    assert_eq!(shown["usage"]["memories"], 1);
    let said = bench.run(&["tenants", "show", "acme"]).stdout;
    assert!(
        said.contains("1 memory of 2") && said.contains("0 of 9 requests"),
        "{said}"
    );
    assert!(bench.json(&["tenants", "suspend", "acme"])["suspended_at"].is_string());
    assert!(bench.run(&["tenants", "list"]).stdout.contains("suspended"));
    assert!(bench.json(&["tenants", "resume", "acme"])["suspended_at"].is_null());
    assert_eq!(bench.run(&["tenants", "suspend", "default"]).code, 2);

    let file = bench.folder().join("acme.anamne");
    let file = file.to_str().expect("UTF-8");
    let exported = bench.json(&["tenants", "export", "acme", "--output", file]);
    assert_eq!(exported["spaces"][0]["name"], "core");
    bench.json(&[
        "keys",
        "create",
        "worker",
        "--tenant",
        "acme",
        "--all-spaces",
    ]);
    assert_eq!(
        bench.run(&["tenants", "erase", "acme"]).code,
        2,
        "not without --yes"
    );
    assert_eq!(bench.run(&["tenants", "erase", "acme", "--yes"]).code, 0);
    assert!(!bench.store().join("server/tenants/acme").exists());
    assert_eq!(bench.json(&["keys", "list"])["keys"], json!([]));
    assert_eq!(bench.run(&["tenants", "show", "acme"]).code, 3);
    assert_eq!(bench.run(&["tenants", "erase", "default", "--yes"]).code, 2);
    // The folder of the server is no damage.
    bench.remember(&["Lunch is at noon"]);
    let checked = bench.run(&["doctor"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    let checked = bench.run(&["verify"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn a_server_is_backed_up_and_restored_with_tenants_and_keys() {
    let bench = Bench::new();
    bench.remember(&["Lunch is at noon"]);
    bench.json(&["tenants", "create", "acme", "--memories", "2"]);
    bench.json(&["tenants", "create", "zenith"]);
    for tenant in ["acme", "zenith"] {
        let root = bench.store().join("server/tenants").join(tenant);
        let root = root.to_str().expect("UTF-8");
        bench.remember(&["--store", root, "We deploy on Fridays only"]);
    }
    bench.json(&["tenants", "suspend", "acme"]);
    let created = bench.json(&[
        "keys",
        "create",
        "worker",
        "--tenant",
        "zenith",
        "--all-spaces",
    ]);
    let id = created["listed"]["id"].as_str().expect("an id");
    let made = bench.json(&["backup", "copy", "--tenants"]);
    assert_eq!(made["stores"].as_array().map(Vec::len), Some(3), "{made}");
    bench.json(&["keys", "revoke", id]);

    // No server runs in the backup itself.
    let refused = bench.run(&["--store", "copy", "serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("revoked"), "{}", refused.stderr);

    let restored = bench.run(&["--store", "again", "backup", "copy", "--restore"]);
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    assert!(restored.stdout.contains(id), "{}", restored.stdout);
    assert!(
        restored.stderr.contains("revoked") && restored.stderr.contains("1 key is valid"),
        "{}",
        restored.stderr
    );
    let tenants = bench.json(&["--store", "again", "tenants", "list"]);
    let tenants = tenants["tenants"].as_array().expect("tenants").clone();
    let acme = tenants.iter().find(|tenant| tenant["name"] == "acme");
    let acme = acme.expect("acme");
    assert!(acme["suspended_at"].is_string() && acme["quota"]["memories"] == 2);
    let shown = bench.json(&["--store", "again", "tenants", "show", "zenith"]);
    assert_eq!(shown["usage"]["memories"], 1);
    let verified = bench.run(&["--store", "again", "verify"]);
    assert_eq!(verified.code, 0, "{}", verified.stdout);

    bench.json(&["tenants", "erase", "zenith", "--yes"]);
    let made = bench.json(&["backup", "copy", "--tenants"]);
    assert_eq!(made["erased"], json!(["zenith"]));
    let restored = bench.json(&["--store", "newer", "backup", "copy", "--restore"]);
    assert_eq!(restored["keys"], json!([]), "{restored}");
    assert_eq!(restored["as_of"], made["at"]);
    for refused in [
        ["--store", "newer", "backup", "copy", "--restore"].as_slice(),
        &["--store", "new", "backup", "nowhere", "--restore"],
        &["backup", "copy", "--tenants", "--space", "core"],
        &["backup", "copy", "--tenants", "--restore"],
        &["backup", "newer", "--tenants"],
    ] {
        assert_eq!(bench.run(refused).code, 2, "{refused:?}");
    }
}

#[test]
fn a_kill_while_keys_and_tenants_are_created_leaves_a_usable_file() {
    let bench = Bench::new();
    let mut acknowledged = 0;
    for round in 0..24_u64 {
        let name = format!("t{round}");
        let arguments = [
            &["tenants", "create", &name][..],
            &["keys", "create", "k", "--all-spaces"],
        ];
        let mut child = bench
            .command(arguments[round as usize % 2])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        std::thread::sleep(Duration::from_millis(round * 3));
        let _ = child.kill();
        if child.wait().expect("an end").success() && round % 2 == 1 {
            acknowledged += 1;
        }
    }
    let keys = bench.run(&["--json", "keys", "list"]);
    let count = match keys.code {
        // Killed before there was a store.
        3 => 0,
        _ => keys.parsed()["keys"].as_array().expect("keys").len(),
    };
    assert!(count >= acknowledged, "{count} of {acknowledged}");
    bench.json(&["keys", "create", "last", "--all-spaces"]);
    bench.json(&["tenants", "create", "last"]);
    let after = bench.json(&["keys", "list"]);
    assert_eq!(after["keys"].as_array().map(Vec::len), Some(count + 1));
}
