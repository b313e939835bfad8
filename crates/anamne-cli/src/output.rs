//! The only handles on standard output and standard error.
//!
//! All output of this program goes through this module, and so through [`crate::terminal`]: no text can contain
//! terminal commands, and none can look like a line of this program. `clippy.toml` and a test forbid other ways.

use std::fmt::Display;
use std::io::{BufRead, BufWriter, IsTerminal, Stdout, Write};

use anamne::{Answer, SpaceProposals};
use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use serde::Serialize;

use crate::dates::Dates;
use crate::failure::Failure;
pub(crate) use crate::style::{BOLD, CYAN, DIM, GREEN, RED, YELLOW, paint};
use crate::terminal::{JsonLines, LineBreaks, safe, safe_json};
use crate::wording::{number, wrapped};

/// Width of text if standard output is no terminal.
const PLAIN_WIDTH: usize = 100;

/// Maximum width; wider lines are hard to read.
const WIDEST: usize = 110;

/// Writes a line to standard error. Ignores write errors.
pub(crate) fn report(text: impl Display) {
    write_to_stderr(&safe(&text.to_string(), LineBreaks::Shown));
}

/// Asks on standard error, and reads the answer from standard input; anything but yes is no.
pub(crate) fn is_confirmed(question: impl Display) -> Result<bool, Failure> {
    report(question);
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format!("can't read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Writes a message that may contain foreign text to standard error: lines after the first are indented.
pub(crate) fn report_message(text: impl Display) {
    write_to_stderr(&safe(text.to_string().trim_end(), LineBreaks::Indented));
}

/// Writes a multi-line text of this program, such as a usage error, to standard error.
pub(crate) fn report_document(text: impl Display) {
    write_to_stderr(&safe(text.to_string().trim_end(), LineBreaks::Kept));
}

/// Writes a JSON value to standard error.
pub(crate) fn report_json(value: &impl Serialize) {
    // Only strings: serialising can't fail.
    let json = serde_json::to_string(value).unwrap_or_default();
    write_to_stderr(&safe_json(&json));
}

#[expect(clippy::disallowed_methods, reason = "the text is already filtered")]
fn write_to_stderr(safe: &str) {
    let _ = writeln!(anstream::stderr(), "{safe}");
}

/// Writes a hook's answer to standard output at once. Write errors are ignored: the host has gone.
#[expect(clippy::disallowed_methods, reason = "the text is filtered")]
pub(crate) fn write_answer(answer: &str) {
    let safe = if answer.starts_with('{') {
        safe_json(answer)
    } else {
        safe(answer, LineBreaks::Kept)
    };
    let mut stdout = std::io::stdout().lock();
    let _ = stdout
        .write_all(safe.as_bytes())
        .and_then(|()| stdout.flush());
}

/// Standard output for a host that speaks a protocol: nothing is filtered, because every byte is the server's message.
#[expect(clippy::disallowed_methods, reason = "JSON for a program")]
pub(crate) fn host_output() -> Stdout {
    std::io::stdout()
}

/// Whether standard error is a terminal.
#[expect(clippy::disallowed_methods, reason = "nothing is written")]
fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Standard output.
///
/// The stream is not locked: a server started by a command writes to it from its own threads.
pub(crate) struct Output {
    stdout: BufWriter<AutoStream<Stdout>>,
    is_terminal: bool,
    json: bool,
    /// Width to wrap at.
    pub(crate) width: usize,
    /// The current time and the time zone for parsing and formatting dates.
    pub(crate) dates: Dates,
}

impl Output {
    /// Output for a command; `verbatim` writes data unchanged if standard output is no terminal.
    #[expect(clippy::disallowed_methods, reason = "this is the only handle")]
    pub(crate) fn new(json: bool, verbatim: bool) -> Self {
        let stdout = std::io::stdout();
        let choice = if json || verbatim {
            ColorChoice::AlwaysAnsi
        } else {
            AutoStream::choice(&stdout)
        };
        Self {
            width: width(),
            is_terminal: stdout.is_terminal(),
            stdout: BufWriter::new(AutoStream::new(stdout, choice)),
            json,
            dates: Dates::of_this_machine(),
        }
    }

    /// Whether answers are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether standard error is a terminal, so that progress is drawn.
    pub(crate) fn is_watched(&self) -> bool {
        !self.json && stderr_is_terminal()
    }

    /// Writes a line; a line break in the text is shown as `\n`.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        let text = text.to_string();
        Ok(writeln!(self.stdout, "{}", safe(&text, LineBreaks::Shown))?)
    }

    /// Writes an indented entry after a label, wrapped.
    pub(crate) fn entry(&mut self, style: Style, sign: &str, text: &str) -> Result<(), Failure> {
        let indent = sign.len() + 4;
        let mut sign = paint(style, sign);
        for line in wrapped(text, self.width.saturating_sub(indent)) {
            self.line(format_args!("  {sign}  {line}"))?;
            sign = " ".repeat(indent - 4);
        }
        Ok(())
    }

    /// Writes a text of this program with its line breaks: a drawing, a script, help.
    pub(crate) fn document(&mut self, text: impl Display) -> Result<(), Failure> {
        let text = text.to_string();
        Ok(write!(self.stdout, "{}", safe(&text, LineBreaks::Kept))?)
    }

    /// Writes a JSON value: indented on a terminal, else on one line. Invisible characters are escaped.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let json = if self.is_terminal {
            serde_json::to_string_pretty(value)
        } else {
            serde_json::to_string(value)
        };
        let json = json.map_err(std::io::Error::from)?;
        Ok(writeln!(self.stdout, "{}", safe_json(&json))?)
    }

    /// Lets `write` write lines of JSON: unchanged, or with invisible characters escaped if standard output is a
    /// terminal.
    pub(crate) fn json_lines<T>(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if !self.is_terminal {
            return write(&mut self.stdout);
        }
        let mut lines = JsonLines::new(&mut self.stdout);
        let written = write(&mut lines)?;
        lines.finish()?;
        Ok(written)
    }

    /// Prints a note to standard error; not with `--json`, whose output has the same information.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.json {
            report_message(paint(DIM, text));
        }
    }

    /// Prints a warning.
    pub(crate) fn warn(&self, text: impl Display) {
        if !self.json {
            report_message(format_args!("{} {text}", paint(YELLOW, "note:")));
        }
    }

    /// Warns of views and models that were unavailable for an answer, and says what happens next.
    pub(crate) fn warn_degraded(&self, degraded: &[String]) {
        let is_model = |part: &&String| part.starts_with("embedding model") || *part == "reranker";
        let is_damaged = |part: &&String| *part == Answer::DAMAGED;
        let is_not_sampled = |part: &&String| part.ends_with(SpaceProposals::NOT_SAMPLED);
        let (damaged, others): (Vec<_>, Vec<_>) = degraded.iter().partition(is_damaged);
        let (not_sampled, others): (Vec<&String>, Vec<&String>) =
            others.into_iter().partition(is_not_sampled);
        let (models, views): (Vec<&String>, Vec<&String>) = others.into_iter().partition(is_model);
        if !damaged.is_empty() {
            self.warn("answered without memories that are damaged in both copies; `anamne verify` lists them");
        }
        for part in not_sampled {
            self.warn(format_args!(
                "answered without {part}; name them with --across, or search `--across all`"
            ));
        }
        let joined = |parts: &[&String]| {
            let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
            parts.join(" and ")
        };
        if !views.is_empty() {
            let them = if views.len() == 1 { "it" } else { "them" };
            self.warn(format_args!(
                "answered without {}; this command brings {them} up to date before it ends",
                joined(&views)
            ));
        }
        if !models.is_empty() {
            self.warn(format_args!(
                "answered without the {}; `anamne doctor` says why",
                joined(&models)
            ));
        }
    }

    /// Flushes the output.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}

/// The width of the terminal on any standard stream, else the variable COLUMNS, else 100.
///
/// Output piped to a pager or `head` is still shown on that terminal.
fn width() -> usize {
    let stored = || std::env::var("COLUMNS").ok()?.parse().ok();
    let seen = terminal_size::terminal_size()
        .map(|(terminal_size::Width(columns), _)| usize::from(columns));
    seen.or_else(stored)
        .unwrap_or(PLAIN_WIDTH)
        .clamp(40, WIDEST)
}

/// "1 segment", "2,000 segments": plural except for one.
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
