//! Backups of the whole server on a schedule: who sees them, and what waits for them.

use std::time::{Duration, Instant};

use anamne::{BackupSchedule, NewKey};
use serde_json::Value;

use super::{admin, ask, key, recall, tell};
use crate::common::served::Served;

const BACKUPS: &str = "/v1/admin/backups";

#[track_caller]
fn until(server: &Served, admin: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let found = ask(server, admin, "GET", BACKUPS, None).expect(200);
        if is_so(&found) {
            return found;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "{found}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_administrator_sees_the_backups_of_the_server_and_has_one_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Served::with(|settings| {
        settings.backups = Some(BackupSchedule {
            folder: folder.path().to_owned(),
            every: Duration::from_hours(24),
            keep: 1,
        });
    });
    let admin = admin(&server);
    let other = key(&server, &NewKey::named("ada"));
    until(&server, &admin, |found| found["complete"] == 1);
    for method in ["GET", "POST"] {
        ask(&server, &other, method, BACKUPS, None).problem(403);
    }
    tell(&server, &admin, "Lunch is at noon").expect(201);
    let before = ask(&server, &admin, "GET", BACKUPS, None).expect(200);
    let asked = ask(&server, &admin, "POST", BACKUPS, None).expect(202);
    assert_eq!(asked["keep"], 1, "{asked}");
    // Requests go on meanwhile.
    recall(&server, &other, "core", "lunch").expect(200);
    tell(&server, &admin, "Dinner is at six").expect(201);
    let made = until(&server, &admin, |found| {
        found["last_folder"] != before["last_folder"] && found["running"] == false
    });
    assert_eq!(
        (&made["complete"], made.get("failure")),
        (&1.into(), None),
        "{made}"
    );
    let age = made["age_seconds"].as_u64().expect("an age");
    assert!(age < 60, "{made}");
    let metrics = ask(&server, &admin, "GET", "/metrics", None).text;
    assert!(metrics.contains("anamne_backups_complete 1"), "{metrics}");
}

#[test]
fn without_a_schedule_there_are_no_backups() {
    let server = Served::start();
    let admin = admin(&server);
    let missing = ask(&server, &admin, "GET", BACKUPS, None).problem(404);
    let detail = missing["detail"].as_str().expect("a detail");
    assert!(detail.contains("--backup-to"), "{detail}");
    ask(&server, &admin, "POST", BACKUPS, None).problem(404);
    let metrics = ask(&server, &admin, "GET", "/metrics", None).text;
    assert!(!metrics.contains("anamne_backup"), "{metrics}");
}
