//! Extraction of statements.

use anamne_knowledge::reading::{Statement, Term, Utterance, read};
use jiff::Timestamp;

const NOW: &str = "2026-03-11T12:00:00Z"; // a Wednesday

fn stated(text: &str) -> Vec<Statement> {
    let at: Timestamp = NOW.parse().expect("a timestamp");
    read(&Utterance {
        text,
        author: "Nora",
        role: None,
        at,
    })
    .statements
}

fn shown(statement: &Statement) -> String {
    let (Term::Entity(subject, _) | Term::Value(subject)) = &statement.subject;
    let (Term::Entity(object, _) | Term::Value(object)) = &statement.object;
    let not = if statement.negated { "not " } else { "" };
    format!("{subject} {not}{} {object}", statement.relation)
}

fn check(text: &str, expected: &[&str]) {
    let mut found: Vec<String> = stated(text).iter().map(shown).collect();
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn where_people_live_and_come_from() {
    check("Ilse Brandt lives in Graz.", &["Ilse Brandt lives_in Graz"]);
    check("I live in Porto with my cat.", &["Nora lives_in Porto"]);
    check(
        "My friend Tomasz lives in Gdansk now.",
        &["Tomasz friend_of Nora", "Tomasz lives_in Gdansk"],
    );
    check(
        "Pedro, my neighbour, comes from Seville.",
        &["Pedro comes_from Seville"],
    );
    check("I moved to Leipzig last year.", &["Nora moved_to Leipzig"]);
    check(
        "just moved from denver to austin",
        &["Nora moved_to austin"],
    );
    check("Yuki was born in Osaka.", &["Yuki comes_from Osaka"]);
    check("Carla doesn't live in Rome.", &["Carla not lives_in Rome"]);
    check(
        "Carla no longer lives in Rome.",
        &["Carla not lives_in Rome"],
    );
    check(
        "Ilse lives in Graz and works at Siemens.",
        &["Ilse lives_in Graz", "Ilse works_at Siemens"],
    );
    check(
        "Anna is from Nantes, France.",
        &["Anna comes_from Nantes", "Nantes located_in France"],
    );
}

#[test]
fn work_and_study() {
    check(
        "Jonas works at Northwind Labs as a data engineer.",
        &["Jonas works_at Northwind Labs"],
    );
    check("I work for the Red Cross.", &["Nora works_at Red Cross"]);
    check("Amira is a nurse.", &["Amira works_as nurse"]);
    check(
        "I'm a software developer.",
        &["Nora works_as software developer"],
    );
    check(
        "Lena is studying at Heidelberg University.",
        &["Lena studies_at Heidelberg University"],
    );
    check("Omar leads the billing team.", &["Omar leads billing team"]);
    check(
        "Greta is responsible for the deployment.",
        &["Greta leads deployment"],
    );
    check(
        "Paul is a member of the Alpine Club.",
        &["Paul member_of Alpine Club"],
    );
    check("I joined a travel club.", &["Nora member_of travel club"]);
    check("Rosa owns the mobile app.", &["Rosa owns mobile app"]);
    check(
        "The library was written by Diego.",
        &["Diego created library"],
    );
    check(
        "Skylark was created by Diego Ruiz in 2019.",
        &["Diego Ruiz created Skylark"],
    );
}

#[test]
fn what_systems_are_made_of() {
    check(
        "We use PostgreSQL and Redis.",
        &["Nora uses PostgreSQL", "Nora uses Redis"],
    );
    check(
        "The gateway runs on Kubernetes.",
        &["gateway runs_on Kubernetes"],
    );
    check(
        "`billing-api` depends on Kafka.",
        &["billing-api depends_on Kafka"],
    );
    check(
        "Grafana was replaced by Datadog.",
        &["Grafana replaced_by Datadog"],
    );
    check(
        "We switched from Jenkins to GitHub Actions.",
        &["Jenkins replaced_by GitHub Actions"],
    );
    check("We migrated to Terraform.", &["Nora uses Terraform"]);
    check(
        "The frontend is written in TypeScript.",
        &["frontend uses TypeScript"],
    );
    check("We don't use MongoDB.", &["Nora not uses MongoDB"]);
    check("We run on PostgreSQL 16.", &["PostgreSQL has_version 16"]);
    check(
        "The staging port is 8471.",
        &["staging port has_value 8471"],
    );
    check(
        "`max_connections` is 200.",
        &["max_connections has_value 200"],
    );
    check("We set `max_retries = 5`.", &["max_retries has_value 5"]);
    check(
        "The request timeout is 30 seconds.",
        &["request timeout has_value 30 seconds"],
    );
    check(
        "I raised the timeout from 30 to 60 s.",
        &["timeout has_value 60 s"],
    );
    check("The server listens on 8080.", &["server has_value 8080"]);
    check("Figma costs 15 € a month.", &["Figma costs 15 € a month"]);
    check(
        "The hosting costs $40 per month.",
        &["hosting costs $40 per month"],
    );
    check(
        "The outage was caused by an expired certificate.",
        &["outage caused_by expired certificate"],
    );
    check("The crash was fixed in v2.3.1.", &["crash fixed_by v2.3.1"]);
    check("Caddy is a web server.", &["Caddy is_a web server"]);
}

#[test]
fn days_and_plans() {
    check("The demo is on Friday.", &["demo scheduled_for Friday"]);
    check(
        "The release was moved to March 20.",
        &["release scheduled_for March 20"],
    );
    check(
        "The release moved to 20 March.",
        &["release scheduled_for 20 March"],
    );
    check(
        "We postponed the launch to next Monday.",
        &["launch scheduled_for next Monday"],
    );
    check(
        "My dentist appointment is on May 3.",
        &["Nora's dentist appointment scheduled_for May 3"],
    );
    check(
        "Deadline is 2026-04-01.",
        &["Deadline scheduled_for 2026-04-01"],
    );
    check("We decided to drop Redis.", &["Nora decided drop Redis"]);
    check(
        "Decided: Caddy instead of Nginx.",
        &["Nora decided Caddy instead of Nginx"],
    );
    check(
        "I'm planning to visit Kyoto in May.",
        &["Nora plans visit Kyoto in May"],
    );
    check(
        "Elena was born on 12 June 1990.",
        &["Elena born_on 12 June 1990"],
    );
    check("Samuel is 34 years old.", &["Samuel age 34"]);
    check("I'm 41.", &["Nora age 41"]);
    check("I visited Lisbon last summer.", &["Nora visited Lisbon"]);
    check("Tom went to Prague.", &["Tom visited Prague"]);
    check(
        "I attended a pottery workshop yesterday.",
        &["Nora attended pottery workshop"],
    );
}

#[test]
fn people_and_pets() {
    check("My wife Anna is here.", &["Anna partner_of Nora"]);
    check("My husband's name is Karl.", &["Karl partner_of Nora"]);
    check("Anna is my sister.", &["Anna sibling_of Nora"]);
    check("My son Leo started school.", &["Nora parent_of Leo"]);
    check("Anna's brother Max called.", &["Max sibling_of Anna"]);
    check("I have a dog named Rex.", &["Nora has_pet Rex"]);
    check("My cat Minka is asleep.", &["Nora has_pet Minka"]);
    check("Maria is married to Stefan.", &["Maria partner_of Stefan"]);
    check("My boss Henrik called.", &["Henrik colleague_of Nora"]);
    check("I love climbing.", &["Nora likes climbing"]);
    check("I hate cilantro.", &["Nora dislikes cilantro"]);
    check("I don't like mushrooms.", &["Nora not likes mushrooms"]);
    check("I prefer tea over coffee.", &["Nora prefers tea"]);
    check("My favourite band is Radiohead.", &["Nora likes Radiohead"]);
}

#[test]
fn asides_and_turns_of_phrase() {
    check(
        "Our CTO, Vikram Rao, prefers Terraform to Pulumi.",
        &["Vikram Rao prefers Terraform", "Vikram Rao works_as CTO"],
    );
    check(
        "Wanda's appointment with Dr. Castellano is on 9 June.",
        &["Wanda's appointment with Dr. Castellano scheduled_for 9 June"],
    );
    check("I can't stand coriander.", &["Nora dislikes coriander"]);
    check(
        "Ines fixed the memory leak.",
        &["memory leak fixed_by Ines"],
    );
    check(
        "Kestrel is our internal deployment tool.",
        &["Kestrel is_a internal deployment tool"],
    );
    check("Sarah and Tom got married.", &["Sarah partner_of Tom"]);
    check(
        "We upgraded Django from 4.2 to 5.0.",
        &["Django has_version 5.0"],
    );
}

#[test]
fn other_names() {
    check(
        "The Talbach Beekeepers Association (TBA) met.",
        &["TBA alias_of Talbach Beekeepers Association"],
    );
    check(
        "We rely on row level security (RLS).",
        &[
            "RLS alias_of row level security",
            "Nora depends_on row level security",
        ],
    );
    check(
        "Kubernetes, also known as K8s, restarted.",
        &["K8s alias_of Kubernetes"],
    );
}

#[test]
fn questions_wishes_and_orders_state_nothing() {
    check("Does Mara live in Berlin?", &[]);
    check("If we use Redis, Mara owns the cache.", &[]);
    check("We could use Redis.", &[]);
    check("Mara might move to Berlin.", &[]);
    check("Use PostgreSQL for that.", &[]);
    check("He said \"Mara lives in Berlin\".", &[]);
    check("Should we switch to Kafka?", &[]);
    check("Maybe Omar works at IBM.", &[]);
    check("You can use Docker here.", &[]);
    check("I would never live in Paris.", &[]);
    check("She lives in Rome.", &[]);
    check("", &[]);
}

#[test]
fn without_an_author_i_is_unknown() {
    let at: Timestamp = NOW.parse().expect("a timestamp");
    let reading = read(&Utterance {
        text: "I live in Rome. My wife Anna does too.",
        author: "",
        role: None,
        at,
    });
    assert_eq!(reading.statements, []);
}

#[test]
fn statements_have_a_validity_period() {
    let since = |text: &str| {
        let statement = stated(text).into_iter().next().expect("a statement");
        (
            statement.valid_from.map(|at| at.to_string()),
            statement.valid_to.map(|at| at.to_string()),
        )
    };
    let day = |day: &str| Some(format!("{day}T00:00:00Z"));
    assert_eq!(
        since("Since March 2024 Ilse works at Siemens."),
        (day("2024-03-01"), None)
    );
    assert_eq!(
        since("Ilse works at Siemens since 2019."),
        (day("2019-01-01"), None)
    );
    assert_eq!(
        since("Omar leads the billing team until Friday."),
        (None, day("2026-03-14"))
    );
    assert_eq!(
        since("Carla no longer lives in Rome."),
        (None, Some(NOW.to_owned()))
    );
}

#[test]
fn descriptions_next_to_a_name() {
    check(
        "Our accountant, Beatriz Nunes, works for Contas Claras GmbH.",
        &[
            "Beatriz Nunes works_as accountant",
            "Beatriz Nunes works_at Contas Claras GmbH",
        ],
    );
    check(
        "Henning Voss, 47, is from Kiel.",
        &["Henning Voss age 47", "Henning Voss comes_from Kiel"],
    );
    check(
        "Please ask Wen from Brightline Insurance about it.",
        &["Wen works_at Brightline Insurance"],
    );
    check(
        "Klara works as a translator for Velo Schmid AG.",
        &["Klara works_as translator", "Klara works_at Velo Schmid AG"],
    );
    check(
        "Jakob owns a Vespa, and he lives in Rome.",
        &["Jakob lives_in Rome", "Jakob owns Vespa"],
    );
    check(
        "We swapped MySQL for Postgres.",
        &["MySQL replaced_by Postgres"],
    );
    check("If Klara worked as a nurse, we would know.", &[]);
    check("We're called Loud Otters now.", &[]);
    check("I don't have a cat. I have never had a cat.", &[]);
}

#[test]
fn introductory_words_hide_nothing() {
    for lead in [
        "By the way, ",
        "Yes, ",
        "As I said, ",
        "So ",
        "Btw ",
        "Honestly, ",
    ] {
        check(
            &format!("{lead}Ilse Brandt lives in Graz."),
            &["Ilse Brandt lives_in Graz"],
        );
    }
}
