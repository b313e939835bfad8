//! Everything about one memory of a space in either place.

use anamne::{
    Association, Dispute, Enrichment, Link, LinkStrength, LinkType, Memory, MemoryId, MemoryUse,
    QualitySignals, Space,
};
use anamne_client::{Query, RemoteSpace};
use serde::{Deserialize, Serialize};

use super::Reached;
use crate::failure::Failure;
use crate::ids;

/// Maximum number of related memories.
const RELATED: usize = 5;

/// A memory and what is known about it.
pub(crate) struct MemoryDetails {
    pub(crate) memory: Memory,
    pub(crate) links: Vec<(Link, LinkStrength)>,
    pub(crate) disputes: Vec<Dispute>,
    /// Related memories without a stored link; none if knowledge was never extracted.
    pub(crate) related: Vec<RelatedMemory>,
    pub(crate) signals: QualitySignals,
    pub(crate) enrichment: Option<Enrichment>,
    /// How often it was opened before.
    pub(crate) known_use: Option<MemoryUse>,
    /// The other spaces of which it is a member.
    pub(crate) spaces: Vec<String>,
}

/// A memory that is related to another without a stored link.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RelatedMemory {
    pub(crate) memory: MemoryId,
    pub(crate) citation: String,
    #[serde(rename = "type")]
    link_type: LinkType,
    strength: f32,
    pub(crate) reason: String,
}

impl From<Association> for RelatedMemory {
    fn from(association: Association) -> Self {
        Self {
            memory: association.memory,
            citation: format!("m{}", association.row),
            link_type: association.link_type,
            strength: association.strength,
            reason: association.reason,
        }
    }
}

/// The origin of a memory as a server answers it.
#[derive(Deserialize)]
struct Origin {
    disputes: Vec<Dispute>,
    opened: Option<MemoryUse>,
    signals: QualitySignals,
    related: Vec<RelatedMemory>,
    spaces: Vec<String>,
}

/// The links of a memory as a server answers them.
#[derive(Deserialize)]
struct Links {
    links: Vec<Link>,
    strengths: Vec<LinkStrength>,
}

impl Reached {
    /// Opens the memory that `text` names.
    pub(crate) fn open(&self, text: &str) -> Result<MemoryDetails, Failure> {
        match self {
            Self::Here(space) => open_here(space, ids::resolve(space, text)?),
            Self::There(space) => open_there(self, space, self.resolve(text)?),
        }
    }
}

fn open_here(space: &Space, id: MemoryId) -> Result<MemoryDetails, Failure> {
    // Before this reading, which counts too.
    let known_use = space.use_of(id)?;
    let signals = space.quality_signals(id)?;
    let memory = space.get(id)?;
    let links = space.links(memory.id)?;
    let strengths = space.link_strengths(&links)?;
    let disputes = space.disputes(&memory)?;
    space.note_used(&[memory.id])?;
    let related = space.associations(memory.id, RELATED)?.into_iter();
    // Other types are shown as disputes.
    let related = related.filter(|one| one.link_type == LinkType::Related);
    Ok(MemoryDetails {
        links: links.into_iter().zip(strengths).collect(),
        disputes,
        related: related.map(RelatedMemory::from).collect(),
        signals,
        enrichment: space.enrichments(&[&memory])?.pop().flatten(),
        known_use,
        spaces: space.spaces_with(memory.id)?,
        memory,
    })
}

fn open_there(
    reached: &Reached,
    space: &RemoteSpace,
    id: MemoryId,
) -> Result<MemoryDetails, Failure> {
    let of = id.to_string();
    let origin: Origin = space.read(&["memories", &of, "origin"], &Query::new())?;
    let links: Links = space.read(&["memories", &of, "links"], &Query::new())?;
    let memory = space.get(&of)?;
    Ok(MemoryDetails {
        links: links.links.into_iter().zip(links.strengths).collect(),
        disputes: origin.disputes,
        related: origin.related,
        signals: origin.signals,
        enrichment: reached.enrichment(&memory)?,
        known_use: origin.opened,
        spaces: origin.spaces,
        memory,
    })
}
