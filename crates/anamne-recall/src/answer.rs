//! Builds hits from ranked rows: confidence threshold, memories and explanations.

use anamne_types::{Dispute, Hit, Recall, Row, Surroundings};

use crate::confidence::AnswerConfidence;
use crate::error::RecallError;
use crate::explain;
use crate::ranked::Ranked;
use crate::recall_context::RecallContext;
use crate::words::Reader;

/// The hits among the first rows that reach the confidence threshold, with memories and explanations.
pub(crate) fn hits(
    context: &RecallContext<'_>,
    reader: &mut Reader<'_>,
    ranked: &[Ranked],
    confidence: &AnswerConfidence,
) -> Result<Vec<Hit>, RecallError> {
    let (recall, memory_reader) = (context.recall, context.memory_reader());
    let weights = context.options.weights();
    let is_confident = |ranked: &&Ranked| ranked.confidence >= recall.min_confidence;
    let chosen: Vec<&Ranked> = ranked
        .iter()
        .take(recall.limit)
        .filter(is_confident)
        .collect();
    let rows: Vec<Row> = chosen.iter().map(|ranked| ranked.candidate.row).collect();
    let mut memories = memory_reader.rows(&rows)?.into_iter().peekable();
    let mut hits = Vec::with_capacity(chosen.len());
    for ranked in chosen {
        let row = ranked.candidate.row;
        // A row forgotten meanwhile has no memory.
        let Some((_, memory)) = memories.next_if(|(found, _)| *found == row) else {
            continue;
        };
        let matched = explain::matched(reader.query, reader.read(row));
        hits.push(Hit {
            score: ranked.score,
            confidence: ranked.confidence,
            scores: explain::score_parts(ranked),
            reasoning: explain::sentence(ranked, &memory, &matched),
            explanation: explain::table(ranked, matched, weights, confidence.table(row)),
            surroundings: match recall.surroundings {
                Surroundings::None => Vec::new(),
                Surroundings::Neighbours => memory_reader.neighbours(row, context.columns)?,
            },
            disputes: Vec::new(),
            path: Vec::new(),
            entities: Vec::new(),
            related_entities: Vec::new(),
            related_memories: Vec::new(),
            also_in: Vec::new(),
            space: None,
            memory,
        });
    }
    weigh_members(&mut hits, recall.min_confidence);
    Ok(hits)
}

/// Multiplies the confidence of members by their relevance in the space, puts them behind results of more confidence, and
/// drops those below the threshold.
fn weigh_members(hits: &mut Vec<Hit>, min_confidence: f32) {
    let relevance = |hit: &Hit| hit.memory.member.as_ref().map(|member| member.relevance);
    for place in (0..hits.len()).rev() {
        let Some(relevance) = relevance(&hits[place]).filter(|relevance| *relevance < 1.0) else {
            continue;
        };
        let mut hit = hits.remove(place);
        hit.confidence *= relevance;
        explain::add_relevance(&mut hit.reasoning, relevance);
        let surer = |other: &&Hit| other.confidence > hit.confidence;
        let behind = hits[place..].iter().take_while(surer).count();
        hits.insert(place + behind, hit);
    }
    hits.retain(|hit| relevance(hit).is_none() || hit.confidence >= min_confidence);
}

/// The number of rows among the first that don't reach the confidence threshold.
pub(crate) fn dropped(recall: &Recall, ranked: &[Ranked]) -> usize {
    let first = ranked.iter().take(recall.limit);
    first
        .filter(|ranked| ranked.confidence < recall.min_confidence)
        .count()
}

/// Adds to each hit the memories that contradict it.
pub(crate) fn add_disputes(
    hits: &mut [Hit],
    disputes_of: &mut dyn FnMut(&[Row]) -> Vec<Vec<Dispute>>,
) {
    let rows: Vec<Row> = hits.iter().map(|hit| hit.memory.row).collect();
    for (hit, disputes) in hits.iter_mut().zip(disputes_of(&rows)) {
        for dispute in &disputes {
            explain::add_dispute(&mut hit.reasoning, dispute);
        }
        hit.disputes = disputes;
    }
}
