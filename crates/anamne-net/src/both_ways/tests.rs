//! Servers that answer early, stop reading, stop answering, or go away.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use super::*;
use crate::{Address, Timeouts};

/// A client of a server that does this with its connection after the head of the request.
fn client_of(read: Duration, serve: impl FnOnce(BufReader<TcpStream>) + Send + 'static) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a client");
        let mut socket = BufReader::new(socket);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            socket.read_line(&mut line).expect("a line");
        }
        serve(socket);
    });
    let timeouts = Timeouts {
        connect: Duration::from_mins(1),
        read,
    };
    Client::new(Address::parse(&address).expect("an address"), timeouts)
}

const LONG: Duration = Duration::from_mins(1);

fn open(client: &Client, body: impl Read + Send + 'static) -> Result<BothWays, NetError> {
    client.open_both_ways("POST", "/lines", &[], body)
}

/// A body that has no end and never gives more.
struct Waiting(mpsc::Receiver<()>);

impl Read for Waiting {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        Ok(0)
    }
}

/// A body of the lines that a test gives.
struct Lines(mpsc::Receiver<String>);
impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Ok(line) = self.0.recv() else {
            return Ok(0);
        };
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

/// A body that can't be read.
struct Unreadable;
impl Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

/// Answers with everything until the connection ends.
fn answer(socket: &mut BufReader<TcpStream>, text: &str) {
    let head = "HTTP/1.1 200 OK\r\n\r\n";
    let socket = socket.get_mut();
    socket
        .write_all((head.to_owned() + text).as_bytes())
        .expect("sent");
}

#[test]
fn an_answer_that_comes_before_the_body_ends_is_read() {
    let client = client_of(LONG, |mut socket| {
        let refusal = "HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno";
        socket
            .get_mut()
            .write_all(refusal.as_bytes())
            .expect("sent");
    });
    let (_never, waits) = mpsc::channel();
    let mut opened = open(&client, Waiting(waits)).expect("an answer");
    let mut body = String::new();
    opened.read_to_string(&mut body).expect("a body");
    assert_eq!(
        (opened.status(), body.as_str(), opened.sent()),
        (403, "no", 0)
    );
}

#[test]
fn a_refusal_is_read_although_the_connection_is_reset_while_the_body_is_sent() {
    let client = client_of(LONG, |mut socket| {
        let refusal = "HTTP/1.1 413 Content Too Large\r\ncontent-length: 8\r\n\r\ntoo much";
        let mut some = [0; 10_000];
        socket.read_exact(&mut some).expect("a part of the body");
        socket
            .get_mut()
            .write_all(refusal.as_bytes())
            .expect("sent");
        // What was sent and not read resets the connection.
        drop(socket);
    });
    let mut opened = open(&client, io::repeat(b'x')).expect("an answer");
    let mut body = String::new();
    opened.read_to_string(&mut body).expect("a body");
    assert_eq!((opened.status(), body.as_str()), (413, "too much"));
}

#[test]
fn an_answer_arrives_while_the_body_is_sent() {
    // Each line is sent after the answer to the one before.
    let client = client_of(LONG, |mut socket| {
        answer(&mut socket, "");
        for _ in 0..5 {
            let mut chunk = String::new();
            for _ in 0..2 {
                socket.read_line(&mut chunk).expect("a line");
            }
            let line = chunk.lines().nth(1).expect("a line").to_owned() + "\n";
            let mut end = String::new();
            socket.read_line(&mut end).expect("the end of the chunk");
            socket.get_mut().write_all(line.as_bytes()).expect("sent");
        }
    });
    let (give, lines) = mpsc::channel::<String>();
    let mut answers = BufReader::new(open(&client, Lines(lines)).expect("an answer"));
    for number in 0..5 {
        give.send(format!("line {number}\n")).expect("taken");
        let mut line = String::new();
        answers.read_line(&mut line).expect("a line");
        assert_eq!(line, format!("line {number}\n"));
    }
}

