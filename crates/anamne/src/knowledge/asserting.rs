//! Assertions: statements of people about the graph, stored as facts.

use anamne_store::Listing;
use anamne_types::{
    Assertion, Body, Category, Draft, Filter, InvalidValue, Kind, Memory, Remembered,
};
use jiff::Timestamp;

use crate::Error;
use crate::space::Space;

impl Space {
    /// Stores an assertion about the graph, as a fact whose sentence recall can find. It counts until it is forgotten,
    /// or until `expires`.
    ///
    /// The evidence of a relation must be live memories of this space. A property told again replaces its former value,
    /// which stays in the history.
    ///
    /// Storing the same assertion again changes nothing while it is the latest one. Otherwise it is stored anew and the
    /// former fact is forgotten, so that it outranks assertions made in between.
    pub fn assert(
        &self,
        assertion: &Assertion,
        expires: Option<Timestamp>,
    ) -> Result<Remembered, Error> {
        self.require_write()?;
        assertion.check()?;
        self.check_evidence(assertion)?;
        let stored = serde_json::to_value(assertion).map_err(anamne_store::StoreError::from)?;
        let mut draft = Draft::new(assertion.sentence()).body(Body::Fact {
            category: Some(Category::Entity),
        });
        draft.metadata.insert(Assertion::KEY.to_owned(), stored);
        draft.expires_at = expires;
        let mut remembered = self.write(&draft)?;
        if !remembered.duplicate {
            return Ok(remembered);
        }
        let mut known = self.read(remembered.id)?;
        if !known.metadata.contains_key(Assertion::KEY) {
            // A memory with the same sentence exists: it stays, and the assertion is stored separately.
            draft.external_id = Some(format!("knowledge beside {}", known.id));
            remembered = self.write(&draft)?;
            if !remembered.duplicate {
                return Ok(remembered);
            }
            known = self.read(remembered.id)?;
        }
        let is_live = known.deleted_at.is_none();
        let is_the_same = known.metadata == draft.metadata && known.expires_at == expires;
        if is_live && is_the_same && self.is_last_word(&known)? {
            return Ok(remembered);
        }
        if is_live {
            self.forget(known.id)?;
        }
        draft.external_id = Some(format!("knowledge after {} at {}", known.id, self.now()));
        self.write(&draft)
    }

    /// Whether no assertion was stored after this memory.
    fn is_last_word(&self, memory: &Memory) -> Result<bool, Error> {
        let listing = Listing {
            filter: Filter {
                kinds: vec![Kind::Fact],
                categories: vec![Category::Entity],
                since: Some(memory.occurred_at),
                ..Filter::default()
            },
            limit: 1_000,
            ..Listing::default()
        };
        let since = self.list(&listing)?;
        let is_later =
            |other: &Memory| other.row > memory.row && other.metadata.contains_key(Assertion::KEY);
        Ok(!since.iter().any(is_later))
    }

    /// Rejects evidence that is no live memory of this space.
    fn check_evidence(&self, assertion: &Assertion) -> Result<(), Error> {
        let Assertion::Relation(told) = assertion else {
            return Ok(());
        };
        let known = self.get_each(&told.evidence)?;
        let is_live = |memory: &Memory| memory.deleted_at.is_none();
        for id in &told.evidence {
            if !known
                .iter()
                .any(|memory| memory.id == *id && is_live(memory))
            {
                let accepts = format!("memories of the space {}", self.name());
                return Err(InvalidValue::new("evidence", accepts, id).into());
            }
        }
        Ok(())
    }
}
