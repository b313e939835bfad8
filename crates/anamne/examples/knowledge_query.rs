//! Stores some facts as sentences, and queries what is known of a person and which facts contradict each other.
//!
//! `cargo run -p anamne --example knowledge_query [NAME]`; the default is Mara Lind.
#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

use anamne::{ContradictionQuery, Draft, EntityQuery, Options, Recall, Space, Store};

/// Date, author and text.
const SAID: &str = "\
2026-01-12 Ines: Mara Lind works at Hafen GmbH.
2026-01-13 Ines: Mara Lind lives in Bonn.
2026-02-02 Teo: I met Mara Lind in Lyon, with Tomas Weber.
2026-03-01 Ada: I implemented a Flask route for the homepage.
2026-03-02 Ada: I have never written any Flask routes in this project.
2026-05-04 Ines: Mara Lind lives in Oslo now.";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1);
    let name = name.as_deref().unwrap_or("Mara Lind");
    let folder = tempfile::tempdir()?;
    // No background work, so that this program decides when the graph is extracted.
    let store = Store::open_with(Options::new(folder.path()).background(false))?;
    let space = store.space("core")?;
    write(&space)?;
    // Names, statements and contradictions are extracted by rules, without a model.
    space.extract(&mut |_| true)?;
    let knowledge = space.knowledge()?;

    println!("Known by name:");
    let query = EntityQuery {
        unconfirmed: true,
        limit: 20,
        ..EntityQuery::default()
    };
    for entity in knowledge.entities(&query)? {
        let (kind, mentions) = (entity.entity_type, entity.mentions);
        println!("  {} ({kind}), named by {mentions}", entity.name);
    }

    println!("What is said of {name}:");
    for relation in knowledge.relations(name)? {
        let object = relation.object.text();
        let until = relation.valid_to.map(|to| format!(" until {to}"));
        let until = until.unwrap_or_default();
        println!("  {} {object}{until}", relation.relation);
    }

    println!("What can't both hold:");
    let query = ContradictionQuery {
        limit: 20,
        ..ContradictionQuery::default()
    };
    for found in knowledge.contradictions(&query)? {
        println!("  “{}”, later “{}”", found.earlier.quote, found.later.quote);
        println!("  {:.0} % sure", found.confidence * 100.0);
    }

    // Each result of a recall lists the memories that contradict it.
    let answer = space.recall(&Recall::new("who wrote the Flask routes?").limit(1))?;
    for hit in answer.results {
        println!("{}\n  {}", hit.memory.content, hit.reasoning);
    }
    Ok(())
}

fn write(space: &Space) -> Result<(), Box<dyn std::error::Error>> {
    for line in SAID.lines() {
        let (said, text) = line.split_once(": ").ok_or("a line without a speaker")?;
        let (day, author) = said.split_once(' ').ok_or("a line without a day")?;
        let at = format!("{day}T10:00:00Z").parse()?;
        space.remember(Draft::new(text).author(author).occurred_at(at))?;
    }
    Ok(())
}
