//! The types of relations between entities.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Defines [`RelationType`] with the spelling of each variant.
macro_rules! relation_types {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)+) => {
        /// The type of a relation: what the subject has to do with the object.
        ///
        /// Extraction finds the known ones; people may assert others. In JSON and in the database a type is its name.
        /// Ordered by name.
        ///
        /// ```
        /// use anamne_types::RelationType;
        ///
        /// assert_eq!(RelationType::from("works_at"), RelationType::WorksAt);
        /// assert_eq!(RelationType::from("sails_with").as_str(), "sails_with");
        /// assert!(RelationType::known().any(|known| known == "works_at"));
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum RelationType {
            $($(#[$doc])* $variant,)+
            /// Any other, as someone asserted it.
            Other(Arc<str>),
        }

        impl RelationType {
            /// The known types: those that extraction finds.
            pub fn known() -> impl Iterator<Item = Self> {
                [$(Self::$variant),+].into_iter()
            }

            /// Its name: words joined by `_`.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(name) => name,
                }
            }
        }

        impl From<&str> for RelationType {
            fn from(name: &str) -> Self {
                match name {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.into()),
                }
            }
        }
    };
}

relation_types! {
    /// The subject is an instance of the object, a value.
    IsA = "is_a",
    /// Both names are of one thing.
    AliasOf = "alias_of",
    /// A component, chapter or branch of the object.
    PartOf = "part_of",
    /// Belongs to a group.
    MemberOf = "member_of",
    /// A thing's place.
    LocatedIn = "located_in",
    /// A person's home.
    LivesIn = "lives_in",
    /// A person's origin.
    ComesFrom = "comes_from",
    /// A person's move.
    MovedTo = "moved_to",
    /// A person's employer.
    WorksAt = "works_at",
    /// A person's occupation, a value.
    WorksAs = "works_as",
    /// The project or thing a person works on.
    WorksOn = "works_on",
    /// A person's school.
    StudiesAt = "studies_at",
    /// Heads a group or project.
    Leads = "leads",
    /// Has as property.
    Owns = "owns",
    /// Made it.
    Created = "created",
    /// Uses a tool.
    Uses = "uses",
    /// Needs it to work.
    DependsOn = "depends_on",
    /// Is hosted or executed by the object.
    RunsOn = "runs_on",
    /// The object took the subject's place.
    ReplacedBy = "replaced_by",
    /// A version number.
    HasVersion = "has_version",
    /// A property's value: a port, a limit.
    HasValue = "has_value",
    /// A price.
    Costs = "costs",
    /// A planned date.
    ScheduledFor = "scheduled_for",
    /// A past date.
    HappenedOn = "happened_on",
    /// A birthday.
    BornOn = "born_on",
    /// An age, a value.
    Age = "age",
    /// Spouse or partner.
    PartnerOf = "partner_of",
    /// Mother or father.
    ParentOf = "parent_of",
    /// Brother or sister.
    SiblingOf = "sibling_of",
    /// A friend.
    FriendOf = "friend_of",
    /// A colleague.
    ColleagueOf = "colleague_of",
    /// A person's animal.
    HasPet = "has_pet",
    /// Likes it.
    Likes = "likes",
    /// Dislikes it.
    Dislikes = "dislikes",
    /// Prefers it to others.
    Prefers = "prefers",
    /// Decided for it.
    Decided = "decided",
    /// Plans it.
    Plans = "plans",
    /// Was there.
    Visited = "visited",
    /// Took part in an event.
    Attended = "attended",
    /// What or who fixed the subject.
    FixedBy = "fixed_by",
    /// What caused the subject.
    CausedBy = "caused_by",
}

impl From<String> for RelationType {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<RelationType> for String {
    fn from(relation: RelationType) -> Self {
        relation.as_str().to_owned()
    }
}

impl fmt::Display for RelationType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl PartialEq<str> for RelationType {
    fn eq(&self, name: &str) -> bool {
        self.as_str() == name
    }
}

impl PartialEq<&str> for RelationType {
    fn eq(&self, name: &&str) -> bool {
        self.as_str() == *name
    }
}

impl PartialOrd for RelationType {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RelationType {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_to_its_type() {
        for known in RelationType::known() {
            assert_eq!(RelationType::from(known.as_str()), known);
            assert!(!matches!(known, RelationType::Other(_)));
        }
    }

    #[test]
    fn json_is_the_name() {
        for name in ["works_at", "sails_with", ""] {
            let relation = RelationType::from(name);
            let json = serde_json::to_string(&relation).unwrap();
            assert_eq!(json, format!("{name:?}"));
            assert_eq!(
                serde_json::from_str::<RelationType>(&json).unwrap(),
                relation
            );
        }
    }

    #[test]
    fn types_sort_by_name() {
        let mut types = ["works_at", "zebra", "age", "mine"].map(RelationType::from);
        types.sort();
        assert_eq!(
            types.map(String::from),
            ["age", "mine", "works_at", "zebra"]
        );
    }
}
