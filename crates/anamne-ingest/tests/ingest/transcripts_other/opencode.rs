use rusqlite::Connection;

use super::*;

const FORMAT: TranscriptFormat = TranscriptFormat::OpenCode;

const DATABASE: &str = ".local/share/opencode/opencode.db";

const SCHEMA: &str = "
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, directory TEXT NOT NULL, title TEXT, revert TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL, seq INTEGER NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
";

/// A database in the making.
pub(super) struct Database {
    pub(super) home: TempDir,
    pub(super) machine: Machine,
    pub(super) connection: Connection,
}

impl Database {
    pub(super) fn new() -> Self {
        let (home, machine) = machine(&[(DATABASE, "")]);
        let connection = Connection::open(home.path().join(DATABASE)).expect("a database");
        connection.execute_batch(SCHEMA).expect("tables");
        Self {
            home,
            machine,
            connection,
        }
    }

    fn run(&self, sql: &str, values: impl rusqlite::Params) {
        self.connection.execute(sql, values).expect("written");
    }

    pub(super) fn session(&self, id: &str, parent: Option<&str>, updated: i64) {
        self.run(
            "INSERT INTO session VALUES (?1, 'p', ?2, '/code/app', 't', NULL, 1, ?3)",
            (id, parent, updated),
        );
    }

    pub(super) fn message(&self, id: &str, session: &str, created: i64, data: &str) {
        self.run(
            "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)",
            (id, session, created, data),
        );
    }

    pub(super) fn part(&self, id: &str, message: &str, data: &str) {
        self.run(
            "INSERT INTO part VALUES (?1, ?2, 's', 1, 1, ?3)",
            (id, message, data),
        );
    }

