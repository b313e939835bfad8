//! Moves memories between spaces of a store: splits a space, or joins two.

use std::collections::{HashMap, HashSet};

use anamne_store::{
    ImportItem, KnownProject, LogQuery, Order, Origin, SpaceName, StoreError, Visibility,
};
use anamne_types::{
    Draft, EventKind, Filter, InvalidValue, Limits, Link, Memory, MemoryId, NextStep, Right, Row,
    Seq, Skipped, check_leaves_home,
};
use serde::Serialize;

use crate::Error;
use crate::maintenance::export::named_ends;
use crate::space::Space;
use crate::store::Store;

/// Memories per transaction: so few that other writers wait only milliseconds.
const BATCH: usize = 512;

/// A selection of a space's memories.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Memories that match this filter.
    pub filter: Filter,
    /// Memories first written by one of these actors, by their names in the log; empty for any.
    pub actors: Vec<String>,
}

/// The result of a transfer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Transfer {
    /// The source space.
    pub from: String,
    /// The target space.
    pub into: String,
    /// Selected memories, including forgotten ones.
    pub chosen: u64,
    /// Those of them that the target space did not have yet.
    pub copied: u64,
    /// Those of them that are unchanged in the target space, and forgotten in the source space.
    pub moved: u64,
    /// Links created in the target space.
    pub links: u64,
    /// Links between moved and other memories; they stay in the source space.
    pub links_left: u64,
    /// Memories that were not moved, with the reasons.
    pub kept: Vec<NotMoved>,
    /// Links that could not be created, by their ends; they stay in the source space.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub links_kept: Skipped,
}

/// A memory that was not moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotMoved {
    /// Its id.
    pub memory: MemoryId,
    /// The reason.
    pub reason: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
}

impl NotMoved {
    fn because(memory: MemoryId, error: &StoreError) -> Self {
        Self {
            memory,
            reason: error.to_string(),
            next_step: error.next_step(),
        }
    }
}

impl Store {
    /// The number of memories that [`Store::split_space`] would move. Changes nothing.
    pub fn count_split(&self, from: &str, selection: &Selection) -> Result<u64, Error> {
        let from = self.existing_space(from)?;
        Ok(from.chosen(selection)?.len() as u64)
    }

    /// Moves selected memories from one space to another, which is created if missing.
    ///
    /// Each memory is copied with its id, times and status, verified by comparison, and then forgotten in the source
    /// space, where it can be restored. Its earlier versions and events stay there. Links between moved memories are
    /// created in the target space. An interrupted transfer can be repeated. Of a private space, memories move only to a
    /// private one; of one that is private to a principal (`~ada`), only to one of the same. [`StoreError::Busy`] while another transfer from the space runs.
    pub fn split_space(
        &self,
        from: &str,
        into: &str,
        selection: &Selection,
        progress: &mut dyn FnMut(&Transfer),
    ) -> Result<Transfer, Error> {
        self.require(Right::Configure)?;
        let (from, into) = self.two_spaces(from, into)?;
        let lock = from.source().transfer_lock();
        let _guard = lock.acquire()?;
        let chosen = from.chosen(selection)?;
        ActiveTransfer::between(&from, &into).all(&chosen, progress)
    }

    /// Joins two spaces: moves all memories of `from` into `into`, as [`Store::split_space`] does, and assigns the
    /// folders of its project to `into`. `from` stays, with its memories forgotten.
    pub fn join_spaces(
        &self,
        from: &str,
        into: &str,
        progress: &mut dyn FnMut(&Transfer),
    ) -> Result<Transfer, Error> {
        self.require(Right::Configure)?;
        let refuse = |name: &str| {
            let accepts = "a project's space; core, all, auto and demo belong to no project";
            Err(InvalidValue::new("space", accepts, name).into())
        };
        for name in [from, into] {
            if name.parse::<SpaceName>()?.is_reserved() {
                return refuse(name);
            }
        }
        self.existing_space(into)?;
        let (from, into) = self.two_spaces(from, into)?;
        let lock = from.source().transfer_lock();
        let _guard = lock.acquire()?;
        let everything = Selection::default();
        let first =
            ActiveTransfer::between(&from, &into).all(&from.chosen(&everything)?, progress)?;
        let now = from.now();
        let names = (from.source().name(), into.source().name());
        self.folder.join_projects(names.0, names.1, now)?;
        // Memories written meanwhile.
        let live = from.select(&Filter::default(), Visibility::Live, Order::OldestFirst)?;
        let rest = live.into_iter().filter(|id| {
            let mut kept = first.kept.iter();
            !kept.any(|kept| kept.memory == *id)
        });
        let second =
            ActiveTransfer::between(&from, &into).all(&rest.collect::<Vec<_>>(), progress)?;
        let mut links_kept = first.links_kept;
        links_kept.append(second.links_kept.clone());
        Ok(Transfer {
            links_kept,
            chosen: first.chosen + second.chosen,
            copied: first.copied + second.copied,
            moved: first.moved + second.moved,
            links: first.links + second.links,
            links_left: 0,
            kept: first.kept.into_iter().chain(second.kept).collect(),
            ..second
        })
    }

