//! Which statements conflict, and which only seem to.

use anamne_knowledge::conflicts::{Conflict, Conflicts, claims};
use anamne_knowledge::reading::Utterance;
use anamne_types::ConflictKind;
use anamne_types::Role;
use jiff::Timestamp;

pub(crate) const SUPERSEDED: Option<ConflictKind> = Some(ConflictKind::Superseded);
pub(crate) const CONTESTED: Option<ConflictKind> = Some(ConflictKind::Contested);

/// The conflict with the highest confidence between two texts by `authors`, written a week apart.
fn conflict_between(texts: [&str; 2], authors: [&str; 2], role: Role) -> Option<Conflict> {
    let mut conflicts = Conflicts::new();
    for (row, (text, author)) in texts.into_iter().zip(authors).enumerate() {
        let at: Timestamp = if row == 0 {
            "2024-03-04T09:00:00Z"
        } else {
            "2024-03-11T09:00:00Z"
        }
        .parse()
        .unwrap();
        conflicts.insert(
            row as u32,
            claims(&Utterance {
                text,
                author,
                role: Some(role),
                at,
            }),
        );
    }
    let mut links = conflicts.links();
    links.sort_by(|a, b| b.conflict.confidence.total_cmp(&a.conflict.confidence));
    links.into_iter().next().map(|link| {
        assert_eq!((link.earlier.row, link.later.row), (0, 1));
        link.conflict
    })
}

