//! Moves old memories to colder tiers and removes their stale copies.
//!
//! A move is copy, commit, delete. The content is written to the file of the new tier and synced; one transaction with
//! its own event updates the row; the old copy is deleted later. After an interruption the row still locates the
//! content, and the next pass continues.

use std::path::Path;
use std::time::{Duration, Instant};

use anamne_types::{Actor, ActorKind, MemoryId, Row, Tier};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::files::length_of;
use crate::restore::side_file;
use crate::source::moves::{self, AgeLimits, MoveCandidate};
use crate::source::{contents, uses};
use crate::space::{Growth, SpaceSource};

/// A batch that blocks other writers for longer than this is followed by a smaller one.
const LONG: Duration = Duration::from_millis(15);

/// Batch size: initial and maximum.
const BATCH: (usize, usize) = (250, 1_000);

const DAY: i64 = 24 * 3_600 * 1_000_000;

/// Memories written or changed within this time aren't moved, so that a running import is left alone.
const SETTLED: i64 = DAY;

/// Which memories to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgingScope {
    /// Old enough, and last written or changed at least a day ago.
    Settled,
    /// Everything old enough.
    All,
}

/// The result of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This many memories were moved to this tier. There may be more.
    Moved(Tier, u64),
    /// Nothing is left to move.
    Done,
    /// Another process is moving memories.
    Busy,
}

/// The number of memories in a tier, and the size of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TierCount {
    /// The tier.
    pub tier: Tier,
    /// Memories in it, forgotten ones included, erased ones not.
    pub memories: u64,
    /// Bytes of the file with their content, including its WAL.
    pub bytes: u64,
}

/// Moves memories in batches. The move lock is held for one batch at a time.
pub struct Mover<'space> {
    space: &'space SpaceSource,
    ages: AgeLimits,
    actor: Actor,
    batch: usize,
    /// How far the recent and the active tier have been scanned, microseconds since 1970.
    reached: [i64; 2],
    /// The file written last.
    file: Option<(Tier, Connection)>,
    longest: Duration,
}

impl SpaceSource {
    /// Starts moving old memories, by the space's settings and clock.
    pub fn mover(&self, aging: AgingScope) -> Result<Mover<'_>> {
        let config = self.current_config()?.tiers.clone();
        let now = self.now().as_microsecond();
        let before = |days: u32| now.saturating_sub(i64::from(days).saturating_mul(DAY));
        Ok(Mover {
            space: self,
            ages: AgeLimits {
                active: before(config.active_days),
                recent: before(config.recent_days),
                settled: match aging {
                    AgingScope::Settled => now.saturating_sub(SETTLED),
                    AgingScope::All => i64::MAX,
                },
            },
            actor: Actor {
                kind: ActorKind::System,
                name: "aging".to_owned(),
            },
            batch: BATCH.0,
            reached: [i64::MIN; 2],
            file: None,
            longest: Duration::ZERO,
        })
    }

    /// Records when memories were used, so that used facts and skills stay active. At most one record per memory per day.
    pub fn note_uses(&self, uses: &[(MemoryId, jiff::Timestamp)]) -> Result<()> {
        let uses: Vec<_> = uses
            .iter()
            .map(|(id, at)| (*id, at.as_microsecond()))
            .collect();
        let news = self.read(|reader| uses::unrecorded_uses(reader, &uses))?;
        if news.is_empty() {
            return Ok(());
        }
        self.write_quietly(|transaction| transaction.note_uses(&news))
    }

    /// Logs that an actor opened a memory. Exempt from the quota: a full space can still be read.
    pub fn log_access(&self, actor: &Actor, id: MemoryId) -> Result<()> {
        self.write_together(actor, Growth::Exempt, &id, |transaction, id| {
            transaction.log_access(*id)
        })
    }

    /// The colder tiers with memories, hottest first. O(tiers · log memories).
    pub fn colder_tiers(&self) -> Result<Vec<Tier>> {
        self.read(moves::tiers)
    }

    /// The tiers with their contents, hottest first. O(memories).
    pub fn tiers(&self) -> Result<Vec<TierCount>> {
        let memories = self.folder().join("memories");
        // The latest writes may be in the WAL only.
        let bytes = |path: &Path| -> Result<u64> {
            Ok(length_of(path)? + length_of(&side_file(path, "wal"))?)
        };
        let mut tiers = vec![TierCount {
            tier: Tier::Active,
            memories: self.read(moves::count_active)?,
            bytes: bytes(self.database())?,
        }];
        for (tier, count) in self.read(moves::counts)? {
            tiers.push(TierCount {
                tier,
                memories: count,
                bytes: bytes(&contents::file_of(&memories, tier))?,
            });
        }
        Ok(tiers)
    }

    /// The tier of a row; `None` if there is no such row.
    pub fn tier_of(&self, row: Row) -> Result<Option<Tier>> {
        self.read(|reader| moves::tier_of(reader, row))
    }
}

