//! The command line: global options and commands.

use std::ffi::{OsStr, OsString};
use std::str::FromStr;

use anamne::{
    Category, ContextPreset, Depth, EntityScope, EntityType, EventKind, FrameWord, InvalidValue,
    KeyRole, Kind, LinkType, Perspective, Ranking, Temperature, TimeWords, TypeWord,
};
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};

use crate::commands::Command;

/// Long-term memory for AI agents: store text, recall it with evidence
#[derive(Debug, clap::Parser)]
#[command(
    name = "anamne",
    version,
    max_term_width = 100,
    after_help = "\
Start here:
  anamne demo                                   see it answer questions
  anamne remember \"We deploy on Fridays only\"   tell it something
  anamne recall \"when do we deploy?\"            ask
  anamne setup                                  connect your agents

Exit codes: 0 success, 1 failure, 2 invalid usage or value, 3 not found, 4
partly done (what was skipped is named). With --json, results are JSON on
standard output, and an error is one JSON object on standard error:
  {\"error\": {\"kind\": …, \"message\": …, \"field\"?: …, \"next_step\"?: …, \"hint\"?: …}}
Kinds: refused and denied (exit code 2), not_found (3), permission_denied, busy,
newer_format, damaged and failed (1)."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The options that every command takes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The store's folder [default: the platform's data folder]
    #[arg(
        long,
        global = true,
        env = "ANAMNE_STORE",
        hide_env_values = true,
        value_name = "DIR"
    )]
    pub(crate) store: Option<OsString>,
    /// The space [default: the current project's, else `core`]
    #[arg(
        long,
        global = true,
        env = "ANAMNE_SPACE",
        hide_env_values = true,
        value_name = "NAME"
    )]
    pub(crate) space: Option<String>,
    /// Work against the server at this address instead of a store of this machine [default: that of `anamne login`]
    #[arg(
        long,
        global = true,
        env = "ANAMNE_SERVER",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) server: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

fn one_of<Word>(
    words: &'static [Word],
    spelt: fn(Word) -> &'static str,
) -> impl TypedValueParser<Value = Word>
where
    Word: Copy + FromStr<Err = InvalidValue> + Send + Sync + 'static,
{
    // Shown as in JSON; hyphens are accepted too.
    let shown = words.iter().map(|word| {
        let word = spelt(*word);
        let hyphened: Option<&'static str> =
            word.contains('_').then(|| &*word.replace('_', "-").leak());
        PossibleValue::new(word).aliases(hyphened)
    });
    PossibleValuesParser::new(shown).try_map(|word| word.parse::<Word>())
}

/// Parses a kind.
pub(crate) fn kind() -> impl TypedValueParser<Value = Kind> {
    one_of(Kind::ALL, Kind::as_str)
}

/// Parses a category.
pub(crate) fn category() -> impl TypedValueParser<Value = Category> {
    one_of(Category::ALL, Category::as_str)
}

/// Parses the role of a key.
pub(crate) fn key_role() -> impl TypedValueParser<Value = KeyRole> {
    one_of(KeyRole::ALL, KeyRole::as_str)
}

/// Parses a link type.
pub(crate) fn link_type() -> impl TypedValueParser<Value = LinkType> {
    one_of(LinkType::ALL, LinkType::as_str)
}

/// Parses a temperature.
pub(crate) fn temperature() -> impl TypedValueParser<Value = Temperature> {
    one_of(Temperature::ALL, Temperature::as_str)
}

/// Parses a preset.
pub(crate) fn preset() -> impl TypedValueParser<Value = ContextPreset> {
    one_of(ContextPreset::ALL, ContextPreset::as_str)
}

/// Parses how words that name a time are used.
pub(crate) fn time_words() -> impl TypedValueParser<Value = TimeWords> {
    one_of(TimeWords::ALL, TimeWords::as_str)
}

/// Parses a ranking formula.
pub(crate) fn ranking() -> impl TypedValueParser<Value = Ranking> {
    one_of(Ranking::ALL, Ranking::as_str)
}

