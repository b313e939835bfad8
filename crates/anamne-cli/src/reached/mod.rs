//! A space, on this machine or on a server: what the commands that work in both ways need of it.
//!
//! Each method asks the engine here, or a route of the server, and returns the same type from both. One file per
//! resource.

mod cache;
mod consolidation;
mod contradictions;
mod deletion;
mod enrichment;
mod experience;
mod knowledge;
mod log;
mod members;
mod memories;
mod meta;
mod showing;
mod store;
mod strategies;
mod streams;
mod tasks;
mod upkeep;

use anamne::{Error, MemoryId, Space};
use anamne_client::{ClientError, RemoteSpace};

use crate::failure::Failure;
use crate::next_step::StoreOwner;
use crate::output::Output;
use crate::{ids, settling};

pub(crate) use consolidation::SummaryChoice;
pub(crate) use deletion::{Deletable, Deleted, Outside};
pub(crate) use experience::{KeptFeedback, Situation, Skills, ToldBy};
pub(crate) use knowledge::{COUNTED, EntityDetails, EntityOverview, Known, Listed, Together};
pub(crate) use log::LoggedEvents;
pub(crate) use store::{ReachedStore, SpaceSummary};
pub(crate) use strategies::Strategies;
pub(crate) use streams::{SendFailure, send};

/// A space.
pub(crate) enum Reached {
    /// In a store of this machine.
    Here(Box<Space>),
    /// On a server.
    There(RemoteSpace),
}

impl Reached {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Here(space) => space.name(),
            Self::There(space) => space.name(),
        }
    }

    /// The space of this machine, for what a server doesn't offer.
    pub(crate) fn here(&self) -> Option<&Space> {
        match self {
            Self::Here(space) => Some(space),
            Self::There(_) => None,
        }
    }

    /// Who has its store.
    pub(crate) fn owner(&self) -> StoreOwner {
        match self {
            Self::Here(_) => StoreOwner::ThisMachine,
            Self::There(_) => StoreOwner::Server,
        }
    }

    /// Makes the space on the server if it is missing there; on this machine it is there.
    pub(crate) fn create(&self) -> Result<(), Failure> {
        match self {
            Self::Here(_) => Ok(()),
            Self::There(space) => Ok(space.create()?),
        }
    }

    /// The same space, writing without the guard. A server's guard can't be passed.
    pub(crate) fn without_guard(&self) -> Result<Self, Failure> {
        match self {
            Self::Here(space) => Ok(Self::Here(Box::new(space.without_guard()?))),
            Self::There(_) => Err(Failure::refused(
                "no_guard",
                "a server stores nothing without its guard",
            )),
        }
    }

    /// Asks the engine here, or the server there.
    fn ask<T>(
        &self,
        here: impl FnOnce(&Space) -> Result<T, Error>,
        there: impl FnOnce(&RemoteSpace) -> Result<T, ClientError>,
    ) -> Result<T, Failure> {
        match self {
            Self::Here(space) => Ok(here(space)?),
            Self::There(space) => Ok(there(space)?),
        }
    }

    /// The id that `text` names.
    pub(crate) fn resolve(&self, text: &str) -> Result<MemoryId, Failure> {
        match self {
            Self::Here(space) => ids::resolve(space, text),
            Self::There(space) => resolve_there(space, text.trim()),
        }
    }

    /// The ids that `texts` name, in order, each once.
    pub(crate) fn resolve_all(&self, texts: &[String]) -> Result<Vec<MemoryId>, Failure> {
        ids::each_once(texts, |text| self.resolve(text))
    }

    /// Updates the views before the command ends; a server does that by itself.
    pub(crate) fn settle(&self, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Here(space) => settling::settle(space, output),
            Self::There(_) => output.flush(),
        }
    }
}

/// Whether the key may not do it.
pub(crate) fn is_denied(error: &ClientError) -> bool {
    error
        .problem()
        .is_some_and(|problem| problem.kind() == "denied")
}

fn is_missing(error: &ClientError) -> bool {
    error
        .problem()
        .is_some_and(|problem| problem.kind() == "not_found")
}

/// The id that `text` names on a server: as on this machine, an imported id counts where nothing else has that name.
fn resolve_there(space: &RemoteSpace, text: &str) -> Result<MemoryId, Failure> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let found = match space.peek(text) {
        Err(error) if is_missing(&error) => space.imported(text),
        found => found,
    };
    match found {
        Err(error) if is_missing(&error) => Err(ids::nothing_named(text, space.name())),
        found => Ok(found?.id),
    }
}
