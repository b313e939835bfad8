//! Stage 4 in full: candidates, their threads and their neighbours, ranked together with what they lead to.

use anamne_types::{Memory, Row};
use rustc_hash::FxHashSet;

use crate::candidates::{Pool, Searched};
use crate::error::RecallError;
use crate::expansion::{self, Followed, Pooled, Stage, expand};
use crate::looking::{Asked, Looking};
use crate::plainly;
use crate::planner::Experience;
use crate::rank::{rank, shortlist};
use crate::ranked::Ranked;
use crate::reach::Reach;
use crate::repetition::diversify;
use crate::setting::Setting;
use crate::sought::Sought;
use crate::threads::{self, Threads};
use crate::together::Together;
use crate::views::Found;
use crate::words::Reader;

/// Memories that are looked at for an event of the question.
const EVENT_DEPTH: usize = 20;

/// How well a memory must meet the words of an event to be taken for it.
const EVENT_MET: f32 = 0.6;

/// Orders what was searched, best first, together with what it leads to where the question goes deeper.
pub(crate) fn in_order(
    looking: &Looking<'_>,
    reader: &mut Reader<'_>,
    asked: &Asked,
    searched: &Searched,
    reach: &Reach,
) -> (Vec<Ranked>, Followed) {
    if !looking.ranks_in_full() {
        let columns = looking.columns_if_any();
        let ranked = plainly::rank(columns, asked.question.lexical_most, searched);
        return (ranked, Followed::default());
    }
    let deeper = expansion::goes_deeper(looking.recall);
    let (mut ranked, followed) = in_full(looking, reader, asked, searched, reach, deeper);
    if looking.arrangement.is_usual() {
        ranked = diversify(ranked, looking.columns, looking.recall.limit);
    }
    (ranked, followed)
}

/// The memory that tells of an event best, unless it meets too few of the event's words.
pub(crate) fn event(looking: &Looking<'_>, words: &str) -> Result<Option<Memory>, RecallError> {
    if !looking.ranks_in_full() {
        return Ok(None);
    }
    let reach = Reach {
        rows: looking.known()?,
        ..Reach::default()
    };
    let asked = looking.ask(words);
    let searched = looking.search(&asked, EVENT_DEPTH, reach.rows.as_ref());
    let mut reader = Reader::new(&asked.question, looking.columns);
    let (ranked, _) = in_full(looking, &mut reader, &asked, &searched, &reach, false);
    let told = ranked
        .iter()
        .find(|ranked| ranked.features.words >= EVENT_MET)
        .map(|ranked| looking.texts().rows(&[ranked.candidate.row]))
        .transpose()?;
    let memory = told.into_iter().flatten().next();
    Ok(memory.map(|(_, memory)| memory))
}

/// Ranks by all features; `deeper` also what the best results lead to.
fn in_full(
    looking: &Looking<'_>,
    reader: &mut Reader<'_>,
    asked: &Asked,
    searched: &Searched,
    reach: &Reach,
    deeper: bool,
) -> (Vec<Ranked>, Followed) {
    let Looking {
        sources,
        arrangement,
        columns,
        moment,
        ..
    } = *looking;
    let is_now = looking.recall.as_of.is_now();
    let mut pool = Pool::of(searched, columns, moment);
    let cosines = |rows: &[Row]| match sources
        .vectors
        .map(|view| view.similarities(&asked.vector, rows))
    {
        Some(Ok(cosines)) => cosines,
        _ => vec![None; rows.len()],
    };
    // What was opened since has nothing to do with what was known then.
    let openings = sources.experience.filter(|_| is_now);
    let openings = openings.map(Experience::openings).unwrap_or_default();
    let present = looking.present.as_microsecond();
    let facts = sources.facts;
    let date_terms = match reach.preferred {
        Some(_) => reach.times.terms(&asked.question),
        None => Vec::new(),
    };
    let candidates = std::mem::take(&mut pool.candidates);
    threads::weigh_by_clusters(reader, &candidates);
    let mut threads = Threads::read(reader, &candidates);
    // It knows what was told since, too.
    let latent = sources.latent.filter(|_| is_now);
    let together =
        latent.and_then(|index| Together::of(index, columns, &asked.question.tokens, &threads));
    let setting = Setting {
        question: reader.question,
        columns,
        cosines: &cosines,
        latest: facts.latest.min(moment),
        times: &reach.times.ranges,
        date_terms: &date_terms,
        recency_days: sources.source.config().recall.recency_days,
        user_authors: &facts.users,
        program_authors: &facts.programs,
        weights: arrangement.weights.as_ref(),
        sought: Sought::by(&reader.question.words),
        access: &|row| openings.of(row, present),
        together: together.as_ref(),
        standpoint: arrangement.standpoint.as_ref(),
    };
    let (short, mut others) = shortlist(&setting, reader, candidates, &threads);
    pool.keep(short);
    pool.add_neighbours(columns, reach.rows.as_ref(), moment);
    others.retain(|other| !pool.holds(other.row));
    let pooled = deeper.then(|| Pooled {
        near: pool.candidates.clone(),
        others: others.clone(),
    });
    let ranked = rank(&setting, reader, pool.candidates, others, &mut threads);
    let Some(pooled) = pooled else {
        return (ranked, Followed::default());
    };
    let stage = Stage {
        recall: looking.recall,
        connections: sources.connections,
        filter: reach.rows.as_ref(),
        now: moment,
        search: &|words, most| search_again(looking, words, most, reach),
    };
    expand(&stage, &setting, reader, threads, &ranked, pooled)
}

/// The rows that a search for other words finds, by both searches' ranks; at most `most` of each.
fn search_again(looking: &Looking<'_>, words: &str, most: usize, reach: &Reach) -> Vec<Row> {
    let searched = looking.search(&looking.ask(words), most, reach.rows.as_ref());
    let ranks = |found: Vec<Found>| found.into_iter().map(|found| found.row).enumerate();
    let mut rows: Vec<(usize, Row)> = ranks(searched.lexical).collect();
    rows.extend(ranks(searched.vectors));
    rows.sort_unstable();
    let mut seen = FxHashSet::default();
    let rows = rows.into_iter().map(|(_, row)| row);
    rows.filter(|row| seen.insert(*row)).collect()
}
