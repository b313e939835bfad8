//! The views that recall searches: lexical, vectors, columns.

pub mod columns;
pub mod lexical;
mod segments;
pub mod vectors;
