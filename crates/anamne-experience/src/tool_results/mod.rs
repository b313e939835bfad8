//! Cached results of tools.
