//! Resources: a memory, an entity or a summary by its address, as the same quoted text that the tools give.

mod address;
mod summary;

use anamne::text::quote::quote_name;
use anamne::{EntityQuery, ErrorKind, Limits, Listing};
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};

use super::call_context::CallContext;
use super::reply::{Failure, message_of};
use super::tools;
use address::{Address, Subject};

/// Resources of one page of the list.
const PAGE: usize = 50;

/// The most mentioned entities on the first page.
const ENTITIES: usize = 25;

/// The latest memories that are listed at all; the others are reached by address.
const LISTED: usize = 500;

/// Characters of the beginning of a memory in the list.
const BEGINNING: usize = 60;

const PLAIN: &str = "text/plain";

/// The kinds of addresses.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let of = |template: &str, name: &str, description: &str| {
        ResourceTemplate::new(format!("anamne://space/{{space}}/{template}"), name)
            .with_description(description)
            .with_mime_type(PLAIN)
    };
    vec![
        of(
            "memory/{id}",
            "memory",
            "A memory by id or citation, such as m12",
        ),
        of("entity/{name}", "entity", "What is known about an entity"),
        of(
            "summary/{level}/{of}",
            "summary",
            "A summary: day/2026-03-02, week/2026-03-02, month/2026-03 or thread/NAME",
        ),
    ]
}

/// A page of the list, and the cursor of the next one.
pub(crate) struct Page {
    pub(crate) resources: Vec<Resource>,
    pub(crate) next: Option<String>,
}

/// The most mentioned entities and the latest memories of the server's space.
pub(crate) fn list(cursor: Option<&str>, call: &CallContext) -> Result<Page, ErrorData> {
    let offset = match cursor {
        None => 0,
        Some(cursor) => offset_of(cursor).ok_or_else(|| {
            let message = format!("unknown cursor {cursor:?}; begin without one");
            ErrorData::invalid_params(message_of(&message), None)
        })?,
    };
    page(offset, call).map_err(|failure| problem(&failure))
}

/// The offset in the list of memories that a cursor stands for.
fn offset_of(cursor: &str) -> Option<usize> {
    let digits = cursor.strip_prefix("memories-")?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let offset: usize = digits.parse().ok().filter(|_| is_number)?;
    (offset > 0 && offset < LISTED).then_some(offset)
}

fn page(offset: usize, call: &CallContext) -> Result<Page, Failure> {
    let space = call.space(None)?;
    let mut resources = Vec::new();
    if offset == 0 {
        let query = EntityQuery {
            limit: ENTITIES,
            ..EntityQuery::default()
        };
        for entity in space.knowledge()?.entities(&query)? {
            let subject = Subject::Entity(entity.name.clone());
            let kind = entity.entity_type.as_str();
            resources.push(listed(call, subject, &entity.name, kind));
        }
    }
    let room = (PAGE - resources.len()).min(LISTED - offset);
    let (memories, skipped) = space.list_undamaged(&Listing {
        limit: room.min(Limits::RESULTS),
        offset,
        ..Listing::default()
    })?;
    for memory in &memories {
        let citation = memory.citation();
        let day = memory.occurred_at.strftime("%Y-%m-%d");
        let about = format!("{}, {day}", memory.kind());
        let beginning: String = memory.content.chars().take(BEGINNING).collect();
        let resource = listed(call, Subject::Memory(citation.clone()), &citation, &about);
        resources.push(resource.with_title(quote_name(&beginning)));
    }
    let listed = memories.len() + skipped.count as usize;
    let reached = offset + listed;
    let is_more = listed == room && reached < LISTED;
    Ok(Page {
        resources,
        next: is_more.then(|| format!("memories-{reached}")),
    })
}

fn listed(call: &CallContext, subject: Subject, name: &str, description: &str) -> Resource {
    let space = call.space.clone();
    Resource::new(Address { space, subject }.to_string(), quote_name(name))
        .with_description(description)
        .with_mime_type(PLAIN)
}

/// The text of a resource.
pub(crate) fn read(uri: &str, call: &CallContext) -> Result<ResourceContents, ErrorData> {
    let Some(address) = Address::read(uri) else {
        let message = format!("no resource {uri:?}; see the resource templates");
        return Err(ErrorData::resource_not_found(message_of(&message), None));
    };
    let text = text_of(&address, call).map_err(|failure| problem(&failure))?;
    Ok(ResourceContents::text(text, address.to_string()))
}

fn text_of(address: &Address, call: &CallContext) -> Result<String, Failure> {
    let space = address.space.as_str();
    match &address.subject {
        Subject::Memory(id) => tools::memory_text(id, space, call),
        Subject::Entity(name) => tools::entity_text(name, space, call),
        Subject::Summary { level, of } => summary::text_of(level, of, space, call),
    }
}

/// What is unknown, malformed or out of reach is not found; everything else is an error of the server.
fn problem(failure: &Failure) -> ErrorData {
    let message = message_of(&failure.message());
    let is_missing = match failure {
        Failure::Malformed(_) | Failure::Unknown(_) => true,
        Failure::Engine(error) => matches!(
            error.kind(),
            ErrorKind::Refused | ErrorKind::Denied | ErrorKind::NotFound
        ),
    };
    if is_missing {
        ErrorData::resource_not_found(message, None)
    } else {
        ErrorData::internal_error(message, None)
    }
}
