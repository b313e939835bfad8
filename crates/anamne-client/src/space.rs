//! A space of a server.

use std::io::Read;

use anamne_net::BothWays;
use anamne_types::{
    Answer, Context, ContextRequest, Draft, Edit, Filter, Link, LinkType, Memory, MemoryId, Recall,
    Remembered, Seq, Version,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::client::{Client, Method};
use crate::error::ClientError;
use crate::path::Query;

/// A space of a server; each method is one request.
#[derive(Clone, Debug)]
pub struct RemoteSpace {
    pub(crate) client: Client,
    name: String,
}

impl RemoteSpace {
    pub(crate) fn new(client: Client, name: String) -> Self {
        Self { client, name }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Stores a memory; the space is created if it is missing.
    pub fn remember(&self, draft: &Draft) -> Result<Remembered, ClientError> {
        self.call(Method::Post, &["memories"], Some(draft))
    }

    /// Finds memories. Every feature of the ranking is in the explanations.
    pub fn recall(&self, question: &Recall) -> Result<Answer, ClientError> {
        let detail = Query::new().with("features", true);
        self.call_with(Method::Post, &["recall"], &detail, Some(question))
    }

    /// A block of memories for a model.
    pub fn context(&self, request: &ContextRequest) -> Result<Context, ClientError> {
        self.call(Method::Post, &["context"], Some(request))
    }

    /// The memory with this id, beginning of an id, or citation.
    pub fn get(&self, id: &str) -> Result<Memory, ClientError> {
        self.call(Method::Get, &["memories", id], None::<&()>)
    }

    /// The same, without counting it as opened.
    pub fn peek(&self, id: &str) -> Result<Memory, ClientError> {
        self.read(&["memories", id], &Query::new().with("peek", true))
    }

    /// The memory with this external id, without counting it as opened.
    pub fn imported(&self, external_id: &str) -> Result<Memory, ClientError> {
        let query = Query::new().with("peek", true).with("external", true);
        self.read(&["memories", external_id], &query)
    }

    /// Changes a memory.
    pub fn edit(&self, id: &str, edit: &Edit) -> Result<Memory, ClientError> {
        self.call(Method::Patch, &["memories", id], Some(edit))
    }

    /// Forgets memories, all or none; [`RemoteSpace::restore`] brings one back.
    pub fn forget(&self, ids: &[MemoryId]) -> Result<Forgotten, ClientError> {
        self.remove(ids, false)
    }

    /// Erases memories permanently, all or none.
    pub fn erase(&self, ids: &[MemoryId]) -> Result<Forgotten, ClientError> {
        self.remove(ids, true)
    }

    fn remove(&self, ids: &[MemoryId], hard: bool) -> Result<Forgotten, ClientError> {
        let request = Forgetting { ids, hard };
        self.call(Method::Post, &["memories", "forget"], Some(&request))
    }

    /// Brings a forgotten memory back.
    pub fn restore(&self, id: &str) -> Result<Memory, ClientError> {
        self.call(Method::Post, &["memories", id, "restore"], None::<&()>)
    }

    /// The versions of a memory, the current one last.
    pub fn history(&self, id: &str) -> Result<Vec<Version>, ClientError> {
        let route = &["memories", id, "history"];
        let read: Versions = self.call(Method::Get, route, None::<&()>)?;
        Ok(read.versions)
    }

    /// A page of memories in an order of the server (`newest`, `oldest`, `thread`, `accessed`, `most_accessed`), and the
    /// cursor of the next page.
    pub fn list(
        &self,
        filter: &Filter,
        choices: &Query,
        cursor: Option<&str>,
    ) -> Result<MemoryPage, ClientError> {
        let query = filtered(choices.clone(), filter).maybe("cursor", cursor);
        self.call_with(Method::Get, &["memories"], &query, None::<&()>)
    }

    /// Links two memories; linking again changes weight and reason.
    pub fn link(&self, link: &Link) -> Result<Linked, ClientError> {
        let new = serde_json::json!({
            "from": link.from, "to": link.to, "type": link.link_type,
            "weight": link.weight, "reason": link.reason,
        });
        self.call(Method::Post, &["links"], Some(&new))
    }

    /// Removes a link. [`ClientError::Problem`] of kind `not_found` if there is none.
    pub fn unlink(
        &self,
        from: MemoryId,
        to: MemoryId,
        link_type: LinkType,
    ) -> Result<(), ClientError> {
        let query = Query::new()
            .with("from", from)
            .with("to", to)
            .with("type", link_type);
        self.call_with(Method::Delete, &["links"], &query, None::<&()>)
    }

    /// The links that start or end at a memory.
    pub fn links(&self, id: &str) -> Result<Vec<Link>, ClientError> {
        let route = &["memories", id, "links"];
        let read: Links = self.call(Method::Get, route, None::<&()>)?;
        Ok(read.links)
    }

    /// Makes the space if it is missing.
    pub fn create(&self) -> Result<(), ClientError> {
        let new = serde_json::json!({ "name": self.name });
        let route = &["v1", "spaces"];
        let made: serde_json::Value =
            self.client
                .call(Method::Post, route, &Query::new(), Some(&new))?;
        drop(made);
        Ok(())
    }

    /// The answer of a route of the space as it arrives.
    pub fn stream(&self, route: &[&str], query: &Query) -> Result<impl Read + use<>, ClientError> {
        self.client.stream(&self.parts(route), query)
    }

    /// Sends what `body` reads to a route of the space, and returns the answer to be read meanwhile; both are of this media
    /// type. See [`Client::send_and_read`].
    pub fn send_and_read(
        &self,
        route: &[&str],
        query: &Query,
        media_type: &str,
        body: impl Read + Send + 'static,
    ) -> Result<BothWays, ClientError> {
        let parts = self.parts(route);
        self.client.send_and_read(&parts, query, media_type, body)
    }

    pub(crate) fn parts<'a>(&'a self, route: &[&'a str]) -> Vec<&'a str> {
        let mut parts = vec!["v1", "spaces", self.name.as_str()];
        parts.extend(route);
        parts
    }

    /// Reads a route of the space.
    pub fn read<T: DeserializeOwned>(
        &self,
        route: &[&str],
        query: &Query,
    ) -> Result<T, ClientError> {
        self.call_with(Method::Get, route, query, None::<&()>)
    }

    /// Reads one field of what a route of the space answers.
    pub fn read_field<T: DeserializeOwned>(
        &self,
        route: &[&str],
        query: &Query,
        field: &str,
    ) -> Result<T, ClientError> {
        let mut whole: serde_json::Map<String, serde_json::Value> = self.read(route, query)?;
        let value = whole.remove(field).unwrap_or_default();
        serde_json::from_value(value).map_err(|error| ClientError::Answer {
            status: 200,
            reason: format!("{field}: {error}"),
        })
    }

    /// Sends JSON to a route of the space.
    pub fn post<T: DeserializeOwned>(
        &self,
        route: &[&str],
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.call(Method::Post, route, Some(body))
    }

    /// Sends JSON, if any, to a route of the space.
    pub fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &[&str],
        body: Option<&impl Serialize>,
    ) -> Result<T, ClientError> {
        self.call_with(method, route, &Query::new(), body)
    }

    /// The same with a query.
    pub fn call_with<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &[&str],
        query: &Query,
        body: Option<&impl Serialize>,
    ) -> Result<T, ClientError> {
        self.client.call(method, &self.parts(route), query, body)
    }
}

/// Memories that were forgotten or erased.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Forgotten {
    /// The memories.
    pub ids: Vec<MemoryId>,
    /// Whether their content was erased permanently, not only forgotten.
    pub erased: bool,
    /// Number of places that may still have erased content; the server tries again.
    pub unreached: usize,
}

