//! How people are called and what they are to each other.

/// First names, of many lands.
pub(super) const FIRST_NAMES: &str =
    "mark will bill frank jack grace hope rose art mike josh ray dean grant drew dawn eve faith joy pat sue rob gene guy hunter
    earl clay dale miles mason parker pierce lance norm wade ward gail iris ivy lily daisy violet ruby pearl amber ginger
    olive robin melody reed jay basil dirk bram ferdi saskia gertrude wanda leila kofi kwame ama abena chidi chioma ngozi amara emeka obinna tunde yemi sade thandiwe sipho lerato zanele fatou aminata
    mamadou ousmane amadou aissatou mariama brigid niamh aoife ciaran eoin padraig saoirse oisin declan cormac deirdre
    aarav aditya ananya deepika divya gaurav harish ishaan kavita kiran lakshmi manish meera mohan naveen nisha pooja
    prateek rajiv ramesh ritu rohit sachin sanjana shruti siddharth sneha suresh swati tanvi varun vikram vinod vivek
    xiao ling jing hui hao linh thanh huong kenta yuto sota haruto hina yui aoi emiko kazuo masao yasser khaled layla noor
    huda salim rania emre mehmet ayse fatma zeynep burak deniz agnieszka malgorzata katarzyna wojciech krzysztof zbigniew
    zsofia istvan laszlo gabor dimitris yiannis eleni sigurd freja ingvild torbjorn andres joaquin matias joao rafaela
    beatrix gustavo bjork hamish fergus ailsa callum ewan rory nuno vasco ines duarte goran zoran dragan milica jovana
    ivo petr jiri pavla tereza lenka zuzana marek kamil ondrej mikko pekka aino eero sanna jukka lauri ilse amira tomasz
    pawel magda kasia ania samuel diego omar ruiz graciela ximena esperanza rosario lucia
    aaron abby abdul abdullah abigail adam adele adrian adriana agnes ahmad ahmed aidan aiden aiko akira alan albert
    alberto alejandra alejandro aleksander alena alessandro alex alexander alexandra alexei alexis alfred ali alice
    alicia alina alison allan allison alma alyssa amanda amelia amelie amina amir amit amy ana anastasia anders andre
    andrea andreas andrei andrew andy angela angelica angelina angelo angie anika anil anita anja anke ann anna annabel
    anne annegret annette annie annika anouk anselm anthony antoine anton antonia antonio anya aria ariana arjun armin
    arne arnold arthur arturo asha ashley astrid audrey aurora ava avery axel ayesha bao barbara barry bart bastian
    beatrice beatriz becky ben benedikt benjamin bernard bernd bernhard beth bethany betty bianca birgit bjorn björn
    blake bob bobby boris brad bradley brandon brenda brent brett brian brianna bridget brigitte britta brittany brooke
    bruce bruno bryan bryce caleb calvin cameron camila camille candice carina carl carla carlo carlos carmen carol
    carolina caroline carolyn carrie casey cassandra cassie catalina caterina catherine cathy cecilia celeste celine
    chad chandra charles charlie charlotte chelsea chen cheryl chloe chris christa christian christiane christina
    christine christoph christopher chuck cindy claire clara clarissa claudia claudio claus clemens clement cody colin
    colleen connor conrad constance cora corey corinna courtney craig cristina crystal curtis cynthia dagmar daisuke
    damian damien dan dana daniel daniela danielle danny daphne dario darius darren dave david davide deborah debbie
    deepak delia denis denise dennis derek derrick desmond detlef devin devon diana diane diego dieter dietmar dimitri
    dina dirk dmitri dominic dominik dominique donald donna dora doris dorothea dorothy doug douglas duncan dustin dylan
    eddie edgar edith edmund eduardo edward edwin eileen elaine eleanor elena eli elias elif elijah elisa elisabeth
    elise eliza elizabeth elke ella ellen ellie elliot elliott elsa elvira emil emilia emilie emilio emily emma emmanuel
    enrique eric erica erich erik erika erin ernst erwin esteban estelle esther ethan eugene eva evan evelyn ewa fabian
    fabio fatima federico felicia felicity felipe felix ferdinand fernanda fernando filip finn fiona flora florence
    florian frances francesca francesco francis francisco franco francois françois frankie franz fred freddie frederic
    frederick frederik freya frieda friedrich fritz gabriel gabriela gabriele gabriella gareth gary gavin gemma geoff
    george georg georgina gerald gerard gerda gerhard giacomo gianna gilbert gina giorgio giovanni gisela giulia
    giuseppe gloria gordon graham greg gregor gregory greta guido guillaume guillermo gunnar gunter günter gustav hana
    hank hanna hannah hannes hans harald haris harold harriet harris harry haruka haruki harvey hassan hazel heather
    hector hedwig heidi heike heiko heinrich heinz helen helena helene helga helmut hendrik henning henri henrik henry
    herbert herman hermann hiro hiroshi holger horst howard hubert hugh hugo ian ibrahim ida ignacio igor ilona ilse
    imani imran ines inga inge ingo ingrid irene irina isaac isabel isabella isabelle isla ismail ivan ivana jackie
    jackson jacob jacqueline jacques jaime jake jakob jakub jamal james jamie jan jana jane janet janice janine jared
    jasmin jasmine jason jasper javier jayden jeanne jeff jeffrey jelena jenna jennifer jenny jens jeremy jerome jerry
    jess jesse jessica jesus jill jim jimmy jin joachim joan joana joanna joanne jochen joe joel joelle joerg johan
    johanna johannes john johnny jolene jon jonas jonathan jordan jorge jose josé josef joseph josephine joshua josie
    juan juanita judith judy jules julia julian juliana julie juliet juliette julio julius jun jung jürgen justin kai
    kaitlyn kamal karen karim karin karina karl karla karsten kasimir kasper kate katharina katherine kathleen kathrin
    kathryn kathy katie katja katrin katrina kay kayla keith kelly kelsey ken kendra kenji kenneth kenny kerstin kevin
    khadija khalid kiara kiki kim kimberly kira kirsten klaus konrad konstantin kris kristen kristin kristina kumar kurt
    kyle kylie lara lars laura lauren laurent laurie lea leah leila lena lennart leon leona leonard leonardo leonie
    leroy leslie levi liam lian liana lidia liesel lila lilian liliana lillian lina linda lindsay lindsey lionel lisa
    liv livia liz lloyd logan lola lorena lorenzo loretta lori lorraine lothar lotte lou louis louisa louise luca lucas
    lucia luciana lucie lucien lucille lucy ludwig luigi luis luisa luka lukas luke luna lutz lydia lyle lynn mabel
    mackenzie madeleine madison mads magdalena maggie mahmoud maja malcolm malik manfred manuel manuela mara marc marcel
    marcela marcelo marcia marco marcos marcus margaret margarita margot maria mariam marianne marie mariana marilyn
    marina mario marion marisa marisol markus marlene marlon marta martha martin martina marty marvin mary maryam
    massimo mateo mathias mathieu mathilda matilda matt matteo matthew matthias mattias maureen maurice maurizio max
    maxim maxime maximilian maya megan mei mel melanie melinda melissa mercedes meredith mia michael michaela michel
    michele michelle miguel mika mikael mikhail mila milan mildred milena milo mina minh mira miranda miriam mitch
    mitchell moana mohamed mohammad mohammed moira mona monica monika monique morgan moritz moses muhammad muriel mustafa
    myra nadia nadine nancy naoki naomi nasser natalia natalie natasha nate nathalie nathan nathaniel neha neil nell
    nelson nicholas nick nico nicola nicolas nicole niels nigel nikhil nikita niklas niko nikolai nikolaus nils nina
    noah noel noelle noemi nora norbert noriko norma norman nuria oksana ola olaf oleg olga oliver olivia olivier omar
    oscar oskar otis otto ottilie owen pablo pamela paola paolo pascal patricia patrick patty paul paula pauline paulo
    pavel pedro peggy penelope penny perry petar pete peter petra phil philip philipp philippe phillip phoebe phyllis
    pia pierre pilar piotr polly prakash pranav priscilla priya quentin quincy quinn rachel raf rafael rahul rainer raj
    rajesh ralf ralph ramon ramona randall randy raphael raquel rashid raul ravi raymond rebecca reggie regina reinhard
    reinhold renata renate rene renee rhonda ricardo riccardo richard rick ricky riley rita rob robert roberta roberto
    robyn rocio rodney rodrigo roger rohan roland rolf roman ron ronald ronja ronnie rosa rosalie rosalind rosanna
    roseanne rosemary rosie ross roxanne roy rudi rudolf rupert russell ruth ryan ryo sabina sabine sabrina sadie said
    sally salma salvador sam samantha samir samira samuel sandeep sandra sanjay santiago sara sarah sasha saskia satoshi
    scott sean sebastian selena selma serena serge sergei sergey sergio seth shane shannon sharon shaun shauna shawn
    sheila shelly sherry shirley shreya sibylle sidney siegfried sienna sigrid silas silke silvia simon simona simone
    siobhan sofia sofie solveig sonia sonja sophia sophie stacey stacy stan stanley stefan stefanie stefano stella
    stephan stephanie stephen steve steven stewart stuart sunita susan susana susanna susanne susie suzanne svein sven
    svenja svetlana sybille sylvia sylvie tabea takashi tamara tamar tanja tania tanya tara tariq tatiana tatjana ted teo
    teresa terrence terry tessa thea thelma theo theodor theodore theresa therese thiago thomas thorsten tiffany till
    tilda tim timo timothy tina tobias toby todd tom tomas tomasz tommy toni tony torsten tracey tracy travis trevor
    trisha tristan troy tyler udo ulf ulrich ulrike ursula uwe valentin valentina valeria valerie vanessa vera verena
    vernon veronica veronika vicky victor victoria vijay viktor viktoria vincent vincenzo viola virginia vivian viviane
    vivien vladimir volker waldemar walter wanda warren wayne wei wendy werner wesley wilfried wilhelm willem william
    willie wilma winston wolfgang xavier xenia ximena yan yara yasmin yasmine yasuko yolanda yuki yuri yusuf yvette
    yvonne zach zachary zahra zain zara zelda zoe zoey zofia";

