//! The response of HTTP/1.1, as it arrives.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// Maximum size of the head of a response, with the interim ones before it; and of the trailers.
const LONGEST_HEAD: usize = 64 << 10;

/// Maximum number of headers.
const MOST_HEADERS: usize = 100;

/// Maximum length of a line between chunks: a length with extensions.
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
    from: BufReader<R>,
    pub(super) status: u16,
    left: Left,
}

impl<R: Read> Response<R> {
    /// Reads the head; interim responses (1xx) are skipped.
    pub(super) fn of(from: R) -> io::Result<Self> {
        let mut from = BufReader::with_capacity(AT_ONCE, from);
        let mut room = LONGEST_HEAD;
        loop {
            let head = section(&mut from, &mut room)?;
            let (status, left) = parse(&head)?;
            if status >= 200 {
                return Ok(Self { from, status, left });
            }
        }
    }

    /// Begins the next chunk; returns its length, 0 at the end of the body.
    fn next_chunk(&mut self, is_first: bool) -> io::Result<u64> {
        let mut line = || {
            let mut line = Vec::new();
            push_line(&mut self.from, &mut line, &mut LONGEST_LINE.clone())?;
            Ok::<_, io::Error>(line)
        };
        if !is_first && !line()?.trim_ascii_end().is_empty() {
            return Err(malformed("a chunk is longer than it says"));
        }
        let line = line()?;
        let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
        let length = number(digits.trim_ascii(), 16);
        let length = length.ok_or_else(|| malformed("a chunk has no length"))?;
        if length == 0 {
            // Trailers.
            section(&mut self.from, &mut LONGEST_HEAD.clone())?;
        }
        Ok(length)
    }
}

impl<R: Read> Read for Response<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if let Left::Chunked(None | Some(0)) = self.left {
            let is_first = self.left == Left::Chunked(None);
            self.left = match self.next_chunk(is_first)? {
                0 => Left::Nothing,
                length => Left::Chunked(Some(length)),
            };
        }
        match &mut self.left {
            Left::Nothing | Left::Bytes(0) | Left::Chunked(None) => Ok(0),
            Left::UntilEnd => self.from.read(buffer),
            Left::Bytes(left) | Left::Chunked(Some(left)) => {
                let read = (&mut self.from).take(*left).read(buffer)?;
                if read == 0 {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                *left -= read as u64;
                Ok(read)
            }
        }
    }
}

/// Reads lines up to an empty one, which is the last. They take from `room`.
fn section(from: &mut impl BufRead, room: &mut usize) -> io::Result<Vec<u8>> {
    let mut section = Vec::new();
    loop {
        let begin = section.len();
        push_line(from, &mut section, room)?;
        if section[begin..].trim_ascii_end().is_empty() {
            return Ok(section);
        }
    }
}

