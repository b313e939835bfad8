//! What experience costs: a search with it next to a plain recall.

use anamne::{LearningSearch, Options, Recall, SearchFeedback, Space, Store, Usefulness};

use crate::failure::Failure;
use crate::generator::Generator;
use crate::latencies::Latencies;
use crate::output::line;
use crate::store::{self, SPACE};

/// Number of questions of each pass.
const QUESTIONS: u64 = 500;

/// Measures and prints, on a store of `records` generated records.
pub(crate) fn measure(records: u64) -> Result<(), Failure> {
    let folder = store::temporary_folder(None)?;
    let store = Store::open_with(Options::new(folder.path()).background(false))?;
    let space = store.space(SPACE)?;
    let generator = Generator::new(records);
    store::write(
        &space,
        (0..records).map(|number| generator.record(number).draft()),
    )?;
    space.settle(&mut |_, _| {})?;
    let questions = generator.questions(QUESTIONS);
    line(&format!("{records} records, {QUESTIONS} questions\n"));
    row("recall", &recall(&space, &questions)?);
    rows("searches", &search(&space, &questions)?);
    judge_all(&space, &generator)?;
    row("recall, much learned", &recall(&space, &questions)?);
    rows("searches, much learned", &search(&space, &questions)?);
    Ok(())
}

fn rows(title: &str, [answers, all]: &[Latencies; 2]) {
    row(&format!("{title}: answered"), answers);
    row(&format!("{title}: recorded"), all);
}

fn row(title: &str, latencies: &Latencies) {
    let (p50, p95) = (latencies.p50(), latencies.p95());
    line(&format!("{title:34} p50 {p50:.2} ms  p95 {p95:.2} ms"));
}

fn recall(space: &Space, questions: &[String]) -> Result<Latencies, Failure> {
    Latencies::warmed(questions, 50, |question| {
        space.recall(&Recall::new(question))?;
        Ok(())
    })
}

/// Searches: until the answer is known, and until it is recorded.
fn search(space: &Space, questions: &[String]) -> Result<[Latencies; 2], Failure> {
    let mut answers = Latencies::default();
    let all = Latencies::warmed(questions, 50, |question| {
        let found = space.search_with_experience(&LearningSearch::new(Recall::new(question)))?;
        answers.note(found.answer.took_ms);
        Ok(())
    })?;
    Ok([answers, all])
}

/// Gives feedback on as many searches as are learned from.
fn judge_all(space: &Space, generator: &Generator) -> Result<(), Failure> {
    for number in 0..2_048 {
        let search = LearningSearch::new(Recall::new(generator.question(number)));
        let Some(search) = space.search_with_experience(&search)?.search else {
            continue;
        };
        let is_helpful = number % 3 != 0;
        space.search_feedback(SearchFeedback {
            search,
            usefulness: if is_helpful {
                Usefulness::Helpful
            } else {
                Usefulness::Useless
            },
            used: Vec::new(),
            reason: String::new(),
            should_ask: String::new(),
            implied: false,
        })?;
    }
    Ok(())
}
