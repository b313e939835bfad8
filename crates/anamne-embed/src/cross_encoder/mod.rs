//! Cross-encoders: models that read a query and a text together, from an ONNX file.

mod onnx;
mod pairs;
mod settings;

use std::path::Path;

use crate::model_file::ModelFile;
use crate::{EmbedError, ModelIdentity, Reranker, probability};
use onnx::Encoder;
use pairs::PairTokenizer;
use settings::Settings;

/// The files of a cross-encoder, with their maximum sizes in bytes: files are read as a whole.
pub const CROSS_ENCODER_FILES: [(&str, u64); 3] = [
    ("model.onnx", 1 << 30),
    ("tokenizer.json", 256 << 20),
    ("config.json", 1 << 20),
];

/// Maximum bytes of a message about a graph.
const PROBLEM_BYTES: usize = 400;

/// A cross-encoder in the published form of BERT models for sequence classification: `model.onnx`, `tokenizer.json` and
/// `config.json`.
///
/// The graph reads `input_ids`, and if it has these inputs `attention_mask` and `token_type_ids`, and gives one logit,
/// whose probability is the score, or two, of which the second is for a relevant text. Weights may be 32-bit floats or
/// 8-bit integers. Pairs are read one at a time: so the memory is that of one pair, and a score doesn't depend on other
/// texts, as it would if a batch were quantised together.
///
/// The query is truncated to 64 tokens, the pair to 256, or to what the model reads. Marks such as `[SEP]` in query and
/// text are read like any other text.
pub struct CrossEncoder {
    identity: ModelIdentity,
    encoder: Encoder,
    tokenizer: PairTokenizer,
    most_tokens: usize,
}

impl CrossEncoder {
    /// Loads the folder of a cross-encoder.
    ///
    /// The identity is the folder's name with a checksum of the files.
    ///
    /// Errors: those of [`CrossEncoder::from_files`], and [`EmbedError::Read`].
    pub fn load(folder: &Path) -> Result<Self, EmbedError> {
        let [model, tokenizer, configuration] = CROSS_ENCODER_FILES;
        let read = |(name, most)| ModelFile::read(folder, name, most);
        let files = [read(model)?, read(tokenizer)?, read(configuration)?];
        let name = folder
            .file_name()
            .map_or("cross-encoder".into(), |name| name.to_string_lossy());
        Self::from_files(&name, &files)
    }

    /// Builds the model `name` from files in memory, in the order of [`CROSS_ENCODER_FILES`], and scores a first pair.
    /// Limiting their sizes is the caller's part.
    ///
    /// Every shape is followed before the graph is loaded. One that would need more than 2 GiB beside its weights, which are
    /// held twice, or that has loops, unknown operators or other inputs and outputs is refused. O(bytes of the files).
    ///
    /// Errors: [`EmbedError::Malformed`] for a damaged file or another kind of model, [`EmbedError::Unsupported`] for a
    /// tokenizer other than that of uncased BERT.
    pub fn from_files(name: &str, files: &[ModelFile; 3]) -> Result<Self, EmbedError> {
        let [model, tokenizer, configuration] = files;
        let settings = Settings::read(configuration)?;
        let pairs = PairTokenizer::read(tokenizer)?;
        let encoder =
            Encoder::load(model.bytes(), settings.most_tokens).map_err(|it| of_graph(model, it))?;
        settings.check_labels(encoder.labels, configuration)?;
        let tokens = pairs.tokens();
        if let Some(rows) = encoder.token_rows.filter(|rows| *rows < tokens) {
            return Err(model.malformed(format!(
                "it has embeddings of {rows} tokens, but tokenizer.json has {tokens}"
            )));
        }
        let loaded = Self {
            identity: ModelIdentity::of_files(name, &[model, tokenizer, configuration]),
            encoder,
            tokenizer: pairs,
            most_tokens: settings.most_tokens,
        };
        for text in ["a text", &"a long text ".repeat(settings.most_tokens)] {
            let query = loaded.tokenizer.query("a query", loaded.most_tokens);
            loaded
                .score(&query, text)
                .map_err(|problem| of_graph(model, problem))?;
        }
        Ok(loaded)
    }

    fn score(&self, query: &[i32], text: &str) -> Result<f32, String> {
        let pair = self.tokenizer.pair(query, text, self.most_tokens);
        let logits = self.encoder.logits(&pair.tokens, &pair.types)?;
        Ok(match logits[..] {
            // The second of two probabilities depends on their difference only.
            [other, relevant] => probability(relevant - other),
            _ => probability(logits[0]),
        })
    }
}

/// The problem of a graph, without the rest of the names in it, which may be as long as the file.
fn of_graph(model: &ModelFile, mut problem: String) -> EmbedError {
    if problem.len() > PROBLEM_BYTES {
        problem.truncate(problem.floor_char_boundary(PROBLEM_BYTES));
        problem.push('…');
    }
    model.malformed(problem)
}

impl std::fmt::Debug for CrossEncoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("CrossEncoder")
            .field("identity", &self.identity)
            .field("most_tokens", &self.most_tokens)
            .finish_non_exhaustive()
    }
}

impl Reranker for CrossEncoder {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn scores(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let query = self.tokenizer.query(query, self.most_tokens);
        let score = |text: &&str| self.score(&query, text);
        let scores: Result<Vec<f32>, String> = texts.iter().map(score).collect();
        scores.map_err(|problem| EmbedError::Rerank {
            model: self.identity.to_string(),
            problem,
        })
    }
}
