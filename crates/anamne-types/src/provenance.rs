//! Where a memory comes from: who told it, and whether an import brought it.

use serde::{Deserialize, Serialize};

use crate::{ActorKind, Memory};

/// Who told what a memory says, as the log knows it. Its author, by contrast, is a word that came with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The party that told it or changed it; a tool comes before an agent, and an agent before a person, where several did.
    pub actor: ActorKind,
    /// Whether an import brought it.
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
    /// The name under which the log keeps a person's import.
    pub const IMPORT: &'static str = "import";

    /// What a reader must know of the origin of `memory`: `agent, trust 0.8`, `tool, imported, trust 0.5`. Empty for what
    /// a person or the engine itself told with full trust.
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
