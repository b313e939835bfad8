//! Values marked by their place: arguments of calls, rows, scripts, accounts; and sentences in many languages.

use super::*;

#[test]
fn passwords_among_arguments_are_found() {
    let word = ["tr0ub", "4dor"].concat();
    let strong = ["Kx9!", "mQ2#vL"].concat();
    let groups = ["KtJpFE", "zqSBiW", "nLBbov"].join("-");
    for secret in [&word, &strong, &groups] {
        for (before, after) in [
            ("new NetworkCredential(\"mara\", \"", "\")"),
            ("new PDO('mysql:host=db;dbname=x', 'mara', '", "')"),
            ("$db = mysqli_connect(\"db\", $user, \"", "\", \"x\");"),
            ("requests.get(url, auth=('mara', '", "'))"),
            ("auth=HTTPBasicAuth(\"mara\", \"", "\"))"),
            ("req.SetBasicAuth(\"mara\", \"", "\")"),
            ("server.login('mara@x.test', '", "')"),
            ("smtp.PlainAuth(\"\", \"mara\", \"", "\", \"host\")"),
            ("DriverManager.getConnection(url, \"mara\", \"", "\");"),
            (".basic_auth(\"mara\", Some(\"", "\"))"),
            ("new Sequelize('db', 'mara', '", "', {"),
            ("AuthTokens.basic(\"neo4j\", \"", "\")"),
            ("wget --user=mara --password='", "' https://x.test"),
            (
                "kubectl create secret generic x --from-literal=password='",
                "'",
            ),
            ("keytool -importkeystore -srcstorepass ", " -destkeystore x"),
            ("helm upgrade x y --set auth.password=", " --set replicas=2"),
            (
                "variable \"db_password\" { type = string  default = \"",
                "\" }",
            ),
            ("net use Z: \\\\srv\\share /user:mara ", ""),
            ("net use Z: \\\\srv\\share ", " /user:mara"),
            (
                "CREATE LOGIN x WITH PASSWORD = N'",
                "', CHECK_POLICY = OFF;",
            ),
            ("ALTER USER x IDENTIFIED BY '", "';"),
            (
                "CREATE USER 'x'@'%' IDENTIFIED WITH mysql_native_password BY '",
                "';",
            ),
            (
                "INSERT INTO users (login, password) VALUES ('mara', '",
                "');",
            ),
            ("INSERT INTO users(id, pwd, name) VALUES (1, '", "', 'x');"),
            ("UPDATE users SET password = '", "' WHERE id = 1;"),
            ("SET PASSWORD FOR 'mara'@'%' = '", "';"),
            ("expect \"password:\"; send \"", "\\r\"; interact"),
            ("expect \"*assword*\"\nsend -- \"", "\\r\""),
            ("child.expect('password:')\nchild.sendline('", "')"),
            ("config = ENV.fetch(\"DB_PASSWORD\", \"", "\")"),
            ("os.getenv('DB_PASSWORD', '", "')"),
        ] {
            let text = format!("{before}{secret}{after}");
            let is_connection = ["PDO(", "mysqli_", "getConnection("]
                .iter()
                .any(|call| before.contains(call));
            let kind = if is_connection {
                "connection-password"
            } else {
                "password"
            };
            check(&text, kind, secret);
        }
    }
    for secret in [&word, &groups, &["iLJcup", "UPbc8"].concat()] {
        for (before, after) in [
            (
                "connectionString=\"Data Source=db;User ID=sa;Password=",
                "\" providerName=\"x\"",
            ),
            (
                "CREATE SUBSCRIPTION s CONNECTION 'host=db user=sa password=",
                "' PUBLICATION p;",
            ),
            ("Driver={x};Server=db;Uid=sa;Pwd=", ";"),
            ("dsn = \"host=db dbname=x password=", " user=x\""),
        ] {
            check(
                &format!("{before}{secret}{after}"),
                "connection-password",
                secret,
            );
        }
    }
    settle();
}

