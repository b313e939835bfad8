//! `anamne demo`.

use std::path::Path;
use std::time::Instant;

use anamne::{
    Answer, Hit, ImportOptions, ImportReport, Memory, Recall, Space, Surroundings, best_sentence,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::card;
use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, GREEN, Output, RED, YELLOW, memories, paint};
use crate::place::Place;
use crate::shell::shell_path;
use crate::wording::{duration, number, one_line, percent, wrapped};

/// The bundled conversation: a software project over seven months.
const CONVERSATION: &str = include_str!("../../demo/conversation.jsonl");

/// The questions, by topic, and the messages that answer them.
const QUESTIONS: &str = include_str!("../../demo/questions.jsonl");

/// Minimum confidence of an answer.
const CONFIDENT: f32 = 0.5;

/// Results per question.
const RESULTS: usize = 5;

/// Columns before everything that belongs to a question.
const INDENT: &str = "    ";

/// Maximum lines of a message.
const MESSAGE_LINES: usize = 2;

/// Try it on a bundled conversation
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Imports the chat history of a fictional software project (seven months) and asks
one question per topic. Each answer is the sentence that answers best, with its
author, date, confidence and time on a warm engine. The mark shows whether it is
the expected message. The store is kept, so that you can query it yourself: in
the folder `anamne-demo` of the platform's data folder, or where --store points.
Running the demo again changes nothing.

Examples:
  anamne demo
  anamne demo --all --thread
  anamne --store ./try-it demo

With --json: {\"store\", \"space\", \"imported\", \"known\", \"import_ms\", \"questions\":
  [{\"topic\", \"question\", \"evidence\": [id, …], \"verdict\":
  \"right|later|missed|declined|overconfident\", \"took_ms\", \"sentence\"?,
  \"answer\"?}], \"asked\", \"right\": by the first result, \"found\": by one of five
  results, \"median_ms\"}; all questions")]
pub(crate) struct Demo {
    /// Ask all questions, and show why each message was found
    #[arg(long)]
    all: bool,

    /// Show the messages before and after each answer
    #[arg(long)]
    thread: bool,
}

/// A bundled question.
#[derive(Debug, Deserialize)]
struct Question {
    topic: String,
    #[serde(rename = "question")]
    text: String,
    /// The ids of the messages that answer it; none if the conversation doesn't.
    evidence: Vec<String>,
}

/// How an answer compares with the expected messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum AnswerVerdict {
    /// The first result is an expected message.
    Right,
    /// An expected message is among the other results.
    Later,
    /// No result is an expected message.
    Missed,
    /// The conversation has no answer, and the confidence is low.
    Declined,
    /// The conversation has no answer, but the confidence is high.
    Overconfident,
}

/// A question with its answer.
struct AnsweredQuestion {
    question: Question,
    answer: Answer,
    verdict: AnswerVerdict,
}

impl Demo {
    pub(crate) fn run(&self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let place = place.for_demo()?;
        let space = place.space()?;
        let options = ImportOptions::default().trusted();
        let started = Instant::now();
        let report = space.import(CONVERSATION.as_bytes(), options, &mut |_| {})?;
        // Index everything, as the background does for a store that is a few days old.
        space.fold()?;
        let import_ms = started.elapsed().as_secs_f64() * 1_000.0;
        let answered = answer_all(&space)?;
        let root = place.root()?;
        if output.is_json() {
            return output.json(&as_json(&root, &report, import_ms, &answered));
        }
        print_import(&report, import_ms, &space, output)?;
        let mut topic = "";
        for one in &answered {
            if self.all || one.question.topic != topic {
                self.print_question(one, output)?;
            }
            topic = &one.question.topic;
        }
        print_summary(&answered, output)?;
        self.print_next_steps(&root, output)
    }

    fn print_question(
        &self,
        answered: &AnsweredQuestion,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Question {
            topic,
            text: question,
            ..
        } = &answered.question;
        if self.all || self.thread {
            output.line("")?;
        }
        let heading = format!("{topic}: {question}");
        for line in wrapped(&heading, output.width) {
            output.line(paint(BOLD, line))?;
        }
        if let Some(hit) = answered.answer.results.first()
            && answered.verdict != AnswerVerdict::Declined
        {
            let sentence = best_sentence(question, &hit.memory.content);
            self.print_neighbours(hit, output, Side::Before)?;
            card::print_text(&sentence, INDENT, MESSAGE_LINES, output)?;
            self.print_neighbours(hit, output, Side::After)?;
            print_source(hit, answered, output)?;
            if self.all {
                print_dim(&hit.reasoning, output)?;
            }
        } else {
            print_declined(answered, output)?;
        }
        output.flush()
    }

