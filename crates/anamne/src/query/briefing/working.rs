//! Working memory in the block: the live values, latest first.

use std::time::Duration;

use anamne_types::{Body, Experience, Filter, Memory, Row};

use super::{SelectedMemory, WORKING};
use crate::Error;
use crate::space::Space;

/// Maximum number of values.
const SHOWN: usize = 12;

/// Maximum characters shown of a value.
const LONGEST: usize = 300;

/// Maximum characters shown of the name of a session.
const LONGEST_SESSION: usize = 60;

/// How long the block waits for the view of experience.
const PATIENCE: Duration = Duration::from_millis(20);

impl Space {
    /// The live values of working memory; the name of the view is added to `degraded` if it isn't up to date.
    ///
    /// A filter other than by session or author has no values: they are of no other kind.
    pub(super) fn working_values(
        &self,
        filter: &Filter,
        degraded: &mut Vec<String>,
    ) -> Result<Vec<SelectedMemory>, Error> {
        let others = Filter {
            sessions: Vec::new(),
            authors: Vec::new(),
            ..filter.clone()
        };
        if !others.is_empty() {
            return Ok(Vec::new());
        }
        let Ok(found) = self.inner.derived.experience.caught_up_within(PATIENCE) else {
            degraded.push("experience".to_owned());
            return Ok(Vec::new());
        };
        let Some((view, is_whole)) = found else {
            return Ok(Vec::new());
        };
        if !is_whole {
            degraded.push("experience".to_owned());
        }
        let mut rows = view.working(None, self.now().as_microsecond())?;
        rows.reverse();
        let mut memories = self.inner.source.get_rows(&rows)?;
        let place = |row: Row| rows.iter().position(|listed| *listed == row);
        memories.sort_by_key(|(row, _)| place(*row));
        let is_wanted = |memory: &Memory| {
            let is_among = |named: &[String], name: Option<&String>| {
                named.is_empty() || name.is_some_and(|name| named.contains(name))
            };
            is_among(&filter.sessions, memory.session.as_ref())
                && is_among(&filter.authors, memory.author.as_ref())
        };
        let live = memories.into_iter().map(|(_, memory)| memory);
        Ok(live
            .filter(is_wanted)
            .filter_map(shown)
            .take(SHOWN)
            .collect())
    }
}

fn shown(memory: Memory) -> Option<SelectedMemory> {
    let Body::Experience { experience } = &memory.body else {
        return None;
    };
    let Experience::Working(working) = &**experience else {
        return None;
    };
    if working.value.is_null() {
        return None;
    }
    let value = match &working.value {
        serde_json::Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let value = shortened(&value, LONGEST);
    let session = memory.session.as_deref().unwrap_or_default();
    let whose = match shortened(session, LONGEST_SESSION) {
        session if session.is_empty() => session,
        session => format!(" (session {session})"),
    };
    Some(SelectedMemory {
        passage: Some(format!("{}{whose} = {value}", working.key)),
        ..SelectedMemory::whole(memory, WORKING)
    })
}

/// The beginning of a text; `…` marks a cut.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
