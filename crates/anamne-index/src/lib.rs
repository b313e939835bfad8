//! The views that recall searches: lexical, vectors, columns, and the latent index.
//!
//! Each view follows the log by the framework of `anamne_store::view`: a published part on disk that all processes
//! share, and a tail in memory. [`lexical`] answers by BM25, [`vectors`] by cosine, [`columns`] holds attributes and
//! wordpieces, [`latent`] the latent index, made of the columns. This crate must never know how results are ranked
//! or where a question comes from, and it never writes outside the folder of a view.
//!
//! ```
//! use anamne_index::lexical::LexicalView;
//! use anamne_store::view::{Change, Record, View};
//! use anamne_text::analyser::Analyser;
//! use anamne_types::{Row, Seq};
//!
//! let folder = tempfile::tempdir()?;
//! let view = LexicalView::open(folder.path().join("lexical"));
//! let record = Record { text: "The mill gauge reads in centimetres".into(), ..Record::default() };
//! view.follow(&[Change { seq: Seq(1), row: Row(1), record: Some(record) }], Seq(1));
//! let hits = view.search(&Analyser::new().query("which gauge?"), 10, None)?;
//! assert_eq!(hits[0].row, Row(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod columns;
mod held;
pub mod latent;
pub mod lexical;
mod segments;
pub mod threads;
pub mod vectors;
