#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    anamne_fuzz::Target::named("export_file").expect("a target").run(bytes);
});
