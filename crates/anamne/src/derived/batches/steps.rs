//! The steps of a batch, each written down before and after it.

use std::sync::Arc;

use anamne_llm::{BatchProgress, Bridge, BridgeError, Budgets, Call};
use jiff::{SignedDuration, Timestamp};

use super::Batches;
use super::records::{Batch, Covered, Stage};
use crate::Error;
use crate::models::Model;
use crate::models::remote::budgets;

/// After this time without a batch at the provider, its start didn't arrive.
const UNTIL_LISTED: SignedDuration = SignedDuration::from_mins(2);

/// After this time a batch that doesn't end is cancelled; providers promise a day.
const LONGEST_WORK: SignedDuration = SignedDuration::from_hours(36);

/// After this time nobody waits for it any more.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(48);

/// The shortest and the longest pause between two looks at a running batch.
const BETWEEN_LOOKS: [SignedDuration; 2] =
    [SignedDuration::from_secs(30), SignedDuration::from_mins(10)];

/// How often the upload and the start of a batch are tried.
const MOST_ATTEMPTS: u32 = 3;

/// How often it is tried to delete its files, once per longest pause. The provider deletes them after three days.
const MOST_DELETIONS: u32 = 500;

/// Memories that are read at a time.
pub(super) const READ_AT_A_TIME: usize = 256;

/// What the requests about a batch are sent through.
pub(super) struct Line {
    pub(super) bridge: Arc<Bridge>,
    space: String,
    budgets: Budgets,
    is_patient: bool,
}

impl Line {
    pub(super) fn call(&self) -> Call<'_> {
        let call = Call::of(&self.space).within_budgets(&self.budgets);
        if self.is_patient {
            return call;
        }
        call.waited_for(None)
    }

    /// Cancels a batch, and deletes the file of its texts. The provider may refuse both while it works.
    fn stop(&self, batch: &Batch, id: &str) -> Result<(), Error> {
        let call = self.call();
        let tried = [
            self.bridge
                .ask_batches(&call, true, |api, longest| api.cancel(id, longest)),
            match &batch.file {
                Some(file) => self
                    .bridge
                    .ask_batches(&call, true, |api, longest| api.delete_file(file, longest)),
                None => Ok(()),
            },
        ];
        for tried in tried {
            match tried {
                Err(BridgeError::Status { status, .. }) if (400..500).contains(&status) => {}
                tried => tried?,
            }
        }
        Ok(())
    }
}

/// Whether to go on with a batch at once.
#[derive(PartialEq)]
pub(super) enum Step {
    Next,
    Later,
}

impl Batches {
    /// Takes the steps of a batch that can be taken now.
    pub(super) fn follow_one(&self, mut batch: Batch, wanted: Option<&str>) -> Result<(), Error> {
        let is_wanted = wanted == Some(batch.model.as_str());
        // One that is far in the future is due too: the clock was set back.
        let pause = batch.look_at.duration_since(self.source.now());
        if is_wanted && pause.is_positive() && pause <= BETWEEN_LOOKS[1] {
            return Ok(());
        }
        let Some(line) = self.line(&batch)? else {
            // Its source is no longer in the settings, so nobody can ask for it. The provider deletes its files.
            let lost = format!(
                "the batch {} was given up: {} is gone",
                batch.key, batch.model
            );
            self.problems.note(Some(lost));
            return Ok(self.remove_batch(&batch)?);
        };
        while self.step(&mut batch, &line, is_wanted)? == Step::Next {}
        Ok(())
    }

    fn line(&self, batch: &Batch) -> Result<Option<Line>, Error> {
        let Some((name, bridges)) = self.models.remote_name(&batch.model)? else {
            return Ok(None);
        };
        let bridge = match bridges.get(&name) {
            Err(BridgeError::NoSource { .. }) => return Ok(None),
            bridge => bridge?,
        };
        Ok(Some(Line {
            bridge,
            space: self.source.name().as_str().to_owned(),
            budgets: budgets(&self.source.config().budgets),
            is_patient: bridges.is_patient(),
        }))
    }

    fn step(&self, batch: &mut Batch, line: &Line, is_wanted: bool) -> Result<Step, Error> {
        match batch.stage {
            Stage::Noted if is_wanted => self.upload(batch, line),
            Stage::Noted => self.drop_unsent(batch, line),
            Stage::Uploaded if is_wanted => self.start(batch, line),
            Stage::Uploading | Stage::Uploaded => self.take_back_upload(batch, line),
            Stage::Starting => self.find(batch, line),
            Stage::Running => self.look(batch, line, is_wanted),
            Stage::Ended => self.receive(batch, line),
            Stage::Clearing => self.clear(batch, line),
            Stage::Done => Ok(Step::Later),
        }
    }

