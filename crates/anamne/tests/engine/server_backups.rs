//! Backups of a whole server, with its tenants and keys, and their restoration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne::{
    Clock, ErrorKind, KeyText, NewKey, Options, ServerRestore, Store, SystemClock, TenantQuota,
};
use tempfile::TempDir;

use crate::common::files_with;

struct Site {
    home: TempDir,
}

impl Site {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().expect("a folder"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn server(&self) -> Store {
        open(&self.path("server"))
    }

    fn back_up(&self) -> anamne::ServerBackup {
        let made = self.server().backup_server(&self.path("backup"));
        let made = made.expect("a backup");
        assert!(made.is_whole(), "{made:?}");
        made
    }

    fn restore(&self, name: &str) -> (Store, ServerRestore) {
        let root = self.path(name);
        let restored = restore(&self.path("backup"), &root).expect("restored");
        (open(&root), restored)
    }
}

fn open(root: &Path) -> Store {
    Store::open_with(Options::new(root).background(false)).expect("a store")
}

fn restore(backup: &Path, root: &Path) -> Result<ServerRestore, anamne::Error> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Store::restore_server(backup, root, &clock)
}

fn tell(store: &Store, text: &str) {
    let space = store.space("core").expect("a space");
    space.remember(text).expect("told");
}

fn tenant_store(store: &Store, tenant: &str) -> Store {
    let records = store.server_records().expect("records");
    open(&records.tenant_root(tenant).expect("a root"))
}

fn memories(store: &Store) -> u64 {
    let space = store.existing_space("core").expect("a space");
    space.report().expect("a report").statistics.memories
}

fn found(store: &Store, key: &str) -> Option<anamne::FoundKey> {
    let key = KeyText::parse(key).expect("a key");
    let records = store.server_records().expect("records");
    records.find_key(&key).expect("read")
}

/// A server with two tenants, and a key of each.
fn server(site: &Site) -> (Store, [String; 3]) {
    let server = site.server();
    tell(&server, "The ferry leaves at nine");
    let records = server.server_records().expect("records");
    let quota = TenantQuota {
        memories: 7,
        ..TenantQuota::default()
    };
    for name in ["acme", "zenith", "unused"] {
        records.create_tenant(name, &quota).expect("a tenant");
    }
    tell(&tenant_store(&server, "acme"), "We deploy on Fridays only");
    tell(
        &tenant_store(&server, "zenith"),
        "The vault code is saffron",
    );
    let key = |tenant: Option<&str>| {
        let wanted = NewKey {
            tenant: tenant.map(str::to_owned),
            ..NewKey::named("worker")
        };
        records.create_key(&wanted).expect("a key").key
    };
    let keys = [key(None), key(Some("acme")), key(Some("zenith"))];
    (server, keys)
}

#[test]
fn a_lost_server_comes_back_with_tenants_keys_suspensions_and_quotas() {
    let site = Site::new();
    let (server, keys) = server(&site);
    let records = server.server_records().expect("records");
    records.suspend_tenant("zenith", true).expect("suspended");
    let revoked = found(&server, &keys[1]).expect("valid").key.id;
    records.revoke_key(&revoked).expect("revoked");
    let made = site.back_up();
    let names: Vec<&str> = made.stores.iter().map(|store| &*store.tenant).collect();
    assert_eq!(names, ["default", "acme", "zenith"]);
    // No secret is in it.
    for key in &keys {
        let secret = key.rsplit('_').next().expect("a secret");
        assert!(files_with(&site.path("backup"), secret.as_bytes()).is_empty());
    }
    drop((server, records));
    std::fs::remove_dir_all(site.path("server")).expect("lost");

    let (again, restored) = site.restore("server");
    assert_eq!(restored.as_of, made.at);
    assert!(restored.damaged.is_empty(), "{restored:?}");
    let names: Vec<&str> = restored.tenants.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["acme", "default", "unused", "zenith"]);
    assert_eq!(restored.keys.len(), 2, "the revoked one stays revoked");
    assert!(found(&again, &keys[0]).is_some() && found(&again, &keys[1]).is_none());
    let zenith = found(&again, &keys[2]).expect("a key");
    assert!(zenith.suspended && zenith.quota.memories == 7);
    assert_eq!(memories(&again), 1);
    assert_eq!(memories(&tenant_store(&again, "acme")), 1);
    let records = again.server_records().expect("records");
    assert_eq!(records.copied_at().expect("read"), None);
    records.check_not_copied().expect("a server");

    // It continues its backup.
    tell(&tenant_store(&again, "acme"), "Lunch is at noon");
    site.back_up();
    let (newer, _) = site.restore("newer");
    assert_eq!(memories(&tenant_store(&newer, "acme")), 2);
}

#[test]
fn what_was_revoked_or_erased_later_is_said_to_be_back() {
    let site = Site::new();
    let (server, keys) = server(&site);
    let made = site.back_up();
    let records = server.server_records().expect("records");
    let revoked = found(&server, &keys[1]).expect("valid").key.id;
    records.revoke_key(&revoked).expect("revoked");
    records.erase_tenant("zenith").expect("erased");

    // A server does not run on the backup itself.
    let backup = open(&site.path("backup"))
        .server_records()
        .expect("records");
    assert_eq!(backup.copied_at().expect("read"), Some(made.at));
    let refused = backup.check_not_copied().expect_err("a backup");
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(refused.to_string().contains("revoked"), "{refused}");

    let (_, restored) = site.restore("older");
    let ids: Vec<&str> = restored.keys.iter().map(|key| &*key.id).collect();
    assert!(ids.contains(&&*revoked), "{ids:?}");
    assert!(restored.tenants.iter().any(|one| one.name == "zenith"));

    // The next backup has them no more, not even their files.
    let made = site.back_up();
    assert_eq!(made.erased, ["zenith"]);
    assert!(files_with(&site.path("backup"), b"saffron").is_empty());
    let (again, restored) = site.restore("newest");
    assert!(restored.tenants.iter().all(|one| one.name != "zenith"));
    assert_eq!(restored.keys.len(), 1);
    assert!(found(&again, &keys[1]).is_none() && found(&again, &keys[2]).is_none());
}

