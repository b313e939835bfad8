//! The text of members: read from the database of their home when a statement asks for it.
//!
//! A member's row has no text. Statements read it through the SQL function `homed(member, id, part)`, as they read the
//! content of colder tiers through `colder`. It gives NULL unless the home has the memory, live, says itself that it is a
//! member of this space, and has the event that was recorded when it was added: what a space says about another one opens
//! nothing, and a space that only has the name of the home says nothing here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anamne_text::normal::content_hash;
use anamne_types::Membership;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{FromSql, Value};
use rusqlite::{Connection, OptionalExtension, params};

use super::SOURCE_FORMAT;
use super::connection::{check_format, may_be_kept, open_identified, open_reader};
use super::packed::Packed;
use crate::Result;
use crate::files::{FileIdentity, look_at};
use crate::journal::Digest;
use crate::space_name::SpaceName;

/// SQL: content and body of a memory, of any tier or from its home. Content is NULL if its home doesn't have it.
macro_rules! text_sql {
    () => {
        "iif(member IS NULL, iif(tier = 0, content, colder(tier, row, 0)), homed(member, id, 0)), \
         iif(member IS NULL, iif(tier = 0, body, colder(tier, row, 1)), homed(member, id, 1))"
    };
}
pub(crate) use text_sql;

/// Maximum number of homes open per connection.
const MOST_OPEN: usize = 16;

/// The text of one memory: content, body.
type Text = [Value; 2];

/// The live text of a memory with this id and this event, with its hash.
const TEXT: &str = "SELECT iif(tier = 0, content, colder(tier, row, 0)), iif(tier = 0, body, colder(tier, row, 1)), hash, row \
     FROM memories WHERE id = ?1 AND member IS NULL AND deleted_at IS NULL AND NOT erased \
     AND EXISTS (SELECT 1 FROM events WHERE seq = ?2 AND row = memories.row AND payload_hash = ?3)";

/// The homes that one connection has open, least recently used first.
struct Homes {
    /// The folder of the space of the connection.
    own: PathBuf,
    open: Vec<(String, FileIdentity, Connection)>,
    /// The last text read: statements read one part after the other.
    last: Option<(String, [u8; 16], Option<Text>)>,
}

impl Homes {
    fn part(&mut self, member: &str, id: [u8; 16], part: usize) -> Option<Value> {
        if let Some((last, last_id, text)) = &self.last
            && (last.as_str(), *last_id) == (member, id)
            && part > 0
        {
            return text.as_ref().map(|text| text[part].clone());
        }
        // Whatever is wrong with a home is repaired by whoever opens it; this space is not damaged by it.
        let text = self.read(member, id).ok().flatten();
        let value = text.as_ref().map(|text| text[part].clone());
        self.last = Some((member.to_owned(), id, text));
        value
    }

    fn read(&mut self, member: &str, id: [u8; 16]) -> Result<Option<Text>> {
        let membership: Membership = serde_json::from_str(member)?;
        let Some(digest) = Digest::read(&membership.digest) else {
            return Ok(None);
        };
        let Some(own) = self.own.file_name().map(OsString::from) else {
            return Ok(None);
        };
        let Some(home) = self.home(&membership.home)? else {
            return Ok(None);
        };
        let found = home
            .prepare_cached(TEXT)?
            .query_row(params![id, membership.seq.0 as i64, digest.0], |row| {
                let text: Text = [row.get(0)?, row.get(1)?];
                let hash: [u8; 16] = row.get(2)?;
                Ok((text, hash, row.get::<_, u32>(3)?))
            })
            .optional()?;
        let Some((text, hash, row)) = found else {
            return Ok(None);
        };
        let mut shares = home.prepare_cached("SELECT space FROM shares WHERE row = ?1")?;
        let mut spaces = shares.query_map([row], |row| row.get::<_, String>(0))?;
        let is_shared = spaces.any(|space| {
            let name = space.ok().and_then(|space| space.parse::<SpaceName>().ok());
            name.is_some_and(|name| own == *name.folder())
        });
        // SQLite doesn't notice a flipped bit.
        let content = Packed::column_result((&text[0]).into());
        let is_whole = content.is_ok_and(|content| content_hash(&content.0) == hash);
        Ok((is_shared && is_whole).then_some(text))
    }

    fn home(&mut self, name: &str) -> Result<Option<&Connection>> {
        let Some(path) = database_of(&self.own, &name.parse()?) else {
            return Ok(None);
        };
        let Some(found) = look_at(&path)?.map(|state| state.identity) else {
            return Ok(None);
        };
        let known = self.open.iter().position(|(open, ..)| open == name);
        let known = known.map(|place| self.open.remove(place));
        let open = match known {
            // A restored database is another file.
            Some(open) if open.1 == found && may_be_kept(&open.2) => open,
            _ => {
                let (identity, connection) = open_identified(&path, open_reader)?;
                if check_format(&connection, &path)? != SOURCE_FORMAT {
                    // No earlier version shared anything.
                    return Ok(None);
                }
                (name.to_owned(), identity, connection)
            }
        };
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push(open);
        Ok(self.open.last().map(|(.., connection)| connection))
    }
}

/// The active database of the space `name` in the store of the space in the folder `own`.
fn database_of(own: &Path, name: &SpaceName) -> Option<PathBuf> {
    let spaces = own.parent()?;
    Some(
        spaces
            .join(name.folder())
            .join("memories")
            .join("active.db"),
    )
}

/// Registers `homed`, which lets statements of a connection to the active database at `path` read the text of members.
pub(crate) fn register_homed(connection: &Connection, path: &Path) -> Result<()> {
    let own = path
        .parent()
        .and_then(Path::parent)
        .unwrap_or(Path::new(""));
    let homes = Mutex::new(Homes {
        own: own.to_owned(),
        open: Vec::new(),
        last: None,
    });
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("homed", 3, flags, move |context| {
        let member: String = context.get(0)?;
        let id: [u8; 16] = context.get(1)?;
        let part = usize::from(context.get::<u8>(2)?).min(1);
        let mut homes = homes.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(homes.part(&member, id, part))
    })?;
    Ok(())
}
