//! A server on a free port with a temporary store, and a client that shows what it answered.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anamne::Options;
use anamne_server::http::{Address, HttpSettings, Server};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A running server; ends when it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    folder: Arc<TempDir>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    /// The body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// A header's value; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap_or(""))
    }

    /// The body of an answer with this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// A problem of this status, as its media type says too.
    #[track_caller]
    pub(crate) fn problem(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        problem
    }
}

impl Served {
    /// With the usual settings.
    pub(crate) fn start() -> Self {
        Self::with(|_| {})
    }

    /// With changed settings.
    pub(crate) fn with(change: impl FnOnce(&mut HttpSettings)) -> Self {
        Self::at(
            Arc::new(tempfile::tempdir().expect("a folder")),
            |_| {},
            change,
        )
    }

    /// Another server on the same store.
    pub(crate) fn beside(&self, change: impl FnOnce(&mut HttpSettings)) -> Self {
        Self::at(self.folder.clone(), |_| {}, change)
    }

    /// With changed options of the store and changed settings.
    pub(crate) fn with_options(
        change_options: impl FnOnce(&mut Options),
        change: impl FnOnce(&mut HttpSettings),
    ) -> Self {
        Self::at(
            Arc::new(tempfile::tempdir().expect("a folder")),
            change_options,
            change,
        )
    }

    fn at(
        folder: Arc<TempDir>,
        change_options: impl FnOnce(&mut Options),
        change: impl FnOnce(&mut HttpSettings),
    ) -> Self {
        let mut settings = HttpSettings::default();
        settings.address = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
        change(&mut settings);
        let mut options = Options::new(folder.path().join("store")).background(false);
        change_options(&mut options);
        let (end, ended) = oneshot::channel::<()>();
        let (ready, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let server = Server::bind(options, &settings).await.expect("a server");
                ready.send(server.local_address()).expect("a listener");
                server.run(async { drop(ended.await) }).await;
            });
        });
        Self {
            address: address.recv().expect("a start").expect("a TCP address"),
            folder,
            end: Some(end),
            thread: Some(thread),
        }
    }

    /// Ends the server as SIGTERM does; the folder that contains the store.
    pub(crate) fn end(self) -> Arc<TempDir> {
        self.folder.clone()
    }

    /// The folder of the store.
    pub(crate) fn store(&self) -> std::path::PathBuf {
        Path::join(self.folder.path(), "store")
    }

    /// Sends a request with headers and a body, if any.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Reply {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_mins(1)))
            .allow_non_standard_methods(true)
            .proxy(None)
            .build()
            .into();
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answered = match body {
            Some(body) => agent.run(request.body(body).expect("a request")),
            None => agent.run(request.body(()).expect("a request")),
        };
        let mut answer = answered.expect("an answer");
        Reply {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            text: answer.body_mut().read_to_string().expect("text"),
        }
    }

    /// The status and the bytes of an answer.
    pub(crate) fn download(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Vec<u8>) {
        let mut request = ureq::get(format!("http://{}{path}", self.address))
            .config()
            .http_status_as_error(false)
            .proxy(None)
            .build();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = request.call().expect("an answer");
        let bytes = answer.body_mut().read_to_vec().expect("bytes");
        (answer.status().as_u16(), bytes)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.json("POST", path, &[], body)
    }

    /// Sends JSON.
    pub(crate) fn json(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Reply {
        let mut all = vec![("content-type", "application/json")];
        all.extend(headers);
        self.send(method, path, &all, Some(body.to_string().as_bytes()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.end.take());
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.expect("a thread").expect("the server ends");
        }
    }
}
