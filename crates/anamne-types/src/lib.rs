//! The data types of Anamne: memories, links, events, queries, and the values they accept.
//!
//! This crate does no I/O and depends on no other crate of the workspace. Callers pass the time; it is never read from
//! a clock.
//!
//! ```
//! use anamne_types::{Draft, Kind};
//!
//! let draft = Draft::new("We deploy on Fridays only").kind(Kind::Fact).tag("release").importance(8);
//! assert!(draft.check().is_ok());
//! assert_eq!(Draft::new("").check().unwrap_err().field(), "content");
//! ```

mod answer;
mod assertion;
mod body;
mod clarification;
mod condition;
mod consistency;
mod context;
mod door;
mod draft;
mod enrichment;
mod event;
mod experience;
mod feedback;
mod fields;
mod identity;
mod keys;
mod knowledge;
mod limits;
mod link;
mod made_by;
mod membership;
mod memory;
mod model_budget;
mod next_step;
#[cfg(feature = "openapi")]
mod openapi;
mod private;
mod prompt;
mod provenance;
mod question;
mod ranking;
mod reach;
mod related;
mod relation;
mod scope;
mod skipped;
mod spaces;
mod tenants;
mod texts;
mod tier;
mod told;
mod tool_line;

pub use answer::{
    Abstention, Answer, Context, ContextEntry, Dispute, Explanation, Hit, IgnoredTime, NearestMiss,
    OmittedMemory, Plan, Reached, RelatedMemory, RelatedName, Remembered, ScoreParts, Step,
    TimeProblem, UnderstoodTime, Work,
};
pub use assertion::Assertion;
pub use body::{Body, Category, Kind, Role, ToolCall};
pub use clarification::{Clarification, QueryReading, ReadingKind};
pub use condition::Condition;
pub use consistency::{ConsistencyReport, ConsistencyRequest, Inconsistency};
pub use context::{ContextPreset, ContextRequest};
pub use door::Door;
pub use draft::{Draft, Edit};
pub use enrichment::{EnrichedLink, EnrichedPart, Enrichment};
pub use event::{Actor, ActorKind, Event, EventKind};
pub use experience::{
    ActionOutcome, Experience, ExperimentSetup, Lesson, SearchFeedback, SearchTrace, Usefulness,
    Verdict, WorkFeedback, WorkingValue,
};
pub use feedback::{Feedback, Judgement};
pub use identity::{MemoryId, Row, Seq};
pub use keys::{CreatedKey, Grant, KeyInfo, KeyLoss, KeyRole, LostSpace, NewKey, Rate};
pub use knowledge::{
    ConflictKind, Contradiction, Entity, EntityId, EntityScope, EntityType, Evidence, FoundEntity,
    Frame, KnowledgeState, Neighbourhood, Object, Perspective, Relation, Side, SuggestedMerge,
};
pub use limits::{InvalidValue, Limits};
pub use link::{Link, LinkType};
pub use made_by::MadeBy;
pub use membership::{MemberTerms, Membership};
pub use memory::{
    Memory, Metadata, RESERVED_METADATA, Version, check_unreserved, is_reserved_metadata,
};
pub use model_budget::ModelBudget;
pub use next_step::NextStep;
pub use private::{PRIVATE, is_marked_private, is_private_tag};
pub use prompt::{PromptContext, PromptRequest};
pub use provenance::Provenance;
pub use question::{Filter, Recall, Signals, Surroundings, zone_name};
pub use ranking::{Ranking, check_weight};
pub use reach::{AsOf, Depth, RecallScope, TimeWords};
pub use related::{RELATED_ENTITIES, RELATED_FILES, relate};
pub use relation::RelationType;
pub use scope::{PrivateSpaces, Right, Scope, SpaceSet, check_leaves_home, space_owner};
pub use skipped::{Skipped, SkippedEntry};
pub use spaces::{SpaceChoice, SpaceProposal, SpaceProposals, Spaces};
pub use tenants::{DEFAULT_TENANT, TenantInfo, TenantQuota, TenantUsage, check_tenant};
pub use texts::{GuardNote, TextField};
pub use tier::{Temperature, Tier};
pub use told::{Attributes, FrameWord, ToldEntity, ToldProperty, ToldRelation, TypeWord};