impl Mover<'_> {
    /// The longest time a batch has blocked other writers.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// Deletes stale copies from the tiers' files; returns their number.
    pub fn clean(&mut self) -> Result<u64> {
        let space = self.space;
        let Some(_guard) = space.moving.try_acquire()? else {
            return Ok(0);
        };
        let mut cleaned = 0;
        for (tier, rows) in space.read(moves::leftovers)? {
            contents::remove(self.file(tier)?, &rows)?;
            for rows in rows.chunks(BATCH.1) {
                space.write_quietly(|transaction| transaction.cleaned(tier, rows))?;
            }
            cleaned += rows.len() as u64;
        }
        Ok(cleaned)
    }

    /// Moves the next batch.
    pub fn step(&mut self) -> Result<Step> {
        let space = self.space;
        let Some(_guard) = space.moving.try_acquire()? else {
            return Ok(Step::Busy);
        };
        for (place, source) in [Tier::Recent, Tier::Active].into_iter().enumerate() {
            let (ages, from) = (self.ages, self.reached[place]);
            let page = space.read(|reader| moves::aged(reader, source, ages, from, self.batch))?;
            let mut aged = page.aged;
            if let Some(target) = aged.first().map(|first| first.target) {
                let all = aged.len();
                aged.retain(|memory| memory.target == target);
                let moved = self.move_to(source, target, &aged)?;
                // The rest of the page, and memories changed in the meantime, are scanned again.
                if aged.len() == all {
                    self.reached[place] = page.reached;
                }
                return Ok(Step::Moved(target, moved));
            }
        }
        Ok(Step::Done)
    }

    fn move_to(&mut self, source: Tier, target: Tier, aged: &[MoveCandidate]) -> Result<u64> {
        let space = self.space;
        space.write_quietly(|transaction| transaction.expect_in(target, aged))?;
        let rows: Vec<Row> = aged.iter().map(|memory| memory.row).collect();
        let file = self.file(target)?;
        space.read(|reader| contents::copy(reader, file, &rows))?;
        // Includes both commits and this writer's own wait for the lock.
        let began = Instant::now();
        let moved = space.write_freely(&self.actor, |transaction| {
            transaction.move_to(source, target, aged)
        })?;
        self.adapt(began.elapsed());
        Ok(moved)
    }

    fn adapt(&mut self, held: Duration) {
        self.longest = self.longest.max(held);
        self.batch = if held > LONG {
            self.batch / 2
        } else if held < LONG / 3 {
            self.batch * 2
        } else {
            self.batch
        }
        .clamp(10, BATCH.1);
    }

    fn file(&mut self, tier: Tier) -> Result<&Connection> {
        let opened = match self.file.take() {
            Some((open, connection)) if open == tier => connection,
            _ => {
                let memories = self.space.folder().join("memories");
                contents::open_to_write(&contents::file_of(&memories, tier))?
            }
        };
        Ok(&self.file.insert((tier, opened)).1)
    }
}
