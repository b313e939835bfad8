//! The store, the space and the session of a hook.

use std::path::Path;
use std::time::Instant;

use anamne::{
    Clock, Door, Draft, DraftOutcome, Error, HookLog, HookSession, Space, Store, StoreFolder,
    SystemClock,
};
use anamne_hosts::hook::{HookEvent, HookInput, StartReason};
use anamne_ingest::transcripts::Position;
use jiff::Timestamp;

use super::Effect;
use super::job::{Job, JobArguments};
use super::remote::Remote;
use crate::arguments::Global;
use crate::failure::Failure;
use crate::place::Place;
use crate::reached::Reached;
use crate::server;

/// The space of sessions outside of any project. Not `core`, which every project reads.
const UNFILED: &str = "unfiled";

/// Where a hook works.
pub(super) struct HookSite {
    pub(super) store: Store,
    pub(super) log: HookLog,
    /// The session, if the host names it.
    pub(super) session: Option<HookSession>,
    /// The name of the session's space, which may not exist yet.
    pub(super) space: String,
    /// When the hook ran.
    pub(super) now: Timestamp,
    /// The server that has the memory; `None` if it is the store. What is known of sessions is in the store either way.
    pub(super) remote: Option<Remote>,
}

impl HookSite {
    /// The site of a hook; `None` without a store, which only commands create, unless a server has the memory.
    pub(super) fn find(
        global: &Global,
        host: &str,
        input: &HookInput,
        started: Instant,
    ) -> Result<Option<Self>, Failure> {
        let place = Place::named_by(global)?;
        let root = place.root()?;
        let address = server::chosen_address(global)?;
        if address.is_none() && !StoreFolder::at(&root).is_there()? {
            return Ok(None);
        }
        let now = SystemClock.now();
        let store = Store::open_with(place.options()?.door(Door::Hook))?;
        let log = store.hook_log()?;
        let known = match &input.session {
            Some(id) => log.session(id)?,
            None => None,
        };
        let space = match &known {
            Some(session) => session.space.clone(),
            None if place.is_named() => place.space_name().to_string(),
            // On a server, its name is all that a space has of a project.
            None => space_of(global, input.folder.as_deref(), address.is_none())?,
        };
        let session = match &input.session {
            Some(id) if known.is_none() => Some(log.begin(id, host, &space, now)?),
            _ => known,
        };
        let remote = match address {
            Some(address) => Remote::of(address, &store, &space, started)?,
            None => None,
        };
        Ok(Some(Self {
            store,
            log,
            session,
            space,
            now,
            remote,
        }))
    }

    /// A space for reading, wherever the memory is; `None` if it is known not to exist.
    pub(super) fn reached(&self, name: &str) -> Result<Option<Reached>, Failure> {
        if let Some(remote) = &self.remote {
            return Ok(Some(Reached::There(remote.space(name)?)));
        }
        let space = self.existing(name)?;
        Ok(space.map(|space| Reached::Here(Box::new(space))))
    }

    /// Stores what a host's session said, wherever the memory is. A draft that is refused doesn't stop the others.
    pub(super) fn keep(&self, host: &str, drafts: &[Draft]) -> Result<Effect, Failure> {
        if drafts.is_empty() {
            return Ok(Effect::default());
        }
        match &self.remote {
            Some(remote) => remote.keep(host, &self.space, drafts, self.now),
            None => Ok(counted(
                &self.space()?.capture(host, None, drafts)?.outcomes,
            )),
        }
    }

    /// A job at this site.
    pub(super) fn job(&self, host: &str, work: JobArguments) -> Job {
        Job {
            host: host.to_owned(),
            store: Some(self.store.root().to_owned()),
            space: Some(self.space.clone()),
            server: self.remote.as_ref().map(|remote| remote.address.clone()),
            work,
            prompt: None,
        }
    }

    /// Whether work is left for a process of its own: captures to send, or indexes to update.
    pub(super) fn is_unsettled(&self) -> Result<bool, Failure> {
        match &self.remote {
            Some(remote) => remote.has_waiting(),
            None => match self.existing_space()? {
                Some(space) => Ok(space.is_unsettled()?),
                None => Ok(false),
            },
        }
    }

    /// The session's space, if it exists.
    pub(super) fn existing_space(&self) -> Result<Option<Space>, Failure> {
        self.existing(&self.space)
    }

    /// A space of the store, if it exists.
    pub(super) fn existing(&self, name: &str) -> Result<Option<Space>, Failure> {
        match self.store.existing_space(name) {
            Err(Error::Store(anamne::StoreError::NoSpace(_))) => Ok(None),
            opened => Ok(Some(opened?)),
        }
    }

    /// The session's space for writing, created if missing.
    pub(super) fn space(&self) -> Result<Space, Failure> {
        Ok(self.store.space(&self.space)?)
    }

    /// How far the session's transcript was captured by now.
    pub(super) fn captured(&self, input: &HookInput) -> Result<Position, Failure> {
        let known = match &input.session {
            Some(id) => self.log.session(id)?,
            None => None,
        };
        Ok(known.map_or_else(Position::default, |session| Position {
            bytes: session.captured_bytes,
            mark: session.captured_mark,
        }))
    }

    /// Whether this process is the first to act on the event: several hosts may run the hook for one.
    pub(super) fn acts_first(&self, event: HookEvent, input: &HookInput) -> Result<bool, Failure> {
        let Some(session) = &self.session else {
            return Ok(true);
        };
        let tool = || input.tool.as_ref()?.id.as_deref();
        let identity = match event {
            HookEvent::SessionStart => reason_word(input.reason),
            HookEvent::Prompt => input
                .turn
                .as_deref()
                .or(input.prompt.as_deref())
                .unwrap_or(""),
            HookEvent::Tool | HookEvent::ToolFailed => match tool() {
                Some(id) => id,
                None => return Ok(true),
            },
            // Capturing the same words twice stores them once.
            _ => return Ok(true),
        };
        Ok(self
            .log
            .acts_first(session, event.as_str(), identity, self.now)?)
    }
}

fn counted(outcomes: &[DraftOutcome]) -> Effect {
    let mut effect = Effect::default();
    for outcome in outcomes {
        if let DraftOutcome::Remembered(remembered) = outcome
            && !remembered.duplicate
        {
            effect.stored += 1;
            effect.redacted += remembered.guard.len() as u64;
        }
    }
    effect
}

fn reason_word(reason: StartReason) -> &'static str {
    match reason {
        StartReason::Startup => "startup",
        StartReason::Resume => "resume",
        StartReason::Clear => "clear",
        StartReason::Compact => "compact",
        StartReason::Fork => "fork",
    }
}

/// The name of the space of the project around a folder (by default the current one); [`UNFILED`] outside of projects.
/// With `claim`, a new name is bound to the project.
pub(crate) fn space_of(
    global: &Global,
    folder: Option<&Path>,
    claim: bool,
) -> Result<String, Failure> {
    let place = match folder {
        Some(folder) => Place::around(global, folder)?,
        None => Place::find(global)?.on_this_machine(),
    };
    if place.project().is_none() {
        return Ok(UNFILED.to_owned());
    }
    let name = if claim {
        place.claim()?
    } else {
        place.determined_name()?
    };
    Ok(name.to_string())
}

/// The hooks' record, if there is a store.
pub(super) fn existing_log(global: &Global) -> Result<Option<(HookLog, Timestamp)>, Failure> {
    let place = Place::named_by(global)?;
    if !StoreFolder::at(&place.root()?).is_there()? {
        return Ok(None);
    }
    Ok(Some((place.store()?.hook_log()?, SystemClock.now())))
}
