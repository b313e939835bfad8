//! `anamne demo`.

use std::path::Path;
use std::time::Instant;

use anamne::text::analyser::Analyser;
use anamne::text::snippet::snippet;
use anamne::{Answer, Hit, ImportOptions, ImportReport, Recall, Space};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::card;
use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, GREEN, Output, RED, YELLOW, memories, paint};
use crate::place::Place;
use crate::shell::shell_path;
use crate::wording::{at_most, duration, number, one_line, percent, wrapped};

/// The conversation that is remembered: a software project over eight months.
const CONVERSATION: &str = include_str!("../../demo/conversation.jsonl");

/// What it is asked, and which messages answer that.
const QUESTIONS: &str = include_str!("../../demo/questions.jsonl");

/// An answer less sure than this declines.
const SURE: f32 = 0.5;

/// Columns left of what belongs to a question.
const INDENT: &str = "    ";

/// Try it on a bundled conversation
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Remembers the messages of a made-up software project over eight months, asks
questions about them, and shows for each the answer, why it was found, how long
that took, and whether it is the right message (the bundled questions say which
is). The store stays for you to play with: a folder `anamne-demo` in the
platform's data folder, or the one that --store names. Running it again changes
nothing.

Examples:
  anamne demo
  anamne --store ./try-it demo

With --json: {\"store\", \"space\", \"imported\", \"known\", \"import_ms\", \"questions\":
  [{\"question\", \"evidence\": [id, …], \"verdict\":
  \"right|later|missed|declined|overconfident\", \"took_ms\", \"answer\"?}], \"asked\",
  \"right\": by the first result, \"found\": by one of five results, \"median_ms\"}")]
pub(crate) struct Demo {}

/// A bundled question.
#[derive(Debug, Deserialize)]
struct Question {
    question: String,
    /// The ids of the messages that answer it; none where the conversation does not say.
    evidence: Vec<String>,
}

/// Whether an answer is what the bundled questions expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// The first result is an expected message.
    Right,
    /// An expected message comes later among the results.
    Later,
    /// No expected message is among the results.
    Missed,
    /// There is nothing to be found, and the answer is rightly unsure.
    Declined,
    /// There is nothing to be found, but the answer is sure.
    Overconfident,
}

/// A question with what came back.
struct Asked {
    question: Question,
    answer: Answer,
    verdict: Verdict,
}

impl Demo {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let place = place.for_demo()?;
        let space = place.space()?;
        let ours = ImportOptions::default().trusted();
        let started = Instant::now();
        let report = space.import(CONVERSATION.as_bytes(), ours, &mut |_| {})?;
        // All of it is folded, as it would be after some days, and not only what is long.
        space.fold()?;
        let import_ms = started.elapsed().as_secs_f64() * 1_000.0;
        let asked = ask_all(&space)?;
        let root = place.root()?;
        if output.is_json() {
            return output.json(&as_json(&root, &report, import_ms, &asked));
        }
        print_import(&report, import_ms, &space, output)?;
        for (index, asked) in asked.iter().enumerate() {
            print_asked(index + 1, asked, output)?;
        }
        print_summary(&asked, output)?;
        print_next_steps(&root, output)
    }
}

fn ask_all(space: &Space) -> Result<Vec<Asked>, Failure> {
    let mut asked = Vec::new();
    for line in QUESTIONS.lines().filter(|line| !line.trim().is_empty()) {
        let question: Question = serde_json::from_str(line).map_err(|error| {
            Failure::failed(format!("a bundled question can't be read: {error}"))
        })?;
        let answer = space.recall(&Recall::new(question.question.as_str()).limit(5))?;
        let verdict = judge(&question, &answer);
        asked.push(Asked {
            question,
            answer,
            verdict,
        });
    }
    Ok(asked)
}

/// Where the first expected message stands among the results, from 0.
fn place_of_evidence(question: &Question, answer: &Answer) -> Option<usize> {
    answer.results.iter().position(|hit| {
        let id = hit.memory.external_id.as_ref();
        id.is_some_and(|id| question.evidence.contains(id))
    })
}

