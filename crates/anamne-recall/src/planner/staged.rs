//! Searching in stages until it is enough.

use anamne_types::{Plan, Work};

use super::Planner;
use super::stages::{Asking, Outcome, Stages};
use crate::words::{Question, Reader};

/// Searches in stages; `None` where the question can't be planned for, so that everything is to be searched.
pub(crate) fn search(
    planner: &Planner<'_>,
    reader: &mut Reader<'_>,
    asking: &Asking<'_>,
) -> Option<Outcome> {
    let mut stages = Stages::new(planner, reader.question, asking)?;
    stages.rule_out_by_time();
    let first = stages.first();
    // What is routed to is looked at by words alone, until something is found there.
    let meant = first[..first.len().min(1)].to_vec();
    stages.expect(&first, &meant);
    stages.by_words(&first);
    stages.by_meaning(&meant);
    if let Some(colder) = &asking.advice.colder {
        stages.take(colder);
        stages.say(
            "the same question was asked before, and the colder tiers have not changed since"
                .to_owned(),
        );
        return Some(stages.finish());
    }
    let best = stages.best(reader);
    let promising = stages.promising(&best);
    if promising.is_empty() && stages.is_alone(&best) {
        stages.say(format!(
            "{} answers well, and by their words the other tiers are not expected to hold its like",
            stages.names(&first)
        ));
        return Some(stages.finish());
    }
    stages.by_words(&promising);
    let best = stages.best(reader);
    if stages.stands_out(&best) {
        let own = best.row.and_then(|row| planner.tier_of(row));
        stages.by_meaning(&own.into_iter().collect::<Vec<_>>());
        stages.say(format!(
            "{} had to be searched by words, but not by meaning: what was found holds the question's words as no other \
             memory is expected to",
            stages.names(&promising)
        ));
        return Some(stages.finish());
    }
    stages.by_words(&stages.left());
    stages.by_meaning(&stages.unmeant());
    stages
        .say("no memory stood out, so every tier that can hold an answer was searched".to_owned());
    Some(stages.finish())
}

/// What a search of everything touches.
pub(crate) fn count_all(planner: &Planner<'_>, question: &Question, asking: &Asking<'_>) -> Plan {
    let Some(mut stages) = Stages::new(planner, question, asking) else {
        return Plan {
            tiers: planner.tiers.to_vec(),
            ..Plan::default()
        };
    };
    let all: Vec<usize> = (0..planner.tiers.len()).collect();
    stages.count_words(&all);
    stages.count_meaning(&all);
    let work = stages.followed.plan.work;
    Plan {
        planned: false,
        widened: planner.widened,
        tiers: planner.tiers.to_vec(),
        expected: work,
        work: Work {
            tiers: planner.tiers.len() as u32,
            ..work
        },
        reasons: vec!["everything within reach was searched".to_owned()],
        ..Plan::default()
    }
}
