//! The sentence of a text that best answers a query.

use anamne_text::analyser::Analyser;

use super::passages::{LongText, PassageQuery};

/// The sentence of `text` that best matches `question`, by shared words and by meaning; white space becomes single
/// spaces. Fenced code counts only if there is nothing else. Empty for an empty text. O(text), including one embedding
/// per sentence.
pub fn best_sentence(question: &str, text: &str) -> String {
    let query = Analyser::new().query(question);
    let weights = vec![1.0; query.terms.len()];
    let passage_query = PassageQuery::new(question, &query.terms, &weights);
    let prose: String = text.split("```").step_by(2).collect();
    let best = LongText::read(&prose, &passage_query).best_sentence();
    if best.is_empty() {
        LongText::read(text, &passage_query).best_sentence()
    } else {
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_that_shares_words_or_meaning_is_chosen() {
        let text =
            "The 22nd becomes a closed beta. Public release\nis on Friday 12 June. I call Anselm.";
        assert_eq!(
            best_sentence("when is the public release?", text),
            "Public release is on Friday 12 June."
        );
        assert_eq!(
            best_sentence("who telephones Anselm?", text),
            "I call Anselm."
        );
        assert_eq!(best_sentence("anything", ""), "");
        let code = "It returns the header.\n```\nreturn header;\n```";
        assert_eq!(
            best_sentence("return header", code),
            "It returns the header."
        );
        assert_eq!(best_sentence("x", "```\nlet x;\n```"), "``` let x;");
        assert_eq!(
            best_sentence("", "The rain falls all day. The snow falls all night."),
            "The rain falls all day."
        );
    }
}
