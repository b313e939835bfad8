//! Transcripts on disk, for tests.

use std::fs;
use std::path::PathBuf;

use anamne_ingest::transcripts::{
    Conversation, Position, Speaker, TranscriptError, TranscriptFile, TranscriptFormat, Turn, file,
    read,
};
use serde_json::Value;

/// A folder with one transcript, laid out as its host does.
pub(crate) struct Disk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
    format: TranscriptFormat,
}

impl Disk {
    pub(crate) fn new(format: TranscriptFormat) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let name = match format {
            TranscriptFormat::ClaudeCode => ".claude/projects/-code-app/5e1f.jsonl",
            TranscriptFormat::Codex => {
                ".codex/sessions/2026/08/01/rollout-2026-08-01T10-00-00-0198a000-0000-7000-8000-000000000001.jsonl"
            }
            _ => ".gemini/tmp/app/chats/session-2026-08-01T10-00-5e1f0000.jsonl",
        };
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        if format == TranscriptFormat::Gemini {
            fs::write(
                folder.path().join(".gemini/tmp/app/.project_root"),
                "/code/app",
            )
            .expect("a file");
        }
        Self {
            folder,
            path,
            format,
        }
    }

    pub(crate) fn write(&self, content: impl AsRef<[u8]>) {
        // Some file systems sync a file that is replaced in place.
        let _ = fs::remove_file(&self.path);
        fs::write(&self.path, content).expect("a file");
    }

    pub(crate) fn file(&self) -> TranscriptFile {
        file(self.format, &self.path).expect("a transcript")
    }

    pub(crate) fn read(&self, from: Position) -> Result<Conversation, TranscriptError> {
        read(&self.file(), from)
    }
}

/// Reads a transcript of these lines as a whole.
pub(crate) fn read_lines(format: TranscriptFormat, lines: &[Value]) -> Conversation {
    let disk = Disk::new(format);
    disk.write(text_of(lines));
    disk.read(Position::default()).expect("a conversation")
}

/// Reads a transcript while it grows: at each of these lengths, and at its end. A turn that comes again counts once.
pub(crate) fn read_in_cuts(format: TranscriptFormat, content: &[u8], cuts: &[usize]) -> Vec<Turn> {
    let disk = Disk::new(format);
    let mut turns: Vec<Turn> = Vec::new();
    let mut position = Position::default();
    let mut cuts = cuts.to_vec();
    cuts.sort_unstable();
    for cut in cuts.into_iter().chain([content.len()]) {
        disk.write(&content[..cut]);
        let Ok(conversation) = disk.read(position) else {
            // The first line isn't there yet.
            continue;
        };
        for mut turn in conversation.turns {
            // Without times in the transcript it is that of the file, which differs.
            turn.at = None;
            if !turns.iter().any(|known| known.id == turn.id) {
                turns.push(turn);
            }
        }
        position = conversation.reached.unwrap_or_default();
    }
    turns
}

/// The lines of a file, each with its line break.
pub(crate) fn text_of(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n") + if lines.is_empty() { "" } else { "\n" }
}

/// The turns as lines: the first letter of the speaker, then the text.
pub(crate) fn said(conversation: &Conversation) -> Vec<String> {
    let speaker = |turn: &Turn| match turn.speaker {
        Speaker::Person => 'P',
        Speaker::Agent => 'A',
        Speaker::Tool => 'T',
    };
    let turns = conversation.turns.iter();
    turns
        .map(|turn| format!("{} {}", speaker(turn), turn.text))
        .collect()
}

pub(crate) fn ids(conversation: &Conversation) -> Vec<&str> {
    conversation
        .turns
        .iter()
        .map(|turn| turn.id.as_str())
        .collect()
}

#[track_caller]
pub(crate) fn check(format: TranscriptFormat, lines: &[Value], expected: &[&str]) -> Conversation {
    let conversation = read_lines(format, lines);
    assert_eq!(said(&conversation), expected, "{:?}", conversation.skipped);
    conversation
}
