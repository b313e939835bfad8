//! Texts of any size, each of a kind that may cause superlinear time.

use super::measure::is_full;

/// A kind of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A repeated text.
    Repeated(&'static str),
    /// A prefix, then a repeated text.
    Begun(&'static str, &'static str),
    /// A repeated text in which each `{}` is a different number.
    Numbered(&'static str),
    /// The same with words of letters instead of numbers.
    Worded(&'static str),
    /// Opening marks, then the same number of closing ones.
    Nested(&'static str, &'static str),
    /// Pseudo-random letters and digits.
    Encoded(&'static str),
}

impl Shape {
    /// A text of at most `bytes` bytes, close to the limit.
    pub(crate) fn text(&self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 64);
        match self.kind {
            Kind::Repeated(unit) => text = unit.repeat(bytes / unit.len()),
            Kind::Begun(beginning, unit) => {
                text.push_str(beginning);
                text.push_str(&unit.repeat((bytes - beginning.len()) / unit.len()));
            }
            Kind::Numbered(unit) => fill(&mut text, bytes, unit, |number| number.to_string()),
            Kind::Worded(unit) => fill(&mut text, bytes, unit, word),
            Kind::Nested(open, close) => {
                let depth = bytes / (open.len() + close.len());
                text.push_str(&open.repeat(depth));
                text.push_str(&close.repeat(depth));
            }
            Kind::Encoded(alphabet) => {
                let letters: Vec<char> = alphabet.chars().collect();
                let mut state = 1;
                while text.len() + 4 <= bytes {
                    state = scrambled(state);
                    text.push(letters[(state >> 33) as usize % letters.len()]);
                }
            }
        }
        text
    }
}

fn fill(text: &mut String, bytes: usize, unit: &str, stored: impl Fn(u64) -> String) {
    for number in 1.. {
        let more = unit.replace("{}", &stored(number));
        if text.len() + more.len() > bytes {
            return;
        }
        text.push_str(&more);
    }
}

/// The next number of a fixed pseudo-random sequence.
fn scrambled(state: u64) -> u64 {
    state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407)
}

/// A unique word for a number.
fn word(number: u64) -> String {
    let syllables = [
        "ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "za", "gre", "pla", "stu", "dor",
        "fin", "hal",
    ];
    let mut word = String::new();
    let mut rest = number;
    while rest > 0 {
        word.push_str(syllables[(rest % 16) as usize]);
        rest /= 16;
    }
    word
}

const fn shape(name: &'static str, kind: Kind) -> Shape {
    Shape { name, kind }
}

use Kind::{Begun, Encoded, Nested, Numbered, Repeated, Worded};

/// Number of leading kinds that were once slow.
const KNOWN: usize = 20;

/// Every kind of text, starting with those that were once slow, or similar ones.
pub(crate) const SHAPES: &[Shape] = &[
    shape("word and comma", Repeated("port,")),
    shape("a word", Repeated("may ")),
    shape("Han", Repeated("字.")),
    shape("a stop, then closing brackets", Begun("字.", ")")),
    shape("a stop, then spaces", Begun("字.", " ")),
    shape("a stop, then brackets and marks", Begun("字.", ")\u{301}")),
    shape("abbreviations", Repeated("Dr. ")),
    shape("full stops and spaces", Repeated(". ")),
    shape("exclamation marks", Repeated("!")),
    shape("marks on one letter", Begun("e", "\u{301}")),
    shape("nested brackets", Nested("(", ")")),
    shape("nested JSON", Nested("{\"a\":", "}")),
    shape("a URL without an end", Begun("https://example.com/", "a/")),
    shape("before an event", Repeated("before the release ")),
    shape("names joined by and", Repeated("Anna and Ben and ")),
    shape(
        "base64",
        Encoded("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    ),
    shape(
        "JSON",
        Numbered("{\"id\":{},\"name\":\"a b\",\"list\":[1,2]},"),
    ),
    shape("emoji", Repeated("😀")),
    shape("a table", Repeated("| a | b |\n")),
    shape(
        "weeks before an event",
        Repeated("the week before the release "),
    ),
    // Simple repetitions.
    shape("one letter", Repeated("a")),
    shape("one capital", Repeated("A")),
    shape("word and full stop", Repeated("port.")),
    shape("a capital word", Repeated("May ")),
    shape("a short word", Repeated("a ")),
    shape("an initial", Repeated("X.")),
    shape("an initial and a space", Repeated("X. ")),
    shape("a stop word", Repeated("the ")),
    shape(
        "a sentence",
        Repeated("The harbour was rebuilt in a year. "),
    ),
    shape(
        "a sentence a line",
        Repeated("The harbour was rebuilt in a year.\n"),
    ),
    shape("words of prose", Worded("the {} was ")),
    shape("other words", Worded("{} ")),
    shape("other words and full stops", Worded("{}. ")),
    shape("other sentences", Worded("We {} the {} again. ")),
    // Brackets and quotes.
    shape("opening brackets", Repeated("(")),
    shape("closing brackets", Repeated(")")),
    shape("nested square brackets", Nested("[", "]")),
    shape("brackets around a letter", Repeated("(a)")),
    shape("brackets never closed", Repeated("a (b ")),
    shape("brackets of all kinds", Repeated("([{<")),
    shape("a bracket in angle brackets", Repeated("<(")),
    shape("nested quotes", Nested("\"'", "'\"")),
    shape("quotes never closed", Repeated("a \"b ")),
    shape("quotes of all kinds", Repeated("“„«‘'\"")),
    shape("quoted words", Repeated("\"a\" ")),
    shape("apostrophes", Repeated("l'd'")),
    shape("possessives", Repeated("Anna's brother's ")),
    shape("backticks", Repeated("`")),
    shape("code in backticks", Repeated("`x` ")),
    shape("an opened backtick", Repeated("`x ")),
    shape("backticks that grow", Repeated("``x```y")),
    // Full stops and following characters.
    shape("full stops", Repeated(".")),
    shape("ellipses", Repeated("… ")),
    shape("questions", Repeated("Why? ")),
    shape("exclamations", Repeated("Go! ")),
    shape("a stop, then wide brackets", Begun("字.", "」")),
    shape("a stop, then wide spaces", Begun("字.", "\u{3000}")),
    shape("a stop, then digits", Begun("字.", "5")),
    shape("a stop, a bracket and digits", Repeated("字.)  5555")),
    shape("a stop, then commas", Begun("字.", ",")),
    shape("abbreviations of letters", Repeated("e.g. ")),
    shape("joined abbreviations", Repeated("z.B.")),
    shape("abbreviations before numbers", Repeated("No. 5 Fig. 3 ")),
    // Every script with ASCII full stops.
    shape("Latin", Repeated("été.")),
    shape("Greek", Repeated("λόγος.")),
    shape("Cyrillic", Repeated("слово.")),
    shape("Cyrillic sentences", Repeated("Слово это. ")),
    shape("Armenian", Repeated("բառ.")),
    shape("Georgian", Repeated("სიტყვა.")),
    shape("Hebrew", Repeated("מילה.")),
    shape("Arabic", Repeated("كلمة.")),
    shape("Arabic sentences", Repeated("هذه كلمة. ")),
    shape("Devanagari", Repeated("शब्द.")),
    shape("Bengali", Repeated("শব্দ.")),
    shape("Tamil", Repeated("சொல்.")),
    shape("Thai", Repeated("คำ.")),
    shape("Lao", Repeated("ຄຳ.")),
    shape("Myanmar", Repeated("စကား.")),
    shape("Khmer", Repeated("ពាក្យ.")),
    shape("Tibetan", Repeated("ཚིག.")),
    shape("Ethiopic", Repeated("ቃል.")),
    shape("Han without an end", Repeated("字")),
    shape("Han sentences", Repeated("今日は天気です。")),
    shape("kana", Repeated("ことば.")),
    shape("katakana", Repeated("コトバ.")),
    shape("Hangul", Repeated("말.")),
    shape("Hangul words", Repeated("낱말 하나. ")),
    shape("Cherokee", Repeated("ᎧᏁᎢᏍᏗ.")),
    shape("mathematical letters", Repeated("𝐰𝐨𝐫𝐝.")),
    shape("mixed scripts", Repeated("aбγ字اก")),
    shape("mixed scripts and spaces", Repeated("a б γ 字 ا ก ")),
    // Names.
    shape("a name without an end", Repeated("Anna Maria ")),
    shape("other names", Worded("Mr. {} von Hagen met ")),
    shape("other capital names", Numbered("Ada Lovelace the {}th, ")),
    shape("names joined by of", Repeated("University of ")),
    shape("names in capitals", Repeated("NASA ESA ")),
    shape("aliases", Worded("Ada (aka {}) ")),
    shape("mentions", Numbered("@anna{} ")),
    shape("hash tags", Numbered("#tag{} ")),
    // Statements.
    shape("being", Repeated("Ada is a teacher and ")),
    shape("being, with other words", Worded("Ada is a {} and ")),
    shape("negations", Repeated("not ")),
    shape("never and not", Repeated("I never did not ")),
    shape("lists", Repeated("tea, milk, ")),
    shape("conjunctions", Repeated("and or and ")),
    shape("relatives", Repeated("who said that ")),
    shape("I am", Repeated("I am ")),
    shape("I like", Worded("I like {}. ")),
    shape("kinship", Repeated("my sister's husband's ")),
    shape("values", Numbered("port = {} ")),
    shape("settings", Numbered("port is {}, ")),
    shape("decisions", Worded("We decided to use {}. ")),
    shape("possession", Repeated("of the ")),
    shape("conditions", Repeated("if it is then ")),
    shape("dialogue", Numbered("Anna: I have {}.\nBen: Me too.\n")),
    shape("measures", Numbered("{} kg and ")),
    shape("money", Numbered("${}.99 ")),
    // Times.
    shape("month words", Repeated("march may june ")),
    shape("months in capitals", Repeated("March May June ")),
    shape("in months", Repeated("in May and ")),
    shape("between months", Repeated("between March and ")),
    shape("distances", Repeated("days before ")),
    shape("ago", Repeated("three days ago ")),
    shape("the week of", Repeated("the week of ")),
    shape("since and until", Repeated("since until ")),
    shape("dates", Repeated("2026-03-01 ")),
    shape("other dates", Numbered("3 March {} ")),
    shape("dates without spaces", Repeated("2026-03-01")),
    shape("clock times", Repeated("14:30:05 ")),
    shape("weekdays", Repeated("Monday ")),
    shape("instants", Repeated("2026-03-01T14:00:00Z ")),
    // Numbers.
    shape("one number", Repeated("9")),
    shape("other numbers", Numbered("{} ")),
    shape("numbers and commas", Numbered("{},")),
    shape("grouped thousands", Repeated("1,000,")),
    shape("grouped thousands after a number", Repeated("123,456,789 ")),
    shape("a version without an end", Repeated("1.2.")),
    shape("issues", Numbered("#{} ")),
    shape("joined issues", Repeated("#1")),
    shape("percent", Numbered("{}% ")),
    shape("ranges", Repeated("1-2-")),
    // Identifiers, paths, addresses.
    shape("camel case", Repeated("fooBar")),
    shape("camel case and spaces", Worded("get{}Value ")),
    shape("alternating case", Repeated("aB")),
    shape("snake case", Repeated("foo_bar_")),
    shape("kebab case", Repeated("foo-bar-")),
    shape("letters and digits", Repeated("a1")),
    shape("a path without an end", Repeated("/usr/lib")),
    shape("other paths", Numbered("/usr/lib/a{}.so ")),
    shape("a Windows path", Repeated("\\dir")),
    shape("slashes", Repeated("/")),
    shape("a file name without an end", Repeated("a.rs.")),
    shape("colons", Repeated("a:")),
    shape("double colons", Repeated("std::")),
    shape("URLs", Numbered("https://example.com/a/{}?q=1&r=2#s ")),
    shape("URLs without spaces", Repeated("https://a.b/c,")),
    shape("URL heads", Repeated("http://")),
    shape("URLs in brackets", Repeated("(https://a.b")),
    shape("a query without an end", Begun("https://a.b/?", "a=b&")),
    shape("addresses", Numbered("ada{}@example.org ")),
    shape("an address without an end", Repeated("a@b.")),
    shape("at signs", Repeated("@")),
    shape("hash signs", Repeated("#")),
    shape("dollar signs", Repeated("$")),
    shape("hexadecimal", Encoded("0123456789abcdef")),
    shape("hexadecimal words", Numbered("deadbeef{} ")),
    shape(
        "letters without order",
        Encoded("abcdefghijklmnopqrstuvwxyz "),
    ),
    shape(
        "any characters",
        Encoded("aB1 .,(\"'`-—字é\u{301}ا😀\n\t#*|<>/@:"),
    ),
    shape("UUIDs", Numbered("0190c5e0-7b1c-7f00-8000-00000000{} ")),
    // Marks.
    shape("dashes", Repeated("-")),
    shape("dashes and spaces", Repeated("- ")),
    shape("long dashes", Repeated("—")),
    shape("words and dashes", Repeated("a — b ")),
    shape("commas", Repeated(",")),
    shape("words and commas", Repeated("a, ")),
    shape("semicolons", Repeated("a; ")),
    shape("arrows", Repeated("a -> b ")),
    shape("equals signs", Repeated("=")),
    shape("underscores", Repeated("_")),
    shape("plus signs", Repeated("C++")),
    shape("asterisks", Repeated("*")),
    // Markup and data.
    shape("a row without an end", Repeated("| a ")),
    shape("bars", Repeated("|")),
    shape("a rule of a table", Repeated("|---")),
    shape("headings", Numbered("# Title {}\n")),
    shape("nested headings", Repeated("###### a\n")),
    shape("bullets", Repeated("- item\n")),
    shape("numbered items", Numbered("{}. item\n")),
    shape("tasks", Repeated("- [ ] do\n")),
    shape("bold words", Repeated("**a** ")),
    shape("bold never closed", Repeated("**a ")),
    shape("bold marks", Repeated("**")),
    shape("links of Markdown", Numbered("[a{}](https://b.c) ")),
    shape("link heads", Repeated("[a](")),
    shape("fences", Repeated("```rust\nfn a() {}\n```\n")),
    shape("fences never closed", Repeated("```\na\n")),
    shape("quoted lines", Repeated("> a\n")),
    shape("nested quoted lines", Begun("", "> ")),
    shape("front matter", Numbered("---\nkey{}: [a, b]\n---\n")),
    shape("YAML", Numbered("key{}: value\n")),
    shape("rules", Repeated("---\n")),
    shape("HTML", Repeated("<div class='a'>b</div>")),
    shape("nested HTML", Nested("<div>", "</div>")),
    shape("HTML never closed", Repeated("<a href=\"")),
    shape("entities", Repeated("&amp;")),
    shape("a list of JSON", Numbered("{},")),
    shape("CSV", Numbered("{},a,\"b, c\",2026-03-01\n")),
    shape(
        "a log",
        Numbered("2026-03-01T14:00:00Z INFO a::b id={} done\n"),
    ),
    shape("code", Numbered("    let value{} = call(a, &b)?;\n")),
    shape("code on a line", Repeated("if(a){b();}else{c();}")),
    shape("diffs", Numbered("@@ -{},1 +1 @@\n-a\n+b\n")),
    shape("escapes", Repeated("\\n\\u00e9")),
    // White space and miscellaneous symbols.
    shape("spaces", Begun("a", " ")),
    shape("tabs", Begun("a", "\t")),
    shape("blank lines", Begun("a", "\n")),
    shape("blank lines of Windows", Begun("a", "\r\n")),
    shape("lines of a letter", Repeated("a\n")),
    shape("wrapped lines", Repeated("a word\nand ")),
    shape("lines with spaces", Repeated(" \n a")),
    shape("wide spaces", Repeated("a\u{3000}")),
    shape("no-break spaces", Repeated("a\u{a0}")),
    shape("line separators", Repeated("a\u{2028}")),
    shape("zero-width spaces", Repeated("a\u{200b}")),
    shape("zero-width joiners", Repeated("a\u{200d}")),
    shape("soft hyphens", Repeated("a\u{ad}")),
    shape("direction marks", Repeated("\u{202e}a\u{202c}")),
    shape("control characters", Repeated("\u{1}a")),
    shape("replacement characters", Repeated("\u{fffd}")),
    shape("private characters", Repeated("\u{e000}")),
    shape("byte order marks", Repeated("\u{feff}")),
    // Emoji and combining marks.
    shape("emoji and words", Repeated("so 😀 glad 🎉 ")),
    shape("joined emoji", Repeated("👩‍👩‍👧‍👦")),
    shape("joined emoji without an end", Begun("👩", "\u{200d}👩")),
    shape("flags", Repeated("🇩🇪")),
    shape("keycaps", Repeated("1\u{fe0f}\u{20e3}")),
    shape("skin tones", Begun("👍", "\u{1f3fd}")),
    shape("other marks on one letter", Begun("e", "\u{301}\u{323}")),
    shape("marks alone", Repeated("\u{301}")),
    shape("letters with marks", Repeated("e\u{301}")),
    shape("jamo", Repeated("\u{1112}\u{1161}\u{11ab}")),
    shape("jamo without an end", Begun("\u{1112}", "\u{1161}")),
    shape("viramas", Repeated("क\u{94d}")),
    shape("letters that fold longer", Repeated("İß")),
    shape("letters that decompose longer", Repeated("ﷺ")),
    shape("ligatures", Repeated("ﬃ")),
    shape("wide letters", Repeated("ＡＢＣ ")),
    shape("circled numbers", Repeated("①②")),
    shape("fractions", Repeated("½ ")),
    shape("superscripts", Repeated("x²")),
    shape("trade marks", Repeated("Brand™ ")),
    // Names of secrets and what stands near them.
    shape("networks", Repeated("wifi ssid ")),
    shape("short names of passwords", Repeated("pw ")),
    shape("passwords", Repeated("psk kQ9xVb2LmZ7pTr4s ")),
    shape("passwords without blanks", Repeated("密碼aB3dE5fG")),
    shape(
        "tables of passwords",
        Repeated("password | user\nAb1!cdEf | mara\n"),
    ),
    shape("names without values", Repeated("-storepass -keypass=")),
    shape("values within values", Repeated("Auth1=sAuth1=")),
    shape("connection strings", Repeated("Server=a;Pwd=Ab1!cdEf;")),
    shape("headers within headers", Repeated("X-Session-Id=")),
    shape("calls within calls", Repeated(".auth(")),
    shape("beginnings of hashes", Repeated("$5$")),
    shape("beginnings of tokens", Repeated("ya29.")),
    shape("house numbers and names", Repeated("L 12 ")),
    shape("pairs of digits", Repeated("12 ")),
];

/// The kinds of text that were once slow, and one in `one_in` of the others; all of them if every size is measured.
pub(crate) fn chosen(one_in: usize) -> impl Iterator<Item = &'static Shape> {
    let one_in = if is_full() { 1 } else { one_in };
    let (known, others) = SHAPES.split_at(KNOWN);
    known.iter().chain(others.iter().step_by(one_in))
}