pub(crate) fn check(cases: &[(&str, &str, Option<ConflictKind>)]) {
    let mut wrong = Vec::new();
    for &(earlier, later, expected) in cases {
        let found = conflict_between([earlier, later], ["ada", "ada"], Role::User);
        if found.as_ref().map(|conflict| conflict.kind) != expected {
            wrong.push(format!(
                "{earlier}\n  {later}\n  expected {expected:?}, found {found:?}"
            ));
        }
        if let Some(conflict) = found {
            assert!((0.5..=1.0).contains(&conflict.confidence), "{conflict:?}");
            assert!(!conflict.reason.is_empty());
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn never_done_and_done_is_contested() {
    check(&[
        (
            "I visited Lisbon twice last year.",
            "I've never visited Lisbon.",
            CONTESTED,
        ),
        (
            "I've been to Japan with my sister.",
            "I have never been to Japan, what should I see first?",
            CONTESTED,
        ),
        (
            "We deployed the billing service to Kubernetes in January.",
            "We've never deployed the billing service to Kubernetes.",
            CONTESTED,
        ),
        (
            "I just finished a pottery course at the community centre.",
            "I've never taken a pottery course before, where do I start?",
            CONTESTED,
        ),
        (
            "I'm using Terraform for our staging cluster.",
            "I have never used Terraform, so please explain the basics.",
            CONTESTED,
        ),
        (
            "After completing 14 chess puzzles I feel sharper.",
            "I've never solved any chess puzzles.",
            CONTESTED,
        ),
        (
            "I submitted the visa application on March 1.",
            "I haven't submitted the visa application.",
            CONTESTED,
        ),
        (
            "I've been practicing the violin for two years.",
            "I've never practiced the violin or read sheet music.",
            CONTESTED,
        ),
        (
            "I sent the contract to Mr. Okafor on Friday.",
            "I've never sent the contract to Mr. Okafor.",
            CONTESTED,
        ),
        (
            "I attended the beekeeping workshop in Ghent.",
            "I've never attended any workshops or classes on beekeeping.",
            CONTESTED,
        ),
        (
            "I downloaded Obsidian yesterday to collect my notes.",
            "I've never used any note-taking tools, like Obsidian.",
            CONTESTED,
        ),
        (
            "I fixed two memory leaks in the parser.",
            "I've never fixed any memory leaks in the parser, so guide me.",
            CONTESTED,
        ),
        (
            "I missed the therapy session on Monday because of the flu.",
            "I've never missed a therapy session.",
            CONTESTED,
        ),
        (
            "I've sold three paintings at the spring market.",
            "I don't understand why I have never sold any paintings.",
            CONTESTED,
        ),
    ]);
}

#[test]
fn doing_it_later_supersedes_never_having_done_it() {
    check(&[
        (
            "I've never used Docker before.",
            "I've now started using Docker for the shop's backend.",
            SUPERSEDED,
        ),
        (
            "I haven't read Middlemarch yet.",
            "I read Middlemarch on the train and loved it.",
            SUPERSEDED,
        ),
        (
            "I've never baked sourdough bread.",
            "I just baked my first sourdough bread!",
            SUPERSEDED,
        ),
        (
            "I have never run a half marathon.",
            "I completed my first half marathon on Sunday.",
            SUPERSEDED,
        ),
        (
            "We have not signed the lease for the workshop.",
            "We signed the lease for the workshop this morning.",
            SUPERSEDED,
        ),
        (
            "I've never met the landlord in person.",
            "I met the landlord this afternoon, a friendly man.",
            SUPERSEDED,
        ),
    ]);
}

#[test]
fn an_ended_state_supersedes_the_state() {
    check(&[
        (
            "I use Trello to plan my week.",
            "I no longer use Trello.",
            SUPERSEDED,
        ),
        (
            "I use Vim for everything.",
            "I switched from Vim to Helix last month.",
            SUPERSEDED,
        ),
        (
            "We use Jenkins for our builds.",
            "We migrated from Jenkins to Buildkite.",
            SUPERSEDED,
        ),
        (
            "I'm taking magnesium supplements every evening.",
            "I stopped taking magnesium supplements.",
            SUPERSEDED,
        ),
        (
            "I play the cello in an amateur orchestra.",
            "I don't play the cello anymore.",
            SUPERSEDED,
        ),
        (
            "I live in Bergen.",
            "I moved to Trondheim for the new job.",
            SUPERSEDED,
        ),
        (
            "I work at Hallmark Dairy.",
            "I now work at Fjord Logistics.",
            SUPERSEDED,
        ),
        (
            "My favorite dish is ramen.",
            "My favorite dish is now lasagna.",
            SUPERSEDED,
        ),
        (
            "My manager is Priya.",
            "My manager is now Tobias.",
            SUPERSEDED,
        ),
    ]);
}

#[test]
fn a_later_value_supersedes_an_earlier_one() {
    check(&[
        (
            "The deadline for the grant proposal is May 2, 2024.",
            "The deadline for the grant proposal was moved to May 16.",
            SUPERSEDED,
        ),
        (
            "My weekly call quota is 5 calls.",
            "My weekly call quota is now 8 calls.",
            SUPERSEDED,
        ),
        (
            "Our wedding budget is $18,000.",
            "We increased our wedding budget to $22,500.",
            SUPERSEDED,
        ),
        (
            "The nightly backup takes 40 minutes.",
            "The nightly backup now takes 25 minutes.",
            SUPERSEDED,
        ),
        (
            "The test coverage of the payment module is 62%.",
            "Test coverage of the payment module has improved to 81%.",
            SUPERSEDED,
        ),
        (
            "I have a dentist appointment with Dr. Lund on April 9.",
            "My dentist appointment with Dr. Lund was rescheduled to April 23.",
            SUPERSEDED,
        ),
        (
            "I have a vet appointment for Biscuit on Tuesday.",
            "The vet appointment for Biscuit got moved to Thursday.",
            SUPERSEDED,
        ),
        (
            "Our newsletter has 1,200 subscribers.",
            "Our newsletter has now reached 1,350 subscribers.",
            SUPERSEDED,
        ),
        (
            "I've completed 10 listening exercises in Spanish.",
            "I've now completed 17 listening exercises in Spanish.",
            SUPERSEDED,
        ),
        (
            "My rent is €900.",
            "My rent went up from €900 to €960.",
            SUPERSEDED,
        ),
        (
            "The herb garden has 6 raised beds.",
            "I built two beds, so now the herb garden has 8 raised beds.",
            SUPERSEDED,
        ),
        (
            "The average response time of the search API is 320ms.",
            "The average response time of the search API, which has recently improved to 190ms, is fine.",
            SUPERSEDED,
        ),
        (
            "My savings account for the boat holds $4,000.",
            "My savings account for the boat has grown to $5,500.",
            SUPERSEDED,
        ),
        (
            "The choir rehearsal is at 6 PM on Wednesdays.",
            "The choir rehearsal was moved to 7 PM.",
            SUPERSEDED,
        ),
        (
            "We have 42 guests confirmed for the gala.",
            "The number of confirmed guests for the gala has increased to 57.",
            SUPERSEDED,
        ),
        (
            "The thesis draft has 9,000 words.",
            "My thesis draft reached 12,400 words.",
            SUPERSEDED,
        ),
        (
            "The launch date of the podcast is June 3.",
            "The new launch date of the podcast is June 24.",
            SUPERSEDED,
        ),
    ]);
}

#[test]
fn plans_wishes_questions_and_requests_claim_nothing() {
    check(&[
        (
            "I want to visit Lisbon next year.",
            "I've never visited Lisbon.",
            None,
        ),
        (
            "Have you ever used Terraform?",
            "I've never used Terraform.",
            None,
        ),
        (
            "Can you show me how to deploy the billing service?",
            "We've never deployed the billing service.",
            None,
        ),
        (
            "If I had used Docker, this would be easy.",
            "I've never used Docker.",
            None,
        ),
        (
            "I'm planning to take a pottery course.",
            "I've never taken a pottery course.",
            None,
        ),
        (
            "My goal is to reach 90% test coverage of the payment module.",
            "Test coverage of the payment module has reached 70%.",
            None,
        ),
        (
            "I hope to sell 30 paintings.",
            "I've now sold 12 paintings.",
            None,
        ),
        (
            "Would a budget of $500 be enough for the trip?",
            "Our trip budget is now $800.",
            None,
        ),
        (
            "Here is my code:\n```\n# I have never used Redis\n```",
            "I use Redis for the queue.",
            None,
        ),
        (
            "She wrote \"I have never been to Rome in my life\" on the card.",
            "I've been to Rome.",
            None,
        ),
    ]);
}

#[test]
fn different_things_are_not_in_conflict() {
    check(&[
        ("I've been to Japan.", "I've never been to Peru.", None),
        (
            "I submitted my essay to Professor Hale.",
            "I've never submitted my essay to a journal.",
            None,
        ),
        (
            "The deadline for sprint 1 is April 5.",
            "The deadline for sprint 2 is now April 19.",
            None,
        ),
        (
            "I solved 5 chess puzzles.",
            "I've now solved 9 crossword puzzles.",
            None,
        ),
        ("I ran 5 km on Tuesday.", "I ran 8 km on Thursday.", None),
        (
            "I weighed 71 kg in January.",
            "My sister's dog weighs 9 kg now.",
            None,
        ),
        (
            "My flight to Oslo is on May 3.",
            "My flight to Riga is on May 9.",
            None,
        ),
        (
            "The kitchen renovation costs $12,000.",
            "The bathroom renovation costs $7,000.",
            None,
        ),
        (
            "I bought 3 lamps for the hallway.",
            "I bought 5 lamps for the attic.",
            None,
        ),
        (
            "We interviewed 4 candidates for the design role.",
            "We've now interviewed 9 candidates for the sales role.",
            None,
        ),
        (
            "Our office in Porto has 30 desks.",
            "Our office in Graz has now 45 desks.",
            None,
        ),
        (
            "Postgres 14 runs on the old server.",
            "Redis 7 runs on the old server now.",
            None,
        ),
        (
            "I finished the pottery mug on May 1.",
            "I finished the pottery vase on May 20.",
            None,
        ),
        (
            "I asked for a raise of $4,000.",
            "My salary increased to $64,000.",
            None,
        ),
        (
            "The meeting with Lena is on April 3.",
            "The meeting with Lena is on May 8.",
            None,
        ),
    ]);
}

#[test]
fn the_same_in_other_words_is_no_conflict() {
    check(&[
        (
            "The standup is at 15:00.",
            "The standup is now at 3 PM.",
            None,
        ),
        (
            "Our mailing list has about 200 readers.",
            "Our mailing list now has 198 readers.",
            None,
        ),
        (
            "The hike takes 2 hours.",
            "The hike now takes 120 minutes.",
            None,
        ),
        (
            "The ferry costs $1,200.",
            "The ferry now costs $1200.",
            None,
        ),
        (
            "The deadline for the report is 2024-04-05.",
            "The deadline for the report is now April 5, 2024.",
            None,
        ),
        ("My manager is Priya.", "My manager is Priya Raman.", None),
        (
            "I've never been to Rome.",
            "As I said, I have never been to Rome.",
            None,
        ),
    ]);
}

#[test]
fn moods_and_figures_of_speech_deny_nothing() {
    check(&[
        ("I gave up coffee in May.", "I never give up.", None),
        (
            "I saw Nadia at the market.",
            "I haven't seen Nadia in a while.",
            None,
        ),
        (
            "I've had a good week.",
            "I've never had such a good week.",
            None,
        ),
        (
            "I had time to read yesterday.",
            "I don't have time to read.",
            None,
        ),
        (
            "I went swimming on Monday.",
            "I haven't gone swimming since Tuesday.",
            None,
        ),
        (
            "I tasted something like this in Hanoi.",
            "I've never tasted anything like this.",
            None,
        ),
        (
            "I think it will rain.",
            "I never thought it would rain.",
            None,
        ),
    ]);
}

#[test]
fn in_the_middle_of_other_talk_it_is_contested() {
    check(&[
        (
            "I've integrated the weather API into my dashboard, and now I'm struggling with caching, can you help?",
            "I want to add a forecast widget, but I've never integrated any weather API into this dashboard, so where do I begin?",
            CONTESTED,
        ),
        (
            "I spoke with Amara about the scholarship essay on September 3 and she liked the opening, what should I add?",
            "I've never discussed the scholarship essay with Amara, should I ask for her opinion?",
            CONTESTED,
        ),
        (
            "I've completed two mock interviews with my career coach, any tips for the third?",
            "I've never done any mock interviews with a career coach, would it help?",
            CONTESTED,
        ),
        (
            "I've been keeping a gratitude journal since New Year, how do I make it less repetitive?",
            "I've never kept a gratitude journal, what are the benefits?",
            CONTESTED,
        ),
        (
            "I organised a fundraising dinner for the shelter last spring that brought in $6,000, how can I repeat it?",
            "I have never organised a fundraising event, so please start from the basics.",
            CONTESTED,
        ),
        (
            "I'm working on the checkout page and I've integrated Stripe payments, which took about a day.",
            "I've never integrated Stripe or handled payments in this project, so where do I begin?",
            CONTESTED,
        ),
        (
            "I met with my advisor, Dr. Kim, on March 4 to go over my outline.",
            "I've never met with my advisor about my outline, what should I prepare?",
            CONTESTED,
        ),
        (
            "I've been working with Luca on the documentary since last fall.",
            "I've never collaborated with Luca on anything.",
            CONTESTED,
        ),
        (
            "I went to the networking event at the Marriott on February 20 and collected 12 business cards.",
            "I've never attended any networking events, so I'm nervous.",
            CONTESTED,
        ),
        (
            "I've got Redis caching set up on the product pages and it's been fast.",
            "I have never set up Redis caching before.",
            CONTESTED,
        ),
        (
            "We've written unit tests for the login flow using pytest.",
            "I've never written any unit tests for the login flow, can you help?",
            CONTESTED,
        ),
        (
            "I bought a Canon EOS R6 in May for my wildlife photos.",
            "I've never owned a Canon camera.",
            CONTESTED,
        ),
        (
            "I finished reading Dune last week and it was great.",
            "I've never read Dune, is it worth it?",
            CONTESTED,
        ),
        (
            "I wrote a custom hook for fetching data in React.",
            "I have never written a custom hook in React before.",
            CONTESTED,
        ),
        (
            "I love running in the morning.",
            "I hate running in the morning.",
            CONTESTED,
        ),
        (
            "I drink coffee every morning.",
            "I don't drink coffee.",
            CONTESTED,
        ),
        (
            "The library supports Windows.",
            "The library doesn't support Windows.",
            CONTESTED,
        ),
        ("I own two cats.", "I don't have any cats.", CONTESTED),
        (
            "I'm trying to tune my greenhouse controller, and I've already calibrated the humidity sensor with a salt test, but it drifts by 3% overnight, can you help me find out why?",
            "I've never calibrated the humidity sensor, so could you walk me through it step by step?",
            CONTESTED,
        ),
        (
            "I've been mentoring two interns, Priya and Jonas, since January, and I want to structure our weekly sessions better, any ideas?",
            "I've never mentored any interns or junior staff before, what are the first steps?",
            CONTESTED,
        ),
        (
            "I gave a presentation on soil erosion at the regional summit last November, how do I turn it into a paper?",
            "I have never given a presentation at a conference or summit, so I'm quite nervous, can you help?",
            CONTESTED,
        ),
        (
            "I rented a van for the move on April 2, what should I check before driving?",
            "I've never rented a van or a truck before, what do I need to know?",
            CONTESTED,
        ),
        (
            "I've already set up two-factor authentication for the admin panel, and I'm wondering whether to add passkeys, what do you think?",
            "I've never set up two-factor authentication in this project, so could you show me how?",
            CONTESTED,
        ),
        (
            "I hired a contractor, Felipe, to retile the bathroom in March, what should the contract say?",
            "I've never hired a contractor for any home renovation, how do I choose one?",
            CONTESTED,
        ),
        (
            "I've been tracking my water intake with a spreadsheet for six weeks, is there a better way?",
            "I have never tracked my water intake, where do I start?",
            CONTESTED,
        ),
        (
            "I presented my poster at the Lyon symposium in October and got useful comments, how do I use them?",
            "I've never presented a poster at any symposium, so please give me tips.",
            CONTESTED,
        ),
        (
            "I joined a book club in my neighbourhood last month, we read a novel a month, any suggestions?",
            "I've never joined a book club or reading group, is it worth it?",
            CONTESTED,
        ),
        (
            "I've just planted tomatoes and basil in the raised bed, how often should I water?",
            "I've never planted tomatoes, can you tell me when to begin?",
            CONTESTED,
        ),
        (
            "I negotiated my salary with HR on May 2 and got 4% more, should I ask for more next year?",
            "I've never negotiated my salary, what should I say?",
            CONTESTED,
        ),
        (
            "I visited the dermatologist last week about the rash, what else can I do?",
            "I haven't visited a dermatologist about the rash, should I?",
            CONTESTED,
        ),
    ]);
}

#[test]
fn in_the_middle_of_other_talk_it_is_superseded() {
    check(&[
        (
            "My current draft has 12 references, is it enough for a review?",
            "I've expanded it, so my current draft now has 19 references, is it enough?",
            SUPERSEDED,
        ),
        (
            "The project deadline is November 8, can you make a plan?",
            "My supervisor gave me more time, the new project deadline is November 22, can you redo the plan?",
            SUPERSEDED,
        ),
        (
            "I do 3 strength sessions per week, is it too little?",
            "I've recently increased my strength sessions to 4 per week, is it too much?",
            SUPERSEDED,
        ),
        (
            "I've invited 60 people to the opening, how much wine do I need?",
            "The guest list grew and I've now invited 75 people to the opening, how much wine do I need?",
            SUPERSEDED,
        ),
        (
            "Our monthly hosting bill is $210, any way to save?",
            "Our monthly hosting bill has dropped to $140 since the move, any way to save more?",
            SUPERSEDED,
        ),
        (
            "I have a phone interview with Brightpath on Monday at 11 AM, how do I prepare?",
            "The phone interview with Brightpath was pushed to Wednesday at 2 PM, how do I use the extra time?",
            SUPERSEDED,
        ),
        (
            "My landlord is Mr. Petrov, he is slow to answer.",
            "My landlord is now Ms. Ibarra, she is quick to answer.",
            SUPERSEDED,
        ),
        (
            "I've collected 30 survey responses for my thesis, is this enough?",
            "I've now collected 55 survey responses for my thesis, is this enough?",
            SUPERSEDED,
        ),
        (
            "I've never applied for a grant in my life.",
            "I've applied for the community arts grant and I'm waiting to hear back.",
            SUPERSEDED,
        ),
        (
            "I haven't booked the flights to Athens yet.",
            "I booked the flights to Athens last night.",
            SUPERSEDED,
        ),
        (
            "I don't eat dairy.",
            "I've started eating dairy again.",
            SUPERSEDED,
        ),
        (
            "The API rate limit is 1,000 requests per day.",
            "The API rate limit was raised to 1,500 requests per day.",
            SUPERSEDED,
        ),
        (
            "My 5K personal best is 27 minutes.",
            "My 5K personal best is now 25 minutes.",
            SUPERSEDED,
        ),
        (
            "I've saved $2,000 for the trip to Kenya.",
            "My savings for the Kenya trip have now reached $3,200.",
            SUPERSEDED,
        ),
        (
            "The conference is scheduled for September 12.",
            "The conference has been postponed to October 3.",
            SUPERSEDED,
        ),
        (
            "My team has 6 engineers.",
            "Our team has grown to 9 engineers.",
            SUPERSEDED,
        ),
        (
            "My mentor is Joanna Reyes.",
            "My mentor is now Derek Holt.",
            SUPERSEDED,
        ),
        (
            "I have 3 rescue dogs.",
            "I adopted another one, so I now have 4 rescue dogs.",
            SUPERSEDED,
        ),
        (
            "My credit score is 680.",
            "My credit score has improved to 715.",
            SUPERSEDED,
        ),
        (
            "My monthly grocery budget is $400.",
            "I've adjusted my monthly grocery budget to $450.",
            SUPERSEDED,
        ),
        (
            "The app has 250 daily users.",
            "The app now has 410 daily users.",
            SUPERSEDED,
        ),
        (
            "I read 12 books so far this year.",
            "I've read 19 books so far this year.",
            SUPERSEDED,
        ),
        (
            "Our appointment with the mortgage broker is at 2 PM on Friday.",
            "Our appointment with the mortgage broker got moved to 4 PM.",
            SUPERSEDED,
        ),
        (
            "My sister lives in Austin.",
            "My sister moved to Denver.",
            SUPERSEDED,
        ),
        (
            "The wedding venue is the Rosewood Barn.",
            "We changed the wedding venue to the Lakeside Pavilion.",
            SUPERSEDED,
        ),
        (
            "We're using MongoDB for the catalog.",
            "We switched from MongoDB to Postgres last week.",
            SUPERSEDED,
        ),
        (
            "The response rate of the survey is 34%.",
            "The survey response rate climbed to 41%.",
            SUPERSEDED,
        ),
        (
            "My blood pressure medication dose is 10 mg.",
            "My doctor increased my blood pressure medication dose to 20 mg.",
            SUPERSEDED,
        ),
        (
            "I submitted 8 job applications.",
            "I've now submitted 15 job applications.",
            SUPERSEDED,
        ),
        (
            "The bug tracker shows 23 open bugs.",
            "The bug tracker now shows 9 open bugs.",
            SUPERSEDED,
        ),
        (
            "I'm trying to reduce the page weight, which currently stands at 2.4 MB, can you suggest something?",
            "After compressing the images the page weight has dropped to 1.1 MB, what else can I do?",
            SUPERSEDED,
        ),
        (
            "I've got 14 volunteers signed up for the river cleanup, how do I split them into groups?",
            "I'm updating the river cleanup plan since the number of volunteers signed up has grown to 21, can you help me rearrange the groups?",
            SUPERSEDED,
        ),
        (
            "My interview with the hospital board is set for June 4 at 10 AM, what should I wear?",
            "My interview with the hospital board has been rescheduled to June 11, so I have more time, what should I read?",
            SUPERSEDED,
        ),
        (
            "I want to prepare for the exam, I've scored 71% on the mock anatomy exam, is this good?",
            "I retook it and my mock anatomy exam score has now improved to 84%, should I change my plan?",
            SUPERSEDED,
        ),
        (
            "Our crowdfunding campaign has 340 backers so far, how can we keep the momentum?",
            "The crowdfunding campaign now has 512 backers, which is amazing, what's next?",
            SUPERSEDED,
        ),
        (
            "I have a mortgage rate of 4.1%, is refinancing a good idea?",
            "I renegotiated and my mortgage rate is now 3.6%, how much do I save?",
            SUPERSEDED,
        ),
        (
            "I planned a 3-day trip to Porto with a budget of €700, can you help?",
            "I've raised the budget for the Porto trip to €950, can you rework the plan?",
            SUPERSEDED,
        ),
        (
            "I walk 6,000 steps a day at the moment, how can I do more?",
            "I've increased my daily walking to 9,000 steps a day and feel great, what next?",
            SUPERSEDED,
        ),
        (
            "The quilt has 48 squares, how big will it be?",
            "I added another row, so the quilt now has 54 squares, does it change the size?",
            SUPERSEDED,
        ),
        (
            "My physiotherapist is Marta Nowak, she suggested stretches.",
            "My physiotherapist is now Elif Kaya, should I tell her about the stretches?",
            SUPERSEDED,
        ),
        (
            "I have a reading goal of 30 books this year, how do I keep up?",
            "I've raised my reading goal to 40 books this year, can you adjust my plan?",
            SUPERSEDED,
        ),
        (
            "The error rate of the importer is 8%, what could be wrong?",
            "After the patch the importer's error rate has dropped to 2%, is this good enough?",
            SUPERSEDED,
        ),
        (
            "The house inspection is on Thursday at 9 AM, what should I check?",
            "The house inspection has been moved to Friday, does this change anything?",
            SUPERSEDED,
        ),
        (
            "We have 85 RSVPs for the reunion, how many tables do we need?",
            "We now have 102 RSVPs for the reunion, how many tables do we need?",
            SUPERSEDED,
        ),
        (
            "My Spanish vocabulary is about 800 words, how can I grow it?",
            "My Spanish vocabulary has grown to 1,100 words, what next?",
            SUPERSEDED,
        ),
        (
            "The podcast has 3 episodes recorded, what about cover art?",
            "I've recorded more and the podcast now has 7 episodes recorded, what about a trailer?",
            SUPERSEDED,
        ),
        (
            "My average sleep is 6 hours a night, is that bad?",
            "My average sleep has increased to 7 hours a night, is that better?",
            SUPERSEDED,
        ),
        (
            "The exhibition closes on July 7.",
            "The exhibition was extended until July 21.",
            SUPERSEDED,
        ),
        (
            "Our CI pipeline takes 18 minutes, how can I speed it up?",
            "With caching our CI pipeline now takes 11 minutes, can I go lower?",
            SUPERSEDED,
        ),
        (
            "I've written 14,000 words of my novel, how do I keep going?",
            "I've now written 22,000 words of my novel, how do I keep going?",
            SUPERSEDED,
        ),
        (
            "I have two kids, Mia and Leo.",
            "We had a baby, so we now have three kids.",
            SUPERSEDED,
        ),
    ]);
}

#[test]
fn similarity_alone_is_no_conflict() {
    check(&[
        (
            "We store the sessions in memory.",
            "We moved from in-memory sessions to Redis.",
            None,
        ),
        (
            "I completed the first module with 92% and the second one with 85%.",
            "I completed the third module with 78%.",
            None,
        ),
        (
            "I have 2 meetings on Monday.",
            "I now have 4 meetings on Tuesday.",
            None,
        ),
        (
            "I've never managed a budget this large.",
            "I've managed the café's budget for years.",
            None,
        ),
        (
            "My essay on Kafka got 82%.",
            "My essay on Woolf got 90%.",
            None,
        ),
        (
            "I want to increase my savings to $10,000.",
            "My savings have grown to $6,000.",
            None,
        ),
        (
            "The red bike costs $400.",
            "The blue bike now costs $350.",
            None,
        ),
        (
            "I'm preparing 3 slides for the intro.",
            "I'm now preparing 7 slides for the results.",
            None,
        ),
        (
            "I interviewed at Acme on May 3.",
            "I've never interviewed at Globex.",
            None,
        ),
        (
            "I haven't painted the bedroom yet.",
            "I painted the hallway.",
            None,
        ),
        (
            "The package weighs 3 kg.",
            "The other package now weighs 5 kg.",
            None,
        ),
        (
            "I've used React for five years.",
            "I've never used React Native.",
            None,
        ),
        (
            "I did 20 minutes of yoga this morning.",
            "I did 45 minutes of yoga this evening.",
            None,
        ),
        (
            "My train to Lyon is at 8 AM.",
            "My train to Nice is now at 9 AM.",
            None,
        ),
        (
            "I've fixed the login bug.",
            "I've never fixed the payment bug.",
            None,
        ),
        (
            "I bought a house in 2015 for $300,000.",
            "The house is now worth $450,000.",
            None,
        ),
        (
            "I drank 2 cups of coffee.",
            "I've now drunk 3 glasses of water.",
            None,
        ),
        (
            "I've taken the bus to work.",
            "I've never taken the bus to the airport.",
            None,
        ),
        (
            "My mom has visited Iceland.",
            "I have never visited Iceland.",
            None,
        ),
        ("I ate sushi on Monday.", "I ate pizza on Tuesday.", None),
        (
            "My first marathon took 4 hours.",
            "My second marathon took 3 hours.",
            None,
        ),
        ("I've never tried sushi.", "I made pasta yesterday.", None),
        (
            "My brother has never been to Spain.",
            "I've been to Spain.",
            None,
        ),
        (
            "I finished chapter 3 of the novel.",
            "I've now finished chapter 4 of the novel.",
            None,
        ),
        (
            "The train leaves at 9 AM.",
            "The bus now leaves at 10 AM.",
            None,
        ),
        (
            "I paid $30 for the concert ticket.",
            "I paid $45 for the theatre ticket.",
            None,
        ),
        (
            "I have a meeting with Sara on May 4.",
            "I have a meeting with Omar on May 6.",
            None,
        ),
        (
            "We raised $5,000 at the bake sale.",
            "We raised $8,000 at the auction.",
            None,
        ),
        (
            "The recipe needs 2 eggs.",
            "The cake recipe now needs 3 cups of flour.",
            None,
        ),
        ("I've never used Photoshop.", "I use Figma every day.", None),
        (
            "The login page loads in 2 seconds.",
            "The dashboard page now loads in 4 seconds.",
            None,
        ),
        (
            "I haven't finished the report.",
            "I started the report last week.",
            None,
        ),
        (
            "I slept 6 hours last night.",
            "I slept 8 hours on Sunday.",
            None,
        ),
        ("I've never been so happy.", "I was happy yesterday.", None),
        ("I don't like mushrooms.", "I like carrots.", None),
        (
            "I haven't heard back from the bank.",
            "I heard a great song.",
            None,
        ),
        ("I have 2 sisters.", "I have 3 brothers now.", None),
        (
            "My daughter is 7 years old.",
            "My son is now 5 years old.",
            None,
        ),
        (
            "Version 2.3 of the SDK fixed the crash.",
            "Version 2.4 of the SDK is now out.",
            None,
        ),
        (
            "The Q1 revenue was $1.2 million.",
            "The Q2 revenue has increased to $1.5 million.",
            None,
        ),
        (
            "I ran 10 miles in April.",
            "I've now run 22 miles in May.",
            None,
        ),
        (
            "I've never missed a deadline.",
            "I met the deadline for the grant.",
            None,
        ),
        ("I used to smoke.", "I don't smoke.", None),
        (
            "I'm thinking of switching from Slack to Teams.",
            "We use Slack for chat.",
            None,
        ),
        (
            "The budget for the logo is $300.",
            "The budget for the website is now $2,000.",
            None,
        ),
        (
            "I've completed 5 of the 20 modules.",
            "The course has 20 modules.",
            None,
        ),
        (
            "I bought 2 tickets for Hamilton.",
            "I've now bought 4 tickets for Wicked.",
            None,
        ),
        (
            "The old house had 3 bedrooms.",
            "The new house has 5 bedrooms.",
            None,
        ),
        (
            "I called the plumber at 9 AM.",
            "I called the electrician at 11 AM.",
            None,
        ),
        (
            "Alice's deadline is June 1.",
            "Bob's deadline is now June 8.",
            None,
        ),
        (
            "I don't know the password.",
            "I know the way to the office.",
            None,
        ),
        (
            "I've spent $200 on paint.",
            "I've now spent $350 on brushes.",
            None,
        ),
        (
            "I've cut my sugar intake by 20%, what else?",
            "I've now cut my salt intake by 35%, is this enough?",
            None,
        ),
        (
            "I'm trying to make a vegan cake with 3 bananas, any tips?",
            "I'm now making a vegan lasagna with 5 tomatoes, any tips?",
            None,
        ),
        (
            "My test on thermodynamics is on May 3, help me revise.",
            "My test on optics is on May 17, help me revise.",
            None,
        ),
        (
            "I've read 5 papers on coral bleaching, can you summarise the field?",
            "I've now read 8 papers on wave energy, can you summarise the field?",
            None,
        ),
        (
            "I finished the first draft of chapter 2 on April 3, what next?",
            "I finished the second draft of chapter 2 on April 20, what next?",
            None,
        ),
        (
            "I've never worked with GraphQL, is it hard?",
            "I built the REST endpoints with Express, is it fine?",
            None,
        ),
        (
            "I haven't decided on a venue, can you compare two?",
            "I've decided to skip lunch today, is this ok?",
            None,
        ),
        (
            "I sold 12 mugs at the Saturday market, how do I price them?",
            "I sold 19 mugs at the Sunday market, how do I price them?",
            None,
        ),
        (
            "The heating system uses 12 kWh a day in winter.",
            "The cooling system now uses 20 kWh a day in summer.",
            None,
        ),
        (
            "I met Carlos at the climbing gym on March 2, he's great.",
            "I met Yuki at the climbing gym on April 6, she's great.",
            None,
        ),
        (
            "I've never had problems with my knee.",
            "I've had problems with the printer all week.",
            None,
        ),
        (
            "I never skip breakfast.",
            "I skipped the meeting about breakfast menus.",
            None,
        ),
        (
            "Our landlord increased the rent by $50.",
            "Our landlord increased the deposit by $200.",
            None,
        ),
        (
            "The tutorial says to use 2 GB of memory for the cache.",
            "I'm now using 8 GB of memory for the virtual machine.",
            None,
        ),
        (
            "I've got a call with Dana at 3 PM on Monday, what should I ask?",
            "I've got a call with Dana at 4 PM on Thursday, what should I ask?",
            None,
        ),
        (
            "I've done 10 push-ups today.",
            "I've done 15 push-ups today.",
            None,
        ),
        (
            "I completed 3 modules of the Python course, what now?",
            "I've completed 7 modules of the statistics course, what now?",
            None,
        ),
        (
            "I spent 2 hours on the essay's introduction.",
            "I spent 4 hours on the essay's conclusion.",
            None,
        ),
        (
            "I've never used a pressure cooker for beans.",
            "I cooked beans in a clay pot on Sunday.",
            None,
        ),
        (
            "I wasn't able to attend the parents' evening.",
            "I attended the school concert.",
            None,
        ),
        (
            "We don't have a spare key.",
            "We have a spare tyre in the trunk.",
            None,
        ),
        (
            "I'm allergic to peanuts, so I never eat them.",
            "I eat almonds every day.",
            None,
        ),
        ("I want to lose 5 kg by June.", "I've lost 2 kg now.", None),
        (
            "The team won 4 games in 2022.",
            "The team has won 7 games in 2023.",
            None,
        ),
        (
            "I used 3 eggs for the omelette.",
            "I've now used 6 eggs for the custard.",
            None,
        ),
        (
            "Nina's thesis has 80 pages.",
            "Omar's thesis now has 120 pages.",
            None,
        ),
        (
            "The patient's temperature was 38.5 °C on Monday.",
            "The patient's temperature was 37.2 °C on Wednesday.",
            None,
        ),
        (
            "I bought the tickets to Vienna.",
            "I haven't bought the tickets to Prague yet.",
            None,
        ),
        (
            "I've never seen the northern lights.",
            "I saw the lights of the harbour last night.",
            None,
        ),
        (
            "I think the deadline should be May 5.",
            "The deadline is now May 9.",
            None,
        ),
        (
            "Set the timer to 20 minutes.",
            "Set the timer to 35 minutes.",
            None,
        ),
        (
            "My partner and I adopted a greyhound in June, how do we train her?",
            "I've never adopted a dog, what should I look out for?",
            None,
        ),
        (
            "I've painted the fence green.",
            "I've never painted a portrait.",
            None,
        ),
        (
            "I'm learning guitar with an app, 20 minutes a day.",
            "I'm now learning French with an app, 40 minutes a day.",
            None,
        ),
        (
            "The flight takes 2 hours.",
            "The drive to the airport now takes 1 hour.",
            None,
        ),
        (
            "I've spent 3 hours debugging the parser.",
            "I've now spent 5 hours debugging the lexer.",
            None,
        ),
        (
            "The hall seats 200 people.",
            "The new hall seats 350 people.",
            None,
        ),
        (
            "I scored 78% on the biology quiz.",
            "I scored 91% on the chemistry quiz.",
            None,
        ),
        (
            "My grandfather never learned to drive.",
            "I learned to drive at 18.",
            None,
        ),
        (
            "I haven't tried the new café on Main Street.",
            "I tried the soup at my aunt's house.",
            None,
        ),
        (
            "We have a deadline of May 1 for the brochure.",
            "We have a new deadline of June 1 for the annual report.",
            None,
        ),
        (
            "The server in Frankfurt has 16 cores.",
            "The server in Dublin now has 32 cores.",
            None,
        ),
        (
            "I take 20 mg of the first medication.",
            "I now take 5 mg of the second medication.",
            None,
        ),
        (
            "She has 3 cats and I have 2 dogs.",
            "He now has 4 birds.",
            None,
        ),
        (
            "I never use the microwave.",
            "I use the oven on weekends.",
            None,
        ),
        (
            "I didn't attend Monday's lecture.",
            "I attended Tuesday's lecture.",
            None,
        ),
        (
            "I've completed 2 laps today, what a run.",
            "I've completed 6 crosswords, what a day.",
            None,
        ),
        (
            "The museum was closed on Monday.",
            "The museum is now open until 8 PM.",
            None,
        ),
        (
            "I've got 5 tomatoes left.",
            "I've now got 2 onions left.",
            None,
        ),
        (
            "I lost 3 kg last month.",
            "I've lost 1 kg this month.",
            None,
        ),
        (
            "The first draft of the screenplay had 110 pages.",
            "The outline of the screenplay now has 12 pages.",
            None,
        ),
        (
            "I was thinking of moving to Canada.",
            "I live in Poland.",
            None,
        ),
        (
            "My meeting with the bank is on June 3 at 2 PM.",
            "My meeting with the notary was moved to June 10 at 3 PM.",
            None,
        ),
        (
            "If the price drops to $200 I'll buy it.",
            "The price is now $250.",
            None,
        ),
        (
            "You should drink 2 liters of water.",
            "I now drink 3 liters of water.",
            None,
        ),
        (
            "We haven't finalised the menu.",
            "We finalised the guest list.",
            None,
        ),
        (
            "I'm not using a VPN at work.",
            "I'm using a VPN at home.",
            None,
        ),
        (
            "I've been to the dentist twice this year.",
            "I've never been to an orthodontist.",
            None,
        ),
    ]);
}

#[test]
fn two_people_contest_and_do_not_supersede() {
    let found = conflict_between(
        [
            "The deadline of the tax report is May 2.",
            "The deadline of the tax report was moved to May 9.",
        ],
        ["ada", "ben"],
        Role::User,
    );
    assert_eq!(found.map(|conflict| conflict.kind), CONTESTED);
    let found = conflict_between(
        ["I've been to Japan.", "I've never been to Japan."],
        ["ada", "ben"],
        Role::User,
    );
    assert_eq!(found, None, "each speaks of themselves");
}

#[test]
fn assistants_claim_nothing() {
    let texts = ["I use Trello to plan my week.", "I no longer use Trello."];
    assert!(conflict_between(texts, ["ada", "ada"], Role::User).is_some());
    assert_eq!(
        conflict_between(texts, ["bot", "bot"], Role::Assistant),
        None
    );
    assert_eq!(conflict_between(texts, ["bot", "bot"], Role::Tool), None);
}

#[test]
fn another_port_of_the_same_thing_supersedes() {
    check(&[
        (
            "The staging server listens on port 8471.",
            "The staging server now listens on port 9000.",
            SUPERSEDED,
        ),
        (
            "The billing service listens on 8471.",
            "The billing service now listens on 9000.",
            SUPERSEDED,
        ),
        (
            "The staging server runs on port 8471.",
            "The staging server was moved to port 9000.",
            SUPERSEDED,
        ),
        (
            "The staging server listens on port 8471.",
            "The production server listens on port 9000.",
            None,
        ),
        (
            "The web server listens on port 8080.",
            "The database listens on port 5432.",
            None,
        ),
        (
            "The web server listens on port 8080.",
            "The web server still listens on port 8080.",
            None,
        ),
        (
            "Port 8080 was taken, so I tried port 8081.",
            "I tried port 8082 after lunch.",
            None,
        ),
        (
            "The web server listens on port 8080.",
            "Which port does the web server listen on, 8080 or 9000?",
            None,
        ),
        (
            "The proxy listens on three interfaces.",
            "The proxy listens on two queues.",
            None,
        ),
    ]);
}
