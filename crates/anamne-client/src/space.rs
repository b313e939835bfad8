//! A space of a server.

use anamne_types::{
    Answer, Context, ContextRequest, Draft, Edit, Memory, Recall, Remembered, Version,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::client::{Client, Method};
use crate::error::ClientError;
use crate::path::Query;

/// A space of a server; each method is one request.
#[derive(Clone, Debug)]
pub struct RemoteSpace<'a> {
    client: &'a Client,
    name: String,
}

impl<'a> RemoteSpace<'a> {
    pub(crate) fn new(client: &'a Client, name: String) -> Self {
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

    /// Finds memories.
    pub fn recall(&self, question: &Recall) -> Result<Answer, ClientError> {
        self.call(Method::Post, &["recall"], Some(question))
    }

    /// A block of memories for a model.
    pub fn context(&self, request: &ContextRequest) -> Result<Context, ClientError> {
        self.call(Method::Post, &["context"], Some(request))
    }

    /// The memory with this id, beginning of an id, or citation.
    pub fn get(&self, id: &str) -> Result<Memory, ClientError> {
        self.call(Method::Get, &["memories", id], None::<&()>)
    }

    /// Changes a memory.
    pub fn edit(&self, id: &str, edit: &Edit) -> Result<Memory, ClientError> {
        self.call(Method::Patch, &["memories", id], Some(edit))
    }

    /// Forgets a memory; [`RemoteSpace::restore`] brings it back.
    pub fn forget(&self, id: &str) -> Result<serde_json::Value, ClientError> {
        self.call(Method::Delete, &["memories", id], None::<&()>)
    }

    /// Brings a forgotten memory back.
    pub fn restore(&self, id: &str) -> Result<Memory, ClientError> {
        self.call(Method::Post, &["memories", id, "restore"], None::<&()>)
    }

    /// The versions of a memory.
    pub fn history(&self, id: &str) -> Result<Vec<Version>, ClientError> {
        self.call(Method::Get, &["memories", id, "history"], None::<&()>)
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
        let mut parts = vec!["v1", "spaces", &self.name];
        parts.extend(route);
        self.client.call(method, &parts, query, body)
    }
}
