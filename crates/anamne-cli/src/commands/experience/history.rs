//! `anamne experience history`.

use serde_json::json;

use crate::failure::Failure;
use crate::output::{CYAN, Output};
use crate::place::Place;
use crate::wording::named;

/// Show earlier searches with similar queries
#[derive(Debug, clap::Args)]
pub(crate) struct History {
    /// The query
    query: String,
    /// Searches at most
    #[arg(short = 'k', long, default_value_t = 10, value_name = "NUMBER")]
    limit: usize,
}

impl History {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let searches = space.similar_searches(&self.query, self.limit)?;
        if output.is_json() {
            return output.json(&json!({ "searches": searches }));
        }
        if searches.is_empty() {
            output.note(
                "no search with a similar query was recorded; `anamne recall --learn` records one",
            );
        }
        for search in &searches {
            let outcome = match search.usefulness {
                Some(usefulness) => usefulness.as_str(),
                None => "no feedback",
            };
            let text = format!(
                "{}  similarity {:.2}, {}, {outcome}, {}",
                named(&search.query),
                search.similarity,
                search.strategy,
                output.dates.relative(search.at)
            );
            output.entry(CYAN, &search.citation, &text)?;
        }
        Ok(())
    }
}
