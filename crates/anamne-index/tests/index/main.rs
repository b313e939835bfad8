//! The views that queries read.

mod lexical_twin;
mod segments_log;

mod columns;
mod latent;
mod lexical;
mod lexical_files;
mod purge;
mod segments;
mod vectors;