    /// Reserves the cost, and uploads the texts as they are now.
    fn upload(&self, batch: &mut Batch, line: &Line) -> Result<Step, Error> {
        if batch.attempts >= MOST_ATTEMPTS {
            return self.give_up(batch, line, "its file could not be sent", 0);
        }
        let model = self.models.get_for(&batch.model, Some(&self.source))?;
        // Before the texts are read: what is erased from here on makes the batch unwanted.
        self.want_again(batch)?;
        batch.is_unwanted = false;
        let texts = self.present_texts(&model, batch)?;
        if texts.is_empty() {
            return self.drop_unsent(batch, line);
        }
        let sent = sent_texts(&model, &texts);
        match line.bridge.reserve_batch(&line.call(), &batch.key, &sent) {
            Err(BridgeError::BudgetExceeded { .. }) => return self.halve(batch, &texts),
            reserved => reserved?,
        }
        batch.tokens = Bridge::likely_tokens(&sent);
        batch.attempts += 1;
        batch.stage = Stage::Uploading;
        self.save(batch)?;
        let uploaded = line
            .bridge
            .ask_batches(&line.call(), false, |api, longest| {
                let mut lines = String::new();
                for ((number, _), text) in texts.iter().zip(&sent) {
                    lines.push_str(&api.line(*number, text));
                    lines.push('\n');
                }
                api.upload(&file_name(batch), lines.as_bytes(), longest)
            });
        match uploaded {
            Err(error) if is_refusal(&error) => self.give_up(batch, line, &error.to_string(), 0),
            uploaded => {
                batch.file = Some(uploaded?);
                batch.stage = Stage::Uploaded;
                self.save(batch)?;
                Ok(Step::Next)
            }
        }
    }

    fn present_texts(&self, model: &Model, batch: &Batch) -> Result<Vec<(u32, String)>, Error> {
        let mut texts = Vec::new();
        for covered in self.covered(batch)?.chunks(READ_AT_A_TIME) {
            let covered: &[Covered] = covered;
            texts.extend(self.present(model, covered)?);
        }
        Ok(texts)
    }

    /// No budget has room for the batch: half of it, unless that is too little to be worth it.
    fn halve(&self, batch: &Batch, texts: &[(u32, String)]) -> Result<Step, Error> {
        let half = texts.len() / 2;
        if half == 0 || (half as u64) < u64::from(self.source.config().embedding.batch_from) {
            self.remove_batch(batch)?;
            return Ok(Step::Later);
        }
        self.shorten(batch, texts[half].0)?;
        Ok(Step::Next)
    }

    /// Removes a batch of which nothing is at the provider.
    fn drop_unsent(&self, batch: &Batch, line: &Line) -> Result<Step, Error> {
        line.bridge.settle_batch(&batch.key, None, 0)?;
        self.remove_batch(batch)?;
        Ok(Step::Later)
    }

    /// Deletes a file whose texts may have changed, and begins anew.
    fn take_back_upload(&self, batch: &mut Batch, line: &Line) -> Result<Step, Error> {
        let file = match batch.file.take() {
            Some(file) => Some(file),
            None => line
                .bridge
                .ask_batches(&line.call(), true, |api, longest| {
                    api.find_file(&file_name(batch), longest)
                })?,
        };
        if let Some(file) = file {
            line.bridge
                .ask_batches(&line.call(), true, |api, longest| {
                    api.delete_file(&file, longest)
                })?;
        }
        batch.stage = Stage::Noted;
        self.save(batch)?;
        Ok(Step::Next)
    }

