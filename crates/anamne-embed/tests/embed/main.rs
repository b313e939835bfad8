//! Embedding and reranking models.

mod cached;
mod cross_encoder;
mod model2vec_folder;
mod reference_vectors;
mod token_table;
