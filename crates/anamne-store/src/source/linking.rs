//! Creates and removes links.

use anamne_types::{EventKind, Link, LinkType, Memory, MemoryId, Row, Seq};

use super::known_links::removed_link;
use super::link::between;
use super::record::{Payload, Stored};
use super::remember::plain_zero;
use super::rows;
use super::transaction::Transaction;
use crate::Result;
use crate::clock::cut;

impl Transaction<'_> {
    /// Creates a link. A `supersedes` link also marks its target as superseded.
    pub(crate) fn link(&mut self, link: &Link) -> Result<Seq> {
        let link = Link {
            created_at: self.now,
            weight: plain_zero(link.weight),
            ..link.clone()
        };
        let (source, target) = (self.live(link.from)?, self.live(link.to)?);
        if link.link_type == LinkType::Supersedes {
            self.check_successor(link.to, link.from)?;
        }
        let seq = self.draw(&source, target.row, &link)?;
        if link.link_type == LinkType::Supersedes && target.memory.superseded_by != Some(link.from)
        {
            self.supersede(&target, Some(link.from))?;
        }
        Ok(seq)
    }

    /// Creates a link as exported by another store, between memories that may be forgotten; returns whether it changed
    /// anything. Only the link changes.
    pub(crate) fn take_link(&mut self, link: &Link) -> Result<bool> {
        let link = Link {
            created_at: cut(link.created_at),
            weight: plain_zero(link.weight),
            ..link.clone()
        };
        let (source, target) = (self.present(link.from)?, self.present(link.to)?);
        let there = between(&self.tables, source.row, target.row, link.link_type)?;
        if there.as_ref() == Some(&link) {
            return Ok(false);
        }
        self.draw(&source, target.row, &link)?;
        Ok(true)
    }

    /// Removes a link; returns whether it existed.
    pub(crate) fn unlink(
        &mut self,
        from: MemoryId,
        to: MemoryId,
        link_type: LinkType,
    ) -> Result<bool> {
        let (source, target) = (self.present(from)?, self.present(to)?);
        if !rows::unlink(&self.tables, source.row, target.row, link_type)? {
            return Ok(false);
        }
        let link = removed_link(from, to, link_type, self.now);
        let payload = Payload::of_link(source.salt, &link);
        self.log(EventKind::Unlinked, source.row, from, &payload)?;
        if link_type == LinkType::Supersedes && target.memory.superseded_by == Some(from) {
            self.supersede(&target, None)?;
        }
        Ok(true)
    }

    /// Writes and logs a link; returns its event.
    fn draw(&mut self, source: &Stored, target: Row, link: &Link) -> Result<Seq> {
        let seq = self.next_seq();
        rows::link(&self.tables, source.row, target, link, seq)?;
        let payload = Payload::of_link(source.salt, link);
        self.log(EventKind::Linked, source.row, link.from, &payload)?;
        Ok(seq)
    }

    fn supersede(&mut self, stored: &Stored, superseded_by: Option<MemoryId>) -> Result<Memory> {
        let memory = Memory {
            superseded_by,
            ..stored.memory.clone()
        };
        self.change(stored, memory, EventKind::Edited)
    }
}
