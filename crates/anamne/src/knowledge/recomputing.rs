//! Current importance and current strength of links: computed when read, so that off shows what was told.

use std::collections::{BTreeSet, HashMap};

use anamne_knowledge::consolidation::{
    ImportanceInputs, ImportanceParts, importance, link_strength,
};
use anamne_store::{Listing, RecomputeConfig};
use anamne_types::{Judgement, Link, LinkType, Memory, MemoryId, Row};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::query::access::MemoryUse;
use crate::space::Space;

/// Memories read per batch.
const READ_AT_ONCE: usize = 512;

const DAY: f64 = 86_400.0;

/// Quality signals of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QualitySignals {
    /// Usefulness by feedback, 0 to 1; 0.5 without feedback.
    pub utility: f32,
    /// Current importance, 1 to 10; what was told if the space doesn't recompute importance.
    pub importance: f64,
    /// What the current importance comes from; `None` if the space doesn't recompute importance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<ImportanceSignals>,
}

/// What a current importance comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportanceSignals {
    /// The stored importance, 1 to 10.
    pub told: u8,
    /// The importance by enrichment, which counts instead where none was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enriched: Option<u8>,
    /// The points, whose sum is the current importance.
    #[serde(flatten)]
    pub points: ImportanceParts,
}

/// The strength of a link, told and current.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LinkStrength {
    /// The told strength, 0 to 1.
    pub told: f32,
    /// The current strength: at most the told one; equal to it if the space doesn't recompute links.
    pub current: f32,
    /// When the link was told last, or, if later, since when both ends have been opened.
    pub since: Timestamp,
}

impl Space {
    /// The quality signals of a memory, with its current importance.
    ///
    /// That is computed from the told importance (or that of enrichment, if none was told), use, the current strength of its
    /// links, and age, by [`importance`] with the half-life in the space's settings (`recompute`). A link by which another
    /// memory supersedes it doesn't count. Nothing is stored: with `recompute.importance` off it is the told importance.
    /// Retention, tiers, filters and ranking use the told one always. Linear in the text and the links.
    ///
    /// Errors if there is no such memory, or a file can't be read.
    pub fn quality_signals(&self, id: MemoryId) -> Result<QualitySignals, Error> {
        let memory = self.inner.source.get(id)?;
        let utility = 0.5 + 0.5 * Judgement::of(&memory.metadata).quality();
        if !self.config().recompute.importance {
            return Ok(QualitySignals {
                utility,
                importance: f64::from(memory.importance),
                parts: None,
            });
        }
        let links = self.linked(&self.links(id)?)?;
        let memories = [memory];
        let signals = self.importance_signals(&memories, &links)?;
        let parts = signals.into_iter().next();
        Ok(QualitySignals {
            utility,
            importance: parts.map_or(f64::from(memories[0].importance), |parts| {
                parts.points.total()
            }),
            parts,
        })
    }

    /// The told and the current strength of links of this space, in their order.
    ///
    /// The current one is [`link_strength`], with the half-life and the floor in the space's settings (`recompute`), and
    /// the time since the link was told last or both its ends have been opened, if that is later. Nothing is stored: with
    /// `recompute.links` off it is the told strength. O(links · log memories).
    pub fn link_strengths(&self, links: &[Link]) -> Result<Vec<LinkStrength>, Error> {
        let config = self.config();
        if !config.recompute.links {
            let told = links.iter().map(|link| LinkStrength {
                told: link.weight,
                current: link.weight,
                since: link.created_at,
            });
            return Ok(told.collect());
        }
        let ends = links.iter().flat_map(|link| [link.from, link.to]);
        let ends: Vec<MemoryId> = ends.collect::<BTreeSet<_>>().into_iter().collect();
        let found = self.inner.source.occurrences(&ends)?;
        let rows: HashMap<MemoryId, Row> = ends
            .into_iter()
            .zip(found)
            .filter_map(|(id, found)| Some((id, found?.0)))
            .collect();
        let used = self.uses_of_rows(&rows.values().copied().collect());
        let last = |id: &MemoryId| used.get(rows.get(id)?).map(|used| used.last);
        let now = self.now();
        let strengths = links.iter().map(|link| {
            let confirmed = last(&link.from).zip(last(&link.to));
            let confirmed = confirmed.map(|(from, to)| from.min(to));
            strength(link, confirmed, now, &config.recompute)
        });
        Ok(strengths.collect())
    }

