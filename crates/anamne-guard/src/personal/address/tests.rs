use super::lists::Streets;
use crate::personal::tests::{check, check_none};

#[test]
fn addresses_are_found() {
    Streets::load().expect("the streets");
    for (text, value) in [
        ("She lives at 12 Castle Street now", "12 Castle Street"),
        (
            "221B Baker Street, London NW1 6XE.",
            "221B Baker Street, London NW1 6XE",
        ),
        (
            "742 Evergreen Terrace, Springfield, IL 62704",
            "742 Evergreen Terrace, Springfield, IL 62704",
        ),
        ("1600 Pennsylvania Avenue NW", "1600 Pennsylvania Avenue"),
        (
            "350 5th Ave, New York, NY 10118",
            "350 5th Ave, New York, NY 10118",
        ),
        ("to 48 Maple Dr.", "48 Maple Dr"),
        (
            "wohnt in der Lindenstraße 12a, 10115 Berlin",
            "Lindenstraße 12a, 10115 Berlin",
        ),
        ("Berliner Str. 5", "Berliner Str. 5"),
        ("Karl-Marx-Allee 78 in Berlin", "Karl-Marx-Allee 78"),
        (
            "Marktplatz 3, 70173 Stuttgart",
            "Marktplatz 3, 70173 Stuttgart",
        ),
        ("Anschrift: Marktplatz 3", "Marktplatz 3"),
        (
            "au 12 rue de la Paix, 75002 Paris",
            "12 rue de la Paix, 75002 Paris",
        ),
        ("5 bis avenue Victor Hugo", "5 bis avenue Victor Hugo"),
        (
            "vive en Calle Mayor 12, 28013 Madrid",
            "Calle Mayor 12, 28013 Madrid",
        ),
        (
            "Avenida de la Constitución, 5",
            "Avenida de la Constitución, 5",
        ),
        ("abita in via Roma, 5", "via Roma, 5"),
        ("Piazza Garibaldi 7", "Piazza Garibaldi 7"),
        (
            "Keizersgracht 123, 1015 CJ Amsterdam",
            "Keizersgracht 123, 1015 CJ Amsterdam",
        ),
        ("Kerkstraat 5", "Kerkstraat 5"),
        (
            "Unter den Linden 77, 10117 Berlin",
            "Unter den Linden 77, 10117 Berlin",
        ),
        ("123 Main St Apt 4", "123 Main St"),
        (
            "14 High Street, Leeds LS1 4AP",
            "14 High Street, Leeds LS1 4AP",
        ),
    ] {
        check(text, "street-address", &[value]);
    }
}

#[test]
fn other_places_of_numbers_are_not() {
    for text in [
        "Spring 5 and String 12, Arbeitsplatz 3, Version 4",
        "in 2019 Wall Street fell",
        "3 Google Drive folders, 10 Google Drive.",
        "via Slack 3 days ago",
        "We sent it via Kafka 3 times",
        "5 street lamps",
        "the 3 Ways",
        "Highway 61",
        "10 rue",
        "12 Monkeys",
        "Chapter 12 Road",
        "5 places to see in Rome",
        "unterwegs 5 Minuten",
        "Jun 2024 07:00:00 -0400",
        "July 20, 2011 Bob",
        "Copyright 2017, 2018 Jason",
        "HTTP 400 -32020",
        "Top 10 tips",
        "Route 66 is long",
        "10 Supreme Court judges",
    ] {
        check_none(text);
    }
}
