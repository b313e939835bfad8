//! The function words of each language: evidence for language detection, and stop words of queries.
//!
//! The lists contain words with a grammatical role rather than a meaning: articles, pronouns, prepositions,
//! conjunctions, auxiliaries, question words and contractions (written without apostrophe, as the scanner joins them).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::language::{Evidence, Language, LanguageSet};

/// The evidence of a function word; `None` for other words. `word` is lower case.
pub(super) fn evidence_of(word: &str) -> Option<Evidence> {
    EVIDENCE.get(word).copied()
}

static EVIDENCE: LazyLock<FxHashMap<&'static str, Evidence>> = LazyLock::new(|| {
    let mut languages: FxHashMap<&'static str, LanguageSet> = FxHashMap::default();
    for (language, words) in LISTS {
        for word in words.split_whitespace() {
            let set = languages.entry(word).or_default();
            *set = set.union(LanguageSet::of(&[*language]));
        }
    }
    languages
        .into_iter()
        .map(|(word, set)| (word, weighed(word, set)))
        .collect()
});

fn weighed(word: &str, languages: LanguageSet) -> Evidence {
    let weight = if languages.len() > 1 { 2 } else { 4 };
    let english_otherwise = !languages.contains(Language::English)
        && ENGLISH_OTHERWISE
            .split_whitespace()
            .any(|weak| weak == word);
    Evidence {
        languages,
        weight: if english_otherwise { 1 } else { weight },
    }
}

/// Function words of other languages that are names or content words in English: weak evidence, so that "die hard" is
/// not detected as German.
const ENGLISH_OTHERWISE: &str = "die war hat man men bin fast art bald son ton pour sale fin mes les \
    par sans dove era mini sin con van door want dan toe wat net met om hem hen hun ben dit tot ten \
    har dig min mig din per sue mia ma mi lo la los las al el ale bu pe care mai pro ca nu den far \
    sur tu vi var ser non dem pan bi tam mit sine eve ta te va vale hay mal mas nun gar ab am an \
    fosse fossa dentro stare stato come these sera pas est";

/// The lists, by language.
const LISTS: &[(Language, &str)] = &[
    (Language::English, ENGLISH),
    (Language::German, GERMAN),
    (Language::French, FRENCH),
    (Language::Spanish, SPANISH),
    (Language::Italian, ITALIAN),
    (Language::Portuguese, PORTUGUESE),
    (Language::Dutch, DUTCH),
    (Language::Swedish, SWEDISH),
    (Language::Danish, DANISH),
    (Language::Norwegian, NORWEGIAN),
    (Language::Finnish, FINNISH),
    (Language::Polish, POLISH),
    (Language::Czech, CZECH),
    (Language::Hungarian, HUNGARIAN),
    (Language::Romanian, ROMANIAN),
    (Language::Turkish, TURKISH),
];

const ENGLISH: &str = "a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what when where why how whoever whatever whichever whenever wherever
    am is are was were be been being do does did doing done have has had having
    can could will would shall should may might must ought
    and or but nor if then else than so because although though while whereas unless until since
    as of at by for with without about against between among into onto through throughout during
    before after above below to from up down in out on off over under within toward towards upon
    again further once here there also too very just only even both each few more most other
    some any every all many much several either neither no not none
    own same ever never yet still however therefore thus hence etc eg ie via per
    dont doesnt didnt isnt arent wasnt werent wont wouldnt cant cannot couldnt shouldnt hasnt
    havent hadnt mustnt neednt aint mightnt im ive youre youve theyre theyve weve hes shes thats
    whats wheres whos hows theres heres lets
    something anything nothing everything someone anyone everyone somebody anybody everybody
    tell please";

