//! Replays the journal into the source.

use anamne_text::normal::content_hash;
use anamne_types::{EventKind, Row};

use super::record::{Payload, Stored};
use super::transaction::{Transaction, insert_event};
use super::{erasure, read, rows};
use crate::Result;
use crate::clock::to_microseconds;
use crate::journal::Line;

impl Transaction<'_> {
    /// Replays a line of the journal.
    pub(crate) fn replay(&mut self, line: &Line) -> Result<()> {
        let payload: Option<Payload<'static>> = line
            .payload
            .as_ref()
            .map(|payload| serde_json::from_str(payload.get()))
            .transpose()?;
        let stored = read::by_id(self.tables, line.memory)?;
        let row = stored.as_ref().map_or(self.next_row, |stored| stored.row);
        self.replay_state(line, stored, payload)?;
        if row == self.next_row {
            self.next_row = Row(row.0 + 1);
        }
        insert_event(&self.tables, line, row)?;
        (self.head, self.hash) = (line.seq, line.hash);
        Ok(())
    }

    fn replay_state(
        &mut self,
        line: &Line,
        stored: Option<Stored>,
        payload: Option<Payload<'static>>,
    ) -> Result<()> {
        let payload = payload.unwrap_or(Payload::NOTHING);
        let (memory, link, share, salt) =
            (payload.memory, payload.link, payload.share, payload.salt);
        match (line.kind, stored, memory, link) {
            (_, None, Some(memory), _) => {
                let hash = content_hash(&memory.content);
                rows::insert(self.tables, self.next_row, salt, hash, &memory)
            }
            (_, Some(stored), Some(memory), _) => {
                rows::keep_version(&self.tables, &stored)?;
                let hash = content_hash(&memory.content);
                rows::update(self.tables, stored.row, salt, hash, &memory)
            }
            (EventKind::Linked, Some(source), _, Some(link)) => {
                match read::by_id(self.tables, link.to)? {
                    // A link is dropped if one of its ends is empty, for example because its payload was lost.
                    Some(target) if !source.erased && !target.erased => {
                        rows::link(&self.tables, source.row, target.row, &link, line.seq)
                    }
                    _ => Ok(()),
                }
            }
            (EventKind::Shared, Some(stored), ..) if !stored.erased => match share {
                Some(space) => self.record_share(stored.row, &space, line.seq),
                None => Ok(()),
            },
            (EventKind::Withdrawn, Some(stored), ..) => match share {
                Some(space) => self.remove_share(stored.row, &space).map(|_| ()),
                None => Ok(()),
            },
            (EventKind::Unlinked, Some(source), _, Some(link)) => {
                if let Some(target) = read::by_id(self.tables, link.to)? {
                    rows::unlink(&self.tables, source.row, target.row, link.link_type)?;
                }
                Ok(())
            }
            (EventKind::Erased, Some(stored), ..) => {
                let mut borne = erasure::NameNumbers::new();
                let at = to_microseconds(line.at);
                erasure::erase(&self.tables, stored.row, salt, at, line.seq, &mut borne)?;
                erasure::erase_unused(self.tables, &borne)
            }
            // A memory whose payload was erased: its row stays taken and empty.
            (_, None, None, None) => erasure::insert_empty(
                &self.tables,
                self.next_row,
                line.memory,
                to_microseconds(line.at),
                line.seq,
            ),
            _ => Ok(()),
        }
    }
}
