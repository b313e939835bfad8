//! What earlier questions taught, and what this one teaches.

use std::sync::Arc;

use anamne_types::{Recall, Row, Tier, Work};

use crate::access::Openings;
use crate::views;

/// A question, as far as earlier ones can be like it.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The question.
    pub recall: &'a Recall,
    /// Its words that mean something, in their base forms.
    pub terms: &'a [&'a str],
    /// The tiers within reach with the number of their memories, hottest first.
    pub tiers: &'a [(Tier, usize)],
    /// How many rows its filter lets pass, with the first and the last of them; `None` without a filter.
    pub selected: Option<(u64, u32, u32)>,
}

/// What earlier questions say of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// What the very same question brought up in the tiers that are not active, where these have not changed since: only the
    /// active one need be searched.
    pub colder: Option<Arc<Colder>>,
    /// Where questions with the same words were answered.
    pub routed: Vec<Tier>,
    /// How much more often than its size lets expect each tier brought answers, in the order of `Asked::tiers`; 1 where
    /// little is known. Empty for 1 everywhere.
    pub leanings: Vec<f32>,
    /// How often the first stage was not enough, 0 to 1; `None` where little is known.
    pub going_on: Option<f32>,
}

/// What a question brought up in tiers that are not active: everything there that it could.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colder {
    /// By words.
    pub words: Vec<views::SearchHit>,
    /// By meaning.
    pub meaning: Vec<views::SearchHit>,
}

/// One of the first results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its row.
    pub row: Row,
    /// The tier in which it lies.
    pub tier: Tier,
    /// Whether the search by words brought it up.
    pub by_words: bool,
    /// Whether the search by meaning brought it up.
    pub by_meaning: bool,
}

/// How a question was answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The first ten results.
    pub found: Vec<Found>,
    /// How sure the best of them is.
    pub confidence: f32,
    /// How many results there are.
    pub results: usize,
    /// The tiers that were searched.
    pub searched: Vec<Tier>,
    /// The tiers within reach that were left out.
    pub left_out: Vec<Tier>,
    /// What was brought up in tiers that are not active, where all of them were searched by words and by meaning.
    pub colder: Option<Arc<Colder>>,
    /// What was touched; nothing where that was not counted.
    pub work: Work,
    /// How many stages it took; 0 where there was nothing to plan.
    pub stages: u32,
    /// Whether tiers beyond those asked for were searched.
    pub widened: bool,
    /// Milliseconds from the call to the answer.
    pub took_ms: f64,
}

/// What was learned from earlier questions. Must answer in microseconds, from memory.
pub trait Experience {
    /// What earlier questions say of this one.
    fn advise(&self, asked: &Asked<'_>) -> Advice;

    /// Which memories were opened of late.
    fn openings(&self) -> Arc<Openings>;

    /// Takes note of how it was answered.
    fn note(&self, asked: &Asked<'_>, trace: Trace);
}
