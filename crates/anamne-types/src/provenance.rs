//! The origin of a memory: its actor, and whether it was imported.

use serde::{Deserialize, Serialize};

use crate::{ActorKind, Memory};

/// The origin of a memory according to the log. Its author, by contrast, is only a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Provenance {
    /// The actor that wrote it; the least trusted one if several did: tool, agent, person.
    pub actor: ActorKind,
    /// Whether it was imported.
    pub imported: bool,
}

impl Default for Provenance {
    fn default() -> Self {
        Self {
            actor: ActorKind::User,
            imported: false,
        }
    }
}

impl Provenance {
    /// The actor name of imports in the log.
    pub const IMPORT: &'static str = "import";

    /// The origin of `memory` for a reader: `agent, trust 0.8`, `tool, imported, trust 0.5`. Empty for what a person or
    /// the engine itself wrote with full trust.
    pub fn describe(&self, memory: &Memory) -> String {
        let mut words: Vec<String> = Vec::new();
        if matches!(self.actor, ActorKind::Agent | ActorKind::Tool) {
            words.push(self.actor.as_str().to_owned());
        }
        if self.imported {
            words.push("imported".to_owned());
        }
        if memory.trust < 1.0 {
            let trust = format!("{:.2}", memory.trust.min(0.99));
            words.push(format!(
                "trust {}",
                trust.trim_end_matches('0').trim_end_matches('.')
            ));
        }
        words.join(", ")
    }
}
