//! Long clean values: images, minified code, source maps.

use std::fmt::Write;

use super::encodings::{base64, bytes, of, pick};
use super::words::{joined, word};
use crate::chance::Chance;

const LETTERS: &str = "abcdefghijklmnoprstuvwxyz";

/// A value by name with about this many characters; `None` if there is no such value.
pub(super) fn value(name: &str, length: usize, chance: &mut Chance) -> Option<String> {
    Some(match name {
        "b64image" => binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0", length, chance),
        "b64jpeg" => binary(b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01", length, chance),
        "b64woff" => binary(b"wOF2\0\x01\0\0\0\0", length, chance),
        "b64webp" => binary(b"RIFF\x24\x02\0\0WEBPVP8 ", length, chance),
        "b64mp3" => binary(b"ID3\x04\0\0\0\0\0#TSSE", length, chance),
        "b64svg" => base64(svg(length * 3 / 4, chance).as_bytes()),
        "b64json" => base64(json(length * 3 / 4, chance).as_bytes()),
        "minjs" => minified(length, chance),
        "vlq" => mappings(length, chance),
        _ => return None,
    })
}

fn binary(head: &[u8], length: usize, chance: &mut Chance) -> String {
    let random = bytes((length * 3 / 4).saturating_sub(head.len()), chance);
    base64(&[head, &random].concat())
}

fn svg(length: usize, chance: &mut Chance) -> String {
    let mut text = String::from(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">"#);
    while text.len() < length {
        let (x, y) = (chance.below(24), chance.below(24));
        let radius = 1 + chance.below(9);
        let _ = write!(text, r#"<circle cx="{x}" cy="{y}" r="{radius}"/>"#);
    }
    text + "</svg>"
}

fn json(length: usize, chance: &mut Chance) -> String {
    let mut fields = Vec::new();
    let mut written = 0;
    while written < length {
        let field = match chance.below(3) {
            0 => format!(r#""{}":{}"#, word(chance), chance.below(10_000)),
            1 => format!(r#""{}":true"#, joined("_", chance)),
            _ => format!(r#""{}":"{}""#, word(chance), word(chance)),
        };
        written += field.len() + 1;
        fields.push(field);
    }
    format!("{{{}}}", fields.join(","))
}

fn minified(length: usize, chance: &mut Chance) -> String {
    let mut text = String::new();
    while text.len() < length {
        text.push_str(&statement(chance));
    }
    text
}

fn statement(chance: &mut Chance) -> String {
    let mut letter = || of(LETTERS, 1, chance);
    let (a, b, c, d) = (letter(), letter(), letter(), letter());
    let number = chance.below(500);
    match chance.below(12) {
        0 => format!("function {a}({b},{c}){{return {b}.{}({c})}}", word(chance)),
        1 => format!(
            "var {a}={b}({number}),{c}={b}({}),{d}={a}.n({c});",
            number + 7
        ),
        2 => format!("if({a}==={b}||!{c}.{})return void 0;", word(chance)),
        3 => format!(
            "{a}.prototype.{}=function({b}){{this.{c}={b}}};",
            word(chance)
        ),
        4 => format!("{a}&&{b}.push([\"{}\",{number}]);", word(chance)),
        5 => format!("for(var {a}=0;{a}<{b}.length;{a}++){c}[{b}[{a}]]={d};"),
        6 => format!("({a},{b})=>{a}-{b}||{c}({{{}:{d}}});", word(chance)),
        7 => format!("switch({a}){{case {number}:return{b};default:{c}()}}"),
        8 => format!("Object.defineProperty({a},\"__esModule\",{{value:!0}});"),
        9 => format!("{a}=0x{number:x}^{b}>>>{};", chance.below(31)),
        10 => format!("{a}.exports=\"{}\";", joined("-", chance)),
        _ => format!("try{{{a}.{}({b})}}catch({c}){{{d}({c})}}", word(chance)),
    }
}

/// The mappings of a source map.
fn mappings(length: usize, chance: &mut Chance) -> String {
    const SEGMENTS: [&str; 10] = [
        "AAAA",
        "SAAS",
        "GAAG",
        "CAAC",
        "IAAI",
        "YAAY",
        "EAAE,IAAM",
        "OAAO",
        "MAAM;AACb",
        "aAAa",
    ];
    let mut text = String::from("AAAA;AACA");
    while text.len() < length {
        text.push(if chance.below(8) == 0 { ';' } else { ',' });
        text.push_str(pick::<&str>(&SEGMENTS, chance));
    }
    text
}
