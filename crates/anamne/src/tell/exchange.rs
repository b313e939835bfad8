//! What a space hands out and takes in as a whole: exports and imports.

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
    /// Reads memories from JSON lines; an import that was interrupted is simply run again.
    ///
    /// An import is other people's text: unless [`ImportOptions::trusted`], what it claims for itself does not count.
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

    /// Gives a memory that an import took before what it claims now that it is believed.
    pub(crate) fn believe(&self, id: MemoryId, draft: &Draft) -> Result<(), Error> {
        let memory = self.inner.source.get(id)?;
        if let Some(edit) = authority_for(&memory, draft) {
            self.inner.source.edit(self.actor(), id, &edit)?;
            self.after_write();
        }
        Ok(())
    }

    /// Takes in what another store exported; see [`Arrival`].
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

    /// Reads memories from a folder of Markdown notes, as [`Space::export_notes`] writes it or as a person did.
    ///
    /// Folders whose names begin with a dot are skipped. A note without an id is told under its path, so that
    /// it is known when it is read again.
    pub fn import_notes(
        &self,
        folder: &Path,
        options: impl Into<ImportOptions>,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let options = self.admit_import(options.into())?;
        import::import_notes(self, folder, options, progress)
    }

    /// Writes the live memories as JSON lines, oldest first, with the links that start at each.
    ///
    /// One that is damaged in both copies keeps back none of the others: [`Exported::skipped`] names it.
    pub fn export(&self, writer: impl Write) -> Result<Exported, Error> {
        self.export_standing(writer, Standing::Live)
    }

    /// Like [`Space::export`], with or without forgotten memories.
    ///
    /// Which memories are written is decided at one instant; what is erased meanwhile is left out.
    pub fn export_standing(
        &self,
        writer: impl Write,
        standing: Standing,
    ) -> Result<Exported, Error> {
        export::lines(self, writer, standing)
    }

    /// Writes memories as a folder of Markdown notes with YAML front matter, a folder for each thread and links as
    /// wikilinks. `folder` must not exist yet, or be empty; it appears when it is whole.
    pub fn export_notes(&self, folder: &Path, standing: Standing) -> Result<Exported, Error> {
        export::notes(self, folder, standing)
    }

    /// Writes the live messages as a training corpus: a JSON line for each thread, with its messages in order.
    pub fn export_corpus(&self, writer: impl Write) -> Result<CorpusReport, Error> {
        export::corpus(self, writer)
    }
}