    /// The messages on one side of a result, one line each, if --thread asks for them.
    fn print_neighbours(&self, hit: &Hit, output: &mut Output, side: Side) -> Result<(), Failure> {
        let is_shown = |memory: &&Memory| match side {
            Side::Before => memory.position < hit.memory.position,
            Side::After => memory.position > hit.memory.position,
        };
        let neighbours = hit.surroundings.iter().filter(is_shown);
        for memory in neighbours.filter(|_| self.thread) {
            let text = format!("{}: {}", author(memory), one_line(&memory.content));
            card::print_text(&text, INDENT, 1, output)?;
        }
        Ok(())
    }

    fn print_next_steps(&self, root: &Path, output: &mut Output) -> Result<(), Failure> {
        let program = program();
        let demo = format!("{program} --store {} --space demo", shell_path(root));
        let mut steps = vec![
            (
                "Ask it yourself",
                format!("{demo} recall \"why is the honey yield private?\""),
            ),
            ("Connect your agents", format!("{program} setup")),
        ];
        if !self.all {
            steps.push(("All questions", format!("{program} demo --all")));
        }
        for (title, command) in steps {
            output.line(format_args!("{title}: {}", paint(CYAN, command)))?;
        }
        Ok(())
    }
}

/// The position of a message relative to a result in its thread.
#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// Asks each question twice and keeps the second answer, so that times are those of a warm engine.
fn answer_all(space: &Space) -> Result<Vec<AnsweredQuestion>, Failure> {
    let mut answered = Vec::new();
    for line in QUESTIONS.lines() {
        let question: Question = serde_json::from_str(line)
            .map_err(|error| Failure::failed(format!("invalid bundled question: {error}")))?;
        let mut recall = Recall::new(question.text.as_str()).limit(RESULTS);
        recall.surroundings = Surroundings::Neighbours;
        space.recall(&recall)?;
        let answer = space.recall(&recall)?;
        let verdict = judge(&question, &answer);
        answered.push(AnsweredQuestion {
            question,
            answer,
            verdict,
        });
    }
    Ok(answered)
}

/// The rank of the first expected message among the results, from 0.
fn rank_of_evidence(question: &Question, answer: &Answer) -> Option<usize> {
    answer.results.iter().position(|hit| {
        let id = hit.memory.external_id.as_ref();
        id.is_some_and(|id| question.evidence.contains(id))
    })
}

fn judge(question: &Question, answer: &Answer) -> AnswerVerdict {
    let first = answer.results.first();
    if question.evidence.is_empty() {
        return if first.is_some_and(|hit| hit.confidence >= CONFIDENT) {
            AnswerVerdict::Overconfident
        } else {
            AnswerVerdict::Declined
        };
    }
    match rank_of_evidence(question, answer) {
        Some(0) => AnswerVerdict::Right,
        Some(_) => AnswerVerdict::Later,
        None => AnswerVerdict::Missed,
    }
}

impl AnsweredQuestion {
    /// Whether the first result is an expected message, or abstaining was correct.
    fn is_right(&self) -> bool {
        matches!(self.verdict, AnswerVerdict::Right | AnswerVerdict::Declined)
    }

    /// Whether any result is an expected message, or abstaining was correct.
    fn is_found(&self) -> bool {
        self.is_right() || self.verdict == AnswerVerdict::Later
    }

    /// The verdict in a few words, with its style.
    fn mark(&self) -> (anstyle::Style, String) {
        match self.verdict {
            AnswerVerdict::Right | AnswerVerdict::Declined => (GREEN, "✓".to_owned()),
            AnswerVerdict::Later => {
                let rank = rank_of_evidence(&self.question, &self.answer).unwrap_or(0);
                (YELLOW, format!("✗ expected message at rank {}", rank + 1))
            }
            AnswerVerdict::Missed => (RED, format!("✗ expected message not in the top {RESULTS}")),
            AnswerVerdict::Overconfident => (RED, "✗ the history has no answer".to_owned()),
        }
    }
}

fn author(memory: &Memory) -> String {
    let author = memory.author.as_deref();
    author.map_or_else(|| "unknown".to_owned(), one_line)
}

