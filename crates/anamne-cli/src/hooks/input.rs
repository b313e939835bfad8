//! Reads what the host sends on standard input.

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use anamne_hosts::Machine;
use anamne_hosts::hook::{HookEvent, HookInput, MAX_INPUT, read_input};

use super::watchdog::latest;

/// How long to wait for the host. Some never close the stream.
const PATIENCE: Duration = Duration::from_millis(120);

/// The time that is left for the work where a hook that isn't told anything has nothing to do.
const WORK: Duration = Duration::from_millis(30);

/// Bytes per reading.
const CHUNK: usize = 64 << 10;

/// The input of the host, as far as it arrives in time.
pub(super) fn read(host: &str, event: HookEvent, machine: &Machine) -> HookInput {
    let patience = match event {
        HookEvent::SessionStart | HookEvent::Prompt => PATIENCE,
        _ => latest(host, event).saturating_sub(WORK),
    };
    read_input(host, event, &standard_input(patience), machine)
}

/// Everything up to the end of the stream, the end of one JSON value, the limit of size or that of time.
fn standard_input(patience: Duration) -> Vec<u8> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut chunk = vec![0; CHUNK];
        while let Ok(read @ 1..) = stdin.read(&mut chunk) {
            if sender.send(chunk[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut input = Vec::new();
    let deadline = std::time::Instant::now() + patience;
    while input.len() <= MAX_INPUT {
        let left = deadline.saturating_duration_since(std::time::Instant::now());
        let Ok(chunk) = receiver.recv_timeout(left) else {
            break;
        };
        let ends_value = chunk.trim_ascii_end().ends_with(b"}");
        input.extend(chunk);
        if ends_value && is_one_value(&input) {
            break;
        }
    }
    input.truncate(MAX_INPUT + 1);
    input
}

/// Whether the bytes are one whole JSON value. Only asked when they end like one.
fn is_one_value(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}
