//! Sentence boundaries.

use super::{Shape, Tokens, is_stop};

impl Tokens<'_> {
    /// Splits the text into sentences, in addition to the starts already set by lines.
    pub(super) fn mark_sentences(&mut self) {
        let mut starts: Vec<usize> = self
            .sentences
            .iter()
            .map(|sentence| sentence.start)
            .collect();
        let mut behind = 0;
        for at in 0..self.all.len() {
            let token = &self.all[at];
            if token.shape != Shape::Mark {
                continue;
            }
            let next = self.all.get(at + 1);
            let ends = match token.text {
                "." => {
                    next.is_some_and(|next| next.spaced || is_closing(next.text))
                        && !self.abbreviates(at)
                }
                "!" | "?" | "…" | "。" | "！" | "？" | "|" => true,
                _ => false,
            };
            let opens = one_of!(
                token.text,
                ":" "\"" "“" "„" "«" "‘" "[" ";" "→" "—" "–" "-" "•" "*"
            ) && next.is_some_and(|next| next.shape != Shape::Mark);
            if ends {
                // Don't rescan a run of closing marks for each of its marks.
                let mut start = behind.max(at + 1);
                while self.all.get(start).is_some_and(|next| {
                    next.shape == Shape::Mark
                        && (is_closing(next.text) || is_stop(next.text))
                        && !next.spaced
                }) {
                    start += 1;
                }
                behind = start;
                if start < self.all.len() {
                    starts.push(start);
                }
            } else if opens {
                self.all[at + 1].begins = true;
            }
        }
        starts.push(0);
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|start| *start < self.all.len());
        let mut looked_at = 0;
        for start in &starts {
            // Don't rescan tokens that an earlier start has skipped.
            let mut first = looked_at.max(*start);
            while self.all.get(first).is_some_and(|token| {
                token.shape == Shape::Mark
                    || token.shape == Shape::Digit
                        && self
                            .all
                            .get(first + 1)
                            .is_some_and(|next| matches!(next.text, ":" | ")"))
            }) {
                first += 1;
            }
            looked_at = first;
            if let Some(token) = self.all.get_mut(first) {
                token.begins = true;
            }
        }
        let ends = starts.iter().skip(1).copied().chain([self.all.len()]);
        self.sentences = starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| start..end)
            .collect();
    }

    /// Whether the full stop belongs to the token before it: `Dr.`, `J.`, `e.g.`
    fn abbreviates(&self, point: usize) -> bool {
        let Some(before) = point.checked_sub(1).map(|at| &self.all[at]) else {
            return false;
        };
        let next_is_lower = self.all.get(point + 1).is_some_and(|next| {
            next.shape == Shape::Lower && next.text.starts_with(char::is_lowercase)
        });
        let initial = before.text.chars().count() == 1
            && before.shape == Shape::Capital
            && before.text != "I";
        initial
            || (ABBREVIATIONS.contains(&&*before.lower))
            || (next_is_lower && before.shape == Shape::Digit)
    }
}

const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "rev", "st", "sr", "jr", "vs", "e.g", "i.e", "etc", "inc",
    "ltd", "approx", "dept", "no", "z.b", "bzw", "ca", "fig", "sgt", "capt", "lt", "gen", "col",
    "hon", "co", "corp", "feat", "mt", "ft",
];

fn is_closing(text: &str) -> bool {
    matches!(
        text,
        "\"" | "'" | ")" | "]" | "”" | "’" | "»" | "“" | "**" | "*" | "_" | "__"
    )
}
