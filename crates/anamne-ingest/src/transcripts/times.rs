//! Times of turns for which their transcript has none.

use super::{Conversation, TranscriptFile, TranscriptFormat, cline};

impl Conversation {
    /// Gives each turn without a time that of the turn before it. The first ones get the time at which the conversation began, if
    /// its file is named by it, else that of the turn after them, else that of the file's last change.
    pub(super) fn complete_times(&mut self, file: &TranscriptFile) {
        let began = match file.format {
            TranscriptFormat::Cline => cline::began_at(file),
            _ => None,
        };
        let first = self.turns.iter().find_map(|turn| turn.at);
        let mut known = began.or(first).or(file.modified);
        for turn in &mut self.turns {
            if turn.at.is_none() {
                self.undated += 1;
                turn.at = known;
            }
            known = turn.at;
        }
    }
}
