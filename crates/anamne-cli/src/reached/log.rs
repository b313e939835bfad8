//! The log of changes of a space in either place.

use anamne::{LogEntry, LogQuery};
use anamne_client::{Query, RemoteSpace};
use anamne_server::rest::{GuardedKinds, guarded_kinds};
use serde::{Deserialize, Serialize};

use super::Reached;
use crate::failure::Failure;

/// LoggedEvents of the log.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LoggedEvents {
    /// The events.
    pub(crate) events: Vec<LogEntry>,
    /// Whether there are more.
    pub(crate) more: bool,
    /// The kinds that the guard found in their memories.
    #[serde(default)]
    pub(crate) guard: GuardedKinds,
}

impl Reached {
    /// The events that match a checked query.
    pub(crate) fn events(&self, query: LogQuery) -> Result<LoggedEvents, Failure> {
        match self {
            Self::Here(space) => {
                let events = space.log(&query)?;
                let guard = guarded_kinds(space, &events)?;
                let next = LogQuery {
                    offset: query.offset + events.len(),
                    limit: 1,
                    ..query
                };
                let more = events.len() == query.limit && !space.log(&next)?.is_empty();
                Ok(LoggedEvents {
                    events,
                    more,
                    guard,
                })
            }
            Self::There(space) => events_there(space, &query),
        }
    }
}

fn events_there(space: &RemoteSpace, query: &LogQuery) -> Result<LoggedEvents, Failure> {
    if query.actor_names.len() > 1 {
        let message = "a server lists the changes of one actor by name at a time";
        return Err(Failure::refused("actor", message).hint("give one name, or kinds of actors"));
    }
    let words = |words: Vec<&str>| (!words.is_empty()).then(|| words.join(","));
    let actor_kinds = query.actor_kinds.iter().map(|kind| kind.as_str()).collect();
    let kinds = query.kinds.iter().map(|kind| kind.as_str()).collect();
    let asked = Query::new()
        .maybe("since", query.since)
        .maybe("until", query.until)
        .maybe("actor_kinds", words(actor_kinds))
        .maybe("actor", query.actor_names.first())
        .maybe("kinds", words(kinds))
        .maybe("memory", query.memory)
        .with("oldest_first", query.oldest_first)
        .with("offset", query.offset)
        .with("limit", query.limit);
    Ok(space.read(&["log"], &asked)?)
}
