//! The views that recall searches: lexical, vectors, columns, and the latent index.
//!
//! Each view follows the log through the framework of `anamne_store::view`: a published part on disk, shared by all
//! processes, and a tail in memory. [`lexical`] searches by BM25, [`vectors`] by cosine, [`columns`] stores attributes
//! and wordpieces, and [`latent`] is the latent index, computed from the columns. This crate must not depend on ranking
//! or on the origin of a query, and it never writes outside the folder of a view.
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
