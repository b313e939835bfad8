//! The journal continues over several segments, full ones are sealed, and the chain spans all of them.

use std::fs;

use anamne_types::Draft;

use crate::common::{Home, assert_sound, child, child_task, head, lines, open, user};

fn big(number: usize) -> Draft {
    let text = format!("{number} ").repeat(225_000 / (number.to_string().len() + 1));
    Draft::new(text.trim_end())
}

fn names(home: &Home) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(home.journal())
        .expect("a journal")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a plain name")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn full_segments_are_sealed_and_the_chain_continues() {
    let home = Home::new();
    let space = home.open();
    for number in 0..24 {
        space.remember(&user(), &big(number)).expect("a write");
    }
    assert_eq!(
        names(&home),
        ["000001.jsonl", "000002.jsonl", "000003.jsonl"]
    );
    assert_sound(&space);
    let other = home.open();
    assert_eq!(space.seal_journal().expect("sealing"), 2);
    assert_eq!(space.seal_journal().expect("nothing more to seal"), 0);
    assert_eq!(
        names(&home),
        ["000001.jsonl.zst", "000002.jsonl.zst", "000003.jsonl"]
    );
    other
        .remember(&user(), &"from the other".into())
        .expect("a write after sealing");
    space
        .remember(&user(), &"from here".into())
        .expect("a write after sealing");
    assert_sound(&space);
    drop((space, other));
    let space = home.open();
    assert!(space.repaired().is_empty());
    space
        .remember(&user(), &"after reopening".into())
        .expect("a write");
    assert_sound(&space);
    let before = head(&space);
    drop(space);
    home.remove_database();
    let space = home.open();
    assert_eq!(
        (head(&space), lines(&home).len() as u64),
        (before, before.0)
    );
    assert_sound(&space);
}

#[test]
fn a_batch_larger_than_a_segment_is_spread_over_several() {
    let home = Home::new();
    let space = home.open();
    space.remember(&user(), &"first".into()).expect("a write");
    let batch: Vec<_> = (0..30).map(big).collect();
    space.remember_all(&user(), &batch).expect("a batch");
    assert!(names(&home).len() >= 3, "{:?}", names(&home));
    let largest = fs::read_dir(home.journal())
        .expect("a journal")
        .map(|entry| entry.expect("an entry").metadata().expect("a size").len())
        .max();
    assert!(
        largest < Some(4 << 20),
        "a segment is full soon after 2 MiB"
    );
    assert_sound(&space);
    // Lost segments of a batch are restored from the database.
    drop(space);
    fs::remove_file(home.journal().join("000003.jsonl")).expect("a removal");
    let space = home.open();
    assert_sound(&space);
    assert_eq!(space.statistics().expect("counts").memories, 31);
}

#[test]
fn a_damaged_sealed_segment_is_reported_and_the_memories_stay() {
    let home = Home::new();
    let space = home.open();
    for number in 0..12 {
        space.remember(&user(), &big(number)).expect("a write");
    }
    assert_eq!(space.seal_journal().expect("sealing"), 1);
    let sealed = home.journal().join("000001.jsonl.zst");
    let mut bytes = fs::read(&sealed).expect("a segment");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xFF;
    fs::write(&sealed, bytes).expect("a damaged segment");
    let problems = space.verify_journal().expect("a report").problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("000001.jsonl.zst"), "{problems:?}");
    assert_eq!(space.statistics().expect("counts").memories, 12);
}

/// Peak memory use of this process in bytes.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the process's own state");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.and_then(|kib| kib.parse::<u64>().ok())
        .expect("a number")
        << 10
}

#[cfg(not(target_os = "linux"))]
fn peak_memory() -> u64 {
    0
}

/// A zstd frame without content size, as in segments.
fn frame(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("a frame")
}

