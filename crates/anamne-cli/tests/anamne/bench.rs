//! A test fixture: a store, and the command to run on it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// Set to any value, it makes the commands of every bench work through a server of the bench's store.
const THROUGH_SERVER: &str = "ANAMNE_THROUGH_SERVER";

/// A temporary store.
pub(crate) struct Bench {
    /// Before the folder, so that it ends before its store goes.
    server: OnceLock<ServerProcess>,
    folder: TempDir,
}

/// `anamne serve`, until it is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: String,
}

impl ServerProcess {
    /// Starts a server; its last argument is a free port.
    fn start(mut command: Command) -> Self {
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = stderr.lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("http://")?.1.trim().to_owned()))
            .expect("an address");
        // Its log must not fill the pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self {
            child,
            address: format!("http://{address}"),
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of one run of the command.
pub(crate) struct RunOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            server: OnceLock::new(),
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// The folder that contains everything.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The store's folder, which is missing until something is stored.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder().join("store")
    }

    /// A file beside the store.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder().join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// Standard input with this text.
    pub(crate) fn stdin_of(&self, text: &str) -> Stdio {
        let path = self.file("standard-input", text);
        std::fs::File::open(path).expect("a file").into()
    }

    /// A server of the bench's store.
    pub(crate) fn server(&self) -> &ServerProcess {
        self.server.get_or_init(|| self.serve("127.0.0.1:0"))
    }

    /// Another server of the bench's store, which ends when it is dropped.
    pub(crate) fn serve(&self, address: &str) -> ServerProcess {
        let arguments = ["serve", "--listen", address];
        ServerProcess::start(self.command_here(&arguments))
    }

    /// The command in a clean environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.command_here(arguments);
        if std::env::var_os(THROUGH_SERVER).is_some() {
            command
                .env_remove("ANAMNE_STORE")
                .env("ANAMNE_SERVER", &self.server().address);
        }
        command
    }

    /// The command on the store of this machine.
    fn command_here(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anamne"));
        command
            .args(arguments)
            .current_dir(self.folder())
            .env_clear()
            .env("ANAMNE_STORE", self.store())
            .env("HOME", self.folder())
            .env("ANAMNE_KEYCHAIN", "none")
            .env("TZ", "UTC")
            .env("COLUMNS", "80")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command with this text on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: Stdio) -> RunOutput {
        let output = self.command(arguments).stdin(stdin).output();
        output.expect("the command starts").into()
    }

    /// Runs the command.
    pub(crate) fn run(&self, arguments: &[&str]) -> RunOutput {
        self.command(arguments)
            .output()
            .expect("the command starts")
            .into()
    }

    /// Runs the command at a terminal where a person types these lines; returns all that it prints.
    #[cfg(unix)]
    pub(crate) fn at_terminal(&self, arguments: &[&str], lines: &str) -> String {
        let (mut person, end) = terminal();
        person.write_all(lines.as_bytes()).expect("typed");
        let mut command = self.command(arguments);
        let output = command.stdin(end).output().expect("the command starts");
        let ran = RunOutput::from(output);
        ran.stdout + &ran.stderr
    }

    /// Runs the command, and kills it once `is_time`, at the latest when it ends; returns how it ended.
    pub(crate) fn run_until(
        &self,
        arguments: &[&str],
        mut is_time: impl FnMut() -> bool,
    ) -> ExitStatus {
        let mut child = self
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        loop {
            if let Some(ended) = child.try_wait().expect("its state") {
                return ended;
            }
            if is_time() {
                // It may have ended already.
                let _ = child.kill();
                return child.wait().expect("it ends");
            }
            std::thread::yield_now();
        }
    }

    /// Runs the command on the store of this machine, whatever the environment says.
    pub(crate) fn run_here(&self, arguments: &[&str]) -> RunOutput {
        let output = self.command_here(arguments).output();
        output.expect("the command starts").into()
    }

    /// Runs the command with this standard input.
    pub(crate) fn feed(&self, arguments: &[&str], input: &[u8]) -> RunOutput {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .expect("the command starts");
        // The command may fail before it has read everything.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        child.wait_with_output().expect("the command ends").into()
    }

    /// Runs the command with `--json` and expects success.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran.parsed()
    }

    /// Stores a text and returns its id.
    #[track_caller]
    pub(crate) fn remember(&self, arguments: &[&str]) -> String {
        let stored = self.json(&[&["remember"], arguments].concat());
        stored["id"].as_str().expect("an id").to_owned()
    }

    /// The contents of a recall's results, best first.
    #[track_caller]
    pub(crate) fn recall(&self, arguments: &[&str]) -> Vec<String> {
        let answer = self.json(&[&["recall"], arguments].concat());
        let results = answer["results"].as_array().expect("results");
        results
            .iter()
            .map(|result| {
                result["memory"]["content"]
                    .as_str()
                    .expect("content")
                    .to_owned()
            })
            .collect()
    }
}

impl RunOutput {
    /// Standard output as one JSON value.
    #[track_caller]
    pub(crate) fn parsed(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.stdout))
    }

    /// The error written by `--json`.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let whole: Value = serde_json::from_str(&self.stderr)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.stderr));
        whole["error"].clone()
    }
}

impl From<Output> for RunOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("an exit code"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// Every file under a folder.
pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.append(&mut files_under(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// Values as JSON lines.
pub(crate) fn lines(values: impl IntoIterator<Item = Value>) -> String {
    let mut text = String::new();
    for value in values {
        text.push_str(&value.to_string());
        text.push('\n');
    }
    text
}

/// A new terminal: the side of the person, and the side of the program.
#[cfg(unix)]
pub(crate) fn terminal() -> (std::fs::File, std::fs::File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("a terminal");
    unlockpt(&terminal).expect("a terminal");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let mut options = std::fs::File::options();
    let end = options.read(true).write(true);
    let end = end.open(name.to_str().expect("UTF-8"));
    (terminal.into(), end.expect("the other end"))
}
