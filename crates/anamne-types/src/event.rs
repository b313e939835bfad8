//! Entries of the log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::body::string_enum;
use crate::limits::check_name;
use crate::{InvalidValue, MemoryId, Seq};

string_enum! {
    /// The kind of an event.
    EventKind as "event kind" {
        /// A memory was stored.
        Remembered = 1 "remembered",
        /// A memory was changed.
        Edited = 2 "edited",
        /// A memory was forgotten; it can be restored.
        Forgotten = 3 "forgotten",
        /// A forgotten memory was restored.
        Restored = 4 "restored",
        /// A memory's content was permanently erased.
        Erased = 5 "erased",
        /// A link was created.
        Linked = 6 "linked",
        /// A link was removed.
        Unlinked = 7 "unlinked",
        /// Memories moved to a colder tier; the event names the first. Their content is unchanged.
        Moved = 8 "moved",
        /// A memory was opened by its id. Written only where the space's settings ask for it; its content is unchanged.
        Accessed = 9 "accessed",
        /// A memory became a member of another space; logged in its home.
        Shared = 10 "shared",
        /// A memory is no longer a member of another space; logged in its home.
        Withdrawn = 11 "withdrawn",
        /// A memory of another space was added as a member; logged in the space that it was added to.
        Added = 12 "added",
        /// Feedback on a memory was recorded. It makes a new version, of the same text.
        Judged = 13 "judged",
    }
}

impl EventKind {
    /// Whether it made a new version of its memory; links, memberships in other spaces, moves and accesses don't.
    pub fn changes_state(self) -> bool {
        !matches!(
            self,
            Self::Linked
                | Self::Unlinked
                | Self::Moved
                | Self::Accessed
                | Self::Shared
                | Self::Withdrawn
        )
    }
}

string_enum! {
    /// The kind of actor.
    ActorKind as "actor" {
        /// A person.
        User = 1 "user",
        /// A model.
        Agent = 2 "agent",
        /// A program on someone's behalf.
        Tool = 3 "tool",
        /// The engine itself.
        System = 4 "system",
    }
}

/// Who caused an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// The kind of actor.
    pub kind: ActorKind,
    /// Its name; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

impl Actor {
    /// An anonymous person.
    pub fn user() -> Self {
        Self {
            kind: ActorKind::User,
            name: String::new(),
        }
    }

    /// A model named `name`.
    pub fn agent(name: impl Into<String>) -> Self {
        Self {
            kind: ActorKind::Agent,
            name: name.into(),
        }
    }

    /// A program named `name`.
    pub fn tool(name: impl Into<String>) -> Self {
        Self {
            kind: ActorKind::Tool,
            name: name.into(),
        }
    }

    /// Checks the name.
    pub fn check(&self) -> Result<(), InvalidValue> {
        if self.name.is_empty() {
            Ok(())
        } else {
            check_name("actor", &self.name)
        }
    }

    /// The default trust of what this actor writes, 0 to 1.
    pub fn default_trust(&self) -> f32 {
        match self.kind {
            ActorKind::User | ActorKind::System => 1.0,
            ActorKind::Agent => 0.8,
            ActorKind::Tool => 0.6,
        }
    }
}

/// One entry of the log, without its payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Event {
    /// Its number in the log of its space.
    pub seq: Seq,
    /// When it was written.
    pub at: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    /// Its kind.
    pub kind: EventKind,
    /// The memory concerned.
    pub memory: MemoryId,
}
