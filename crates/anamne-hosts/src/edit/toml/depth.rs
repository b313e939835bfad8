//! The nesting of a TOML text, before it is parsed.
//!
//! A dotted key nests as deep as it has parts, and brackets nest inside of it: a parser with a limit for each alone still
//! recurses as deep as their product.

/// An upper bound of the nesting, in one pass. Strings and comments don't count.
pub(super) fn nesting(text: &str) -> usize {
    let mut scan = Scan::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'#' => find(bytes, at, b"\n"),
            b'"' if bytes[at..].starts_with(b"\"\"\"") => after_quotes(bytes, at + 3, b"\"\"\""),
            b'"' => after_quotes(bytes, at + 1, b"\""),
            b'\'' if bytes[at..].starts_with(b"'''") => after_quotes(bytes, at + 3, b"'''"),
            b'\'' => after_quotes(bytes, at + 1, b"'"),
            _ => {
                scan.read(*byte);
                at + 1
            }
        };
    }
    scan.deepest
}

#[derive(Default)]
struct Scan {
    /// The dots of the key on the way at each level of open brackets.
    open: Vec<usize>,
    dots: usize,
    depth: usize,
    deepest: usize,
    /// The parts of the header that the lines below it nest in.
    header: usize,
}

impl Scan {
    fn read(&mut self, byte: u8) {
        match byte {
            b'.' => self.deepen(),
            b'[' | b'{' => {
                self.open.push(self.dots);
                self.dots = 0;
                self.deepen();
                // The bracket itself is no dot.
                self.dots = 0;
            }
            b']' | b'}' => self.close(),
            b',' => self.end_key(),
            b'\n' if self.open.is_empty() => self.end_key(),
            _ => {}
        }
    }

    fn deepen(&mut self) {
        self.dots += 1;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth + self.header + 2);
    }

    fn end_key(&mut self) {
        self.depth -= self.dots;
        self.dots = 0;
    }

    fn close(&mut self) {
        let Some(dots) = self.open.pop() else { return };
        // A closed header: what follows nests in as many tables as it has parts.
        if self.open.len() < 2 && dots == 0 {
            self.header = self.header.max(self.dots);
        }
        self.end_key();
        self.depth = self.depth.saturating_sub(1);
        self.dots = dots;
    }
}

/// Where `end` is next; the end of the text if it isn't there.
fn find(bytes: &[u8], at: usize, end: &[u8]) -> usize {
    let found = bytes[at..].windows(end.len()).position(|part| part == end);
    found.map_or(bytes.len(), |length| at + length)
}

/// Where a string ends whose content starts at `at`.
fn after_quotes(bytes: &[u8], mut at: usize, quotes: &[u8]) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quotes[0] == b'"' => at += 1,
            b'\n' if quotes.len() == 1 => return at,
            _ if bytes[at..].starts_with(quotes) => return at + quotes.len(),
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::nesting;

    #[test]
    fn nesting_counts_dots_and_brackets_but_neither_strings_nor_comments() {
        let check = |text: &str, range: std::ops::RangeInclusive<usize>| {
            assert!(range.contains(&nesting(text)), "{text}: {}", nesting(text));
        };
        check("a = 1\nb = 2.5\n", 0..=3);
        check("a.b.c = 1\n", 3..=5);
        check(&"a.b = 1\n".repeat(1_000), 2..=4);
        check(
            &format!("a = {}1{}\n", "[".repeat(50), "]".repeat(50)),
            51..=54,
        );
        check(
            &format!("a = {}1{}\n", "{ x.y = ".repeat(50), "}".repeat(50)),
            100..=110,
        );
        check(
            &format!("# {}\na = \"{}\"\n", "[".repeat(500), "{".repeat(500)),
            0..=3,
        );
        check(
            &format!("[{}]\nk = [1]\n", vec!["a"; 60].join(".")),
            60..=125,
        );
        check(&format!("a = '''{}'''\n", "\n.".repeat(500)), 0..=3);
    }
}
