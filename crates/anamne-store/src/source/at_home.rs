//! A memory as its home has it, for the spaces of which it is a member.

use anamne_types::{
    InvalidValue, Kind, Membership, Memory, MemoryId, Provenance, Row, Seq, is_marked_private,
    is_private_tag,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Tables, provenance, read};
use crate::Result;
use crate::journal::Digest;

/// A memory as its home has it.
#[derive(Clone, Debug)]
pub(crate) struct AtHome {
    pub(super) memory: Memory,
    /// The digest of the event of this state.
    digest: Digest,
    origin: Provenance,
    /// Whether the home says that it is a member of the space that asked.
    pub(crate) is_shared: bool,
}

/// A memory as its home has it, and the event of that state.
#[derive(Clone, Debug)]
pub(crate) struct SeenAtHome {
    pub(crate) state: HomeState,
    pub(crate) seq: Seq,
}

/// The state of a memory in its home.
#[derive(Clone, Debug)]
pub(crate) enum HomeState {
    /// It is live.
    Live(Box<AtHome>),
    /// It is forgotten, or the home doesn't know it.
    Hidden,
    /// Its content is erased.
    Erased,
}

impl AtHome {
    /// Fills in what the space mirrors of the home.
    pub(super) fn mirrored_in(&self, memory: Memory, home: &str) -> Memory {
        let there = self.memory.without_text();
        let former = memory.member.as_ref();
        let member = Membership {
            home: home.to_owned(),
            relevance: former.map_or(1.0, |member| member.relevance),
            added_at: former.map_or(memory.updated_at, |member| member.added_at),
            origin: self.origin,
            seq: there.seq,
            digest: self.digest.to_string(),
            hidden: false,
        };
        Memory {
            body: there.body,
            content: there.content,
            author: there.author,
            trust: there.trust,
            importance: there.importance,
            confidence: there.confidence,
            occurred_at: there.occurred_at,
            created_at: there.created_at,
            expires_at: there.expires_at,
            deleted_at: None,
            member: Some(Box::new(member)),
            ..memory
        }
    }
}

/// Whether a memory may become a member of other spaces: its text stands for itself, and it is not private.
pub(super) fn check_shareable(memory: &Memory) -> Result<()> {
    let refuse = |accepts: &str| {
        let given = format!("{} ({})", memory.id, memory.kind());
        Err(InvalidValue::new("member", accepts, given).into())
    };
    if matches!(memory.kind(), Kind::Chunk | Kind::Experience) {
        return refuse("a memory that is neither a document's chunk nor experience");
    }
    if is_private(memory) {
        return refuse("a memory that is not private; private memories stay in their space");
    }
    Ok(())
}

/// Whether a tag or the guard makes it private.
fn is_private(memory: &Memory) -> bool {
    memory.tags.iter().any(|tag| is_private_tag(tag)) || is_marked_private(&memory.metadata)
}

/// The state of a memory of this space, as the space `asking` may see it, which has it with this membership, if it does.
///
/// A log without the event of the membership is not the one from which the memory was added, so it shows nothing.
pub(crate) fn at_home(
    tables: Tables<'_>,
    id: MemoryId,
    asking: &str,
    membership: Option<&Membership>,
) -> Result<SeenAtHome> {
    let stored = read::verified_by_id(tables, id)?;
    let (Some(stored), true) = (stored, is_known(&tables, id, membership)?) else {
        let (state, seq) = (HomeState::Hidden, Seq(0));
        return Ok(SeenAtHome { state, seq });
    };
    let seq = stored.memory.seq;
    let state = if stored.erased {
        HomeState::Erased
    } else if stored.memory.deleted_at.is_some() || stored.memory.is_member() {
        HomeState::Hidden
    } else {
        let is_shared = is_shared(&tables, stored.row, asking)? && !is_private(&stored.memory);
        HomeState::Live(Box::new(AtHome {
            origin: provenance::of(&tables, &stored.memory)?,
            digest: stored.event_digest.unwrap_or_default(),
            memory: stored.memory,
            is_shared,
        }))
    };
    Ok(SeenAtHome { state, seq })
}

fn is_known(
    connection: &Connection,
    id: MemoryId,
    membership: Option<&Membership>,
) -> Result<bool> {
    let Some(membership) = membership else {
        return Ok(true);
    };
    let Some(row) = connection
        .prepare_cached("SELECT row FROM memories WHERE id = ?1")?
        .query_row([id.as_bytes().as_slice()], |row| row.get(0))
        .optional()?
    else {
        return Ok(false);
    };
    let digest = read::event_digest(connection, membership.seq, Row(row))?;
    Ok(digest.is_some_and(|digest| digest.to_string() == membership.digest))
}

/// How a memory is a member of this space; `None` if it isn't.
pub(crate) fn membership(connection: &Connection, id: MemoryId) -> Result<Option<Membership>> {
    let member: Option<Option<String>> = connection
        .prepare_cached("SELECT member FROM memories WHERE id = ?1")?
        .query_row([id.as_bytes().as_slice()], |row| row.get(0))
        .optional()?;
    let member = member.flatten();
    Ok(member
        .map(|member| serde_json::from_str(&member))
        .transpose()?)
}

pub(super) fn is_shared(connection: &Connection, row: Row, space: &str) -> Result<bool> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM shares WHERE row = ?1 AND space = ?2")?
        .exists(params![row.0, space])?)
}
