//! Semantic duplicates: a told text that only rewords a known memory.
//!
//! Its words are stored first, as any other text's. Then the known memory supersedes it, as after a consolidation: it
//! ranks behind, stays in the store, and removing the link undoes it.

use anamne_knowledge::consolidation::rewording;
use anamne_recall::views::LexicalSearch;
use anamne_store::{Duplicates, StoreError};
use anamne_text::analyser::Analyser;
use anamne_types::{Actor, ActorKind, Assertion, Kind, Link, LinkType, Memory, Remembered, Row};

use crate::Error;
use crate::knowledge::consolidating;
use crate::space::Space;

/// Known memories of each tier that are compared, those with the most words in common.
const COMPARED: usize = 24;

/// Bytes of a text whose words are looked for.
const MOST_BYTES: usize = 4_096;

/// Of the link from a known memory to one that only rewords it.
const REASON: &str = "the later one only rewords it";

impl Space {
    /// If the space asks for it, and the memory only rewords a known one: the known one as the duplicate, and the new one
    /// as its rewording. A failure leaves the memory as it is stored.
    pub(crate) fn noticing_rewording(&self, remembered: Remembered) -> Remembered {
        let intake = &self.config().intake;
        if remembered.duplicate || intake.duplicates != Duplicates::Semantic {
            return remembered;
        }
        match self.reworded(&remembered, intake.similarity) {
            Ok(Some(known)) => Remembered {
                rewording: Some(remembered.id),
                id: known.id,
                citation: known.citation(),
                duplicate: true,
                ..remembered
            },
            Ok(None) => remembered,
            Err(error) => {
                let problem = format!("not compared with known memories: {error}");
                self.inner.site.problems.note(Some(problem));
                remembered
            }
        }
    }

    /// The known memory that a new one rewords, after linking them.
    fn reworded(&self, remembered: &Remembered, least: f32) -> Result<Option<Memory>, Error> {
        let told = match self.inner.source.get(remembered.id) {
            // An earlier attempt stored it, and it was erased since.
            Err(StoreError::NoMemory { .. }) => return Ok(None),
            told => told?,
        };
        if told.superseded_by.is_some() {
            return self.noticed_before(&told);
        }
        if !is_compared(&told) {
            return Ok(None);
        }
        let known = self.likely(&told)?;
        let similar = known
            .into_iter()
            .filter_map(|known| Some((rewording(&known, &told)?, known)))
            .filter(|(similarity, _)| *similarity >= least);
        let Some((similarity, known)) = similar.max_by(|(a, _), (b, _)| a.total_cmp(b)) else {
            return Ok(None);
        };
        let actor = Actor {
            kind: ActorKind::System,
            name: consolidating::NAME.to_owned(),
        };
        let link = Link {
            from: known.id,
            to: told.id,
            link_type: LinkType::Supersedes,
            weight: similarity.clamp(0.0, 1.0),
            reason: REASON.to_owned(),
            created_at: self.now(),
        };
        self.inner.source.link(&actor, &link)?;
        Ok(Some(known))
    }

    /// The known memory that one of an earlier attempt rewords, if that attempt linked them.
    fn noticed_before(&self, told: &Memory) -> Result<Option<Memory>, Error> {
        let links = self.inner.source.links(told.id)?;
        let link = links.into_iter().find(|link| {
            link.to == told.id && link.link_type == LinkType::Supersedes && link.reason == REASON
        });
        link.map(|link| Ok(self.inner.source.get(link.from)?))
            .transpose()
    }

    /// The known memories with the most words in common.
    fn likely(&self, told: &Memory) -> Result<Vec<Memory>, Error> {
        let text = &told.content[..told.content.floor_char_boundary(MOST_BYTES)];
        let terms = Analyser::new().query(text);
        let tiers = &self.inner.derived.tiers;
        tiers.caught_up()?;
        let mut rows: Vec<Row> = Vec::new();
        for tier in tiers.every_tier()? {
            tier.catch_up(&self.inner.source)?;
            let lexical: &dyn LexicalSearch = tier.views.lexical.as_ref();
            let hits = lexical.search(&terms, COMPARED, None)?;
            rows.extend(hits.into_iter().map(|hit| hit.row));
        }
        // Of the memories stored with it, only earlier ones are known.
        rows.retain(|row| *row < told.row);
        let known = self.inner.source.get_rows(&rows)?.into_iter();
        Ok(known
            .map(|(_, memory)| memory)
            .filter(|memory| is_compared(memory) && memory.kind() == told.kind())
            .collect())
    }
}

/// Whether a memory can be a rewording, or be reworded: conversations and what happened are kept as they are.
fn is_compared(memory: &Memory) -> bool {
    let is_told = matches!(
        memory.kind(),
        Kind::Message | Kind::Fact | Kind::Thought | Kind::Skill
    );
    is_told
        && memory.thread.is_none()
        && memory.external_id.is_none()
        && memory.superseded_by.is_none()
        && memory.deleted_at.is_none()
        && !memory.metadata.contains_key(Assertion::KEY)
}
