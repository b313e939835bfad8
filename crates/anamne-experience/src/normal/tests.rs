//! Real-looking errors and calls.

use super::*;

fn check(message: &str, form: &str) {
    assert_eq!(error(message), form, "{message}");
}

fn check_alike(one: &str, other: &str) {
    assert_eq!(error(one), error(other));
}

#[test]
fn errors_of_compilers() {
    check(
        "error[E0308]: mismatched types\n  --> src/view/mod.rs:12:34",
        "error[e0308]: mismatched types --> <path>",
    );
    check(
        "main.c:7:12: error: use of undeclared identifier 'count'",
        "<path>: error: use of undeclared identifier <value>",
    );
    check(
        "src/app.ts(3,5): error TS2304: Cannot find name 'foo'.",
        "<path>(<number>,<number>): error ts2304: cannot find name <value>.",
    );
    check("linker `mold` not found", "linker <value> not found");
}

#[test]
fn errors_of_python() {
    check(
        "Traceback (most recent call last):\n  File \"/srv/a.py\", line 12, in <module>\n    f(3)\n\
         KeyError: 'user_81'",
        "keyerror: <value>",
    );
    check(
        "ValueError: could not convert string to float: '3,5'",
        "valueerror: could not convert string to float: <value>",
    );
    check(
        "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/x.json'",
        "filenotfounderror: [errno 2] no such file or directory: <value>",
    );
    check(
        "<object at 0x7f3a9c04d2e0> took 1.25s",
        "<object at <address>> took <number>s",
    );
}

#[test]
fn errors_of_databases() {
    check(
        "Error executing query: Unknown column 'airport_name' in 'field list'",
        "error executing query: unknown column <value> in <value>",
    );
    check(
        "ERROR 1064 (42000): You have an error near 'FORM' at line 1",
        "error 1064 (<number>): you have an error near <value> at line <number>",
    );
    check(
        "ORA-00942: table or view does not exist",
        "ora-00942: table or view does not exist",
    );
}

#[test]
fn errors_of_shells_and_services() {
    check(
        "cat: /etc/secrets/a.yaml: Permission denied",
        "cat: <path>: permission denied",
    );
    check(
        "bash: line 3: jq: command not found",
        "bash: line <number>: jq: command not found",
    );
    check("exit status 127", "exit status 127");
    check(
        "connect to 10.0.0.17:5432 failed after 3000 ms",
        "connect to <address> failed after <number> ms",
    );
    check(
        "GET https://a.example/v1/u?id=5: HTTP 404",
        "get <url>: http 404",
    );
    check(
        "2026-11-23 22:00:23 job 9f3c1b7e-52aa-4c1e-9d55-0123456789ab was lost",
        "<time> job <id> was lost",
    );
    check("commit 3f2a91c not found", "commit <hash> not found");
    check(
        "can't read and/or write TCP/IP",
        "can't read and/or write tcp/ip",
    );
}

#[test]
fn occurrences_of_one_error_are_alike() {
    check_alike(
        "req_01HXYZ8K3J2M9N4P5Q timed out after 31.2 s",
        "req_01HABC7R5T1V8W2X6Y timed out after 8 s",
    );
    let long = "d".repeat(700);
    check_alike(
        &format!("open /a/{long}/b: no such file"),
        "open /c: no such file",
    );
}

#[test]
fn calls_keep_what_distinguishes_them() {
    assert_ne!(call("shell", "cd /a"), call("shell", "cd /b"));
    assert_ne!(call("shell", "kill -9 1"), call("shell", "kill -15 1"));
    assert_ne!(call("sql", "SELECT 'a'"), call("sql", "SELECT 'b'"));
    assert_eq!(
        call("sql", "SELECT  a\nFROM t;"),
        call("sql", "select a from t")
    );
    assert_eq!(call("sql", "select a from t"), "sql select a from t");
    assert_eq!(
        call("shell", "cat /tmp/tmp.81xK/log"),
        call("shell", "cat /tmp/tmp.2fQz/log"),
    );
    assert_eq!(
        call("get", r#"{"id": 1700000000123}"#),
        call("get", r#"{"id": 1700000000999}"#),
    );
}

#[test]
fn hostile_texts_are_bounded() {
    let texts = [
        "'".repeat(100_000),
        "'a\"b`c ".repeat(20_000),
        "1:".repeat(50_000),
        "/a".repeat(50_000),
        "é“".repeat(40_000),
        "\u{130}".repeat(2_000),
        format!("{TRACEBACK}{}", "\n".repeat(100_000)),
    ];
    for text in &texts {
        assert!(error(text).len() <= MOST_BYTES);
        assert!(call(text, text).len() <= MOST_BYTES);
    }
    assert_eq!(error(" \n"), "");
    assert_eq!(call("", " "), "");
}

#[test]
fn names_are_bounded() {
    assert_eq!(name("  publish the release \n"), "publish the release");
    assert!(name(&"word ".repeat(200_000)).len() <= MOST_NAME);
}

#[test]
fn normal_forms_are_stable() {
    for text in ["Error at /a/b.rs:3:4", "took 12 ms", "'x' not in \"y\""] {
        let form = error(text);
        assert_eq!(error(&form), form);
    }
}