/// Reads a line with its end, which takes from `room`.
fn push_line(from: &mut impl BufRead, into: &mut Vec<u8>, room: &mut usize) -> io::Result<()> {
    let read = from.take(*room as u64).read_until(b'\n', into)?;
    *room -= read;
    if read > 0 && into.ends_with(b"\n") {
        Ok(())
    } else if *room == 0 {
        Err(malformed("its head or a line of its body is too long"))
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

/// The status and the body of a head.
fn parse(bytes: &[u8]) -> io::Result<(u16, Left)> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let parsed = head.parse(bytes);
    let parsed = parsed.map_err(|error| malformed(&error.to_string()))?;
    let status = head.code.unwrap_or_default();
    // Nothing asked for another protocol.
    if parsed.is_partial() || status < 100 || status == 101 {
        return Err(malformed("its head is none of a response"));
    }
    let left = if status < 200 || matches!(status, 204 | 304) {
        Left::Nothing
    } else {
        body_of(head.headers)?
    };
    Ok((status, left))
}

fn body_of(headers: &[httparse::Header<'_>]) -> io::Result<Left> {
    if let Some(coding) = value_of(headers, "transfer-encoding")? {
        return if coding.eq_ignore_ascii_case(b"chunked") {
            Ok(Left::Chunked(None))
        } else {
            Err(malformed("its body has an unknown coding"))
        };
    }
    match value_of(headers, "content-length")? {
        Some(length) => {
            let length = number(length, 10).ok_or_else(|| malformed("its length is no number"))?;
            Ok(Left::Bytes(length))
        }
        None => Ok(Left::UntilEnd),
    }
}

/// The value of a header; another one beside it is refused, as it is unclear which of them holds.
fn value_of<'a>(headers: &'a [httparse::Header<'_>], name: &str) -> io::Result<Option<&'a [u8]>> {
    let named = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case(name));
    let mut values = named.map(|header| header.value.trim_ascii());
    let first = values.next();
    if values.any(|other| Some(other) != first) {
        return Err(malformed("a header is given twice"));
    }
    Ok(first)
}

/// Digits without a sign.
fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    u64::from_str_radix(digits, radix)
        .ok()
        .filter(|_| is_number)
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
            // What one chunk may say, and a length that is given twice.
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nContent-Length: 5\r\n\r\nhello",
                "hello",
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0000005 ;a=\"b\"\r\nhello\r\n0;c\r\n\r\n",
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

    /// A source that repeats a text after a beginning for ever, and counts.
    struct Endless {
        begin: &'static str,
        again: &'static str,
        at: usize,
        read: usize,
    }

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let rest = &self.begin.as_bytes()[self.at.min(self.begin.len())..];
            let rest = match rest {
                [] => &self.again.as_bytes()[(self.at - self.begin.len()) % self.again.len()..],
                rest => rest,
            };
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            self.at += length;
            self.read += length;
            Ok(length)
        }
    }

    #[test]
    fn what_has_no_end_is_given_up() {
        const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        const NO_MORE: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n";
        for (begin, again) in [
            ("", "x"),
            ("", "\0"),
            ("", "HTTP/1.1 102 Processing\r\n\r\n"),
            ("", "HTTP/1.1 100 Continue\r\na: b\r\n\r\n"),
            ("HTTP/1.1 200 OK\r\n", "a: b\r\n"),
            ("HTTP/1.1 200 OK\r\na: ", "b"),
            (CHUNKED, "0"),
            (CHUNKED, "5;"),
            (NO_MORE, "a: b\r\n"),
            (NO_MORE, "b"),
        ] {
            let mut source = Endless {
                begin,
                again,
                at: 0,
                read: 0,
            };
            let read =
                Response::of(&mut source).and_then(|mut response| response.read(&mut [0; 9]));
            let refused = read.expect_err(again);
            assert_eq!(refused.kind(), ErrorKind::InvalidData, "{begin}{again}");
            assert!(source.read <= 2 * LONGEST_HEAD + AT_ONCE, "{}", source.read);
        }
    }

    #[test]
    fn an_error_of_the_source_is_no_end_of_the_body() {
        /// A connection that breaks without the farewell of TLS.
        struct Breaks<'a>(&'a [u8]);
        impl Read for Breaks<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                match self.0.read(buffer)? {
                    0 => Err(ErrorKind::UnexpectedEof.into()),
                    read => Ok(read),
                }
            }
        }
        for head in [
            "",
            "content-length: 50\r\n",
            "transfer-encoding: chunked\r\n",
        ] {
            let text = format!("HTTP/1.1 200 OK\r\n{head}\r\n20\r\nhello");
            let mut response = Response::of(Breaks(text.as_bytes())).expect("a head");
            let broken = response.read_to_end(&mut Vec::new()).expect_err(head);
            assert_eq!(broken.kind(), ErrorKind::UnexpectedEof, "{head}");
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
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\na: b\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: gzip\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: +5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ncontent-length: 5, 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 4\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nhello",
            "HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 000 OK\r\n\r\nhello",
            "HTTP/1.1 1 OK\r\n\r\nhello",
            "\r\n\r\nhello",
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
