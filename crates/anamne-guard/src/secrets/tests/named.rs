//! Assignments, commands and sentences.

use super::*;

#[test]
fn passwords_in_assignments_are_found() {
    let secret = ["tr0ub", "4dor&3"].concat();
    for (before, after) in [
        ("DB_PASSWORD=", ""),
        ("export DB_PASSWORD='", "'"),
        ("password = \"", "\""),
        ("password: ", "\n"),
        ("  password: \"", "\""),
        ("{\"password\": \"", "\"}"),
        ("{\\\"password\\\": \\\"", "\\\"}"),
        ("<password>", "</password>"),
        ("<Password>", "</Password>"),
        ("<add key=\"Password\" value=\"", "\" />"),
        ("- name: DB_PASSWORD\n  value: ", "\n"),
        ("spring.datasource.password=", "\n"),
        ("const PASSWORD: &str = \"", "\";"),
        ("let dbPassword: string = '", "';"),
        ("password: str = \"", "\""),
        ("$password = '", "';"),
        ("config['password'] = \"", "\""),
        ("os.environ[\"DB_PASSWORD\"] = \"", "\""),
        ("if password == \"", "\":"),
        (":password => '", "'"),
        ("setPassword(\"", "\")"),
        ("connect(user=\"mara\", password=\"", "\")"),
        ("Passwort: ", "\n"),
        ("mot de passe : ", "\n"),
        ("contraseña: ", "\n"),
        ("**Password:** ", "\n"),
        ("PGPASSWORD=", " psql -h db"),
        ("mysqldump --password=", " app"),
        ("tool --password ", " --verbose"),
        ("ENV DB_PASSWORD ", "\n"),
        ("CREATE USER mara WITH PASSWORD '", "';"),
        ("requirepass ", "\n"),
        ("ALTER USER mara IDENTIFIED BY PASSWORD '", "'"),
        ("| password | ", " |"),
        ("sshPass: ", "\n"),
        ("%env:DB_PASSWORD=", ""),
        ("wifi_password: ", " # home"),
        ("password := \"", "\""),
        ("\"db.password\" : \"", "\","),
        ("passphrase=\"", "\""),
        ("user: mara, password: ", ", host: db"),
        ("Password：", ""),
    ] {
        let text = format!("{before}{secret}{after}");
        check(&text, "password", &secret);
    }
    check(
        &format!("Server=db;User Id=sa;Password={secret};Encrypt=true"),
        "connection-password",
        &secret,
    );
    check(
        &format!(
            "https://x.test/login?user=mara&password={}&x=1",
            "tr0ub4dor"
        ),
        "password",
        "tr0ub4dor",
    );
    check("password: swordfish\n", "password", "swordfish");
    check("DB_PASSWORD=swordfish", "password", "swordfish");
    check("{\"password\": \"swordfish\"}", "password", "swordfish");
    settle();
}

