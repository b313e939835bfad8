//! Cached results of tools: looked up before a tool is asked, and stored after it answered.

use anamne_experience::tool_results::{
    Fetched, Invalidation, Lookup, RequestKind, Savings, ToolRequest, ToolResult, Trigger,
    readable_content,
};
use anamne_types::{InvalidValue, MemoryId};
use jiff::SignedDuration;

use crate::Error;
use crate::space::Space;

impl Space {
    /// Looks for a cached result of a request: of the identical one, or of one that asks for the same in other words.
    /// Less than a millisecond with 100 000 results.
    ///
    /// A handle that may write also counts the lookup in [`Space::cache_savings`]. A request that the guard redacts has no
    /// result; see [`Space::cache_result`].
    pub fn cached(&self, request: &ToolRequest) -> Result<Lookup, Error> {
        request.check().map_err(anamne_store::StoreError::from)?;
        if self.is_redacted(request)? {
            return Ok(Lookup::Miss);
        }
        let results = &self.inner.derived.tool_results.results;
        let lookup = results.look_up(request, self.now())?;
        if self.scope().may_write(self.name()) {
            // Counts only affect reports and eviction, so a failed write doesn't fail the lookup.
            let _ = results.note_lookup(&lookup);
        }
        Ok(lookup)
    }

    /// Caches what a tool returned, in place of the former result of the identical request; returns its number. A page
    /// in HTML becomes its readable text. Every text passes the guard, and is refused or redacted like a memory's. Counts for
    /// the quota.
    ///
    /// # Errors
    ///
    /// If the guard redacts the request: requests of different accounts would be the same.
    pub fn cache_result(&self, request: &ToolRequest, fetched: &Fetched) -> Result<u64, Error> {
        self.require_write()?;
        request.check().map_err(anamne_store::StoreError::from)?;
        let mut checked = Fetched {
            content: readable_content(&fetched.content),
            ..fetched.clone()
        };
        self.guard_texts(|visit| {
            visit("content".into(), &mut checked.content);
            visit("moved_to".into(), &mut checked.moved_to);
            if let Some(Trigger::Query(query)) = &mut checked.triggered_by {
                visit("triggered_by".into(), query);
            }
        })?;
        if self.is_redacted(request)? {
            let accepts = "free of secrets, as requests of different accounts would be the same";
            let refused = InvalidValue::new("request", accepts, "one that the guard redacts");
            return Err(anamne_store::StoreError::from(refused).into());
        }
        let parameters = request.canonical_parameters();
        let bytes = checked.content.len() + request.text.len() + parameters.len();
        self.source().admit_beside(bytes as u64)?;
        let results = &self.inner.derived.tool_results.results;
        Ok(results.store(request, &checked, self.now())?)
    }

    /// Records that a cached result was used in memories.
    ///
    /// # Errors
    ///
    /// If there is no result with this number.
    pub fn note_result_used(&self, number: u64, memories: &[MemoryId]) -> Result<(), Error> {
        self.require_write()?;
        let there = self.get_each(memories)?;
        let there: Vec<_> = there.iter().map(|memory| memory.id).collect();
        let results = &self.inner.derived.tool_results.results;
        if !results.note_used(number, &there)? {
            return Err(Error::nothing("cached result", number.to_string()));
        }
        Ok(())
    }

    /// Removes cached results; returns their number.
    pub fn invalidate_results(&self, which: &Invalidation) -> Result<u64, Error> {
        self.require_write()?;
        let results = &self.inner.derived.tool_results.results;
        Ok(results.invalidate(which)?)
    }

    /// Sets how long results of a kind and host stay fresh, seven days unless told; `None` and an empty host stand for
    /// all. Cached results keep their time.
    pub fn set_result_freshness(
        &self,
        kind: Option<RequestKind>,
        host: &str,
        fresh_for: SignedDuration,
    ) -> Result<(), Error> {
        self.require_write()?;
        let host = self.guarded_text(host);
        let results = &self.inner.derived.tool_results.results;
        Ok(results.set_freshness(kind, &host, fresh_for)?)
    }

    /// The results that were cached last, newest first.
    pub fn cached_results(&self, limit: usize) -> Result<Vec<ToolResult>, Error> {
        Ok(self.inner.derived.tool_results.results.list(limit)?)
    }

    /// The cached results with words of a query, best first. They are what others wrote: quote them, and trust them less
    /// than memories.
    pub fn search_tool_results(&self, query: &str, limit: usize) -> Result<Vec<ToolResult>, Error> {
        let results = &self.inner.derived.tool_results.results;
        Ok(results.search(query, limit)?)
    }

    /// What is cached, and what lookups saved.
    pub fn cache_savings(&self) -> Result<Savings, Error> {
        Ok(self.inner.derived.tool_results.results.savings()?)
    }

    /// Whether the guard redacts a request.
    fn is_redacted(&self, request: &ToolRequest) -> Result<bool, Error> {
        let mut checked = request.clone();
        let mut parameters = request.canonical_parameters();
        self.guard_texts(|visit| {
            visit("tool".into(), &mut checked.tool);
            visit("request".into(), &mut checked.text);
            visit("parameters".into(), &mut parameters);
        })?;
        let is_same = checked.tool == request.tool && checked.text == request.text;
        Ok(!is_same || parameters != request.canonical_parameters())
    }
}