fn print_import(
    report: &ImportReport,
    import_ms: f64,
    space: &Space,
    output: &mut Output,
) -> Result<(), Failure> {
    let statistics = space.report()?.statistics;
    let imported = if report.imported > 0 {
        let took = duration(import_ms);
        format!("Imported {} in {took}", memories(report.imported))
    } else {
        format!("{} imported earlier", memories(report.known))
    };
    let period = match (statistics.first, statistics.last) {
        (Some(first), Some(last)) => {
            let (first, last) = (output.dates.day(first), output.dates.day(last));
            format!(", {first} to {last}")
        }
        _ => String::new(),
    };
    let threads = number(statistics.threads);
    let text =
        format!("{imported}: the chat history of a software project, {threads} threads{period}.");
    for line in wrapped(&text, output.width) {
        output.line(line)?;
    }
    output.flush()
}

fn print_dim(text: &str, output: &mut Output) -> Result<(), Failure> {
    let width = output.width.saturating_sub(INDENT.len());
    for line in wrapped(text, width) {
        output.line(format_args!("{INDENT}{}", paint(DIM, line)))?;
    }
    Ok(())
}

/// Author, date, confidence, time and verdict of the first result.
fn print_source(
    hit: &Hit,
    answered: &AnsweredQuestion,
    output: &mut Output,
) -> Result<(), Failure> {
    let source = [
        author(&hit.memory),
        output.dates.day(hit.memory.occurred_at),
        format!("{} confident", percent(hit.confidence)),
        duration(answered.answer.took_ms),
    ];
    let (style, mark) = answered.mark();
    output.line(format_args!(
        "{INDENT}{} {}",
        paint(DIM, source.join(" · ")),
        paint(style, mark)
    ))
}

fn print_declined(answered: &AnsweredQuestion, output: &mut Output) -> Result<(), Failure> {
    let best = answered.answer.results.first();
    let best = best.map_or(0.0, |hit| hit.confidence);
    let (style, mark) = answered.mark();
    output.line(format_args!("{INDENT}no confident answer"))?;
    output.line(format_args!(
        "{INDENT}{} {}",
        paint(
            DIM,
            format_args!(
                "best result {} confident · {}",
                percent(best),
                duration(answered.answer.took_ms)
            )
        ),
        paint(style, mark)
    ))
}

fn median_ms(answered: &[AnsweredQuestion]) -> f64 {
    let mut times: Vec<f64> = answered.iter().map(|one| one.answer.took_ms).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn count(answered: &[AnsweredQuestion], passes: fn(&AnsweredQuestion) -> bool) -> usize {
    answered.iter().filter(|one| passes(one)).count()
}

fn print_summary(answered: &[AnsweredQuestion], output: &mut Output) -> Result<(), Failure> {
    let text = format!(
        "All {} questions: {} right at rank 1, {} within the top {RESULTS}; median {}.",
        answered.len(),
        count(answered, AnsweredQuestion::is_right),
        count(answered, AnsweredQuestion::is_found),
        duration(median_ms(answered))
    );
    output.line("")?;
    for line in wrapped(&text, output.width) {
        output.line(line)?;
    }
    Ok(())
}

/// The command that starts this program: its name if the shell finds it, else its path.
fn program() -> String {
    let Ok(path) = std::env::current_exe() else {
        return "anamne".to_owned();
    };
    let found = std::env::var_os("PATH").is_some_and(|paths| {
        std::env::split_paths(&paths).any(|folder| path.parent() == Some(folder.as_path()))
    });
    if found {
        "anamne".to_owned()
    } else {
        shell_path(&path)
    }
}

fn as_json(
    root: &Path,
    report: &ImportReport,
    import_ms: f64,
    answered: &[AnsweredQuestion],
) -> serde_json::Value {
    let questions: Vec<_> = answered
        .iter()
        .map(|one| {
            let first = one.answer.results.first();
            let sentence = |hit: &Hit| best_sentence(&one.question.text, &hit.memory.content);
            json!({
                "topic": one.question.topic,
                "question": one.question.text,
                "evidence": one.question.evidence,
                "verdict": one.verdict,
                "took_ms": one.answer.took_ms,
                "sentence": first.map(sentence),
                "answer": first,
            })
        })
        .collect();
    json!({
        "store": root,
        "space": "demo",
        "imported": report.imported,
        "known": report.known,
        "import_ms": import_ms,
        "questions": questions,
        "right": count(answered, AnsweredQuestion::is_right),
        "found": count(answered, AnsweredQuestion::is_found),
        "asked": answered.len(),
        "median_ms": median_ms(answered),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_expected_message_is_in_the_conversation() {
        let ids: HashSet<String> = CONVERSATION
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .map(|message| message["id"].as_str().expect("an id").to_owned())
            .collect();
        let questions: Vec<Question> = QUESTIONS
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert!(questions.len() >= 12, "{}", questions.len());
        for id in questions.iter().flat_map(|question| &question.evidence) {
            assert!(ids.contains(id), "{id}");
        }
    }
}
