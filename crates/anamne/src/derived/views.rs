//! The views of one tier of a space: paths, opening and verification.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_embed::{Embedder, StaticModel};
use anamne_index::columns::{ColumnsView, Tokenise};
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_recall::past::Past;
use anamne_store::beside::VIEWS;
use anamne_store::view::{Health, View};
use anamne_store::{Finding, Part, PastStates};
use anamne_types::{Seq, Tier};

use super::answering;
use crate::Error;
use crate::models::{Model, Models};

pub(crate) const LEXICAL: &str = "lexical";
pub(crate) const COLUMNS: &str = "columns";
pub(crate) const VECTORS: &str = "vectors";

/// The views of every tier.
pub(crate) const NAMES: [&str; 3] = [LEXICAL, COLUMNS, VECTORS];

/// The folder of a view, with one folder per tier; for vectors, one folder per model.
pub(crate) fn folder(space: &Path, view: &str) -> PathBuf {
    space.join(VIEWS).join(view)
}

/// The built-in vocabulary, for the columns.
pub(crate) struct BuiltInTokens;

impl Tokenise for BuiltInTokens {
    fn name(&self) -> String {
        StaticModel::builtin().model().slug()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        StaticModel::builtin_tokens().tokens(text, out);
    }
}

/// The views of one tier. Opening them touches nothing on disk.
pub(crate) struct Views {
    pub(crate) tier: Tier,
    pub(crate) lexical: Arc<LexicalView>,
    pub(crate) columns: Arc<ColumnsView>,
    pub(crate) vectors: Arc<VectorsView>,
}

impl Views {
    /// The views of a tier under the folder of a space.
    pub(crate) fn open(space: &Path, tier: Tier, model: &Model) -> Result<Self, Error> {
        let [lexical, columns] =
            [LEXICAL, COLUMNS].map(|view| folder(space, view).join(tier.to_string()));
        let vectors = vectors_folder(space, &model.slug(), tier);
        Ok(Self {
            tier,
            lexical: Arc::new(LexicalView::open(lexical)),
            columns: Arc::new(ColumnsView::open(columns, Arc::new(BuiltInTokens))),
            vectors: Arc::new(VectorsView::open(vectors, model.memories.clone())?),
        })
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Arc<dyn View>> {
        vec![
            self.lexical.clone() as Arc<dyn View>,
            self.columns.clone() as _,
            self.vectors.clone() as _,
        ]
    }

    /// Verifies the published files; `head` is the last event of the log that they follow.
    pub(crate) fn examine(&self, head: Seq) -> Vec<Finding> {
        let examine = |view: Arc<dyn View>| {
            let problem = match view.verify() {
                Health::Broken(reason) => reason,
                Health::Whole if view.watermark() > head => format!(
                    "it covers the log up to event {}, beyond its end at event {head}",
                    view.watermark()
                ),
                Health::Whole => return None,
            };
            let file = format!("{VIEWS}/{}", label(view.name(), self.tier));
            Some(Finding::new(Part::View, file, None, problem))
        };
        self.all().into_iter().filter_map(examine).collect()
    }
}

/// In-memory views of the changes since a time.
pub(crate) fn of_past(states: PastStates, space: &Path, model: &Model) -> Result<Past, Error> {
    // A folder that is never created: nothing is published.
    let nowhere = space.join(VIEWS).join("past");
    Ok(Past::new(
        states,
        LexicalView::open(nowhere.clone()),
        ColumnsView::open(nowhere.clone(), Arc::new(BuiltInTokens)),
        VectorsView::open(nowhere, model.memories.clone())?,
    ))
}

/// The folder of a model's vectors of a tier.
pub(crate) fn vectors_folder(space: &Path, model: &str, tier: Tier) -> PathBuf {
    answering::folder(space).join(model).join(tier.to_string())
}

/// The colder tiers of a space with views on disk, hottest first.
pub(crate) fn colder_on_disk(space: &Path) -> Result<BTreeSet<Tier>, Error> {
    let mut tiers = BTreeSet::new();
    for view in [LEXICAL, COLUMNS] {
        for path in anamne_store::entries(&folder(space, view))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            tiers.extend(name.parse::<Tier>().ok());
        }
    }
    tiers.remove(&Tier::Active);
    Ok(tiers)
}

/// A view's name, with its tier unless that is the active one.
pub(crate) fn label(view: &str, tier: Tier) -> String {
    match tier {
        Tier::Active => view.to_owned(),
        tier => format!("{view}/{tier}"),
    }
}

/// Verifies the published views of all tiers of the space in this folder, without opening the space.
pub(super) fn examine(space: &Path, models: &Models, head: Seq) -> Result<Vec<Finding>, Error> {
    let model = answering::model_of(space, None, models);
    let tiers = std::iter::once(Tier::Active).chain(colder_on_disk(space)?);
    let examine = |tier| Ok(Views::open(space, tier, &model)?.examine(head));
    let findings: Result<Vec<_>, Error> = tiers.map(examine).collect();
    Ok(findings?.concat())
}
