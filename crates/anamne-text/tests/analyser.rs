//! Behaviour of the analyser that search relies on.

use anamne_text::analyser::{Analyser, MAX_TERM_BYTES};
use proptest::prelude::*;

fn document(text: &str) -> Vec<(String, u32)> {
    let mut terms = Vec::new();
    Analyser::new().document(text, &mut |term, position| {
        terms.push((term.to_owned(), position));
    });
    terms
}

/// The base terms of a document as `term/position`.
fn base_terms(text: &str) -> String {
    let terms = document(text);
    let base = terms.iter().filter(|(term, _)| !term.starts_with('~'));
    base.map(|(term, position)| format!("{term}/{position}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn query_terms(text: &str) -> Vec<String> {
    let query = Analyser::new().query(text);
    query.terms.into_iter().map(|term| term.text).collect()
}

fn meets(query: &str, text: &str) -> bool {
    let query = query_terms(query);
    document(text).iter().any(|(term, _)| query.contains(term))
}

#[test]
fn words_are_lower_cased_stemmed_and_folded() {
    let check = |text, expected| assert_eq!(base_terms(text), expected, "{text:?}");
    check("The Caches were emptied.", "the/0 cach/1 were/2 empti/3");
    check("Müller Muller MÜLLER", "muller/0 muller/1 muller/2");
    check("ﬁle ＡＢＣ", "file/0 abc/1");
    check("Foo™ bar", "foo/0 bar/1");
    check("", "");
    check("… — !!", "");
}

#[test]
fn contractions_and_possessives_give_their_word() {
    let check = |text, expected| assert_eq!(base_terms(text), expected, "{text:?}");
    check("Caroline's", "carolin/0");
    check("Caroline’s cat", "carolin/0 cat/1");
    check("it's", "it/0");
    check("don't we'll", "dont/0 we/1");
    check("the students' books", "the/0 student/1 book/2");
    check("O'Brien", "obrien/0 brien/1");
    check("l'école", "lecol/0 ecol/1");
}

#[test]
fn identifiers_give_their_parts_and_their_whole() {
    let check = |text, expected| assert_eq!(base_terms(text), expected, "{text:?}");
    check(
        "parse_http_header",
        "parsehttphead/0 pars/0 http/1 header/2",
    );
    check("parseHttpHeader", "parsehttphead/0 pars/0 http/1 header/2");
    check("ParseHTTPHeader", "parsehttphead/0 pars/0 http/1 header/2");
    check(
        "kebab-case-name x",
        "kebabcasenam/0 kebab/0 case/1 name/2 x/3",
    );
    check("foo.bar_baz", "foobarbaz/0 foo/0 bar/1 baz/2");
    check("std::sync::Arc", "stdsyncarc/0 std/0 sync/1 arc/2");
    check("src/main.rs", "srcmainr/0 src/0 main/1 rs/2");
    check("v1.2.3", "v1.2.3/0 1.2.3/0 v1/0 2/1 3/2");
    check("utf8 utf-8", "utf8/0 utf/0 8/1 utf8/2 utf/2 8/3");
    check("HTTP2", "http2/0 http/0 2/1");
    check("#1234", "#1234/0 1234/0");
    check("E0382", "e0382/0");
    check("k8s and S3", "k8s/0 and/1 s3/2");
    check("APIs", "api/0");
    check("C++ or C#", "c++/0 c/0 or/1 c#/2 c/2");
    check("1,000,000 and 3.14", "1000000/0 and/1 3.14/2 3/2 14/3");
    check("items 1,2,3", "item/0 1/1 2/2 3/3");
    check("10:30", "10:30/0 10/0 30/1");
    check(
        "ann.lee@example.com",
        "annleeexamplecom/0 ann/0 lee/1 exampl/2 com/3",
    );
}

#[test]
fn every_spelling_of_an_identifier_finds_every_other() {
    let spellings = [
        "parse_http_header",
        "parseHttpHeader",
        "ParseHTTPHeader",
        "parse-http-header",
        "http header",
    ];
    for query in spellings {
        for text in spellings {
            assert!(
                meets(query, &format!("call {text} here")),
                "{query} in {text}"
            );
        }
    }
}

#[test]
fn text_without_spaces_becomes_bigrams() {
    let check = |text, expected| assert_eq!(base_terms(text), expected, "{text:?}");
    check("東京都", "東京/0 東/0 京都/1 京/1 都/2");
    check("ねこ", "ねこ/0");
    check("사람", "사람/0 사/0 람/1");
    check("iPhone用", "iphon/0 phone/1 用/2");
    assert_eq!(query_terms("東京都"), ["東京", "京都"]);
    for (query, text) in [
        ("猫", "黒猫が好き"),
        ("猫は", "猫が好き"),
        ("집", "집에서"),
        ("ไทย", "ภาษาไทย"),
    ] {
        assert!(meets(query, text), "{query} in {text}");
    }
}

#[test]
fn inflected_queries_find_their_documents() {
    // (query, document): German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish,
    // Norwegian, Finnish, Polish, Czech, Hungarian, Turkish, Russian, Ukrainian, Greek.
    let mut missed = Vec::new();
    for (query, text) in [
        (
            "Haus",
            "Wir haben die Häuser am See gesehen und sind dann gegangen.",
        ),
        (
            "Wo sind die Verträge?",
            "Der Vertrag mit dem Lieferanten wurde gestern unterschrieben.",
        ),
        ("Katze", "Anna mag Katzen."),
        ("Mueller", "Herr Müller hat angerufen."),
        ("école", "Les enfants vont dans des écoles différentes."),
        ("Où est le cheval ?", "Il y a deux chevaux dans le pré."),
        (
            "décision",
            "Nous avons pris plusieurs décisions importantes avec elle.",
        ),
        ("canción", "Las canciones que más le gustan son antiguas."),
        (
            "¿Cuál es la reunión?",
            "Tenemos reuniones todos los lunes por la mañana.",
        ),
        ("riunione", "Le riunioni del lunedì sono state spostate."),
        ("gatto", "Maria ha due gatti in casa con lei."),
        ("decisão", "As decisões foram tomadas pela equipe ontem."),
        ("animal", "Os animais estão no jardim da casa dele."),
        (
            "vergadering",
            "De vergaderingen worden elke maandag in het kantoor gehouden.",
        ),
        ("katten", "Mijn kat slaapt op de bank."),
        ("möte", "Alla möten är på måndagar och det är bra."),
        (
            "flickan",
            "Flickorna spelar fotboll med sina vänner och jag ser på.",
        ),
        (
            "beslutning",
            "Vi har taget mange beslutninger om det i dag.",
        ),
        (
            "bøker",
            "Jeg har ikke lest boken om dette, men han har lest bøkene.",
        ),
        (
            "Missä talo on?",
            "Hän on ollut talossa koko päivän, mutta nyt hän ei ole.",
        ),
        (
            "Gdzie są książki?",
            "Ta książka jest na stole i nie wiem, czyja jest.",
        ),
        ("Kde jsou knihy?", "Ta kniha je na stole a nevím, čí je."),
        (
            "Hol van a ház?",
            "A házak a tó mellett vannak, és nem eladók.",
        ),
        ("kitaplar nerede", "Bu kitap çok güzel ve onun için aldım."),
        ("книги", "Эта книга лежит на столе."),
        ("решение", "Мы приняли важные решения вчера."),
        ("місто", "Ми бачили великі міста цього літа."),
        ("δρόμοι", "Ο δρόμος είναι κλειστός."),
        ("meetings", "One meeting was moved."),
        ("what did Anna decide", "Anna decided to leave."),
    ] {
        if !meets(query, text) {
            missed.push((query, query_terms(query), text, document(text)));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn english_texts_and_questions_have_no_guest_terms() {
    let short = document("Bought milk, eggs, bread.");
    assert!(short.iter().all(|(term, _)| !term.starts_with('~')));
    let text = "We decided to move the backups to another machine because the old one was full.";
    assert!(
        document(text)
            .iter()
            .all(|(term, _)| !term.starts_with('~'))
    );
    assert!(
        query_terms("where did we move the backups to?")
            .iter()
            .all(|term| !term.starts_with('~'))
    );
}

#[test]
fn stop_words_of_the_query_leave_unless_they_are_all_there_is() {
    let check = |query: &str, kept: &[&str], dropped: &[&str]| {
        let found = Analyser::new().query(query);
        let terms: Vec<&str> = found
            .terms
            .iter()
            .map(|term| term.text.as_str())
            .filter(|term| !term.starts_with('~'))
            .collect();
        assert_eq!(
            (terms.as_slice(), found.dropped_stop_words.as_slice()),
            (
                kept,
                dropped
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>()
                    .as_slice()
            ),
            "{query:?}"
        );
    };
    check(
        "What is the name of Anna's dog?",
        &["name", "anna", "dog"],
        &["what", "is", "the", "of"],
    );
    check("who is he", &["who", "is", "he"], &[]);
    check(
        "can you die from smoking",
        &["die", "smoke"],
        &["can", "you", "from"],
    );
    check("die hard", &["die", "hard"], &[]);
    check("Wo ist die Katze?", &["katz"], &["wo", "ist", "die"]);
    check(
        "what did Will say to us",
        &["will", "say"],
        &["what", "did", "to", "us"],
    );
    check("who works in IT", &["work", "it"], &["who", "in"]);
    check("cache the cache", &["cach"], &["the"]);
    check("May 2023 meeting", &["may", "2023", "meet"], &[]);
    check("cats AND dogs", &["cat", "dog"], &["and"]);
    check(
        "user_id of example.com",
        &["userid", "user", "id", "examplecom", "exampl", "com"],
        &["of"],
    );
    check("", &[], &[]);
}

#[test]
fn repeated_query_terms_are_counted_once_each() {
    let query = Analyser::new().query("cache of caches");
    assert_eq!(
        query
            .terms
            .iter()
            .map(|term| (term.text.as_str(), term.occurrences))
            .next(),
        Some(("cach", 2))
    );
}

#[test]
fn encoded_data_is_one_term_per_run() {
    let blob = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg0123456789"
        .repeat(100);
    assert_eq!(document(&blob).len(), 1);
    assert_eq!(document("a1b2c3d4e5f6a7b8 done").len(), 2);
}

#[test]
fn a_language_is_judged_by_its_own_part_of_a_text() {
    let english =
        "We decided to move the backups to another machine because the old one was full. "
            .repeat(60);
    let text = format!(
        "{english}\n\nDie Verträge wurden gestern von dem Lieferanten unterschrieben und sind gültig. {}",
        "Wir haben sie auch noch nicht gesehen. ".repeat(60)
    );
    assert!(meets("Wo ist der Vertrag?", &text));
}

#[test]
fn what_was_analysed_before_changes_nothing() {
    let texts = [
        "Die Häuser sind alt.",
        "Der alte Vertrag",
        "parse_http_header",
        "Los gatos y las casas",
        "die hard",
    ];
    let mut used = Analyser::new();
    for text in texts.iter().chain(texts.iter().rev()) {
        let mut terms = Vec::new();
        used.document(text, &mut |term, position| {
            terms.push((term.to_owned(), position));
        });
        assert_eq!(terms, document(text));
        assert_eq!(used.query(text), Analyser::new().query(text));
    }
}

fn check_laws(text: &str) {
    let mut last = std::collections::HashMap::new();
    for (term, position) in document(text) {
        assert!(!term.is_empty() && term.len() <= MAX_TERM_BYTES, "{term:?}");
        let before = last.insert(term.clone(), position).unwrap_or(0);
        assert!(before <= position, "{term:?} at {position} after {before}");
    }
    let query = Analyser::new().query(text);
    if document(text)
        .iter()
        .any(|(term, _)| !term.starts_with('~'))
    {
        assert!(!query.terms.is_empty(), "{text:?}");
        assert!(meets(text, text), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_gives_short_terms_at_growing_positions_and_finds_itself(text in any::<String>()) {
        check_laws(&text);
    }

    #[test]
    fn words_of_every_alphabet_give_short_terms_and_find_themselves(text in "([a-zA-Zäöüßéèñçøåłşığő]{1,12}[ '_.-]|[а-яіїё]{1,9} |[α-ωάς]{1,9} |[ا-ي\u{64b}-\u{652}]{1,8} |[क-ह\u{93e}-\u{94d}]{1,7} |[一-丿ぁ-ん]{1,5}|[ก-ฮ\u{e31}-\u{e39}]{1,6}|[가-힣]{1,4} ?|[0-9]{1,4}[,.:]?){0,25}") {
        check_laws(&text);
    }

    #[test]
    fn code_gives_short_terms_and_finds_itself(text in "([a-zA-Z]{1,9}[0-9]{0,3}(_|-|::|\\.|/|'|@|#|\\+\\+| |,){1,2}){0,30}") {
        check_laws(&text);
    }
}

#[test]
fn a_megabyte_of_anything_is_analysed() {
    for piece in [
        "a", "字", "e\u{301}", "_a", "A1", " ", "\u{301}", "a-", "漢a",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let mut terms = 0_usize;
        Analyser::new().document(&text, &mut |term, _| {
            terms += usize::from(term.len() <= MAX_TERM_BYTES);
        });
        assert!(terms <= text.len());
    }
}