const GERMAN: &str =
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem
    keiner und oder aber denn weil dass daß ob wenn als wie wo wer wen wem wessen was wann warum
    wieso welche welcher welches welchen ich du er sie es wir ihr mich dich sich uns euch mir dir
    ihm ihn ihnen mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner
    ihre ihren ihrem ihrer unser unsere unseren euer eure dies diese dieser dieses diesen diesem
    jene jener jenes ist sind war waren bin bist seid gewesen wird werden wurde wurden geworden hat
    habe haben hatte hatten gehabt kann können konnte muss müssen musste soll sollen sollte will
    wollen wollte darf dürfen mag mögen möchte nicht auch nur noch schon sehr so mehr immer nie in
    im an am auf aus bei beim mit nach von vom vor zu zum zur über unter für gegen ohne um durch
    bis seit während zwischen hier dort da dann doch mal ja nein man etwas nichts alle alles ab
    gibt gab worden";

const FRENCH: &str =
    "le la les un une des du de au aux et ou mais donc or ni car que qui quoi dont où
    quand comment pourquoi quel quelle quels quelles combien je tu il elle on nous vous ils elles
    me te se lui leur y en moi toi soi eux mon ma mes ton ta tes son sa ses notre nos votre vos
    leurs ce cet cette ces ceci cela ça celui celle ceux celles est sont suis es sommes êtes était
    étaient être été sera seront fut ai as a avons avez ont avait avaient avoir eu fait faire peut
    peuvent doit doivent ne pas plus moins très aussi encore déjà toujours jamais dans sur sous
    avec sans pour par chez vers entre depuis pendant avant après contre si comme même tout toute
    tous toutes autre autres rien quelque quelques qu lorsque puisque jusque ici là";

const SPANISH: &str =
    "el la los las un una unos unas lo al del de y e o u pero sino ni que qué quien quién
    quienes quiénes cual cuál cuales cuáles cuando cuándo donde dónde como cómo porque cuanto cuánto
    cuantos cuántos cuántas yo tú tu él ella ello nosotros vosotros ellos ellas usted ustedes me te
    se nos os le les mi mis su sus tus nuestro nuestra nuestros nuestras este esta estos estas ese
    esa esos esas aquel aquella esto eso es son era eran soy eres somos fue fueron ser sido está
    están estaba estaban estar estoy he has ha hemos han había haber hay tiene tienen tenía tener
    puede pueden debe deben no sí si muy más menos también ya aún todavía siempre nunca a ante bajo
    con contra desde en entre hacia hasta para por según sin sobre tras durante todo toda todos
    todas otro otra otros otras algo nada";

const ITALIAN: &str =
    "il lo la i gli le un uno una del dello della dei degli delle al allo alla ai agli
    alle dal dallo dalla dai dagli dalle nel nello nella nei negli nelle sul sullo sulla sui sugli
    sulle col di a da in con su per tra fra e ed o ma né se che chi cui cosa quando dove come perché
    quale quali quanto quanti quante io tu lui lei noi voi loro mi ti si ci vi ne mio mia miei mie
    tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra questo questa questi
    queste quello quella quelli quelle è sono era erano sei siamo siete essere stato stata stati
    state fu ho hai ha abbiamo avete hanno aveva avevano avere può possono deve devono non più meno
    molto anche ancora già sempre mai tutto tutta tutti tutte altro altra altri altre sotto sopra
    dopo prima senza dell nell all dall sull un";

const PORTUGUESE: &str =
    "o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos
    pelas dum duma num numa de em por para com sem sob sobre entre até desde contra e ou mas nem que
    quem qual quais quando onde como porque quanto quantos quantas eu tu ele ela nós vós eles elas
    você vocês me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos
    nossas este esta estes estas esse essa esses essas aquele aquela isto isso aquilo é são era eram
    sou somos foi foram ser sido está estão estava estavam estar estou tem têm tinha tinham ter há
    havia pode podem deve devem não sim muito mais menos também já ainda sempre nunca tudo todo toda
    todos todas outro outra outros outras algo nada";

const DUTCH: &str =
    "de het een en of maar want dus dat die dit deze wie wat waar wanneer waarom hoe welke
    welk ik jij je hij zij ze wij we jullie u mij me jou hem haar ons hen hun mijn jouw zijn onze is
    ben bent was waren wordt worden werd werden geweest heeft hebben heb had hadden kan kunnen kon
    moet moeten moest zal zullen zou zouden mag mogen wil willen niet geen ook nog al wel zeer meer
    minder altijd nooit in op aan van voor met bij uit naar over onder door tot om tegen tussen
    zonder sinds tijdens na als dan toen omdat hier daar er iets niets alle alles andere te toch";

