//! `anamne cache`.

mod changing;
mod showing;

use anamne::{FetchStatus, InvalidValue, RequestKind, ToolRequest};

use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use crate::place::Place;

pub(crate) use showing::print_found;

/// Look up, store and invalidate results of tools: searches, pages, responses
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Look up before asking a tool, and store what it answered. A request in other
words hits only if it asks for the same: equal names, numbers, versions,
roles, signs, direction, negation, time and platform. A request that names a
time, such as \"tomorrow\", is another one when that is another day (UTC).
Results of one tool are not served for another. They stay fresh for seven days
(results that were in vain: a day; refused access: an hour) unless told.

lookup prints the content of a fresh result. Exit code: 0 hit, 3 no fresh
result. Contents were written by others; they are searched only with `anamne
recall --with-tool-results`.

Examples:
  anamne cache lookup --tool web \"tokio 1.40 release date\"
  curl -s https://example.com | anamne cache store --kind page --tool curl https://example.com
  anamne cache store --tool web --status empty \"tokyo 1.40 release date\" < /dev/null
  anamne cache list -k 5
  anamne cache freshness 1d --kind search
  anamne cache invalidate --source example.com
  anamne cache savings

With --json: lookup {\"outcome\": exact|semantic|negative|stale|miss, \"result\"?:
  {\"number\", \"request\": {\"kind\", \"tool\", \"text\", \"parameters\"}, \"status\",
  \"content\", \"moved_to\", \"fetched_at\", \"fresh_until\", \"took_ms\", \"cost\",
  \"triggered_by\", \"used_in\", \"hits\"}}; store {\"number\"}; list {\"results\": […]};
  used {\"number\"}; freshness {\"fresh_for_seconds\"}; invalidate {\"removed\"};
  savings {\"results\", \"bytes\", \"exact_hits\", \"semantic_hits\", \"negative_hits\",
  \"misses\", \"saved_ms\", \"saved_cost\": millionths of a dollar}")]
pub(crate) struct Cache {
    #[command(subcommand)]
    action: CacheCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CacheCommand {
    /// Look for a cached result of a request
    Lookup {
        #[command(flatten)]
        request: RequestArguments,
    },
    /// Store a result; its content is read from standard input
    Store(Box<changing::Store>),
    /// Note that a result was used in memories
    Used {
        /// The result
        #[arg(value_name = "NUMBER")]
        number: u64,
        /// The memories
        #[arg(required = true, value_name = "ID")]
        memories: Vec<String>,
    },
    /// List the results stored last
    List {
        /// Results at most
        #[arg(short = 'k', long, default_value_t = 20, value_name = "NUMBER")]
        limit: usize,
        /// Only those with some of these words
        #[arg(long, value_name = "WORDS")]
        matching: Option<String>,
    },
    /// Set how long results stay fresh
    Freshness(changing::Freshness),
    /// Remove results
    Invalidate(changing::Invalidate),
    /// What the cache holds, and what it saved
    Savings,
}

/// A request to a tool.
#[derive(Debug, clap::Args)]
struct RequestArguments {
    /// The query or address; `-` reads standard input
    #[arg(required = true)]
    request: Vec<String>,
    /// What is asked for
    #[arg(long, value_enum, default_value = "search", value_name = "KIND")]
    kind: Kind,
    /// The tool that is asked
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    tool: String,
    /// Further parameters as JSON
    #[arg(long, value_name = "TEXT")]
    parameters: Option<String>,
}

/// Kinds of requests.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    Search,
    Page,
    Api,
    Url,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Status {
    Ok,
    Empty,
    Dead,
    Redirected,
    Blocked,
}

impl From<Kind> for RequestKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Search => Self::Search,
            Kind::Page => Self::Page,
            Kind::Api => Self::Api,
            Kind::Url => Self::Url,
        }
    }
}

impl From<Status> for FetchStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Ok => Self::Ok,
            Status::Empty => Self::Empty,
            Status::Dead => Self::Dead,
            Status::Redirected => Self::Redirected,
            Status::Blocked => Self::Blocked,
        }
    }
}

impl RequestArguments {
    fn read(&self, output: &Output) -> Result<ToolRequest, Failure> {
        let parameters = match self.parameters.as_deref() {
            None => serde_json::Value::Null,
            Some(json) => serde_json::from_str(json).map_err(|error| {
                let accepts = format!("JSON ({error})");
                anamne::Error::from(InvalidValue::new("parameters", accepts, json))
            })?,
        };
        let request = ToolRequest {
            parameters,
            ..ToolRequest::new(
                self.kind.into(),
                self.tool.clone(),
                input::text("request", &self.request, output)?,
            )
        };
        request.check().map_err(anamne::Error::from)?;
        Ok(request)
    }
}

impl Cache {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self.action {
            CacheCommand::Lookup { request } => {
                let request = request.read(output)?;
                showing::look_up(&place.reached_existing()?, &request, output)
            }
            CacheCommand::Store(command) => command.run(place, output),
            CacheCommand::Used { number, memories } => {
                changing::note_used(&place.reached_existing()?, number, &memories, output)
            }
            CacheCommand::List { limit, matching } => showing::list(
                &place.reached_existing()?,
                limit,
                matching.as_deref(),
                output,
            ),
            CacheCommand::Freshness(command) => command.run(place, output),
            CacheCommand::Invalidate(command) => command.run(place, output),
            CacheCommand::Savings => showing::savings(&place.reached_existing()?, output),
        }
    }
}
