//! The styles of this program, and how styled text reaches the terminal.
//!
//! A styled text contains marks instead of escape sequences. Each mark contains a random number of this process, so
//! that no stored, imported or typed text can contain one. [`crate::terminal`] replaces marks by escape sequences from
//! the table below and shows every other escape character as `\u{1B}`.

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Color, Style};

const fn coloured(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// Secondary: origins, dates, reasons.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Emphasis.
pub(crate) const BOLD: Style = Style::new().bold();
/// Help titles.
pub(crate) const TITLE: Style = Style::new().bold().underline();
/// Good.
pub(crate) const GREEN: Style = coloured(AnsiColor::Green);
/// Needs attention.
pub(crate) const YELLOW: Style = coloured(AnsiColor::Yellow);
/// Bad.
pub(crate) const RED: Style = coloured(AnsiColor::Red);
/// The word `error`.
pub(crate) const ERROR: Style = coloured(AnsiColor::Red).bold();
/// Ids, names and commands.
pub(crate) const CYAN: Style = coloured(AnsiColor::Cyan);

/// Every style that reaches a terminal; those with several attributes first, as [`from_help`] requires.
const STYLES: [Style; 8] = [TITLE, ERROR, DIM, BOLD, GREEN, YELLOW, RED, CYAN];

/// Ends a style.
const RESET: &str = "\u{1b}[0m";

/// The number of the mark that ends a style.
const END: usize = STYLES.len();

/// The prefix of every mark of this process.
///
/// It has the form of an escape sequence, so that it doesn't count towards the width of a text.
fn prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let random = RandomState::new();
        format!(
            "\u{1b}[{:020};{:020};",
            random.hash_one(0),
            random.hash_one(1)
        )
    })
}

fn mark(number: usize) -> String {
    format!("{}{number}m", prefix())
}

/// `text` in a style; unchanged if the style is not in the table.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    match STYLES.iter().position(|known| *known == style) {
        Some(number) => format!("{}{text}{}", mark(number), mark(END)),
        None => text.to_string(),
    }
}

/// The escape sequence for the mark at the beginning of `text`, and the text after the mark.
pub(crate) fn leading(text: &str) -> Option<(String, &str)> {
    let (number, rest) = text.strip_prefix(prefix())?.split_once('m')?;
    let sequence = match number.parse().ok()? {
        END => RESET.to_owned(),
        number => STYLES.get(number)?.render().to_string(),
    };
    Some((sequence, rest))
}

/// Help rendered by clap, with marks in place of its escape sequences.
///
/// Only for the help of this program, which contains only compiled-in text.
pub(crate) fn from_help(rendered: &str) -> String {
    let mut marked = rendered.replace(RESET, &mark(END));
    for (number, style) in STYLES.iter().enumerate() {
        marked = marked.replace(&style.render().to_string(), &mark(number));
    }
    marked
}

/// The styles of clap's help.
pub(crate) fn of_help() -> clap::builder::Styles {
    clap::builder::Styles::plain()
        .header(TITLE)
        .usage(TITLE)
        .literal(BOLD)
}