#[test]
fn a_server_that_stops_reading_stops_the_sending_and_is_given_up() {
    let (hold, held) = mpsc::channel::<()>();
    let client = client_of(Duration::from_millis(300), move |mut socket| {
        answer(&mut socket, "one line\n");
        let _ = held.recv();
        drop(socket);
    });
    let mut opened = open(&client, io::repeat(b'x')).expect("an answer");
    let mut answers = Vec::new();
    let given_up = opened.read_to_end(&mut answers).expect_err("no end");
    assert_eq!(given_up.kind(), ErrorKind::TimedOut);
    assert_eq!(answers, b"one line\n");
    drop(hold);
    let silent = client_of(Duration::from_millis(300), |socket| {
        let (_never, waits) = mpsc::channel::<()>();
        let _ = waits.recv_timeout(LONG);
        drop(socket);
    });
    let given_up = open(&silent, io::repeat(b'x')).expect_err("no answer");
    assert!(
        matches!(given_up, NetError::TimedOut { sent: true, .. }),
        "{given_up}"
    );
}

#[test]
fn who_does_not_read_the_answer_stops_the_server_and_with_it_the_sending() {
    const BYTES: u64 = 64 << 20;
    let client = client_of(LONG, |mut socket| {
        answer(&mut socket, "");
        // As much back as comes.
        let mut back = socket.get_ref().try_clone().expect("a socket");
        let _ = io::copy(&mut socket, &mut back);
    });
    let mut opened = open(&client, io::repeat(b'x').take(BYTES)).expect("an answer");
    // Until the buffers are full on all sides.
    let mut sent = 0;
    loop {
        std::thread::sleep(Duration::from_millis(50));
        let now = opened.sent();
        if now > 0 && now == sent {
            break;
        }
        sent = now;
    }
    assert!(
        opened.sent() < BYTES,
        "everything was sent to a server that could not answer"
    );
    let mut back = vec![0; 1 << 16];
    let mut received = 0;
    while received < BYTES {
        let read = opened.read(&mut back).expect("it goes on");
        assert!(read > 0, "cut off after {received}");
        received += read as u64;
    }
    assert!(opened.sent() > BYTES / 2);
}

#[test]
fn a_connection_that_breaks_and_a_body_that_can_not_be_read_are_told_apart() {
    let client = client_of(LONG, |mut socket| {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\none\n\r\n";
        socket.get_mut().write_all(head.as_bytes()).expect("sent");
    });
    let (_never, waits) = mpsc::channel();
    let mut opened = open(&client, Waiting(waits)).expect("an answer");
    let mut answers = Vec::new();
    let broken = opened.read_to_end(&mut answers).expect_err("it broke");
    assert_eq!(
        (broken.kind(), &*answers),
        (ErrorKind::UnexpectedEof, &b"one\n"[..])
    );
    assert!(opened.body_failure().is_none());

    let client = client_of(LONG, |mut socket| {
        answer(&mut socket, "");
        // The request must have no end.
        let mut rest = Vec::new();
        let _ = socket.read_to_end(&mut rest);
        assert!(!rest.ends_with(b"0\r\n\r\n"));
    });
    let reason = match open(&client, Unreadable) {
        Err(error) => error.to_string(),
        Ok(mut opened) => {
            let _ = opened.read_to_end(&mut Vec::new());
            opened.body_failure().expect("a failure").to_string()
        }
    };
    assert!(reason.contains("the disk is gone"), "{reason}");
}

#[test]
fn a_body_arrives_whole_and_heads_are_well_formed() {
    let (tell, told) = mpsc::channel();
    let client = client_of(LONG, move |mut socket| {
        let mut chunks = Vec::new();
        while !chunks.ends_with(b"0\r\n\r\n") {
            let there = socket.fill_buf().expect("a chunk");
            let length = there.len();
            chunks.extend_from_slice(there);
            socket.consume(length);
        }
        tell.send(chunks).expect("taken");
        answer(&mut socket, "done");
    });
    let mut opened = open(&client, &b"hello"[..]).expect("an answer");
    let mut body = String::new();
    opened.read_to_string(&mut body).expect("a body");
    assert_eq!((body.as_str(), opened.sent()), ("done", 5));
    assert_eq!(told.recv().expect("chunks"), b"5\r\nhello\r\n0\r\n\r\n");
    for path in ["/a b", "/a\r\nx: y", "/ü"] {
        let refused = client.open_both_ways("POST", path, &[], &b""[..]);
        assert!(refused.is_err(), "{path}");
    }
}
