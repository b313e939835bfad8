//! Text from the command line or standard input.

use std::io::{IsTerminal, Read};

use anamne::{Body, Category, Kind, Limits};

use crate::failure::Failure;
use crate::output::Output;

/// Maximum bytes read from standard input; longer input would be rejected anyway.
const MOST: u64 = 16 * Limits::CONTENT_BYTES as u64;

/// As [`text`], which must not be empty.
pub(crate) fn some_text(field: &str, words: &[String], output: &Output) -> Result<String, Failure> {
    let text = text(field, words, output)?;
    if text.is_empty() {
        return Err(Failure::refused(field, format!("the {field} is empty")));
    }
    Ok(text)
}

/// The words joined by spaces; a single `-` reads standard input.
///
/// One line break at the end of standard input is dropped: it comes from the shell, not the author.
pub(crate) fn text(field: &str, words: &[String], output: &Output) -> Result<String, Failure> {
    if !matches!(words, [dash] if dash == "-") {
        return Ok(words.join(" "));
    }
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        output.note("type the text and end it with Ctrl-D on its own line");
    }
    let mut bytes = Vec::new();
    let unreadable = |error| Failure::failed(format!("can't read standard input: {error}"));
    stdin
        .lock()
        .take(MOST)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        Failure::refused(
            field,
            format!("{field} must be UTF-8, but {}", error.utf8_error()),
        )
    })?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

/// The body for `--kind` and `--category`; `None` if neither is given.
pub(crate) fn body(
    kind: Option<Kind>,
    category: Option<Category>,
) -> Result<Option<Body>, Failure> {
    match (kind, category) {
        (None, None) => Ok(None),
        (None | Some(Kind::Fact), Some(_)) => Ok(Some(Body::Fact { category })),
        (Some(kind), Some(_)) => Err(Failure::refused(
            "category",
            format!("category must be given with the kind fact, but the kind was {kind}"),
        )),
        (Some(kind), None) => Body::empty(kind).map(Some).ok_or_else(|| {
            if kind == Kind::Experience {
                return Failure::refused("kind", "kind must not be experience, which needs a record")
                    .hint("record outcomes with `anamne outcome`");
            }
            Failure::refused("kind", "kind must not be chunk, which needs a document")
                .hint("import chunks with `anamne import`, with the id of their document in the field \"document\"")
        }),
    }
}
