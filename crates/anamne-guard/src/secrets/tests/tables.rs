//! Tables, and code that only looks like a secret.

use super::*;

/// A generated password and a chosen one.
const PASSWORDS: [&str; 2] = ["hV6nQ2xT9w!", "Meadow3779_N72"];

#[test]
fn passwords_in_columns_are_found() {
    for value in PASSWORDS {
        for text in [
            format!("| Service | User | Password |\n|---|---|---|\n| nas | mara | {value} |"),
            format!("host;user;password\nnas;mara;{value}"),
            format!("user\tpassword\nmara\t{value}"),
            format!("COPY users (id, password) FROM stdin;\n7\t{value}\n\\."),
        ] {
            check(&text, "password", value);
        }
    }
    for text in [
        "| Name | Password | Meaning |\n|---|---|---|\n| db | required | of the user |",
        "    master_username,\n    master_password,\n    port=3306,\n    engine='MySQL5.1',",
        "COPY users (id, city) FROM stdin;\n7\tBasel2024x\n\\.",
    ] {
        clean(text);
    }
}

#[test]
fn values_in_blocks_and_forms_are_found() {
    for value in PASSWORDS {
        for text in [
            format!("variable \"db_password\" {{\n  type = string\n  default = \"{value}\"\n}}"),
            format!("cy.get('#password').type('{value}')"),
            format!("ENV['PASSWORD'] ||= '{value}'"),
            format!("kinit mara <<< '{value}'"),
            format!("SSID Attic, key {value}"),
        ] {
            check(&text, "password", value);
        }
    }
}

#[test]
fn numbers_types_and_stock_passwords_are_no_secrets() {
    for text in [
        "pub const MD_VR_PASSWORD: u32 = 3003u32;",
        "pub const SYSTEM_TABLE_SIGNATURE: u64 = 0x5453595320494249u64;",
        "pub const szOID_USER_PASSWORD: &str = \"2.5.4.35\";",
        "pub static kSOCKSPassword: CFStringRef;",
        "'image_pull_secrets': 'list[V1ObjectReference]',",
        "set password(e){this.url.password=e}get username()",
        "key_password=Option(type='bytes'),",
        "find / -name mysql -print",
        "level=info msg=\"rotated signing key\" kid=a31792a07004464b alg=RS256",
        "columns identified by \"colUsed\", all but",
        "Check the login and password portion before",
        "password: 'test-password-1'",
        "postgresql://scott:tiger@localhost/test",
        "const password = 'securePassword123';",
        "data:\n  password: cGFzc3dvcmQ=",
        "https://abc:xyz@example.com",
        "password: ENC[AES256_GCM,data:MZ8hhYLz5BE7,iv:o+Uk2Kt5iRYn8kLFmw6wG+voOze8NuAyb7WVvFDFM8G=,type:str]",
    ] {
        clean(text);
    }
}
