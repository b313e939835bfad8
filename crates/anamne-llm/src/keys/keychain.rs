//! The system keychain, through the system's own tool.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::{BridgeError, Key};

/// A password store of the system.
pub trait Keychain {
    /// Whether a keychain is available.
    fn is_there(&self) -> bool;

    /// The password of a service and account; `None` if there is none, or no keychain.
    fn password(&self, service: &str, account: &str) -> Result<Option<String>, BridgeError>;

    /// Stores a key as the password of a service and account, replacing an earlier one.
    ///
    /// [`BridgeError::Keychain`] if it was not stored.
    fn keep(&self, service: &str, account: &str, key: &Key) -> Result<(), BridgeError>;
}

/// No keychain: there is none, or it must not be used.
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

/// A keychain that runs the system's tool.
///
/// The tool is run from its standard install locations, never from the search path. It inherits the process
/// environment, which `secret-tool` needs to find the session. A missing tool, a missing entry or a locked keychain
/// count as no key.
///
/// A key is passed on standard input, never as an argument, because arguments are visible to every user of the machine.
#[derive(Clone, Debug)]
pub struct ToolKeychain {
    tool: Option<Tool>,
    longest: Duration,
}

#[derive(Clone, Debug)]
struct Tool {
    program: PathBuf,
    words: ToolSyntax,
}

/// The command line syntax of a tool.
#[derive(Clone, Copy, Debug)]
enum ToolSyntax {
    /// `secret-tool` of libsecret.
    SecretTool,
    /// `security` of macOS.
    Security,
}

/// The arguments and standard input of a tool.
struct ToolInvocation {
    arguments: Vec<String>,
    input: String,
}

/// Maximum time to unlock the keychain.
const LONGEST_UNLOCKING: Duration = Duration::from_mins(1);

/// Maximum output that is read, in bytes.
const LONGEST_OUTPUT: u64 = 16 << 10;

/// `security` reads commands of at most 4096 bytes; a key takes two hexadecimal digits per byte.
const LONGEST_FOR_SECURITY: usize = 1_800;

impl ToolKeychain {
    /// The keychain of this system: `security` on macOS, `secret-tool` on others.
    pub fn of_system() -> Self {
        let (places, words): (&[&str], ToolSyntax) = if cfg!(target_os = "macos") {
            (&["/usr/bin/security"], ToolSyntax::Security)
        } else {
            let places = &[
                "/usr/bin/secret-tool",
                "/usr/local/bin/secret-tool",
                "/run/current-system/sw/bin/secret-tool",
            ];
            (places, ToolSyntax::SecretTool)
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

    /// A keychain that runs a program with the syntax of `secret-tool lookup` and `secret-tool store`.
    pub fn behind(program: &Path, longest: Duration) -> Self {
        Self {
            tool: Some(Tool {
                program: program.to_owned(),
                words: ToolSyntax::SecretTool,
            }),
            longest,
        }
    }
}

impl ToolSyntax {
    fn find(self, service: &str, account: &str) -> ToolInvocation {
        let words: &[&str] = match self {
            Self::SecretTool => &["lookup", "service", service, "account", account],
            Self::Security => &["find-generic-password", "-s", service, "-a", account, "-w"],
        };
        ToolInvocation {
            arguments: words.iter().map(|&word| word.to_owned()).collect(),
            input: String::new(),
        }
    }

    fn keep(self, service: &str, account: &str, key: &str) -> ToolInvocation {
        match self {
            Self::SecretTool => {
                let label = format!("--label=Anamne: key for {account}");
                let words = ["store", &label, "service", service, "account", account];
                ToolInvocation {
                    arguments: words.map(str::to_owned).to_vec(),
                    input: key.to_owned(),
                }
            }
            // With -w and no value it prompts on the terminal; as a command on standard input the key is no process
            // argument. Hexadecimal digits need no quoting.
            Self::Security => {
                let mut input =
                    format!("add-generic-password -U -s \"{service}\" -a \"{account}\" -X ");
                for byte in key.bytes() {
                    // Writing to a string can't fail.
                    let _ = write!(input, "{byte:02x}");
                }
                input.push('\n');
                ToolInvocation {
                    arguments: vec!["-i".to_owned()],
                    input,
                }
            }
        }
    }
}

impl Tool {
    /// The output of the tool; `None` if it fails, is missing or takes too long.
    fn run(
        &self,
        asking: &ToolInvocation,
        longest: Duration,
    ) -> Result<Option<String>, BridgeError> {
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
        if matches!(tool.words, ToolSyntax::Security) && key.len() > LONGEST_FOR_SECURITY {
            return Err(failed("doesn't accept a key of this length"));
        }
        let kept = tool.run(&tool.words.keep(service, account, key), self.longest)?;
        if kept.is_none() {
            return Err(failed("did not keep the key; is the keychain unlocked?"));
        }
        // Don't trust the tool's exit status: a key that can't be read back would be lost.
        match self.password(service, account)? {
            Some(found) if found.trim() == key => Ok(()),
            _ => Err(failed("reported success, but doesn't return the key")),
        }
    }
}

/// The output of a program that reads `input` and exits successfully within `longest`; otherwise `None`.
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
        // Shorter than a pipe buffer, so it doesn't block. A program that doesn't read it fails by its exit status.
        let _ = stdin.write_all(input.as_bytes());
    }
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(LONGEST_OUTPUT).read_to_end(&mut bytes);
        // The receiver is gone if the program timed out.
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
