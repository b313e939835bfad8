//! What a memory said before: an import that updates leaves what is newer than its record.

use anamne_types::{Edit, EventKind, Memory, MemoryId, Provenance};

use crate::Error;
use crate::space::Space;

/// The versions of a memory, oldest first.
pub(super) struct Earlier(Vec<EarlierVersion>);

struct EarlierVersion {
    /// Whether an import wrote it.
    imported: bool,
    memory: Memory,
}

impl Earlier {
    /// The versions of a memory that was imported. O(versions).
    pub(super) fn of(space: &Space, id: MemoryId) -> Result<Self, Error> {
        let mut versions = space.history(id)?;
        versions.sort_by_key(|version| version.seq);
        let versions = versions.into_iter().filter_map(|version| {
            let imported =
                version.change == EventKind::Remembered || version.actor.name == Provenance::IMPORT;
            let memory = version.memory?;
            Some(EarlierVersion { imported, memory })
        });
        Ok(Self(versions.collect()))
    }

    /// Takes out of an edit what the last import said too, so that the store has changed it since; and everything if its content is
    /// that of a version before, so that the record is older than the memory.
    pub(super) fn keep_newer(&self, edit: &mut Edit) {
        let content = edit.content.as_deref();
        if content.is_some() && self.last_imported(|memory| memory.content.as_str()) == content {
            edit.content = None;
        } else if content.is_some_and(|content| self.has_said(content)) {
            *edit = Edit::default();
            return;
        }
        let body = self.last_imported(|memory| &memory.body);
        keep_unless(&mut edit.body, |now| body == Some(now));
        let importance = self.last_imported(|memory| memory.importance);
        keep_unless(&mut edit.importance, |now| importance == Some(*now));
        let confidence = self.last_imported(|memory| memory.confidence);
        keep_unless(&mut edit.confidence, |now| {
            confidence.is_some_and(|confidence| (confidence - now).abs() <= f32::EPSILON)
        });
        let occurred_at = self.last_imported(|memory| memory.occurred_at);
        keep_unless(&mut edit.occurred_at, |now| occurred_at == Some(*now));
        let expires_at = self.last_imported(|memory| memory.expires_at);
        keep_unless(&mut edit.expires_at, |now| expires_at == Some(Some(*now)));
        edit.add_tags
            .retain(|tag| self.last_imported(|memory| memory.tags.contains(tag)) != Some(true));
        edit.metadata.retain(|name, value| {
            self.last_imported(|memory| memory.metadata.get(name)) != Some(Some(value))
        });
    }

    /// What the last import said that changed a field.
    fn last_imported<'earlier, T: Copy + PartialEq>(
        &'earlier self,
        field: impl Fn(&'earlier Memory) -> T,
    ) -> Option<T> {
        let (mut said, mut before) = (None, None);
        for version in &self.0 {
            let now = Some(field(&version.memory));
            if version.imported && now != before {
                said = now;
            }
            before = now;
        }
        said
    }

    fn has_said(&self, content: &str) -> bool {
        self.0
            .iter()
            .any(|version| version.memory.content == content)
    }
}

fn keep_unless<T>(value: &mut Option<T>, is_known: impl FnOnce(&T) -> bool) {
    if value.as_ref().is_some_and(is_known) {
        *value = None;
    }
}
