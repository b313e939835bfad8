//! No panics, places on character boundaries, and work in proportion to the text.

use proptest::prelude::*;

use super::*;

/// The work for a text.
fn steps_for(text: &str) -> usize {
    steps::take();
    let mut findings = Vec::new();
    find(text, &mut findings);
    steps::take()
}

const SHAPES: [&str; 127] = [
    "pin 4711 ",
    "password a1b2c3d4 ",
    "a1b2 ",
    "pin=1b2c,",
    "pin\nx1y2\n",
    "key1 key2 ",
    "密码a1b2",
    "パスワード1",
    "пин a1b2 ",
    "key",
    "key=",
    "key:",
    "key: ",
    "password=",
    "password: \"",
    "password is ",
    "password for ",
    "token='",
    "key=\"key='",
    "\"key\":\"",
    "eyJ",
    "eyJ.",
    "eyJhbGciOiJIUzI1NiJ9.",
    "://",
    "a://b:",
    "a://b:c@",
    "x://a:b/c",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIabcdefghijklmnopqrstuvwxyz0123\n",
    "PuTTY-User-Key-File-",
    "PuTTY-User-Key-File-2\n",
    "Private-Lines: 1\n",
    "authorization: ",
    "bearer ",
    "Basic a",
    "cookie: ",
    "cookie: sid=",
    "sid=a; ",
    "$2b$",
    "$argon2",
    ":5432:",
    "a:5432:b:c:",
    "mysql ",
    "mysql -p",
    "curl -u ",
    "openssl pass:",
    "AKIA",
    "SK",
    "ghp_",
    "xoxb-1-",
    "@tcp(",
    "a:b@tcp(",
    "é",
    "mnemonic: ",
    "LS0tLS1CRUdJTi",
    "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2Z0lCQURB\n",
    "IBADANBgkqhkiG9w0BAQEFAAS",
    "private-key ",
    "wg pubkey ",
    "\"d\":\"",
    "\"d\":\"0bf0ff6501c1adda1c6cc87228f7d3a250a84dcc832",
    "PDO(",
    "PDO(\"a\",",
    ".login('a','b1",
    ".auth(",
    "setPassword(\"",
    "cookie(",
    "cookie('sid','",
    "cookie={'a':'b',",
    "'name':'",
    "x-a-key: ",
    "-Key",
    "a:*:",
    "*:*:",
    "mshmsh",
    "live_",
    "5K",
    "VALUES (",
    "(password) VALUES (",
    "(password) VALUES ('a1'),",
    "mysql_connect(",
    ".authenticate(a,",
    "expect \"password\"; send \"",
    "creds ",
    "creds a:b1 ",
    "creds for ",
    "as the password ",
    "login: a/",
    "密码是",
    "password x ",
    "password Ab1!cdEf ",
    "token Ab1cd ",
    " -p",
    " -pAb1!cdEf",
    "<<< ",
    " -b ",
    "sqlplus a/",
    "userid=a/b1@",
    "secret 0 ",
    "Pwd={",
    "wifi ssid ",
    "pw ",
    "pw=",
    "psk kQ9xVb2LmZ7pTr4s ",
    "wpa key 12 ",
    "비번 aB3dE5fG",
    "owner_pw aB3dE5fG",
    "password | user\nAb1!cdEf | mara\n",
    "X-Session-Id=",
    "authorization=",
    "ya29.",
    ".auth(",
    "auth: [",
    "$5$",
    "Auth1=sAuth1=",
    "-storepass -keypass=",
    "config set pw ",
    "Server=a;Pwd=Ab1!cdEf;",
    "WIFI:",
    "WIFI:S:a;",
    "\"k\":\"0bf0ff6501c1adda1c6cc87228f7d3a250a84dcc832\"",
    "-----END PRIVATE KEY-----",
    "MIIabcdefghijklmnopqrstuvwxyz0123\n-----END PRIVATE KEY-----\n",
    "</key><string>",
    "<key>pw</key>\n",
    "gate code PIN 4711 ",
];

#[test]
fn doubling_a_hostile_text_at_most_doubles_the_work() {
    for shape in SHAPES {
        let short = steps_for(&shape.repeat(20_000 / shape.len()));
        let long = steps_for(&shape.repeat(40_000 / shape.len()));
        assert!(
            long <= short * 21 / 10 + 20_000,
            "{shape:?}: {short}, {long}"
        );
        assert!(
            long <= 40_000 * 300,
            "{shape:?}: {} steps a byte",
            long / 40_000
        );
    }
}

fn check_places(text: &str) {
    let mut findings = Vec::new();
    find(text, &mut findings);
    for finding in findings {
        assert!(
            finding.span.start < finding.span.end && text.get(finding.span).is_some(),
            "{text:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_has_places_on_character_boundaries(text in any::<String>()) {
        check_places(&text);
    }

    #[test]
    fn anchors_in_any_order_have_places_on_character_boundaries(
        parts in prop::collection::vec((0..SHAPES.len(), "[ -~é“”\\n]{0,12}"), 0..24)
    ) {
        let parts = parts.iter().flat_map(|(shape, between)| [SHAPES[*shape], between.as_str()]);
        let text: String = parts.collect();
        check_places(&text);
        prop_assert!(steps_for(&text) <= 40_000 + text.len() * 400);
    }

    #[test]
    fn planted_tokens_are_found_in_any_text(before in "[^A-Za-z0-9_\\-:=@]{0,40}", seed in 1_u64..1_000_000) {
        let token = github("ghp_", seed);
        let text = format!("{before} {token} x");
        prop_assert_eq!(found(&text), [("github-token", token.as_str())]);
    }
}
