//! `memory_delete`: put a memory away, or remove it for ever.

use anamne::BackupUpdate;
use anamne::text::quote::{on_one_line, quote_name};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, MemoryTool};
use crate::mcp::desk::Desk;
use crate::mcp::reply::{Failure, Reply};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Delete {
    id: String,
    /// Erase for ever; only at the user's wish
    hard: Option<bool>,
    space: Option<String>,
}

impl MemoryTool for Delete {
    const NAME: &'static str = "memory_delete";
    const TITLE: &'static str = "Delete a memory";
    const DESCRIPTION: &'static str =
        "Delete a memory; memory_update with restore undoes it, unless hard.";
    const EFFECT: Effect = Effect::Removes;

    fn run(self, desk: &Desk) -> Result<Reply, Failure> {
        let space = desk.space(self.space.as_deref())?;
        let id = space.resolve(&self.id)?;
        let hard = self.hard == Some(true);
        let text = if hard {
            let reached = space.erase(id)?;
            let told = |backup: &BackupUpdate| {
                let BackupUpdate { folder, trouble } = backup;
                (!trouble.is_empty()).then(|| {
                    format!(
                        " The backup {} may still hold it: {}.",
                        quote_name(&folder.display().to_string()),
                        on_one_line(trouble)
                    )
                })
            };
            let troubles: String = reached.backups.iter().filter_map(told).collect();
            format!("{id} is erased for ever.{troubles}")
        } else {
            space.forget(id)?;
            format!("{id} is deleted; memory_update with restore brings it back.")
        };
        Ok(Reply::new(
            desk,
            text,
            || json!({ "id": id, "space": space.name(), "deleted": true, "hard": hard }),
        ))
    }
}