    /// The live memories of a listing by current importance instead of the listing's own order, the most important first,
    /// of equal ones the latest row. Reads every matching memory and every link: O(texts + links).
    ///
    /// Errors if the listing is of forgotten memories, or its filter is refused.
    pub fn list_by_importance(&self, listing: &Listing) -> Result<Vec<Memory>, Error> {
        let filter = self.sorted_filter(listing)?;
        let rows = self.inner.source.rows(&filter)?;
        let is_recomputed = self.config().recompute.importance;
        let links = if is_recomputed {
            self.linked(&self.all_links()?)?
        } else {
            HashMap::new()
        };
        let mut ranked: Vec<(f64, Row)> = Vec::with_capacity(rows.len());
        for batch in rows.chunks(READ_AT_ONCE) {
            let read = self.inner.source.get_rows(batch)?;
            let memories: Vec<Memory> = read.into_iter().map(|(_, memory)| memory).collect();
            if is_recomputed {
                let signals = self.importance_signals(&memories, &links)?;
                let each = memories.iter().zip(signals);
                ranked.extend(each.map(|(memory, of)| (of.points.total(), memory.row)));
            } else {
                let each = memories.iter();
                ranked.extend(each.map(|memory| (f64::from(memory.importance), memory.row)));
            }
        }
        ranked.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        self.sorted_page(ranked.into_iter().map(|(_, row)| row).collect(), listing)
    }

    /// The sums of the current strengths of links by the memories that gain from them.
    fn linked(&self, links: &[Link]) -> Result<HashMap<MemoryId, f64>, Error> {
        let mut sums: HashMap<MemoryId, f64> = HashMap::new();
        for (link, strength) in links.iter().zip(self.link_strengths(links)?) {
            *sums.entry(link.from).or_default() += f64::from(strength.current);
            if link.link_type != LinkType::Supersedes {
                *sums.entry(link.to).or_default() += f64::from(strength.current);
            }
        }
        Ok(sums)
    }

    fn importance_signals(
        &self,
        memories: &[Memory],
        links: &HashMap<MemoryId, f64>,
    ) -> Result<Vec<ImportanceSignals>, Error> {
        let half_life = f64::from(self.config().recompute.half_life_days) * DAY;
        let enriched = self.enriched_importances(memories)?;
        let used = self.uses_of_rows(&memories.iter().map(|memory| memory.row).collect());
        let now = self.now();
        let signals = |(memory, enriched): (&Memory, Option<u8>)| {
            let used: Option<&MemoryUse> = used.get(&memory.row);
            ImportanceSignals {
                told: memory.importance,
                enriched,
                points: importance(&ImportanceInputs {
                    stated: enriched.unwrap_or(memory.importance),
                    uses: used.map_or(0, |used| used.count),
                    since_use: used.map_or(0.0, |used| seconds(used.last, now)),
                    links: links.get(&memory.id).copied().unwrap_or(0.0),
                    age: seconds(memory.occurred_at, now),
                    half_life,
                }),
            }
        };
        Ok(memories.iter().zip(enriched).map(signals).collect())
    }
}

fn strength(
    link: &Link,
    confirmed: Option<Timestamp>,
    now: Timestamp,
    settings: &RecomputeConfig,
) -> LinkStrength {
    let since = confirmed.map_or(link.created_at, |confirmed| confirmed.max(link.created_at));
    let half_life = f64::from(settings.link_half_life_days) * DAY;
    let (told, floor) = (f64::from(link.weight), f64::from(settings.link_floor));
    LinkStrength {
        told: link.weight,
        current: link_strength(told, seconds(since, now), half_life, floor) as f32,
        since,
    }
}

/// Seconds from `since` to `now`; below 0 if it is in the future.
fn seconds(since: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(since).as_secs_f64()
}
