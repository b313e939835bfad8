//! Stores imported records: batch by batch, and the links at the end.

use std::collections::HashSet;

use anamne_store::{ImportItem, KnownLink, KnownLinks, StoreError};
use anamne_text::echo::shorten_values;
use anamne_types::{Draft, Link, LinkType, MemoryId, Remembered};

use super::record::ImportedLink;
use super::updates::Compared;
use super::{
    BadLine, BadLines, ImportOptions, ImportReport, LineOutcome, MOST_LISTED, RewordedLine,
};
use crate::Error;
use crate::derived::imports::FoundNotes;
use crate::space::Space;
use crate::write::admission::{Claims, IMPORT_TRUST, without_authority};
use crate::write::batch_size::{BatchContents, BatchSize};
use crate::write::quality::check_quality;

/// The position of a record in an import.
#[derive(Clone, Debug)]
pub(super) struct RecordPosition {
    /// Its number, from 1.
    pub(super) line: u64,
    /// Its file, if it has its own.
    pub(super) file: Option<String>,
}

impl RecordPosition {
    pub(super) fn bad(&self, reason: impl Into<String>) -> BadLine {
        BadLine {
            line: self.line,
            file: self.file.clone(),
            reason: shorten_values(&reason.into()).into_owned(),
            stored: false,
            next_step: None,
        }
    }

    pub(super) fn failed(&self, error: &StoreError) -> BadLine {
        BadLine {
            next_step: error.next_step(),
            ..self.bad(error.to_string())
        }
    }
}

/// An import in progress.
pub(super) struct ImportWriter<'a> {
    pub(super) space: &'a Space,
    pub(super) options: ImportOptions,
    progress: &'a mut dyn FnMut(&ImportReport),
    /// Told what comes of each line.
    outcome: Option<&'a mut dyn FnMut(LineOutcome)>,
    /// The results so far.
    pub(super) report: ImportReport,
    batch: Vec<PendingRecord>,
    filled: BatchContents,
    size: BatchSize,
    /// The spaces that can verify claims; read on first use.
    vouchers: Option<Vec<Space>>,
    /// Links whose target may not exist yet.
    links: Vec<PendingLink>,
    /// What the store knows of the links of the memory whose link was drawn last.
    known_links: Option<KnownLinks>,
    /// The ends and types of the links that this import has drawn or compared.
    compared_links: HashSet<(MemoryId, MemoryId, LinkType)>,
    /// The memories that were stored or compared with a record, if the import updates.
    pub(super) compared: HashSet<MemoryId>,
    /// The notes of a folder, by what came of them.
    found: FoundNotes,
}

struct PendingRecord {
    place: RecordPosition,
    arrival: ImportItem,
    /// The claims that were removed from it.
    unproven: Claims,
    links: Vec<ImportedLink>,
}

struct PendingLink {
    place: RecordPosition,
    from: MemoryId,
    /// Whether it comes from an export, and is restored as it was there.
    returns: bool,
    link: ImportedLink,
}

impl<'a> ImportWriter<'a> {
    pub(super) fn new(
        space: &'a Space,
        options: ImportOptions,
        progress: &'a mut dyn FnMut(&ImportReport),
    ) -> Self {
        Self {
            space,
            options,
            progress,
            outcome: None,
            report: ImportReport::default(),
            batch: Vec::new(),
            filled: BatchContents::default(),
            size: BatchSize::default(),
            vouchers: None,
            links: Vec::new(),
            known_links: None,
            compared_links: HashSet::new(),
            compared: HashSet::new(),
            found: FoundNotes::default(),
        }
    }

    /// Tells `outcome` what comes of each line; the report then lists only the first bad lines.
    pub(super) fn telling(mut self, outcome: Option<&'a mut dyn FnMut(LineOutcome)>) -> Self {
        self.outcome = outcome;
        self
    }

    /// Adds a record that was read from `bytes` bytes; first stores the batch if the record doesn't fit.
    pub(super) fn take(
        &mut self,
        place: RecordPosition,
        bytes: usize,
        arrival: ImportItem,
        links: Vec<ImportedLink>,
    ) -> Result<(), Error> {
        let (arrival, unproven) = self.weighed(arrival)?;
        let Some(arrival) = self.guarded(&place, arrival)? else {
            return Ok(());
        };
        if !self.size.has_room(self.filled, bytes) {
            self.store()?;
            (self.progress)(&self.report);
        }
        self.filled.records += 1;
        self.filled.bytes += bytes;
        self.batch.push(PendingRecord {
            place,
            arrival,
            unproven,
            links,
        });
        Ok(())
    }

