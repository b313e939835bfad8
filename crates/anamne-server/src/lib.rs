//! The doors for programs.
