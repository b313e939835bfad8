//! `anamne costs`.

use anamne::Clock;
use anamne::SystemClock;
use anamne::llm::{BridgeConfig, CATALOG_FILE, CostQuery, CostRow, CostsBy, Ledger, MODEL_FILE};
use clap::ValueEnum;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::bridge;
use crate::failure::Failure;
use crate::next_step;
use crate::output::{DIM, Output, RED, paint};
use crate::place::Place;
use crate::wording::number;

/// Group costs by.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupBy {
    /// One line per day (UTC)
    Day,
    /// One line per month
    Month,
    /// One line per model, most expensive first
    Model,
    /// One line per space, most expensive first
    Space,
}

impl GroupBy {
    fn costs(self) -> CostsBy {
        match self {
            Self::Day => CostsBy::Day,
            Self::Month => CostsBy::Month,
            Self::Model => CostsBy::Model,
            Self::Space => CostsBy::Space,
        }
    }
}

/// Show language model costs and budgets
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne costs
  anamne costs --by model --since 2026-01-01
  anamne costs --by month --json

With --json: {\"costs\": [{\"key\", \"calls\", \"input_tokens\", \"output_tokens\", \"dollars\",
  \"unpriced\", \"estimated\"}], \"budgets\": [{\"budget\", \"limit\", \"spent\", \"exhausted\",
  \"opens_at\"}], \"model_problem\": why the configured model is not used, or
null}")]
pub(crate) struct Costs {
    /// Group costs by
    #[arg(long, value_enum, default_value = "day")]
    by: GroupBy,
    /// From this day on: 2026-03-01, "last month", 7d, …
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Until the end of this
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only this model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

impl Costs {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let day = |instant: jiff::Timestamp| instant.to_zoned(TimeZone::UTC).date();
        let until = output.dates.end("until", self.until.as_deref())?;
        let query = CostQuery {
            by: self.by.costs(),
            from: output.dates.start("since", self.since.as_deref())?.map(day),
            until: until.map(|end| day(end - jiff::SignedDuration::from_micros(1))),
            space: place.is_named().then(|| place.space_name().to_string()),
            model: self.model,
        };
        let root = place.root()?;
        // Costs are shown even if the settings can't be read.
        let config = BridgeConfig::load(&root.join(MODEL_FILE)).ok();
        let problem = bridge::usable(&root).err();
        let problem = problem.map(|error| next_step::on_one_line(&error, error.next_step()));
        let catalog = root.join(CATALOG_FILE);
        let (costs, budgets) = if catalog.exists() {
            let ledger = Ledger::open(&catalog)?;
            let standings = match &config {
                Some(config) => ledger.budget_states(&config.budgets, SystemClock.now())?,
                None => Vec::new(),
            };
            (ledger.costs(&query)?, standings)
        } else {
            Default::default()
        };
        if output.is_json() {
            return output.json(&json!({
                "costs": costs,
                "budgets": budgets,
                "model_problem": problem,
            }));
        }
        for row in &costs {
            print(row, output)?;
        }
        output.flush()?;
        if costs.is_empty() {
            output.note("no model calls");
        }
        for budget in budgets.iter().filter(|budget| budget.limit.is_some()) {
            let limit = budget.limit.as_deref().unwrap_or_default();
            let end = if budget.exhausted {
                format!(
                    "; exhausted, resets {}",
                    output.dates.relative(budget.opens_at)
                )
            } else {
                String::new()
            };
            let said = format!("{}: {} of {limit}{end}", budget.budget, budget.spent);
            let style = if budget.exhausted { RED } else { DIM };
            output.line(paint(style, said))?;
        }
        if let Some(problem) = problem {
            output.flush()?;
            output.warn(format_args!("language model disabled: {problem}"));
        }
        Ok(())
    }
}

fn print(row: &CostRow, output: &mut Output) -> Result<(), Failure> {
    let key = if row.key.is_empty() {
        "(erased)"
    } else {
        &row.key
    };
    let unpriced = match row.unpriced {
        0 => String::new(),
        calls => format!(", {} without a known price", number(calls)),
    };
    output.line(format_args!(
        "{key:<24}  {:>12}  {:>8} calls  {:>12} tokens in  {:>10} out{unpriced}",
        row.cost.to_string(),
        number(row.calls),
        number(row.input_tokens),
        number(row.output_tokens),
    ))
}