fn judge(question: &Question, answer: &Answer) -> Verdict {
    if question.evidence.is_empty() {
        let sure = answer
            .results
            .first()
            .is_some_and(|hit| hit.confidence >= SURE);
        return if sure {
            Verdict::Overconfident
        } else {
            Verdict::Declined
        };
    }
    match place_of_evidence(question, answer) {
        Some(0) => Verdict::Right,
        Some(_) => Verdict::Later,
        None => Verdict::Missed,
    }
}

impl Asked {
    /// Whether the first result is right, or nothing is rightly found.
    fn is_right(&self) -> bool {
        matches!(self.verdict, Verdict::Right | Verdict::Declined)
    }

    /// Whether one of the results is right, or nothing is rightly found.
    fn is_found(&self) -> bool {
        self.is_right() || self.verdict == Verdict::Later
    }

    /// What is said of the verdict, and in which style.
    fn judgement(&self) -> (anstyle::Style, String) {
        let (style, text) = match self.verdict {
            Verdict::Right => (GREEN, "✓ the message that answers it"),
            Verdict::Declined => (GREEN, "✓ the conversation doesn't say, and it is unsure"),
            Verdict::Later => {
                const PLACES: [&str; 5] = ["1st", "2nd", "3rd", "4th", "5th"];
                let place = place_of_evidence(&self.question, &self.answer).unwrap_or(0);
                return (
                    YELLOW,
                    format!("✗ the message that answers it comes {}", PLACES[place % 5]),
                );
            }
            Verdict::Missed => (
                RED,
                "✗ the message that answers it is not among the first 5",
            ),
            Verdict::Overconfident => (RED, "✗ the conversation doesn't say, but it is sure"),
        };
        (style, text.to_owned())
    }
}

fn print_import(
    report: &ImportReport,
    import_ms: f64,
    space: &Space,
    output: &mut Output,
) -> Result<(), Failure> {
    let statistics = space.report()?.statistics;
    let what = if report.imported > 0 {
        format!(
            "Remembered {} in {}",
            memories(report.imported),
            duration(import_ms)
        )
    } else {
        format!("{} were there already", memories(report.known))
    };
    let span = match (statistics.first, statistics.last) {
        (Some(first), Some(last)) => {
            format!(
                ", from {} to {}",
                output.dates.day(first),
                output.dates.day(last)
            )
        }
        _ => String::new(),
    };
    let text = format!(
        "{what}: the messages of a made-up software project in {} threads{span}. Now some questions.",
        number(statistics.threads)
    );
    for line in wrapped(&text, output.width) {
        output.line(line)?;
    }
    output.flush()
}

fn print_asked(number: usize, asked: &Asked, output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    let width = output.width.saturating_sub(INDENT.len());
    let question = &asked.question.question;
    for (index, line) in wrapped(question, width).iter().enumerate() {
        let head = if index == 0 {
            format!("{number:>2}. ")
        } else {
            INDENT.to_owned()
        };
        output.line(format_args!("{head}{}", paint(BOLD, line)))?;
    }
    match asked.answer.results.first() {
        Some(hit) => {
            print_passage(hit, question, 5, output)?;
            print_evidence(hit, output)?;
        }
        None => output.line(format_args!("{INDENT}{}", paint(DIM, "nothing found")))?,
    }
    print_judgement(asked, output)?;
    if asked.verdict == Verdict::Later
        && let Some(place) = place_of_evidence(&asked.question, &asked.answer)
    {
        print_passage(&asked.answer.results[place], question, 3, output)?;
    }
    output.flush()
}

/// The passage of a message that bears on the question, in at most so many lines.
fn print_passage(
    hit: &Hit,
    question: &str,
    most: usize,
    output: &mut Output,
) -> Result<(), Failure> {
    let width = output.width.saturating_sub(INDENT.len() + 2);
    let terms = Analyser::new().query(question).terms;
    let passage = snippet(&hit.memory.content, &terms, (width - 2) * most);
    for line in at_most(wrapped(&passage, width), most, width) {
        output.line(format_args!("{INDENT}{} {line}", paint(CYAN, "│")))?;
    }
    Ok(())
}

