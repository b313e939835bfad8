//! A server whose certificate an authority of one's own signed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;

use crate::bench::{Bench, RunOutput, lines};

/// An authority, and what it signs.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut names = CertificateParams::new([]).expect("names");
        names.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = names.self_signed(&key).expect("a certificate").pem();
        let issuer = Issuer::new(names, key);
        Self { issuer, pem }
    }

    /// The certificate and key of a server at this machine, in files.
    fn sign(&self, folder: &Path) -> [PathBuf; 2] {
        let key = KeyPair::generate().expect("a key");
        let names = CertificateParams::new(["localhost".to_owned()]).expect("names");
        let signed = names.signed_by(&key, &self.issuer).expect("signed");
        let paths = [folder.join("cert.pem"), folder.join("key.pem")];
        std::fs::write(&paths[0], signed.pem()).expect("a file");
        std::fs::write(&paths[1], key.serialize_pem()).expect("a file");
        paths
    }
}

/// A server with TLS, which ends when it is dropped.
struct TlsServer {
    child: Child,
    address: String,
}

impl TlsServer {
    fn start(bench: &Bench, authority: &Authority) -> Self {
        let files = authority.sign(bench.folder());
        let [certificate, key] = files.each_ref().map(|path| path.to_str().expect("UTF-8"));
        let mut child = bench
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .args(["--tls-cert", certificate, "--tls-key", key, "--log", "off"])
            .env_remove("ANAMNE_SERVER")
            .env("ANAMNE_STORE", bench.store())
            .spawn()
            .expect("the command starts");
        let mut output = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let port = line.trim().rsplit_once(':').expect("a port").1;
        let address = format!("https://localhost:{port}");
        assert!(line.contains("https://"), "{line}");
        Self { child, address }
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command of a person who has no store, only perhaps a login.
fn personal<'a>(bench: &Bench, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = bench.command(&[]);
    command
        .args(arguments)
        .env_remove("ANAMNE_STORE")
        .env_remove("ANAMNE_SERVER");
    command
}

fn run<'a>(bench: &Bench, arguments: impl IntoIterator<Item = &'a str>) -> RunOutput {
    let output = personal(bench, arguments).output();
    output.expect("the command starts").into()
}

#[test]
fn a_login_with_its_authority_reaches_the_server_in_every_way() {
    let bench = Bench::new();
    let authority = Authority::new();
    let server = TlsServer::start(&bench, &authority);
    let login = ["--json", "login", &server.address, "--no-key"];
    let unknown = run(&bench, login);
    assert_eq!(unknown.code, 1, "{}", unknown.stderr);
    let error = unknown.error();
    let hint = error["hint"].as_str().expect("a hint");
    assert!(hint.contains("--ca FILE"), "{error}");

    let other = bench.file("other.pem", Authority::new().pem);
    let own = bench.file("own.pem", &authority.pem);
    let [other, own] = [&other, &own].map(|path| path.to_str().expect("UTF-8"));
    let wrong = run(&bench, [&login[..], &["--ca", other]].concat());
    assert_eq!(wrong.code, 1, "{}", wrong.stdout);
    let logged_in = run(&bench, [&login[..], &["--ca", own]].concat());
    assert_eq!(logged_in.code, 0, "{}", logged_in.stderr);
    // What is kept doesn't depend on the file.
    std::fs::remove_file(own).expect("removed");

    let stored = run(&bench, ["remember", "Staging listens on port 8471"]);
    assert_eq!(stored.code, 0, "{}", stored.stderr);
    let found = run(&bench, ["recall", "which port?"]);
    assert!(found.stdout.contains("8471"), "{}", found.stderr);
    let talk = bench.file("talk.jsonl", lines([json!({"text": "Sow beans in May"})]));
    let imported = run(&bench, ["import", talk.to_str().expect("UTF-8")]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let exported = run(&bench, ["export"]);
    assert_eq!(exported.stdout.lines().count(), 2, "{}", exported.stderr);
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "editor", "version": "1"}});
    let input = lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "memory_search", "arguments": {"query": "which port?"}}}),
    ]);
    let served = personal(&bench, ["mcp"])
        .stdin(bench.stdin_of(&input))
        .output();
    let served = RunOutput::from(served.expect("the command starts"));
    assert!(served.stdout.contains("8471"), "{}", served.stderr);

    // The authority belongs to the server of the login.
    let elsewhere = TlsServer::start(&bench, &Authority::new());
    let refused = run(&bench, ["--server", &elsewhere.address, "list"]);
    assert_eq!(refused.code, 1, "{}", refused.stdout);
}

#[test]
fn scripts_name_the_authority_in_the_environment() {
    let bench = Bench::new();
    let authority = Authority::new();
    let server = TlsServer::start(&bench, &authority);
    let own = bench.file("own.pem", &authority.pem);
    let asked = personal(&bench, ["spaces"])
        .env("ANAMNE_SERVER", &server.address)
        .env("ANAMNE_CA", &own)
        .output();
    let asked = RunOutput::from(asked.expect("the command starts"));
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    let missing = personal(&bench, ["--json", "spaces"])
        .env("ANAMNE_SERVER", &server.address)
        .env("ANAMNE_CA", "nowhere.pem")
        .output();
    let missing = RunOutput::from(missing.expect("the command starts"));
    assert_eq!(missing.error()["field"], "ca", "{}", missing.stderr);
}

#[test]
fn a_file_without_an_authority_is_refused() {
    let bench = Bench::new();
    let no_certificate = bench.file("notes.pem", "no certificate");
    let no_certificate = no_certificate.to_str().expect("UTF-8");
    for (address, file) in [
        ("https://localhost:1", no_certificate),
        ("https://localhost:1", "nowhere.pem"),
        ("http://localhost:1", no_certificate),
    ] {
        let login = ["--json", "login", address, "--no-key", "--ca", file];
        let refused = run(&bench, login);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert_eq!(refused.error()["field"], "ca", "{address} {file}");
    }
}
