//! One line of a transcript of Claude Code.

use serde::Deserialize;

use crate::transcripts::content::Content;
use crate::transcripts::lenient::{Flag, Object, Text};
use crate::transcripts::tree::{Key, Parent, key};
use crate::transcripts::turns::valid_id;

/// One line. Fields that no reader needs, such as results of tools, aren't kept.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Record<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    subtype: Text<'a>,
    #[serde(borrow)]
    uuid: Text<'a>,
    #[serde(borrow)]
    parent_uuid: Text<'a>,
    #[serde(borrow)]
    logical_parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) git_branch: Text<'a>,
    pub(super) is_sidechain: Flag,
    is_meta: Flag,
    is_compact_summary: Flag,
    is_visible_in_transcript_only: Flag,
    is_api_error_message: Flag,
    #[serde(borrow)]
    message: Object<Message<'a>>,
    #[serde(borrow)]
    attachment: Object<Attachment<'a>>,
    #[serde(borrow)]
    origin: Object<Origin<'a>>,
    #[serde(borrow)]
    forked_from: Object<ForkedFrom<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    model: Text<'a>,
    #[serde(borrow)]
    content: Content<'a>,
}

/// What the host adds between messages; of these a person says only prompts that waited.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    prompt: Content<'a>,
    #[serde(borrow)]
    command_mode: Text<'a>,
    is_meta: Flag,
    #[serde(borrow)]
    origin: Object<Origin<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Origin<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ForkedFrom<'a> {
    #[serde(borrow)]
    message_uuid: Text<'a>,
}

/// What a message without content has.
const NOTHING: &Content<'static> = &Content::None;

impl<'a> Record<'a> {
    pub(super) fn uuid(&self) -> Option<&str> {
        valid_id(self.uuid.get())
    }

    /// The id of its turn: in a fork, which gives each copy a new id, that of the original.
    pub(super) fn id(&self) -> String {
        let original = self
            .forked_from
            .0
            .as_ref()
            .and_then(|from| valid_id(from.message_uuid.get()));
        original.or(self.uuid()).unwrap_or_default().to_owned()
    }

    pub(super) fn id_of_block(&self, number: usize) -> String {
        match number {
            0 => self.id(),
            number => format!("{}#{number}", self.id()),
        }
    }

    pub(super) fn is_message(&self) -> bool {
        self.kind.is("user") || self.kind.is("assistant")
    }

    pub(super) fn is_said(&self) -> bool {
        self.is_message() && !self.is_meta.0 || self.queued_prompt().is_some()
    }

    /// Whether the host wrote it in the name of a person or the model.
    pub(super) fn is_of_host(&self) -> bool {
        let model = self.model();
        self.is_meta.0
            || self.is_compact_summary.0
            || self.is_visible_in_transcript_only.0
            || self.is_api_error_message.0
            || model == Some("<synthetic>")
            || !is_of_person(&self.origin)
    }

    pub(super) fn parent(&self) -> Parent {
        let logical = self.logical_parent_uuid.get().map(key);
        match self.parent_uuid.get() {
            Some(parent) => Parent::Entry(key(parent)),
            None if logical.is_some() || self.subtype.is("compact_boundary") => {
                Parent::Compacted(logical)
            }
            None => Parent::Root,
        }
    }

    /// The message of the model that this line is a piece of.
    pub(super) fn message_key(&self) -> Option<Key> {
        let message = self
            .message
            .0
            .as_ref()
            .filter(|_| self.kind.is("assistant"))?;
        message.id.get().map(key)
    }

    pub(super) fn model(&self) -> Option<&str> {
        self.message.0.as_ref()?.model.get()
    }

    pub(super) fn content(&self) -> &Content<'a> {
        self.message
            .0
            .as_ref()
            .map_or(NOTHING, |message| &message.content)
    }

    /// What a person wrote while the agent worked.
    pub(super) fn queued_prompt(&self) -> Option<&Content<'a>> {
        let attachment = self.attachment.0.as_ref()?;
        let mode = attachment.command_mode.get().unwrap_or("prompt");
        let by_person =
            mode == "prompt" && !attachment.is_meta.0 && is_of_person(&attachment.origin);
        (attachment.kind.is("queued_command") && by_person).then_some(&attachment.prompt)
    }
}

fn is_of_person(origin: &Object<Origin<'_>>) -> bool {
    let kind = origin.0.as_ref().and_then(|origin| origin.kind.get());
    kind.is_none_or(|kind| kind == "human")
}
