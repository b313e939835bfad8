//! Words around a time that give it a direction, narrow it or make it unclear, in every language.

use crate::check;

#[test]
fn common_times_are_read_in_other_languages() {
    check(
        "Was haben wir heute besprochen? | heute = 2026-03-04 2026-03-05
        Was haben wir gestern Abend gegessen? | gestern Abend = 2026-03-03T17:00 2026-03-04
        Was haben wir letzte Woche entschieden? | letzte Woche = 2026-02-23 2026-03-02
        Was war im März 2025? | im März 2025 = 2025-03-01 2025-04-01
        Was war am 3. März 2025? | am 3. März 2025 = 2025-03-03 2025-03-04
        Wo waren wir letzten Sommer? | letzten Sommer = 2025-06-01 2025-09-01
        Wer rief vor drei Tagen an? | vor drei Tagen = 2026-03-01 2026-03-02
        Was ist seit Montag passiert? | seit Montag = 2026-03-02 …
        Was war vor 2024? | vor 2024 = … 2024-01-01
        Was war am Wochenende? | am Wochenende = 2026-02-28 2026-03-02
        Was war heute Morgen? | heute Morgen = 2026-03-04T05:00 2026-03-04T12:00
        Was ist morgen? | morgen = 2026-03-05 2026-03-06
        Qu'avons-nous fait hier, que je sache ? | hier = 2026-03-03 2026-03-04
        Qu'avons-nous décidé la semaine dernière ? | la semaine dernière = 2026-02-23 2026-03-02
        Que s'est-il passé en mars ? | en mars = 2026-03-01 2026-04-01
        Que s'est-il passé il y a trois jours ? | il y a trois jours = 2026-03-01 2026-03-02
        Où étions-nous l'été dernier ? | l'été dernier = 2025-06-01 2025-09-01
        ¿Qué hicimos ayer? | ayer = 2026-03-03 2026-03-04
        ¿Qué decidimos la semana pasada? | la semana pasada = 2026-02-23 2026-03-02
        ¿Qué pasó en marzo de 2025? | en marzo de 2025 = 2025-03-01 2025-04-01
        ¿Qué pasó hace tres días? | hace tres días = 2026-03-01 2026-03-02",
    );
}

#[test]
fn words_before_a_time_give_it_a_direction_in_every_language() {
    check(
        "What crashed prior to March 2025? | prior to March 2025 = … 2025-03-01
        What crashed prior to the release? | prior to the release = Before [release]
        What crashed up to March 2025? | up to March 2025 = … 2025-04-01
        What crashed up until March 2025? | until March 2025 = … 2025-04-01
        What crashed through March 2025? | through March 2025 = … 2025-04-01
        What did we go through last year? | last year = 2025-01-01 2026-01-01
        What crashed earlier than March 2025? | earlier than March 2025 = … 2025-03-01
        What crashed later than May 2025? | later than May 2025 = 2025-06-01 …
        What crashed no later than May 2025? | later than May 2025 = … 2025-06-01
        What crashed starting from March 2025? | from March 2025 = 2025-03-01 …
        What crashed since March until May 2025? | since March until May 2025 = 2025-03-01 2025-06-01
        What crashed before noon today? | before noon today = 2026-03-04 2026-03-04T12:00
        What crashed after 3pm yesterday? | after 3pm yesterday = 2026-03-03T15:00 2026-03-04
        What crashed since 9am yesterday? | since 9am yesterday = 2026-03-03T09:00 …
        What crashed in March 2025 or later? | in March 2025 or later = 2025-03-01 …
        What crashed in 2024 and before? | in 2024 and before = … 2025-01-01
        What crashed from March 2025 onwards in the parser? | from March 2025 onwards = 2025-03-01 …
        Was ist bis gestern abgestürzt? | bis gestern = … 2026-03-04
        Was ist bis letzte Woche abgestürzt? | bis letzte Woche = … 2026-03-02
        Was ist bis Mai 2025 abgestürzt? | bis Mai 2025 = … 2025-06-01
        Was ist bis zum 3. März 2025 abgestürzt? | bis zum 3. März 2025 = … 2025-03-04
        Was ist ab März 2025 abgestürzt? | ab März 2025 = 2025-03-01 …
        Was ist vor dem Wochenende abgestürzt? | vor dem Wochenende = … 2026-02-28
        Was ist nach dem Wochenende abgestürzt? | nach dem Wochenende = 2026-03-02 …
        Was ist vor dem Sommer abgestürzt? | vor dem Sommer = … 2025-06-01
        Qu'est-ce qui a planté jusqu'à hier ? | jusqu'à hier = … 2026-03-04
        Le parseur a planté jusqu’hier | jusqu’hier = … 2026-03-04
        Qu'est-ce qui a planté jusqu'en mai 2025 ? | jusqu'en mai 2025 = … 2025-06-01
        Qu'est-ce qui a planté à partir de mars 2025 ? | partir de mars 2025 = 2025-03-01 …
        Qu'est-ce qui a planté dès lundi ? | dès lundi = 2026-03-02 …
        Qu'est-ce qui a planté avant mars ? | avant mars = … 2026-03-01
        ¿Qué falló antes de 2025? | antes de 2025 = … 2025-01-01
        ¿Qué falló antes del lunes? | antes del lunes = … 2026-03-02
        ¿Qué falló antes del 3 de marzo de 2025? | antes del 3 de marzo de 2025 = … 2025-03-03
        ¿Qué falló después de mayo de 2025? | después de mayo de 2025 = 2025-06-01 …
        ¿Qué falló después de mayo? | después de mayo = 2025-06-01 …
        ¿Qué falló a partir de marzo de 2025? | partir de marzo de 2025 = 2025-03-01 …
        ¿Qué falló hasta mayo de 2025? | hasta mayo de 2025 = … 2025-06-01",
    );
}

