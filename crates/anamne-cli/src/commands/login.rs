//! `anamne login`.

use std::path::PathBuf;

use serde_json::json;

use super::model::key::read_key;
use crate::arguments::Global;
use crate::failure::Failure;
use crate::hooks;
use crate::output::{Output, memories};
use crate::server;

/// Let commands work against a server
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads the key from standard input without echo, asks the server whether it is
valid, and keeps the address in your settings and the key in the keychain, or in
a file that only you can read. Commands then work against the server; --store
chooses a store of this machine, --server another server. The variables
ANAMNE_SERVER and ANAMNE_KEY do the same for scripts. Hooks of agents work
against the server too, except in projects whose space is private on this
machine.

--ca is for a server whose certificate a private certificate authority (CA)
signed. The certificates in the file are copied into your settings, count for
this server instead of the public CAs, and are used by every command, hook and
`anamne mcp`. The variable ANAMNE_CA names such a file for scripts.

Examples:
  anamne login https://memory.example.org
  anamne login https://memory.example.org < key.txt
  anamne login https://memory.internal --ca internal-ca.pem
  anamne login http://127.0.0.1:7331 --no-key
  anamne login --end

With --json: {\"server\", \"kept_in\"?}")]
pub(crate) struct Login {
    /// The server's address: https://, or http:// on this machine
    #[arg(value_name = "URL", required_unless_present = "end")]
    url: Option<String>,
    /// The server needs no key
    #[arg(long)]
    no_key: bool,
    /// Accept certificates of the CAs in this PEM file, and no others
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Keep the key in a file, even if there is a keychain
    #[arg(long, conflicts_with = "no_key")]
    file: bool,
    /// Forget the server and a key in a file
    #[arg(long, visible_alias = "remove", conflicts_with_all = ["url", "no_key", "ca", "file"])]
    end: bool,
}

impl Login {
    pub(crate) fn run(self, global: &Global, output: &mut Output) -> Result<(), Failure> {
        let Some(url) = self.url else {
            let removed = server::log_out()?;
            if output.is_json() {
                return output.json(&json!({ "ended": removed }));
            }
            output.note(if removed {
                "commands work on stores of this machine again"
            } else {
                "there was no login"
            });
            let waiting = hooks::report_unsent(global)?.memories();
            if waiting > 0 {
                output.warn(format_args!(
                    "not sent yet, until the next login there: {} that hooks captured; `anamne hook unsent --remove` erases them",
                    memories(waiting)
                ));
            }
            return Ok(());
        };
        let key = if self.no_key {
            None
        } else {
            Some(read_key(&url)?)
        };
        let key = key.as_deref().map(str::trim);
        let kept = server::log_in(&url, key, self.ca.as_deref(), self.file)?;
        if output.is_json() {
            return output.json(&json!({ "server": url, "kept_in": kept }));
        }
        match kept {
            Some(place) => output.note(format_args!("logged in to {url}; the key is in {place}")),
            None => output.note(format_args!("logged in to {url}")),
        }
        Ok(())
    }
}
