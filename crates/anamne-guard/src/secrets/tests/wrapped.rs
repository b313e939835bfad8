//! Keys without their frame, credentials in calls, cookies in code and headers with other names.

use super::*;

fn base64_of(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut code = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| {
            bits << 8 | u32::from(three.get(at).copied().unwrap_or(0))
        });
        for digit in 0..4 {
            code.push(if digit <= three.len() {
                char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63])
            } else {
                '='
            });
        }
    }
    code
}

fn base64(seed: u64, length: usize) -> String {
    random(&format!("{ALNUM}+/"), length, seed)
}

fn pem(label: &str) -> String {
    let lines: Vec<_> = (0..8).map(|line| base64(line + 80, 64)).collect();
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        lines.join("\n")
    )
}

#[test]
fn key_files_in_base64_are_found_whole() {
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY"] {
        let code = base64_of(&pem(label));
        for (before, after) in [
            ("tls.key: ", "\n"),
            ("KEY_B64=", ""),
            ("{\"key\": \"", "\"}"),
            ("echo ", " | base64 -d"),
        ] {
            check(&format!("{before}{code}{after}"), "private-key", &code);
        }
        let lines: Vec<_> = code
            .as_bytes()
            .chunks(76)
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect();
        for (join, before, after) in [
            ("\n", "", "\n"),
            ("\n    ", "key: |\n    ", "\nnext: value\n"),
            ("\\n", "\"", "\""),
        ] {
            let wrapped = lines.join(join);
            check(
                &format!("{before}{wrapped}{after}"),
                "private-key",
                &wrapped,
            );
        }
    }
    let bundle = base64_of(&format!("{}{}", pem("CERTIFICATE"), pem("PRIVATE KEY")));
    check(&format!("pem: {bundle}"), "private-key", &bundle);
    clean(&format!("tls.crt: {}", base64_of(&pem("CERTIFICATE"))));
    clean(&format!("key.pub: {}", base64_of(&pem("PUBLIC KEY"))));
    clean("starts with LS0tLS1CRUdJTi");
    let der = format!("MIIEvQ{}SC{}", "IBADANBgkqhkiG9w0BAQEFAA", base64(7, 800));
    check(&format!("key {der}"), "private-key", &der);
    settle();
}

#[test]
fn pem_is_found_in_other_writings() {
    let block = pem("PRIVATE KEY");
    let block = block.trim_end();
    for written in [
        block.replace('\n', "\n      "),
        block.replace('\n', "\\n"),
        block.replace('\n', "\\\\n"),
        block.replace('\n', "\\r\\n"),
        block.replace('\n', "\r\n"),
        block.replace('\n', "\\n\" +\n  \""),
        block.replace('\n', "&#10;"),
        block.replace('\n', " "),
        block.replace('\n', ""),
        block.replace(' ', "%20").replace('\n', "%0A"),
        block.replace(' ', "+").replace('\n', "%0A"),
    ] {
        check(&format!("key = \"{written}\""), "private-key", &written);
    }
    settle();
}

#[test]
fn wireguard_and_web_keys_are_found() {
    let key = format!("{}=", base64(9, 43));
    for text in [
        format!("wg set wg0 private-key <(echo {key})"),
        format!("wg set wg0 peer x preshared-key <(printf '%s' \"{key}\") endpoint h:1"),
        format!("[Interface]\nPrivateKey = {key}\n"),
        format!("[Peer]\nPresharedKey={key}\n"),
        format!("echo {key} | wg pubkey"),
        format!("wg pubkey <<< \"{key}\""),
        format!("      privateKey: \"{key}\""),
    ] {
        check(&text, "wireguard-key", &key);
    }
    clean(&format!(
        "[Peer]\nPublicKey = {key}\nAllowedIPs = 0.0.0.0/0"
    ));
    clean(&format!("wg set wg0 peer {key} allowed-ips 0.0.0.0/0"));
    let part = random(ALNUM, 43, 4);
    check(
        &format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\": \"{part}\"}}"),
        "private-key",
        &part,
    );
    clean(&format!("{{\"d\":\"{part}\"}}"));
    settle();
}

