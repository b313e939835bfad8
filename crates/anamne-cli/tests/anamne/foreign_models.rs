//! A foreign store, or one that another program wrote to: its model settings have no effect before they are approved on
//! this machine.

use std::net::TcpListener;

use crate::bench::{Bench, RunOutput, lines};

/// The value of a variable that must never be sent to a model.
const SECRET: &str = "not-for-any-model";

/// A server that must get no connection.
struct Trap(TcpListener);

impl Trap {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        Self(listener)
    }

    fn url(&self) -> String {
        let address = self.0.local_addr().expect("an address");
        format!("http://{address}/v1")
    }

    /// Whether there was no connection since the last call.
    fn is_untouched(&self) -> bool {
        let waiting = self.0.accept();
        matches!(waiting, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }
}

/// A store with memories and a foreign `model.toml`.
fn foreign_store(url: &str, key_env: &str) -> Bench {
    let bench = Bench::new();
    bench.remember(&["Mara Lind lives in Bonn, in the house with the green shutters."]);
    bench.remember(&["Mara Lind moved to Kiel in May, to the house at the harbour."]);
    let settings = format!(
        "enabled = true\nprovider = \"openai\"\nmodel = \"small\"\nbase_url = {url:?}\nkey_env = {key_env:?}\n\
         [timeouts]\nconnect_seconds = 1\nread_seconds = 1\ntotal_seconds = 1\n[retries]\nattempts = 1\n"
    );
    let path = bench.store().join("model.toml");
    std::fs::write(&path, settings).expect("a file");
    bench
}

fn run(bench: &Bench, arguments: &[&str]) -> RunOutput {
    let mut command = bench.command(arguments);
    command.env("AWS_SECRET_ACCESS_KEY", SECRET);
    command.output().expect("the command starts").into()
}

/// The names under "Commands:" in a help text.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// The arguments of each command.
fn arguments(command: &str) -> Vec<&str> {
    match command {
        "remember" | "think" => vec!["Mara Lind has a boat"],
        "recall" | "context" | "check" => vec!["where does Mara Lind live"],
        "show" | "history" | "restore" | "resolve" | "feedback" | "promote" | "demote" => {
            vec!["m1"]
        }
        "keys" | "tenants" => vec!["list"],
        // Refused, because it would be reached from elsewhere without a key.
        "serve" => vec!["--listen", "0.0.0.0:0"],
        "login" => vec!["--end"],
        "edit" => vec!["m1", "Mara Lind lives in Bonn"],
        "link" => vec!["m1", "m2"],
        "forget" => vec!["m2", "--hard", "--yes"],
        "rewind" => vec!["1d", "rewound"],
        "enrich" => vec!["on", "--by-model"],
        "knowledge" => vec!["show", "Mara Lind"],
        "graph" => vec!["Mara Lind"],
        "summaries" => vec!["--reword"],
        "consolidate" => vec!["--yes"],
        "import" => vec!["-"],
        "retention" => vec!["--apply", "--yes"],
        "tasks" => vec!["run"],
        "experience" => vec!["ask", "where does Mara Lind live"],
        "backup" => vec!["kept"],
        "completions" => vec!["bash"],
        "hook" => vec!["prompt", "--host", "claude-code"],
        "setup" => vec!["--status"],
        "cache" => vec!["lookup", "harbour"],
        "demo" | "init" | "list" | "audit" | "extract" | "export" | "guard" | "stats"
        | "status" | "spaces" | "tiers" | "meta" | "model" | "costs" | "doctor" | "verify"
        | "repair" | "mcp" | "experiment" | "working" | "man" | "help" => Vec::new(),
        other => panic!("say how `anamne {other}` is run on a store that came from elsewhere"),
    }
}

