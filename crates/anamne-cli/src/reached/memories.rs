//! Memories and links of a space in either place.

use anamne::{
    Answer, Draft, Edit, Error, Filter, Link, LinkType, Listing, Memory, MemoryId, Order,
    OutsideErasure, Recall, Remembered, Seq, Skipped, UseOrder, Version, Visibility,
};
use anamne_client::{Query, RemoteSpace};

use super::{Reached, is_missing};
use crate::failure::Failure;
use crate::output::counted;

/// Memories that a server is asked for at a time.
const PAGE: usize = 500;

impl Reached {
    /// The memory with this id, without counting it as opened.
    pub(crate) fn read(&self, id: MemoryId) -> Result<Memory, Failure> {
        match self {
            Self::Here(space) => Ok(space.read(id)?),
            Self::There(space) => Ok(space.peek(&id.to_string())?),
        }
    }

    /// The same, or why this one can't be read: it was erased, or is damaged.
    pub(crate) fn read_or_reason(&self, id: MemoryId) -> Result<Result<Memory, String>, Failure> {
        match self {
            Self::Here(space) => match space.read(id) {
                Err(Error::Store(error)) if error.is_of_one_memory() => Ok(Err(error.to_string())),
                memory => Ok(Ok(memory?)),
            },
            Self::There(space) => match space.peek(&id.to_string()) {
                Err(error) if is_missing(&error) => Ok(Err(error.to_string())),
                memory => Ok(Ok(memory?)),
            },
        }
    }