#[test]
fn ranges_and_parts_are_read_in_every_language() {
    check(
        "Was war vom 3. bis zum 5. März 2025? | vom 3. bis zum 5. März 2025 = 2025-03-03 2025-03-06
        Was war zwischen dem 3. und dem 5. März 2025? | zwischen dem 3. und dem 5. März 2025 = 2025-03-03 2025-03-06
        Was war seit Montag bis gestern? | seit Montag bis gestern = 2026-03-02 2026-03-04
        Was war im dritten Quartal 2025? | im dritten Quartal 2025 = 2025-07-01 2025-10-01
        Was war vorige Woche? | vorige Woche = 2026-02-23 2026-03-02
        Was war in KW 8? | in KW 8 = 2026-02-16 2026-02-23
        Que s'est-il passé du 3 au 5 mars 2025 ? | du 3 au 5 mars 2025 = 2025-03-03 2025-03-06
        Que s'est-il passé entre le 3 et le 5 mars 2025 ? | entre le 3 et le 5 mars 2025 = 2025-03-03 2025-03-06
        Que s'est-il passé de mars à mai 2025 ? | de mars à mai 2025 = 2025-03-01 2025-06-01
        Que s'est-il passé début mars 2025 ? | début mars 2025 = 2025-03-01 2025-03-11
        Que s'est-il passé fin 2025 ? | fin 2025 = 2025-09-01 2026-01-01
        Que s'est-il passé le mois dernier ? | le mois dernier = 2026-02-01 2026-03-01
        Que s'est-il passé ce mois ? | ce mois = 2026-03-01 2026-04-01
        Que s'est-il passé les trois derniers mois ? | les trois derniers mois = 2025-12-04 now
        Que s'est-il passé le week-end dernier ? | le week-end dernier = 2026-02-28 2026-03-02
        Que s'est-il passé au premier trimestre 2025 ? | au premier trimestre 2025 = 2025-01-01 2025-04-01
        ¿Qué pasó del 3 al 5 de marzo de 2025? | del 3 al 5 de marzo de 2025 = 2025-03-03 2025-03-06
        ¿Qué pasó entre el 3 y el 5 de marzo de 2025? | entre el 3 y el 5 de marzo de 2025 = 2025-03-03 2025-03-06
        ¿Qué pasó desde marzo hasta mayo de 2025? | desde marzo hasta mayo de 2025 = 2025-03-01 2025-06-01
        ¿Qué pasó de marzo a mayo de 2025? | de marzo a mayo de 2025 = 2025-03-01 2025-06-01
        ¿Qué pasó a finales de 2025? | finales de 2025 = 2025-09-01 2026-01-01
        ¿Qué pasó a mediados de marzo de 2025? | mediados de marzo de 2025 = 2025-03-11 2025-03-21
        ¿Qué pasó en el tercer trimestre de 2025? | en el tercer trimestre de 2025 = 2025-07-01 2025-10-01
        What happened in week 8? | in week 8 = 2026-02-16 2026-02-23
        What happened in week 12 of 2025? | in week 12 of 2025 = 2025-03-17 2025-03-24
        What happened in 1850? | in 1850 = 1850-01-01 1851-01-01
        What happened in March 1850? | in March 1850 = 1850-03-01 1850-04-01
        What happened two Mondays ago? | two Mondays ago = 2026-02-23 2026-02-24
        What happened two summers ago? | two summers ago = 2024-06-01 2024-09-01
        What happened March to May? | March to May = 2025-03-01 2025-06-01
        What happened March 2025 to May 2025? | March 2025 to May 2025 = 2025-03-01 2025-06-01",
    );
}