#[test]
fn no_command_asks_the_model_of_a_store_that_came_from_elsewhere() {
    let trap = Trap::new();
    let bench = foreign_store(&trap.url(), "AWS_SECRET_ACCESS_KEY");
    let found = commands(&run(&bench, &["--help"]).stdout);
    assert!(found.len() > 30, "{found:?}");
    for name in &found {
        let whole = [&[name.as_str()][..], &arguments(name)].concat();
        let ran = run(&bench, &whole);
        assert!(trap.is_untouched(), "{whole:?} reached the host");
        let said = ran.stdout + &ran.stderr;
        assert!(!said.contains(SECRET), "{whole:?}: {said}");
    }
    for change in commands(&run(&bench, &["model", "--help"]).stdout) {
        run(&bench, &["model", &change]);
        assert!(trap.is_untouched(), "model {change} reached the host");
    }
}

#[test]
fn an_agent_works_on_without_the_model_of_a_store_that_came_from_elsewhere() {
    let trap = Trap::new();
    let bench = foreign_store(&trap.url(), "OPENAI_API_KEY");
    let input = lines([
        serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        serde_json::json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "memory_search", "arguments": {"query": "where does Mara live"}}}),
    ]);
    let ran = bench.feed(&["mcp"], input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("Kiel"), "{}", ran.stdout);
    assert!(ran.stderr.contains("anamne model trust"), "{}", ran.stderr);
    assert!(trap.is_untouched());
}

/// Configures a model on this server.
fn set_up(bench: &Bench, url: &str) {
    let set = ["model", "set", "--provider", "openai", "--model", "small"];
    bench.json(&[&set[..], &["--url", url]].concat());
}

#[track_caller]
fn refused(bench: &Bench, arguments: &[&str], expected: &str) {
    let ran = bench.run(arguments);
    assert_ne!(ran.code, 0, "{arguments:?} {}", ran.stdout);
    assert!(
        ran.stderr.contains(expected),
        "{arguments:?} {}",
        ran.stderr
    );
}

#[test]
fn what_a_store_asks_for_is_shown_and_approved_once() {
    let trap = Trap::new();
    let bench = foreign_store(&trap.url(), "OPENAI_API_KEY");
    let shown = bench.json(&["model"]);
    assert_eq!(
        (&shown["approved"], &shown["key"]),
        (&false.into(), &().into())
    );
    assert!(
        shown["problem"]
            .as_str()
            .is_some_and(|text| text.contains("not approved yet"))
    );
    let text = bench.run(&["model"]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("anamne model trust") && text.contains(&trap.url()),
        "{text}"
    );
    let doctor = bench.run(&["doctor"]);
    assert_eq!(doctor.code, 0, "{}", doctor.stdout);
    assert!(doctor.stdout.contains("not used"), "{}", doctor.stdout);
    for stored in [bench.json(&["doctor"]), bench.json(&["costs"])] {
        let problem = stored["model_problem"].as_str().unwrap_or_default();
        assert!(problem.contains("anamne model trust"), "{stored}");
    }
    // There is no terminal.
    refused(&bench, &["model", "trust"], "--yes");
    refused(&bench, &["model", "test"], "anamne model trust");
    let set = bench.run(&["model", "set", "--daily-dollars", "1"]);
    assert!(set.stderr.contains("anamne model trust"), "{}", set.stderr);
    assert_eq!(
        bench.feed(&["model", "key", "--file"], b"sk-1").code,
        1,
        "for a host of somebody else"
    );
    assert!(!bench.store().join("model.key").exists());
    assert!(trap.is_untouched());

    assert_eq!(bench.json(&["model", "trust", "--yes"])["approved"], true);
    assert_eq!(bench.json(&["model"])["problem"], serde_json::Value::Null);
    assert_eq!(
        bench.json(&["doctor"])["model_problem"],
        serde_json::Value::Null
    );
    refused(&bench, &["model", "test"], "127.0.0.1");
    assert!(!trap.is_untouched(), "now it is asked");

    // Another program changes the destination of texts.
    let path = bench.store().join("model.toml");
    let settings = std::fs::read_to_string(&path).expect("settings");
    let other = Trap::new();
    std::fs::write(&path, settings.replace(&trap.url(), &other.url())).expect("a file");
    refused(
        &bench,
        &["model", "test"],
        "changed since approval: base_url",
    );
    assert!(trap.is_untouched() && other.is_untouched());
}

