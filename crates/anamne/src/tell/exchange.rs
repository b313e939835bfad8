//! Exports and imports of a space.

use std::io::{BufRead, Write};
use std::path::Path;

use anamne_store::{Arrival, EachTold, Standing};
use anamne_types::{Draft, Link, MemoryId, Provenance, Remembered, Right};

use crate::Error;
use crate::keep::export;
use crate::keep::export::{CorpusReport, Exported};
use crate::space::Space;
use crate::tell::admission::authority_for;
use crate::tell::import;
use crate::tell::import::{ImportOptions, ImportReport};

impl Space {
    /// Imports memories from JSON lines; an interrupted import can be repeated.
    ///
    /// Imported text is untrusted: unless [`ImportOptions::trusted`], claims that nothing verifies are ignored.
    pub fn import(
        &self,
        reader: impl BufRead,
        options: impl Into<ImportOptions>,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let options = self.admit_import(options.into())?;
        import::import(self, reader, options, progress)
    }

    fn admit_import(&self, options: ImportOptions) -> Result<ImportOptions, Error> {
        self.require_write()?;
        if options.trusted {
            self.store.require(Right::Trust)?;
        }
        Ok(options)
    }

    /// Gives a memory that was imported before the authority that a trusted import claims for it.
    pub(crate) fn believe(&self, id: MemoryId, draft: &Draft) -> Result<(), Error> {
        let memory = self.inner.source.get(id)?;
        if let Some(edit) = authority_for(&memory, draft) {
            self.inner.source.edit(self.actor(), id, &edit)?;
            self.after_write();
        }
        Ok(())
    }

    /// Stores what another store exported; see [`Arrival`].
    pub(crate) fn take_in(&self, arrivals: &[Arrival]) -> Result<EachTold<Remembered>, Error> {
        let mut actor = self.actor().clone();
        if actor.name.is_empty() {
            Provenance::IMPORT.clone_into(&mut actor.name);
        }
        let taken = self.inner.source.take_in(&actor, arrivals)?;
        self.after_write();
        Ok(taken)
    }

    pub(crate) fn take_links(&self, links: &[Link]) -> Result<EachTold<bool>, Error> {
        Ok(self.inner.source.take_links(self.actor(), links)?)
    }

    /// Imports memories from a folder of Markdown notes, written by [`Space::export_notes`] or by a person.
    ///
    /// Files and folders whose names begin with a dot are skipped. A note without an id is stored with its path as
    /// external id, so that another import recognises it.
    pub fn import_notes(
        &self,
        folder: &Path,
        options: impl Into<ImportOptions>,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let options = self.admit_import(options.into())?;
        import::import_notes(self, folder, options, progress)
    }

    /// Exports the live memories as JSON lines, oldest first, each with its outgoing links.
    ///
    /// Memories damaged in both copies are skipped: [`Exported::skipped`] lists them.
    pub fn export(&self, writer: impl Write) -> Result<Exported, Error> {
        self.export_standing(writer, Standing::Live)
    }

    /// Like [`Space::export`], with or without forgotten memories.
    ///
    /// The memories are selected in one snapshot; those erased meanwhile are omitted.
    pub fn export_standing(
        &self,
        writer: impl Write,
        standing: Standing,
    ) -> Result<Exported, Error> {
        export::lines(self, writer, standing)
    }

    /// Exports memories as a folder of Markdown notes with YAML front matter, one folder per thread, and links as
    /// wikilinks. `folder` must not exist, or must be empty; it appears when complete.
    pub fn export_notes(&self, folder: &Path, standing: Standing) -> Result<Exported, Error> {
        export::notes(self, folder, standing)
    }

    /// Exports the live messages as a training corpus: one JSON line per thread, with its messages in order.
    pub fn export_corpus(&self, writer: impl Write) -> Result<CorpusReport, Error> {
        export::corpus(self, writer)
    }
}