    /// Removes a record's claims, unless the import is trusted or this store has the same memory; returns those removed.
    fn weighed(&mut self, mut arrival: ImportItem) -> Result<(ImportItem, Claims), Error> {
        if self.options.trusted {
            return Ok((arrival, Claims::default()));
        }
        let claims = Claims::of(&arrival.draft);
        if let (false, Some(origin)) = (claims.is_empty(), &arrival.origin)
            && self.is_vouched_for(origin.id, &arrival.draft)?
        {
            return Ok((arrival, Claims::default()));
        }
        let highest = IMPORT_TRUST.min(self.space.actor().default_trust());
        without_authority(&mut arrival.draft, highest);
        Ok((arrival, claims))
    }

    fn count_unproven(&mut self, claims: Claims) {
        let unproven = &mut self.report.unproven;
        unproven.trust += u64::from(claims.trust);
        unproven.importance += u64::from(claims.importance);
        unproven.metadata += u64::from(claims.metadata);
    }

    /// Redacts and marks a record, and counts what was found; skips it if the guard refuses it.
    fn guarded(
        &mut self,
        place: &RecordPosition,
        mut arrival: ImportItem,
    ) -> Result<Option<ImportItem>, Error> {
        let intake = &self.space.config().intake;
        let mut accepted = intake.check_kind(arrival.draft.body.kind());
        if !self.is_restored(&arrival) {
            accepted = accepted.and_then(|()| check_quality(intake, &arrival.draft));
        }
        if let Err(refused) = accepted {
            self.skip_record(place, &refused.to_string())?;
            return Ok(None);
        }
        let file = place.file.as_deref();
        if file.is_some_and(|file| self.space.config().guard.skips(file)) {
            return Ok(Some(arrival));
        }
        let checked = self.space.guarded(&arrival.draft);
        let (draft, notes) = match checked.map(|(draft, notes)| (draft.into_owned(), notes)) {
            Ok(checked) => checked,
            Err(refused) => {
                self.skip_record(place, &refused.to_string())?;
                return Ok(None);
            }
        };
        arrival.draft = draft;
        for note in notes {
            self.report.guard.add(place.line, file, note);
        }
        Ok(Some(arrival))
    }

    /// Whether a trusted import restores a memory of an export: as it was there, whatever this space accepts now.
    fn is_restored(&self, arrival: &ImportItem) -> bool {
        self.options.trusted && arrival.origin.is_some()
    }

    fn is_vouched_for(&mut self, id: MemoryId, draft: &Draft) -> Result<bool, Error> {
        if self.vouchers.is_none() {
            self.vouchers = Some(self.space.verifying_spaces()?);
        }
        // An unreadable space verifies nothing: the import then loses its claim, which is counted.
        let mut vouchers = self.vouchers.iter().flatten();
        Ok(vouchers.any(|space| space.verifies_claims(id, draft).unwrap_or(false)))
    }

    /// Records an unreadable record. With [`BadLines::Stop`], stores the records before it and ends the import.
    pub(super) fn skip_record(
        &mut self,
        place: &RecordPosition,
        reason: &str,
    ) -> Result<(), Error> {
        if self.options.bad_lines == BadLines::Stop {
            self.store()?;
        }
        self.refuse(place.bad(self.space.guarded_text(reason)))
    }

    /// Stores the rest, creates the links, and returns the report.
    pub(super) fn finish(mut self) -> Result<ImportReport, Error> {
        self.finish_records()?;
        Ok(self.report)
    }

    /// Stores the rest and creates the links.
    pub(super) fn finish_records(&mut self) -> Result<(), Error> {
        self.store()?;
        (self.progress)(&self.report);
        self.draw_links()
    }

    /// The report, and what notes became, also those before an error.
    pub(super) fn into_found(self) -> (ImportReport, FoundNotes) {
        (self.report, self.found)
    }

    fn refuse(&mut self, bad: BadLine) -> Result<(), Error> {
        self.found.skipped.extend(bad.file.clone());
        if let Some(outcome) = &mut self.outcome {
            outcome(LineOutcome::refused(&bad));
        }
        if self.options.bad_lines == BadLines::Skip {
            if self.outcome.is_none() || self.report.bad.len() < MOST_LISTED {
                self.report.bad.push(bad);
            }
            return Ok(());
        }
        let taken = Box::new(self.report.clone());
        let BadLine {
            line,
            file,
            reason,
            stored,
            next_step,
        } = bad;
        Err(match file {
            Some(file) => Error::BadNote {
                file,
                reason,
                stored,
                next_step,
                taken,
            },
            None => Error::BadLine {
                line,
                reason,
                stored,
                next_step,
                taken,
            },
        })
    }

