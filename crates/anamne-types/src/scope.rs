//! The scope of a caller: who it is, which spaces it may use, and its rights.

use std::collections::BTreeSet;

use crate::body::string_enum;
use crate::limits::{accept, check_some};
use crate::{Actor, InvalidValue};

/// A set of spaces, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceSet {
    /// Every space of the store, including those created later.
    All,
    /// Only these.
    Only(BTreeSet<String>),
    /// Every space except these.
    Except(BTreeSet<String>),
}

impl SpaceSet {
    /// The empty set.
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

    /// The intersection of both sets.
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

/// The owner of a private space, by its name: `~ada` and `~ada.notes` are private to the principal `ada`. `None` for a
/// shared space.
pub fn space_owner(space: &str) -> Option<&str> {
    let private = space.strip_prefix('~')?;
    Some(private.split_once('.').map_or(private, |(owner, _)| owner))
}

/// Checks that memories of the space `home` may be shown in, or moved to, the space `into`: those of a private space stay in
/// spaces that are private to the same principal, whose other readers are the same.
pub fn check_leaves_home(field: &str, home: &str, into: &str) -> Result<(), InvalidValue> {
    let Some(owner) = space_owner(home) else {
        return Ok(());
    };
    if space_owner(into) == Some(owner) {
        return Ok(());
    }
    let accepts = format!("a space that is private to {owner:?}, as {home:?} is");
    Err(InvalidValue::new(field, accepts, into))
}

/// Which private spaces a scope includes, of those in its set of spaces; see [`space_owner`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PrivateSpaces {
    /// Everybody's.
    #[default]
    All,
    /// Those of one principal.
    Of(String),
    /// None.
    None,
}

impl PrivateSpaces {
    /// Whether the space is shared, or private to an included principal.
    pub fn contains(&self, space: &str) -> bool {
        match (self, space_owner(space)) {
            (Self::All, _) | (_, None) => true,
            (Self::Of(principal), Some(owner)) => principal == owner,
            (Self::None, Some(_)) => false,
        }
    }

    /// What both include.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, one) | (one, Self::All) => one.clone(),
            (one, other) if one == other => one.clone(),
            _ => Self::None,
        }
    }
}

string_enum! {
    /// A right beyond reading and writing.
    Right as "right" {
        /// Permanently remove content, also from the journal and the backups.
        Erase = 1 "erase",
        /// Change settings, rebuild and repair, back up, and manage background work.
        Configure = 2 "configure",
        /// Vouch for content: give more trust than one's own, and accept the claims of imports.
        Trust = 3 "trust",
    }
}

/// What a caller may do: who it is, which spaces it may read and write, and its rights.
///
/// A scope can only be narrowed: [`Scope::narrowed`] allows what both scopes allow.
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
    private: PrivateSpaces,
    author: Option<String>,
    rights: BTreeSet<Right>,
}

impl Scope {
    /// The scope of the store's owner: every space and every right.
    pub fn owner() -> Self {
        Self {
            actor: Actor::user(),
            read: SpaceSet::All,
            write: SpaceSet::All,
            private: PrivateSpaces::All,
            author: None,
            rights: Right::ALL.iter().copied().collect(),
        }
    }

    /// A scope of this actor without any permission.
    pub fn of(actor: Actor) -> Self {
        Self {
            actor,
            read: SpaceSet::none(),
            write: SpaceSet::none(),
            private: PrivateSpaces::All,
            author: None,
            rights: BTreeSet::new(),
        }
    }

    /// Sets the readable spaces.
    #[must_use]
    pub fn reading(mut self, spaces: SpaceSet) -> Self {
        self.read = spaces;
        self
    }

    /// Sets the writable spaces. A space must also be readable to be written.
    #[must_use]
    pub fn writing(mut self, spaces: SpaceSet) -> Self {
        self.write = spaces;
        self
    }

    /// Leaves out private spaces of others, whatever the sets of spaces include.
    #[must_use]
    pub fn with_private(mut self, private: PrivateSpaces) -> Self {
        self.private = private;
        self
    }

    /// Sets the author of what is told without one, also when it is told as another actor.
    #[must_use]
    pub fn with_author(mut self, author: impl Into<String>) -> Self {
        self.author = Some(author.into());
        self
    }

    /// The author of what is told without one.
    pub fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// Adds a right.
    #[must_use]
    pub fn allowing(mut self, right: Right) -> Self {
        self.rights.insert(right);
        self
    }

    /// What both scopes allow, for the actor of `other`.
    #[must_use]
    pub fn narrowed(&self, other: &Self) -> Self {
        Self {
            actor: other.actor.clone(),
            read: self.read.intersection(&other.read),
            write: self.write.intersection(&other.write),
            private: self.private.intersection(&other.private),
            author: other.author.as_ref().or(self.author.as_ref()).cloned(),
            rights: self.rights.intersection(&other.rights).copied().collect(),
        }
    }

    /// The same scope for another actor.
    #[must_use]
    pub fn acting_as(mut self, actor: Actor) -> Self {
        self.actor = actor;
        self
    }

    /// The actor.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Whether every space is readable.
    pub fn reads_all(&self) -> bool {
        self.read == SpaceSet::All && self.private == PrivateSpaces::All
    }

    /// Whether the space is readable.
    pub fn may_read(&self, space: &str) -> bool {
        self.read.contains(space) && self.private.contains(space)
    }

    /// Whether the space is writable.
    pub fn may_write(&self, space: &str) -> bool {
        self.may_read(space) && self.write.contains(space)
    }

    /// Whether the scope includes this right.
    pub fn allows(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }

    /// The maximum trust that the actor can give to memories, 0 to 1.
    pub fn highest_trust(&self) -> f32 {
        if self.allows(Right::Trust) {
            1.0
        } else {
            self.actor.default_trust()
        }
    }

    /// Checks a requested trust against [`Scope::highest_trust`].
    pub fn check_trust(&self, trust: Option<f32>) -> Result<(), InvalidValue> {
        let highest = self.highest_trust();
        check_some(trust, |trust| {
            let accepts = format_args!("at most {highest}, the trust of the writer");
            let is_beyond = trust > highest;
            accept(!is_beyond, "trust", accepts, trust)
        })
    }
}