/// Parses `shallow`, a number of steps, or `deep`.
pub(crate) fn depth(text: &str) -> Result<Depth, String> {
    match text {
        "shallow" | "0" => Ok(Depth::Shallow),
        "deep" => Ok(Depth::Deep),
        hops => hops
            .parse()
            .ok()
            .map(Depth::Hops)
            .filter(|depth| depth.check().is_ok())
            .ok_or_else(|| format!("use shallow, 1 to {} hops, or deep", Depth::DEEPEST)),
    }
}

/// Parses the weight of a feature, `name=number`.
pub(crate) fn weight(text: &str) -> Result<(String, f32), String> {
    text.split_once('=')
        .and_then(|(name, weight)| Some((name.trim().to_owned(), weight.trim().parse().ok()?)))
        .ok_or_else(|| "write it as name=number, such as recency=1.5".to_owned())
}

/// Parses an event kind.
pub(crate) fn event_kind() -> impl TypedValueParser<Value = EventKind> {
    one_of(EventKind::ALL, EventKind::as_str)
}

/// Parses an entity type, or `custom:` and another word.
pub(crate) fn type_word() -> impl TypedValueParser<Value = TypeWord> {
    or_custom(EntityType::ALL, EntityType::as_str)
}

/// Parses a frame, or `custom:` and a name.
pub(crate) fn frame_word() -> impl TypedValueParser<Value = FrameWord> {
    or_custom(Perspective::ALL, Perspective::as_str)
}

/// Parses the scope of an entity.
pub(crate) fn entity_scope() -> impl TypedValueParser<Value = EntityScope> {
    one_of(EntityScope::ALL, EntityScope::as_str)
}

/// Parses one of some words, or `custom:` and another; help lists the words.
fn or_custom<Word: Copy, Parsed>(
    words: &[Word],
    spelt: fn(Word) -> &'static str,
) -> impl TypedValueParser<Value = Parsed>
where
    Parsed: FromStr<Err = InvalidValue> + Clone + Send + Sync + 'static,
{
    let words = words.iter().map(|word| PossibleValue::new(spelt(*word)));
    Listed {
        parser: StringValueParser::new().try_map(|word| word.parse::<Parsed>()),
        shown: words.collect::<Vec<_>>(),
    }
}

/// A parser with the values that help lists.
#[derive(Clone)]
struct Listed<Parser> {
    parser: Parser,
    shown: Vec<PossibleValue>,
}

impl<Parser: TypedValueParser> TypedValueParser for Listed<Parser> {
    type Value = Parser::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        self.parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.shown.iter().cloned()))
    }
}

/// Parses `name=value`; the value is JSON if it is valid JSON, else text. A number that would be stored in other digits,
/// such as the version 1.10, is refused.
pub(crate) fn metadata(text: &str) -> Result<(String, serde_json::Value), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write it as name=value, such as ticket=42 or owner=Ada")?;
    let parsed: serde_json::Value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    let stored = parsed.to_string();
    if parsed.is_number() && stored != value {
        return Err(format!(
            "{name}={value} would be stored as the number {stored}; write that, or text: {name}='\"{value}\"'"
        ));
    }
    Ok((name.to_owned(), parsed))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[track_caller]
    fn check(text: &str, name: &str, value: &serde_json::Value) {
        assert_eq!(super::metadata(text), Ok((name.to_owned(), value.clone())));
    }

    #[test]
    fn a_metadata_value_is_json_where_it_can_be() {
        check("ticket=42", "ticket", &json!(42));
        check("owner=Ada", "owner", &json!("Ada"));
        check("formula=a=b", "formula", &json!("a=b"));
        check("parts=[1,2]", "parts", &json!([1, 2]));
        check("empty=", "empty", &json!(""));
        check("price=1.5", "price", &json!(1.5));
        check("version=\"1.10\"", "version", &json!("1.10"));
        for refused in ["lonely", "version=1.10", "commit=5518e37", "n=-0"] {
            assert!(super::metadata(refused).is_err(), "{refused}");
        }
    }
}
