//! What ended an error: the change between a call that failed and its repetition.

/// What a later step of a run is to a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Later {
    /// The failed call, and it succeeded.
    Solved,
    /// The failed call with its error, or another call with the very same error.
    CameBack,
    /// The failed call with another error.
    FailedOtherwise,
    /// Another call.
    Other,
}

/// A later step, as far as it is compared with a failed one. `call` and `error` are numbers or texts.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'of, Text: PartialEq + ?Sized> {
    pub(crate) call: &'of Text,
    pub(crate) error: &'of Text,
    /// What the placeholders of the error stand for: [`crate::normal::error_names`].
    pub(crate) names: i64,
    pub(crate) succeeded: bool,
}

/// How it went on until the failed call was repeated, or its error came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    /// The number of the step that repeats the call or the error; `None` if none does.
    pub(crate) repeated: Option<usize>,
    /// Whether that step is the failed call, which succeeded.
    pub(crate) is_solved: bool,
    /// Whether the error ended; `None` if only the end of the run can tell.
    pub(crate) ended: Option<bool>,
}

impl<Text: PartialEq + ?Sized> Compared<'_, Text> {
    /// What a later step is to this failed one. `names_tell`: whether an error with its normal form can name other things, so that the
    /// same form does not mean the same error.
    pub(crate) fn later(&self, step: &Compared<'_, Text>, names_tell: bool) -> Later {
        let is_call = step.call == self.call;
        if step.succeeded {
            return if is_call { Later::Solved } else { Later::Other };
        }
        let is_form = step.error == self.error;
        let is_error = is_form && step.names == self.names;
        match (is_call, is_error) {
            (_, true) => Later::CameBack,
            (true, false) if is_form && !names_tell => Later::CameBack,
            (true, false) => Later::FailedOtherwise,
            (false, false) => Later::Other,
        }
    }
}

/// How it went on after a failed call. If the call then failed with another error, the first one ended if the call succeeded later.
/// O(steps).
pub(crate) fn course(later: impl Iterator<Item = Later>) -> Course {
    let mut later = later.enumerate();
    let Some((place, first)) = later.find(|(_, step)| *step != Later::Other) else {
        return Course {
            repeated: None,
            is_solved: false,
            ended: Some(true),
        };
    };
    let ended = match first {
        Later::Solved => Some(true),
        Later::CameBack => Some(false),
        _ => later
            .find(|(_, step)| matches!(step, Later::Solved | Later::CameBack))
            .map(|(_, step)| step == Later::Solved),
    };
    Course {
        repeated: Some(place),
        is_solved: first == Later::Solved,
        ended,
    }
}

impl Course {
    /// The step that is named: of those before the repetition the last one that `changes` something, the repetition itself if nothing
    /// else was done, and without a repetition the first one. `changes` is asked for the number of a step.
    pub(crate) fn named<Error>(
        &self,
        steps: usize,
        mut changes: impl FnMut(usize) -> Result<bool, Error>,
    ) -> Result<Option<usize>, Error> {
        let mut first = |order: &mut dyn Iterator<Item = usize>| -> Result<Option<usize>, Error> {
            for step in order {
                if changes(step)? {
                    return Ok(Some(step));
                }
            }
            Ok(None)
        };
        let Some(place) = self.repeated else {
            return first(&mut (0..steps));
        };
        let named = first(&mut (0..place).rev())?;
        Ok(named.or(self.is_solved.then_some(place)))
    }
}
