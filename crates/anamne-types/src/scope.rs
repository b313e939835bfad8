//! Who asks, which spaces they may use, and what they are allowed to do.

use std::collections::BTreeSet;

use crate::body::words;
use crate::limits::{accept, check_some};
use crate::{Actor, InvalidValue};

/// A set of spaces, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceSet {
    /// Every space of the store, those that are made later included.
    All,
    /// These alone.
    Only(BTreeSet<String>),
    /// Every space but these.
    Except(BTreeSet<String>),
}

impl SpaceSet {
    /// No space at all.
    pub fn none() -> Self {
        Self::Only(BTreeSet::new())
    }

    /// The spaces with these names.
    pub fn only<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self::Only(names.into_iter().map(Into::into).collect())
    }

    /// Whether the space is in the set.
    pub fn contains(&self, space: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(space),
            Self::Except(names) => !names.contains(space),
        }
    }

    /// What both sets contain.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, set) | (set, Self::All) => set.clone(),
            (Self::Only(names), set) | (set, Self::Only(names)) => {
                let both = names.iter().filter(|name| set.contains(name));
                Self::Only(both.cloned().collect())
            }
            (Self::Except(one), Self::Except(other)) => {
                Self::Except(one.union(other).cloned().collect())
            }
        }
    }
}

words! {
    /// Something that a scope allows beyond reading and writing.
    Right as "right" {
        /// Remove content permanently, from the journal and the backups too.
        Erase = 1 "erase",
        /// Change settings, rebuild and repair, back up, and see to background work.
        Configure = 2 "configure",
        /// Vouch for what is told: trust above one's own, and imports that are believed.
        Trust = 3 "trust",
    }
}

/// What a caller may do: who asks, which spaces are read and written, and what else is allowed.
///
/// A scope is only ever narrowed: [`Scope::narrowed`] allows what both scopes allow.
///
/// ```
/// use anamne_types::{Actor, Right, Scope, SpaceSet};
///
/// let agent = Scope::of(Actor::agent("editor"))
///     .reading(SpaceSet::only(["atlas", "core"]))
///     .writing(SpaceSet::only(["atlas"]));
/// assert!(agent.may_read("core") && !agent.may_write("core") && !agent.may_read("payroll"));
/// assert!(!agent.allows(Right::Erase));
/// assert_eq!(Scope::owner().narrowed(&agent), agent);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    actor: Actor,
    read: SpaceSet,
    write: SpaceSet,
    rights: BTreeSet<Right>,
}

impl Scope {
    /// The person whose store it is: every space, and everything allowed.
    pub fn owner() -> Self {
        Self {
            actor: Actor::user(),
            read: SpaceSet::All,
            write: SpaceSet::All,
            rights: Right::ALL.iter().copied().collect(),
        }
    }

    /// A party that may do nothing yet.
    pub fn of(actor: Actor) -> Self {
        Self {
            actor,
            read: SpaceSet::none(),
            write: SpaceSet::none(),
            rights: BTreeSet::new(),
        }
    }

    /// Sets which spaces may be read.
    #[must_use]
    pub fn reading(mut self, spaces: SpaceSet) -> Self {
        self.read = spaces;
        self
    }

    /// Sets which spaces may be written. A space that can't be read can't be written either.
    #[must_use]
    pub fn writing(mut self, spaces: SpaceSet) -> Self {
        self.write = spaces;
        self
    }

    /// Allows something more.
    #[must_use]
    pub fn allowing(mut self, right: Right) -> Self {
        self.rights.insert(right);
        self
    }

    /// What both scopes allow, in the name of the other's actor.
    #[must_use]
    pub fn narrowed(&self, other: &Self) -> Self {
        Self {
            actor: other.actor.clone(),
            read: self.read.intersection(&other.read),
            write: self.write.intersection(&other.write),
            rights: self.rights.intersection(&other.rights).copied().collect(),
        }
    }

    /// The same scope in the name of another party.
    #[must_use]
    pub fn acting_as(mut self, actor: Actor) -> Self {
        self.actor = actor;
        self
    }

    /// Who asks.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Whether every space may be read.
    pub fn reads_all(&self) -> bool {
        self.read == SpaceSet::All
    }

    /// Whether the space may be read.
    pub fn may_read(&self, space: &str) -> bool {
        self.read.contains(space)
    }

    /// Whether the space may be written.
    pub fn may_write(&self, space: &str) -> bool {
        self.may_read(space) && self.write.contains(space)
    }

    /// Whether something is allowed beyond reading and writing.
    pub fn allows(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }

    /// The highest trust that the actor can give to what it tells, 0 to 1.
    pub fn highest_trust(&self) -> f32 {
        if self.allows(Right::Trust) {
            1.0
        } else {
            self.actor.default_trust()
        }
    }

    /// Checks a trust that was asked for against [`Scope::highest_trust`].
    pub fn check_trust(&self, trust: Option<f32>) -> Result<(), InvalidValue> {
        let highest = self.highest_trust();
        check_some(trust, |trust| {
            let accepts = format_args!("at most {highest}, the trust of the writer");
            let is_beyond = trust > highest;
            accept(!is_beyond, "trust", accepts, trust)
        })
    }
}