    /// The spaces that have a project, sorted by name.
    pub fn projects(&self) -> Result<Vec<KnownProject>, Error> {
        let mut projects = self.folder.projects()?;
        projects.retain(|project| self.scope.may_read(project.space.as_str()));
        Ok(projects)
    }

    /// Spaces that earlier versions may have shared between projects, and that no person has confirmed yet.
    pub fn shared_spaces(&self) -> Result<Vec<SpaceName>, Error> {
        let mut spaces = self.folder.shared_spaces()?;
        spaces.retain(|space| self.scope.may_read(space.as_str()));
        Ok(spaces)
    }

    /// Records that a person has checked that a space contains no memories of other projects.
    pub fn settle_shared(&self, space: &str) -> Result<(), Error> {
        self.require(Right::Configure)?;
        let space = self.existing_space(space)?;
        let source = space.source();
        Ok(self.folder.settle_shared(source.name(), source.now())?)
    }

    fn two_spaces(&self, from: &str, into: &str) -> Result<(Space, Space), Error> {
        let from = self.existing_space(from)?;
        let target: SpaceName = into.parse()?;
        if *from.source().name() == target {
            return Err(InvalidValue::new("space", "two different spaces", from.name()).into());
        }
        check_leaves_home("space", from.name(), into)?;
        if from.config().guard.private {
            let accepts = "a private space, as the one that the memories are in; \
                           make it private first";
            let is_private = |space: Space| space.config().guard.private;
            if !self.existing_space(into).is_ok_and(is_private) {
                return Err(InvalidValue::new("space", accepts, into).into());
            }
        }
        Ok((from, self.space(into)?))
    }
}

impl Space {
    /// The ids of all selected memories, including forgotten ones, oldest first.
    fn chosen(&self, selection: &Selection) -> Result<Vec<MemoryId>, Error> {
        selection.filter.check()?;
        let mut ids = self.select(&selection.filter, Visibility::Both, Order::OldestFirst)?;
        if !selection.actors.is_empty() {
            let stored = self.first_written_by(&selection.actors)?;
            ids.retain(|id| stored.contains(id));
        }
        Ok(ids)
    }

    fn first_written_by(&self, actors: &[String]) -> Result<HashSet<MemoryId>, Error> {
        let mut stored = HashSet::new();
        let mut query = LogQuery {
            actor_names: actors.to_vec(),
            kinds: vec![EventKind::Remembered],
            oldest_first: true,
            limit: Limits::RESULTS,
            ..LogQuery::default()
        };
        loop {
            let page = self.log(&query)?;
            stored.extend(page.iter().map(|entry| entry.event.memory));
            if page.len() < query.limit {
                return Ok(stored);
            }
            query.offset += page.len();
        }
    }
}

/// A transfer in progress.
struct ActiveTransfer<'a> {
    from: &'a Space,
    into: &'a Space,
    done: Transfer,
    /// The ids of the memories in the target space.
    arrived: HashMap<MemoryId, MemoryId>,
}

impl<'a> ActiveTransfer<'a> {
    fn between(from: &'a Space, into: &'a Space) -> Self {
        Self {
            from,
            into,
            done: Transfer {
                from: from.name().to_owned(),
                into: into.name().to_owned(),
                ..Transfer::default()
            },
            arrived: HashMap::new(),
        }
    }

    fn all(
        mut self,
        ids: &[MemoryId],
        progress: &mut dyn FnMut(&Transfer),
    ) -> Result<Transfer, Error> {
        self.done.chosen = ids.len() as u64;
        for page in ids.chunks(BATCH) {
            self.copy(page)?;
            progress(&self.done);
        }
        self.draw_links()?;
        // Only after everything is copied: an interruption leaves both copies.
        for page in ids.chunks(BATCH) {
            self.forget(page)?;
            progress(&self.done);
        }
        Ok(self.done)
    }

    fn copy(&mut self, page: &[MemoryId]) -> Result<(), Error> {
        let (memories, damaged) = self.from.source().get_with_damage(page)?;
        for (memory, error) in damaged {
            self.done.kept.push(NotMoved::because(memory, &error));
        }
        let mut moving = Vec::with_capacity(memories.len());
        for memory in memories {
            match self.shared_with(&memory)? {
                None => moving.push(memory),
                Some(reason) => {
                    let kept = NotMoved {
                        memory: memory.id,
                        reason,
                        next_step: None,
                    };
                    self.keep(&memory, kept);
                }
            }
        }
        let memories = moving;
        let arrivals: Vec<_> = memories.iter().map(arrival).collect();
        for (memory, outcome) in memories.iter().zip(self.into.take_in(&arrivals)?.outcomes) {
            match outcome {
                Ok(taken) => {
                    self.done.copied += u64::from(!taken.duplicate);
                    self.arrived.insert(memory.id, taken.id);
                }
                Err(error) => self.keep(memory, NotMoved::because(memory.id, &error)),
            }
        }
        Ok(())
    }

