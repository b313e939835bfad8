//! Notes category, importance, keywords, tags, language and a summary beside a text.

use anamne_knowledge::enrichment::Enriched;
use anamne_types::{Category, Draft};
use serde_json::{Value, json};

use super::spans::folded;
use super::{Question, list, object, refuse_longer, text};
use crate::wording::plain_line;
use crate::{Bridge, BridgeError, Call};

pub(super) const PROMPT: &str = include_str!("../../prompts/enrich.md");

/// Maximum bytes of the text.
const MOST_BYTES: usize = 32 << 10;

/// Maximum number of keywords.
const MOST_KEYWORDS: usize = 5;

/// Maximum number of tags.
const MOST_TAGS: usize = 3;

/// Maximum characters of a keyword or tag.
const MOST_WORD: usize = 60;

/// Maximum characters of a summary.
const MOST_SUMMARY: usize = 280;

/// The category for what is none of the nine.
const NONE: &str = "none";

/// Enriches a text.
///
/// Keywords that don't occur in the text are dropped. For an empty text no model is called. [`BridgeError::TooLong`] above 32 KiB.
pub fn enrich(bridge: &Bridge, call: &Call<'_>, said: &str) -> Result<Enriched, BridgeError> {
    refuse_longer("a text, in bytes,", said.len(), MOST_BYTES)?;
    let categories: Vec<_> = Category::ALL
        .iter()
        .map(|category| category.as_str())
        .collect();
    let question = Question {
        prompt: PROMPT.replace("{categories}", &categories.join(", ")),
        data: json!({ "text": said }),
        schema: schema(&categories),
        max_output_tokens: 600,
    };
    Ok(checked(&question.put(bridge, call)?, said))
}

fn schema(categories: &[&str]) -> Value {
    let categories: Vec<_> = categories.iter().chain(&[NONE]).collect();
    object([
        ("category", json!({"type": "string", "enum": categories})),
        (
            "importance",
            json!({"type": "integer", "minimum": 1, "maximum": 10}),
        ),
        ("keywords", list(MOST_KEYWORDS, &text(MOST_WORD))),
        ("tags", list(MOST_TAGS, &text(MOST_WORD))),
        ("language", text(8)),
        ("summary", text(1_000)),
    ])
}

/// What an answer says, as far as the text supports it.
fn checked(answer: &Value, said: &str) -> Enriched {
    let word = |name| answer.get(name).and_then(Value::as_str).unwrap_or_default();
    let words = |name, most: usize| -> Vec<String> {
        let entries = answer.get(name).and_then(Value::as_array);
        let mut kept: Vec<String> = Vec::new();
        for entry in entries.into_iter().flatten().filter_map(Value::as_str) {
            let line = plain_line(entry, MOST_WORD);
            if !line.is_empty() && !kept.contains(&line) && kept.len() < most {
                kept.push(line);
            }
        }
        kept
    };
    let whole = folded(said);
    let mut keywords = words("keywords", MOST_KEYWORDS);
    keywords.retain(|keyword| whole.contains(&folded(keyword)));
    let tags = words("tags", MOST_TAGS).into_iter();
    let language = word("language");
    let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    let summary = plain_line(word("summary"), MOST_SUMMARY);
    let importance = answer.get("importance").and_then(Value::as_u64);
    Enriched {
        category: word("category").parse().ok(),
        importance: importance.map_or(Draft::DEFAULT_IMPORTANCE, |number| {
            number.clamp(1, 10) as u8
        }),
        keywords,
        tags: tags.map(|tag| tag.to_lowercase()).collect(),
        language: is_code.then(|| language.to_owned()),
        summary: (!summary.is_empty()).then_some(summary),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_as_far_as_the_text_supports_it() {
        let answer = json!({
            "category": "bug_fix", "importance": 7, "keywords": ["Redis", "kraken", "Redis"],
            "tags": ["Database"], "language": "en", "summary": "",
        });
        let enriched = checked(&answer, "The redis lock was stale.");
        assert_eq!(enriched.category, Some(Category::BugFix));
        assert_eq!(enriched.keywords, ["Redis"]);
        assert_eq!(enriched.tags, ["database"]);
        assert_eq!(
            (enriched.language.as_deref(), enriched.summary),
            (Some("en"), None)
        );
        let nonsense = json!({"category": "none", "importance": 99, "language": "English"});
        let enriched = checked(&nonsense, "x");
        assert_eq!((enriched.category, enriched.importance), (None, 10));
        assert_eq!(enriched.language, None);
    }
}
