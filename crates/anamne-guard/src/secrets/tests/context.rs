//! Passwords and codes that only their look and the words around them tell.

use super::*;

#[test]
fn surroundings_tell_passwords_and_codes() {
    let chosen = random("abcdefghijkmnpqrstuvwxyz23456789", 9, 4);
    let digits = random("0123456789", 6, 8);
    for (before, value, after, kind) in [
        (
            "the code of the garage door is ",
            &digits,
            "",
            "access-code",
        ),
        (
            "alarm PIN: ",
            &digits,
            " (then press the star)",
            "access-code",
        ),
        ("Türcode vom Ferienhaus: ", &digits, "", "access-code"),
        ("le code du portail est ", &digits, "", "access-code"),
        (
            "код от домофона ",
            &digits,
            ", второй подъезд",
            "access-code",
        ),
        ("公寓大门的密码是", &digits, "，别告诉别人", "password"),
        (
            "entra nel gestionale con mrossi e la password ",
            &chosen,
            ", poi scegli l'anno",
            "password",
        ),
        ("WLAN im Ferienhaus: ", &chosen, "", "password"),
    ] {
        check(&format!("{before}{value}{after}"), kind, value);
    }
    settle();
}

#[test]
fn numbers_of_other_things_are_no_codes() {
    for text in [
        "order 4829 was delivered to the gate on Friday",
        "our flight is LH4829, booking QX7K2M, gate B42",
        "the login page answers with error 4010 since build 20417",
        "password reset was added in v2.14.3 (#1893)",
        "key repeat rate is 30 per second, delay 250 ms",
        "the safe weighs 4200 kg and stands in room 3117",
        "Der Termin am Tor ist um 1530, Zimmer 2204",
        "see https://example.org/login?id=48213 for the account",
        "thanks to @mara4711 for the key on localhost:6379",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn placeholders_and_stock_passwords_are_none() {
    for text in [
        "the wifi password is password123",
        "gate code is ****, ask me",
        "login with [secret:password] please",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn names_tell_codes_of_locks_and_cards() {
    for (before, after) in [
        ("PIN: ", ""),
        ("The PIN is ", "."),
        ("Visa PIN: ", ""),
        ("Pin von Oma: ", ""),
        ("Tresor-PIN ", ""),
        ("PIN code: ", ""),
        ("gate code: ", ""),
        ("gate_code=", ""),
        ("The gate code is ", "."),
        ("Gate code is ", " at the north door"),
        ("code for the garage is ", ""),
        ("phone unlock code ", ""),
        ("Код от домофона ", ""),
        ("Der Türcode ist ", ""),
        ("Kod do domofonu ", " z kluczykiem"),
    ] {
        for digits in ["4713", "482390"] {
            check(&format!("{before}{digits}{after}"), "access-code", digits);
        }
    }
    check("iPad passcode is 4825", "access-code", "4825");
    check("暗証番号は4825です", "access-code", "4825");
    check("elevator code: 4825#", "access-code", "4825#");
    settle();
}

#[test]
fn other_codes_and_pins_are_none() {
    for text in [
        "GPIO pin 12",
        "pin: 17 on the connector",
        "we pin 4096 pages",
        "exit code 1374",
        "error code: 4713",
        "error code of the gate: 4013",
        "postal code: 10115",
        "zip code 10115",
        "area code 0341",
        "country code 0049",
        "HTTP status code 4823",
        "promo code 4823",
        "Dress code is black tie, doors at 2000.",
        "a read in fallback code used by `optimization_barrier` ([#1551])",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn digests_that_are_keys_of_entries_are_clean() {
    let digest = random(HEX, 32, 12);
    for before in [
        "cache_key = \"",
        "key: session:",
        "sort_key=",
        "routing_key: ",
        "dedup_key=",
        "primary_key: ",
        "the cache key ",
    ] {
        clean(&format!("{before}{digest}"));
    }
    for before in ["api_key = \"", "the api key is ", "session_key="] {
        assert!(!found(&format!("{before}{digest}")).is_empty(), "{before}");
    }
    settle();
}

#[test]
fn sentences_in_more_languages_are_read() {
    let value = random(ALNUM, 14, 9);
    for (before, after) in [
        ("كلمة المرور للخادم هي ", " فلا تشاركها."),
        ("सर्वर का पासवर्ड ", " है।"),
        ("নতুন পাসওয়ার্ড ", "।"),
        ("Mật khẩu của máy chủ là ", "."),
        ("رمز عبور سرور ", " است."),
        ("Паролата за сървъра е ", "."),
        ("Лозинка за сервер је ", "."),
    ] {
        check(&format!("{before}{value}{after}"), "password", &value);
    }
    for text in [
        "Mật khẩu phải có ít nhất 12 ký tự.",
        "Xuất khẩu năm 2024 đạt 4500 tấn cà phê.",
        "पासवर्ड में कम से कम 8 अक्षर होने चाहिए।",
        "رمز عبور باید حداقل 12 کاراکتر باشد.",
        "حركة المرور على الطريق A1234 خفيفة",
        "Паролата трябва да е поне 12 символа.",
        "шифра 4829 за артикал",
    ] {
        clean(text);
    }
    settle();
}
