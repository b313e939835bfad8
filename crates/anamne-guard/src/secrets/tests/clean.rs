//! Texts without secrets.

use super::*;

#[test]
fn redactions_and_variables_are_no_secrets() {
    for value in [
        "[secret:password]",
        "[personal:email]",
        "***",
        "********",
        "<token>",
        "<your-token>",
        "${VAR}",
        "$VAR",
        "$(cmd)",
        "$(pass show db)",
        "{{ var }}",
        "{{var}}",
        "%s",
        "os.environ[\"X\"]",
        "os.environ.get('X')",
        "process.env.X",
        "process.env.API_KEY",
        "xxxx",
        "xxxxxxxxxxxxxxxx",
        "changeme",
        "CHANGE_ME",
        "your-password",
        "YOUR_API_KEY",
        "{password}",
        "#{password}",
        "%(password)s",
        "%PASSWORD%",
        "@password@",
        "env('X')",
        "getenv(\"X\")",
        "null",
        "None",
        "true",
        "\"\"",
        "''",
        "...",
        "password",
        "string",
        "required",
        "!Ref Secret",
        "op://vault/db/password",
        "vault:secret/data/db#password",
        "ENC[AES256_GCM,data:abc]",
        "secrets.DB_PASSWORD",
        "var.db_password",
        "config.password",
        "args.password",
        "self.password",
        "get_password()",
        "generate(32)",
        "new_password",
        "userPassword",
        "Optional[str]",
        "&str",
        "String,",
        "str = None",
        "/run/secrets/db",
        "./token.txt",
        "test",
        "example-password",
        "REDACTED",
        "••••••••",
        "TODO",
        "function() {",
        "sha256:",
        "data.token1",
    ] {
        for text in [
            format!("password={value}"),
            format!("password: {value}"),
            format!("password = {value}"),
            format!("api_key: \"{value}\"").replace("\"\"\"\"", "\"\""),
            format!("DB_PASSWORD={value}"),
            format!("token = {value};"),
            format!("curl -u mara:{value} https://x.test").replace("mara:password", "mara"),
        ] {
            clean(&text);
        }
    }
    settle();
}

#[test]
fn hashes_and_blobs_without_a_name_are_no_secrets() {
    let hex = |length, seed| random(HEX, length, seed);
    let base64 = |length, seed| random(&format!("{ALNUM}+/"), length, seed);
    for text in [
        format!("commit {}", hex(40, 1)),
        format!("sha256:{}", hex(64, 2)),
        format!("\"integrity\": \"sha512-{}==\"", base64(86, 3)),
        format!("data:image/png;base64,iVBOR{}", base64(4000, 4)),
        format!("ETag: \"{}\"", hex(32, 5)),
        format!("address constant PAYMENT_TOKEN = 0x{};", hex(40, 12)),
        format!("annotations:\n  checksum/secret: {}", hex(64, 13)),
        format!(
            "id: {}-{}-{}-{}-{}",
            hex(8, 6),
            hex(4, 7),
            hex(4, 8),
            hex(4, 9),
            hex(12, 10)
        ),
        format!("checksum = \"{}\"", hex(64, 11)),
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{} me", base64(43, 12)),
        format!("public_key: \"{}\"", base64(44, 13)),
        format!("<meta name=\"csrf-token\" content=\"{}\">", base64(43, 14)),
        format!("csrfToken:\"{}\"", base64(32, 15)),
        format!("cache_key: {}", hex(40, 16)),
        format!("key: \"{}\"", hex(40, 17)),
        format!("fingerprint: SHA256:{}", base64(43, 18)),
        format!("nextPageToken: \"{}\"", base64(60, 19)),
        format!(
            "resolved \"https://registry.npmjs.org/a/-/a-1.0.0.tgz#{}\"",
            hex(40, 20)
        ),
        format!("script-src 'nonce-{}'", base64(22, 21)),
        format!("index.{}.js", hex(20, 22)),
        format!("trace_id={} span_id={}", hex(32, 23), hex(16, 24)),
        format!("gpg: key {}", hex(16, 25)),
    ] {
        clean(&text);
    }
    settle();
}