/// Who said it, when and where, and why it was found.
fn print_evidence(hit: &Hit, output: &mut Output) -> Result<(), Failure> {
    let width = output.width.saturating_sub(INDENT.len());
    let memory = &hit.memory;
    let author = memory
        .author
        .as_deref()
        .map_or_else(|| "unknown".to_owned(), one_line);
    let place = card::place(memory)
        .map(|place| format!(" · {place}"))
        .unwrap_or_default();
    let said = format!(
        "{author}, {}{place}",
        output.dates.absolute(memory.occurred_at)
    );
    for text in [said.as_str(), hit.reasoning.as_str()] {
        for line in wrapped(text, width) {
            output.line(format_args!("{INDENT}{}", paint(DIM, line)))?;
        }
    }
    Ok(())
}

fn print_judgement(asked: &Asked, output: &mut Output) -> Result<(), Failure> {
    let (style, judgement) = asked.judgement();
    let took = duration(asked.answer.took_ms);
    let measured = match asked.answer.results.first() {
        Some(hit) => format!("{} sure · {took}", percent(hit.confidence)),
        None => took,
    };
    output.line(format_args!(
        "{INDENT}{} · {measured}",
        paint(style, judgement)
    ))
}

fn median_ms(asked: &[Asked]) -> f64 {
    let mut times: Vec<f64> = asked.iter().map(|asked| asked.answer.took_ms).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn count(asked: &[Asked], passes: fn(&Asked) -> bool) -> usize {
    asked.iter().filter(|asked| passes(asked)).count()
}

fn print_summary(asked: &[Asked], output: &mut Output) -> Result<(), Failure> {
    let text = format!(
        "Of {} questions, {} were answered by the right message first, {} within the first five; {} each (median).",
        asked.len(),
        count(asked, Asked::is_right),
        count(asked, Asked::is_found),
        duration(median_ms(asked))
    );
    output.line("")?;
    for line in wrapped(&text, output.width) {
        output.line(paint(BOLD, line))?;
    }
    Ok(())
}

fn print_next_steps(root: &Path, output: &mut Output) -> Result<(), Failure> {
    let program = program();
    let demo = format!("{program} --store {} --space demo", shell_path(root));
    let steps = [
        (
            "Go on with this conversation:",
            vec![
                format!("{demo} recall \"why is the honey yield private?\" --explain"),
                format!("{demo} context \"how does sync work now?\" --budget 600"),
                format!("{demo} knowledge"),
            ],
        ),
        (
            "Remember something of your own:",
            vec![
                format!("{program} remember \"The staging server listens on port 8471\""),
                format!("{program} recall \"which port does staging use?\""),
            ],
        ),
        (
            "Give an editor a memory (other editors: command `anamne`, argument `mcp`):",
            vec![format!("claude mcp add anamne -- {program} mcp")],
        ),
    ];
    output.line(format_args!("The store is {}", paint(CYAN, root.display())))?;
    for (title, commands) in steps {
        output.line("")?;
        output.line(title)?;
        for command in commands {
            output.line(format_args!("  {}", paint(CYAN, command)))?;
        }
    }
    Ok(())
}

/// How this program is called: by its name where the shell finds it, else by its path.
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
    asked: &[Asked],
) -> serde_json::Value {
    let questions: Vec<_> = asked
        .iter()
        .map(|asked| {
            json!({
                "question": asked.question.question,
                "evidence": asked.question.evidence,
                "verdict": asked.verdict,
                "took_ms": asked.answer.took_ms,
                "answer": asked.answer.results.first(),
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
        "right": count(asked, Asked::is_right),
        "found": count(asked, Asked::is_found),
        "asked": asked.len(),
        "median_ms": median_ms(asked),
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
