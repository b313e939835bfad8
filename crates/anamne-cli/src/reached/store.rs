//! A store, on this machine or on a server: its spaces, and their health.

use std::collections::BTreeMap;

use anamne::{
    Answer, CheckUp, Context, ContextRequest, Enrichment, Hit, Memory, MemoryId, Recall, SpaceName,
    Spaces, Statistics, Store, Unreadable, Verification,
};
use anamne_client::{Client, Method, Query, RemoteSpace};
use serde::Deserialize;

use super::Reached;
use crate::failure::Failure;
use crate::next_step::StoreOwner;

/// A store.
pub(crate) enum ReachedStore {
    /// In a folder of this machine.
    Here(Store),
    /// Of a server.
    There(Client),
}

/// A space with its counts, as a server answers it.
#[derive(Debug, Deserialize)]
pub(crate) struct SpaceSummary {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) statistics: Statistics,
}

impl ReachedStore {
    /// Where it is: its folder, or the server's address.
    pub(crate) fn location(&self) -> String {
        match self {
            Self::Here(store) => store.root().display().to_string(),
            Self::There(client) => client.address().origin().to_owned(),
        }
    }

    /// Who has it.
    pub(crate) fn owner(&self) -> StoreOwner {
        match self {
            Self::Here(_) => StoreOwner::ThisMachine,
            Self::There(_) => StoreOwner::Server,
        }
    }

    /// The names of its spaces, sorted.
    pub(crate) fn names(&self) -> Result<Vec<SpaceName>, Failure> {
        match self {
            Self::Here(store) => Ok(store.spaces()?),
            Self::There(client) => {
                #[derive(Deserialize)]
                struct Listed {
                    spaces: Vec<String>,
                }
                let listed: Listed = client.read(&["v1", "spaces"], &Query::new())?;
                let names = listed.spaces.iter().map(|name| name.parse());
                Ok(names.collect::<Result<_, _>>()?)
            }
        }
    }

    /// The spaces of this machine whose settings can't be read. A server doesn't tell of its own.
    pub(crate) fn unreadable_spaces(&self) -> Result<Vec<Unreadable>, Failure> {
        match self {
            Self::Here(store) => Ok(store.unreadable_spaces()?),
            Self::There(_) => Ok(Vec::new()),
        }
    }

    /// A space that exists.
    pub(crate) fn space(&self, name: &str) -> Result<Reached, Failure> {
        match self {
            Self::Here(store) => Ok(Reached::Here(Box::new(store.existing_space(name)?))),
            Self::There(client) => Ok(Reached::There(client.space(name))),
        }
    }

    /// Finds memories in several spaces.
    pub(crate) fn recall(&self, spaces: &Spaces, question: &Recall) -> Result<Answer, Failure> {
        match self {
            Self::Here(store) => Ok(store.recall(spaces, question)?),
            Self::There(client) => Ok(client.recall(spaces, question)?),
        }
    }

    /// One block of memories of several spaces.
    pub(crate) fn context(
        &self,
        spaces: &Spaces,
        request: &ContextRequest,
    ) -> Result<Context, Failure> {
        match self {
            Self::Here(store) => Ok(store.context(spaces, request)?),
            Self::There(client) => Ok(client.context(spaces, request)?),
        }
    }

    /// The enrichment of the results of a query over any spaces, by id.
    pub(crate) fn enrichment_of(
        &self,
        hits: &[Hit],
    ) -> Result<BTreeMap<MemoryId, Enrichment>, Failure> {
        let mut by_space: BTreeMap<&str, Vec<&Memory>> = BTreeMap::new();
        for hit in hits {
            let space = by_space.entry(&hit.memory.space).or_default();
            space.push(&hit.memory);
        }
        let mut enriched = BTreeMap::new();
        for (name, memories) in by_space {
            enriched.append(&mut self.space(name)?.enrichment_by_id(&memories)?);
        }
        Ok(enriched)
    }

    /// Checks a space, and rebuilds its damaged views. One that can't be opened is reported like other problems.
    pub(crate) fn check_up(&self, name: &str) -> Result<CheckUp, Failure> {
        match self {
            Self::Here(store) => {
                let checked = store
                    .existing_space(name)
                    .and_then(|space| space.check_up());
                Ok(checked.unwrap_or_else(|error| CheckUp {
                    space: name.to_owned(),
                    problems: vec![error.to_string()],
                    next_steps: error.next_step().into_iter().collect(),
                    ..CheckUp::default()
                }))
            }
            Self::There(client) => {
                let space = client.space(name);
                Ok(space.call(Method::Post, &["check-up"], None::<&()>)?)
            }
        }
    }

    /// Verifies one space, or all.
    pub(crate) fn verify(&self, name: Option<&str>) -> Result<Vec<Verification>, Failure> {
        let client = match self {
            Self::Here(store) => return Ok(store.verify(name)?),
            Self::There(client) => client,
        };
        let verified = |name: &str| verify_there(&client.space(name));
        if let Some(name) = name {
            return Ok(vec![verified(name)?]);
        }
        let names = self.names()?;
        names.iter().map(|name| verified(name.as_str())).collect()
    }
}

fn verify_there(space: &RemoteSpace) -> Result<Verification, Failure> {
    let verified = space.call(Method::Post, &["verification"], None::<&()>);
    Ok(verified?)
}

impl Reached {
    /// Its description and counts.
    pub(crate) fn summary(&self) -> Result<SpaceSummary, Failure> {
        self.ask(
            |space| {
                Ok(SpaceSummary {
                    name: space.name().to_owned(),
                    description: space.config().description.clone(),
                    statistics: space.report()?.statistics,
                })
            },
            |space| space.read(&[], &Query::new()),
        )
    }
}
