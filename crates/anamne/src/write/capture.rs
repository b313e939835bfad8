//! Storing what was said in a session of an agent host: each message is attributed to its speaker.

use anamne_types::{Actor, Body, Draft, Role};

use super::once::{DraftOutcome, RequestKey, ToldOnce};
use crate::Error;
use crate::derived::requests::Plan;
use crate::space::Space;

impl Space {
    /// Stores what a host recorded of a session, in order: what the person said as the caller, what the agent said as the
    /// agent `host`, and the rest as its tool, each with no more trust than its speaker has. A caller who is trusted less
    /// than an agent or a tool stays who it is. The caller's author, if it has one, is that of what the person said. What
    /// the agent cites counts as used, as with [`Space::note_cited`].
    ///
    /// With a key, only once in 24 hours, like [`Space::remember_once`]. A draft that is refused concerns no other one.
    ///
    /// # Errors
    ///
    /// If `host` is no name for an actor; and those of [`Space::remember_once`]. What was stored before an error stays.
    pub fn capture(
        &self,
        host: &str,
        key: Option<&RequestKey>,
        drafts: &[Draft],
    ) -> Result<ToldOnce, Error> {
        self.require_write()?;
        Actor::agent(host).check()?;
        self.once(key, &(host, drafts), |plan| {
            self.capture_first(host, drafts, plan)
        })
    }

    fn capture_first(
        &self,
        host: &str,
        drafts: &[Draft],
        plan: Option<&Plan>,
    ) -> Result<Vec<DraftOutcome>, Error> {
        let ids = plan.map(|plan| plan.ids(drafts.len()));
        let is_continued = plan.is_some_and(|plan| plan.is_continued);
        let mut outcomes = Vec::with_capacity(drafts.len());
        for run in drafts.chunk_by(|one, other| role_of(one) == role_of(other)) {
            let role = role_of(&run[0]);
            let speaker = self.speaking(host, role)?;
            let run: Vec<Draft> = run.iter().map(|draft| speaker.attributed(draft)).collect();
            let mut was_there = false;
            if let Some(ids) = &ids {
                let ids = &ids[outcomes.len()..][..run.len()];
                was_there = is_continued && self.inner.source.has_any(ids)?;
                outcomes.extend(speaker.told_each_planned(ids, &run)?);
            } else {
                outcomes.extend(speaker.told_each(&run)?);
            }
            // The earlier attempt noted what it cited.
            if role == Some(Role::Assistant) && !was_there {
                for message in &run {
                    speaker.note_cited(&message.content)?;
                }
            }
        }
        Ok(outcomes)
    }

    /// The same space for who speaks in this role.
    fn speaking(&self, host: &str, role: Option<Role>) -> Result<Self, Error> {
        let speaker = match role {
            Some(Role::User) => return Ok(self.clone()),
            Some(Role::Assistant) => Actor::agent(host),
            _ => Actor::tool(host),
        };
        if speaker.default_trust() > self.scope().highest_trust() {
            return Ok(self.clone());
        }
        self.acting_as(speaker)
    }

    /// The draft with no more trust than this speaker has, and with the caller as the author of a person's words.
    fn attributed(&self, draft: &Draft) -> Draft {
        let highest = self.actor().default_trust();
        let mut draft = draft.clone();
        draft.trust = draft.trust.map(|trust| trust.min(highest));
        if let (Some(Role::User), Some(author)) = (role_of(&draft), self.scope().author()) {
            draft.author = Some(author.to_owned());
        }
        draft
    }
}

fn role_of(draft: &Draft) -> Option<Role> {
    match draft.body {
        Body::Message { role } => role,
        _ => None,
    }
}
