//! `anamne meta`.

use anamne::{KnownTopic, Limits, LoggedQuery, QueryGroup, TopicVerdict};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, DIM, Output, counted, memories, paint, times};
use crate::place::Place;
use crate::reached::Reached;
use crate::wording::{duration, named, number, size};

/// Show the query log and how well topics are covered
#[derive(Debug, clap::Args)]
#[command(after_help = "\
By default the log keeps hashes of query words, not the words. In the space's
space.toml under [meta], queries = \"text\" keeps the words, queries = \"off\"
keeps nothing, and planning = false makes every query search all tiers. The
log decides which tiers are searched first; how often a memory was opened
recently breaks near ties. `clear` is safe at any time.

Examples:
  anamne meta log -k 5
  anamne meta topics
  anamne meta quality
  anamne meta performance
  anamne meta clear

With --json: log {\"queries\": [{\"number\", \"at\", \"hash\", \"words\", \"shape\",
  \"temperature\", \"searched\", \"left_out\", \"work\": {\"tiers\", \"rows\", \"bytes\"},
  \"stages\", \"widened\", \"took_ms\", \"results\", \"confidence\", \"found\",
  \"door\"}]};
  topics {\"topics\": [{\"topic\", \"memories\", \"asked\", \"confidence\", \"verdict\"}]};
  quality {\"weeks\": [{\"week\", \"searches\", \"judged\", \"successes\", \"confidence\"}]};
  performance {\"weeks\": [{\"week\", \"all\": {\"name\", \"queries\", \"hits\",
  \"median_ms\", \"p95_ms\"}, \"plans\": […], \"tiers\": […], \"doors\": […]}]};
  clear {\"cleared\": true}

performance counts a query as a hit if its best result is more likely relevant
than not (a confidence of at least 0.5).")]
pub(crate) struct Meta {
    #[command(subcommand)]
    what: MetaCommand,
}

#[derive(Debug, clap::Subcommand)]
enum MetaCommand {
    /// The latest queries and their cost
    Log {
        /// Questions at most
        #[arg(short = 'k', long, default_value_t = 20, value_name = "NUMBER")]
        limit: usize,
    },
    /// Topics with good and poor coverage
    Topics {
        /// Topics at most
        #[arg(short = 'k', long, default_value_t = 20, value_name = "NUMBER")]
        limit: usize,
    },
    /// How useful recorded searches were, by week
    Quality,
    /// Latency and hit rate by week, plan, tiers and door
    Performance,
    /// Delete the query log
    Clear,
}

impl Meta {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        match self.what {
            MetaCommand::Log { limit } => show_log(&space, limit, output)?,
            MetaCommand::Topics { limit } => show_topics(&space, limit, output)?,
            MetaCommand::Quality => show_quality(&space, output)?,
            MetaCommand::Performance => show_performance(&space, output)?,
            MetaCommand::Clear => {
                space.forget_meta()?;
                if output.is_json() {
                    output.json(&json!({ "cleared": true }))?;
                } else {
                    output.line("Query log deleted.")?;
                }
            }
        }
        space.settle(output)
    }
}

fn show_log(space: &Reached, limit: usize, output: &mut Output) -> Result<(), Failure> {
    Limits::check_results(limit)?;
    let log = space.query_log(limit)?;
    if output.is_json() {
        return output.json(&json!({ "queries": log }));
    }
    if log.is_empty() {
        return output.line("The query log is empty.");
    }
    for query in &log {
        let line = line_of(query);
        output.line(line)?;
    }
    Ok(())
}

fn line_of(query: &LoggedQuery) -> String {
    let words = match &query.words {
        Some(words) => named(words),
        None => paint(DIM, &query.hash[..8]),
    };
    let searched = match query.searched.len() {
        1 => query.searched[0].to_string(),
        tiers => format!("{tiers} tiers"),
    };
    let work = match query.work.rows {
        0 => String::new(),
        rows => format!(", {}, {}", counted(rows, "row"), size(query.work.bytes)),
    };
    let results = match query.results {
        0 => "no result".to_owned(),
        results => format!(
            "{}, best confidence {:.2}",
            counted(results, "result"),
            query.confidence
        ),
    };
    format!(
        "q{}  {words}  {results}, {}{work} in {searched}",
        query.number,
        duration(query.took_ms)
    )
}

fn show_topics(space: &Reached, limit: usize, output: &mut Output) -> Result<(), Failure> {
    Limits::check_results(limit)?;
    let topics = space.known_topics(limit)?;
    if output.is_json() {
        return output.json(&json!({ "topics": topics }));
    }
    if topics.is_empty() {
        return output.line("No topics yet: run `anamne extract`.");
    }
    for topic in &topics {
        let line = topic_line(topic);
        output.line(line)?;
    }
    Ok(())
}

fn show_quality(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let weeks = space.search_quality()?;
    if output.is_json() {
        return output.json(&json!({ "weeks": weeks }));
    }
    if weeks.is_empty() {
        return output.line("No search was recorded; `anamne recall --learn` records one.");
    }
    for week in &weeks {
        let useful = match week.judged {
            0 => "no feedback".to_owned(),
            judged => format!(
                "{} with feedback, {:.0} % useful",
                number(judged),
                100.0 * week.successes / judged as f64
            ),
        };
        output.line(format_args!(
            "week of {}: {} recorded, {useful}, mean confidence {:.2}",
            output.dates.day(week.week),
            number(week.searches),
            week.confidence
        ))?;
    }
    Ok(())
}

fn show_performance(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let weeks = space.query_performance()?;
    if output.is_json() {
        return output.json(&json!({ "weeks": weeks }));
    }
    if weeks.is_empty() {
        return output.line("The query log is empty.");
    }
    for (index, week) in weeks.iter().enumerate() {
        if index > 0 {
            output.line("")?;
        }
        let day = output.dates.day(week.week);
        output.line(paint(BOLD, format_args!("week of {day}")))?;
        output.line(paint(
            DIM,
            format_args!(
                "{:<32} {:>7} {:>6} {:>10} {:>10}",
                "", "queries", "hits", "median", "p95"
            ),
        ))?;
        let mut rows = vec![("all", &week.all)];
        for (by, groups) in [
            ("plan", &week.plans),
            ("tiers", &week.tiers),
            ("door", &week.doors),
        ] {
            rows.extend(groups.iter().map(|group| (by, group)));
        }
        for (by, group) in rows {
            let line = group_line(by, group);
            output.line(line)?;
        }
    }
    Ok(())
}

fn group_line(by: &str, group: &QueryGroup) -> String {
    let name = match by {
        "all" => String::new(),
        _ => group.name.clone(),
    };
    let rate = 100.0 * group.hits as f64 / group.queries.max(1) as f64;
    format!(
        "{by:<5} {name:<26} {:>7} {rate:>4.0} % {:>10} {:>10}",
        number(group.queries),
        duration(group.median_ms),
        duration(group.p95_ms)
    )
}

fn topic_line(topic: &KnownTopic) -> String {
    let verdict = match topic.verdict {
        TopicVerdict::WellKnown => "well known",
        TopicVerdict::Known => "known",
        TopicVerdict::LittleKnown => "little known",
        TopicVerdict::Unknown => "unknown",
    };
    let asked = match topic.confidence {
        None => String::new(),
        Some(confidence) => format!(", asked {}, confidence {confidence:.2}", times(topic.asked)),
    };
    format!(
        "{:<24}  {verdict:<12}  {}{asked}",
        named(&topic.topic),
        memories(topic.memories)
    )
}
