//! Feedback on a result, a search or work.

use anamne_types::{
    Body, Draft, Experience, Feedback, InvalidValue, Memory, MemoryId, Remembered, SearchFeedback,
    Usefulness, Verdict, WorkFeedback,
};

use crate::Error;
use crate::space::Space;

/// What is said about a result, a search or work. Which words fit depends on what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// A result or a search was useful or not.
    Useful(Usefulness),
    /// Work was judged.
    Work(Verdict),
}

impl Said {
    /// The words, in the order of documentation.
    pub const WORDS: [&str; 8] = [
        "useful",
        "partial",
        "useless",
        "ambiguous",
        "approval",
        "rejection",
        "correction",
        "neutral",
    ];

    /// Reads one of [`Said::WORDS`].
    pub fn from_word(word: &str) -> Result<Self, InvalidValue> {
        let accepts = format!("one of {}", Self::WORDS.join(", "));
        let unknown = || InvalidValue::new("verdict", accepts, word);
        Ok(match word {
            "useful" => Self::Useful(Usefulness::Helpful),
            "partial" => Self::Useful(Usefulness::Partial),
            "useless" => Self::Useful(Usefulness::Useless),
            "ambiguous" => Self::Useful(Usefulness::Ambiguous),
            "approval" => Self::Work(Verdict::Approval),
            "rejection" => Self::Work(Verdict::Rejection),
            "correction" => Self::Work(Verdict::Correction),
            "neutral" => Self::Work(Verdict::Neutral),
            _ => return Err(unknown()),
        })
    }
}

/// Feedback on a memory: a result, a recorded search, or work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// What it is about.
    pub about: MemoryId,
    /// What is said.
    pub said: Said,
    /// Why.
    pub comment: String,
    /// For work only: what was wanted instead.
    pub wanted: String,
    /// For a search only: the results that were used.
    pub used: Vec<MemoryId>,
    /// For an ambiguous search only: what should have been asked.
    pub should_ask: String,
}

/// How feedback was kept.
#[derive(Clone, Debug, PartialEq)]
pub enum KeptOpinion {
    /// As an edit of the result, in its new state.
    Result(Box<Memory>),
    /// As a memory of its own, about a search or work.
    Recorded(Remembered),
}

/// What feedback is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    Result,
    Search,
    Work,
}

impl Opinion {
    /// Refuses what feedback on this topic doesn't keep.
    fn check_parts(&self, topic: Topic) -> Result<(), InvalidValue> {
        for (part, is_given, of) in [
            ("wanted", !self.wanted.is_empty(), Topic::Work),
            ("used", !self.used.is_empty(), Topic::Search),
            ("should_ask", !self.should_ask.is_empty(), Topic::Search),
        ] {
            if is_given && of != topic {
                let accepts = match of {
                    Topic::Work => "absent, except from a judgement of work",
                    _ => "absent, except from feedback on a search",
                };
                return Err(InvalidValue::new(part, accepts, "given"));
            }
        }
        Ok(())
    }
}

impl Space {
    /// Keeps feedback: a judgement of work as a memory; that a search was useful as a memory, and its used results as
    /// useful; that another memory was useful or useless as an edit of it ([`Space::feedback`]).
    ///
    /// # Errors
    ///
    /// Also if it says something that such feedback doesn't keep, such as the used results of what is no search.
    pub fn give_feedback(&self, opinion: Opinion) -> Result<KeptOpinion, Error> {
        let usefulness = match opinion.said {
            Said::Useful(usefulness) => usefulness,
            Said::Work(verdict) => {
                self.inner.source.get(opinion.about)?;
                opinion.check_parts(Topic::Work)?;
                let record = Experience::Feedback(WorkFeedback {
                    verdict,
                    about: Some(opinion.about),
                    comment: opinion.comment,
                    wanted: opinion.wanted,
                });
                let remembered = self.remember(Draft::experience(record))?;
                return Ok(KeptOpinion::Recorded(remembered));
            }
        };
        let is_search = self.is_search(opinion.about)?;
        opinion.check_parts(if is_search {
            Topic::Search
        } else {
            Topic::Result
        })?;
        if is_search {
            let remembered = self.search_feedback(SearchFeedback {
                search: opinion.about,
                usefulness,
                used: opinion.used,
                reason: opinion.comment,
                should_ask: opinion.should_ask,
                implied: false,
            })?;
            return Ok(KeptOpinion::Recorded(remembered));
        }
        let useful = match usefulness {
            Usefulness::Helpful => true,
            Usefulness::Useless => false,
            Usefulness::Partial | Usefulness::Ambiguous => {
                let accepts =
                    "useful or useless for a result; the others are for searches and work";
                return Err(InvalidValue::new("verdict", accepts, usefulness.as_str()).into());
            }
        };
        let memory = self.feedback(&Feedback {
            memory: opinion.about,
            useful,
            note: opinion.comment,
        })?;
        Ok(KeptOpinion::Result(Box::new(memory)))
    }

    /// Whether a memory is a recorded search.
    pub(super) fn is_search(&self, id: MemoryId) -> Result<bool, Error> {
        Ok(match self.inner.source.get(id)?.body {
            Body::Experience { experience } => matches!(*experience, Experience::Search(_)),
            _ => false,
        })
    }
}
