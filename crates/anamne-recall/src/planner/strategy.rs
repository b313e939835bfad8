//! The order in which tiers are searched, and when the search stops.

use anamne_types::{Plan, Work};

use super::Planner;
use super::staged_search::{PlannedSearch, SearchRequest, StagedSearch};
use crate::words::{ParsedQuery, Reader};

/// Searches in stages; `None` if the query can't be planned and everything must be searched.
pub(crate) fn search(
    planner: &Planner<'_>,
    reader: &mut Reader<'_>,
    request: &SearchRequest<'_>,
) -> Option<PlannedSearch> {
    let mut search = StagedSearch::new(planner, reader.query, request)?;
    search.rule_out_by_time();
    let first = search.first_tiers();
    // Routed tiers are searched lexically only until a hit is found there.
    let hottest = first[..first.len().min(1)].to_vec();
    search.estimate_work(&first, &hottest);
    search.search_lexical(&first);
    search.search_vectors(&hottest);
    if let Some(colder) = &request.advice.colder {
        search.add_cached(colder);
        search.add_reason(
            "cached results of the same query were used for the colder tiers, which have not changed since"
                .to_owned(),
        );
        return Some(search.finish());
    }
    let best = search.best_match(reader);
    let promising = search.promising_tiers(&best);
    if promising.is_empty() && search.has_no_rival(&best) {
        search.add_reason(format!(
            "good match in {}; term statistics predict no comparable match in the other tiers",
            search.tier_names(&first)
        ));
        return Some(search.finish());
    }
    search.search_lexical(&promising);
    let best = search.best_match(reader);
    if search.stands_out(&best) {
        let tier_of_best = best.row.and_then(|row| planner.tier_of(row));
        search.search_vectors(&tier_of_best.into_iter().collect::<Vec<_>>());
        search.add_reason(format!(
            "lexical search of {} was enough: the best match contains more of the query's words than any other memory is \
             expected to; other vectors were skipped",
            search.tier_names(&promising)
        ));
        return Some(search.finish());
    }
    search.search_lexical(&search.pending_lexical());
    search.search_vectors(&search.pending_vectors());
    search.add_reason(
        "no match stood out, so every tier that can contain an answer was searched".to_owned(),
    );
    Some(search.finish())
}

/// The work of a full search.
pub(crate) fn count_all(
    planner: &Planner<'_>,
    query: &ParsedQuery,
    request: &SearchRequest<'_>,
) -> Plan {
    let Some(mut search) = StagedSearch::new(planner, query, request) else {
        return Plan {
            tiers: planner.tiers.to_vec(),
            ..Plan::default()
        };
    };
    let all: Vec<usize> = (0..planner.tiers.len()).collect();
    search.count_lexical(&all);
    search.count_vectors(&all);
    let work = search.executed.plan.work;
    Plan {
        planned: false,
        widened: planner.widened,
        tiers: planner.tiers.to_vec(),
        expected: work,
        work: Work {
            tiers: planner.tiers.len() as u32,
            ..work
        },
        reasons: vec!["all tiers in scope were searched".to_owned()],
        ..Plan::default()
    }
}