#[test]
fn a_time_after_words_that_change_it_in_an_unknown_way_is_unclear() {
    check(
        "What was not in March? | in March = unclear
        What happened except in March or April? | in March = unclear
        What crashed outside of March 2025? | March 2025 = unclear
        What crashed apart from last week? | from last week = unclear
        What crashed other than last week? | last week = unclear
        What crashed until after March 2025? | after March 2025 = unclear
        What crashed before lunch or after 3pm? | after 3pm = unclear
        What crashed between the launch and March 2025? | March 2025 = unclear
        What was the state as of March 2025? | March 2025 = unclear
        Was war nicht im März 2025? | im März 2025 = unclear
        Was war außer letzter Woche? | letzter Woche = unclear
        Que s'est-il passé sauf lundi ? | lundi = unclear
        ¿Qué pasó en el séptimo trimestre de 2025? | de 2025 = unclear
        ¿Qué pasó al final de marzo de 2025? | de marzo de 2025 = unclear
        What happened on 3/4/2026? | 3/4/2026 = unclear
        What happened a while ago? | a while ago = unclear
        What must be done by Friday? | by Friday = unclear
        Whom did I write to last week? | last week = 2026-02-23 2026-03-02
        What did we say to her yesterday? | yesterday = 2026-03-03 2026-03-04
        What crashed from the launch to yesterday? | yesterday = unclear
        Who had no night in February? | in February = 2026-02-01 2026-03-01
        What happened to yesterday's build? | yesterday's = 2026-03-03 2026-03-04
        Why did it not happen in March? | in March = 2026-03-01 2026-04-01",
    );
}

#[test]
fn a_distance_after_a_longer_time_is_counted_from_its_end() {
    check(
        "What crashed two days after last week? | two days after last week = 2026-03-03 2026-03-04
        What crashed three weeks after March 2025? | three weeks after March 2025 = 2025-04-18 2025-04-25
        What crashed two days after Christmas? | two days after Christmas = 2025-12-28 2025-12-29
        What crashed two days after 3 March 2025? | two days after 3 March 2025 = 2025-03-05 2025-03-06
        What crashed two days before last week? | two days before last week = 2026-02-21 2026-02-22",
    );
}

#[test]
fn times_that_stand_together_are_read_as_one() {
    check(
        "What crashed on February 4 and 5? | on February 4 and 5 = 2026-02-04 2026-02-06
        What crashed on 4 and 5 February 2025? | on 4 and 5 February 2025 = 2025-02-04 2025-02-06
        Was war am 4. und 5. Februar? | am 4. und 5. Februar = 2026-02-04 2026-02-06
        What crashed in the winter of '63? | in the winter of '63 = 1963-12-01 1964-03-01
        What crashed in Q2 '25? | in Q2 '25 = 2025-04-01 2025-07-01
        What crashed on Friday the 13th? | on Friday the 13th = 2026-02-13 2026-02-14
        What crashed on Monday the 1st? | on Monday the 1st = 2025-12-01 2025-12-02
        What crashed on the third Thursday in November? | on the third Thursday in November = 2025-11-20 2025-11-21
        Was war am letzten Freitag im Februar? | am letzten Freitag im Februar = 2026-02-27 2026-02-28
        Was war am Mittwoch, dem 4. Februar 2026? | am Mittwoch, dem 4. Februar 2026 = 2026-02-04 2026-02-05
        What crashed in the week starting February 3? | in the week starting February 3 = 2026-02-03 2026-02-10
        What crashed in the week before last Friday? | in the week before last Friday = 2026-02-20 2026-02-27
        Que s'est-il passé l'année dernière en mai ? | l'année dernière en mai = 2025-05-01 2025-06-01
        Was war letztes Jahr im Mai? | letztes Jahr im Mai = 2025-05-01 2025-06-01
        What crashed yesterday between 2 and 4pm? | yesterday between 2 and 4pm = 2026-03-03T14:00 2026-03-03T16:00
        Was war gestern um 15 Uhr? | gestern um 15 Uhr = 2026-03-03T15:00 2026-03-03T16:00",
    );
}

#[test]
fn parts_of_longer_times() {
    check(
        "What did we do at the end of 2023? | at the end of 2023 = 2023-09-01 2024-01-01
        What did we do in early March 2025? | in early March 2025 = 2025-03-01 2025-03-11
        What did we do in mid-March? | in mid-March = 2026-03-11 2026-03-21
        What did we do late last year? | late last year = 2025-09-01 2026-01-01
        What did we do at the beginning of the month? | at the beginning of the month = 2026-03-01 2026-03-11
        What did we do in the first week of February? | in the first week of February = 2026-02-01 2026-02-08
        What did we do in the last two weeks of January? | in the last two weeks of January = 2026-01-18 2026-02-01
        What did we do on the first Monday of February? | on the first Monday of February = 2026-02-02 2026-02-03
        What did we do on the last day of 2024? | on the last day of 2024 = 2024-12-31 2025-01-01
        What did we do in the second half of 2024? | in the second half of 2024 = 2024-07-01 2025-01-01",
    );
}
