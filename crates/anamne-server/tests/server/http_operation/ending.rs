//! The end of a server loses nothing.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anamne::{Listing, Options, Store};
use serde_json::json;

use super::MEMORIES;
use crate::common::raw::Raw;
use crate::common::served::Served;

/// Stores a memory on a connection of its own. Whether it was acknowledged.
fn store(address: std::net::SocketAddr, content: &str) -> bool {
    let body = json!({ "content": content }).to_string();
    let Ok(stream) = std::net::TcpStream::connect(address) else {
        return false;
    };
    let mut raw = Raw::of(stream);
    raw.send(format!(
        "POST {MEMORIES} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    raw.rest().starts_with("HTTP/1.1 201")
}

#[test]
fn what_was_acknowledged_is_there_and_nothing_else() {
    let server = Served::start();
    let address = server.address;
    let acknowledged = Arc::new(Mutex::new(BTreeSet::new()));
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let acknowledged = acknowledged.clone();
            std::thread::spawn(move || {
                for number in 0.. {
                    let content = format!("Note {number} of writer {writer}");
                    if !store(address, &content) {
                        break;
                    }
                    acknowledged.lock().expect("a list").insert(content);
                }
            })
        })
        .collect();
    while acknowledged.lock().expect("a list").len() < 30 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let folder = server.end();
    for writer in writers {
        writer.join().expect("a writer");
    }
    let options = Options::new(folder.path().join("store")).background(false);
    let reopened = Store::open_with(options).expect("the store");
    let space = reopened.existing_space("core").expect("the space");
    let listing = Listing {
        limit: 100_000,
        ..Listing::default()
    };
    let stored: BTreeSet<_> = space
        .list(&listing)
        .expect("memories")
        .into_iter()
        .map(|memory| memory.content)
        .collect();
    assert_eq!(stored, *acknowledged.lock().expect("a list"));
}

#[test]
fn idle_and_half_open_connections_do_not_hold_the_end_up() {
    let server = Served::start();
    let address = server.address;
    let idle = Raw::open(address);
    let mut half = Raw::open(address);
    half.send("POST /v1/spaces/core/memories HTTP/1.1\r\nHost: loc");
    let mut kept = Raw::open(address);
    kept.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    kept.until("alive");
    let began = Instant::now();
    drop(server.end());
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    drop((idle, half, kept));
    assert!(std::net::TcpStream::connect(address).is_err());
}
