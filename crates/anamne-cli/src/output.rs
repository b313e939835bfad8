//! The one owner of standard output, and what goes to standard error beside it.

use std::fmt::Display;
use std::io::{BufWriter, IsTerminal, Stdout, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::dates::Dates;
use crate::failure::Failure;
use crate::wording::{number, wrapped};

/// What recedes: origins, dates, reasons.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What stands out.
pub(crate) const BOLD: Style = Style::new().bold();
/// What is well.
pub(crate) const GREEN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
/// What wants attention.
pub(crate) const YELLOW: Style =
    Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
/// What is wrong.
pub(crate) const RED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
/// Ids, names and commands.
pub(crate) const CYAN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));

/// Columns of text where standard output is no terminal.
const PLAIN_WIDTH: usize = 100;

/// Wider lines than this are hard to read.
const WIDEST: usize = 110;

/// `text` in a style; standard output drops styles where they are not wanted.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes a line to standard error. That nobody reads it is no reason to fail.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Where answers go.
///
/// The stream is not locked: a server that a command starts writes to it from threads of its own.
pub(crate) struct Output {
    stdout: BufWriter<AutoStream<Stdout>>,
    json: bool,
    /// Columns to wrap at.
    pub(crate) width: usize,
    /// The instant and the time zone by which dates are read and written.
    pub(crate) dates: Dates,
}

impl Output {
    /// Output for a command; `verbatim` leaves every byte as it is.
    pub(crate) fn new(json: bool, verbatim: bool) -> Self {
        let stdout = std::io::stdout();
        let choice = if json || verbatim {
            ColorChoice::AlwaysAnsi
        } else {
            AutoStream::choice(&stdout)
        };
        Self {
            width: width(),
            stdout: BufWriter::new(AutoStream::new(stdout, choice)),
            json,
            dates: Dates::of_this_machine(),
        }
    }

    /// Whether answers are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether a person watches standard error, so that progress is worth drawing.
    pub(crate) fn is_watched(&self) -> bool {
        !self.json && std::io::stderr().is_terminal()
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// Writes an indented entry under a sign, wrapped.
    pub(crate) fn entry(&mut self, style: Style, sign: &str, text: &str) -> Result<(), Failure> {
        let indent = sign.len() + 4;
        let mut sign = paint(style, sign);
        for line in wrapped(text, self.width.saturating_sub(indent)) {
            self.line(format_args!("  {sign}  {line}"))?;
            sign = " ".repeat(indent - 4);
        }
        Ok(())
    }

    /// Writes a text as it is.
    pub(crate) fn raw(&mut self, text: impl Display) -> Result<(), Failure> {
        Ok(write!(self.stdout, "{text}")?)
    }

    /// Writes a JSON value: indented for a person at a terminal, else one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let written = if std::io::stdout().is_terminal() {
            serde_json::to_writer_pretty(&mut self.stdout, value)
        } else {
            serde_json::to_writer(&mut self.stdout, value)
        };
        written.map_err(std::io::Error::from)?;
        self.line("")
    }

    /// The stream itself, for data that the engine writes.
    pub(crate) fn stream(&mut self) -> &mut impl Write {
        &mut self.stdout
    }

    /// Says something beside the answer; not with `--json`, whose reader has the same in the answer.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.json {
            say(paint(DIM, text));
        }
    }

    /// Warns of something that is not as it should be.
    pub(crate) fn warn(&self, text: impl Display) {
        if !self.json {
            say(format_args!("{YELLOW}note:{YELLOW:#} {text}"));
        }
    }

    /// Says which views did not take part in an answer, and what happens next.
    pub(crate) fn warn_degraded(&self, degraded: &[String]) {
        if !degraded.is_empty() {
            let parts = degraded.join(" and ");
            self.warn(format_args!(
                "answered without {parts}, which can't take part now; rebuilding {} before this command ends",
                if degraded.len() == 1 { "it" } else { "them" }
            ));
        }
    }

    /// Hands everything written to the reader.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}

/// The columns of the terminal on any standard stream, else those in the variable COLUMNS, else a hundred.
///
/// A pager or `head` behind a pipe still shows its lines on that terminal.
fn width() -> usize {
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    let seen = terminal_size::terminal_size()
        .map(|(terminal_size::Width(columns), _)| usize::from(columns));
    seen.or_else(told).unwrap_or(PLAIN_WIDTH).clamp(40, WIDEST)
}

/// "1 segment", "2,000 segments": with an s for all but one.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", number(count))
}

/// "never", "once", "twice", "2,000 times".
pub(crate) fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{} times", number(more)),
    }
}

/// "1 memory", "2,000 memories".
pub(crate) fn memories(count: u64) -> String {
    format!(
        "{} {}",
        number(count),
        if count == 1 { "memory" } else { "memories" }
    )
}