#[test]
fn words_among_arguments_are_no_passwords() {
    for text in [
        "new NetworkCredential(user, password)",
        "new NetworkCredential(\"user\", \"password\")",
        "new PDO($dsn, $user, $password)",
        "new PDO('mysql:host=db', 'user', '')",
        "requests.get(url, auth=(user, token))",
        "requests.get(url, auth=('user', os.environ['X']))",
        "page.login(\"mara\", \"submit\")",
        "smtp.PlainAuth(\"\", user, pass, host)",
        "INSERT INTO users (login, password) VALUES (?, ?);",
        "INSERT INTO users (login, password) VALUES ($1, $2);",
        "INSERT INTO users (login, password) VALUES ('mara', :password);",
        "INSERT INTO users (id, name) VALUES (1, 'tr0ub4dor');",
        "INSERT INTO users (login, password_hash) VALUES ('mara', 'tr0ub4dor');",
        "expect(values).toBe(\"password\")",
        "expect(result).toContain('password'); res.send('ok 200');",
        "expect \"password:\"; send \"$password\\r\"",
        "net use Z: \\\\srv\\share /user:mara *",
        "net use Z: \\\\srv\\share /persistent:yes",
        "CREATE LOGIN x WITH PASSWORD = @password",
        "ENV.fetch('DB_PASSWORD', 'password')",
        "keytool -genkey -storepass changeit -keypass \"$PASS\"",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn sentences_in_many_languages_are_read() {
    let word = ["tr0ub", "4dor"].concat();
    for secret in [&word, &["ERCC8uz3", "R6b5sB7H8"].concat()] {
        for (before, after) in [
            ("пароль от сервера db.x.test — ", ""),
            ("Пароль: ", ""),
            ("пароль для базы: ", "."),
            ("пароль это ", ""),
            ("lösenordet är ", ""),
            ("Lösenord: ", ""),
            ("lösenordet till servern är ", "."),
            ("passordet er ", ""),
            ("passord: ", ""),
            ("adgangskoden er ", ""),
            ("adgangskode til serveren: ", ""),
            ("het wachtwoord is ", "."),
            ("wachtwoord voor de server: ", ""),
            ("hasło to ", ""),
            ("hasło do serwera: ", ""),
            ("heslo je ", ""),
            ("heslo k databázi: ", ""),
            ("şifre: ", ""),
            ("salasana on ", ""),
            ("salasana: ", ""),
            ("A jelszó: ", ""),
            ("la password è ", ""),
            ("a senha é ", "."),
            ("la contraseña del servidor es ", "."),
            ("le mot de passe de la base est ", "."),
            ("mot de passe : ", ""),
            ("das Kennwort für den Server lautet ", "."),
            ("パスワードは", "です"),
            ("パスワードは ", " です"),
            ("パスワード: ", ""),
            ("パスワード：", ""),
            ("密码是", "，请保存"),
            ("数据库密码为 ", ""),
            ("密码：", ""),
            ("密碼: ", ""),
            ("비밀번호는 ", " 입니다"),
            ("비밀번호: ", ""),
            ("סיסמה: ", ""),
            ("รหัสผ่าน: ", ""),
            ("password — ", ""),
            ("the password - ", ""),
            ("root password's ", " btw"),
            ("password for db => ", ""),
            ("creds are mara:", " for db.x.test"),
            ("creds: mara / ", ""),
            ("login mara / ", ""),
            ("login: mara:", ""),
            ("credentials for db: mara / ", ""),
            ("use ", " as the password"),
            ("use `", "` as the root password"),
            ("log in with ", " as password"),
        ] {
            check(&format!("{before}{secret}{after}"), "password", secret);
        }
    }
    for text in [
        "密码：必填，14个字符以上",
        "密码是必填项",
        "密码不能为空",
        "パスワードは8文字以上で入力してください",
        "パスワード：必須（8文字以上）",
        "비밀번호는 8자 이상이어야 합니다",
        "пароль должен быть не короче 8 символов",
        "пароль: обязательно",
        "lösenordet är för kort",
        "passordet er feil",
        "het wachtwoord is verlopen",
        "hasło jest wymagane",
        "heslo je povinné",
        "şifre: zorunlu",
        "salasana on liian lyhyt",
        "'auth.password': 'パスワード',",
        "'auth.password': '密码',",
        "'auth.password': 'Пароль',",
        "'auth.password': 'סיסמה',",
        "'auth.password': 'Contraseña',",
        "password: 'Salasana',",
        "password: \"Şifre\",",
        "\"password\": \"كلمة المرور\"",
        "\"password\": \"รหัสผ่าน\"",
        "\"password\": \"Adgangskode\"",
        "creds are in the vault",
        "credentials: include",
        "login at 10:30am",
        "login / logout",
        "login with google/oauth2",
        "the credentials for db: see 1password",
        "use base64 as the encoding of the password",
        "use bcrypt as the password hash",
        "login 192.168.1.10:8080",
        "Access-Control-Allow-Credentials : hello2you",
        "#define initCustomSecret XXH3_initCustomSecret_avx512",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn key_words_of_other_languages_are_names() {
    let value = random(ALNUM, 32, 91);
    for before in [
        "clé d'API : ",
        "API ключ: ",
        "chave da API: ",
        "klucz API: ",
        "chiave API: ",
        "API-nyckel: ",
        "API-sleutel: ",
        "token for mara => ",
        "API 키: ",
        "APIキー: ",
    ] {
        let text = format!("{before}{value}");
        assert_eq!(found(&text).len(), 1, "{text}");
    }
    for text in [
        "la clé du succès : la patience",
        "ключ: значение",
        "клavиша: Enter",
        "chave: valor",
        "the login page / signup2 page",
        "INSERT INTO t (token) VALUES (NULL), ('pending');",
        "values (1, 2)",
        "the token is the password for 2fa1",
        "which is the password",
        "what is the password?",
        "This is the password reset page v2",
        "step2 is the login",
        "RFC2617 is the password scheme",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn keys_that_sign_or_encrypt_are_found_among_arguments() {
    let key = random(ALNUM, 32, 41);
    for (before, after) in [
        ("hmac.new(b\"", "\", payload, hashlib.sha256)"),
        ("hash_hmac('sha256', $body, '", "')"),
        ("crypto.createHmac('sha256', '", "')"),
        ("Algorithm.HMAC256(\"", "\")"),
        (
            "jwt.sign({ sub: user.id }, \"",
            "\", { expiresIn: \"12h\" })",
        ),
        ("jwt.decode(token, '", "', algorithms=['HS256'])"),
        ("Fernet(b'", "')"),
    ] {
        check(&format!("{before}{key}{after}"), "secret", &key);
    }
    let password = ["Kx9!", "mQ2#vL"].concat();
    let query = format!("SELECT pgp_sym_decrypt(ssn, '{password}') FROM patients");
    check(&query, "password", &password);
    for text in [
        "jwt.sign(payload, process.env.JWT_SECRET, { expiresIn: '12h' })",
        "jwt.verify(token, 'secret')",
        "hmac.new(key, payload, hashlib.sha256)",
        "crypto.createHmac('sha256', secret).update('a').digest('base64url')",
        "Fernet(Fernet.generate_key())",
    ] {
        clean(text);
    }
}

#[test]
fn names_of_keys_are_known_with_their_adjectives() {
    let key = random(ALNUM, 40, 42);
    for before in [
        "La clé secrète du client : ",
        "clave secreta: ",
        "chiave privata: ",
        "секретный ключ: ",
        "секретный ключ для подписи ",
        "gizli anahtar: ",
        "Unseal Key 1: ",
        "client-key-data: ",
        "WTF_CSRF_SECRET_KEY=",
    ] {
        let text = format!("{before}{key}");
        let found = found(&text);
        assert!(found.iter().any(|(_, value)| *value == key), "{text}");
    }
    clean(&format!("Sec-WebSocket-Key: {}==", &key[..22]));
    clean(&format!("csrf_token={key}"));
}
