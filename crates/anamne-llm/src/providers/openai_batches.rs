//! OpenAI's files and batches API, for embeddings.

use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};

use super::openai::OpenAiEmbedder;
use super::{tokens, vector_of, words};
use crate::batches::id_of;
use crate::wording::plain_line;
use crate::{BatchApi, BatchEnd, BatchLine, BatchProgress, BridgeError};

/// The provider deletes the files of a batch after this time if nobody does before, in seconds.
const FILE_LIFETIME: u64 = 3 * 86_400;

/// The separator of the parts of an upload. JSON escapes the line break before it, so no text can contain it.
const BOUNDARY: &str = "anamne-part-5d1f0c9a7be24c3f";

/// Pages of a list that are read, each of 100 batches, newest first.
const PAGES: usize = 10;

/// Maximum characters of an error that are kept.
const MOST_WORDS: usize = 200;

impl OpenAiEmbedder {
    fn exchange(
        &self,
        request: (&str, &str),
        body: Option<&Value>,
        longest: Duration,
    ) -> Result<Value, BridgeError> {
        let body = body.map(|body| body.to_string().into_bytes());
        let body = body.as_deref().map(|bytes| ("application/json", bytes));
        self.0.transport.exchange(request, body, longest)
    }

    fn id_in(&self, answer: &Value) -> Result<String, BridgeError> {
        id_of(answer, "id").ok_or_else(|| self.0.malformed("it has no usable id"))
    }

    fn progress_in(&self, batch: &Value) -> Result<BatchProgress, BridgeError> {
        let end = match words(batch, "/status") {
            "validating" | "in_progress" | "finalizing" | "cancelling" => None,
            "completed" => Some(BatchEnd::Completed),
            "failed" => Some(BatchEnd::Failed),
            "expired" => Some(BatchEnd::Expired),
            "cancelled" => Some(BatchEnd::Cancelled),
            _ => return Err(self.0.malformed("the batch has an unknown status")),
        };
        let files = ["output_file_id", "error_file_id"];
        Ok(BatchProgress {
            id: self.id_in(batch)?,
            end,
            files: files
                .iter()
                .filter_map(|field| id_of(batch, field))
                .collect(),
        })
    }
}

impl BatchApi for OpenAiEmbedder {
    fn line(&self, number: u32, text: &str) -> String {
        json!({
            "custom_id": custom_id(number),
            "method": "POST",
            "url": "/v1/embeddings",
            "body": self.body(&json!(text)),
        })
        .to_string()
    }

    fn upload(&self, name: &str, lines: &[u8], longest: Duration) -> Result<String, BridgeError> {
        let field = |name: &str, value: &str| {
            format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            )
        };
        let mut body = field("purpose", "batch");
        body += &field("expires_after[anchor]", "created_at");
        body += &field("expires_after[seconds]", &FILE_LIFETIME.to_string());
        let head = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: application/jsonl\r\n\r\n"
        );
        body += &head;
        let mut body = body.into_bytes();
        body.extend_from_slice(lines);
        body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let sent = Some((kind.as_str(), body.as_slice()));
        let answer = self
            .0
            .transport
            .exchange(("POST", "/files"), sent, longest)?;
        self.id_in(&answer)
    }

    fn find_file(&self, name: &str, longest: Duration) -> Result<Option<String>, BridgeError> {
        let path = "/files?purpose=batch&limit=10000";
        let answer = self.exchange(("GET", path), None, longest)?;
        let files = answer.get("data").and_then(Value::as_array);
        let files = files.ok_or_else(|| self.0.malformed("it has no list of files"))?;
        let mut named = files.iter().filter(|file| words(file, "/filename") == name);
        named.next().map(|file| self.id_in(file)).transpose()
    }

    fn start(
        &self,
        file: &str,
        key: &str,
        longest: Duration,
    ) -> Result<BatchProgress, BridgeError> {
        let body = json!({
            "input_file_id": file,
            "endpoint": "/v1/embeddings",
            "completion_window": "24h",
            "metadata": {"anamne": key},
            "output_expires_after": {"anchor": "created_at", "seconds": FILE_LIFETIME},
        });
        let answer = self.exchange(("POST", "/batches"), Some(&body), longest)?;
        self.progress_in(&answer)
    }

    fn find(&self, key: &str, longest: Duration) -> Result<Option<BatchProgress>, BridgeError> {
        let mut path = "/batches?limit=100".to_owned();
        for _ in 0..PAGES {
            let answer = self.exchange(("GET", &path), None, longest)?;
            let batches = answer.get("data").and_then(Value::as_array);
            let batches = batches.ok_or_else(|| self.0.malformed("it has no list of batches"))?;
            let is_wanted = |batch: &&Value| words(batch, "/metadata/anamne") == key;
            if let Some(batch) = batches.iter().find(is_wanted) {
                return self.progress_in(batch).map(Some);
            }
            let last = batches.last().and_then(|batch| id_of(batch, "id"));
            match last.filter(|_| answer.get("has_more") == Some(&Value::Bool(true))) {
                Some(last) => path = format!("/batches?limit=100&after={last}"),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn progress(&self, batch: &str, longest: Duration) -> Result<BatchProgress, BridgeError> {
        let answer = self.exchange(("GET", &format!("/batches/{batch}")), None, longest)?;
        let progress = self.progress_in(&answer)?;
        if progress.id != batch {
            return Err(self.0.malformed("it is about another batch"));
        }
        Ok(progress)
    }

    fn cancel(&self, batch: &str, longest: Duration) -> Result<(), BridgeError> {
        let path = format!("/batches/{batch}/cancel");
        self.exchange(("POST", &path), Some(&json!({})), longest)
            .map(drop)
    }

    fn open(&self, file: &str, longest: Duration) -> Result<Box<dyn Read>, BridgeError> {
        let path = format!("/files/{file}/content");
        let opened = self.0.transport.open(("GET", &path), None, longest)?;
        Ok(Box::new(opened.into_reader()))
    }

    fn answer(&self, line: &str) -> Option<BatchLine> {
        let line: Value = serde_json::from_str(line).ok()?;
        let number = words(&line, "/custom_id").strip_prefix('t')?.parse().ok()?;
        let vector = line
            .pointer("/response/body/data/0/embedding")
            .and_then(vector_of);
        let said = ["/error/message", "/response/body/error/message"];
        let said = said.map(|pointer| plain_line(words(&line, pointer), MOST_WORDS));
        let said = said.into_iter().find(|said| !said.is_empty());
        let usage = line.pointer("/response/body/usage");
        Some(BatchLine {
            number,
            vector: vector.ok_or_else(|| said.unwrap_or_else(|| "no vector".to_owned())),
            tokens: usage.and_then(|usage| tokens(usage, "prompt_tokens")),
        })
    }

    fn delete_file(&self, file: &str, longest: Duration) -> Result<(), BridgeError> {
        let deleted = self.exchange(("DELETE", &format!("/files/{file}")), None, longest);
        match deleted {
            Err(BridgeError::Status { status: 404, .. }) => Ok(()),
            deleted => deleted.map(drop),
        }
    }
}

fn custom_id(number: u32) -> String {
    format!("t{number}")
}
