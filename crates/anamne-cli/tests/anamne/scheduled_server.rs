//! A server that backs itself up: served, killed, and restored.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::Bench;

/// A server that is killed at the end of the test.
struct Running {
    child: Child,
    address: String,
    log: BufReader<ChildStderr>,
}

impl Running {
    fn start(bench: &Bench, arguments: &[&str]) -> Self {
        let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut child = bench.command(&all).spawn().expect("the command starts");
        let mut log = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.starts_with("listening at") {
            line.clear();
            let read = log.read_line(&mut line).expect("a line");
            assert!(read > 0, "it ended");
        }
        let address = line.trim().rsplit('/').next().expect("an address");
        let address = address.to_owned();
        Self {
            child,
            address,
            log,
        }
    }

    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        (status.expect("a status"), body.to_owned())
    }

    fn tell(&self, content: &str) {
        let body = json!({ "content": content }).to_string();
        let (status, said) = self.send("POST", "/v1/spaces/core/memories", &body);
        assert_eq!(status, 201, "{said}");
    }

    fn backups(&self) -> Value {
        let (status, said) = self.send("GET", "/v1/admin/backups", "");
        assert_eq!(status, 200, "{said}");
        serde_json::from_str(&said).expect("JSON")
    }

    /// Waits until the server says so of its backups.
    #[track_caller]
    fn until(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let found = self.backups();
            if is_so(&found) {
                return found;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "{found}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn ask(&self) {
        let (status, said) = self.send("POST", "/v1/admin/backups", "");
        assert_eq!(status, 202, "{said}");
    }

    /// Kills it at once; the log.
    fn kill(&mut self) -> String {
        self.child.kill().expect("killed");
        let mut log = String::new();
        self.log.read_to_string(&mut log).expect("the log");
        self.child.wait().expect("an end");
        log
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn memories_of(bench: &Bench, store: &str) -> usize {
    let listed = bench.json(&["--store", store, "--space", "core", "list", "-k", "1000"]);
    listed["memories"].as_array().expect("memories").len()
}

#[test]
fn what_was_written_before_the_last_backup_is_there_after_a_kill() {
    let bench = Bench::new();
    std::fs::create_dir(bench.folder().join("backups")).expect("a folder");
    let arguments = [
        "--backup-to",
        "backups",
        "--backup-every",
        "1h",
        "--backup-keep",
        "2",
    ];
    let mut server = Running::start(&bench, &arguments);
    // The first one is due at once.
    server.until(|found| found["complete"] == 1);
    bench.json(&["tenants", "create", "acme"]);
    let acme = bench.store().join("server/tenants/acme");
    let acme = acme.to_str().expect("UTF-8");
    bench.remember(&["--store", acme, "We deploy on Fridays only"]);
    for number in 0..3 {
        server.tell(&format!("Lunch of day {number} is at noon"));
        let before = server.backups();
        server.ask();
        let made = server.until(|found| {
            found["last_folder"] != before["last_folder"] && found["running"] == false
        });
        assert_eq!(made.get("failure"), None, "{made}");
    }
    let (_, metrics) = server.send("GET", "/metrics", "");
    for line in [
        "anamne_backups_complete 2",
        "anamne_backup_failures_total 0",
        "anamne_backup_failed 0",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert!(
        metrics.contains("\nanamne_backup_age_seconds "),
        "{metrics}"
    );
    let checked = bench.json(&["doctor"]);
    assert_eq!(checked["server_backups"]["complete"], 2, "{checked}");

    let log = server.kill();
    assert_eq!(log.matches("backed up").count(), 4, "{log}");
    std::fs::remove_dir_all(bench.store()).expect("lost");
    let restored = bench.json(&["--store", "again", "backup", "backups", "--restore"]);
    assert!(restored.get("damaged").is_none(), "{restored}");
    assert_eq!(memories_of(&bench, "again"), 3);
    assert_eq!(memories_of(&bench, "again/server/tenants/acme"), 1);
}

#[test]
fn a_kill_during_a_backup_leaves_none_that_looks_whole() {
    let bench = Bench::new();
    std::fs::create_dir(bench.folder().join("backups")).expect("a folder");
    let lines = (0..400).map(|number| json!({ "text": format!("Line {number} of a long talk") }));
    let file = bench.file("talk.jsonl", crate::bench::lines(lines));
    bench.json(&["--space", "core", "import", file.to_str().expect("UTF-8")]);
    let arguments = [
        "--log",
        "off",
        "--backup-to",
        "backups",
        "--backup-keep",
        "1",
    ];
    let mut server = Running::start(&bench, &arguments);
    server.until(|found| found["complete"] == 1);
    server.kill();
    for (round, pause) in [3, 10, 30, 60, 120, 400].into_iter().enumerate() {
        let mut server = Running::start(&bench, &arguments);
        server.tell(&format!("Told in round {round}"));
        server.ask();
        std::thread::sleep(Duration::from_millis(pause));
        server.kill();
        let store = format!("round-{round}");
        let restored = bench.run(&["--store", &store, "backup", "backups", "--restore"]);
        assert_eq!(restored.code, 0, "{}", restored.stderr);
        let verified = bench.run(&["--store", &store, "verify"]);
        assert_eq!(verified.code, 0, "{}", verified.stdout);
        // All of one moment, whichever it was.
        let memories = memories_of(&bench, &store);
        assert!((400..=401 + round).contains(&memories), "{memories}");
    }
    let mut server = Running::start(&bench, &arguments);
    server.ask();
    let last = server.until(|found| found["complete"] == 1 && found["running"] == false);
    assert_eq!(last["changed"], 0, "{last}");
    server.kill();
    bench.json(&["--store", "last", "backup", "backups", "--restore"]);
    let entries = std::fs::read_dir(bench.folder().join("backups")).expect("a folder");
    let left: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left.len(), 2, "the lock and one backup: {left:?}");
}

#[test]
fn a_failing_backup_is_said_everywhere_and_the_server_serves() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at nine"]);
    let missing = ["--backup-to", "nowhere", "--log-format", "json"];
    let mut server = Running::start(&bench, &missing);
    let found = server.until(|found| found["failure"].is_string());
    let said = found["failure"].as_str().expect("a failure");
    assert!(said.contains("connect its disk"), "{found}");
    assert_eq!(found.get("age_seconds"), None, "{found}");
    let next = found["next_in_seconds"].as_u64().expect("a time");
    assert!(next <= 3_600, "tried again within an hour: {found}");
    server.tell("The ferry leaves at ten");
    let (_, metrics) = server.send("GET", "/metrics", "");
    assert!(metrics.contains("anamne_backup_failed 1"), "{metrics}");
    assert!(!metrics.contains("anamne_backup_age_seconds"), "{metrics}");
    let checked = bench.run(&["doctor"]);
    assert_eq!(checked.code, 1, "{}", checked.stdout);
    assert!(
        checked.stdout.contains("connect its disk"),
        "{}",
        checked.stdout
    );
    std::fs::create_dir(bench.folder().join("nowhere")).expect("a folder");
    server.ask();
    server.until(|found| found["complete"] == 1 && found.get("failure").is_none());
    assert_eq!(bench.run(&["doctor"]).code, 0);
    let log = server.kill();
    assert!(log.contains("the backup failed"), "{log}");

    // A server without a schedule has nothing to be late with.
    let mut server = Running::start(&bench, &["--log", "off"]);
    assert_eq!(server.send("GET", "/v1/admin/backups", "").0, 404);
    assert_eq!(bench.json(&["doctor"])["server_backups"], Value::Null);
    server.kill();
    for refused in [
        &["serve", "--backup-every", "day"][..],
        &["serve", "--backup-keep", "3"],
        &["serve", "--backup-to", "backups", "--backup-keep", "0"],
        &["serve", "--backup-to", "backups", "--backup-every", "never"],
    ] {
        assert_eq!(bench.run(refused).code, 2, "{refused:?}");
    }
    let within = bench.store().join("backups");
    let within = within.to_str().expect("UTF-8");
    let refused = bench.run(&["serve", "--listen", "127.0.0.1:0", "--backup-to", within]);
    assert_ne!(refused.code, 0, "{}", refused.stderr);
}
