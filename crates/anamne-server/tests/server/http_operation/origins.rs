//! Pages of other sites, other names, and keys in addresses.

use crate::common::raw::statuses;
use crate::common::served::Served;

/// Every kind of route: described, undescribed, and none.
const PATHS: [&str; 5] = [
    "/v1/spaces",
    "/openapi.json",
    "/metrics",
    "/healthz",
    "/nowhere",
];

fn check(server: &Served, headers: &[(&str, &str)], expected: u16) {
    for path in PATHS {
        let answered = server.send("GET", path, headers, None).status;
        let expected = match (expected, path) {
            (200, "/nowhere") => 404,
            _ => expected,
        };
        assert_eq!(answered, expected, "{path} with {headers:?}");
    }
}

#[test]
fn only_names_of_the_server_are_answered() {
    let server = Served::with(|settings| settings.hosts = vec!["Memory.Example.org".into()]);
    for ours in [
        "localhost",
        "LOCALHOST:1",
        "localhost.",
        "127.0.0.1",
        "127.0.0.1:7331",
        "[::1]:80",
        "memory.example.org:443",
    ] {
        check(&server, &[("host", ours)], 200);
    }
    for other in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "example.org",
        "0.0.0.0:7331",
        "[::]",
        "10.0.0.1",
        "2130706433",
        "0x7f.1",
    ] {
        check(&server, &[("host", other)], 421);
    }
}

#[test]
fn requests_of_other_origins_are_refused_on_every_route() {
    let server = Served::with(|settings| {
        settings.origins = vec!["https://Notes.example.org".into()];
    });
    let own = format!("http://{}", server.address);
    for allowed in [
        vec![("origin", own.as_str())],
        vec![("origin", &own), ("sec-fetch-site", "same-origin")],
        vec![("sec-fetch-site", "none")],
        vec![("origin", "https://notes.example.org")],
        vec![
            ("origin", "https://notes.example.org"),
            ("sec-fetch-site", "cross-site"),
        ],
    ] {
        check(&server, &allowed, 200);
    }
    let other_port = format!("http://127.0.0.1:{}", server.address.port() ^ 1);
    for refused in [
        vec![("origin", "http://evil.example")],
        vec![("origin", "null")],
        vec![("origin", "")],
        vec![("origin", other_port.as_str())],
        vec![("origin", "https://notes.example.org.evil.example")],
        vec![("origin", "file://")],
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("sec-fetch-site", "nonsense")],
        vec![("origin", own.as_str()), ("sec-fetch-site", "cross-site")],
    ] {
        check(&server, &refused, 403);
    }
    let allowed = server.send("OPTIONS", "/v1/spaces", &[("origin", &own)], None);
    let names: Vec<_> = allowed.headers.keys().map(ToString::to_string).collect();
    assert!(
        names.iter().all(|name| !name.starts_with("access-control")),
        "{names:?}"
    );
}

#[test]
fn a_key_in_an_address_is_refused() {
    let server = Served::start();
    for path in [
        "/v1/spaces?key=a",
        "/v1/spaces?limit=1&API-KEY=a",
        "/v1/spaces?access%5Ftoken=a",
        "/v1/spaces?token",
        "/healthz?note=anamne_0123456789abcdef_01",
        "/healthz?note=%61namne_0123456789abcdef_01",
        "/v1/spaces/anamne_0123456789abcdef_01/memories",
        "/nowhere?password=a",
    ] {
        let refused = server.get(path);
        assert!(!refused.text.contains("0123456789"), "{}", refused.text);
        assert_eq!(
            refused.problem(400)["type"],
            "urn:anamne:problem:key_in_url",
            "{path}"
        );
    }
    assert_eq!(
        server.get("/healthz?note=anamne_notes&monkey=1").status,
        200
    );
}

#[test]
fn what_a_proxy_could_read_differently_is_refused() {
    let server = Served::start();
    let host = format!("Host: {}\r\nConnection: close\r\n", server.address);
    for (target, headers) in [
        (
            "/v1/spaces",
            "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
        ),
        (
            "/healthz",
            "authorization: Bearer a\r\nAuthorization: Bearer a\r\n",
        ),
        ("http://anamne_0123456789abcdef_01@localhost/v1/spaces", ""),
        ("http://user:word@localhost/healthz", ""),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\n{host}{headers}\r\n");
        assert_eq!(
            statuses(server.address, request),
            [400],
            "{target} {headers}"
        );
    }
    let whole = format!("GET http://localhost/healthz HTTP/1.1\r\n{host}\r\n");
    assert_eq!(statuses(server.address, whole), [200]);
}
