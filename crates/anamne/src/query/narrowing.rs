//! Queries that ask a session first, then its space, then `core`.

use anamne_types::{Answer, Reached, Recall};

use crate::Error;

/// Asks at each of the narrower stages until a result is likely enough, else at the last; a query without a session is
/// asked at the last stage alone.
///
/// Each answer is complete for its stage, so that the last one is that of a query without a session. One recall per
/// stage.
pub(super) fn stepwise(
    recall: &Recall,
    narrower: &[Reached],
    last: Reached,
    ask: impl Fn(&Recall, Reached) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let Some(session) = &recall.narrow else {
        return ask(recall, last);
    };
    recall.check()?;
    let wide = Recall {
        narrow: None,
        ..recall.clone()
    };
    let mut in_session = wide.clone();
    in_session.filter.sessions = vec![session.clone()];
    let enough = recall.min_confidence.max(Recall::SURE);
    let reached = |answer: Answer, stage| Answer {
        reached: Some(stage),
        ..answer
    };
    for stage in narrower {
        let recall = match stage {
            Reached::Session => &in_session,
            Reached::Space | Reached::Core => &wide,
        };
        let answer = ask(recall, *stage)?;
        if answer.results.iter().any(|hit| hit.confidence >= enough) {
            return Ok(reached(answer, *stage));
        }
    }
    Ok(reached(ask(&wide, last)?, last))
}
