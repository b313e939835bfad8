//! Conversations as a training corpus.

use std::io::Write;

use anamne_store::{Order, Visibility};
use anamne_types::{Body, Filter, Kind, Memory, Role, Skipped};
use serde::Serialize;

use super::{PAGE, failed};
use crate::Error;
use crate::space::Space;

/// The result of a corpus export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CorpusReport {
    /// Threads written, a line each.
    pub threads: u64,
    /// Messages in them.
    pub messages: u64,
    /// Skipped live memories: messages without a thread, and other kinds.
    pub left_out: u64,
    /// Private messages left out.
    pub private: u64,
    /// Ids of messages missing in the export because they are damaged in both copies.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// One line: a conversation.
#[derive(Serialize)]
struct Conversation {
    thread: String,
    messages: Vec<Message>,
}

/// A message in the format of training programs.
#[derive(Serialize)]
struct Message {
    role: Role,
    content: String,
    /// Its author, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// Writes one line per thread with messages, in order of first use; messages are ordered by position. `private` includes
/// private ones.
pub(crate) fn corpus(
    space: &Space,
    private: bool,
    mut writer: impl Write,
) -> Result<CorpusReport, Error> {
    let messages = Filter {
        kinds: vec![Kind::Message],
        ..Filter::default()
    };
    let everything = space.select(&Filter::default(), Visibility::Live, Order::ByThread)?;
    let ids = space.select(&messages, Visibility::Live, Order::ByThread)?;
    let mut report = CorpusReport::default();
    let mut open: Option<Conversation> = None;
    for page in ids.chunks(PAGE) {
        for memory in space.source().get_undamaged(page, &mut report.skipped)? {
            let Some(thread) = memory.thread.clone() else {
                continue;
            };
            if !private && space.inner.is_private(&memory) {
                report.private += 1;
                continue;
            }
            if open.as_ref().is_none_or(|open| open.thread != thread) {
                write(open.take(), &mut writer, &mut report)?;
            }
            let conversation = open.get_or_insert_with(|| Conversation {
                thread,
                messages: Vec::new(),
            });
            conversation.messages.push(message(memory));
        }
    }
    write(open, &mut writer, &mut report)?;
    writer.flush().map_err(failed)?;
    report.left_out = (everything.len() as u64)
        .saturating_sub(report.messages)
        .saturating_sub(report.private)
        .saturating_sub(report.skipped.count);
    Ok(report)
}

fn write(
    conversation: Option<Conversation>,
    writer: &mut impl Write,
    report: &mut CorpusReport,
) -> Result<(), Error> {
    let Some(conversation) = conversation else {
        return Ok(());
    };
    serde_json::to_writer(&mut *writer, &conversation).map_err(|error| failed(error.into()))?;
    writer.write_all(b"\n").map_err(failed)?;
    report.threads += 1;
    report.messages += conversation.messages.len() as u64;
    Ok(())
}

/// A message without a role counts as the user's.
fn message(memory: Memory) -> Message {
    let role = match memory.body {
        Body::Message { role } => role,
        _ => None,
    };
    Message {
        role: role.unwrap_or(Role::User),
        content: memory.content,
        name: memory.author,
    }
}