#[test]
fn other_folders_are_refused_and_left_alone() {
    let site = Site::new();
    let (server, _) = server(&site);
    site.back_up();
    // Another server, running or backed up.
    let other = open(&site.path("other"));
    tell(&other, "Another log");
    let records = other.server_records().expect("records");
    records
        .create_tenant("lone", &TenantQuota::default())
        .expect("a tenant");
    tell(&tenant_store(&other, "lone"), "Lone words");
    other
        .backup_server(&site.path("other-backup"))
        .expect("a backup");
    for place in ["other", "other-backup"] {
        let refused = server.backup_server(&site.path(place)).expect_err(place);
        assert_eq!(refused.kind(), ErrorKind::Refused, "{refused}");
        assert!(!files_with(&site.path(place), b"Lone words").is_empty());
        assert!(
            files_with(&site.path(place), b"ferry").is_empty(),
            "{place}"
        );
    }
    let inside = server.root().join("server/backup");
    server.backup_server(&inside).expect_err("inside");

    // A plain backup, a server, and a folder with something in it are no backup and no place.
    server
        .backup(&site.path("plain"), None)
        .expect("a plain backup");
    for place in ["plain", "server", "nowhere"] {
        restore(&site.path(place), &site.path("new")).expect_err(place);
        assert!(!site.path("new").exists());
    }
    let taken = restore(&site.path("backup"), &site.path("other")).expect_err("taken");
    assert!(
        !files_with(&site.path("other"), b"Lone words").is_empty(),
        "{taken}"
    );
    restore(&site.path("backup"), &site.path("backup/new")).expect_err("inside");
}

#[cfg(unix)]
#[test]
fn a_link_in_a_backup_is_refused_and_nothing_appears() {
    let site = Site::new();
    server(&site);
    site.back_up();
    std::os::unix::fs::symlink("/etc", site.path("backup/spaces/link")).expect("a link");
    restore(&site.path("backup"), &site.path("new")).expect_err("a link");
    let left: Vec<_> = std::fs::read_dir(site.home.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name.to_string_lossy().starts_with("new"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_damaged_space_is_restored_and_named() {
    let site = Site::new();
    server(&site);
    site.back_up();
    let journal = site.path("backup/server/tenants/acme/spaces/core/journal");
    let segment = std::fs::read_dir(journal).expect("a journal").next();
    let segment = segment.expect("a segment").expect("a segment").path();
    let mut bytes = std::fs::read(&segment).expect("bytes");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&segment, bytes).expect("damaged");
    let (_, restored) = site.restore("new");
    assert_eq!(restored.damaged.len(), 1, "{restored:?}");
    let damaged = &restored.damaged[0];
    assert_eq!(
        (&*damaged.tenant, &*damaged.verification.space),
        ("acme", "core")
    );
}

#[test]
fn models_and_costs_come_back_and_follow_what_changes() {
    let site = Site::new();
    let (server, _) = server(&site);
    let root = site.path("server");
    let acme = tenant_store(&server, "acme").root().to_owned();
    let write = |path: PathBuf, content: &str| {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("written");
    };
    for store in [&root, &acme] {
        write(store.join("models/small/tokenizer.json"), "the words");
        write(store.join("models/small/model.safetensors"), "the numbers");
        write(store.join("models/old/model.safetensors"), "unused");
    }
    let ledger = root.join(anamne::llm::CATALOG_FILE);
    drop(anamne::llm::Ledger::open(&ledger).expect("a ledger"));
    let spent = rusqlite::Connection::open(&ledger).expect("a ledger");
    let sql = "INSERT INTO costs VALUES ('2026-03-01', 'core', 'large', 1, 10, 20, 30, 0, 0)";
    spent.execute(sql, []).expect("booked");
    site.back_up();
    std::fs::remove_dir_all(root.join("models/old")).expect("removed");
    write(root.join("models/small/model.safetensors"), "other numb.");
    spent
        .execute("UPDATE costs SET calls = 2", [])
        .expect("booked");
    site.back_up();
    drop((server, spent));
    let (again, _) = site.restore("again");
    let read = |root: &Path, file: &str| {
        std::fs::read_to_string(root.join("models").join(file)).expect("a file")
    };
    assert_eq!(read(again.root(), "small/tokenizer.json"), "the words");
    assert_eq!(read(again.root(), "small/model.safetensors"), "other numb.");
    assert!(!again.root().join("models/old").exists());
    let acme = tenant_store(&again, "acme").root().to_owned();
    assert_eq!(read(&acme, "old/model.safetensors"), "unused");
    let ledger = again.root().join(anamne::llm::CATALOG_FILE);
    let ledger = rusqlite::Connection::open(ledger).expect("a ledger");
    let calls: i64 = ledger
        .query_row("SELECT calls FROM costs", [], |row| row.get(0))
        .expect("booked");
    assert_eq!(calls, 2);
}
