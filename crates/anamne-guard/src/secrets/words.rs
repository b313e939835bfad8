//! The word lists.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};

use crate::DataKind;

/// The lists of `secret_words.txt`.
pub(super) struct Lists {
    pub(super) telling: Vec<&'static str>,
    pub(super) not_values: Words,
    pub(super) stock_words: Words,
    pub(super) short_password_owners: Words,
    pub(super) password_names: Words,
    pub(super) password_endings: Endings,
    pub(super) secret_endings: Endings,
    pub(super) short_password_names: Words,
    pub(super) short_secret_names: Words,
    pub(super) secret_keys: Words,
    pub(super) harmless_names: Words,
    pub(super) suffixes: Words,
    pub(super) links: Words,
    pub(super) prepositions: Words,
    /// Words that mean a key.
    pub(super) key_names: Words,
    /// Words before `key` that make it the key of an entry, where the value is a digest.
    pub(super) entry_names: Words,
    /// Words that mean the code of a lock or a card.
    pub(super) pin_names: Words,
    /// The same in scripts without blanks.
    pub(super) joined_pin_names: Vec<&'static str>,
    /// Words for codes of all sorts.
    pub(super) code_names: Words,
    /// What a code opens.
    pub(super) lock_names: Words,
    /// What else has a code.
    pub(super) fault_names: Words,
    /// Kinds by words that a name must all contain.
    pub(super) named_kinds: Vec<(DataKind, Vec<&'static str>)>,
    pub(super) commands: Vec<Command>,
    pub(super) calls: Vec<Call>,
}

/// A call that takes a password, a token or a key at a place.
pub(super) struct Call {
    /// The name with its opening bracket.
    pub(super) name: &'static str,
    /// The place of the argument, from one on.
    pub(super) place: usize,
    pub(super) given: Given,
}

/// What a call is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Password,
    Token,
    /// A key that signs or encrypts.
    Secret,
}

/// A command whose arguments carry a password.
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) style: Style,
    pub(super) flags: Vec<&'static str>,
}

/// How a password is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `-pVALUE`.
    Attached,
    /// `-p VALUE`.
    Next,
    /// `-u USER:VALUE`.
    Pair,
    /// `-U USER%VALUE`.
    Percent,
    /// `-u USER,VALUE`.
    Comma,
    /// The last argument; if there are flags, one of them must be given.
    Last,
    /// The second argument after the command's name.
    Third,
    /// The argument after a share such as `\\\\host\\name`, options aside.
    Share,
}

/// The lists.
pub(super) fn lists() -> &'static Lists {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| load().expect("a test loads the data file"));
    &LISTS
}

/// Words by one of their bytes.
pub(super) struct Words(Vec<Vec<&'static str>>);

impl Words {
    fn new(words: &[&'static str], byte: impl Fn(&str) -> Option<u8>) -> Self {
        let mut by_byte = vec![Vec::new(); 256];
        for word in words {
            if let Some(byte) = byte(word) {
                by_byte[usize::from(byte)].push(*word);
            }
        }
        Self(by_byte)
    }

    /// Those with this byte.
    pub(super) fn with(&self, byte: Option<u8>) -> &[&'static str] {
        let words = byte.and_then(|byte| self.0.get(usize::from(byte)));
        words.map_or(&[], Vec::as_slice)
    }
}

fn first(word: &str) -> Option<u8> {
    word.bytes().next()
}

fn last(word: &str) -> Option<u8> {
    word.bytes().next_back()
}

/// Words with which others end.
pub(super) struct Endings(Words);

impl Endings {
    /// Whether a word ends with one of them.
    pub(super) fn end(&self, word: &str) -> bool {
        let endings = self.0.with(last(word)).iter();
        endings.into_iter().any(|ending| word.ends_with(ending))
    }
}

/// Whether a list has a word.
pub(super) fn has(list: &Words, word: &str) -> bool {
    list.with(first(word)).contains(&word)
}

fn load() -> Result<Lists, LexiconError> {
    const TEXT: &str = include_str!("../../data/secret_words.txt");
    let file = Lexicon::parse("secret_words.txt", TEXT)?;
    let words = |section: &str| file.words(section).map(|words| Words::new(&words, first));
    let endings = |section: &str| {
        let words = file.words(section)?;
        Ok::<_, LexiconError>(Endings(Words::new(&words, last)))
    };
    let kinds = file.rows("named_kinds", 2)?;
    let kind = |row: &anamne_text::lexicon::Row| {
        (
            DataKind::secret(row.cells[0]),
            row.cells[1].split(' ').collect(),
        )
    };
    let commands = file.rows("commands", 3)?;
    let calls = file.rows("calls", 3)?;
    Ok(Lists {
        password_endings: endings("password_names")?,
        secret_endings: endings("secret_names")?,
        telling: file.words("telling")?,
        not_values: words("not_values")?,
        stock_words: words("stock_words")?,
        short_password_owners: words("short_password_owners")?,
        password_names: words("password_names")?,
        short_password_names: words("short_password_names")?,
        short_secret_names: words("short_secret_names")?,
        secret_keys: words("secret_keys")?,
        harmless_names: words("harmless_names")?,
        suffixes: words("suffixes")?,
        links: words("links")?,
        prepositions: words("prepositions")?,
        key_names: words("key_names")?,
        entry_names: words("entry_names")?,
        pin_names: words("pin_names")?,
        joined_pin_names: file.words("joined_pin_names")?,
        code_names: words("code_names")?,
        lock_names: words("lock_names")?,
        fault_names: words("fault_names")?,
        named_kinds: kinds.iter().map(kind).collect(),
        commands: commands.iter().map(command_of).collect::<Result<_, _>>()?,
        calls: calls.iter().map(call_of).collect::<Result<_, _>>()?,
    })
}

fn call_of(row: &anamne_text::lexicon::Row) -> Result<Call, LexiconError> {
    let place = row.cells[1].parse().ok().filter(|place| *place > 0);
    let given = match row.cells[2] {
        "password" => Given::Password,
        "token" => Given::Token,
        "secret" => Given::Secret,
        other => return Err(row.fault(format!("unknown kind {other:?}"))),
    };
    Ok(Call {
        name: row.cells[0],
        place: place.ok_or_else(|| row.fault(format!("no place: {:?}", row.cells[1])))?,
        given,
    })
}

fn command_of(row: &anamne_text::lexicon::Row) -> Result<Command, LexiconError> {
    let style = match row.cells[1] {
        "attached" => Style::Attached,
        "next" => Style::Next,
        "pair" => Style::Pair,
        "comma" => Style::Comma,
        "percent" => Style::Percent,
        "last" => Style::Last,
        "third" => Style::Third,
        "share" => Style::Share,
        other => return Err(row.fault(format!("unknown style {other:?}"))),
    };
    let flags = row.cells[2].split(' ').filter(|flag| *flag != "-");
    Ok(Command {
        name: row.cells[0],
        style,
        flags: flags.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_load() {
        let lists = load().expect("the lists");
        assert!(has(&lists.not_values, "required") && !has(&lists.not_values, "hunter2"));
        assert!(lists.commands.iter().any(|command| command.name == "curl"));
    }
}
