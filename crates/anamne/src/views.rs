//! The views of a space: where they lie, how they are opened, and how they are examined.

use std::path::Path;
use std::sync::Arc;

use anamne_embed::{Embedder, StaticModel};
use anamne_index::columns::{ColumnsView, Tokenise};
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Health, View};
use anamne_store::{Finding, Part};
use anamne_types::Seq;

use crate::Error;

/// The built-in vocabulary, for the columns.
struct BuiltInTokens;

impl Tokenise for BuiltInTokens {
    fn name(&self) -> String {
        StaticModel::builtin().model().slug()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        StaticModel::builtin_tokens().tokens(text, out);
    }
}

/// The views of one space. Opening them touches nothing on disk.
pub(crate) struct Views {
    pub(crate) lexical: Arc<LexicalView>,
    pub(crate) columns: Arc<ColumnsView>,
    pub(crate) vectors: Arc<VectorsView>,
}

impl Views {
    /// The views under the folder of a space.
    pub(crate) fn open(space: &Path, embedder: &Arc<dyn Embedder>) -> Result<Self, Error> {
        let views = space.join("views");
        let model_folder = views.join("vectors").join(embedder.model().slug());
        Ok(Self {
            lexical: Arc::new(LexicalView::open(views.join("lexical").join("active"))),
            columns: Arc::new(ColumnsView::open(
                views.join("columns").join("active"),
                Arc::new(BuiltInTokens),
            )),
            vectors: Arc::new(VectorsView::open(
                model_folder.join("active"),
                embedder.clone(),
            )?),
        })
    }

    /// Reads everything published back; `head` is the last event of the log that they follow.
    pub(crate) fn examine(&self, head: Seq) -> Vec<Finding> {
        let views: [&dyn View; 3] = [&*self.lexical, &*self.columns, &*self.vectors];
        let examine = |view: &dyn View| {
            let problem = match view.verify() {
                Health::Broken(reason) => reason,
                Health::Whole if view.watermark() > head => format!(
                    "it covers the log up to event {}, but the log ends at event {head}",
                    view.watermark()
                ),
                Health::Whole => return None,
            };
            let file = format!("views/{}", view.name());
            Some(Finding::new(Part::View, file, None, problem))
        };
        views.into_iter().filter_map(examine).collect()
    }
}
