//! Word lists and rule tables that are compiled in as text files, and checked when they are loaded.
//!
//! A file has sections; `#` starts a comment at the beginning of a line:
//!
//! ```text
//! # Units of time.
//! [units]
//! minute hour day
//!
//! [towns]
//! aachen, new york, porto
//!
//! [irregular]
//! written | write
//! ```
//!
//! A section is read as [words](Lexicon::words), as [names](Lexicon::names) of one or more words, or as the
//! [rows](Lexicon::rows) of a table. Unknown, repeated and empty sections, repeated entries, capitals and rows with the
//! wrong number of cells are refused with the file and the line.
//!
//! ```
//! use anamne_text::lexicon::Lexicon;
//!
//! let file = Lexicon::parse("kin.txt", "[kin]\nmother father\n[verbs]\nwent | go\n")?;
//! assert_eq!(file.words("kin")?, ["mother", "father"]);
//! assert_eq!(file.rows("verbs", 2)?[0].cells, ["went", "go"]);
//! assert_eq!(
//!     file.words("towns").unwrap_err().to_string(),
//!     "kin.txt: no section [towns]"
//! );
//! # Ok::<(), anamne_text::lexicon::LexiconError>(())
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

/// Why a file is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LexiconError {
    /// A line that can't be read.
    #[error("{file}, line {line}: {fault}")]
    Line {
        /// The name of the file.
        file: &'static str,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        fault: String,
    },
    /// A section that the file lacks.
    #[error("{file}: no section [{section}]")]
    NoSection {
        /// The name of the file.
        file: &'static str,
        /// The missing section.
        section: String,
    },
}

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Lexicon {
    file: &'static str,
    sections: FxHashMap<&'static str, Vec<Line>>,
    /// The lines of the headers.
    headers: FxHashMap<&'static str, usize>,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    number: usize,
    text: &'static str,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its cells, trimmed.
    pub cells: Vec<&'static str>,
    file: &'static str,
    line: usize,
}

impl Row {
    /// The error for a cell that can't be read.
    pub fn fault(&self, fault: impl Into<String>) -> LexiconError {
        fault_at(self.file, self.line, fault)
    }
}

