//! The keychain of the system, asked through the system's own tool.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::{BridgeError, Key};

/// Where the system keeps passwords.
pub trait Keychain {
    /// Whether there is one at all.
    fn is_there(&self) -> bool;

    /// The password of an account of a service; `None` where there is none, or no keychain.
    fn password(&self, service: &str, account: &str) -> Result<Option<String>, BridgeError>;

    /// Keeps a key as the password of an account of a service, in the place of an earlier one.
    ///
    /// [`BridgeError::Keychain`] where it was not kept.
    fn keep(&self, service: &str, account: &str, key: &Key) -> Result<(), BridgeError>;
}

/// For those who have no keychain, or don't want it asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKeychain;

impl Keychain for NoKeychain {
    fn is_there(&self) -> bool {
        false
    }

    fn password(&self, _: &str, _: &str) -> Result<Option<String>, BridgeError> {
        Ok(None)
    }

    fn keep(&self, _: &str, _: &str, _: &Key) -> Result<(), BridgeError> {
        Err(BridgeError::Keychain {
            tool: "this system".to_owned(),
            reason: "has no keychain",
        })
    }
}

/// A keychain that is asked by running the system's tool for it.
///
/// The tool is taken from the places where systems install it, never from the search path. It inherits the
/// environment of the process, by which `secret-tool` finds the session. A tool that is missing, finds nothing or
/// is locked is a keychain without that key.
///
/// A key goes to the tool by standard input, never as an argument, which every user of the machine can list.
#[derive(Clone, Debug)]
pub struct ToolKeychain {
    tool: Option<Tool>,
    longest: Duration,
}

#[derive(Clone, Debug)]
struct Tool {
    program: PathBuf,
    words: Words,
}

/// Whose words a tool takes.
#[derive(Clone, Copy, Debug)]
enum Words {
    /// `secret-tool` of libsecret.
    SecretTool,
    /// `security` of macOS.
    Security,
}

/// The arguments of a tool, and what it reads from standard input.
struct Asking {
    arguments: Vec<String>,
    input: String,
}

/// How long a person has to unlock the keychain.
const LONGEST_UNLOCKING: Duration = Duration::from_mins(1);

/// What more a tool prints is not read.
const LONGEST_OUTPUT: u64 = 16 << 10;

/// `security` reads commands of at most 4096 bytes, and two digits for each byte of the key.
const LONGEST_FOR_SECURITY: usize = 1_800;

impl ToolKeychain {
    /// The keychain of this system: `security` on macOS, `secret-tool` on others.
    pub fn of_system() -> Self {
        let (places, words): (&[&str], Words) = if cfg!(target_os = "macos") {
            (&["/usr/bin/security"], Words::Security)
        } else {
            let places = &[
                "/usr/bin/secret-tool",
                "/usr/local/bin/secret-tool",
                "/run/current-system/sw/bin/secret-tool",
            ];
            (places, Words::SecretTool)
        };
        let program = places.iter().map(Path::new).find(|place| place.is_file());
        Self {
            tool: program.map(|program| Tool {
                program: program.to_owned(),
                words,
            }),
            longest: LONGEST_UNLOCKING,
        }
    }

    /// A keychain behind a program that takes the words of `secret-tool lookup` and `secret-tool store`.
    pub fn behind(program: &Path, longest: Duration) -> Self {
        Self {
            tool: Some(Tool {
                program: program.to_owned(),
                words: Words::SecretTool,
            }),
            longest,
        }
    }
}

impl Words {
    fn find(self, service: &str, account: &str) -> Asking {
        let words: &[&str] = match self {
            Self::SecretTool => &["lookup", "service", service, "account", account],
            Self::Security => &["find-generic-password", "-s", service, "-a", account, "-w"],
        };
        Asking {
            arguments: words.iter().map(|&word| word.to_owned()).collect(),
            input: String::new(),
        }
    }

    fn keep(self, service: &str, account: &str, key: &str) -> Asking {
        match self {
            Self::SecretTool => {
                let label = format!("--label=Anamne: key for {account}");
                let words = ["store", &label, "service", service, "account", account];
                Asking {
                    arguments: words.map(str::to_owned).to_vec(),
                    input: key.to_owned(),
                }
            }
            // With -w and no value it asks the terminal; as a command of its own input the key is no argument of a
            // process. In hexadecimal digits it needs no quoting.
            Self::Security => {
                let mut input =
                    format!("add-generic-password -U -s \"{service}\" -a \"{account}\" -X ");
                for byte in key.bytes() {
                    // Writing to a string can't fail.
                    let _ = write!(input, "{byte:02x}");
                }
                input.push('\n');
                Asking {
                    arguments: vec!["-i".to_owned()],
                    input,
                }
            }
        }
    }
}

impl Tool {
    /// What the tool prints; `None` where it fails, is missing or takes too long.
    fn run(&self, asking: &Asking, longest: Duration) -> Result<Option<String>, BridgeError> {
        let mut command = Command::new(&self.program);
        command.args(&asking.arguments);
        run(command, &asking.input, longest).map_err(BridgeError::io("run", &self.program))
    }
}

impl Keychain for ToolKeychain {
    fn is_there(&self) -> bool {
        self.tool.is_some()
    }

    fn password(&self, service: &str, account: &str) -> Result<Option<String>, BridgeError> {
        let Some(tool) = &self.tool else {
            return Ok(None);
        };
        let printed = tool.run(&tool.words.find(service, account), self.longest)?;
        Ok(printed.filter(|text| !text.trim().is_empty()))
    }

    fn keep(&self, service: &str, account: &str, key: &Key) -> Result<(), BridgeError> {
        let Some(tool) = &self.tool else {
            return NoKeychain.keep(service, account, key);
        };
        let failed = |reason| BridgeError::Keychain {
            tool: tool.program.display().to_string(),
            reason,
        };
        let key = key.reveal();
        if matches!(tool.words, Words::Security) && key.len() > LONGEST_FOR_SECURITY {
            return Err(failed("doesn't accept a key of this length"));
        }
        let kept = tool.run(&tool.words.keep(service, account, key), self.longest)?;
        if kept.is_none() {
            return Err(failed("did not keep the key; is the keychain unlocked?"));
        }
        // What a tool says of itself is not enough: a key that can't be verified would be lost.
        match self.password(service, account)? {
            Some(found) if found.trim() == key => Ok(()),
            _ => Err(failed("reported success, but doesn't return the key")),
        }
    }
}

/// What a program prints that reads `input` and ends well within `longest`.
fn run(mut command: Command, input: &str, longest: Duration) -> std::io::Result<Option<String>> {
    let stdin = if input.is_empty() {
        Stdio::null()
    } else {
        Stdio::piped()
    };
    let started = command
        .stdin(stdin)
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
    if let Some(mut stdin) = child.stdin.take() {
        // Shorter than a pipe's buffer, so this does not wait. A program that does not read it fails by its exit.
        let _ = stdin.write_all(input.as_bytes());
    }
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
