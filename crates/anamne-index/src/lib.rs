//! The views that recall searches: lexical, vectors, columns.

