//! The scope of a query as a bitmap of rows.

use anamne_types::RecallScope;
use roaring::RoaringBitmap;

use crate::error::RecallError;
use crate::recall_context::RecallContext;
use crate::sources::KNOWLEDGE;
use crate::topic;

/// The rows in scope; `None` means no restriction.
pub(crate) fn select(
    context: &RecallContext<'_>,
    scope: &RecallScope,
    degraded: &mut Vec<String>,
) -> Result<Option<RoaringBitmap>, RecallError> {
    let rows = match scope {
        RecallScope::All => return Ok(None),
        RecallScope::Thread(thread) => context.rows_in_threads(vec![thread.clone()])?,
        RecallScope::RelatedThreads(thread) => related(context, thread, degraded)?,
        RecallScope::Topics(topics) => {
            let mut rows = RoaringBitmap::new();
            for words in topics {
                rows |= topic::select(context, words)?;
            }
            rows
        }
        RecallScope::Entity(name) => naming_entity(context, name, degraded)?,
    };
    Ok(Some(rows))
}

/// The thread and those that name the same entities; without a knowledge graph only the thread.
fn related(
    context: &RecallContext<'_>,
    thread: &str,
    degraded: &mut Vec<String>,
) -> Result<RoaringBitmap, RecallError> {
    let mut threads = vec![thread.to_owned()];
    match context.sources.naming {
        None => degraded.push(KNOWLEDGE.to_owned()),
        Some(naming) => match naming.related_threads(thread) {
            Ok(related) => {
                threads.extend(related.threads);
                if related.is_behind {
                    degraded.push(KNOWLEDGE.to_owned());
                }
            }
            Err(RecallError::NotExtracted { .. } | RecallError::Names { .. }) => {
                degraded.push(KNOWLEDGE.to_owned());
            }
            Err(error) => return Err(error),
        },
    }
    context.rows_in_threads(threads)
}

/// The memories that name an entity by any of its names; changed ones by their earlier text.
fn naming_entity(
    context: &RecallContext<'_>,
    name: &str,
    degraded: &mut Vec<String>,
) -> Result<RoaringBitmap, RecallError> {
    let Some(naming) = context.sources.naming else {
        let name = name.to_owned();
        let like = Vec::new();
        return Err(RecallError::NoEntity { name, like });
    };
    let named = naming.naming(name)?;
    if named.is_behind {
        degraded.push(KNOWLEDGE.to_owned());
    }
    let Some(past) = context.sources.past else {
        return Ok(named.rows);
    };
    let then = past
        .memories()
        .filter(|(_, memory)| {
            let mut names = named.names.iter();
            names.any(|name| contains_name(&memory.content, name))
        })
        .map(|(row, _)| row.0)
        .collect();
    Ok(past.corrected(named.rows, &then))
}

/// Whether a text contains a name as whole words, ignoring case.
fn contains_name(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    if name.is_empty() {
        return false;
    }
    // Scripts without cases have no spaces between words either.
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || is_cased(letter);
    text.match_indices(&name).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + name.len()..].chars().next();
        let starts_with_letter = name.chars().next().is_some_and(is_letter);
        let ends_with_letter = name.chars().next_back().is_some_and(is_letter);
        let continues_before = starts_with_letter && before.is_some_and(is_letter);
        let continues_after = ends_with_letter && after.is_some_and(is_letter);
        !continues_before && !continues_after
    })
}

fn is_cased(letter: char) -> bool {
    letter.is_lowercase() || letter.is_uppercase()
}

#[cfg(test)]
mod tests {
    use super::contains_name;

    #[test]
    fn a_name_is_matched_as_a_whole_word_in_any_script() {
        for (text, name, expected) in [
            ("Ada reads the gauge", "ada", true),
            ("Adam reads the gauge", "Ada", false),
            ("it was ADA.", "Ada", true),
            ("東京の倉庫", "東京", true),
            ("Новая Одесса", "Одесса", true),
            ("Одессаа", "Одесса", false),
            ("anything", "", false),
            ("İstanbul", "istanbul", false),
        ] {
            assert_eq!(contains_name(text, name), expected, "{name:?} in {text:?}");
        }
    }
}
