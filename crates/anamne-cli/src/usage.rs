//! Parses the command line; prints help or a usage error.

use std::process::ExitCode;

use clap::builder::{StyledStr, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};

use crate::arguments::Cli;
use crate::failure::Failure;
use crate::output::{Output, paint, report_document};
use crate::style;
use crate::wording::named;

/// The parsed command line, or the exit code.
pub(crate) fn read() -> Result<Cli, ExitCode> {
    parse(style::of_help()).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print_help(&error.render()),
        _ => refuse(error),
    })
}

/// The parsed command line; prints nothing if it is invalid.
pub(crate) fn parse_quietly() -> Result<Cli, clap::Error> {
    parse(Styles::plain())
}

/// Prints the help for a call without a command.
pub(crate) fn help() -> ExitCode {
    print_help(&command(style::of_help()).render_help())
}

fn command(styles: Styles) -> clap::Command {
    // Otherwise messages would contain the name of the executable.
    Cli::command().bin_name("anamne").styles(styles)
}

fn parse(styles: Styles) -> Result<Cli, clap::Error> {
    let mut command = command(styles);
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

fn print_help(help: &StyledStr) -> ExitCode {
    let mut output = Output::new(false, false);
    // This can fail only with a closed pipe; there is no reader then.
    let _ = output
        .document(style::from_help(&help.ansi().to_string()))
        .and_then(|()| output.flush());
    ExitCode::SUCCESS
}

/// Whether an error is to be written as JSON, although the command line can't be parsed.
fn wants_json() -> bool {
    std::env::args_os()
        .take_while(|argument| argument != "--")
        .any(|argument| argument == "--json")
}

fn refuse(error: clap::Error) -> ExitCode {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !wants_json() {
        // The command's own help says what is missing.
        report_document(style::from_help(&error.render().ansi().to_string()));
        return ExitCode::from(2);
    }
    // Rendered again without styles: then all escape sequences come from the arguments, and are escaped.
    let error = parse(Styles::plain()).err().unwrap_or(error);
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    let message = message_of(error);
    if wants_json() {
        let failure = Failure::usage(message);
        failure.report(true);
        return failure.exit_code();
    }
    report_document(format_args!("{} {message}", paint(style::ERROR, "error:")));
    code
}

/// The error message, with each argument on one line and of limited length.
fn message_of(mut error: clap::Error) -> String {
    let shown: Vec<_> = error
        .context()
        .map(|(kind, value)| (kind, shown(value)))
        .collect();
    // The usage text is ours, and has line breaks.
    for (kind, value) in shown {
        if kind != ContextKind::Usage {
            error.insert(kind, value);
        }
    }
    let rendered = error.render().ansi().to_string();
    rendered.trim().trim_start_matches("error: ").to_owned()
}

fn shown(value: &ContextValue) -> ContextValue {
    let styled = |text: &StyledStr| StyledStr::from(named(&text.ansi().to_string()));
    match value {
        ContextValue::String(text) => ContextValue::String(named(text)),
        ContextValue::Strings(texts) => {
            ContextValue::Strings(texts.iter().map(|text| named(text)).collect())
        }
        ContextValue::StyledStr(text) => ContextValue::StyledStr(styled(text)),
        ContextValue::StyledStrs(texts) => {
            ContextValue::StyledStrs(texts.iter().map(styled).collect())
        }
        other => other.clone(),
    }
}