    /// Stores the batch in one transaction and empties it.
    fn store(&mut self) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let trusted = self.options.trusted;
        let filled = std::mem::take(&mut self.filled);
        let mut arrivals = Vec::with_capacity(self.batch.len());
        let mut rest = Vec::with_capacity(self.batch.len());
        for waiting in self.batch.drain(..) {
            rest.push((
                waiting.place,
                waiting.arrival.origin.is_some(),
                waiting.unproven,
                waiting.links,
            ));
            arrivals.push(waiting.arrival);
        }
        let mut refused = Vec::new();
        let stored = self.space.take_in(&arrivals)?;
        self.size.learn(filled, stored.held);
        let outcomes = stored.outcomes.into_iter().zip(&arrivals);
        for ((place, returns, unproven, links), (outcome, arrival)) in
            rest.into_iter().zip(outcomes)
        {
            let from = match outcome {
                Ok(taken) => {
                    if trusted
                        && taken.duplicate
                        && let Err(error) = self.space.apply_claims(taken.id, &arrival.draft)
                    {
                        refused.push(place.failed(&of_one_memory(error)?));
                    }
                    if !self.updates_known(arrival, &taken) {
                        if self.options.updates {
                            self.compared.insert(taken.id);
                        }
                        self.count_stored(&place, &taken);
                    } else if let Err(bad) = self.bring_up_to_date(&place, taken.id, arrival)? {
                        refused.push(bad);
                        continue;
                    }
                    if !self.is_restored(arrival) {
                        self.note_rewording(&place, &taken);
                    }
                    taken.id
                }
                Err(StoreError::WasErased { id }) => {
                    self.count_erased(&place, id);
                    continue;
                }
                Err(StoreError::Conflict { id, .. }) if self.options.updates => {
                    if let Err(bad) = self.bring_up_to_date(&place, id, arrival)? {
                        refused.push(bad);
                        continue;
                    }
                    id
                }
                Err(error) => {
                    refused.push(Self::refused(&place, &error));
                    continue;
                }
            };
            self.count_unproven(unproven);
            if let Some(note) = &place.file {
                self.found.memories.insert(from, note.clone());
            }
            let pending = |link| PendingLink {
                place: place.clone(),
                from,
                returns,
                link,
            };
            self.links.extend(links.into_iter().map(pending));
        }
        refused.into_iter().try_for_each(|bad| self.refuse(bad))
    }

    fn count_stored(&mut self, place: &RecordPosition, taken: &Remembered) {
        if let Some(outcome) = &mut self.outcome {
            outcome(LineOutcome::stored(place.line, taken));
        }
        self.report.imported += u64::from(!taken.duplicate);
        self.report.known += u64::from(taken.duplicate);
    }

    fn count_erased(&mut self, place: &RecordPosition, id: MemoryId) {
        if let Some(outcome) = &mut self.outcome {
            outcome(LineOutcome::known(place.line, id, false));
        }
        self.report.known += 1;
        self.report.erased += 1;
    }

    /// Whether a record names a known memory, which it may describe anew.
    fn updates_known(&self, arrival: &ImportItem, taken: &Remembered) -> bool {
        let names_it = arrival.origin.is_some() || arrival.draft.external_id.is_some();
        self.options.updates && taken.duplicate && names_it
    }

    /// Edits a known memory if its record says something else, and counts it.
    fn bring_up_to_date(
        &mut self,
        place: &RecordPosition,
        id: MemoryId,
        arrival: &ImportItem,
    ) -> Result<Result<(), BadLine>, Error> {
        let compared = match self.update(place, id, &arrival.draft)? {
            Ok(compared) => compared,
            Err(bad) => return Ok(Err(bad)),
        };
        let updated = compared == Compared::Edited;
        self.report.known += 1;
        self.report.updated += u64::from(updated);
        self.report.newer += u64::from(compared == Compared::Newer);
        if let Some(outcome) = &mut self.outcome {
            outcome(LineOutcome::known(place.line, id, updated));
        }
        Ok(Ok(()))
    }

    /// If the space asks for it, links a new memory that only rewords a known one, and reports both.
    fn note_rewording(&mut self, place: &RecordPosition, taken: &Remembered) {
        let noticed = self.space.noticing_rewording(taken.clone());
        if noticed.rewording.is_some() {
            self.report.reworded.push(RewordedLine {
                line: place.line,
                file: place.file.clone(),
                known: noticed.id,
            });
        }
    }

    /// Creates the links once all memories are stored; their targets are named by the ids of the import.
    fn draw_links(&mut self) -> Result<(), Error> {
        let (returning, stored): (Vec<_>, Vec<_>) = std::mem::take(&mut self.links)
            .into_iter()
            .partition(|pending| pending.returns);
        for pending in &stored {
            let drawn = match self.link_of(pending)? {
                Some(Ok(link)) => match self.space.draw_link(&link) {
                    Ok(()) => Ok(true),
                    Err(error) => Err(pending.place.failed(&of_one_memory(error.into())?)),
                },
                Some(Err(bad)) => Err(bad),
                None => continue,
            };
            self.count(drawn)?;
        }
        let mut size = BatchSize::default();
        let mut left = returning.as_slice();
        while !left.is_empty() {
            let (batch, rest) = left.split_at(left.len().min(size.records()));
            left = rest;
            let mut links = Vec::with_capacity(batch.len());
            for pending in batch {
                match self.link_of(pending)? {
                    Some(Ok(link)) => links.push((&pending.place, link)),
                    Some(Err(bad)) => self.count(Err(bad))?,
                    None => {}
                }
            }
            let drawn: Vec<Link> = links.iter().map(|(_, link)| link.clone()).collect();
            let stored = self.space.take_links(&drawn)?;
            let records = drawn.len();
            size.learn(BatchContents { records, bytes: 0 }, stored.held);
            for ((place, _), drawn) in links.iter().zip(stored.outcomes) {
                self.count(drawn.map_err(|error| place.failed(&error)))?;
            }
        }
        Ok(())
    }

    /// The link, or why it is refused; `None` if its target was erased permanently, or the store's own link stays.
    fn link_of(&mut self, pending: &PendingLink) -> Result<Option<Result<Link, BadLine>>, Error> {
        let PendingLink {
            place, from, link, ..
        } = pending;
        let Some(to) = self.space.find_imported(&link.to)? else {
            if self.space.source().was_erased(&link.to)? {
                return Ok(None);
            }
            let missing = format!("the link target {:?} doesn't exist", link.to);
            return Ok(Some(Err(place.bad(missing))));
        };
        let drawn = Link {
            from: *from,
            to,
            link_type: link.link_type,
            weight: link.weight,
            reason: link.reason.clone(),
            created_at: link.created_at.unwrap_or_else(|| self.space.now()),
        };
        let drawn = match self.space.guarded_link(&drawn) {
            Ok(drawn) => drawn,
            Err(refused) => return Ok(Some(Err(place.bad(refused.to_string())))),
        };
        match self.is_due(&drawn) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Ok(Some(Err(place.failed(&of_one_memory(error)?)))),
        }
        if self.options.trusted {
            return Ok(Some(Ok(drawn)));
        }
        Ok(Some(match self.may_point(link.link_type, to)? {
            Ok(true) => Ok(drawn),
            Ok(false) => Err(place.bad(format!(
                "a {} link to {:?}, which has more trust than an import; use --trusted to accept it",
                link.link_type, link.to
            ))),
            Err(damage) => Err(place.failed(&damage)),
        }))
    }

    /// Whether a link is drawn: the store never had it, or the import updates it. What the store changed or removed since
    /// stays, and so does the first of two equal links of an import.
    fn is_due(&mut self, link: &Link) -> Result<bool, Error> {
        let (from, to, link_type) = (link.from, link.to, link.link_type);
        if !self.compared_links.insert((from, to, link_type)) {
            return Ok(false);
        }
        let known = match self.known_links.take() {
            Some(known) if known.from() == from => known,
            _ => self.space.source().known_links(from)?,
        };
        let known = self.known_links.insert(known);
        match known.get(to, link_type) {
            Some(known) => Ok(self.options.updates && is_update(known, link)),
            None => Ok(!known.was_removed(to, link_type)?),
        }
    }

    /// Whether an untrusted import may create such a link: it can't supersede or contradict a memory with more trust.
    /// The trust of a damaged memory is unknown.
    fn may_point(
        &self,
        link_type: LinkType,
        to: MemoryId,
    ) -> Result<Result<bool, StoreError>, Error> {
        if !matches!(link_type, LinkType::Supersedes | LinkType::Contradicts) {
            return Ok(Ok(true));
        }
        let (ends, damaged) = self.space.source().get_with_damage(&[to])?;
        Ok(match damaged.into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(ends.iter().all(|end| end.trust <= IMPORT_TRUST)),
        })
    }

    fn count(&mut self, drawn: Result<bool, BadLine>) -> Result<(), Error> {
        match drawn {
            Ok(drawn) => {
                self.report.links += u64::from(drawn);
                Ok(())
            }
            Err(bad) => self.refuse(BadLine {
                reason: format!("stored without a link: {}", bad.reason),
                stored: true,
                ..bad
            }),
        }
    }
}

/// Whether a link of an import says something new about a link that nobody has changed since it was imported or exported.
fn is_update(known: &KnownLink, link: &Link) -> bool {
    let there = &known.link;
    let is_other = (there.weight, &there.reason) != (link.weight, &link.reason);
    let is_unchanged = known.imported || there.created_at == link.created_at;
    is_other && is_unchanged && there.created_at <= link.created_at
}

/// The error, if it concerns one memory; any other error ends the import.
pub(super) fn of_one_memory(error: Error) -> Result<StoreError, Error> {
    match error {
        Error::Store(error) if error.is_of_one_memory() => Ok(error),
        error => Err(error),
    }
}