#[test]
fn a_variable_of_something_else_cannot_be_approved_with_the_rest() {
    let trap = Trap::new();
    let bench = foreign_store(&trap.url(), "AWS_SECRET_ACCESS_KEY");
    refused(
        &bench,
        &["model", "trust", "--yes"],
        "AWS_SECRET_ACCESS_KEY was not read",
    );
    assert_eq!(bench.json(&["model"])["approved"], false);
    // The user can still choose it.
    std::fs::remove_file(bench.store().join("model.toml")).expect("removed");
    let set = ["model", "set", "--provider", "openai", "--model", "small"];
    let rest = ["--url", &trap.url(), "--key-env", "AWS_SECRET_ACCESS_KEY"];
    let shown = bench.json(&[&set[..], &rest].concat());
    assert_eq!(
        (&shown["approved"], &shown["problem"]),
        (&true.into(), &().into())
    );
}

#[test]
fn a_copy_of_a_store_is_approved_by_itself() {
    let trap = Trap::new();
    let bench = Bench::new();
    set_up(&bench, &trap.url());
    let copied = bench.folder().join("copied");
    for path in crate::bench::files_under(&bench.store()) {
        let to = copied.join(path.strip_prefix(bench.store()).expect("inside"));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(&path, to).expect("copied");
    }
    let folder = copied.to_str().expect("UTF-8");
    refused(
        &bench,
        &["--store", folder, "model", "test"],
        "may be a copy",
    );
    assert!(trap.is_untouched());
    // A moved store is the same store.
    let moved = bench.folder().join("moved");
    std::fs::rename(bench.store(), &moved).expect("moved");
    let folder = moved.to_str().expect("UTF-8");
    if cfg!(unix) {
        assert_eq!(bench.json(&["--store", folder, "model"])["approved"], true);
    }
}

