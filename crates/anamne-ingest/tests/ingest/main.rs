//! Transcripts of hosts.

mod common;

mod transcripts_claude_code;
mod transcripts_codex;
mod transcripts_gemini;
mod transcripts_hostile;
mod transcripts_incremental;
mod transcripts_other;
