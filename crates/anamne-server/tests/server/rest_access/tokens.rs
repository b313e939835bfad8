//! Access tokens of an issuer.

use std::io::{Read, Write};
use std::net::TcpListener;

use anamne::{Store, TenantQuota};
use anamne_server::http::IssuerSettings;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use crate::common::served::Served;

const AUDIENCE: &str = "http://127.0.0.1/mcp";

/// An issuer that answers with its metadata and its key.
struct FakeIssuer {
    url: String,
    pair: Ed25519KeyPair,
}

impl FakeIssuer {
    fn start() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let metadata = json!({ "issuer": url, "jwks_uri": format!("{url}/keys") });
        let point = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
        let keys = json!({ "keys": [
            { "kty": "OKP", "crv": "Ed25519", "kid": "one", "x": point },
        ] });
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut head = [0; 4_096];
                let read = stream.read(&mut head).expect("a request");
                let is_keys = head[..read].starts_with(b"GET /keys ");
                let body = if is_keys { &keys } else { &metadata }.to_string();
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                stream.write_all(answer.as_bytes()).expect("an answer");
            }
        });
        Self { url, pair }
    }

    fn token(&self, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({ "alg": "EdDSA", "kid": "one" });
        let signed = format!("{}.{}", part(&header), part(claims));
        let signature = self.pair.sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }

    fn claims(&self, scope: &str) -> Value {
        let now = jiff::Timestamp::now().as_second();
        json!({
            "iss": self.url, "aud": AUDIENCE, "sub": "ada", "exp": now + 600, "scope": scope,
        })
    }
}

#[test]
fn a_token_of_the_issuer_counts_for_what_it_says() {
    let issuer = FakeIssuer::start();
    let server = Served::with(|settings| {
        settings.issuer = Some(IssuerSettings {
            issuer: issuer.url.clone(),
            audience: AUDIENCE.to_owned(),
        });
    });
    let write = |token: &str| {
        let authorization = format!("Bearer {token}");
        let headers = [("authorization", authorization.as_str())];
        let draft = json!({ "content": "Sow the beans in May" });
        server.json("POST", "/v1/spaces/core/memories", &headers, &draft)
    };
    let writer = issuer.token(&issuer.claims("memory:read memory:write"));
    let told = write(&writer).expect(201);
    let authorization = format!("Bearer {writer}");
    let path = format!(
        "/v1/spaces/core/memories/{}",
        told["id"].as_str().expect("an id")
    );
    let read = server.send("GET", &path, &[("authorization", &authorization)], None);
    assert_eq!(read.expect(200)["author"], "ada");
    write(&issuer.token(&issuer.claims("memory:read"))).problem(403);

    let mut other = issuer.claims("memory:read memory:write");
    other["aud"] = json!("https://elsewhere.example.org/mcp");
    let mut late = issuer.claims("memory:read memory:write");
    late["exp"] = json!(1_700_000_000);
    let forged = FakeIssuer::start().token(&issuer.claims("memory:read memory:write"));
    for bad in [issuer.token(&other), issuer.token(&late), forged] {
        let refused = write(&bad);
        let challenge = refused.header("www-authenticate").to_owned();
        assert!(
            challenge.contains("oauth-protected-resource"),
            "{challenge}"
        );
        refused.problem(401);
    }
    server.get("/v1/spaces").problem(401);
    let metadata = server.get("/.well-known/oauth-protected-resource/mcp");
    let metadata = metadata.expect(200);
    assert_eq!(metadata["resource"], AUDIENCE);
    assert_eq!(metadata["authorization_servers"], json!([issuer.url]));
}

#[test]
fn requests_with_tokens_count_in_the_day_of_their_tenant() {
    let issuer = FakeIssuer::start();
    let with_issuer = |settings: &mut anamne_server::http::HttpSettings| {
        settings.issuer = Some(IssuerSettings {
            issuer: issuer.url.clone(),
            audience: AUDIENCE.to_owned(),
        });
    };
    let server = Served::with(with_issuer);
    let records = Store::open(server.store()).expect("the store");
    let records = records.server_records().expect("the records");
    let quota = TenantQuota {
        requests_per_day: 3,
        ..TenantQuota::default()
    };
    records.create_tenant("acme", &quota).expect("created");
    let list = |server: &Served, tenant: Option<&str>| {
        let mut claims = issuer.claims("memory:read");
        if let Some(tenant) = tenant {
            claims["anamne_tenant"] = json!(tenant);
        }
        let authorization = format!("Bearer {}", issuer.token(&claims));
        let headers = [("authorization", authorization.as_str())];
        server.send("GET", "/v1/spaces", &headers, None)
    };
    for _ in 0..2 {
        list(&server, Some("acme")).expect(200);
    }
    list(&server, None).expect(200);
    list(&server, Some("acme")).expect(200);
    let refused = list(&server, Some("acme")).problem(429);
    assert!(
        refused["retry_after"]
            .as_u64()
            .is_some_and(|after| after > 0)
    );
    list(&server, None).expect(200);

    // Another server of the same store knows them too, once they are written down.
    let other = server.beside(with_issuer);
    drop(server.end());
    let counted = |name: &str| {
        records
            .tenant(name)
            .expect("read")
            .expect("known")
            .requests_today
    };
    assert_eq!((counted("acme"), counted("default")), (3, 2));
    list(&other, Some("acme")).problem(429);
    list(&other, None).expect(200);
}