/// Words before a person's name.
pub(super) const TITLES: &str =
    "mr mrs ms miss mx herrn hr fr mme dr prof professor doctor sir madam lady lord captain sergeant lieutenant colonel general major judge
    senator governor president chancellor mayor minister pastor reverend father sister brother saint king queen prince
    princess uncle aunt auntie grandma grandpa granny oma opa tante onkel herr frau monsieur madame mademoiselle señor
    señora coach nurse officer detective inspector chef";

/// What someone is to another one.
pub(super) const KIN: &str =
    "wife husband spouse partner girlfriend boyfriend fiance fiancee fiancé fiancée son daughter kid child stepson
    stepdaughter baby mother father mom mum mama dad papa mommy daddy stepmother stepfather brother sister twin sibling
    stepbrother stepsister friend bestie buddy pal colleague coworker co-worker teammate boss manager supervisor dog cat
    puppy kitten parrot hamster rabbit horse pony guinea-pig goldfish tortoise uncle aunt auntie cousin nephew niece
    grandma grandmother grandpa grandfather granddaughter grandson neighbour neighbor roommate flatmate mentor therapist
    doctor dentist lawyer landlord landlady tutor coach teacher professor assistant trainer barber gp vet nanny godson
    goddaughter in-law mother-in-law father-in-law brother-in-law sister-in-law ex-wife ex-husband ex client student";