/// A page of memories.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MemoryPage {
    /// The memories.
    pub memories: Vec<Memory>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// A link as it was stored.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Linked {
    /// The link.
    #[serde(flatten)]
    pub link: Link,
    /// The event that stored it.
    pub seq: Seq,
}

#[derive(Serialize)]
struct Forgetting<'a> {
    ids: &'a [MemoryId],
    hard: bool,
}

#[derive(Deserialize)]
struct Versions {
    versions: Vec<Version>,
}

#[derive(Deserialize)]
struct Links {
    links: Vec<Link>,
}

/// The query that stands for a filter.
fn filtered(mut query: Query, filter: &Filter) -> Query {
    query = query
        .maybe("since", filter.since)
        .maybe("until", filter.until)
        .maybe("min_importance", filter.min_importance)
        .maybe("min_trust", filter.min_trust)
        .maybe("accessed_since", filter.accessed_since)
        .maybe("min_accesses", filter.min_accesses);
    for (name, values) in [
        ("thread", &filter.threads),
        ("tag", &filter.tags),
        ("author", &filter.authors),
        ("session", &filter.sessions),
    ] {
        query = values
            .iter()
            .fold(query, |query, value| query.with(name, value));
    }
    let kinds = filter.kinds.iter();
    query = kinds.fold(query, |query, kind| query.with("kind", kind));
    let categories = filter.categories.iter();
    query = categories.fold(query, |query, category| query.with("category", category));
    let conditions = filter.conditions.iter();
    conditions.fold(query, |query, condition| query.with("where", condition))
}
