//! What the guard finds in memories that are stored already, and its redaction.

use std::collections::{BTreeMap, HashMap};

use anamne_guard::Guard;
use anamne_store::{GuardConfig, Order, Replacement, StoreError, Visibility};
use anamne_types::{
    Draft, Filter, GuardNote, InvalidValue, MemberTerms, Memory, MemoryId, Right, Skipped,
    is_reserved_metadata,
};
use serde::Serialize;

use crate::Error;
use crate::maintenance::erasing::OutsideErasure;
use crate::space::Space;
use crate::write::guarding::{check_draft, notes_of, record};

/// Memories read at once.
const READ_AT_ONCE: usize = 256;

/// How often memories are redacted that others change meanwhile.
const ATTEMPTS: usize = 8;

/// A finding in a stored memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredFinding {
    /// The memory.
    pub memory: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// The earlier version that contains it; `None` for the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The field, kind, action and place.
    #[serde(flatten)]
    pub note: GuardNote,
}

/// What the guard finds in a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GuardScan {
    /// Number of memories scanned, forgotten ones included.
    pub memories: u64,
    /// Number of findings by kind.
    pub kinds: BTreeMap<String, u64>,
    /// Memories with something that the policy redacts or refuses.
    pub affected: Vec<MemoryId>,
    /// The first findings, at most [`GuardScan::MAX_FINDINGS`].
    pub findings: Vec<StoredFinding>,
    /// Memories that are damaged in both copies.
    #[serde(skip)]
    pub skipped: Skipped,
}

impl GuardScan {
    /// The most listed findings; all are counted.
    pub const MAX_FINDINGS: usize = 1_000;

    fn add(&mut self, memory: &Memory, version: Option<u32>, notes: Vec<GuardNote>) {
        let is_affected = notes.iter().any(|note| !note.makes_private());
        if is_affected && self.affected.last() != Some(&memory.id) {
            self.affected.push(memory.id);
        }
        self.list(memory, version, notes);
    }

    fn list(&mut self, memory: &Memory, version: Option<u32>, notes: Vec<GuardNote>) {
        for note in notes {
            *self.kinds.entry(note.kind.clone()).or_default() += 1;
            if self.findings.len() < Self::MAX_FINDINGS {
                self.findings.push(StoredFinding {
                    memory: memory.id,
                    citation: memory.citation(),
                    version,
                    note,
                });
            }
        }
    }
}

/// The result of redacting stored memories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GuardRedaction {
    /// Each erased memory, with its redacted copy.
    pub replaced: Vec<(MemoryId, MemoryId)>,
    /// The result of the erasure outside the space.
    pub erasure: OutsideErasure,
    /// Copies that could not be made members of a space that had their original.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_shared: Vec<NotShared>,
}

/// A redacted copy that is no member of a space that had its original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotShared {
    /// The copy.
    pub memory: MemoryId,
    /// The space.
    pub space: String,
    /// The reason.
    pub reason: String,
}

impl Space {
    /// Scans every memory and its earlier versions for what the guard's policy doesn't allow. Writes nothing. O(log).
    ///
    /// A memory's links are scanned with it: the reasons of those that start there. The text of members is scanned in
    /// their home, their tags and metadata here; these are found, but not redacted: remove the member.
    pub fn guard_scan(&self) -> Result<GuardScan, Error> {
        let guard = self.inner.guard.get(&self.config().guard)?;
        let mut scan = GuardScan::default();
        let mut of_links = self.scan_links(&guard)?;
        let ids = self.select(&Filter::default(), Visibility::Both, Order::OldestFirst)?;
        for some in ids.chunks(READ_AT_ONCE) {
            let memories = self.inner.source.get_undamaged(some, &mut scan.skipped)?;
            for memory in memories {
                if memory.is_member() {
                    let notes = notes_of_member(&guard, &memory);
                    scan.list(&memory, None, notes);
                    continue;
                }
                scan.memories += 1;
                let mut notes = notes_of_memory(&guard, &memory);
                if memory.version > 1 {
                    self.scan_history(&guard, &memory, &notes, &mut scan)?;
                }
                notes.extend(of_links.remove(&memory.id).unwrap_or_default());
                scan.add(&memory, None, notes);
            }
        }
        Ok(scan)
    }