#[test]
fn passwords_in_sentences_are_found() {
    let secret = ["tr0ub", "4dor"].concat();
    for (before, after) in [
        ("the password is ", ""),
        ("The password is ", "."),
        ("password for the staging server is ", ", ok?"),
        ("the root password was ", " then"),
        ("das Passwort lautet ", "."),
        ("das Passwort für den Server ist ", "."),
        ("le mot de passe est ", "."),
        ("la contraseña es ", "."),
        ("set the password to ", " please"),
        ("wifi password: ", ", guest network"),
        ("Password is `", "`"),
        ("my password is now ", ""),
    ] {
        check(&format!("{before}{secret}{after}"), "password", &secret);
    }
    check("the password is \"swordfish\"", "password", "swordfish");
    for text in [
        "the password is wrong",
        "the password is required",
        "password: required",
        "The password is 90-day rotated",
        "the password is hashed with bcrypt",
        "password must be at least 8 characters",
        "password is at least 12 characters long",
        "forgot password? click here",
        "the token is 32-byte",
        "Password: incorrect",
        "the password was changed on 2024-05-01",
        "the password is in the vault",
        "passwords are salted",
        "Enter your password:",
        "password is stored as sha256",
        "das Passwort ist falsch",
        "the password to the vault was rotated",
        "pass: 12 fail: 3",
        "pass: 1024",
        "the key is 42",
        "the secret is patience",
        "the password is not set",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn keys_and_tokens_in_assignments_are_found() {
    let value = random(ALNUM, 32, 71);
    let hex = random(HEX, 32, 72);
    for (name, kind) in [
        ("API_KEY", "api-key"),
        ("apiKey", "api-key"),
        ("x-api-key", "api-key"),
        ("access_token", "token"),
        ("client_secret", "client-secret"),
        ("SECRET_KEY_BASE", "api-key"),
        ("JWT_SECRET", "secret"),
        ("auth_token", "token"),
        ("DD_API_KEY", "datadog-key"),
        ("CLOUDFLARE_API_TOKEN", "cloudflare-token"),
        ("MISTRAL_API_KEY", "mistral-key"),
        ("encryptionKey", "api-key"),
        ("webhook_secret", "secret"),
    ] {
        for value in [&value, &hex] {
            for text in [
                format!("{name}={value}"),
                format!("\"{name}\": \"{value}\","),
                format!("{name}: {value}\n"),
                format!("{name} = '{value}'"),
                format!("?a=b&{name}={value}&c=d"),
            ] {
                check(&text, kind, value);
            }
        }
    }
    check(
        &format!("my API key is {value}, keep it"),
        "api-key",
        &value,
    );
    check(&format!("tool --token {value} run"), "token", &value);
    check(&format!("key = \"{value}\""), "api-key", &value);
    check(
        &format!("PrivateKey = {}=", random(ALNUM, 43, 74)),
        "wireguard-key",
        &format!("{}=", random(ALNUM, 43, 74)),
    );
    let uuid = ["9b2f7c1e", "4a6d", "4f0b", "8e3c", "5d1a7b9c0e2f"].join("-");
    check(&format!("HEROKU_API_KEY={uuid}"), "heroku-key", &uuid);
    let phrase = [
        "river", "orbit", "candy", "lunar", "spike", "mango", "tiger", "velvet", "ocean", "pluck",
        "ridge", "zebra",
    ]
    .join(" ");
    check(&format!("mnemonic: \"{phrase}\""), "seed-phrase", &phrase);
    settle();
}

#[test]
fn passwords_in_commands_are_found() {
    let secret = ["tr0ub", "4dor"].concat();
    for (before, after) in [
        ("mysql -u root -p", " app"),
        ("mysqldump -uroot -p'", "' app"),
        ("sshpass -p ", " ssh host"),
        ("sshpass -p'", "' ssh host"),
        ("curl -u mara:", " https://x.test"),
        ("curl --user 'mara:", "' https://x.test"),
        ("curl -umara:", " https://x.test"),
        ("docker login -u mara -p ", " registry"),
        ("redis-cli -h db -a ", " ping"),
        ("smbclient //srv/share -U mara%", ""),
        ("openssl rsa -in a.pem -passin pass:", " -out b"),
        ("htpasswd -bc .htpasswd mara ", ""),
        ("unzip -P ", " a.zip"),
        ("mongosh -u mara -p ", " --host db"),
        ("7z x -p", " a.7z"),
        ("net user mara ", " /add"),
        ("rabbitmqctl add_user mara ", ""),
    ] {
        check(&format!("{before}{secret}{after}"), "password", &secret);
    }
    for text in [
        "mysql -u root -p app",
        "curl -u mara https://x.test",
        "curl -u $USER:$PASSWORD https://x.test",
        "docker run -p 8080:80 nginx",
        "mkdir -p a/b",
        "ssh -p 2222 host",
        "sshpass -p \"$PASS\" ssh host",
        "curl -u user:password https://x.test",
        "cp -p a b; mysql app",
        "the http -a flag",
    ] {
        clean(text);
    }
    settle();
}
