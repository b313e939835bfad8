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