#[test]
fn another_host_needs_another_key() {
    let bench = Bench::new();
    set_up(&bench, "http://localhost:9/v1");
    refused(&bench, &["model", "key"], "--file");
    assert!(!bench.store().join("model.key").exists());
    let kept = bench.feed(
        &["--json", "model", "key", "--file"],
        b"sk-secret-of-the-tests\n",
    );
    assert_eq!(kept.parsed()["kept_for"], "openai@http://localhost:9");
    assert!(
        bench.json(&["model"])["key"]
            .as_str()
            .is_some_and(|key| key.contains("model.key"))
    );
    let moved = bench.run(&["model", "set", "--url", "http://localhost:10/v1"]);
    assert_eq!(moved.code, 0, "{}", moved.stderr);
    assert!(
        moved.stderr.contains("anamne model key"),
        "{}",
        moved.stderr
    );
    assert_eq!(bench.json(&["model"])["key"], serde_json::Value::Null);
    // The same for a variable that was approved for one host.
    let url = ["model", "set", "--url"];
    bench.json(&[&url[..], &["http://localhost:9/v1", "--key-env", "MY_KEY"]].concat());
    let set = |name: &str| {
        let mut command = bench.command(&["--json", "model"]);
        let ran: RunOutput = command.env(name, "k").output().expect("started").into();
        ran.parsed()["key"].clone()
    };
    assert_eq!(set("MY_KEY"), "the variable MY_KEY");
    bench.json(&[&url[..], &["http://localhost:10/v1"]].concat());
    assert_eq!(set("MY_KEY"), serde_json::Value::Null);
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::bench::terminal;

    #[test]
    fn settings_that_others_can_write_to_are_not_used() {
        let trap = Trap::new();
        let bench = Bench::new();
        bench.remember(&["Mara Lind lives in Bonn"]);
        set_up(&bench, &trap.url());
        let path = bench.store().join("model.toml");
        let set_mode = |path: &std::path::Path, mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).expect("a mode");
        };
        for (changed, usual, open) in [(&path, 0o600, 0o666), (&bench.store(), 0o700, 0o777)] {
            set_mode(changed, open);
            refused(&bench, &["model", "test"], "chmod go-w");
            refused(&bench, &["model", "trust", "--yes"], "chmod go-w");
            assert_eq!(bench.run(&["tasks", "run"]).code, 0, "all else goes on");
            set_mode(changed, usual);
            assert_eq!(bench.json(&["model"])["approved"], true);
        }
        let elsewhere = bench.folder().join("elsewhere.toml");
        std::fs::rename(&path, &elsewhere).expect("moved");
        symlink(&elsewhere, &path).expect("a link");
        refused(&bench, &["model", "test"], "symbolic link");
        refused(&bench, &["model", "trust", "--yes"], "symbolic link");
        assert!(trap.is_untouched());
    }

    #[test]
    fn a_typed_key_goes_to_the_keychain_and_never_through_an_argument() {
        let bench = Bench::new();
        set_up(&bench, "http://localhost:9/v1");
        let tool = bench.file(
            "secret-tool",
            "#!/bin/sh\nPATH=/usr/bin:/bin\nkept=$(dirname \"$0\")/kept\necho \"$*\" >> \"$kept.called\"\n\
             case $1 in store) cat > \"$kept\";; lookup) cat \"$kept\";; esac\n",
        );
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o700)).expect("a mode");
        let with_tool = |arguments: &[&str]| {
            let mut command = bench.command(arguments);
            command.env("ANAMNE_KEYCHAIN", &tool);
            command
        };
        let mut child = with_tool(&["--json", "model", "key"]);
        child.stdin(bench.stdin_of("sk-secret-of-the-tests\n"));
        let ran: RunOutput = child.output().expect("started").into();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.parsed()["kept_in"], "the keychain");
        assert!(!(ran.stdout + &ran.stderr).contains("sk-secret"));
        let read = |name: &str| std::fs::read_to_string(bench.folder().join(name)).expect("a file");
        assert_eq!(read("kept"), "sk-secret-of-the-tests");
        let called = read("kept.called");
        assert!(
            called.contains("account openai@http://localhost:9"),
            "{called}"
        );
        assert!(!called.contains("sk-secret"), "{called}");
        assert!(!bench.store().join("model.key").exists());
        let shown: RunOutput = with_tool(&["--json", "model"])
            .output()
            .expect("started")
            .into();
        assert!(
            shown.parsed()["key"]
                .as_str()
                .is_some_and(|key| key.contains("keychain"))
        );
    }

    #[test]
    fn a_key_is_not_shown_while_it_is_typed() {
        use std::io::{BufRead, BufReader, Read, Write};

        let bench = Bench::new();
        set_up(&bench, "http://localhost:9/v1");
        let (mut person, end) = terminal();
        let mut command = bench.command(&["model", "key", "--file"]);
        let mut child = command
            .stdin(end.try_clone().expect("a copy"))
            .spawn()
            .expect("started");
        let mut prompt = String::new();
        let mut stored = BufReader::new(child.stderr.take().expect("a pipe"));
        stored.read_line(&mut prompt).expect("a prompt");
        assert!(prompt.contains("no echo"), "{prompt}");
        person
            .write_all(b"sk-secret-of-the-tests\n")
            .expect("typed");
        assert!(child.wait().expect("ended").success());
        // Input is echoed again, after all earlier output.
        person.write_all(b"visible\n").expect("typed");
        let mut shown = String::new();
        let mut byte = [0];
        while !shown.contains("visible") && person.read(&mut byte).expect("shown") == 1 {
            shown.push(char::from(byte[0]));
        }
        assert!(!shown.contains("sk-secret"), "{shown}");
        drop(end);
        let kept = std::fs::read_to_string(bench.store().join("model.key")).expect("a file");
        assert!(kept.contains("sk-secret-of-the-tests"));
    }
}