/// A sealed segment that decompresses to `header` and then 4 GiB of repeated `line`; less than a megabyte on disk.
fn bomb(header: &[u8], line: &[u8]) -> Vec<u8> {
    let frames = frame(&line.repeat((4 << 20) / line.len())).repeat(1024);
    [frame(header), frames].concat()
}

/// Ways to craft an oversized segment: description, file name and bytes.
fn crafted(header: &[u8]) -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let line = [vec![b'x'; 65_535], vec![b'\n']].concat();
    let mut wide = frame(header);
    // The byte after magic number and descriptor is the window size that the decoder must allocate: 128 MiB.
    assert_eq!(wide[4] & 0x20, 0, "the frame has a window");
    wide[5] = (27 - 10) << 3;
    let endless = [header, &vec![b'x'; 17 << 20]].concat();
    let long = [header, &line.repeat(640)].concat();
    vec![
        ("zeros in a frame", "000001.jsonl.zst", bomb(header, b"\0")),
        ("lines in a frame", "000001.jsonl.zst", bomb(header, &line)),
        ("a wide window", "000001.jsonl.zst", wide),
        ("a line without end", "000001.jsonl", endless),
        ("a long segment", "000001.jsonl", long),
    ]
}

/// In a process of its own, because the peak of memory belongs to the process.
#[test]
fn a_crafted_segment_is_damage_and_never_takes_more_memory_than_a_segment_may() {
    let home = Home::new();
    if child_task().is_none() {
        let name =
            "segments::a_crafted_segment_is_damage_and_never_takes_more_memory_than_a_segment_may";
        let ran = child(name, &home.space(), 0).output().expect("a child");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let space = home.open();
    space.remember(&user(), &"first".into()).expect("a write");
    space
        .remember_all(&user(), &(0..12).map(big).collect::<Vec<_>>())
        .expect("a batch");
    drop(space);
    let header = fs::read(home.journal().join("000001.jsonl")).expect("a segment");
    let end = header
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a line");
    for (what, name, bytes) in crafted(&header[..=end]) {
        let copy = home.copy();
        fs::remove_file(copy.journal().join("000001.jsonl")).expect("removed");
        fs::write(copy.journal().join(name), bytes).expect("written");
        check_damage(&copy, what, name);
        // As the only segment it is also the end of the journal.
        fs::remove_file(copy.journal().join("000002.jsonl")).expect("removed");
        check_damage(&copy, what, name);
        let opened = open(&copy.space()).and_then(|space| space.remember(&user(), &"on".into()));
        let shown = opened.map_or_else(|error| error.to_string(), |_| String::new());
        assert!(shown.is_empty() || shown.contains(name), "{what}: {shown}");
    }
    let peak = peak_memory() >> 20;
    assert!(peak < 700, "{peak} MiB at once");
}

#[track_caller]
fn check_damage(home: &Home, what: &str, name: &str) {
    let before = peak_memory();
    let first_damage = anamne_store::Lines::of(&home.journal())
        .expect("a journal")
        .find_map(Result::err)
        .unwrap_or_else(|| panic!("{what} is read as if it were sound"));
    assert!(
        first_damage.to_string().contains(name),
        "{what}: {first_damage}"
    );
    let found = anamne_store::examine(&home.space()).expect("an examination");
    let named = found
        .findings
        .iter()
        .any(|finding| format!("{finding:?}").contains(name));
    assert!(named, "{what}: {:?}", found.findings);
    let more = (peak_memory() - before) >> 20;
    assert!(more < 300, "{what} takes {more} MiB");
}

#[test]
fn the_longest_line_is_read_back_sealed_and_plain() {
    let home = Home::new();
    let space = home.open();
    let escaped = "\u{1}".repeat(1_000_000);
    for number in 0..3 {
        let content = format!("{number}{}", &escaped[1..]);
        space
            .remember(&user(), &content.as_str().into())
            .expect("a write");
    }
    assert_eq!(space.seal_journal().expect("sealing"), 2);
    assert_sound(&space);
    drop(space);
    home.remove_database();
    assert_sound(&home.open());
}
