//! Lists of memories, page by page.

use std::str::FromStr;
use std::sync::Arc;

use anamne::{Condition, Filter, InvalidValue, Limits, Listing, Memory, Order, Space, UseOrder};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::cursor::{Owner, Place};
use super::shared::check_small;
use crate::http::body::{Json, Path, Query};
use crate::http::{App, Caller, Problem};

/// Memories of a page, if the client names no number.
const USUAL: usize = 50;

/// Memories that are read at a time.
const AT_A_TIME: usize = 32;

/// A page ends after this many bytes of content.
const MOST_BYTES: usize = 4 << 20;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
enum Sort {
    #[default]
    Newest,
    Oldest,
    Thread,
    Accessed,
    MostAccessed,
    Importance,
}

impl FromStr for Sort {
    type Err = InvalidValue;

    fn from_str(word: &str) -> Result<Self, InvalidValue> {
        Ok(match word {
            "newest" => Self::Newest,
            "oldest" => Self::Oldest,
            "thread" => Self::Thread,
            "accessed" => Self::Accessed,
            "most_accessed" => Self::MostAccessed,
            "importance" => Self::Importance,
            _ => {
                let accepts = "newest, oldest, thread, accessed, most_accessed or importance";
                return Err(InvalidValue::new("sort", accepts, format!("{word:?}")));
            }
        })
    }
}

/// A page to read.
#[derive(Debug)]
struct PageRequest {
    filter: Filter,
    sort: Sort,
    forgotten: bool,
    limit: usize,
    cursor: Option<String>,
}

impl PageRequest {
    /// Reads the parameters of a URL. Unknown names and repeated single values are refused.
    fn of(parameters: Vec<(String, String)>) -> Result<Self, Problem> {
        let mut filter = Filter::default();
        let (mut sort, mut forgotten, mut limit, mut cursor) = (None, None, None, None);
        for (name, value) in parameters {
            match name.as_str() {
                "since" => once(&mut filter.since, &name, &value, time)?,
                "until" => once(&mut filter.until, &name, &value, time)?,
                "thread" => filter.threads.push(value),
                "kind" => filter.kinds.push(value.parse()?),
                "category" => filter.categories.push(value.parse()?),
                "tag" => filter.tags.push(value),
                "author" => filter.authors.push(value),
                "session" => filter.sessions.push(value),
                "min_importance" => once(&mut filter.min_importance, &name, &value, number)?,
                "min_trust" => once(&mut filter.min_trust, &name, &value, number)?,
                "where" => filter.conditions.push(value.parse::<Condition>()?),
                "accessed_since" => once(&mut filter.accessed_since, &name, &value, time)?,
                "min_accesses" => once(&mut filter.min_accesses, &name, &value, number)?,
                "sort" => once(&mut sort, &name, &value, |_, value| value.parse())?,
                "forgotten" => once(&mut forgotten, &name, &value, number::<bool>)?,
                "limit" => once(&mut limit, &name, &value, number)?,
                "cursor" => once(&mut cursor, &name, &value, |_, value| Ok(value.to_owned()))?,
                _ => return Err(unknown(&name)),
            }
        }
        let limit = limit.unwrap_or(USUAL);
        Limits::check_results(limit)?;
        filter.check()?;
        Ok(Self {
            filter,
            sort: sort.unwrap_or_default(),
            forgotten: forgotten.unwrap_or_default(),
            limit,
            cursor,
        })
    }

    /// What the list is, whatever its pages: a cursor belongs to it.
    fn identity(&self) -> Result<String, Problem> {
        serde_json::to_string(&(&self.filter, self.sort, self.forgotten))
            .map_err(|_| Problem::unexpected())
    }

    fn read(
        &self,
        space: &Space,
        place: Option<&Place>,
        limit: usize,
    ) -> Result<Vec<Memory>, Problem> {
        let (after, offset) = match place {
            None => (None, 0),
            Some(Place::After(position)) => (Some(position.clone()), 0),
            Some(Place::Offset(offset)) => (None, *offset),
        };
        let mut listing = Listing {
            filter: self.filter.clone(),
            order: Order::NewestFirst,
            limit,
            offset,
            forgotten: self.forgotten,
            after,
        };
        let by_use = match self.sort {
            Sort::Accessed => UseOrder::Accessed,
            Sort::MostAccessed => UseOrder::AccessCount,
            // Reads every matching memory.
            Sort::Importance => {
                check_small(space)?;
                return Ok(space.list_by_importance(&listing)?);
            }
            Sort::Newest => return Ok(space.list(&listing)?),
            Sort::Oldest => {
                listing.order = Order::OldestFirst;
                return Ok(space.list(&listing)?);
            }
            Sort::Thread => {
                listing.order = Order::ByThread;
                return Ok(space.list(&listing)?);
            }
        };
        Ok(space.list_by_use(&listing, by_use)?)
    }

    /// The place after a memory, and after `before` that came before it.
    fn place(&self, memory: &Memory, before: Option<&Place>) -> Place {
        match (self.sort, before) {
            (
                Sort::Accessed | Sort::MostAccessed | Sort::Importance,
                Some(Place::Offset(offset)),
            ) => Place::Offset(offset + 1),
            (Sort::Accessed | Sort::MostAccessed | Sort::Importance, _) => Place::Offset(1),
            _ => Place::After(memory.into()),
        }
    }

