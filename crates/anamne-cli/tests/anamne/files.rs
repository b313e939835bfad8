//! Files given as arguments: only regular ones are read and replaced, and generated names fit every file system.

use std::fs;
use std::process::Command;

use crate::bench::Bench;

#[cfg(unix)]
#[test]
fn an_import_reads_regular_files_and_streams_only_from_standard_input() {
    let bench = Bench::new();
    let fifo = bench.folder().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status();
    let mut names = vec!["/dev/zero".to_owned(), "/dev/stdin".to_owned()];
    if made.is_ok_and(|status| status.success()) {
        names.push(fifo.to_str().expect("UTF-8").to_owned());
    }
    for name in names {
        let ran = bench.run(&["--json", "import", &name]);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        assert!(
            ran.error()["hint"].to_string().contains("import -"),
            "{}",
            ran.stderr
        );
        assert!(!bench.store().exists(), "{name} made a store");
    }
    let fed = bench.feed(&["--json", "import", "-"], b"{\"text\": \"a stream\"}\n");
    assert_eq!(fed.code, 0, "{}", fed.stderr);
}

#[cfg(unix)]
#[test]
fn an_export_replaces_regular_files_alone() {
    let bench = Bench::new();
    bench.remember(&["Mara Lind works at Hafen GmbH"]);
    let target = bench.file("target", "keep me");
    let link = bench.folder().join("link");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    let folder = bench.folder().join("folder");
    fs::create_dir(&folder).expect("a folder");
    let text = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    for path in ["/dev/null".to_owned(), text(&link), text(&folder)] {
        for command in [
            &["export", "--output"][..],
            &["graph", "Mara Lind", "--output"],
        ] {
            let ran = bench.run(&[&["--json"], command, &[path.as_str()]].concat());
            assert_eq!(ran.code, 2, "{command:?} {path}: {}", ran.stderr);
            assert_eq!(ran.error()["field"], "output");
        }
    }
    assert_eq!(fs::read_to_string(&target).expect("the target"), "keep me");
    assert!(fs::symlink_metadata("/dev/null").is_ok_and(|null| !null.is_file()));
    // A regular file is replaced as a whole, without leftovers beside it.
    let ran = bench.run(&["export", "--output", &text(&target)]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        fs::read_to_string(&target)
            .expect("the export")
            .contains("Hafen")
    );
    let left = fs::read_dir(bench.folder()).expect("the folder").flatten();
    assert!(
        left.into_iter()
            .all(|entry| !entry.file_name().to_string_lossy().ends_with(".part"))
    );
}

#[test]
fn a_memory_of_wide_characters_is_exported_as_a_note() {
    let bench = Bench::new();
    bench.remember(&[
        "𒀀".repeat(300).as_str(),
        "--thread",
        "😀".repeat(60).as_str(),
    ]);
    bench.remember(&["Plain words"]);
    let vault = bench.folder().join("vault");
    let ran = bench.run(&[
        "export",
        "--format",
        "markdown",
        "--into",
        vault.to_str().expect("UTF-8"),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("2 memories"), "{}", ran.stderr);
}
