//! The keychain of the system, asked through the system's own tool.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::bridge::BridgeError;

/// Where the system keeps passwords.
pub trait Keychain {
    /// The password of an account of a service; `None` where there is none, or no keychain.
    fn password(&self, service: &str, account: &str) -> Result<Option<String>, BridgeError>;
}

/// For those who have no keychain, or don't want it asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKeychain;

impl Keychain for NoKeychain {
    fn password(&self, _: &str, _: &str) -> Result<Option<String>, BridgeError> {
        Ok(None)
    }
}

/// A keychain that is asked by running the system's tool for it.
///
/// The tool is taken from the places where systems install it, never from the search path. It inherits the
/// environment of the process, by which `secret-tool` finds the session. A tool that is not there, finds nothing or
/// is locked is a keychain without that key.
#[derive(Clone, Debug)]
pub struct ToolKeychain {
    tool: Option<Tool>,
    longest: Duration,
}

/// The words with which a tool is asked for the password of an account of a service.
type Arguments = fn(&str, &str) -> Vec<String>;

#[derive(Clone, Debug)]
struct Tool {
    program: PathBuf,
    arguments: Arguments,
}

/// How long a person has to unlock the keychain.
const LONGEST_UNLOCKING: Duration = Duration::from_mins(1);

/// What more a tool prints is not read.
const LONGEST_OUTPUT: u64 = 16 << 10;

impl ToolKeychain {
    /// The keychain of this system: `security` on macOS, `secret-tool` on others.
    pub fn of_system() -> Self {
        let (places, arguments): (&[&str], Arguments) = if cfg!(target_os = "macos") {
            (&["/usr/bin/security"], security)
        } else {
            let places = &[
                "/usr/bin/secret-tool",
                "/usr/local/bin/secret-tool",
                "/run/current-system/sw/bin/secret-tool",
            ];
            (places, secret_tool)
        };
        let program = places.iter().map(Path::new).find(|place| place.is_file());
        Self {
            tool: program.map(|program| Tool {
                program: program.to_owned(),
                arguments,
            }),
            longest: LONGEST_UNLOCKING,
        }
    }

    /// A keychain behind a program that takes the words of `secret-tool lookup`.
    pub fn behind(program: &Path, longest: Duration) -> Self {
        Self {
            tool: Some(Tool {
                program: program.to_owned(),
                arguments: secret_tool,
            }),
            longest,
        }
    }
}

fn security(service: &str, account: &str) -> Vec<String> {
    ["find-generic-password", "-s", service, "-a", account, "-w"]
        .map(str::to_owned)
        .to_vec()
}

fn secret_tool(service: &str, account: &str) -> Vec<String> {
    ["lookup", "service", service, "account", account]
        .map(str::to_owned)
        .to_vec()
}

impl Keychain for ToolKeychain {
    fn password(&self, service: &str, account: &str) -> Result<Option<String>, BridgeError> {
        let Some(tool) = &self.tool else {
            return Ok(None);
        };
        let mut command = Command::new(&tool.program);
        command.args((tool.arguments)(service, account));
        let printed = run(command, self.longest).map_err(BridgeError::io("run", &tool.program))?;
        Ok(printed.filter(|text| !text.trim().is_empty()))
    }
}

/// What a program prints when it ends well within `longest`.
fn run(mut command: Command, longest: Duration) -> std::io::Result<Option<String>> {
    let started = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match started {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        started => started?,
    };
    let Some(output) = child.stdout.take() else {
        return Ok(None);
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(LONGEST_OUTPUT).read_to_end(&mut bytes);
        // Nobody listens any more when the program took too long.
        let _ = sender.send(read.map(|_| bytes));
    });
    let Ok(printed) = receiver.recv_timeout(longest) else {
        child.kill()?;
        child.wait()?;
        return Ok(None);
    };
    let ended_well = child.wait()?.success();
    Ok(ended_well.then(|| String::from_utf8_lossy(&printed.unwrap_or_default()).into_owned()))
}
