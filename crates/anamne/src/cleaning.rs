//! What is left of erased memories in views and caches, and how it is taken out.

use std::path::Path;

use anamne_index::vectors::embedded_texts;
use anamne_store::EmbeddingConfig;
use anamne_store::view::ViewError;
use anamne_types::{MemoryId, Seq};

use crate::Error;
use crate::answering::{self, Note};
use crate::reembedding::remove_vectors;
use crate::space::Inner;

impl Inner {
    /// Takes what was erased out of every file of the views, where that is still to be done.
    pub(crate) fn clean_views(
        &self,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        if self.source.unclean_views()?.is_none() {
            return Ok(());
        }
        let space = self.source.folder();
        // Else vectors of another model, which are not purged here, could begin to answer meanwhile.
        let _guard = answering::change(space)?;
        self.drop_growing();
        self.caught_up()?;
        let through = self.active().followers.head();
        if let Err(error) = self.purge_tiers(progress) {
            // What can't be embedded now must not keep what was erased: the vectors go, and are made again later.
            let is_of_model = matches!(error, Error::View(ViewError::Engine(_)));
            if !(is_of_model && self.answering().model.questions.is_costly()) {
                return Err(error);
            }
            Note::remove(space)?;
            self.caught_up()?;
            self.purge_tiers(progress)?;
        }
        self.clean_kept()?;
        self.clean_graph()?;
        self.clean_summaries()?;
        self.clean_latent()?;
        self.remove_strays()?;
        Ok(self.source.views_are_clean(through)?)
    }

    /// Takes what was erased out of everything beside the source that is not computed from its log.
    pub(crate) fn clean_kept(&self) -> Result<(), Error> {
        self.clean_readings()?;
        self.clean_tasks()?;
        self.clean_meta()?;
        Ok(self.models.cache.finish_erasing(&self.cache_label())?)
    }

    fn purge_tiers(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        for tier in self.every_tier()? {
            tier.catch_up(&self.source)?;
            tier.followers.purge(&self.source, progress)?;
        }
        Ok(())
    }

    /// Removes what no view looks after: views of other models, and copies that were set aside as damaged.
    fn remove_strays(&self) -> Result<(), Error> {
        let views = self.source.folder().join("views");
        // What was set aside, and what an interrupted write left behind.
        let is_stray = |path: &Path| {
            let name = name_of(path);
            name.contains(".damaged") || name.contains(".tmp-")
        };
        remove_where(&views, &is_stray)?;
        let model = self.answering().model.slug();
        let space = self.source.folder();
        if answering::noted_vectors(space) != model {
            // Their model can't be had here, so what was erased can't be taken out of them; the built-in one answers.
            Note::remove(space)?;
        }
        for other in answering::vector_folders(space)? {
            if other != model {
                remove_vectors(space, &other)?;
            }
        }
        Ok(())
    }

    /// Notes in the embedding cache, where there is one, that nothing may be kept of what these memories say and said.
    ///
    /// Called before they are erased, for afterwards nobody knows what they said, and once more after it.
    pub(crate) fn begin_forgetting(&self, texts: &[String]) -> Result<(), Error> {
        if texts.is_empty() {
            return Ok(());
        }
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let noted = self.models.cache.begin_erasing(&self.cache_label(), &texts);
        // A cache that can't be told of it is better lost.
        noted.or_else(|_| Ok(self.models.cache.remove()?))
    }

    /// The texts of which vectors may be kept for these memories, in all their states. None where nothing is kept at all.
    pub(crate) fn cached_texts(&self, ids: &[MemoryId]) -> Vec<String> {
        let keeps = self.models.cache.exists()
            || self.source.config().embedding.model != EmbeddingConfig::BUILTIN;
        let ids = if keeps { ids } else { &[] };
        let mut texts = Vec::new();
        for &id in ids {
            // One that can't be read has nothing that could be looked for; erasing it goes on.
            let versions = self.source.history(id).unwrap_or_default();
            let states = versions.into_iter().filter_map(|version| version.memory);
            for state in states.chain(self.source.get(id).ok()) {
                let mut text = state.content;
                state.body.append_searchable(&mut text);
                texts.extend(embedded_texts(&text).into_iter().map(str::to_owned));
            }
        }
        texts.sort();
        texts.dedup();
        texts
    }

    /// What names the space in the embedding cache.
    fn cache_label(&self) -> String {
        name_of(self.source.folder())
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Removes the files and folders under `folder` that `stray` names.
fn remove_where(folder: &Path, stray: &dyn Fn(&Path) -> bool) -> Result<(), Error> {
    let failed = |source| Error::Stream {
        action: "clean the views",
        source,
    };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // A symbolic link is no folder: what it leads to is none of the views.
        let is_folder = entry.file_type().map_err(failed)?.is_dir();
        match (stray(&path), is_folder) {
            (true, _) => anamne_store::remove_path(&path)?,
            (false, true) => remove_where(&path, stray)?,
            (false, false) => {}
        }
    }
    Ok(())
}
