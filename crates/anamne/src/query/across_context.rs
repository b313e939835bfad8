//! Context blocks of several spaces, within one budget.

use std::time::Instant;

use anamne_recall::context::{SpacePart, pack_part};
use anamne_text::tokens::estimate_tokens;
use anamne_types::{Answer, Context, ContextRequest, Hit, InvalidValue, OmittedMemory, Spaces};

use super::across::CORE;
use crate::Error;
use crate::space::Space;
use crate::store::Store;

/// Tokens of an entry's lines without its text, about.
const FRAME: usize = 12;

/// Tokens of a part's heading, about.
const HEADING: usize = 12;

/// The results of one space, best first, and the tokens that they may take.
struct Part {
    space: String,
    hits: Vec<Hit>,
    tokens: usize,
}

impl Store {
    /// Answers a query over several spaces with one block within one budget, whose citations name the spaces.
    ///
    /// The results of [`Store::recall`], merged by confidence, share the budget in their order: a space gets as much of it
    /// as its results need that come before it is spent. What a space leaves goes to the next. With one space the
    /// block is that of [`Space::context`].
    ///
    /// # Errors
    ///
    /// Those of [`Store::recall`], and for a preset with several spaces.
    pub fn context(&self, spaces: &Spaces, request: &ContextRequest) -> Result<Context, Error> {
        let started = Instant::now();
        spaces.check()?;
        request.check()?;
        let asked = self.asked(spaces, &request.recall.query)?;
        if let [one] = &asked.names[..] {
            let mut context = self.existing_space(one)?.context(request)?;
            context.degraded.extend(self.left_aside(spaces, &asked)?);
            return Ok(context);
        }
        if let Some(preset) = request.preset {
            let accepts = "left out where several spaces are searched";
            return Err(InvalidValue::new("preset", accepts, preset).into());
        }
        let answer = self.recall_of(&asked, spaces, &request.recall)?;
        let names = &asked.names;
        let sole = names.iter().find(|name| *name != CORE).or(names.first());
        let sole = sole.map_or("", String::as_str);
        let budget = request.token_budget;
        let mut context = self.pack_parts(parts(&answer, sole, budget), request)?;
        context.degraded = answer.degraded;
        context.dropped = answer.dropped;
        context.abstained = answer.abstained;
        context.times = answer.times;
        context.ignored_times = answer.ignored_times;
        context.reached = answer.reached;
        context.took_ms = started.elapsed().as_secs_f64() * 1000.0;
        Ok(context)
    }

    /// Packs the parts one after the other; what a part leaves goes to the next.
    fn pack_parts(&self, parts: Vec<Part>, request: &ContextRequest) -> Result<Context, Error> {
        let mut whole = Context::default();
        let mut left = 0;
        for part in parts {
            let mark = SpacePart::new(&part.space, whole.text.is_empty());
            let space = self.existing_space(&part.space)?;
            let budget = part.tokens + left;
            let results = part.hits;
            let answer = Answer {
                results,
                ..Answer::default()
            };
            let packed = space.pack(request, &answer, Some(mark), budget)?;
            left = budget;
            if !packed.entries.is_empty() {
                left = budget.saturating_sub(packed.tokens);
                whole.text.push_str(&packed.text);
                whole.entries.extend(packed.entries);
            }
            whole.left_out.extend::<Vec<OmittedMemory>>(packed.left_out);
        }
        whole.tokens = estimate_tokens(&whole.text);
        Ok(whole)
    }
}

impl Space {
    /// A block of results that were found before.
    pub(super) fn pack(
        &self,
        request: &ContextRequest,
        answer: &Answer,
        part: Option<SpacePart>,
        budget: usize,
    ) -> Result<Context, Error> {
        Ok(pack_part(
            self.source(),
            &request.recall,
            answer,
            part,
            budget,
        )?)
    }
}

/// The results by space, in the order of their best ones; those without a space are of `sole`.
fn parts(answer: &Answer, sole: &str, budget: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut left = budget;
    for hit in &answer.results {
        let space = hit.space.as_deref().unwrap_or(sole);
        let known = parts.iter().position(|part| part.space == space);
        let place = known.unwrap_or_else(|| {
            let tokens = left.min(HEADING);
            left -= tokens;
            parts.push(Part {
                space: space.to_owned(),
                hits: Vec::new(),
                tokens,
            });
            parts.len() - 1
        });
        let needed = (estimate_tokens(&hit.memory.content) + FRAME).min(left);
        left -= needed;
        parts[place].tokens += needed;
        parts[place].hits.push(hit.clone());
    }
    // The rest goes to the first, which passes on what it leaves.
    if let Some(first) = parts.first_mut() {
        first.tokens += left;
    }
    parts
}
