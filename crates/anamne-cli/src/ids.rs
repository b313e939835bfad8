//! Resolves ids that people write.

use anamne::{ErrorKind, MemoryId, Space};

use crate::failure::Failure;
use crate::wording::named;

/// The memory that `text` names: its citation (`m12`), its id or the beginning of the id, or the id under which it was
/// imported.
///
/// Citations are what people see, so they take precedence; an imported id of that form is found only if no memory has
/// that citation.
pub(crate) fn resolve(space: &Space, text: &str) -> Result<MemoryId, Failure> {
    if !is_citation(text)
        && let Some(id) = space.find_imported(text)?
    {
        return Ok(id);
    }
    match space.resolve(text) {
        Ok(id) => Ok(id),
        Err(error) if error.kind() == ErrorKind::NotFound => match space.find_imported(text)? {
            Some(id) => Ok(id),
            None => Err(nothing_named(text, space.name())),
        },
        Err(error) => Err(error.into()),
    }
}

fn is_citation(text: &str) -> bool {
    text.strip_prefix('m')
        .is_some_and(|row| !row.is_empty() && row.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The failure that nothing has this name.
pub(crate) fn nothing_named(text: &str, space: &str) -> Failure {
    let message = format!("no memory {} in the space {space}", named(text));
    Failure::not_found(message)
        .hint("list memories with `anamne list`; use --space for another space")
}

/// The memories that `texts` name by `resolve`, in order, without duplicates.
pub(crate) fn each_once(
    texts: &[String],
    resolve: impl Fn(&str) -> Result<MemoryId, Failure>,
) -> Result<Vec<MemoryId>, Failure> {
    let mut ids = Vec::with_capacity(texts.len());
    for text in texts {
        let id = resolve(text)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}
