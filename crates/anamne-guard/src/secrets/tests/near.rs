//! Passwords and keys that their look gives away, and passwords after fixed texts.

use super::*;

/// Generated, and as people choose them.
fn passwords() -> [String; 3] {
    [
        ["Kx9!", "mQ2#vL"].concat(),
        ["hq7GTv", "Xb3ZpLw2"].concat(),
        ["KtJpFE", "zqSB2W", "nLBbov"].join("-"),
    ]
}

#[test]
fn generated_passwords_are_found_near_a_name_whatever_joins_them() {
    for secret in passwords() {
        for (before, after) in [
            ("password <- \"", "\""),
            ("std::string password{\"", "\"};"),
            ("set :password, '", "'"),
            ("(def db-password \"", "\")"),
            ("<property name=\"password\"><value>", "</value></property>"),
            (
                "[{\"ParameterKey\":\"MasterUserPassword\",\"ParameterValue\":\"",
                "\"}]",
            ),
            ("логин mara пароль ", ""),
            ("账号 mara 密码 ", ""),
            ("- user `mara`, password `", "`"),
        ] {
            check(&format!("{before}{secret}{after}"), "password", &secret);
        }
    }
    let [one, other, _] = passwords();
    expect(
        &format!("Password changed from {one} to {other}"),
        &[("password", &one), ("password", &other)],
    );
    check(&format!("it's {one} (the wifi password)"), "password", &one);
    settle();
}

#[test]
fn generated_keys_are_found_near_a_name_whatever_joins_them() {
    let key = random(ALNUM, 40, 5);
    for (before, after) in [
        ("the token you need is `", "`"),
        ("my $token = q(", ");"),
        ("std::string token{\"", "\"};"),
        ("токен: ", ""),
        ("访问令牌：", ""),
        ("アクセストークン: ", ""),
    ] {
        let text = format!("{before}{key}{after}");
        let found = found(&text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].1, key);
    }
    let digits = random(HEX, 40, 5);
    assert_eq!(found(&format!("api_key <- \"{digits}\""))[0].1, digits);
    clean(&format!("the api key was removed in commit {digits}"));
    settle();
}

#[test]
fn passwords_after_flags_and_fixed_texts_are_found() {
    for secret in passwords() {
        for (before, after) in [
            ("evil-winrm -i 10.0.0.9 -u mara -p '", "'"),
            ("unrar x -p", " a.rar"),
            ("cryptsetup open /dev/sdb1 data <<< '", "'"),
            ("openssl enc -aes-256-cbc -k '", "' -in a"),
            ("username mara privilege 15 secret 0 ", ""),
            ("snmp-server community ", " RO"),
            ("rclone obscure ", ""),
            ("restic backup ~ --password-command 'echo ", "'"),
            ("echo -n \"", "\" | gh secret set DB_PASSWORD"),
            ("lftp -u mara,", " sftp://host.test"),
            ("std { password := []byte(\"", "\")"),
        ] {
            check(&format!("{before}{secret}{after}"), "password", &secret);
        }
    }
    settle();
}

#[test]
fn logins_of_databases_are_found() {
    let secret = &passwords()[1];
    for (before, after) in [
        ("sqlplus mara/", "@orcl"),
        ("sqlplus -s mara/", "@//db.test:1521/orcl"),
        ("jdbc:oracle:thin:mara/", "@db.test:1521:orcl"),
        ("userid=mara/", " control=load.ctl"),
        ("Driver={ODBC};Server=db.test;Uid=mara;Pwd={", "};"),
    ] {
        let kind = "connection-password";
        check(&format!("{before}{secret}{after}"), kind, secret);
    }
    for text in [
        "sqlplus / as sysdba",
        "sqlplus /nolog",
        "f\"Server={server};Uid={uid};Pwd={password};\"",
        "connect app/views and core/models",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn cookies_are_found_in_flags_and_pairs() {
    let session = random(ALNUM, 32, 9);
    for (before, after) in [
        ("curl -b \"session=", "\" https://x.test"),
        (
            "{\"name\": \"Cookie\", \"value\": \"sid=",
            "; theme=dark\"}",
        ),
        ("req.Header.Set(\"Cookie\", \"session=", "\")"),
    ] {
        check(&format!("{before}{session}{after}"), "cookie", &session);
    }
    clean("curl -b cookies.txt -c cookies.txt https://x.test");
    settle();
}

#[test]
fn names_numbers_and_digests_near_a_name_are_no_passwords() {
    let digest = random(HEX, 40, 3);
    for text in [
        "the password hash is computed by PBKDF2-SHA256 with 600000 rounds",
        "password reset works since MyClassV2 and Base64ToUtf8Converter",
        "use the password manager of MacOS14 or KeePassXC-2.7.9",
        "static INVALID_PASSWORD: HRESULT = 0x803100A8_u32 as _;",
        "it runs faster than the two-pass memchr2+SWAR code",
        "docker run -p 8080:80 -v data:/var/lib/postgresql postgres:16",
        "ssh -p 2222 mara@host.test",
        "mkdir -p src/MyModule2/Tests",
    ] {
        clean(text);
    }
    clean(&format!("password: see commit {digest}"));
    settle();
}

#[test]
fn small_letters_and_digits_in_turn_are_a_password_on_the_line_of_its_name() {
    let password = ["qi9x", "eso73"].concat();
    for (before, after) in [
        ("the sudo password on the mail server, as of today ", ""),
        (
            "Das Passwort, das Rosa gestern gesetzt hat, war ",
            " oder so",
        ),
    ] {
        check(&format!("{before}{password}{after}"), "password", &password);
    }
    for text in [
        "the password is hashed with pbkdf2 and the curve secp256k1 signs it",
        "the password of release 8f3a9c2e is gone",
        "a password for utf8mb4 and base64url columns",
    ] {
        clean(text);
    }
}