    /// The memories with these ids, in order; missing ones are left out.
    pub(crate) fn get_each(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        match self {
            Self::Here(space) => Ok(space.get_each(ids)?),
            Self::There(space) => {
                let mut found = Vec::with_capacity(ids.len());
                for id in ids {
                    match space.peek(&id.to_string()) {
                        Ok(memory) => found.push(memory),
                        Err(error) if is_missing(&error) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Ok(found)
            }
        }
    }

    /// Stores a memory.
    pub(crate) fn remember(&self, draft: Draft) -> Result<Remembered, Failure> {
        match self {
            Self::Here(space) => Ok(space.remember(draft)?),
            Self::There(space) => Ok(space.remember(&draft)?),
        }
    }

    /// Finds memories.
    pub(crate) fn recall(&self, question: &Recall) -> Result<Answer, Failure> {
        match self {
            Self::Here(space) => Ok(space.recall(question)?),
            Self::There(space) => Ok(space.recall(question)?),
        }
    }

    /// Memories in an order. O(offset + limit) on a server, too, which pages from the beginning.
    pub(crate) fn list(&self, listing: &Listing) -> Result<(Vec<Memory>, Skipped), Failure> {
        match self {
            Self::Here(space) => Ok(space.list_undamaged(listing)?),
            Self::There(space) => {
                let sort = match listing.order {
                    Order::NewestFirst => "newest",
                    Order::OldestFirst => "oldest",
                    Order::ByThread => "thread",
                };
                Ok((paged(space, listing, sort)?, Skipped::default()))
            }
        }
    }

    /// Memories that were opened, by their use.
    pub(crate) fn list_by_use(
        &self,
        listing: &Listing,
        order: UseOrder,
    ) -> Result<Vec<Memory>, Failure> {
        match self {
            Self::Here(space) => Ok(space.list_by_use(listing, order)?),
            Self::There(space) => {
                let sort = match order {
                    UseOrder::Accessed => "accessed",
                    UseOrder::AccessCount => "most_accessed",
                };
                paged(space, listing, sort)
            }
        }
    }

    /// Memories by their current importance.
    pub(crate) fn list_by_importance(&self, listing: &Listing) -> Result<Vec<Memory>, Failure> {
        match self {
            Self::Here(space) => Ok(space.list_by_importance(listing)?),
            Self::There(space) => paged(space, listing, "importance"),
        }
    }

    /// The ids of all memories that match a filter, oldest first.
    pub(crate) fn select(
        &self,
        filter: &Filter,
        visibility: Visibility,
    ) -> Result<Vec<MemoryId>, Failure> {
        match self {
            Self::Here(space) => Ok(space.select(filter, visibility, Order::OldestFirst)?),
            Self::There(space) => {
                let states: &[bool] = match visibility {
                    Visibility::Live => &[false],
                    Visibility::Forgotten => &[true],
                    Visibility::Both => &[false, true],
                };
                let mut ids = Vec::new();
                for forgotten in states {
                    let listing = Listing {
                        filter: filter.clone(),
                        limit: usize::MAX,
                        forgotten: *forgotten,
                        ..Listing::default()
                    };
                    let found = paged(space, &listing, "oldest")?;
                    ids.extend(found.into_iter().map(|memory| memory.id));
                }
                Ok(ids)
            }
        }
    }

    /// Changes a memory.
    pub(crate) fn edit(&self, id: MemoryId, edit: &Edit) -> Result<Memory, Failure> {
        match self {
            Self::Here(space) => Ok(space.edit(id, edit)?),
            Self::There(space) => Ok(space.edit(&id.to_string(), edit)?),
        }
    }

    /// Forgets memories, all or none.
    pub(crate) fn forget_all(&self, ids: &[MemoryId]) -> Result<(), Failure> {
        match self {
            Self::Here(space) => space.forget_all(ids).map(drop).map_err(Failure::from),
            Self::There(space) => space.forget(ids).map(drop).map_err(Failure::from),
        }
    }

    /// Erases memories permanently, all or none. What a server reached is for its operator to see.
    pub(crate) fn erase_all(&self, ids: &[MemoryId]) -> Result<OutsideErasure, Failure> {
        match self {
            Self::Here(space) => Ok(space.erase_all(ids)?),
            Self::There(space) => {
                let erased = space.erase(ids)?;
                if erased.unreached > 0 {
                    return Err(Failure::failed(format!(
                        "erased, but {} of the server may still have the content; it tries again",
                        counted(erased.unreached as u64, "place")
                    )));
                }
                Ok(OutsideErasure::default())
            }
        }
    }

    /// Completes earlier erasures that were interrupted or could not reach every place; a server does that by itself.
    pub(crate) fn finish_erasures(&self) -> Result<OutsideErasure, Failure> {
        match self {
            Self::Here(space) => Ok(space.finish_erasures()?),
            Self::There(_) => Ok(OutsideErasure::default()),
        }
    }

    /// Brings a forgotten memory back.
    pub(crate) fn restore(&self, id: MemoryId) -> Result<Memory, Failure> {
        match self {
            Self::Here(space) => Ok(space.restore(id)?),
            Self::There(space) => Ok(space.restore(&id.to_string())?),
        }
    }

    /// The versions of a memory, oldest first.
    pub(crate) fn history(&self, id: MemoryId) -> Result<Vec<Version>, Failure> {
        match self {
            Self::Here(space) => Ok(space.history(id)?),
            Self::There(space) => Ok(space.history(&id.to_string())?),
        }
    }

    /// The version of a memory at a time.
    pub(crate) fn as_of(
        &self,
        id: MemoryId,
        at: jiff::Timestamp,
    ) -> Result<Option<Version>, Failure> {
        match self {
            Self::Here(space) => Ok(space.as_of(id, at)?),
            Self::There(space) => {
                let versions = space.history(&id.to_string())?.into_iter();
                Ok(versions.take_while(|version| version.at <= at).last())
            }
        }
    }

    /// Links two memories.
    pub(crate) fn link(&self, link: &Link) -> Result<Seq, Failure> {
        match self {
            Self::Here(space) => Ok(space.link(link)?),
            Self::There(space) => Ok(space.link(link)?.seq),
        }
    }

    /// Removes a link; `false` if there was none.
    pub(crate) fn unlink(
        &self,
        from: MemoryId,
        to: MemoryId,
        link_type: LinkType,
    ) -> Result<bool, Failure> {
        match self {
            Self::Here(space) => Ok(space.unlink(from, to, link_type)?),
            Self::There(space) => match space.unlink(from, to, link_type) {
                Ok(()) => Ok(true),
                Err(error) if is_missing(&error) => Ok(false),
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// The memories of a listing, page by page.
fn paged(space: &RemoteSpace, listing: &Listing, sort: &str) -> Result<Vec<Memory>, Failure> {
    let wanted = listing.offset.saturating_add(listing.limit);
    let choices = |limit: usize| {
        let choices = Query::new().with("sort", sort).with("limit", limit);
        choices.maybe("forgotten", listing.forgotten.then_some(true))
    };
    let (mut found, mut cursor) = (Vec::new(), None::<String>);
    while found.len() < wanted {
        // The limit belongs to the list that a cursor continues, so it stays the same.
        let page = space.list(
            &listing.filter,
            &choices(wanted.min(PAGE)),
            cursor.as_deref(),
        )?;
        found.extend(page.memories);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    found.truncate(wanted);
    Ok(found.split_off(listing.offset.min(found.len())))
}
