//! The response of HTTP/1.1, as it arrives.

use std::io::{self, ErrorKind, Read};

/// Maximum size of the head of a response.
const LONGEST_HEAD: usize = 64 << 10;

/// Maximum number of headers.
const MOST_HEADERS: usize = 100;

/// Maximum length of a line between chunks: a length with extensions, or a trailer.
const LONGEST_LINE: usize = 8 << 10;

/// Bytes that are received at a time.
const AT_ONCE: usize = 16 << 10;

/// What is left of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// So many bytes.
    Bytes(u64),
    /// So many bytes of this chunk, and further chunks; `None` before the first.
    Chunked(Option<u64>),
    /// Everything until the connection ends.
    UntilEnd,
    /// Nothing.
    Nothing,
}

/// A response: its status, and its body as it arrives.
pub(super) struct Response<R> {
    from: R,
    buffer: Vec<u8>,
    taken: usize,
    pub(super) status: u16,
    left: Left,
}

impl<R: Read> Response<R> {
    /// Reads the head; interim responses (1xx) are skipped.
    pub(super) fn of(from: R) -> io::Result<Self> {
        let mut response = Self {
            from,
            buffer: Vec::new(),
            taken: 0,
            status: 0,
            left: Left::Nothing,
        };
        loop {
            let (status, left, length) = loop {
                if let Some(head) = parse(&response.buffer[response.taken..])? {
                    break head;
                }
                if response.buffer.len() - response.taken > LONGEST_HEAD {
                    return Err(malformed("its head is too long"));
                }
                response.fill()?;
            };
            response.taken += length;
            if !(100..200).contains(&status) {
                (response.status, response.left) = (status, left);
                return Ok(response);
            }
        }
    }

    /// Receives more; the end is an error.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let length = self.buffer.len();
        self.buffer.resize(length + AT_ONCE, 0);
        let read = self.from.read(&mut self.buffer[length..]);
        self.buffer.truncate(length + *read.as_ref().unwrap_or(&0));
        if read? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Reads some bytes of the body, at most `most`.
    fn some(&mut self, into: &mut [u8], most: u64) -> io::Result<usize> {
        if self.taken == self.buffer.len() {
            self.fill()?;
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(into.len());
        let read = (&self.buffer[self.taken..]).read(&mut into[..most])?;
        self.taken += read;
        Ok(read)
    }

    /// Reads a line between chunks, without its end.
    fn line(&mut self) -> io::Result<String> {
        let mut searched = 0;
        loop {
            let there = &self.buffer[self.taken..];
            if let Some(end) = there[searched..].iter().position(|byte| *byte == b'\n') {
                let line = String::from_utf8_lossy(&there[..searched + end]).into_owned();
                self.taken += searched + end + 1;
                return Ok(line.trim_end_matches('\r').to_owned());
            }
            searched = there.len();
            if searched > LONGEST_LINE {
                return Err(malformed("a line of its body is too long"));
            }
            self.fill()?;
        }
    }

    /// Begins the next chunk; returns its length, 0 at the end of the body.
    fn next_chunk(&mut self, is_first: bool) -> io::Result<u64> {
        if !is_first && !self.line()?.is_empty() {
            return Err(malformed("a chunk is longer than it says"));
        }
        let line = self.line()?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let length = is_number.then(|| u64::from_str_radix(digits, 16).ok());
        let length = length.flatten();
        let length = length.ok_or_else(|| malformed("a chunk has no length"))?;
        if length == 0 {
            // Trailers.
            while !self.line()?.is_empty() {}
        }
        Ok(length)
    }
}

impl<R: Read> Read for Response<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        match self.left {
            Left::Nothing | Left::Bytes(0) => Ok(0),
            Left::Bytes(left) => {
                let read = self.some(buffer, left)?;
                self.left = Left::Bytes(left - read as u64);
                Ok(read)
            }
            Left::UntilEnd => match self.some(buffer, u64::MAX) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    self.left = Left::Nothing;
                    Ok(0)
                }
                read => read,
            },
            Left::Chunked(None | Some(0)) => {
                let is_first = self.left == Left::Chunked(None);
                self.left = match self.next_chunk(is_first)? {
                    0 => Left::Nothing,
                    length => Left::Chunked(Some(length)),
                };
                self.read(buffer)
            }
            Left::Chunked(Some(left)) => {
                let read = self.some(buffer, left)?;
                self.left = Left::Chunked(Some(left - read as u64));
                Ok(read)
            }
        }
    }
}

