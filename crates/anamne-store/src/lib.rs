//! The source of truth: the log, its SQLite source and journal, spaces, and the view framework.

pub mod view;
