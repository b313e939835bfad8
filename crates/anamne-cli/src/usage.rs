//! Reading the command line, and answering one that can't be read: with help, or with what is wrong with it.

use std::process::ExitCode;

use clap::builder::{StyledStr, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};

use crate::arguments::Cli;
use crate::failure::Failure;
use crate::output::{Output, paint, say_document};
use crate::style;
use crate::wording::named;

/// The command line as it was given, or the code to end with.
pub(crate) fn read() -> Result<Cli, ExitCode> {
    parse(style::of_help()).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print_help(&error.render()),
        _ => refuse(error),
    })
}

/// Prints the help that is shown where no command is named.
pub(crate) fn help() -> ExitCode {
    print_help(&command(style::of_help()).render_help())
}

fn command(styles: Styles) -> clap::Command {
    // Otherwise the name of the file that was started would stand in messages.
    Cli::command().bin_name("anamne").styles(styles)
}

fn parse(styles: Styles) -> Result<Cli, clap::Error> {
    let mut command = command(styles);
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

fn print_help(help: &StyledStr) -> ExitCode {
    let mut output = Output::new(false, false);
    // A closed pipe is all that can go wrong here, and then nobody reads on.
    let _ = output
        .document(style::from_help(&help.ansi().to_string()))
        .and_then(|()| output.flush());
    ExitCode::SUCCESS
}

/// Whether an error is to be said in JSON, though the command line can't be read.
fn wants_json() -> bool {
    std::env::args_os()
        .take_while(|argument| argument != "--")
        .any(|argument| argument == "--json")
}

fn refuse(error: clap::Error) -> ExitCode {
    // Rendered again without styles, so that no escape sequence in it is the parser's and all of them are shown.
    let error = parse(Styles::plain()).err().unwrap_or(error);
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    let message = message_of(error);
    if wants_json() {
        let failure = Failure::usage(message);
        failure.say(true);
        return failure.exit_code();
    }
    say_document(format_args!("{} {message}", paint(style::ERROR, "error:")));
    code
}

/// What is wrong, with each argument of the command line on one line and not longer than a message should be.
fn message_of(mut error: clap::Error) -> String {
    let shown: Vec<_> = error
        .context()
        .map(|(kind, value)| (kind, shown(value)))
        .collect();
    // The usage is ours, and has line breaks.
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