    /// Reads a page; the place at its end, if more follow.
    fn page(
        &self,
        space: &Space,
        start: Option<Place>,
    ) -> Result<(Vec<Memory>, Option<Place>), Problem> {
        let (mut page, mut bytes, mut place) = (Vec::new(), 0, start);
        loop {
            // One more shows whether there are more.
            let wanted = (self.limit + 1 - page.len()).min(AT_A_TIME);
            let found = self.read(space, place.as_ref(), wanted)?;
            let is_end = found.len() < wanted;
            for memory in found {
                if page.len() == self.limit || bytes > MOST_BYTES {
                    return Ok((page, place));
                }
                bytes += memory.content.len();
                place = Some(self.place(&memory, place.as_ref()));
                page.push(memory);
            }
            if is_end {
                return Ok((page, None));
            }
        }
    }
}

fn unknown(name: &str) -> Problem {
    let accepts = "since, until, thread, kind, category, tag, author, session, min_importance, min_trust, where, \
                   accessed_since, min_accesses, sort, forgotten, limit, cursor";
    InvalidValue::new("query", accepts, format!("{name:?}")).into()
}

/// Reads a parameter that may be there once.
fn once<T>(
    field: &mut Option<T>,
    name: &str,
    value: &str,
    read: impl FnOnce(&str, &str) -> Result<T, InvalidValue>,
) -> Result<(), InvalidValue> {
    let is_repeated = field.replace(read(name, value)?).is_some();
    if is_repeated {
        return Err(InvalidValue::new(name, "given once", "repeated"));
    }
    Ok(())
}

fn time(name: &str, value: &str) -> Result<Timestamp, InvalidValue> {
    let accepts = "a time such as 2026-03-01T12:00:00Z";
    let read = value.parse();
    read.map_err(|_| InvalidValue::new(name, accepts, format!("{value:?}")))
}

/// A number, or `true` or `false`.
fn number<T: FromStr>(name: &str, value: &str) -> Result<T, InvalidValue> {
    let accepts = match std::any::type_name::<T>() {
        "bool" => "true or false",
        "f32" => "a number",
        _ => "a whole number within its range",
    };
    let read = value.parse();
    read.map_err(|_| InvalidValue::new(name, accepts, format!("{value:?}")))
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
struct Page {
    /// The memories.
    memories: Vec<Memory>,
    /// The cursor of the next page; none on the last.
    next: Option<String>,
}

/// List memories by filter and order, page by page
///
/// What is stored meanwhile does not shift the pages of the orders `newest`, `oldest` and `thread`. A page may have fewer
/// memories than `limit` if their texts are long. A cursor is for the caller, space, filter and order of its list.
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories",
    tag = "memories",
    operation_id = "list_memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("since" = Option<String>, Query, description = "Happened at or after this time"),
        ("until" = Option<String>, Query, description = "Happened before this time"),
        ("thread" = Option<Vec<String>>, Query, description = "In one of these threads; repeat the name for several"),
        ("kind" = Option<Vec<anamne::Kind>>, Query, description = "Of one of these kinds"),
        ("category" = Option<Vec<anamne::Category>>, Query, description = "Of one of these categories of fact"),
        ("tag" = Option<Vec<String>>, Query, description = "With all of these tags"),
        ("author" = Option<Vec<String>>, Query, description = "By one of these authors"),
        ("session" = Option<Vec<String>>, Query, description = "Written in one of these sessions"),
        ("min_importance" = Option<u8>, Query, description = "Minimum importance, 1 to 10"),
        ("min_trust" = Option<f32>, Query, description = "Minimum trust, 0 to 1"),
        ("where" = Option<Vec<String>>, Query, description = "A condition on metadata such as `priority>=3`; all must be met"),
        ("accessed_since" = Option<String>, Query, description = "Opened by its id at or after this time"),
        ("min_accesses" = Option<u64>, Query, description = "Minimum number of times that it was opened by its id"),
        ("sort" = Option<String>, Query, description = "newest (the default), oldest, thread, accessed, most_accessed or importance"),
        ("forgotten" = Option<bool>, Query, description = "Only forgotten memories"),
        ("limit" = Option<usize>, Query, description = "1 to 1000 memories; 50 by default"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")
    ),
    responses((status = 200, body = Page), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(space): Path<String>,
    Query(parameters): Query<Vec<(String, String)>>,
) -> Result<Json<Page>, Problem> {
    let request = PageRequest::of(parameters)?;
    let (identity, caller_name) = (request.identity()?, caller.identity());
    let listed = caller.with_store(move |store| {
        let space = store.existing_space(&space)?;
        let owner = Owner([&caller_name, space.name(), &identity]);
        let cursor = request.cursor.as_deref();
        let start = cursor.map(|cursor| owner.open(cursor)).transpose()?;
        let (memories, next) = request.page(&space, start)?;
        Ok(Page {
            memories,
            next: next.map(|place| owner.seal(&place)).transpose()?,
        })
    });
    listed.await.map(Json)
}
