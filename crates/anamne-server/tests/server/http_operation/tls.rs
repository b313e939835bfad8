//! TLS, and certificates that change.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne::Options;
use anamne_server::http::{Address, HttpError, HttpSettings, Server, TlsFiles};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// A certificate in files, and a client that trusts nothing else.
struct Issued {
    files: TlsFiles,
    client: ureq::Agent,
}

fn paths(folder: &Path) -> TlsFiles {
    TlsFiles {
        certificate: folder.join("cert.pem"),
        key: folder.join("key.pem"),
    }
}

fn issue(folder: &Path) -> Issued {
    let names = vec!["localhost".to_owned()];
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(names).expect("a certificate");
    let files = paths(folder);
    std::fs::write(&files.certificate, cert.pem()).expect("a file");
    std::fs::write(&files.key, signing_key.serialize_pem()).expect("a file");
    let trusted = Certificate::from_pem(cert.pem().as_bytes()).expect("a certificate");
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(vec![trusted.to_owned()])))
        .build();
    let client = ureq::Agent::config_builder()
        .tls_config(tls)
        .proxy(None)
        .max_idle_connections(0)
        .build();
    Issued {
        files,
        client: client.into(),
    }
}

fn settings(files: TlsFiles) -> HttpSettings {
    let mut settings = HttpSettings::default();
    settings.address = Address::Tcp(([127, 0, 0, 1], 0).into());
    settings.tls = Some(files);
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_used_and_replaced_without_a_break() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = issue(folder.path());
    let options = Options::new(folder.path().join("store")).background(false);
    let server = Server::bind(options, &settings(first.files.clone())).await;
    let server = server.expect("a server");
    let port = server.local_address().expect("an address").port();
    let reload = server.tls_reloader().expect("a certificate");
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async { drop(ended.await) }));
    let asking = tokio::task::spawn_blocking(move || {
        let ask = |issued: &Issued| {
            let answer = issued
                .client
                .get(format!("https://localhost:{port}/healthz"));
            answer.call().map(|answer| answer.status().as_u16())
        };
        assert_eq!(ask(&first).expect("an answer"), 200);
        // One that doesn't fit is not used.
        let kept = std::fs::read(&first.files.key).expect("a key");
        std::fs::write(&first.files.key, "no key").expect("a file");
        reload();
        assert_eq!(ask(&first).expect("an answer"), 200);
        std::fs::write(&first.files.key, kept).expect("a file");
        // A new one is.
        let second = issue(folder.path());
        reload();
        assert!(ask(&first).is_err(), "the former certificate is gone");
        assert_eq!(ask(&second).expect("an answer"), 200);
        // A client without TLS gets no answer, and the server goes on.
        let mut raw = crate::common::raw::Raw::open(([127, 0, 0, 1], port).into());
        raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(!raw.rest().contains("200"));
        assert_eq!(ask(&second).expect("an answer"), 200);
    });
    asking.await.expect("answers");
    drop(end);
    running.await.expect("the end");
}

#[tokio::test]
async fn files_that_do_not_fit_are_refused_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = tempfile::tempdir().expect("a folder");
    let good = issue(folder.path()).files;
    let foreign = issue(other.path()).files;
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "").expect("a file");
    let refused = |certificate: &PathBuf, key: &PathBuf| {
        let files = TlsFiles {
            certificate: certificate.clone(),
            key: key.clone(),
        };
        let options = Options::new(folder.path().join("store")).background(false);
        async move { Server::bind(options, &settings(files)).await.err() }
    };
    for (certificate, key) in [
        (&good.certificate, &foreign.key),
        (&good.certificate, &empty),
        (&empty, &good.key),
        (&good.key, &good.key),
        (&folder.path().join("missing.pem"), &good.key),
        (&folder.path().to_owned(), &good.key),
    ] {
        let error = refused(certificate, key).await;
        assert!(
            matches!(error, Some(HttpError::Tls { .. })),
            "{certificate:?} with {key:?}: {error:?}"
        );
    }
    assert!(refused(&good.certificate, &good.key).await.is_none());
}