    /// What the reasons of links contain, by the memory at which the link starts.
    fn scan_links(&self, guard: &Guard) -> Result<HashMap<MemoryId, Vec<GuardNote>>, Error> {
        let mut found = HashMap::<_, Vec<_>>::new();
        for mut link in self.inner.source.links_with_damage()?.0 {
            let notes = notes_of(guard, |visit| link.visit_texts(visit));
            if !notes.is_empty() {
                found.entry(link.from).or_default().extend(notes);
            }
        }
        Ok(found)
    }

    /// Adds what earlier versions contain and the current one doesn't.
    fn scan_history(
        &self,
        guard: &Guard,
        memory: &Memory,
        current: &[GuardNote],
        scan: &mut GuardScan,
    ) -> Result<(), Error> {
        for state in self.history(memory.id)? {
            let earlier = state.memory.filter(|_| state.version < memory.version);
            if let Some(earlier) = earlier {
                let mut notes = notes_of_memory(guard, &earlier);
                notes.retain(|note| !current.contains(note));
                scan.add(memory, Some(state.version), notes);
            }
        }
        Ok(())
    }

    /// Replaces each of these memories by a redacted copy, and erases the original from every file, view and reachable
    /// backup, like [`Space::erase_all`]. A memory that is changed meanwhile is redacted as it is then. Links, thread, times
    /// and status are kept, other memories that name the original name the copy, and spaces that had the original as a
    /// member get the copy. The id changes, and the history and the external id are erased with the original. What the
    /// policy would refuse is redacted. May be repeated after a failure, also with no memories, which completes what is left
    /// of earlier erasures. Members are refused: their text is redacted in their home.
    pub fn guard_redact(&self, ids: &[MemoryId]) -> Result<GuardRedaction, Error> {
        self.require(Right::Erase)?;
        let mut shares = Vec::new();
        for &id in ids {
            let memory = self.inner.source.get(id)?;
            if let Some(member) = &memory.member {
                let accepts = "a memory whose home is this space";
                return Err(InvalidValue::new("memory", accepts, &member.home).into());
            }
            // Other spaces don't show a forgotten memory.
            if memory.deleted_at.is_none() {
                shares.extend(self.shares_of(id)?);
            }
        }
        if ids.is_empty() {
            return Ok(GuardRedaction {
                erasure: self.finish_erasures()?,
                ..GuardRedaction::default()
            });
        }
        let mut copies = HashMap::new();
        let begin = || self.begin_redaction(ids, &mut copies);
        let mut erasure = self.erase_begun_by(begin, ids, &mut self.inner.seen())?;
        self.erase_copies(ids, &mut erasure);
        self.after_write();
        let not_shared = self.share_copies(shares, &copies);
        let replaced = ids.iter().filter_map(|id| Some((*id, *copies.get(id)?)));
        Ok(GuardRedaction {
            replaced: replaced.collect(),
            erasure,
            not_shared,
        })
    }