/// What a person does by words, thoughts and hands, and a program mostly doesn't.
pub(super) const PERSON_VERBS: &str =
    "said says say told tells asked asks thinks thought wrote writes agreed agrees suggested suggests wants wanted likes
    liked loves loved hates hated knows knew mentioned mentions replied replies answered lives lived works worked got
    gave gives came went goes called calls phoned texted emailed met meets married moved bought sold loves enjoys enjoyed
    hopes hoped plans planned believes believed feels felt decided decides prefers preferred joined joins recommended
    recommends explained explains invited invites visited visits promised insisted admitted laughed laughs smiled cried
    proposed noticed learned teaches taught studied studies retired quit resigned forgot remembered remembers apologised
    apologized complained dislikes owns hired fired asked graduated born cooks cooked sings plays played sleeps slept
    scored scores beat won lost ran presides drove played wins runs coaches coached trains trained performs performed dictates types sends sent signed reviewed reviews approved merged merges leads manages owes paid pays wishes";

/// What is said before the name of who is spoken to or of.
pub(super) const BEFORE_PERSON: &str =
    "hi hello hey dear thanks thank thx cheers sorry congrats congratulations welcome bye goodnight told tell telling ask
    asked asking meet met meeting call called phoned texted email emailed thanked married invited invite hired joined
    visiting helped help remind reminded with named cc hallo moin liebe lieber bonjour salut hola ciao danke merci
    gracias bravo pinged ping messaged hugged kissed";

/// What people work as.
pub(super) const OCCUPATIONS: &str =
    "accountant actor actress analyst animator anthropologist archaeologist architect artist astronaut author baker
    banker barista bartender beekeeper biologist bookkeeper botanist broker butcher carpenter cashier chef
    chemist cleaner clerk coach colonist comedian composer conductor consultant contractor cook coordinator counselor
    counsellor curator dancer dentist designer detective developer dietitian diplomat director doctor driver economist
    editor educator electrician engineer entrepreneur farmer filmmaker firefighter fisherman florist freelancer gardener
    geologist graphic-designer guide hairdresser historian illustrator instructor intern interpreter investor janitor
    journalist judge keeper lawyer lecturer librarian lifeguard linguist locksmith machinist maintainer manager
    marketer mathematician mechanic mentor merchant midwife musician neurologist novelist nurse nutritionist officer
    operator optician painter paralegal paramedic pediatrician paediatrician pharmacist philosopher photographer
    physician physicist physiotherapist pianist pilot plumber podcaster poet policeman politician postdoc potter
    producer professor programmer psychiatrist psychologist publisher radiologist realtor receptionist recruiter
    reporter researcher sailor salesman salesperson saleswoman scientist screenwriter sculptor secretary seller
    senator singer social-worker sociologist soldier solicitor streamer student surgeon surveyor sysadmin tailor teacher
    technician technologist tester therapist toolmaker trader trainer translator treasurer tutor undertaker vet
    veterinarian videographer waiter waitress watchmaker welder writer yogi zoologist ceo cto cfo coo vp sre
    co-founder cofounder founder chair chairman chairwoman chairperson president owner apprentice";