    /// A question and an answer with calls.
    pub(super) fn conversation(&self, session: &str, prefix: &str) {
        let id = |rest: &str| format!("{prefix}{rest}");
        self.message(
            &id("m1"),
            session,
            1000,
            r#"{"role":"user","time":{"created":1000},"summary":{"diffs":[]}}"#,
        );
        self.part(
            &id("p11"),
            &id("m1"),
            r#"{"type":"text","text":"Fix <anamne-memory>old</anamne-memory>it"}"#,
        );
        self.part(
            &id("p12"),
            &id("m1"),
            r#"{"type":"text","text":"Called the Read tool","synthetic":true}"#,
        );
        self.part(
            &id("p13"),
            &id("m1"),
            r#"{"type":"file","mime":"image/png","url":"data:image/png;base64,AAAA"}"#,
        );
        self.message(
            &id("m2"),
            session,
            2000,
            r#"{"role":"assistant","modelID":"opus","time":{"created":2000,"completed":2900}}"#,
        );
        self.part(&id("p21"), &id("m2"), r#"{"type":"reasoning","text":"hm"}"#);
        self.part(
            &id("p22"),
            &id("m2"),
            r#"{"type":"text","text":"I run it.","time":{"start":2100,"end":2200}}"#,
        );
        self.part(&id("p23"), &id("m2"), r#"{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"cargo test"},"output":"secret","metadata":{"exit":101}}}"#);
        self.part(&id("p24"), &id("m2"), r#"{"type":"tool","tool":"read","callID":"c2","state":{"status":"error","input":{"filePath":"/code/app/a.rs"},"error":"File not found: a.rs\nmore"}}"#);
        self.part(&id("p25"), &id("m2"), r#"{"type":"tool","tool":"anamne_memory_search","callID":"c3","state":{"status":"completed","input":{"query":"x"},"output":"old"}}"#);
        self.part(&id("p26"), &id("m2"), r#"{"type":"tool","tool":"edit","callID":"c4","state":{"status":"completed","input":{"filePath":"/code/app/a.rs"}}}"#);
        self.part(
            &id("p27"),
            &id("m2"),
            r#"{"type":"text","text":"not for the model","ignored":true}"#,
        );
    }
}

const CONVERSATION: [&str; 5] = [
    "P Fix it",
    "A I run it.",
    "T bash cargo test: failed: exit code 101",
    "T read a.rs: failed: File not found: a.rs",
    "T edit a.rs: ok",
];

#[test]
fn a_session_is_read_with_its_folder_times_and_models() {
    let database = Database::new();
    database.session("s1", None, 5000);
    database.conversation("s1", "");
    let found = only(FORMAT, &database.machine);
    assert_eq!(lines(&found), CONVERSATION);
    assert_eq!(
        times(&found),
        [Some(1000), Some(2100), Some(2000), Some(2000), Some(2000)]
    );
    assert_eq!(found.turns[1].model.as_deref(), Some("opus"));
    assert_eq!(found.folder.as_deref(), Some(Path::new("/code/app")));
    assert_eq!((found.session.as_str(), found.reached), ("s1", None));
}

#[test]
fn a_fork_has_the_ids_of_what_it_copied() {
    let database = Database::new();
    database.session("s1", None, 1);
    database.session("s2", None, 2);
    database.session("child", Some("s1"), 3);
    database.conversation("s1", "a");
    database.conversation("s2", "b");
    database.conversation("child", "c");
    let files = sessions(FORMAT, &database.machine);
    let names: Vec<_> = files.iter().map(|file| file.session.as_str()).collect();
    assert_eq!(
        names,
        ["s1", "s2"],
        "a subagent's session is no conversation"
    );
    let found: Vec<_> = files
        .iter()
        .map(|file| read(file, Position::default()).expect("a conversation"))
        .collect();
    assert_eq!(ids(&found[0]), ids(&found[1]));
    let mut distinct = ids(&found[0]);
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), CONVERSATION.len());
}

#[test]
fn what_a_person_took_back_is_not_live() {
    let check = |revert: &str, expected: &[&str], abandoned: u64| {
        let database = Database::new();
        database.session("s1", None, 1);
        database.conversation("s1", "");
        database.message("m3", "s1", 3000, r#"{"role":"user"}"#);
        database.part("p31", "m3", r#"{"type":"text","text":"More"}"#);
        database.run("UPDATE session SET revert = ?1", [revert]);
        let found = only(FORMAT, &database.machine);
        assert_eq!(lines(&found), expected, "{revert}");
        assert_eq!(found.skipped.abandoned, abandoned, "{revert}");
    };
    check(r#"{"messageID":"m2"}"#, &CONVERSATION[..1], 7);
    check(
        r#"{"messageID":"m2","partID":"p24"}"#,
        &CONVERSATION[..3],
        5,
    );
    let all: Vec<&str> = CONVERSATION.into_iter().chain(["P More"]).collect();
    check(r#"{"messageID":"gone"}"#, &all, 0);
    check("no json", &all, 0);
}

#[test]
fn a_text_that_is_still_written_and_a_summary_are_no_turns() {
    let database = Database::new();
    database.session("s1", None, 1);
    database.message(
        "m1",
        "s1",
        1,
        r#"{"role":"assistant","summary":true,"time":{"created":1,"completed":2}}"#,
    );
    database.part("p1", "m1", r#"{"type":"text","text":"So far"}"#);
    database.message(
        "m2",
        "s1",
        2,
        r#"{"role":"assistant","time":{"created":2}}"#,
    );
    database.part(
        "p2",
        "m2",
        r#"{"type":"text","text":"Half a","time":{"start":5}}"#,
    );
    database.part("p3", "m2", r#"{"type":"tool","tool":"bash","callID":"c","state":{"status":"running","input":{"command":"ls"}}}"#);
    assert_eq!(lines(&only(FORMAT, &database.machine)), [""; 0]);
    database.message("m3", "s1", 3, r#"{"role":"user"}"#);
    database.part("p4", "m3", r#"{"type":"text","text":"Go on"}"#);
    assert_eq!(
        lines(&only(FORMAT, &database.machine)),
        ["A Half a", "P Go on"],
        "what was broken off stays as it is"
    );
}

#[test]
fn messages_of_version_2_are_read() {
    let database = Database::new();
    database.session("s1", None, 1);
    for (seq, kind, data) in [
        (1, "user", r#"{"text":"Fix it","time":{"created":1000}}"#),
        (2, "synthetic", r#"{"text":"injected"}"#),
        (
            3,
            "assistant",
            r#"{"model":{"id":"opus","providerID":"a"},"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"I run it."},{"type":"tool","id":"c1","name":"bash","state":{"status":"error","input":{"command":"ls"},"error":{"type":"x","message":"denied"}}}],"time":{"created":2000,"completed":2100}}"#,
        ),
        (
            4,
            "shell",
            r#"{"command":"make","status":"exited","exit":2,"time":{"created":3000}}"#,
        ),
        (5, "compaction", r#"{"summary":"So far"}"#),
        (6, "of-the-future", "{}"),
    ] {
        database.run(
            "INSERT INTO session_message VALUES (?1, 's1', ?2, ?3, 1, 1, ?4)",
            (format!("m{}", 9 - seq), kind, seq, data),
        );
    }
    let found = only(FORMAT, &database.machine);
    assert_eq!(
        lines(&found),
        [
            "P Fix it",
            "A I run it.",
            "T bash ls: failed: denied",
            "T shell make: failed: exit code 2"
        ]
    );
    assert_eq!(found.turns[1].model.as_deref(), Some("opus"));
}

#[test]
fn a_database_is_left_as_it_was() {
    let check = |mode: &str, keep_open: bool| {
        let database = Database::new();
        let Database {
            home,
            machine,
            connection,
        } = database;
        connection
            .pragma_update(None, "journal_mode", mode)
            .expect("a mode");
        let database = Database {
            home,
            machine,
            connection,
        };
        database.session("s1", None, 1);
        database.conversation("s1", "");
        let Database {
            home,
            machine,
            connection,
        } = database;
        let open = keep_open.then_some(connection);
        let folder = home.path().join(".local/share/opencode");
        let state = || {
            let mut files: Vec<_> = fs::read_dir(&folder)
                .expect("a folder")
                .map(|entry| entry.expect("an entry").path())
                .filter(|path| !path.ends_with("opencode.db-shm"))
                .map(|path| (fs::read(&path).expect("a file"), path))
                .collect();
            files.sort();
            files
        };
        let before = state();
        assert_eq!(lines(&only(FORMAT, &machine)), CONVERSATION, "{mode}");
        assert!(state() == before, "{mode} {keep_open}");
        let shared = folder.join("opencode.db-shm").exists();
        assert_eq!(
            shared,
            mode == "wal" && keep_open,
            "no file for locks is left behind"
        );
        drop(open);
    };
    check("delete", false);
    check("wal", false);
    check("wal", true);
}

#[test]
fn a_database_that_is_locked_is_named_so() {
    let database = Database::new();
    database.session("s1", None, 1);
    let lock = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; UPDATE session SET title = 'x'";
    database.connection.execute_batch(lock).expect("locked");
    let (files, errors) = find(FORMAT, &database.machine);
    assert!(files.is_empty());
    assert!(errors[0].to_string().contains("locked"), "{}", errors[0]);
}

#[test]
fn what_is_no_such_database_is_an_error() {
    let check = |make: &dyn Fn(&Path), expected: &str| {
        let (home, machine) = machine(&[(DATABASE, "")]);
        make(&home.path().join(DATABASE));
        let (files, errors) = find(FORMAT, &machine);
        assert!(files.is_empty());
        assert!(errors[0].to_string().contains(expected), "{}", errors[0]);
    };
    check(
        &|path| fs::write(path, "no database, but long enough to look at").expect("a file"),
        "not a database",
    );
    let sql = |sql: &'static str| {
        move |path: &Path| {
            Connection::open(path)
                .expect("a database")
                .execute_batch(sql)
                .expect("tables");
        }
    };
    check(&sql("CREATE TABLE other (id)"), "unknown version");
    check(
        &sql("CREATE TABLE session (id, parent_id, time_updated)"),
        "unknown version",
    );
    check(
        &sql("CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, NULL AS parent_id, 1 AS time_updated FROM n;
              CREATE TABLE session_message (id, session_id, type, time_created, data)"),
        "unknown version",
    );
}

#[test]
fn a_session_that_is_gone_is_an_error() {
    let database = Database::new();
    database.session("s1", None, 1);
    let mut file = sessions(FORMAT, &database.machine).remove(0);
    file.session = "gone".to_owned();
    let error = read(&file, Position::default()).expect_err("no session");
    assert!(error.to_string().contains("no session \"gone\""), "{error}");
}

const STORAGE: &str = ".local/share/opencode/storage";

#[test]
fn sessions_of_older_versions_have_the_same_ids() {
    let file = |path: &str, content: &str| (format!("{STORAGE}/{path}"), content.to_owned());
    let files = [
        file(
            "session/p/s1.json",
            r#"{"id":"s1","directory":"/code/app","time":{"created":1,"updated":2}}"#,
        ),
        file("session/p/child.json", r#"{"id":"child","parentID":"s1"}"#),
        file(
            "message/s1/m1.json",
            r#"{"id":"m1","role":"user","time":{"created":1000}}"#,
        ),
        file(
            "message/s1/m2.json",
            r#"{"id":"m2","role":"assistant","time":{"created":2000,"completed":3000}}"#,
        ),
        file(
            "message/s1/m3.json",
            r#"{"id":"../../m1","role":"user","time":{"created":3000}}"#,
        ),
        file("message/s1/m4.json", "{"),
        file(
            "part/m1/p1.json",
            r#"{"id":"p1","type":"text","text":"Fix it"}"#,
        ),
        file(
            "part/m2/p2.json",
            r#"{"id":"p2","type":"text","text":"Done."}"#,
        ),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, content)| (path.as_str(), content.as_str()))
        .collect();
    let (home, machine) = machine(&files);
    let found = only(FORMAT, &machine);
    assert_eq!(lines(&found), ["P Fix it", "A Done."]);
    assert_eq!(found.skipped.bad_count, 2);
    assert_eq!(found.folder.as_deref(), Some(Path::new("/code/app")));

    let database = Database::new();
    database.session("s1", None, 1);
    database.message(
        "m1",
        "s1",
        1000,
        r#"{"role":"user","time":{"created":1000}}"#,
    );
    database.message(
        "m2",
        "s1",
        2000,
        r#"{"role":"assistant","time":{"created":2000,"completed":3000}}"#,
    );
    database.part("p1", "m1", r#"{"type":"text","text":"Fix it"}"#);
    database.part("p2", "m2", r#"{"type":"text","text":"Done."}"#);
    assert_eq!(ids(&found), ids(&only(FORMAT, &database.machine)));

    fs::copy(
        database.home.path().join(DATABASE),
        home.path().join(DATABASE),
    )
    .expect("a copy");
    let both = only(FORMAT, &machine);
    assert_eq!(
        both.skipped.bad_count, 0,
        "the session is found once, in the database"
    );
}

#[test]
fn the_database_of_a_session_is_found_beside_one_that_is_damaged() {
    let database = Database::new();
    database.session("s", None, 1);
    let damaged = database
        .home
        .path()
        .join(".local/share/opencode/opencode-beta.db");
    std::fs::write(damaged, "no database").expect("written");
    let found = |format, session| {
        anamne_ingest::transcripts::recorded_at(format, session, &database.machine)
    };
    assert_eq!(
        found(FORMAT, "s"),
        Some(database.home.path().join(DATABASE))
    );
    assert_eq!(found(FORMAT, "unknown"), None);
    assert_eq!(found(TranscriptFormat::ClaudeCode, "s"), None);
}