impl Lexicon {
    /// Splits a text into sections. O(bytes).
    pub fn parse(file: &'static str, text: &'static str) -> Result<Self, LexiconError> {
        let mut sections: FxHashMap<&'static str, Vec<Line>> = FxHashMap::default();
        let mut headers = FxHashMap::default();
        let mut current = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(']'))
            {
                if sections.insert(name, Vec::new()).is_some() {
                    return Err(fault_at(file, number, format!("[{name}] appears twice")));
                }
                headers.insert(name, number);
                current = Some(name);
                continue;
            }
            let lines = current.and_then(|name| sections.get_mut(name));
            let Some(lines) = lines else {
                return Err(fault_at(file, number, "text before the first [section]"));
            };
            lines.push(Line { number, text: line });
        }
        if let Some((name, _)) = sections.iter().find(|(_, lines)| lines.is_empty()) {
            return Err(fault_at(file, headers[name], format!("[{name}] is empty")));
        }
        Ok(Self {
            file,
            sections,
            headers,
        })
    }

    /// The error for a section that the caller doesn't know.
    pub fn unknown_section(&self, section: &str) -> LexiconError {
        let number = self.headers.get(section).copied().unwrap_or_default();
        fault_at(self.file, number, format!("unknown section [{section}]"))
    }

    /// The sections, sorted.
    pub fn sections(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.sections.keys().copied().collect();
        names.sort_unstable();
        names
    }

    /// The words of a section, separated by white space. O(bytes).
    pub fn words(&self, section: &str) -> Result<Vec<&'static str>, LexiconError> {
        self.entries(section, |text| text.split_whitespace())
    }

    /// The names of a section, separated by commas and line ends; a name may have several words. O(bytes).
    pub fn names(&self, section: &str) -> Result<Vec<&'static str>, LexiconError> {
        self.entries(section, |text| {
            let text = text.strip_suffix(',').unwrap_or(text);
            text.split(',').map(str::trim)
        })
    }

    /// The rows of a section, with `width` cells each, separated by `|`. O(bytes).
    pub fn rows(&self, section: &str, width: usize) -> Result<Vec<Row>, LexiconError> {
        let row = |line: &Line| {
            let row = Row {
                cells: line.text.split('|').map(str::trim).collect(),
                file: self.file,
                line: line.number,
            };
            let found = row.cells.len();
            if found == width {
                Ok(row)
            } else {
                Err(row.fault(format!("{found} cells, expected {width}")))
            }
        };
        self.lines(section)?.iter().map(row).collect()
    }

    fn lines(&self, section: &str) -> Result<&[Line], LexiconError> {
        let lines = self.sections.get(section);
        lines.map(Vec::as_slice).ok_or(LexiconError::NoSection {
            file: self.file,
            section: section.to_owned(),
        })
    }

    fn entries<I: Iterator<Item = &'static str>>(
        &self,
        section: &str,
        split: impl Fn(&'static str) -> I,
    ) -> Result<Vec<&'static str>, LexiconError> {
        let mut seen = FxHashSet::default();
        let mut entries = Vec::new();
        for line in self.lines(section)? {
            for entry in split(line.text) {
                let fault = if entry.is_empty() {
                    "empty entry".to_owned()
                } else if entry.chars().any(char::is_uppercase) {
                    format!("capital letter in {entry:?}")
                } else if !seen.insert(entry) {
                    format!("{entry:?} appears twice in [{section}]")
                } else {
                    entries.push(entry);
                    continue;
                };
                return Err(fault_at(self.file, line.number, fault));
            }
        }
        Ok(entries)
    }
}

fn fault_at(file: &'static str, line: usize, fault: impl Into<String>) -> LexiconError {
    LexiconError::Line {
        file,
        line,
        fault: fault.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_of(text: &'static str) -> String {
        let read = Lexicon::parse("f.txt", text).and_then(|file| {
            file.words("words")?;
            file.rows("table", 2)
        });
        read.unwrap_err().to_string()
    }

    #[test]
    fn words_names_and_rows_are_read() {
        let text = "# first\n[a]\none two\n\n  three\n[b]\nnew york, porto,\nos\n[c]\nx y|1\n";
        let file = Lexicon::parse("f.txt", text).unwrap();
        assert_eq!(file.sections(), ["a", "b", "c"]);
        assert_eq!(file.words("a").unwrap(), ["one", "two", "three"]);
        assert_eq!(file.names("b").unwrap(), ["new york", "porto", "os"]);
        assert_eq!(file.rows("c", 2).unwrap()[0].cells, ["x y", "1"]);
    }

    #[test]
    fn faults_name_the_file_and_the_line() {
        for (text, fault) in [
            ("one", "f.txt, line 1: text before the first [section]"),
            ("[words]\n[table]\n", "f.txt, line 1: [words] is empty"),
            ("[words]", "f.txt, line 1: [words] is empty"),
            (
                "[words]\na\n[words]\nb",
                "f.txt, line 3: [words] appears twice",
            ),
            (
                "[words]\na b\nc a",
                "f.txt, line 3: \"a\" appears twice in [words]",
            ),
            ("[words]\na B", "f.txt, line 2: capital letter in \"B\""),
            ("[words]\na", "f.txt: no section [table]"),
            (
                "[words]\na\n[table]\na|b|c",
                "f.txt, line 4: 3 cells, expected 2",
            ),
        ] {
            assert_eq!(fault_of(text), fault);
        }
        let file = Lexicon::parse("f.txt", "[names]\na,,b").unwrap();
        let fault = file.names("names").unwrap_err();
        assert_eq!(fault.to_string(), "f.txt, line 2: empty entry");
    }
}
