//! What a host sends to hooks, and the transcript that it keeps.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::commands::Work;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::speed::site::Site;

/// A session of the host, which goes on for all rounds.
pub(super) struct Session {
    folder: PathBuf,
    transcript: PathBuf,
}

impl Session {
    /// Begins a session with an empty transcript.
    pub(super) fn begin(site: &Site) -> Result<Self, Failure> {
        let folder = site.peer("home")?;
        let transcript = folder.join(format!("{}.jsonl", id(0)));
        File::create(&transcript)?;
        Ok(Self { folder, transcript })
    }

    /// The standard input of a hook. Every start and every prompt is of a session of its own, because a session is
    /// shown nothing twice; turns are of one session, whose transcript grows by a prompt and a reply each.
    pub(super) fn input(
        &self,
        work: Work,
        round: u64,
        generator: &Generator,
    ) -> Result<String, Failure> {
        let prompt = generator.question(round);
        let mut input = json!({
            "session_id": id(2 * round + 1),
            "transcript_path": self.transcript,
            "cwd": self.folder,
        });
        match work {
            Work::PromptHook => {
                input["hook_event_name"] = json!("UserPromptSubmit");
                input["prompt"] = json!(prompt);
            }
            Work::SessionStartHook => {
                input["session_id"] = json!(id(2 * round + 2));
                input["hook_event_name"] = json!("SessionStart");
                input["source"] = json!("startup");
            }
            _ => {
                let reply = generator.record(round).text;
                self.append(round, &prompt, &reply)?;
                input["session_id"] = json!(id(0));
                input["hook_event_name"] = json!("Stop");
                input["stop_hook_active"] = json!(false);
                input["last_assistant_message"] = json!(reply);
            }
        }
        Ok(input.to_string())
    }

    /// Adds a turn to the transcript.
    fn append(&self, round: u64, prompt: &str, reply: &str) -> Result<(), Failure> {
        let said = |number: u64, message: Value| {
            let parent = (number > 1).then(|| id(1_000_000 + number - 1));
            json!({
                "type": message["role"], "uuid": id(1_000_000 + number), "parentUuid": parent,
                "sessionId": id(0), "timestamp": "2026-01-05T09:00:00.000Z", "cwd": self.folder,
                "isSidechain": false, "userType": "external", "version": "2.1.240", "message": message,
            })
        };
        let asked = said(2 * round + 1, json!({"role": "user", "content": prompt}));
        let content = json!([{"type": "text", "text": reply}]);
        let replied = said(
            2 * round + 2,
            json!({"role": "assistant", "content": content}),
        );
        let mut transcript = OpenOptions::new().append(true).open(&self.transcript)?;
        Ok(write!(transcript, "{asked}\n{replied}\n")?)
    }
}

/// An id of the form that hosts use.
fn id(number: u64) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}
