//! Tokens are those of the uncased BERT tokenizer, never change, and can be compared.

use anamne_embed::{Embedder, StaticModel, TokenTable};

fn table() -> &'static dyn TokenTable {
    StaticModel::builtin_tokens()
}

fn tokens(text: &str) -> Vec<u16> {
    let mut tokens = Vec::new();
    table().tokens(text, &mut tokens);
    tokens
}

fn check(text: &str, pieces: &str) {
    let found: Vec<_> = tokens(text)
        .into_iter()
        .map(|token| table().token_text(token))
        .collect();
    assert_eq!(found.join(" "), pieces, "{text:?}");
}

#[test]
fn tricky_texts_give_the_pieces_of_the_reference() {
    for (text, pieces) in [
        ("Hello, World!", "hello , world !"),
        ("unaffordable", "una ##ff ##ord ##able"),
        (
            "don't e-mail user_name@example.com",
            "don ' t e - mail user _ name @ example . com",
        ),
        ("HTTPServer2 v1.0.3", "https ##er ##ver ##2 v ##1 . 0 . 3"),
        ("a\u{0}b\u{ad}c\u{200b}d", "abc ##d"),
        ("a\u{b}b a\u{a0}b a\u{2028}b", "ab a b a b"),
        (
            "ÉCOLE e\u{301}cole Straße İstanbul",
            "ecole ecole st ##raße istanbul",
        ),
        ("x [SEP] y[CLS]z [sep]", "x [SEP] y [CLS] z [ sep ]"),
        ("a[UNK]b ☃ c", "a b c"),
        ("“quoted” … — €5 ½", "“ quoted ” … — € ##5 ½"),
        ("\u{37e}\u{1fef}\u{212a}", "; ` k"),
        ("", ""),
    ] {
        check(text, pieces);
    }
}

#[test]
fn tokens_may_be_stored() {
    // Numbers stored in files: they must never change under revision v1.
    assert_eq!(tokens("The deploy key rotates every March."), STORED);
}

const STORED: [u16; 8] = [1996, 21296, 3145, 24357, 2015, 2296, 2233, 1012];

#[test]
fn a_vector_made_from_tokens_is_that_of_the_text() {
    let model = StaticModel::builtin();
    for text in ["Grandma's recipe uses 3 eggs.", "naïve café", ""] {
        let mut vector = vec![9.0; model.dimensions()];
        table().vector_of(&tokens(text), &mut vector);
        assert_eq!(vector, model.embed_batch(&[text]).unwrap());
    }
}

#[test]
fn similarity_is_the_cosine_of_the_rows() {
    let all = tokens("dog puppy lawyer quarterly 7 , walking walked");
    for &a in &all {
        let mut row = vec![0.0; 256];
        table().vector_of(&[a], &mut row);
        let mut cosines = vec![0.0; all.len()];
        table().similarities(a, &all, &mut cosines);
        for (&b, &cosine) in all.iter().zip(&cosines) {
            let mut other = vec![0.0; 256];
            table().vector_of(&[b], &mut other);
            let expected: f32 = row.iter().zip(&other).map(|(a, b)| a * b).sum();
            assert!(
                (cosine - expected).abs() < 1e-5,
                "{a} {b}: {cosine} {expected}"
            );
            assert!((table().similarity(a, b) - cosine).abs() < 1e-7);
        }
    }
    let [dog, puppy, lawyer] = [all[0], all[1], all[2]];
    assert!(table().similarity(dog, puppy) > table().similarity(dog, lawyer));
}

#[test]
fn unit_rows_give_the_cosine_by_their_dot_product() {
    let [a, b] = *tokens("river lake") else {
        panic!("two tokens")
    };
    let ((a_row, a_inverse), (b_row, b_inverse)) = (table().unit_row(a), table().unit_row(b));
    let dot: i32 = a_row
        .iter()
        .zip(b_row)
        .map(|(&a, &b)| i32::from(a) * i32::from(b))
        .sum();
    let cosine = dot as f32 * a_inverse * b_inverse;
    assert!((cosine - table().similarity(a, b)).abs() < 1e-6);
}

#[test]
fn tokens_above_the_vocabulary_are_hashed_words_with_a_row_and_no_text() {
    let dog = tokens("dog")[0];
    for token in [table().rows() as u16, u16::MAX] {
        assert!(table().is_hashed(token));
        assert_eq!(table().token_text(token), "");
        assert!((table().similarity(token, token) - 1.0).abs() < 1e-5);
        assert!(table().similarity(dog, token).abs() < 0.3);
        let mut vector = vec![1.0; 256];
        table().vector_of(&[token], &mut vector);
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
    assert!(!table().is_hashed(dog));
}
