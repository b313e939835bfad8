//! Key files, tokens, URLs, headers, cookies and records.

use super::*;

fn base64(seed: u64, length: usize) -> String {
    random(&format!("{ALNUM}+/"), length, seed)
}

fn pem(label: &str, lines: usize) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in 0..lines {
        text.push_str(&base64(line as u64 + 40, 64));
        text.push('\n');
    }
    text
}

#[test]
fn private_keys_are_found_whole() {
    for label in [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let block = format!("{}-----END {label}-----", pem(label, 12));
        check(&format!("key:\n{block}\ndone"), "private-key", &block);
        let escaped = block.replace('\n', "\\n");
        check(
            &format!("{{\"private_key\": \"{escaped}\\n\"}}"),
            "private-key",
            &escaped,
        );
    }
    let cut = pem("RSA PRIVATE KEY", 3);
    check(
        &format!("{cut}\nThe rest was lost, and the note goes on."),
        "private-key",
        cut.trim_end(),
    );
    let public = format!("{}-----END PUBLIC KEY-----", pem("PUBLIC KEY", 4));
    for text in [
        public.as_str(),
        "if line == \"-----BEGIN RSA PRIVATE KEY-----\":",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn putty_keys_are_found() {
    let key = format!(
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 1\n{}\nPrivate-Lines: 2\n{}\n{}\nPrivate-MAC: {}",
        base64(1, 64),
        base64(2, 64),
        base64(3, 64),
        random(HEX, 40, 4)
    );
    check(&format!("{key}\n"), "private-key", &key);
    settle();
}

#[test]
fn web_tokens_need_a_header() {
    let header = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
    let token = format!(
        "{header}.{}.{}",
        "eyJzdWIiOiJtYXJhIiwiaWF0IjoxNzAwMDAwMDAwfQ",
        random(ALNUM, 43, 5)
    );
    check(&format!("token {token}."), "jwt", &token);
    check(&format!("Authorization: Bearer {token}"), "jwt", &token);
    clean(&format!(
        "eyJhbGciOiJI.{}.{}",
        random(ALNUM, 30, 6),
        random(ALNUM, 43, 5)
    ));
    clean("eyJhbGciOiJIUzI1NiJ9.eyJ.x");
    settle();
}

#[test]
fn passwords_in_urls_are_found_alone() {
    let secret = ["tr0ub", "4dor"].concat();
    for before in [
        "postgres://mara:",
        "redis://:",
        "https://mara:",
        "mongodb+srv://app:",
        "amqp://guest2:",
        "jdbc:postgresql://u:",
        "ftp://a:",
    ] {
        check(
            &format!("at {before}{secret}@db.example.org:5432/app"),
            "connection-password",
            &secret,
        );
    }
    let slashed = ["p/ss#", "w0rd"].concat();
    check(
        &format!("mysql://root:{slashed}@db/app"),
        "connection-password",
        &slashed,
    );
    check(
        &format!("root:{secret}@tcp(127.0.0.1:3306)/app"),
        "connection-password",
        &secret,
    );
    for text in [
        "http://localhost:8080/@scope/name",
        "https://user:password@host/",
        "postgres://postgres:postgres@localhost/db",
        "https://example.org/a:b@c",
        "git@github.com:a/b.git",
        "ssh://git@host:22/x",
        "postgres://u:${PASSWORD}@h/d",
        "postgres://<user>:<password>@h/d",
        "https://user:***@host",
        "redis://localhost:6379/0",
        "postgres://u:[secret:connection-password]@h/d",
        "https://www.npmjs.com/package/@types/node",
        "http://a:80/b?c=d@e",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn headers_and_cookies_are_found() {
    let token = random(ALNUM, 40, 8);
    for text in [
        format!("Authorization: Bearer {token}"),
        format!("curl -H 'Authorization: token {token}' https://x.test"),
        format!("headers = {{\"Authorization\": \"Bearer {token}\"}}"),
        format!("proxy-authorization: Basic2 x, AUTHORIZATION: {token}"),
        format!("with Bearer {token} in it"),
    ] {
        check(&text, "authorization-header", &token);
    }
    let basic = "bWFyYTp0cjB1YjRkb3I=";
    check(
        &format!("Authorization: Basic {basic}"),
        "authorization-header",
        basic,
    );
    check(
        &format!("Cookie: theme=dark; sessionid={token}; lang=de"),
        "cookie",
        &token,
    );
    check(
        &format!("Set-Cookie: connect.sid=s%3A{token}; Path=/; HttpOnly"),
        "cookie",
        &format!("s%3A{token}"),
    );
    for text in [
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer YOUR_ACCESS_TOKEN",
        "Authorization: Digest username=\"Mufasa\", realm=\"x\"",
        "`Authorization: Bearer ${token}`",
        "headers['Authorization'] = 'Bearer ' + token",
        "Cookie: theme=dark; lang=de",
        "authorization code flow",
        "bearer of bad news",
        "a basic understanding of things",
        "Authorization: Bearer {{ token }}",
        "Authorization: Bearer [secret:authorization-header]",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn records_of_password_files_are_found() {
    let secret = ["tr0ub", "4dor"].concat();
    check(
        &format!("localhost:5432:app:mara:{secret}\n"),
        "connection-password",
        &secret,
    );
    check(
        &format!("machine api.test login mara password {secret}"),
        "password",
        &secret,
    );
    let bcrypt = format!("$2y$10${}", random(ALNUM, 53, 3));
    check(&format!("mara:{bcrypt}\n"), "password-hash", &bcrypt);
    let shadow = format!("$6${}${}", random(ALNUM, 16, 4), random(ALNUM, 86, 5));
    check(
        &format!("root:{shadow}:19000:0:99999:7:::"),
        "password-hash",
        &shadow,
    );
    let argon = format!(
        "$argon2id$v=19$m=65536,t=3,p=4${}${}",
        random(ALNUM, 22, 6),
        random(ALNUM, 43, 7)
    );
    check(&argon, "password-hash", &argon);
    let django = format!(
        "pbkdf2_sha256$600000${}${}=",
        random(ALNUM, 22, 8),
        random(ALNUM, 43, 9)
    );
    check(&django, "password-hash", &django);
    clean("costs $1$ or $5$ a piece, ::ffff:5432:");
    settle();
}

#[test]
fn basic_credentials_of_no_text_are_found_in_their_header() {
    let value = random(ALNUM, 40, 43);
    check(
        &format!("Authorization: Basic {value}"),
        "authorization-header",
        &value,
    );
    // `user:password`
    clean("Authorization: Basic dXNlcjpwYXNzd29yZA==");
    clean("Authorization: Basic realm=\"files of the team\"");
}

#[test]
fn passwords_of_network_codes_and_property_lists_are_found() {
    for value in [
        "Tulpe33",
        "mit Leerzeichen 1967",
        "a\\;b\\:c9",
        "пмгестер24",
    ] {
        check(
            &format!("WIFI:T:WPA;S:home\\;1;P:{value};H:true;;"),
            "password",
            value,
        );
    }
    clean("WIFI:T:nopass;S:cafe;;");
    clean("WIFI:T:WPA;S:home;P:password123;;");
    let value = random(ALNUM, 14, 31);
    for gap in ["", "\n", "\r\n\t\t"] {
        let text = format!("<key>password</key>{gap}<string>{value}</string>");
        check(&text, "password", &value);
    }
    clean("<key>password</key>\n<string>$(PASSWORD)</string>");
    settle();
}

#[test]
fn symmetric_web_keys_are_found() {
    let key = random(&format!("{ALNUM}-_"), 43, 21);
    let text = format!("{{\"kty\": \"oct\", \"k\": \"{key}\", \"alg\": \"HS256\"}}");
    check(&text, "private-key", &key);
    clean(&format!("{{\"k\": \"{key}\", \"v\": 1}}"));
    settle();
}

#[test]
fn the_end_of_a_key_file_is_found_without_its_beginning() {
    let body: Vec<_> = (0..6)
        .map(|line| {
            random(
                &format!("{ALNUM}+/"),
                if line < 5 { 64 } else { 21 },
                line + 7,
            )
        })
        .collect();
    let end = "-----END RSA PRIVATE KEY-----";
    for join in ["\n", "\r\n", "\n    ", "\\n"] {
        let block = format!("{}{join}{end}", body.join(join));
        check(
            &format!("the rest is:\n{block}\nthanks"),
            "private-key",
            &block,
        );
    }
    clean(&format!("{}\n-----END CERTIFICATE-----", body.join("\n")));
    clean(&format!("the line {end} ends a file"));
    settle();
}
