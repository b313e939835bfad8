//! What a space accepts.

use anamne_types::{InvalidValue, Kind};
use serde::{Deserialize, Serialize};

/// What a space accepts when something is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IntakeConfig {
    /// The accepted kinds of memories; empty for all.
    pub kinds: Vec<Kind>,
    /// What counts as a duplicate.
    pub duplicates: Duplicates,
    /// With `semantic`: the similarity from which a text is a rewording of another, 0.5 to 1.
    pub similarity: f32,
    /// The quality below which a told text is refused, 0 to 1; 0 accepts everything.
    pub quality: f32,
}

/// What counts as a duplicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplicates {
    /// The same text, up to spacing and case: it is not stored again.
    #[default]
    Exact,
    /// Also a similar text of the same kind: it becomes a new version of the known memory.
    Semantic,
    /// Nothing, except what has the same external id.
    None,
}

impl Duplicates {
    /// All of them, by their names in the settings.
    pub const ALL: [(&'static str, Self); 3] = [
        ("exact", Self::Exact),
        ("semantic", Self::Semantic),
        ("none", Self::None),
    ];

    /// Its name in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Semantic => "semantic",
            Self::None => "none",
        }
    }
}

impl IntakeConfig {
    /// The lowest similarity that can be set: below it, texts about the same subject would count as rewordings.
    pub const LEAST_SIMILARITY: f32 = 0.5;

    /// The similarity unless another is set.
    pub const SIMILARITY: f32 = 0.95;

    /// Refuses a kind that the space doesn't accept. The engine's own records, experience and summaries, always fit.
    pub fn check_kind(&self, kind: Kind) -> Result<(), InvalidValue> {
        let is_own = matches!(kind, Kind::Experience | Kind::Summary);
        if self.kinds.is_empty() || is_own || self.kinds.contains(&kind) {
            return Ok(());
        }
        let names: Vec<_> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        let accepts = format!(
            "one of the kinds that this space accepts: {} (intake.kinds in space.toml)",
            names.join(", ")
        );
        Err(InvalidValue::new("kind", accepts, kind.as_str()))
    }

    pub(super) fn check(&self) -> Result<(), InvalidValue> {
        if !(Self::LEAST_SIMILARITY..=1.0).contains(&self.similarity) {
            let accepts = format!("a number from {} to 1", Self::LEAST_SIMILARITY);
            return Err(InvalidValue::new(
                "intake.similarity",
                accepts,
                self.similarity,
            ));
        }
        if !(0.0..=1.0).contains(&self.quality) {
            let accepts = "a number from 0 to 1; 0 accepts everything";
            return Err(InvalidValue::new("intake.quality", accepts, self.quality));
        }
        Ok(())
    }
}

impl Default for IntakeConfig {
    fn default() -> Self {
        Self {
            kinds: Vec::new(),
            duplicates: Duplicates::default(),
            similarity: Self::SIMILARITY,
            quality: 0.0,
        }
    }
}