const SWEDISH: &str =
    "och att det som en ett den de dem i på är var av för med till från om men eller inte
    jag du han hon vi ni mig dig sig oss er min mitt mina din ditt dina hans hennes vår vårt våra
    deras detta denna dessa vad vem när hur varför vilken vilket vilka har hade kan kunde ska skulle
    blir blev bli vid efter under över mellan utan också bara mycket mer än så nu där här alla varit
    ingen något några";

const DANISH: &str =
    "og at det som en et den de dem i på er var af for med til fra om men eller ikke jeg du
    han hun vi mig dig sig os min mit mine din dit dine hans hendes vores deres dette denne disse
    hvad hvem hvornår hvor hvordan hvorfor hvilken har havde kan kunne skal skulle vil ville bliver
    blev blive ved efter under over mellem uden også kun meget mere end så nu der her alle været
    ingen noget nogle";

const NORWEGIAN: &str =
    "og at det som en et ei den de dem i på er var av for med til fra om men eller ikke
    jeg du han hun vi meg deg seg oss min mitt mine din ditt dine hans hennes vår vårt våre deres
    dette denne disse hva hvem når hvor hvordan hvorfor hvilken har hadde kan kunne skal skulle vil
    ville blir ble bli ved etter under over mellom uten også bare mye mer enn så nå der her alle
    vært ingen noe noen";

const FINNISH: &str =
    "ja on ei se että oli hän mutta tai kun niin kuin minä sinä me te he olen olet ovat
    olivat olla ollut mikä mitä missä milloin miksi miten kuka ketkä tämä tuo nämä joka jotka myös
    vain jos sen sitä siitä sekä vielä nyt sitten kanssa ovatko onko";

const POLISH: &str =
    "i w z na do nie się że to jest są był była było były być jak ale czy co kto gdzie kiedy
    dlaczego który która które dla od po za przez przy o ja ty on ona ono my wy oni mój moja twój
    jego jej ich ten ta te tego tej tych tym także też już tylko lub oraz gdy ma mają może tak";

const CZECH: &str =
    "a v na se že je s z do i to o k ale jak si jsem jsi jsou byl byla bylo byly být by pro
    po za co kdo kde kdy proč který která které od ve ze u já ty on ona my vy oni jeho její jejich
    ten ta tento tato už také nebo když aby má mají může tak není ne";

const HUNGARIAN: &str =
    "a az és hogy nem is egy ez azt ezt meg de ha csak már mint van volt vannak voltak
    lesz én te ő mi ti ők ki mit hol mikor miért hogyan melyik vagy még el be fel le kell lehet
    nagyon itt ott akkor most minden olyan amely ami aki";

const ROMANIAN: &str =
    "și şi de la cu în din pe un o ce care nu este sunt a al ale ai era erau fi fost că să
    se pentru prin mai dar sau dacă când unde cum cine eu tu el ea noi voi ei ele meu mea tău sa lui
    lor acest această aceste acești foarte are au avea după până între fără";

const TURKISH: &str =
    "ve bir bu da de için ile mi mı mu mü ne ama çok gibi daha ben sen o biz siz onlar
    benim senin onun var yok değil olan olarak kadar sonra önce şu nasıl nerede neden hangi kim her
    ki veya ya en mıdır midir oldu olduğu şey";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_one_language_weighs_more_than_a_shared_one_and_than_an_english_word() {
        let weight = |word| evidence_of(word).map(|evidence| evidence.weight);
        assert_eq!(weight("the"), Some(4));
        assert_eq!(weight("nicht"), Some(4));
        assert_eq!(weight("is"), Some(2));
        assert_eq!(weight("die"), Some(1));
        assert_eq!(weight("memory"), None);
    }
}