#[test]
fn credentials_in_calls_are_found() {
    let token = random(ALNUM, 40, 11);
    for text in [
        format!("new AuthenticationHeaderValue(\"Bearer\", \"{token}\")"),
        format!("new AuthenticationHeaderValue(\"Token\", \"{token}\");"),
        format!("headers.setBearerAuth(\"{token}\");"),
        format!("client.get(url).bearer_auth(\"{token}\").send()"),
        format!("Http::withToken('{token}')->get($url)"),
        format!("request.auth.bearerAuth('{token}')"),
        format!("new AzureKeyCredential(\"{token}\")"),
        format!("client.setAccessToken('{token}');"),
    ] {
        let found = found(&text);
        assert!(found.len() == 1 && found[0].1 == token, "{text}: {found:?}");
    }
    let id = random(HEX, 32, 14);
    for text in [
        format!("client = Client(\"AC{id}\", \"{token}\")"),
        format!("auth = OAuthHandler('{id}', '{token}')"),
    ] {
        check(&text, "secret", &token);
    }
    let word = ["Kx9mQ2", "vLp7t"].concat();
    for text in [
        format!("new NetworkCredential(\"mara\", \"{word}\", \"DOMAIN\")"),
        format!("headers.setBasicAuth(\"mara\", \"{word}\");"),
        format!("client.get(url).basic_auth(\"mara\", Some(\"{word}\"))"),
        format!("req.SetBasicAuth(\"mara\", \"{word}\")"),
        format!("requests.get(url, auth=('mara', '{word}'))"),
        format!("requests.get(url, auth=HTTPBasicAuth('mara', '{word}'))"),
        format!("request(app).get('/').auth('mara', '{word}')"),
        format!("server.login(\"mara@x.test\", \"{word}\")"),
        format!("new PasswordAuthentication(\"mara\", \"{word}\".toCharArray())"),
        format!("GraphDatabase.driver(uri, auth=(\"neo4j\", \"{word}\"))"),
        format!("smtp.PlainAuth(\"\", \"mara\", \"{word}\", host)").replace("\"\", ", ""),
        format!("new PDO('mysql:host=h;dbname=d', 'mara', '{word}')"),
        format!("new PDO($dsn, 'mara', '{word}')"),
        format!("DriverManager.getConnection(\"jdbc:mysql://h/d\", \"mara\", \"{word}\")"),
        format!("mysqli_connect(\"h\", \"mara\", \"{word}\", \"d\")"),
        format!("curl_setopt($ch, CURLOPT_USERPWD, 'mara:{word}');"),
        format!("'Basic ' + btoa('mara:{word}')"),
        format!("base64.b64encode(b\"mara:{word}\")"),
        format!("Convert.ToBase64String(Encoding.ASCII.GetBytes(\"mara:{word}\"))"),
        format!("request.basic_auth \"mara\", \"{word}\""),
        format!("given().auth().basic(\"mara\", \"{word}\")"),
        format!("dataSource.setPassword(\"{word}\");"),
    ] {
        let found = found(&text);
        assert!(found.len() == 1 && found[0].1 == word, "{text}: {found:?}");
    }
    for text in [
        "new AuthenticationHeaderValue(\"Bearer\", accessToken)",
        "headers.setBearerAuth(token);",
        "request.setBearerAuth(\"<token>\")",
        "client.bearer_auth(\"${TOKEN}\")",
        "requests.get(url, auth=('user', 'pass'))",
        "requests.get(url, auth=(user, password))",
        "new NetworkCredential(\"user\", \"password\")",
        "new NetworkCredential(Settings[\"user1\"], Settings[\"pass1\"])",
        "page.login('alice', 'wrong-password1')",
        "new PDO($dsn, $user, $password, ['charset' => 'utf8mb4'])",
        "new PDO('sqlite::memory:')",
        "getConnection(\"a\", \"b1\", \"c\")",
        "user.setPassword(\"Password must have 8 characters\")",
        "firebase.auth().signIn()",
        "btoa('http://x1.test/a')",
        "Buffer.from('{\"a1\":\"b2c3d4\"}')",
        "GetBytes(\"12:34:56x\")",
        "new Client(\"https://x1.test\", \"eu-west-1\")",
        ".auth(\"read:user\", \"repo:status\")",
        "$this->login('admin', 'dashboard')",
        "app.use(basicAuth({ users: { admin: config.pw } }))",
        "expect(setPassword('')).toThrow()",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn other_headers_and_cookies_in_code_are_found() {
    let token = random(ALNUM, 40, 12);
    let hex = random(HEX, 64, 13);
    for header in [
        "Grpc-Metadata-macaroon",
        "X-Auth-Token",
        "X-Auth-Key",
        "PRIVATE-TOKEN",
        "JOB-TOKEN",
        "Api-Key",
        "api-key",
        "X-Api-Key",
        "Ocp-Apim-Subscription-Key",
        "X-Functions-Key",
        "X-Shopify-Access-Token",
        "X-Parse-REST-API-Key",
        "X-Plex-Token",
        "X-Emby-Token",
        "X-JFrog-Art-Api",
        "X-Redmine-API-Key",
        "X-Gotify-Key",
        "X-Figma-Token",
        "Fastly-Key",
        "Circle-Token",
        "X-NuGet-ApiKey",
        "X-Octopus-ApiKey",
        "DD-API-KEY",
        "DD-APPLICATION-KEY",
        "X-Honeycomb-Team",
        "X-Consul-Token",
        "X-Vault-Token",
        "X-Access-Token",
        "x-goog-api-key",
        "X-Session-Id",
        "X-Amz-Security-Token",
        "X-TrackerToken",
        "X-Insert-Key",
        "X-Query-Key",
        "X-Admin-Key",
        "X-N8N-API-KEY",
        "X-Master-Key",
        "X-RapidAPI-Key",
        "X-Secret-Token",
        "X-License-Key",
        "Authorization",
        "Proxy-Authorization",
        "X-Authorization",
    ] {
        for value in [&token, &hex] {
            for text in [
                format!("{header}: {value}"),
                format!("curl -H '{header}: {value}' https://x.test"),
                format!("headers = {{\"{header}\": \"{value}\"}}"),
                format!("request.Headers.Add(\"{header}\", \"{value}\");"),
            ] {
                let found = found(&text);
                assert!(
                    found.iter().any(|(_, one)| one == value),
                    "{text}: {found:?}"
                );
            }
        }
    }
    for text in [
        format!("document.cookie = \"session={token}; path=/\";"),
        format!("document.cookie = `sid={token}`"),
        format!("requests.get(url, cookies={{'session': '{token}'}})"),
        format!("requests.get(url, cookies=dict(sessionid='{token}'))"),
        format!("res.cookie('token', '{token}', {{ httpOnly: true }})"),
        format!("setCookie(\"auth_token\", \"{token}\", 7);"),
        format!("Cookies.set('refresh_token', '{token}')"),
        format!("new Cookie(\"JSESSIONID\", \"{token}\")"),
        format!("driver.add_cookie({{'name': 'session', 'value': '{token}'}})"),
        format!(
            "driver.add_cookie({{\"name\": \"sid\", \"domain\": \".x.test\", \"value\": \"{token}\"}})"
        ),
        format!("http.SetCookie(w, &http.Cookie{{Name: \"session_id\", Value: \"{token}\"}})"),
        format!("session.cookies['sessionid'] = '{token}'"),
        format!("session.cookies.set(\"sessionid\", \"{token}\")"),
        format!("Cookie: lang=de; laravel_session={token}; x=1"),
        format!("Set-Cookie: .AspNetCore.Identity.Application={token}; path=/"),
        format!("Set-Cookie: ASP.NET_SessionId={token}; path=/"),
        format!("got connect.sid=s%3A{token} for user"),
        format!("{{\"laravel_session\": \"{token}\"}}"),
        format!("curl -b 'PHPSESSID={hex}' https://x.test"),
        format!("curl --cookie \"connect.sid=s%3A{token}\" https://x.test"),
        format!("Cookie: wordpress_logged_in_{}={token}", &hex[..32]),
        format!("Cookie: __Host-next-auth.session-token={token}"),
    ] {
        let found = found(&text);
        assert!(
            found.len() == 1 && (found[0].1.contains(&token) || found[0].1.contains(&hex)),
            "{text}: {found:?}"
        );
    }
    for text in [
        "document.cookie = 'theme=dark; path=/'".to_owned(),
        "res.cookie('token', token, { httpOnly: true })".to_owned(),
        "setCookie('session', generateId('user1234x'), 7)".to_owned(),
        "Cookies.get('session')".to_owned(),
        "cookies: ['session', 'theme2dark4']".replace("session', ", "a', "),
        "res.clearCookie('sid'); log('request1done')".to_owned(),
        format!("Cookies.set('XSRF-TOKEN', '{token}')"),
        format!("ETag: {hex}"),
        "macaroon: a French biscuit".to_owned(),
        "X-Session-Id: <session-id>".to_owned(),
    ] {
        clean(&text);
    }
    settle();
}

#[test]
fn records_of_pgpass_are_found_with_comments_and_quotes() {
    let word = ["Kx9mQ2", "vLp7t"].concat();
    for text in [
        format!("db.x.test:5432:app:mara:{word}  # ~/.pgpass"),
        format!("echo \"db.x.test:5432:app:mara:{word}\" >> ~/.pgpass"),
        format!("db-1:6543:*:mara:{word}\n"),
        format!("*:*:*:mara:{word}\n"),
        format!("# comment\nlocalhost:5433:app:mara:{word}"),
    ] {
        check(&text, "connection-password", &word);
    }
    for text in [
        "cpe:2.3:a:vendor:product:1.0:*:*:*:*:*:*:*",
        "arn:aws:iam:*:123456789012:role/x",
        "hostname:port:database:username:password",
        "localhost:5432:app:mara:*",
        "at db.rs:5432:12: error: x1y2z3",
        "forwarding 127.0.0.1:5432:10.0.0.1:5432",
        "ssh -L 5432:localhost:5432:x host",
        "docker run -p 127.0.0.1:5432:5432 postgres:16",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn public_identifiers_are_clean() {
    let hex = random(HEX, 32, 21);
    for text in [
        format!("TWILIO_ACCOUNT_SID=AC{hex}"),
        format!("accountSid: 'AC{hex}'"),
        format!("pk_live_{}", random(ALNUM, 24, 22)),
        format!("pubkey-{hex}"),
        format!("https://{hex}@o1.ingest.sentry.io/2"),
        format!("sb_publishable_{}", random(ALNUM, 30, 23)),
        format!("phc_{}", random(ALNUM, 43, 24)),
        format!("pk.eyJ{}.{}", random(ALNUM, 60, 25), random(ALNUM, 22, 26)),
    ] {
        clean(&text);
    }
    settle();
}
