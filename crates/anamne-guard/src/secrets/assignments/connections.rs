//! Whether a password stands among the parts of a connection string.

use std::ops::Range;
use std::sync::LazyLock;

use crate::literals::Literals;
use crate::secrets::scan::Scan;
use crate::secrets::steps;

/// The longest part, in bytes.
const LONGEST: usize = 16;

fn parts() -> &'static Literals {
    static PARTS: LazyLock<Literals> = LazyLock::new(|| {
        Literals::ignoring_case([
            "server=",
            "data source=",
            "user id=",
            "uid=",
            "jdbc:",
            "host=",
            "database=",
            "dbname=",
            "initial catalog=",
            "driver=",
        ])
    });
    &PARTS
}

/// The parts of connection strings in a text, read only near passwords.
#[derive(Debug, Default)]
pub(in crate::secrets) struct Connections {
    found: Vec<Range<usize>>,
    /// The place that was read.
    done: Range<usize>,
}

impl Connections {
    /// Reads a place, and what lies between it and the one before.
    fn read(&mut self, bytes: &[u8], place: &Range<usize>) {
        if place.start < self.done.start || place.start > self.done.end {
            self.found.clear();
            self.done = place.start..place.start;
        }
        if place.end <= self.done.end {
            return;
        }
        let known = self.done.end;
        let from = known.saturating_sub(LONGEST).max(self.done.start);
        steps::count(place.end - from);
        let found = &mut self.found;
        parts().visit(bytes, from..place.end, |_, part| {
            if part.end > known {
                found.push(part);
            }
        });
        self.done.end = place.end;
    }

    /// Whether a part lies within a place that was read.
    fn has_within(&self, place: &Range<usize>) -> bool {
        let first = self.found.partition_point(|part| part.end <= place.start);
        self.found[first..]
            .iter()
            .take_while(|part| part.end <= place.end)
            .any(|part| part.start >= place.start)
    }
}

/// Whether a part of a connection string stands before the name of a password or after its value, on the same line.
pub(super) fn has(scan: &mut Scan, name: &Range<usize>, value: &Range<usize>) -> bool {
    let start = scan.line_start(name.start, 200);
    let end = scan.line_end(value.end, 120);
    let bytes = scan.bytes;
    scan.connections.read(bytes, &(start..end));
    scan.connections.has_within(&(start..name.start))
        || scan.connections.has_within(&(value.end..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_before_the_name_and_after_the_value() {
        for (text, expected) in [
            ("Server=db;Pwd=x1", true),
            ("Pwd=x1;UID=sa", true),
            ("Pwd=server=;", false),
            ("host=a\nPwd=x1", false),
            ("a;Pwd=x1;b", false),
        ] {
            let name = text.find("Pwd").expect("a name");
            let value = text.len().min(name + 11);
            let mut scan = Scan::new(text);
            for _ in 0..2 {
                let value = if text.contains(';') && !text.starts_with("Pwd=s") {
                    name + 4..name + 6
                } else {
                    name + 4..value
                };
                assert_eq!(
                    has(&mut scan, &(name..name + 3), &value),
                    expected,
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn places_may_be_read_in_any_order() {
        let text = "uid=a ".repeat(100);
        let mut scan = Scan::new(&text);
        for at in [0, 240, 241, 30, 590, 0] {
            let is_near = at > 5 || at + 130 < text.len();
            assert_eq!(has(&mut scan, &(at..at), &(at..at)), is_near, "{at}");
        }
    }
}
