//! What passwords are made of: letters only, other scripts, pictographs, quotes, phrases.

use super::*;

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

#[test]
fn random_letters_are_found_after_short_names() {
    let value = random(LETTERS, 16, 5);
    for (before, after, kind) in [
        ("DB_PASS = ", "", "password"),
        ("pass: '", "'", "password"),
        ("export API_TOKEN=", "", "token"),
        ("CLIENT_SECRET=", "", "client-secret"),
    ] {
        check(&format!("{before}{value}{after}"), kind, &value);
    }
    check("DB_PASS = 79303805", "password", "79303805");
    for text in [
        "API_TOKEN=GraphQLTokenProvider",
        "export API_TOKEN=MyServiceName",
        "db_pass = ReadPassThrough",
        "the first pass: RenderShadowMaps",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn letters_of_other_scripts_and_pictographs_are_found() {
    for value in ["обжикрлв40", "Otter🦦847x", "Ключ84?мир"] {
        for (before, after) in [
            ("DB_PASSWORD=\"", "\""),
            ("password: ", ""),
            ("{\"password\":\"", "\"}"),
        ] {
            check(&format!("{before}{value}{after}"), "password", value);
        }
    }
    for text in [
        "\"password\": \"Пароль\"",
        "\"password\": \"Passwort🔑\"",
        "password: 🔒",
        "\"password\": \"パスワード2\"",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn apostrophes_do_not_end_passwords() {
    for value in ["6DQCGM'SFliVP", "kQ9x'Vb2'LmZ"] {
        check(&format!("password: {value}"), "password", value);
        check(&format!("the password is {value}."), "password", value);
    }
    check("echo 'password=kQ9xVb2L'", "password", "kQ9xVb2L");
    check(
        "is kQ9xVb2L's password kQ9xVb2L?Z",
        "password",
        "kQ9xVb2L?Z",
    );
    settle();
}

#[test]
fn phrases_are_found_after_names_of_settings() {
    for value in [
        "Rain over Lübeck 1967",
        "kettle lantern saffron marmot",
        "806q 16f1 bt5y 0451",
    ] {
        check(&format!("DB_PASSWORD=\"{value}\""), "password", value);
        check(&format!("DB_PASSWORD = '{value}'"), "password", value);
    }
    for text in [
        "PASSWORD=\"Enter your password\"",
        "ERR_PASSWORD=\"Must contain 8 letters\"",
        "ASK_PASSWORD=\"Please type it again:\"",
        "ADMIN_PASSWORD=\"$(pass show db/admin)\"",
        "password = \"Rain over Lübeck\"",
        "\"password\": \"Mindestens zwölf Zeichen lang\"",
    ] {
        clean(text);
    }
    settle();
}