/// Shows this time always.
struct Stopped(jiff::Timestamp);

impl anamne::Clock for Stopped {
    fn now(&self) -> jiff::Timestamp {
        self.0
    }
}

#[test]
fn a_later_space_or_tenant_of_the_name_is_not_for_the_tokens_of_the_deleted_one() {
    let issuer = FakeIssuer::start();
    let now = jiff::Timestamp::now();
    let an_hour_ago = now - jiff::SignedDuration::from_hours(1);
    let server = Served::with_options(
        |options| options.clock = std::sync::Arc::new(Stopped(an_hour_ago)),
        |settings| {
            settings.issuer = Some(IssuerSettings {
                issuer: issuer.url.clone(),
                audience: AUDIENCE.to_owned(),
            });
        },
    );
    let scope = "memory:read memory:write memory:erase";
    let token = |issued: Option<i64>, changes: &Value| {
        let mut claims = issuer.claims(scope);
        if let Some(issued) = issued {
            claims["iat"] = json!(issued);
        }
        for (name, value) in changes.as_object().expect("claims") {
            claims[name] = value.clone();
        }
        format!("Bearer {}", issuer.token(&claims))
    };
    let send = |method: &str, path: &str, token: &str| {
        let headers = [
            ("authorization", token),
            ("content-type", "application/json"),
        ];
        let body = json!({ "content": "Rhubarb needs sugar" }).to_string();
        let body = (method == "POST").then_some(body.as_bytes());
        server.send(method, path, &headers, body)
    };
    let (old, new) = (Some(now.as_second() - 7_200), Some(now.as_second()));
    let memories = "/v1/spaces/recipes/memories";
    let [alone, both] = [json!(["recipes"]), json!(["recipes", "core"])];
    let [alone, both] = [alone, both].map(|spaces| json!({ "anamne_spaces": spaces }));
    for issued in [old, new, None] {
        let told = send("POST", memories, &token(issued, &alone));
        assert!(told.status < 300, "{}", told.text);
    }
    let deletion = "/v1/spaces/recipes?name=recipes";
    send("DELETE", deletion, &token(old, &alone)).expect(200);
    // Not even to create it again.
    send("POST", memories, &token(old, &alone)).problem(401);
    send("POST", memories, &token(old, &both)).problem(404);
    send("POST", memories, &token(new, &alone)).expect(201);
    for issued in [old, None] {
        let refused = send("GET", "/v1/spaces/recipes", &token(issued, &alone));
        assert!(!refused.header("www-authenticate").is_empty());
        refused.problem(401);
        send("GET", "/v1/spaces/recipes", &token(issued, &both)).problem(404);
        send("GET", "/v1/spaces", &token(issued, &both)).expect(200);
        // A token for all spaces names none.
        send("GET", "/v1/spaces/recipes", &token(issued, &json!({}))).expect(200);
    }
    send("GET", "/v1/spaces/recipes", &token(new, &both)).expect(200);

    let records_at = |at: jiff::Timestamp| {
        let clock = std::sync::Arc::new(Stopped(at));
        let options = anamne::Options {
            clock,
            ..anamne::Options::new(server.store())
        };
        let store = Store::open_with(options.background(false)).expect("the store");
        store.server_records().expect("the records")
    };
    let acme = json!({ "anamne_tenant": "acme" });
    let (earlier, later) = (records_at(an_hour_ago), records_at(now));
    let quota = TenantQuota::default();
    earlier.create_tenant("acme", &quota).expect("created");
    for issued in [old, new, None] {
        send("GET", "/v1/spaces", &token(issued, &acme)).expect(200);
    }
    earlier.erase_tenant("acme").expect("erased");
    later.finish_erasures().expect("finished");
    later.create_tenant("acme", &quota).expect("created");
    send("GET", "/v1/spaces", &token(old, &acme)).problem(401);
    send("GET", "/v1/spaces", &token(None, &acme)).problem(401);
    send("GET", "/v1/spaces", &token(new, &acme)).expect(200);
}

#[test]
fn without_an_issuer_there_is_no_metadata() {
    let server = Served::start();
    let metadata = server.get("/.well-known/oauth-protected-resource");
    metadata.problem(404);
}
