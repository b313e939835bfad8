//! Proves a connection: runs what the host was told to run.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anamne_hosts::hook::{HookEvent, sample};
use anamne_hosts::{Commands, Connection, Host, HostStatus};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{GREEN, Output, RED};

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is stored and found again. It never reaches the person's store.
const TEXT: &str = "The set-up check of Anamne stored this sentence.";

/// Options that replace the person's store for the temporary one.
const STORE: &str = "--store";

/// Something that was tried.
#[derive(Debug, Serialize)]
pub(super) struct Proof {
    what: String,
    pub(super) ok: bool,
    milliseconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Tries what is configured in a host: the server in a temporary store and once in the real one, and each hook.
pub(super) fn prove(host: &Host, status: &HostStatus, commands: &Commands) -> Vec<Proof> {
    let mut proofs = Vec::new();
    let temporary = match TemporaryFolder::new() {
        Ok(folder) => folder,
        Err(error) => {
            proofs.push(tried("a temporary store", || Err(error.to_string())));
            return proofs;
        }
    };
    let aside = elsewhere(commands, &temporary.0);
    if status.server == Connection::Current {
        proofs.push(tried(
            "store, recall and erase in a temporary store",
            || round_trip(&aside),
        ));
        proofs.push(tried("read from the real store", || read_only(commands)));
    }
    for state in status.hooks.iter().filter(|state| state.configured) {
        proofs.push(tried(&format!("hook {}", state.event), || {
            hook(host, state.event, &aside)
        }));
    }
    proofs
}

pub(super) fn print(proofs: &[Proof], output: &mut Output) -> Result<(), Failure> {
    for proof in proofs {
        let took = format!("{} ({} ms)", proof.what, proof.milliseconds);
        match &proof.problem {
            None => output.entry(GREEN, "works  ", &took)?,
            Some(problem) => output.entry(RED, "failed ", &format!("{took}: {problem}"))?,
        }
    }
    Ok(())
}

fn tried(what: &str, attempt: impl FnOnce() -> Result<(), String>) -> Proof {
    let started = Instant::now();
    let problem = attempt().err();
    Proof {
        what: what.to_owned(),
        ok: problem.is_none(),
        milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        problem,
    }
}

/// The same commands with another store.
fn elsewhere(commands: &Commands, folder: &Path) -> Commands {
    let mut global = Vec::new();
    let mut given = commands.global.iter();
    while let Some(word) = given.next() {
        if word == STORE {
            given.next();
        } else {
            global.push(word.clone());
        }
    }
    global.push(STORE.to_owned());
    global.push(folder.to_string_lossy().into_owned());
    Commands {
        program: commands.program.clone(),
        global,
    }
}

fn round_trip(commands: &Commands) -> Result<(), String> {
    let mut server = Server::start(commands, &["--allow-erase"])?;
    let stored = server.call("memory_store", &json!({"content": TEXT}))?;
    let found = server.call("memory_search", &json!({"query": "set-up check"}))?;
    if !found.contains("set-up check") {
        return Err(format!("stored, but not found again: {found}"));
    }
    let id = first_citation(&stored)
        .or_else(|| first_citation(&found))
        .ok_or_else(|| format!("no id in the reply: {stored}"))?;
    server.call("memory_delete", &json!({"id": id, "hard": true}))?;
    let left = server.call("memory_search", &json!({"query": "set-up check"}))?;
    if left.contains(TEXT) {
        return Err("erased, but still found".to_owned());
    }
    Ok(())
}

fn read_only(commands: &Commands) -> Result<(), String> {
    let mut server = Server::start(commands, &[])?;
    let arguments = json!({"query": "what is this project about?", "limit": 1});
    server.call("memory_search", &arguments).map(drop)
}

/// The first memory that a reply names, such as `m1`, or an id.
fn first_citation(reply: &str) -> Option<&str> {
    let words = reply.split(|character: char| !character.is_alphanumeric() && character != '-');
    words.into_iter().find(|word| {
        let is_number = word
            .strip_prefix('m')
            .is_some_and(|row| !row.is_empty() && row.bytes().all(|byte| byte.is_ascii_digit()));
        is_number || (word.len() == 36 && word.matches('-').count() == 4)
    })
}

/// Calls a hook as the host does.
fn hook(host: &Host, event: HookEvent, commands: &Commands) -> Result<(), String> {
    let (program, arguments) = commands.hook(event, host.id);
    let mut child = Command::new(&program)
        .args(arguments)
        // A hook in a temporary store has nothing to do with a server.
        .env_remove("ANAMNE_SERVER")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("can't start {program}: {error}"))?;
    let folder = std::env::current_dir().unwrap_or_default();
    if let Some(mut input) = child.stdin.take() {
        // A hook may end before it has read everything.
        let _ = input.write_all(sample(host.id, event, &folder).as_bytes());
    }
    let ended = child
        .wait_with_output()
        .map_err(|error| format!("can't wait for {program}: {error}"))?;
    let answer = String::from_utf8_lossy(&ended.stdout);
    if !ended.status.success() {
        return Err(format!("it ended with {}", ended.status));
    }
    if !ended.stderr.is_empty() {
        return Err(format!(
            "it said: {}",
            String::from_utf8_lossy(&ended.stderr)
        ));
    }
    let is_answer = answer.is_empty()
        || !answer.starts_with('{')
        || serde_json::from_str::<Value>(&answer).is_ok();
    if is_answer {
        Ok(())
    } else {
        Err(format!("its answer is not JSON: {answer}"))
    }
}

/// The server of a host, spoken to line by line.
struct Server {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    calls: u64,
}

impl Server {
    fn start(commands: &Commands, more: &[&str]) -> Result<Self, String> {
        let (program, arguments) = commands.server();
        let mut child = Command::new(&program)
            .args(arguments)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("can't start {program}: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("can't speak to {program}"));
        };
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut server = Self {
            child,
            input,
            lines,
            calls: 0,
        };
        server.request(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "anamne setup", "version": env!("CARGO_PKG_VERSION")}}),
        )?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// Calls a tool; returns its text.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, String> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        if result["isError"] == true {
            return Err(format!("{tool}: {text}"));
        }
        Ok(text.to_owned())
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self
                .lines
                .recv_timeout(left)
                .map_err(|_| format!("no reply to {method}"))?;
            let Ok(mut reply) = serde_json::from_str::<Value>(&line) else {
                return Err(format!("the server said something else than JSON: {line}"));
            };
            if reply["id"] == id {
                let error = reply["error"]["message"].as_str();
                return match error {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(reply["result"].take()),
                };
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        writeln!(self.input, "{message}").map_err(|error| format!("can't write to it: {error}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has nothing to lose: every write was acknowledged.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A new folder that is removed at the end.
struct TemporaryFolder(std::path::PathBuf);

impl TemporaryFolder {
    fn new() -> std::io::Result<Self> {
        let name = format!("anamne-setup-{}-{}", std::process::id(), unique());
        let path = std::env::temp_dir().join(name);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }
}

/// A number that no other folder of this process has.
fn unique() -> u128 {
    std::time::UNIX_EPOCH
        .elapsed()
        .map_or(0, |elapsed| elapsed.as_nanos())
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
