//! Work for a process of its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_hosts::hook::HookEvent;

use crate::arguments::Global;

/// Arguments of `anamne hook later`.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct JobArguments {
    /// The host's id of the session
    #[arg(long, hide = true)]
    pub(super) session: Option<String>,
    /// The transcript to capture
    #[arg(long, hide = true)]
    pub(super) transcript: Option<PathBuf>,
    /// The event that took too long
    #[arg(long, hide = true)]
    pub(super) timed_out: Option<String>,
    /// Bytes of the agent's last message, or of the prompt, which stands on standard input
    #[arg(long, hide = true)]
    pub(super) said: Option<usize>,
}

/// A job with the store and space that it works in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) host: String,
    pub(super) store: Option<PathBuf>,
    pub(super) space: Option<String>,
    /// The address of the server that has the memory.
    pub(super) server: Option<String>,
    pub(super) work: JobArguments,
    /// The words of a prompt that are not held yet; not for a command line.
    pub(super) prompt: Option<String>,
}

impl Job {
    /// The job with the words of a prompt that are to be held.
    pub(super) fn holding(mut self, words: &str) -> Self {
        self.prompt = Some(words.to_owned());
        self
    }

    /// The arguments of the process.
    pub(super) fn command_line(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = Vec::new();
        let mut option = |name: &str, value: Option<OsString>| {
            if let Some(value) = value {
                // One word, so that no value is taken for an option.
                let mut word = OsString::from(name);
                word.push("=");
                word.push(value);
                line.push(word);
            }
        };
        let text = |text: &Option<String>| text.as_deref().map(OsString::from);
        let path = |path: &Option<PathBuf>| path.clone().map(OsString::from);
        option("--store", path(&self.store));
        option("--space", text(&self.space));
        option("--server", text(&self.server));
        option("--host", Some(OsString::from(&self.host)));
        option("--session", text(&self.work.session));
        option("--transcript", path(&self.work.transcript));
        option("--timed-out", text(&self.work.timed_out));
        option(
            "--said",
            self.work.said.map(|bytes| bytes.to_string().into()),
        );
        let mut arguments = vec![OsString::from("hook"), OsString::from("later")];
        arguments.append(&mut line);
        arguments
    }
}

/// The job that is left to do if the hook runs out of time.
#[derive(Clone)]
pub(super) struct SharedJob(Arc<Mutex<Job>>);

impl SharedJob {
    /// Nothing is left to do yet, in the store and space that were given.
    pub(super) fn new(global: &Global) -> Self {
        let job = Job {
            store: global.store.clone().map(PathBuf::from),
            space: global.space.clone(),
            server: global.server.clone(),
            ..Job::default()
        };
        Self(Arc::new(Mutex::new(job)))
    }

    pub(super) fn set(&self, job: Job) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = job;
    }

    /// The rest of a hook that ran out of time: what was left to do, and a note of it.
    pub(super) fn timed_out(&self, host: &str, event: HookEvent) -> Job {
        let mut job = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        host.clone_into(&mut job.host);
        job.work.timed_out = Some(event.to_string());
        job
    }
}