/// The status, the body and the length of a head; `None` while it is incomplete.
fn parse(bytes: &[u8]) -> io::Result<Option<(u16, Left, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let parsed = head.parse(bytes);
    let parsed = parsed.map_err(|error| malformed(&error.to_string()))?;
    let httparse::Status::Complete(length) = parsed else {
        return Ok(None);
    };
    let status = head.code.unwrap_or_default();
    let left = if status < 200 || matches!(status, 204 | 304) {
        Left::Nothing
    } else {
        body_of(head.headers)?
    };
    Ok(Some((status, left, length)))
}

fn body_of(headers: &[httparse::Header<'_>]) -> io::Result<Left> {
    let value = |name: &str| {
        let mut named = headers
            .iter()
            .filter(|header| header.name.eq_ignore_ascii_case(name));
        let value = named.next()?.value.trim_ascii();
        Some(String::from_utf8_lossy(value).to_ascii_lowercase())
    };
    if let Some(coding) = value("transfer-encoding") {
        return if coding == "chunked" {
            Ok(Left::Chunked(None))
        } else {
            Err(malformed("its body has an unknown coding"))
        };
    }
    match value("content-length") {
        Some(length) => {
            let length = length
                .parse()
                .map_err(|_| malformed("its length is no number"))?;
            Ok(Left::Bytes(length))
        }
        None => Ok(Left::UntilEnd),
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(
        ErrorKind::InvalidData,
        format!("the answer is no HTTP: {what}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives `step` bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(buffer.len()).min(self.0.len());
            self.0.read(&mut buffer[..most])
        }
    }

    fn read(text: &str, step: usize) -> io::Result<(u16, String)> {
        let mut response = Response::of(Slow(text.as_bytes(), step))?;
        let mut body = String::new();
        response.read_to_string(&mut body)?;
        Ok((response.status, body))
    }

    #[test]
    fn every_form_of_a_body_is_read_whatever_its_pieces() {
        for (text, body) in [
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello, and more",
                "hello",
            ),
            ("HTTP/1.1 200 OK\r\n\r\nuntil the end", "until the end"),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n\
                 4;a=b\r\nhell\r\n1\r\no\r\n0\r\nsome: trailer\r\n\r\n",
                "hello",
            ),
            (
                "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello",
                "",
            ),
        ] {
            for step in [1, 2, 7, 1_000] {
                let (status, read) =
                    read(text, step).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert!(matches!(status, 200 | 204), "{text}");
                assert_eq!(read, body, "{text} by {step}");
            }
        }
    }

    #[test]
    fn what_is_cut_off_or_malformed_is_no_answer() {
        let long = format!(
            "HTTP/1.1 200 OK\r\na: {}\r\n\r\n",
            "x".repeat(LONGEST_HEAD + AT_ONCE)
        );
        let line = format!(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}",
            "1".repeat(2 * LONGEST_LINE + AT_ONCE)
        );
        for text in [
            "",
            "HTTP/1.1 200 OK\r\ncontent-len",
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell",
            "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
            "SSH-2.0-OpenSSH_9.6\r\n",
            &long,
            &line,
        ] {
            assert!(
                read(text, 1_000).is_err(),
                "{}",
                &text[..text.len().min(80)]
            );
        }
    }
}
