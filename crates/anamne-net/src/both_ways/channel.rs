//! A connection on which one thread sends while another receives, with TLS or on this machine without.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::{Address, Authorities, Timeouts};

/// Bytes that are read from the socket at a time. Less than the most plaintext that TLS holds.
const READ_AT_ONCE: usize = 8 << 10;

/// A connection; all methods may be called by two threads, of which one sends and one receives.
pub(super) struct Channel {
    socket: TcpStream,
    tls: Option<Tls>,
}

/// The state of TLS. Who wants both locks takes `sending` first; it is held until what was encrypted is sent, because the
/// order of records counts. Nobody waits for the socket while holding `connection`.
struct Tls {
    connection: Mutex<ClientConnection>,
    sending: Mutex<()>,
    /// What was decrypted and not read yet.
    received: Mutex<Received>,
}

#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    taken: usize,
    has_ended: bool,
}

impl Channel {
    /// Connects, and agrees on TLS. Each wait for the server takes at most the time of `timeouts`.
    pub(super) fn connect(
        authorities: &Authorities,
        address: &Address,
        timeouts: Timeouts,
    ) -> io::Result<Self> {
        let mut socket = connect(address, timeouts.connect)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(timeouts.read))?;
        socket.set_write_timeout(Some(timeouts.read))?;
        let tls = if address.is_tls() {
            let mut connection = client_connection(address.bare_host(), authorities.roots())?;
            // Otherwise a large piece would be taken in part.
            connection.set_buffer_limit(None);
            while connection.is_handshaking() {
                connection.complete_io(&mut socket)?;
            }
            Some(Tls {
                connection: Mutex::new(connection),
                sending: Mutex::default(),
                received: Mutex::default(),
            })
        } else {
            None
        };
        Ok(Self { socket, tls })
    }

    /// Sends all of it; waits while the server doesn't read.
    pub(super) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let Some(tls) = &self.tls else {
            return (&self.socket).write_all(bytes);
        };
        let _order = lock(&tls.sending);
        let encrypted = {
            let mut connection = lock(&tls.connection);
            connection.writer().write_all(bytes)?;
            encrypted(&mut connection)?
        };
        (&self.socket).write_all(&encrypted)
    }

    /// Receives some bytes; 0 at the end.
    pub(super) fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &self.tls else {
            return uninterrupted(|| (&self.socket).read(buffer));
        };
        let mut received = lock(&tls.received);
        loop {
            let taken = (&received.bytes[received.taken..]).read(buffer)?;
            received.taken += taken;
            if taken > 0 || buffer.is_empty() || received.has_ended {
                return Ok(taken);
            }
            received.bytes.clear();
            received.taken = 0;
            let mut raw = [0; READ_AT_ONCE];
            let length = uninterrupted(|| (&self.socket).read(&mut raw))?;
            self.decrypt(tls, &raw[..length], &mut received)?;
        }
    }

    /// Adds what the bytes of the socket contain; none are its end.
    fn decrypt(&self, tls: &Tls, mut raw: &[u8], received: &mut Received) -> io::Result<()> {
        let has_to_answer = {
            let mut connection = lock(&tls.connection);
            let is_end = raw.is_empty();
            while is_end || !raw.is_empty() {
                connection.read_tls(&mut raw)?;
                let state = connection.process_new_packets();
                let state = state.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
                let length = received.bytes.len();
                received
                    .bytes
                    .resize(length + state.plaintext_bytes_to_read(), 0);
                connection
                    .reader()
                    .read_exact(&mut received.bytes[length..])?;
                if state.peer_has_closed() {
                    received.has_ended = true;
                }
                // What follows a farewell is never taken.
                if is_end || received.has_ended {
                    break;
                }
            }
            if is_end && !received.has_ended {
                // Without a farewell the answer may have been cut off.
                return Err(ErrorKind::UnexpectedEof.into());
            }
            connection.wants_write()
        };
        // If the other thread sends, it sends this too; waiting for it could be for ever.
        if has_to_answer && let Ok(_order) = tls.sending.try_lock() {
            let encrypted = encrypted(&mut lock(&tls.connection))?;
            (&self.socket).write_all(&encrypted)?;
        }
        Ok(())
    }

    /// Ends the connection; whoever waits for the socket gets an error or the end.
    pub(super) fn close(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// Connects to the first address of the host that answers.
fn connect(address: &Address, timeout: Duration) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for one in (address.bare_host(), address.port()).to_socket_addrs()? {
        match TcpStream::connect_timeout(&one, timeout) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn client_connection(host: &str, roots: RootCertStore) -> io::Result<ClientConnection> {
    let invalid = |error: Box<dyn std::error::Error + Send + Sync>| {
        io::Error::new(ErrorKind::InvalidInput, error)
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| invalid(error.into()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| invalid(error.into()))?;
    ClientConnection::new(Arc::new(config), name).map_err(|error| invalid(error.into()))
}

/// What TLS has to send.
fn encrypted(connection: &mut ClientConnection) -> io::Result<Vec<u8>> {
    let mut encrypted = Vec::new();
    while connection.wants_write() {
        connection.write_tls(&mut encrypted)?;
    }
    Ok(encrypted)
}

/// Repeats a read that a signal interrupted.
fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    use rustls::{ServerConfig, ServerConnection, StreamOwned};

    use super::*;

    /// A server that returns what it reads.
    fn echoing_server() -> (Address, Authorities) {
        server_with(|mut stream| {
            let mut piece = [0; 10_000];
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                stream.write_all(&piece[..length]).expect("sent");
                // More than the client asked for: it must take it while it sends.
                stream.conn.refresh_traffic_keys().expect("new keys");
            }
            stream.conn.send_close_notify();
            let _ = stream.flush();
        })
    }

    /// The address of a server that does this with its connection, and what a client has to trust.
    fn server_with(
        serve: impl FnOnce(StreamOwned<ServerConnection, TcpStream>) + Send + 'static,
    ) -> (Address, Authorities) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("made");
        let authorities = Authorities::of_pem(made.cert.pem().as_bytes());
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], PrivateKeyDer::Pkcs8(key))
            .expect("a configuration");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            let (socket, _) = listener.accept().expect("a client");
            let connection = ServerConnection::new(Arc::new(config)).expect("a connection");
            serve(StreamOwned::new(connection, socket));
        });
        let address = Address::parse(&format!("https://localhost:{port}"));
        (
            address.expect("an address"),
            authorities.expect("a certificate"),
        )
    }

    fn timeouts() -> Timeouts {
        let long = Duration::from_mins(1);
        Timeouts {
            connect: long,
            read: long,
        }
    }

    #[test]
    fn one_thread_sends_while_another_receives_over_tls() {
        const BYTES: usize = 3 << 20;
        let (address, own) = echoing_server();
        let channel = Channel::connect(&own, &address, timeouts()).expect("connected");
        let byte = |index: usize| (index % 251) as u8;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let all: Vec<u8> = (0..BYTES).map(byte).collect();
                for piece in all.chunks(7_001) {
                    channel.send(piece).expect("sent");
                }
            });
            let (mut received, mut piece) = (0, [0; 5_000]);
            while received < BYTES {
                let length = channel.receive(&mut piece).expect("received");
                assert!(length > 0, "cut off after {received}");
                for (index, found) in piece[..length].iter().enumerate() {
                    assert_eq!(*found, byte(received + index));
                }
                received += length;
            }
        });
        channel.close();
        assert!(
            channel.receive(&mut [0; 10]).is_err(),
            "an end without a farewell is a cut"
        );
    }

    #[test]
    fn bytes_after_the_farewell_are_not_waited_for() {
        let (address, own) = server_with(|mut stream| {
            stream.write_all(b"all").expect("sent");
            stream.conn.send_close_notify();
            stream.flush().expect("sent");
            stream.sock.write_all(&[23; 16_000]).expect("sent");
        });
        let channel = Channel::connect(&own, &address, timeouts()).expect("connected");
        // Everything is there at once.
        std::thread::sleep(Duration::from_millis(300));
        let mut all = [0; 10];
        assert_eq!(channel.receive(&mut all).expect("received"), 3);
        assert_eq!(channel.receive(&mut all).expect("an end"), 0);
    }

    #[test]
    fn a_server_with_an_unknown_certificate_is_refused() {
        let (address, _) = echoing_server();
        let public = Authorities::public();
        assert!(Channel::connect(&public, &address, timeouts()).is_err());
    }
}