    /// Replaces the memories in transactions of some hundred, those that changed meanwhile again.
    fn begin_redaction(
        &self,
        ids: &[MemoryId],
        copies: &mut HashMap<MemoryId, MemoryId>,
    ) -> Result<(), Error> {
        let config = &self.config().guard;
        let redacting = GuardConfig {
            actions: config.actions.clone().without_refusal(),
            ..config.clone()
        };
        let guard = redacting.guard()?;
        // Nothing is refused.
        let reason = |text: &str| {
            guard
                .check(text)
                .map_or_else(|_| String::new(), |checked| checked.text.into_owned())
        };
        let mut left = ids.to_vec();
        for _ in 0..ATTEMPTS {
            for page in left.chunks(READ_AT_ONCE) {
                let memories = self.inner.source.get_each(page)?;
                let replacements = memories.iter().map(|memory| replacement(&guard, memory));
                let replacements: Vec<_> = replacements.collect::<Result<_, _>>()?;
                let source = &self.inner.source;
                copies.extend(source.begin_replacing(self.actor(), &replacements, &reason)?);
            }
            let there = self.inner.source.get_each(&left)?;
            left = there.into_iter().map(|memory| memory.id).collect();
            if left.is_empty() {
                return Ok(());
            }
        }
        let id = left[0];
        let state = "is changed again and again; redact it once nobody writes to it";
        Err(StoreError::State { id, state }.into())
    }

    /// The spaces of which a memory is a member, as far as the caller may write them, and what they say of it.
    fn shares_of(&self, id: MemoryId) -> Result<Vec<(MemoryId, String, MemberTerms)>, Error> {
        let mut shares = Vec::new();
        for name in self.spaces_with(id)? {
            let member = self.store.existing_space(&name)?.get(id)?;
            let relevance = member.member.as_ref().map(|member| member.relevance);
            let mut metadata = member.metadata;
            metadata.retain(|name, _| !is_reserved_metadata(name));
            let terms = MemberTerms {
                relevance,
                tags: member.tags,
                metadata,
            };
            shares.push((id, name, terms));
        }
        Ok(shares)
    }

    /// Makes the copies members of the spaces that had their originals; returns what failed.
    fn share_copies(
        &self,
        shares: Vec<(MemoryId, String, MemberTerms)>,
        copies: &HashMap<MemoryId, MemoryId>,
    ) -> Vec<NotShared> {
        let mut failed = Vec::new();
        for (original, space, terms) in shares {
            let Some(&memory) = copies.get(&original) else {
                continue;
            };
            let added = self
                .store
                .add_members(self.name(), &[memory], &space, &terms);
            if let Err(error) = added {
                let reason = error.to_string();
                failed.push(NotShared {
                    memory,
                    space,
                    reason,
                });
            }
        }
        failed
    }
}

/// The redacted copy of a memory.
fn replacement(guard: &Guard, memory: &Memory) -> Result<Replacement, InvalidValue> {
    let mut draft = Draft {
        external_id: None,
        ..draft_of(memory)
    };
    draft.metadata.remove(GuardNote::KEY);
    let notes = check_draft(guard, &mut draft)?;
    record(&mut draft.metadata, &notes);
    Ok(Replacement {
        original: memory.id,
        version: memory.version,
        draft,
    })
}

fn notes_of_memory(guard: &Guard, memory: &Memory) -> Vec<GuardNote> {
    let mut draft = draft_of(memory);
    draft.metadata.remove(GuardNote::KEY);
    notes_of(guard, |visit| draft.visit_texts(visit))
}

/// What the guard finds in a space's own tags and metadata of a member.
fn notes_of_member(guard: &Guard, member: &Memory) -> Vec<GuardNote> {
    let mut draft = Draft {
        tags: member.tags.clone(),
        metadata: member.metadata.clone(),
        ..Draft::new("")
    };
    draft.metadata.remove(GuardNote::KEY);
    notes_of(guard, |visit| draft.visit_texts(visit))
}

/// A draft with a memory's fields.
fn draft_of(memory: &Memory) -> Draft {
    Draft {
        content: memory.content.clone(),
        body: memory.body.clone(),
        thread: memory.thread.clone(),
        position: memory.position,
        session: memory.session.clone(),
        author: memory.author.clone(),
        trust: Some(memory.trust),
        importance: Some(memory.importance),
        confidence: Some(memory.confidence),
        tags: memory.tags.clone(),
        metadata: memory.metadata.clone(),
        external_id: memory.external_id.clone(),
        occurred_at: Some(memory.occurred_at),
        expires_at: memory.expires_at,
    }
}