    /// Starts the batch, once: whether it arrived is looked up before it is tried again.
    fn start(&self, batch: &mut Batch, line: &Line) -> Result<Step, Error> {
        let Some(file) = batch.file.clone() else {
            return self.take_back_upload(batch, line);
        };
        batch.stage = Stage::Starting;
        batch.sent_at = Some(self.source.now());
        if !self.save_if_wanted(batch)? {
            return self.take_back_upload(batch, line);
        }
        let started = line
            .bridge
            .ask_batches(&line.call(), false, |api, longest| {
                api.start(&file, &batch.key, longest)
            });
        match started {
            Ok(progress) => self.begin(batch, progress),
            Err(error) if is_refusal(&error) => self.give_up(batch, line, &error.to_string(), 0),
            Err(error) if was_not_taken(&error) => {
                batch.stage = Stage::Uploaded;
                self.save(batch)?;
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn begin(&self, batch: &mut Batch, progress: BatchProgress) -> Result<Step, Error> {
        batch.remote = Some(progress.id);
        batch.stage = Stage::Running;
        batch.rest(self.source.now(), BETWEEN_LOOKS[0]);
        self.save(batch)?;
        Ok(Step::Later)
    }

    /// Looks for a batch whose start may have arrived.
    fn find(&self, batch: &mut Batch, line: &Line) -> Result<Step, Error> {
        let found = line
            .bridge
            .ask_batches(&line.call(), true, |api, longest| {
                api.find(&batch.key, longest)
            })?;
        if let Some(progress) = found {
            return self.begin(batch, progress);
        }
        let now = self.source.now();
        let tried_at = batch.sent_at.unwrap_or(Timestamp::MIN);
        if now.duration_since(tried_at).abs() < UNTIL_LISTED {
            batch.rest(now, UNTIL_LISTED);
            self.save(batch)?;
            return Ok(Step::Later);
        }
        // Without its file, one that is listed later has nothing to work on.
        batch.sent_at = None;
        self.take_back_upload(batch, line)
    }

    /// Looks how far the provider is.
    fn look(&self, batch: &mut Batch, line: &Line, is_wanted: bool) -> Result<Step, Error> {
        let now = self.source.now();
        let age = batch
            .sent_at
            .map_or(LONGEST_WAIT, |at| now.duration_since(at).abs());
        let id = batch.remote.clone().unwrap_or_default();
        if age >= LONGEST_WAIT {
            let tokens = batch.tokens;
            return self.give_up(batch, line, "the provider didn't end it", tokens);
        }
        if batch.is_unwanted || !is_wanted || age >= LONGEST_WORK {
            line.stop(batch, &id)?;
        }
        let progress = line.bridge.ask_batches(&line.call(), true, |api, longest| {
            api.progress(&id, longest)
        });
        let progress = match progress {
            Err(error) if is_refusal(&error) => {
                let tokens = batch.tokens;
                return self.give_up(batch, line, &error.to_string(), tokens);
            }
            progress => progress?,
        };
        let Some(end) = progress.end else {
            let [shortest, longest] = BETWEEN_LOOKS;
            batch.rest(now, (age / 10).clamp(shortest, longest));
            self.save(batch)?;
            return Ok(Step::Later);
        };
        end.as_str().clone_into(&mut batch.outcome);
        batch.answers = progress.files;
        batch.stage = Stage::Ended;
        self.save(batch)?;
        Ok(Step::Next)
    }

    /// Leaves the texts of a batch to ordinary requests; `tokens` may have to be paid.
    fn give_up(
        &self,
        batch: &mut Batch,
        line: &Line,
        reason: &str,
        tokens: u64,
    ) -> Result<Step, Error> {
        line.bridge.settle_batch(&batch.key, None, tokens)?;
        batch.outcome = format!("given up: {reason}");
        self.problems.note(Some(format!(
            "the batch of embeddings {} was given up, and its texts are asked for one by one: {reason}",
            batch.key
        )));
        self.end(batch)
    }

    /// Nothing is expected of the batch any more but that its files are deleted.
    pub(super) fn end(&self, batch: &mut Batch) -> Result<Step, Error> {
        batch.stage = Stage::Clearing;
        batch.attempts = 0;
        batch.look_at = self.source.now();
        self.save(batch)?;
        Ok(Step::Next)
    }

    /// Deletes the files of an ended batch at the provider.
    fn clear(&self, batch: &mut Batch, line: &Line) -> Result<Step, Error> {
        let mut left = Vec::new();
        let mut failure = None;
        let files = batch.file.take().into_iter().chain(batch.answers.drain(..));
        for file in files.collect::<Vec<_>>() {
            let deleted = line.bridge.ask_batches(&line.call(), true, |api, longest| {
                api.delete_file(&file, longest)
            });
            if let Err(error) = deleted {
                failure = Some(error.to_string());
                left.push(file);
            }
        }
        batch.attempts += 1;
        if left.is_empty() || batch.attempts >= MOST_DELETIONS {
            batch.stage = Stage::Done;
        } else {
            batch.answers = left;
            batch.rest(self.source.now(), BETWEEN_LOOKS[1]);
        }
        self.problems.note(failure.map(|failure| {
            format!(
                "files of the batch of embeddings {} are still at the provider: {failure}",
                batch.key
            )
        }));
        self.save(batch)?;
        Ok(Step::Later)
    }
}

/// The name of the file of texts at the provider.
fn file_name(batch: &Batch) -> String {
    format!("anamne-{}.jsonl", batch.key)
}

/// The parts of these texts that are sent.
fn sent_texts<'text>(model: &Model, texts: &'text [(u32, String)]) -> Vec<&'text str> {
    let sent = |text: &'text str| model.remote().map_or(text, |(remote, _)| remote.sent(text));
    texts.iter().map(|(_, text)| sent(text)).collect()
}

/// Whether the provider refused a request for good.
fn is_refusal(error: &BridgeError) -> bool {
    match error {
        BridgeError::Status { status, .. } => {
            matches!(status, 400..=499) && !matches!(status, 401 | 403 | 408 | 409 | 429)
        }
        BridgeError::NotOffered { .. } => true,
        _ => false,
    }
}

/// Whether a request certainly had no effect, although a later one may have.
fn was_not_taken(error: &BridgeError) -> bool {
    matches!(
        error,
        BridgeError::Status {
            status: 401 | 403 | 429,
            ..
        } | BridgeError::CircuitOpen { .. }
            | BridgeError::Cancelled
    )
}