#[test]
fn code_and_prose_are_clean() {
    for text in [
        "fn token(&self) -> Option<&str> { self.token.as_deref() }",
        "const token = await getToken(user);",
        "if (password !== confirmPassword) return;",
        "password: { type: String, required: true },",
        "const [password, setPassword] = useState('');",
        "<input type=\"password\" name=\"password\" placeholder=\"Password\">",
        "password_hash = bcrypt.hashpw(password, salt)",
        "tokens = tokenizer.encode(text)",
        "max_tokens: 4096",
        "the key to success is patience",
        "key: value",
        "for key, value in items.items():",
        "map.get(key)",
        "\"keywords\": [\"a\"]",
        "primary key (id)",
        "API key rotation is due on Friday",
        "e.key === 'Enter'",
        "secretName: db-credentials",
        "secretKeyRef:\n  name: db\n  key: password",
        "type Password = string;",
        "label: \"Password\"",
        "\"forgotPassword\": \"Forgot your password?\"",
        "\"password\": \"Passwort\"",
        "password.length < 8",
        "password: z.string().min(8)",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "GITHUB_TOKEN: ${{ github.token }}",
        "auth: true",
        "password=$1",
        "SELECT password FROM users WHERE id = 1",
        "pass:true,fail:false",
        "!function(e,t){var n=e.token,r=t.key;n=r?n:\"a\"}(a,b)",
        "sk-learn and sk-image",
        "hf_hub_download(repo_id)",
        "re_compile = re.compile",
        "the pat-na1- prefix",
        "SKU 12345",
        "AC power",
        "token_type: bearer",
        "grant_type=password",
        "credentials: 'include'",
        "credentials: \"same-origin\"",
        "autocomplete=\"current-password\"",
        "PasswordAuthentication no",
        "passwd: files systemd",
        "auth required pam_unix.so",
        "token expired at 2024-05-01T10:00:00Z",
        "Password123 is a bad choice",
        "sessionid missing",
        "throw new Error(\"token: invalid\")",
        "log.info(\"password: {}\", mask(password))",
        "password: 'Password must not be empty'",
        "KEY_ENTER = 28",
        "keyCode: 13",
        "key_size=2048",
        "key=lambda x: x[1]",
        "sorted(items, key=len)",
        "secret: process.env.JWT_SECRET || 'x'",
        "auth = HTTPBasicAuth(user, password)",
        "private_key_path: ~/.ssh/id_ed25519",
        "token=eyJ",
        "apiKey: config.get('apiKey')",
        "password = input(\"Password: \")",
        "password = getpass.getpass()",
        "Authentication: OAuth2",
        "key: user_profile_picture_2x",
        "cookie: consent",
    ] {
        clean(text);
    }
    settle();
}

#[test]
fn code_and_lists_of_real_projects_are_clean() {
    let digest = format!("sha256={}", random("aB3x-_9Qk7Zm", 43, 5));
    let digests = format!("django/contrib/auth/apps.py,{digest},1284");
    let resource = format!(
        "SECRET_ARN = \"arn:aws:secretsmanager:eu-west-1:986609801804:secret:cache-{}\"",
        "8DnZR7"
    );
    for text in [
        digests.as_str(),
        &resource,
        "local OPTS='--no-ask-password --scope -u --unit'",
        "apt\tpasswd\t1:4.13+dfsg1-1+deb12u1",
        "passwd = s:netrw_passwd",
        "mingw* | pw32* | os2* | cegcc*)",
        "pass \"Skipping PL/Python3 test\"",
        "NSURLThumbnailKey NSThumbnail1024x1024SizeKey",
        "privateKey?: XOAuth2PrivateKey | undefined;",
        "        password=dict(required=True, type='str'),",
        "  password=credentials.passwords[0].value,",
        "            AllowUsersToChangePassword=allow_pw_change,",
        "  url_password=self.auth_pass,",
        "url_password=None, force_basic_auth=False, follow_redirects='urllib2',",
        "|TLSCipherPSK13 | zabbix_server_tlscipherpsk13 | |",
        "\"dot1x_password\": \"dot1xPassword\",",
        "use I(clear) as the password",
    ] {
        clean(text);
    }
}
