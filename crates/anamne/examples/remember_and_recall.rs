//! Stores some memories, queries them, edits one and forgets another.
//!
//! `cargo run -p anamne --example remember_and_recall [FOLDER]`; without a folder it uses a temporary one.
#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

use anamne::{Draft, Edit, Recall, Space, Store};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args_os().nth(1);
    let folder = folder.map_or_else(|| temporary.path().to_owned(), Into::into);
    let space = Store::open(folder)?.space("core")?;

    // A text is enough; a draft can also have an author, a thread, tags and more.
    let port = space.remember("The staging server listens on port 8471")?;
    space.remember(
        Draft::new("We agreed to deploy on Tuesdays, never on Fridays")
            .author("Ines")
            .thread("planning")
            .tag("release"),
    )?;
    let lunch = space.remember("The canteen has soup on Thursdays")?;

    // New memories are found at once, with a confidence and a reason.
    ask(&space, "which port does staging use?")?;
    ask(&space, "when may we deploy?")?;

    // An edit is visible at once too; the former version stays in the history.
    let edit = Edit {
        content: Some("The staging server listens on port 9000".to_owned()),
        ..Edit::default()
    };
    space.edit(port.id, &edit)?;
    ask(&space, "which port does staging use?")?;
    println!("states of that memory: {}", space.history(port.id)?.len());

    // A forgotten memory is in no answer; `erase` would remove it from every file.
    space.forget(lunch.id)?;
    ask(&space, "what is there for lunch on Thursdays?")?;
    Ok(())
}

fn ask(space: &Space, question: &str) -> Result<(), anamne::Error> {
    println!("{question}");
    for hit in space.recall(&Recall::new(question).limit(2))?.results {
        let sure = hit.confidence * 100.0;
        println!("  {sure:3.0} %  {}", hit.memory.content);
        println!("         {}", hit.reasoning);
    }
    Ok(())
}
