//! A foreign store may contain names of other folders, links and pipes. They can't affect anything outside the store.

use std::fs;
use std::path::Path;

use crate::bench::Bench;

#[test]
fn a_model_is_found_by_a_plain_name_alone() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/anamne-static-v1");
    let settings = bench.store().join("spaces/core/space.toml");
    let usual = fs::read_to_string(&settings).expect("settings");
    for name in ["../../elsewhere", "..", built_in.to_str().expect("UTF-8")] {
        let chosen = format!("{usual}\n[embedding]\nmodel = {name:?}\n");
        fs::write(&settings, chosen).expect("settings");
        let doctor = bench.run(&["doctor"]);
        assert_eq!(doctor.code, 1, "{name}: {}", doctor.stdout);
        assert!(doctor.stdout.contains("builtin"), "{}", doctor.stdout);
    }
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::symlink;

    use std::path::PathBuf;

    use super::*;
    use crate::bench::{RunOutput, files_under};

    fn make_pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo").success());
    }

    /// Every file and folder of a space, deepest last.
    fn entries_under(folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            found.push(path.clone());
            if path.is_dir() {
                found.append(&mut entries_under(&path));
            }
        }
        found
    }

    fn contents(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let files = if path.is_dir() {
            files_under(path)
        } else {
            vec![path.to_owned()]
        };
        let read = |file: PathBuf| (file.clone(), fs::read(&file).expect("a file"));
        let mut files: Vec<_> = files.into_iter().map(read).collect();
        files.sort();
        files
    }

    #[track_caller]
    fn refused(bench: &Bench, arguments: &[&str]) {
        let ran: RunOutput = bench.run(arguments);
        assert_ne!(ran.code, 0, "{arguments:?}: {}", ran.stdout);
        let words = ran.stdout + " " + &ran.stderr;
        let said = words.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains("without symbolic links, pipes or devices")
                || said.contains("not a regular file")
                || said.contains("is a symbolic link"),
            "{arguments:?}: {said}"
        );
    }

    #[test]
    fn nothing_is_written_or_read_through_a_link_or_a_pipe_in_a_space() {
        let bench = Bench::new();
        bench.remember(&["The ferry leaves at seven"]);
        assert_eq!(bench.run(&["tasks", "run"]).code, 0);
        assert_eq!(bench.run(&["doctor"]).code, 0);
        assert_eq!(bench.run(&["backup", "kept"]).code, 0);
        let space = bench.store().join("spaces/core");
        let outside = bench.folder().join("outside");
        let mut entries = entries_under(&space);
        assert!(entries.len() > 12, "{entries:?}");
        // Also files that don't exist yet.
        entries.extend(
            [
                "incidents.jsonl",
                "journal/000002.jsonl",
                "paid/readings.db",
            ]
            .map(|name| space.join(name)),
        );
        fs::create_dir(space.join("paid")).expect("made");
        for path in entries {
            let is_there = path.exists();
            if is_there {
                fs::rename(&path, &outside).expect("moved");
            } else {
                fs::write(&outside, "precious").expect("a file");
            }
            let before = contents(&outside);
            symlink(&outside, &path).expect("a link");
            for arguments in [
                &["remember", "The baker opens at six"][..],
                &["doctor"],
                &["verify"],
                &["repair"],
            ] {
                refused(&bench, arguments);
            }
            assert!(
                contents(&outside) == before,
                "{path:?} led out of the space"
            );
            fs::remove_file(&path).expect("removed");
            make_pipe(&path);
            refused(&bench, &["remember", "The baker opens at six"]);
            refused(&bench, &["verify"]);
            fs::remove_file(&path).expect("removed");
            if is_there {
                fs::rename(&outside, &path).expect("moved back");
            }
        }
        assert_eq!(bench.run(&["doctor"]).code, 0);
        fs::remove_file(&outside).expect("removed");
        fs::rename(&space, &outside).expect("moved");
        symlink(&outside, &space).expect("a link");
        refused(&bench, &["remember", "The baker opens at six"]);
    }

    #[test]
    fn the_ledger_is_not_kept_behind_a_link() {
        let bench = Bench::new();
        bench.remember(&["The ferry leaves at seven"]);
        let outside = bench.file("precious.db", "");
        symlink(&outside, bench.store().join("catalog.db")).expect("a link");
        refused(&bench, &["costs"]);
        assert_eq!(fs::read(&outside).expect("a file"), b"");
    }

    #[test]
    fn a_model_whose_files_have_no_end_is_refused() {
        let bench = Bench::new();
        bench.remember(&["The ferry leaves at seven"]);
        let model = bench.store().join("models/endless");
        fs::create_dir_all(&model).expect("a folder");
        let weights = model.join("model.safetensors");
        symlink("/dev/zero", &weights).expect("a link");
        let set = ["spaces", "set", "--model", "endless"];
        let ran = bench.run(&set);
        assert!(ran.stderr.contains("not a regular file"), "{}", ran.stderr);
        fs::remove_file(&weights).expect("removed");
        make_pipe(&weights);
        let ran = bench.run(&set);
        assert!(ran.stderr.contains("not a regular file"), "{}", ran.stderr);
    }
}
