//! Invisible characters, and where a script or an emoji needs them.

/// The zero-width non-joiner and the zero-width joiner.
const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';

/// The variation selectors for the text form and the picture of an emoji.
const TEXT_FORM: char = '\u{fe0e}';
const PICTURE: char = '\u{fe0f}';

/// Whether a character is invisible on its own: controls (including tab and line breaks), format characters, fillers,
/// selectors, tags and noncharacters. Letters and spaces of any script are visible.
pub fn is_invisible(character: char) -> bool {
    let code = u32::from(character);
    if code < 0x300 {
        return character.is_control() || code == 0xad;
    }
    let is_noncharacter = (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe;
    is_noncharacter
        || matches!(
            code,
            // The grapheme joiner, the Arabic letter mark, fillers, inherent vowels.
            0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x3164 | 0xffa0
            // Mongolian selectors and their separator.
            | 0x180b..=0x180f
            // Zero-width characters, direction marks, line and paragraph separators, embeddings, overrides, isolates.
            | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f
            // Variation selectors, the byte order mark, annotation characters.
            | 0xfe00..=0xfe0f | 0xfeff | 0xfff0..=0xfffb
            // Controls for hieroglyphs, shorthand and music.
            | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
            // Tags and supplementary variation selectors.
            | 0xe0000..=0xe0fff
        )
}

/// Whether a character may be shown unescaped between its neighbours: it is visible, or a script or an emoji needs it
/// there.
pub fn shows(character: char, previous: Option<char>, next: Option<char>) -> bool {
    if !is_invisible(character) {
        return true;
    }
    let (Some(previous), following) = (previous, next.unwrap_or(' ')) else {
        return false;
    };
    match character {
        NON_JOINER => joins(previous) && joins(following),
        JOINER => {
            (joins(previous) && joins(following)) || (ends_emoji(previous) && is_emoji(following))
        }
        // A digit is an emoji only in a keycap: `1`, the selector, and the enclosing keycap.
        PICTURE => is_emoji(previous) || (is_on_key(previous) && following == '\u{20e3}'),
        TEXT_FORM => is_emoji(previous),
        '\u{180b}'..='\u{180f}' => ('\u{1820}'..='\u{18aa}').contains(&previous),
        _ => false,
    }
}

/// Letters and marks of scripts whose spelling uses joiners: Arabic, Syriac, N'Ko and related scripts, those of India
/// and Sri Lanka, Tibetan, Burmese, Khmer, Mongolian, Javanese and other Southeast Asian scripts.
fn joins(character: char) -> bool {
    let in_script = matches!(
        u32::from(character),
        0x620..=0x6d3
            | 0x6d5..=0x6ff
            | 0x710..=0x8ff
            | 0x900..=0xdff
            | 0xf00..=0x109f
            | 0x1700..=0x18af
            | 0x1a20..=0x1bff
            | 0xa800..=0xa82f
            | 0xa840..=0xa8ff
            | 0xa930..=0xa9ff
            | 0xaa00..=0xaadf
            | 0xfb50..=0xfdcf
            | 0xfe70..=0xfefe
            | 0x10a00..=0x10a5f
            | 0x11000..=0x11fff
            | 0x1e900..=0x1e95f
    );
    in_script && !is_invisible(character)
}

/// Whether a character can end an emoji before a joiner.
fn ends_emoji(character: char) -> bool {
    is_emoji(character) || character == PICTURE
}

/// Symbols with an emoji form, and the five skin tones.
fn is_emoji(character: char) -> bool {
    matches!(
        u32::from(character),
        0xa9 | 0xae
            | 0x203c
            | 0x2049
            | 0x2122
            | 0x2139
            | 0x2190..=0x21ff
            | 0x2300..=0x23ff
            | 0x24c2
            | 0x25a0..=0x27bf
            | 0x2934
            | 0x2935
            | 0x2b00..=0x2bff
            | 0x3030
            | 0x303d
            | 0x3297
            | 0x3299
            | 0x1f000..=0x1faff
    )
}

fn is_on_key(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '#' | '*')
}
