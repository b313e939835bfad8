//! Unix sockets.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use anamne::Options;
use anamne_server::http::{Address, HttpError, HttpSettings, Server};

fn settings(path: &Path) -> HttpSettings {
    let mut settings = HttpSettings::default();
    settings.address = Address::Unix(path.to_owned());
    settings
}

fn ask(path: &Path) -> String {
    let mut stream = UnixStream::connect(path).expect("a connection");
    // Names can't be rebound to a socket.
    let request = "GET /healthz HTTP/1.1\r\nHost: any.name\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_is_its_owners_and_goes_with_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, store) = (folder.path().join("s.sock"), folder.path().join("store"));
    let options = || Options::new(&store).background(false);
    // What a dead server left.
    drop(UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists());
    let server = Server::bind(options(), &settings(&path))
        .await
        .expect("replaced");
    let mode = std::fs::metadata(&path)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");

    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async { drop(ended.await) }));
    let asked = path.clone();
    let answer = tokio::task::spawn_blocking(move || ask(&asked)).await;
    assert!(answer.expect("an answer").starts_with("HTTP/1.1 200"));

    // A live one is left alone.
    match Server::bind(options(), &settings(&path)).await {
        Err(HttpError::Listen { source, .. }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::AddrInUse);
        }
        other => panic!("{:?}", other.map(drop)),
    }
    let asked = path.clone();
    let answer = tokio::task::spawn_blocking(move || ask(&asked)).await;
    assert!(answer.expect("an answer").starts_with("HTTP/1.1 200"));
    drop(end);
    running.await.expect("the end");
    assert!(!path.exists(), "removed at the end");

    // Another file is left alone.
    std::fs::write(&path, "mine").expect("a file");
    let refused = Server::bind(options(), &settings(&path)).await;
    assert!(matches!(refused, Err(HttpError::Listen { .. })));
    assert_eq!(std::fs::read(&path).expect("a file"), b"mine");
}
