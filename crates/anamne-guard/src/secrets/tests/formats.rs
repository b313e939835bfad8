//! Vendors' formats.

use super::super::vendors::{Part, formats};
use super::*;

#[test]
fn tokens_with_a_checksum_are_found_and_others_not() {
    for (seed, prefix) in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]
        .into_iter()
        .enumerate()
    {
        let token = github(prefix, seed as u64 + 1);
        check(&format!("push with {token} now"), "github-token", &token);
        let broken = format!(
            "{}{}",
            &token[..token.len() - 1],
            if token.ends_with('0') { '1' } else { '0' }
        );
        clean(&format!("push with {broken} now"));
    }
    let npm = github("npm_", 9);
    check(
        &format!("//registry.npmjs.org/:_authToken={npm}"),
        "npm-token",
        &npm,
    );
    let secret = format!("glsa_{}", random(ALNUM, 32, 5));
    let grafana = format!("{secret}_{:08x}", crc32(secret.as_bytes()).swap_bytes());
    check(&format!("grafana: {grafana}."), "grafana-token", &grafana);
    settle();
}

#[test]
fn a_bot_token_is_found_in_the_address_of_its_api() {
    let token = format!("8412906375:AA{}", random(ALNUM, 33, 7));
    let address = format!("https://api.telegram.org/bot{token}/getMe");
    check(&address, "telegram-bot-token", &token);
    settle();
}

#[test]
fn a_method_after_a_variable_is_no_token() {
    clean("MyClass s.atLeast24CharactersField");
    settle();
}

#[test]
fn formats_are_found_in_any_surroundings() {
    let hex = |length, seed| random(HEX, length, seed);
    let alnum = |length, seed| random(ALNUM, length, seed);
    for (kind, value) in [
        ("aws-access-key", format!("AKIA{}", random(BASE32, 16, 3))),
        ("stripe-key", format!("sk_live_{}", alnum(24, 4))),
        (
            "slack-token",
            format!("xoxb-{}-{}-{}", "2413094572", "2413871936", alnum(24, 5)),
        ),
        (
            "openai-key",
            format!("sk-{}T3Blbk{}{}", alnum(20, 6), "FJ", alnum(20, 7)),
        ),
        ("openai-key", format!("sk-proj-{}", alnum(120, 8))),
        ("anthropic-key", format!("sk-ant-api03-{}AA", alnum(93, 9))),
        ("google-api-key", format!("AIza{}", alnum(35, 10))),
        ("gitlab-token", format!("glpat-{}", alnum(20, 11))),
        (
            "sendgrid-key",
            format!("SG.{}.{}", alnum(22, 12), alnum(43, 13)),
        ),
        ("mailchimp-key", format!("{}-us21", hex(32, 14))),
        (
            "telegram-bot-token",
            format!("7412589630:AA{}", alnum(33, 15)),
        ),
        ("digitalocean-token", format!("dop_v1_{}", hex(64, 16))),
        (
            "terraform-token",
            format!("{}.atlasv1.{}", alnum(14, 17), alnum(67, 18)),
        ),
        ("vault-token", format!("hvs.{}", alnum(24, 19))),
        (
            "hugging-face-token",
            format!("hf_{}", random(&ALNUM[..52], 34, 20)),
        ),
        ("databricks-token", format!("dapi{}-2", hex(32, 21))),
        (
            "postman-key",
            format!("PMAK-{}-{}", hex(24, 22), hex(34, 23)),
        ),
        (
            "azure-client-secret",
            format!("{}8Q~{}", alnum(3, 24), alnum(34, 25)),
        ),
        ("twilio-key", format!("SK{}", hex(32, 26))),
        (
            "age-secret-key",
            format!(
                "AGE-SECRET-KEY-1{}",
                random("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, 27)
            ),
        ),
    ] {
        for (before, after) in [
            ("", ""),
            ("key: ", " and more"),
            ("\"", "\","),
            ("https://x.test/?k=", "&a=b"),
            ("é", "é"),
            ("\\n", "\\n"),
            ("(", ")"),
        ] {
            let text = format!("{before}{value}{after}");
            check(&text, kind, &value);
        }
        for text in [format!("x{value}"), format!("{value}x9Xx9Xx9X")] {
            assert!(!found(&text).contains(&(kind, value.as_str())), "{text}");
        }
    }
    settle();
}

#[test]
fn every_format_finds_a_value_of_its_own() {
    for (index, format) in formats().iter().enumerate() {
        let value = format.sample(index as u64 + 100);
        if format.has_checksum() {
            continue;
        }
        let text = format!("see {value} there");
        let kinds: Vec<_> = found(&text).into_iter().map(|(kind, _)| kind).collect();
        assert!(
            kinds.contains(&format.kind.name()),
            "{}: {kinds:?} in {text}",
            format.kind
        );
    }
}

impl super::super::vendors::Format {
    /// A value of the format.
    fn sample(&self, seed: u64) -> String {
        let part = |part: &Part, seed| match part {
            Part::Literal(literal) => (*literal).to_owned(),
            Part::Run {
                alphabet,
                least,
                most,
            } => {
                let plain: String = (b'0'..=b'z')
                    .map(char::from)
                    .filter(|one| one.is_ascii_alphanumeric() && alphabet.has(*one as u8))
                    .collect();
                random(&plain, (*least).max((*most).min(24)), seed)
            }
        };
        let (lead, body) = self.parts();
        let mut value: String = lead.map(|lead| part(lead, seed)).unwrap_or_default();
        value.push_str(self.prefixes[0]);
        for (index, one) in body.iter().enumerate() {
            value.push_str(&part(one, seed * 31 + index as u64));
        }
        value
    }
}

#[test]
fn an_aws_secret_is_found_beside_its_id() {
    let id = format!("AKIA{}", random(BASE32, 16, 31));
    let secret = random(ALNUM, 40, 32);
    assert_eq!(
        found(&format!("{id},{secret}\n")),
        [
            ("aws-access-key", id.as_str()),
            ("aws-secret-key", secret.as_str())
        ]
    );
    clean(&format!("blob {secret}"));
    check(
        &format!("AWS_SECRET_ACCESS_KEY={secret}"),
        "aws-secret-key",
        &secret,
    );
    check(
        &format!("aws configure set aws_secret_access_key {secret}"),
        "aws-secret-key",
        &secret,
    );
    settle();
}

#[test]
fn placeholders_in_a_format_are_no_keys() {
    for text in [
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-ant-api03-your-key-here-your-key-here-your-key-here",
        "sk-proj-...",
        "AKIAXXXXXXXXXXXXXXXX",
        "glpat-XXXXXXXXXXXXXXXXXXXX",
        "xoxb-000000000000-000000000000-xxxxxxxxxxxxxxxxxxxxxxxx",
        "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "SG.xxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ] {
        clean(text);
    }
    settle();
}
