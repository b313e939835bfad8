//! Embedders: text in, vectors out.
//!
//! The crate contains the [`Embedder`] trait that the engine depends on, the [`StaticModel`] that is compiled into the
//! binary, and the loader for Model2Vec folders. A static model has one row per wordpiece; the vector of a text is the
//! mean of its rows, scaled to unit length. No neural network runs.
//!
//! A [`CachedEmbedder`] wraps models that cost time or money: it calls them in batches and once per text; the storage
//! is behind the trait [`VectorCache`].
//!
//! A model that exposes its tokens is also a [`TokenTable`]: late interaction compares a query with a text token by
//! token, by the cosines of their rows.
//!
//! A [`Reranker`] is a model that reads a query and a text together. None is built in. A [`CrossEncoder`] is one from an
//! ONNX file; the program may provide others.
//!
//! The crate must not depend on memories, stores or indexes, and it never accesses the network, the environment or any
//! file that it was not given.
//!
//! ```
//! use anamne_embed::{Embedder, StaticModel};
//!
//! let model = StaticModel::builtin();
//! let mut vectors = [vec![0.0; 256], vec![0.0; 256], vec![0.0; 256]];
//! let texts = ["The cat sleeps.", "A kitten is napping.", "Quarterly revenue rose."];
//! for (text, vector) in texts.iter().zip(&mut vectors) {
//!     model.embed_into(text, vector)?;
//! }
//! let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
//! assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]));
//! # Ok::<(), anamne_embed::EmbedError>(())
//! ```

mod builtin;
mod cached;
mod cross_encoder;
mod embedder;
mod error;
#[cfg(feature = "model2vec")]
mod general_tokenizer;
mod half;
mod hashed_words;
mod identity;
mod model2vec;
mod model_file;
mod reranker;
mod similar;
mod similarity;
mod static_model;
mod token_rows;
mod tokenizer_file;
mod wordpiece;

pub use cached::{BATCH_SIZE, CacheCounts, CachedEmbedder, VectorCache};
pub use cross_encoder::{CROSS_ENCODER_FILES, CrossEncoder};
pub use embedder::{Embedder, TokenTable};
pub use error::EmbedError;
pub use identity::ModelIdentity;
pub use model_file::ModelFile;
pub use model2vec::MODEL_FILES;
pub use reranker::{Reranker, checked_scores, probability};
pub use similar::SimilarTokens;
pub use static_model::StaticModel;
