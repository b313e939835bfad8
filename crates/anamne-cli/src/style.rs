//! The styles of this program, and how a text carries them to the terminal.
//!
//! A styled text holds marks and no escape sequences. Each mark carries a number that is drawn again in every process, so
//! no stored, imported or typed text can contain one. [`crate::terminal`] turns marks into escape sequences from the
//! table below and shows every other escape character as `\u{1B}`.

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Color, Style};

const fn coloured(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// What recedes: origins, dates, reasons.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What stands out.
pub(crate) const BOLD: Style = Style::new().bold();
/// Titles in the help.
pub(crate) const TITLE: Style = Style::new().bold().underline();
/// What is well.
pub(crate) const GREEN: Style = coloured(AnsiColor::Green);
/// What wants attention.
pub(crate) const YELLOW: Style = coloured(AnsiColor::Yellow);
/// What is wrong.
pub(crate) const RED: Style = coloured(AnsiColor::Red);
/// The word `error`.
pub(crate) const ERROR: Style = coloured(AnsiColor::Red).bold();
/// Ids, names and commands.
pub(crate) const CYAN: Style = coloured(AnsiColor::Cyan);

/// Every style that reaches a terminal; those of several attributes first, as [`from_help`] needs.
const STYLES: [Style; 8] = [TITLE, ERROR, DIM, BOLD, GREEN, YELLOW, RED, CYAN];

/// What ends a style.
const RESET: &str = "\u{1b}[0m";

/// The number of the mark that ends a style.
const END: usize = STYLES.len();

/// What every mark of this process begins with.
///
/// It has the form of an escape sequence, so that widths are counted without it.
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

/// `text` in a style; a style that is not in the table leaves it as it is.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    match STYLES.iter().position(|known| *known == style) {
        Some(number) => format!("{}{text}{}", mark(number), mark(END)),
        None => text.to_string(),
    }
}

/// The escape sequence of the mark at the beginning of `text`, and what follows the mark.
pub(crate) fn leading(text: &str) -> Option<(String, &str)> {
    let (number, rest) = text.strip_prefix(prefix())?.split_once('m')?;
    let sequence = match number.parse().ok()? {
        END => RESET.to_owned(),
        number => STYLES.get(number)?.render().to_string(),
    };
    Some((sequence, rest))
}

/// Help as the parser of arguments renders it, with marks in place of its escape sequences.
///
/// Only for the help of this program, every word of which is compiled in.
pub(crate) fn from_help(rendered: &str) -> String {
    let mut marked = rendered.replace(RESET, &mark(END));
    for (number, style) in STYLES.iter().enumerate() {
        marked = marked.replace(&style.render().to_string(), &mark(number));
    }
    marked
}

/// The styles in which the parser of arguments renders help.
pub(crate) fn of_help() -> clap::builder::Styles {
    clap::builder::Styles::plain()
        .header(TITLE)
        .usage(TITLE)
        .literal(BOLD)
}
