//! What results are connected with: entities, related entities and related memories.

use anamne::{
    Answer, Assertion, Depth, Draft, EntityType, Hit, Link, LinkType, MemoryId, Recall, Space,
    ToldEntity, ToldRelation,
};

use crate::common::Home;

fn write(space: &Space, text: &str) -> MemoryId {
    space.remember(text).expect("told").id
}

fn relate(space: &Space, subject: &str, relation: &str, object: &str) {
    let relation = Assertion::Relation(ToldRelation {
        subject: subject.to_owned(),
        relation: relation.to_owned(),
        object: object.to_owned(),
        ..ToldRelation::default()
    });
    space.assert(&relation, None).expect("told");
}

fn name(space: &Space, name: &str, entity_type: EntityType) {
    let entity = Assertion::Entity(ToldEntity {
        name: name.to_owned(),
        entity_type,
        ..ToldEntity::default()
    });
    space.assert(&entity, None).expect("told");
}

/// Runa Olsen repairs cranes, works at Nordkai and knows Ole Hansen; one memory requires another.
fn harbour(home: &Home) -> (Space, [MemoryId; 3]) {
    let space = home.space();
    let crane = write(&space, "Runa Olsen repaired the blue crane in the morning");
    let budget = write(&space, "The budget was approved by everybody at lunch");
    let wage = write(&space, "Runa Olsen asked for a new lantern");
    name(&space, "Runa Olsen", EntityType::Person);
    relate(&space, "Runa Olsen", "works_at", "Nordkai");
    relate(&space, "Ole Hansen", "knows", "Runa Olsen");
    let link = Link {
        from: crane,
        to: budget,
        link_type: LinkType::Requires,
        weight: 1.0,
        reason: String::new(),
        created_at: space.now(),
    };
    space.link(&link).expect("linked");
    space.extract(&mut |_| true).expect("extracted");
    (space, [crane, budget, wage])
}

fn ask(space: &Space, depth: Depth, related: bool) -> Answer {
    let recall = Recall {
        related,
        ..Recall::new("who repaired the blue crane?").depth(depth)
    };
    space.recall(&recall).expect("an answer")
}

fn hit(answer: &Answer, id: MemoryId) -> &Hit {
    let hit = answer.results.iter().find(|hit| hit.memory.id == id);
    hit.expect("found")
}

#[test]
fn results_name_what_they_are_connected_with_at_any_depth() {
    let home = Home::new();
    let (space, [crane, budget, wage]) = harbour(&home);
    for depth in [Depth::Shallow, Depth::Hops(2), Depth::Deep] {
        let answer = ask(&space, depth, true);
        assert_eq!(answer.degraded, Vec::<String>::new());
        let hit = hit(&answer, crane);
        assert!(hit.entities.contains(&"Runa Olsen".to_owned()), "{hit:?}");
        let entities: Vec<_> = hit
            .related_entities
            .iter()
            .map(|related| (related.name.as_str(), related.relation.as_str()))
            .collect();
        assert!(entities.contains(&("Nordkai", "works_at")), "{entities:?}");
        assert!(
            entities.contains(&("Ole Hansen", "knows of")),
            "{entities:?}"
        );
        assert!(
            hit.related_entities
                .iter()
                .all(|related| related.of == "Runa Olsen")
        );
        let memories: Vec<_> = hit
            .related_memories
            .iter()
            .map(|related| (related.id, related.by.as_str()))
            .collect();
        // The link comes before the shared name.
        assert_eq!(memories[0], (budget, "requires"), "{memories:?}");
        assert!(
            memories.contains(&(wage, "mentions Runa Olsen")),
            "{memories:?}"
        );
        assert!(memories.iter().all(|(id, _)| *id != crane));
        assert!(
            hit.related_memories[0]
                .excerpt
                .starts_with("The budget was")
        );
        let back = hit_of(&answer, budget);
        assert!(back.is_none_or(|back| back.related_memories[0].by == "required_by"));
    }
}

fn hit_of(answer: &Answer, id: MemoryId) -> Option<&Hit> {
    answer.results.iter().find(|hit| hit.memory.id == id)
}

#[test]
fn they_are_absent_unless_asked_for() {
    let home = Home::new();
    let (space, _) = harbour(&home);
    for hit in ask(&space, Depth::Shallow, false).results {
        assert!(hit.entities.is_empty() && hit.related_entities.is_empty());
        assert!(hit.related_memories.is_empty());
    }
}

#[test]
fn there_are_at_most_five_of_each() {
    let home = Home::new();
    let (space, [crane, ..]) = harbour(&home);
    for number in 0..12 {
        relate(
            &space,
            "Runa Olsen",
            "visited",
            &format!("Berth Quay {number}"),
        );
        let other = write(&space, &format!("Runa Olsen wrote letter {number} by hand"));
        let link = Link {
            from: other,
            to: crane,
            link_type: LinkType::Supports,
            weight: 0.5,
            reason: String::new(),
            created_at: space.now(),
        };
        space.link(&link).expect("linked");
    }
    space.extract(&mut |_| true).expect("extracted");
    let answer = ask(&space, Depth::Shallow, true);
    for hit in &answer.results {
        assert!(hit.entities.len() <= Hit::RELATED);
        assert!(hit.related_entities.len() <= Hit::RELATED);
        assert!(hit.related_memories.len() <= Hit::RELATED);
    }
    assert_eq!(hit(&answer, crane).related_entities.len(), Hit::RELATED);
    assert_eq!(hit(&answer, crane).related_memories.len(), Hit::RELATED);
}

#[test]
fn forgotten_memories_are_no_connections_and_without_a_graph_there_are_links() {
    let home = Home::new();
    let space = home.space();
    let drafts: Vec<Draft> = (0..80)
        .map(|number| Draft::new(format!("Gauge {number} was read by Mara Lind")))
        .collect();
    space.remember_all(&drafts).expect("told");
    let crane = write(&space, "The blue crane was repaired");
    let kept = write(&space, "Paint was bought for it");
    let gone = write(&space, "The tender was withdrawn");
    for to in [kept, gone] {
        let link = Link {
            from: crane,
            to,
            link_type: LinkType::Causes,
            weight: 1.0,
            reason: String::new(),
            created_at: space.now(),
        };
        space.link(&link).expect("linked");
    }
    space.forget(gone).expect("forgotten");
    let answer = ask(&space, Depth::Shallow, true);
    assert_eq!(answer.degraded, ["knowledge"]);
    let related: Vec<_> = hit(&answer, crane)
        .related_memories
        .iter()
        .map(|related| related.id)
        .collect();
    assert_eq!(related, [kept]);
}
