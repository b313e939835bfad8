//! Recall in languages whose letters the built-in model doesn't have, and questions about people who also write.

use anamne::{Draft, Recall, Space};

use crate::common::Home;

/// Notes of a workshop: the same few words in many forms.
const WORKSHOP: [&str; 12] = [
    "Мастер сказал, что скрипку для оркестра надо закончить к пятнице.",
    "Клиентка из Казани спрашивает, сколько стоит ремонт виолончели.",
    "Заказали новый лак у поставщика из Кремоны, привезут в марте.",
    "Гитару с треснувшей декой забрали вчера вечером.",
    "Смычки лежат в верхнем ящике шкафа у окна.",
    "Аренду мастерской подняли, теперь платим сорок тысяч в месяц.",
    "Ученик испортил заготовку грифа, нужно купить чёрное дерево.",
    "Орган в церкви будем настраивать летом вместе с Павлом.",
    "Договор с музыкальной школой продлили на два года.",
    "Клей для деки храним в холодильнике, не на полке.",
    "Флейту прислали почтой, футляр по дороге сломался.",
    "В субботу мастерская закрыта, все едут на ярмарку.",
];

#[track_caller]
fn first(space: &Space, query: &str) -> String {
    let answer = space.recall(&Recall::new(query)).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    let best = answer.results.into_iter().next();
    best.map(|hit| hit.memory.content).unwrap_or_default()
}

#[test]
fn a_question_in_other_inflections_finds_its_memory_first() {
    let home = Home::new();
    let space = home.space();
    for (number, content) in WORKSHOP.iter().enumerate() {
        let thread = format!("notes {}", number / 4);
        space
            .remember(Draft::new(*content).thread(thread))
            .expect("remembered");
    }
    for (query, expected) in [
        ("к какому дню закончить скрипки?", "Мастер сказал"),
        ("что с арендой мастерских?", "Аренду"),
        ("что лежит рядом со смычками?", "Смычки"),
        ("когда настраивают органы в церквях?", "Орган"),
        ("договоры со школами", "Договор"),
    ] {
        let found = first(&space, query);
        assert!(found.starts_with(expected), "{query:?}: {found}");
    }
}

#[test]
fn a_german_question_meets_other_forms_of_its_words() {
    let home = Home::new();
    let space = home.space();
    for content in [
        "Die Steuerberaterin braucht alle Rechnungen der Werkstatt bis Ende März.",
        "Der Zahnarzt hat den Termin auf Donnerstag verschoben.",
        "Die Versicherung der Maschinen läuft im Herbst aus.",
        "Unser Lieferant für Eichenholz sitzt jetzt in Kassel.",
        "Die Kinder fahren in den Ferien zu den Großeltern.",
    ] {
        space.remember(content).expect("remembered");
    }
    let found = first(
        &space,
        "Wann muss die Rechnung bei der Steuerberaterin sein?",
    );
    assert!(found.starts_with("Die Steuerberaterin"), "{found}");
    let found = first(&space, "Wie lange sind unsere Maschinen versichert?");
    assert!(found.starts_with("Die Versicherung"), "{found}");
}

#[test]
fn a_question_about_a_person_who_writes_is_answered_by_what_others_say() {
    let home = Home::new();
    let space = home.space();
    for (content, author) in [
        ("Mia Sund replaces Oskar during his leave.", "Kim"),
        ("The contract with the harbour runs until December.", "Kim"),
        (
            "The storage for the logs is paid by the platform team.",
            "Oskar",
        ),
        ("Please send invoices by e-mail only.", "Mia Sund"),
        ("I am out of office on Friday.", "Mia Sund"),
        ("Open questions: who pays for the monitoring?", "Oskar"),
    ] {
        let draft = Draft::new(content).author(author);
        space.remember(draft).expect("remembered");
    }
    for query in [
        "who is Mia Sund?",
        "what is Mia Sund's job?",
        "wer ist Mia?",
    ] {
        let found = first(&space, query);
        assert!(found.starts_with("Mia Sund replaces"), "{query:?}: {found}");
    }
    let found = first(&space, "what did Mia Sund write about invoices?");
    assert!(found.starts_with("Please send invoices"), "{found}");
}
