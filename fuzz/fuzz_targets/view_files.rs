#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    anamne_fuzz::Target::named("view_files").expect("a target").run(bytes);
});
