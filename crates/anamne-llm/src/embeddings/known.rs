//! Embedding models whose properties their makers document.

/// How vectors of a model can be shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortening {
    /// The API takes the number of dimensions.
    Parameter,
    /// The first dimensions of a vector are a vector: the model was trained so (Matryoshka representations).
    Cut,
    /// Not documented.
    No,
}

/// The properties of a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownModel {
    /// The beginning of its name, without the owner.
    name: &'static str,
    /// The length of its vectors.
    pub(super) full: usize,
    /// The length that is used unless another is asked for.
    pub(super) usual: usize,
    pub(super) shortening: Shortening,
    /// The maximum length of a text, in tokens.
    pub(super) tokens: usize,
}

/// The maximum length of a text for other models, in tokens.
pub(super) const USUAL_TOKENS: usize = 2_048;

/// Bytes of a token. Of a text with shorter tokens the API may refuse a part; then it is cut further.
pub(super) const BYTES_PER_TOKEN: usize = 3;

const fn model(
    name: &'static str,
    full: usize,
    usual: usize,
    shortening: Shortening,
    tokens: usize,
) -> KnownModel {
    KnownModel {
        name,
        full,
        usual,
        shortening,
        tokens,
    }
}

/// The usual lengths lose about one percent of the quality that the makers report, and keep the files small.
const MODELS: &[KnownModel] = &[
    model(
        "text-embedding-3-small",
        1_536,
        512,
        Shortening::Parameter,
        8_191,
    ),
    model(
        "text-embedding-3-large",
        3_072,
        1_024,
        Shortening::Parameter,
        8_191,
    ),
    model(
        "text-embedding-ada-002",
        1_536,
        1_536,
        Shortening::No,
        8_191,
    ),
    model(
        "gemini-embedding-001",
        3_072,
        768,
        Shortening::Parameter,
        2_048,
    ),
    model("text-embedding-004", 768, 768, Shortening::Parameter, 2_048),
    model("nomic-embed-text-v1.5", 768, 768, Shortening::Cut, 2_048),
    model("nomic-embed-text:v1.5", 768, 768, Shortening::Cut, 2_048),
    model("mxbai-embed-large", 1_024, 1_024, Shortening::Cut, 512),
    model("embeddinggemma", 768, 768, Shortening::Cut, 2_048),
];

/// The properties of a model, by its name with or without owner and edition.
pub(super) fn known(model: &str) -> Option<&'static KnownModel> {
    let name = model.rsplit('/').next().unwrap_or(model);
    MODELS.iter().find(|known| {
        name.strip_prefix(known.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '-']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_by_its_name_and_its_editions() {
        let check = |name: &str, full: Option<usize>| {
            assert_eq!(known(name).map(|model| model.full), full, "{name}");
        };
        check("text-embedding-3-small", Some(1_536));
        check("models/gemini-embedding-001", Some(3_072));
        check("nomic-ai/nomic-embed-text-v1.5", Some(768));
        check("mxbai-embed-large:latest", Some(1_024));
        check("embeddinggemma:300m", Some(768));
        check("text-embedding-3", None);
        check("text-embedding-3-smaller", None);
        check("nomic-embed-text", None);
    }

    #[test]
    fn no_model_is_used_at_more_than_its_full_length() {
        assert!(MODELS.iter().all(|model| model.usual <= model.full));
    }
}