    /// Why a memory can't move without the spaces that share it; `None` if there are none.
    fn shared_with(&self, memory: &Memory) -> Result<Option<String>, Error> {
        if let Some(member) = &memory.member {
            let home = &member.home;
            return Ok(Some(format!(
                "it is a member here, and its home is {home}; add it to the other space from there"
            )));
        }
        let is_shared = !self.from.source().spaces_with(memory.id)?.is_empty();
        let spaces = self.from.spaces_with(memory.id)?;
        let where_else = if spaces.is_empty() {
            "other spaces".to_owned()
        } else {
            spaces.join(", ")
        };
        Ok(is_shared.then(|| format!("it is a member of {where_else}; remove it there first")))
    }

    /// Records that a memory stays, unless it is forgotten.
    fn keep(&mut self, memory: &Memory, kept: NotMoved) {
        if memory.deleted_at.is_none() {
            self.done.kept.push(kept);
        }
    }

    fn draw_links(&mut self) -> Result<(), Error> {
        let mut links = Vec::new();
        let (sound, damaged) = self.from.source().links_with_damage()?;
        for (link, error) in damaged {
            if self.arrived.contains_key(&link.from) && self.arrived.contains_key(&link.to) {
                let ends = named_ends(&link);
                self.done.links_kept.add(ends, &error, error.next_step());
            }
        }
        for link in sound {
            match (self.arrived.get(&link.from), self.arrived.get(&link.to)) {
                (Some(&from), Some(&to)) if from != to => links.push(Link { from, to, ..link }),
                (None, None) | (Some(_), Some(_)) => {}
                _ => self.done.links_left += 1,
            }
        }
        for batch in links.chunks(BATCH) {
            for (link, drawn) in batch.iter().zip(self.into.take_links(batch)?.outcomes) {
                match drawn {
                    Ok(new) => self.done.links += u64::from(new),
                    Err(error) => {
                        let ends = named_ends(link);
                        self.done.links_kept.add(ends, &error, error.next_step());
                    }
                }
            }
        }
        Ok(())
    }

    /// Forgets the memories of a page that are equal in the target space.
    fn forget(&mut self, page: &[MemoryId]) -> Result<(), Error> {
        let arrived: Vec<_> = page
            .iter()
            .filter_map(|id| self.arrived.get(id).copied())
            .collect();
        let there: HashMap<_, _> = self
            .into
            .source()
            .get_with_damage(&arrived)?
            .0
            .into_iter()
            .map(|memory| (memory.id, memory))
            .collect();
        let mut moved = Vec::new();
        for memory in self.from.source().get_with_damage(page)?.0 {
            let Some(arrived) = self.arrived.get(&memory.id) else {
                continue;
            };
            if memory.deleted_at.is_some() {
                continue;
            }
            match there.get(arrived) {
                Some(there) if is_same_content(&memory, there) => moved.push(memory.id),
                _ => {
                    let reason = "changed or damaged in the other space since it was copied";
                    let kept = NotMoved {
                        memory: memory.id,
                        reason: reason.to_owned(),
                        next_step: None,
                    };
                    self.keep(&memory, kept);
                }
            }
        }
        match self.from.forget_all(&moved) {
            Ok(_) => self.done.moved += moved.len() as u64,
            // One of them was changed meanwhile.
            Err(Error::Store(error)) if error.is_of_one_memory() => {
                for id in moved {
                    self.forget_one(id)?;
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn forget_one(&mut self, memory: MemoryId) -> Result<(), Error> {
        match self.from.forget_all(&[memory]) {
            Ok(_) => self.done.moved += 1,
            Err(Error::Store(error)) if error.is_of_one_memory() => {
                self.done.kept.push(NotMoved::because(memory, &error));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn arrival(memory: &Memory) -> ImportItem {
    let Memory {
        id,
        body,
        content,
        thread,
        position,
        session,
        author,
        trust,
        importance,
        confidence,
        tags,
        metadata,
        external_id,
        occurred_at,
        created_at,
        updated_at,
        expires_at,
        deleted_at,
        superseded_by,
        ..
    } = memory.clone();
    let draft = Draft {
        content,
        body,
        thread,
        position,
        session,
        author,
        trust: Some(trust),
        importance: Some(importance),
        confidence: Some(confidence),
        tags,
        metadata,
        external_id,
        occurred_at: Some(occurred_at),
        expires_at,
    };
    let origin = Origin {
        id,
        created_at,
        updated_at,
        deleted_at,
        superseded_by,
    };
    ImportItem {
        origin: Some(origin),
        ..ImportItem::new(draft)
    }
}

/// Whether two memories are equal except for fields that the store sets. A memory that existed under the same external
/// id may have another id.
fn is_same_content(one: &Memory, other: &Memory) -> bool {
    let stored = |memory: &Memory| Memory {
        id: one.id,
        row: Row(0),
        space: String::new(),
        seq: Seq(0),
        version: 0,
        created_at: one.created_at,
        updated_at: one.updated_at,
        deleted_at: None,
        superseded_by: None,
        ..memory.clone()
    };
    other.deleted_at.is_none() && stored(one) == stored(other)
}
