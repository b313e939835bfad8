//! Ordinary words: what a capital letter at a sentence's start says nothing about.

/// English words of grammar, and contractions.
pub(super) const FUNCTION: &str =
    "a an the this that these those i me my mine myself we us our ours ourselves you your yours yourself he him his
    himself she her hers herself it its itself they them their theirs themselves who whom whose which what when where
    why how and or but nor so yet if unless whether because although though while since until till as than then of in
    on at by for with about against between into through during before after above below to from up down out off over
    under again further once here there all any both each few more most other some such no not only own same too very
    can could will would shall should may might must do does did doing done is am are was were be been being have has
    had having isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't haven't hasn't
    hadn't mustn't mightn't needn't ain't shan't cannot let lets yes no ok okay also just even still already ever never
    now soon again later else maybe perhaps however therefore moreover furthermore meanwhile otherwise instead besides thus hence despite
    without within upon per via among across along around behind beside beyond near onto toward towards underneath
    throughout except every everybody everyone everything everywhere somebody someone something somewhere anybody
    anyone anything anywhere nobody none nothing nowhere either neither one two three four five six seven eight nine
    ten eleven twelve twenty thirty forty fifty hundred thousand million billion first second third last next another
    much many little less least several enough whatever whenever wherever whoever whichever gonna wanna gotta im ive
    dont didnt cant wont isnt doesnt youre theyre thats whats lets id ill hes shes its were re ve ll d s m t";

/// Words of grammar of German, French, Spanish, Italian, Portuguese and Dutch that English doesn't have.
pub(super) const FOREIGN: &str =
    "und oder aber nicht ist sind wir ich ihr sie er es der die das den dem des ein eine einen einem einer mit auf für
    zu zum zur im vom beim von bei nach aus über unter wenn weil dass daß auch noch schon sehr wie wo wer warum hier
    dort bitte danke ja nein kein keine haben hat hatte sein wird werden wurde kann können muss müssen soll sollen mein
    meine dein deine unser unsere euer mal doch nur jetzt dann denn man sich mich dich uns euch ihm ihn ihnen erste
    zwei drei vier fünf sechs sieben acht neun zehn immer nie alle alles viel mehr
    le la les un une des du et ou mais pas ne est sont nous vous je tu il elle ils elles mon ma mes ton ta ses sur
    dans pour avec sans chez aux au que qui quoi dont où c'est j'ai oui non merci très plus moins aussi bien ici cette
    ce ces cet être avoir fait été était avait
    el los las una unos unas y pero no es son estoy está muy más por para con sin del al que como cuando donde yo ella
    ellos nosotros usted gracias hola sí también
    gli uno e ma non è sono sei siamo di da nel nella con per che chi come quando dove io lui lei noi voi grazie ciao
    o os as um uma não eu ele nós você vocês obrigado em na nos
    het een en niet ik wij jij zij van met voor naar maar ook nog wel geen";

/// Common English words that may begin a sentence, a heading or a label; their regular inflections are seen without
/// being listed.
pub(super) const COMMON: &str =
    "able about above accept access accident account accurate ache achieve act action active activity actual actually
    adapt add addition additional address adjust admin adopt adult advance advantage adventure advice advise afford
    afraid after afternoon again age agency agenda agent ago agree ahead aim air alarm album alert alive allow almost
    alone alright alternative always amaze amazing ambition amount analysis analyse analyze angle angry animal announce
    annoy annual answer anxious anyway apart apartment apologize apologise apology app apparent appear apple application
    apply appoint appointment appreciate approach appropriate approve april area argue argument arm army arrange arrive
    art article artist ask aspect assess assessment asset assign assignment assist assistant assume assumption assure
    atmosphere attach attack attempt attend attention attitude attract audience audio august aunt author authority auto
    automate automatic available average avoid awake award aware awareness away awesome awful baby back backend
    background backup bad badge bag bake balance ball ban band bank bar base basic basically basis basket bat bath
    bathroom batch battery battle beach bean bear beat beautiful beauty become bed bedroom bee beef beer begin beginner
    beginning behavior behaviour belief believe bell belong belt bench benefit best bet better bid big bike bill bin
    bird birth birthday bit bite bitter black blame blank blast blend bless blind block blog blood blow blue board boat
    body bold bolt bond bone bonus book boom boost boot border bore boring boss bother bottle bottom bounce bound
    boundary bowl box boy boyfriend brain branch brand brave bread break breakfast breath breathe breeze bridge brief
    bright brilliant bring broad broken brother brown browse browser brush buck bucket bud buddy budget buffalo buffer
    bug build builder building bulk bull bunch burn bus bush business busy butter button buy bye cable cache cake
    calculate calculation calendar call calm camera camp campaign cancel cancer candidate candle candy cap capable
    capacity capital captain capture car carbon card care career careful carrot carry cart case cash cast cat catch
    category cause caution celebrate celebration cell center centre central century ceremony certain certainly
    certificate chain chair challenge champion chance change channel chapter character charge charity charm chart chase
    chat cheap cheat check checklist cheer cheers cheese chef chicken chief child childhood children chill china chip
    chocolate choice choose chop chore church circle circumstance cite citizen city civil claim clarify clarity class
    classic classify classroom clean cleanup clear clearly clever click client climate climb clip clock close closer
    closet cloth clothes cloud club clue coach coast coat code coffee cold collaborate collaboration collapse colleague
    collect collection college color colour column combination combine come comedy comfort comfortable command comment
    commercial commit commitment committee common communicate communication community company compare comparison compete
    competition competitive compile complain complaint complete completely complex complexity compliance complicate
    component compose compromise compute computer concept concern concert conclude conclusion condition conference
    confidence confident config configuration configure confirm conflict confuse confusion congrats congratulation
    congratulations connect connection consent consequence conservative consider consideration consist consistency
    consistent console constant constraint construct construction consult consumer contact contain container content
    contest context continue contract contrast contribute contribution control convenient conversation convert convince
    cook cookie cool cop copper copy core cork corn corner corporate correct correction correlate cost cottage cotton
    couch cough council count counter country county couple courage course court cousin cover coverage cow cozy crack
    craft crash crazy cream create creation creative creativity credit creek crew crime criminal crisis criteria critic
    critical cross crowd crown crucial cry crystal cultural culture cup cure curious currency current currently curve
    custom customer cut cute cycle dad daddy daily damage damn dance danger dangerous dare dark dash dashboard data
    database dataset date daughter dawn day dead deadline deal dean dear death debate debt debug decade december decide
    decision deck declare decline decrease dedicate deep deer default defeat defect defend define definite definitely
    definition degree delay delete deliver delivery demand democracy demo demonstrate density deny department depend
    dependency deploy deployment deposit depress depression depth describe description desert deserve design designer
    desire desk desperate destination destroy detail detailed details detect determine develop developer development
    device diagram dialogue diary dictate die diet difference different difficult difficulty dig digital dignity dinner
    direct direction directly director dirt dirty disagree disappear disappoint disaster discipline discover discovery
    discuss discussion disease dish display distance distribute distribution district divide diverse diversity dizzy doc
    dock doctor document documentation dog dollar domain donate door dot double doubt download draft drag drama dramatic
    draw drawer drawing dream dress drew drill drink drive driver drop drug drum dry duck due dump duplicate duration
    dust duty dynamic eager ear early earn earth ease easily east easter eastern easy eat echo economic economy edge
    edit edition editor educate education effect effective efficiency efficient effort egg elder elect election electric
    element eliminate email embed embrace emerge emergency emotion emotional emphasis emphasize employ employee employer
    empower empty enable encounter encourage encouragement end endpoint enemy energy engage engagement engine engineer
    engineering enhance enjoy enormous ensure enter enterprise entertain entertainment entire entrance entry environment
    episode equal equally equation equipment era error escape especially essay essen essence essential essentially
    establish estate estimate ethic ethical evaluate evaluation even evening event eventually evidence evil evolve exact
    exactly exam examine example excel excellent exception exchange excite exciting exclude excuse execute executive
    exercise exhaust exist existence exit expand expect expectation expense expensive experience experiment expert
    expertise explain explanation explicit explore export expose express expression extend extension extensive extent
    external extra extract extreme extremely eye fabulous face facility fact factor factory fade fail failure faint fair
    fairly faith fall false fame familiar family famous fan fancy fantastic fantasy far farm farmer fascinating fashion
    fast fat fate father fault favor favorite favour favourite fear feather feature february fee feed feedback feel
    feeling fellow female fence festival fetch fever field fifth fight figure file fill film filter final finalize
    finally finance financial find finding fine finger finish fire firefighter firm firmware firstly fish fishing fit
    fitness fix flag flame flash flat flavor flexibility flexible flight float flood floor flour flow flower fluid fly
    focus fold folder folk folks follow following food fool foot football force forecast foreign forest forever forget
    forgive fork form formal format former formula forth fortune forward foster foundation founder fox fragment frame
    framework frank frankly free freedom freeze frequency frequent frequently fresh friday friend friendly friendship
    fries frighten frog front frontend frozen fruit frustrate frustration fuel full fully fun function functional
    functionality fund fundamental funeral funny furniture future gain gallery game gang gap garage garden garlic gas
    gate gather gear gem gender gene general generally generate generation generic generous genius genre gentle genuine
    gesture get ghost giant gift girl girlfriend give glad glance glass global glory glove goal goat god gold golden
    golf gone good goodbye goodness gosh government governor grab grace grade gradual gradually graduate grain grand
    grandfather grandma grandmother grandpa grandparent grant graph graphic grass grateful gratitude grave gravity gray
    great greatest green greet grey grid grief grill grip grocery ground group grow growth guarantee guard guess guest
    guidance guide guideline guilt guilty guitar gun guy gym habit hack hair half hall hammer hand handle handler handy
    hang happen happiness happy harbor hard hardly hardware harm harmony harvest hat hate haul hazel head headache
    heading headline heal health healthy hear heart heat heaven heavily heavy heck hedge height hell hello helmet help
    helper helpful hero hesitate hey hi hidden hide high highlight highly hike hill hint hip hire historic history hit
    hmm hobby hold hole holiday holly home homework honest honestly honesty honey honor honour hook hope hopefully
    hopeful horrible horror horse hospital host hot hotel hour house household housing hub hug huge hull human humor
    humour hunger hungry hunt hurry hurt husband hypothesis ice icon idea ideal identical identify identity idiot
    ignore illegal illness illustrate image imagination imagine immediate immediately immigrant impact implement
    implementation implication imply import importance important importantly impossible impress impression impressive
    improve improvement inch incident include income incorporate incorrect increase increasingly incredible incredibly
    indeed independence independent index indicate individual industrial industry infection influence inform
    information infrastructure ingredient initial initially initiate initiative injury inn inner innocent innovation
    innovative input inquiry insert inside insight insist inspection inspiration inspire install installation instance
    instant instantly institution instruction instrument insurance integer integrate integration integrity intellectual
    intelligence intelligent intend intense intent intention interact interaction interactive interest interesting
    interface internal international internet interpret interview introduce introduction intuition invent inventory
    invest investigate investigation investment investor invisible invite invoice involve iron island isolate issue item
    iterate iteration ivy jack jacket jade jail jam january jay jazz jean jeans jelly jewel job join joint joke journal
    journey joy judge juice july jump june jungle junior jury justice justify keen keep key keyboard keyword kick kid
    kidney kill kind kindness king kiss kit kitchen knee knife knock know knowledge lab label labor lack lad ladder lady
    lake lamb lamp land landing landlord landscape lane language laptop large largely laser late lately later latest
    latter laugh laughter launch laundry law lawn lawyer lay layer layout lazy lead leader leadership leaf leak lean
    learn learner learning leather leave lecture left leg legacy legal legend legitimate lemon lend length lens     lesson letter level leverage liability liberal library license life lifestyle lift light like likelihood likely
    limit limitation limited line link lion lip liquid list listen literally literature live living load loan local
    locate location lock log logic logical logo lol lonely long look loop loose lord lose loss lost lot loud love lovely
    lover low lower loyal luck lucky lunch luxury machine mad magazine magic magnificent mail main mainly maintain
    maintenance major majority make makeup male mall man manage management manager manner manual manufacturer many map
    marathon march margin mark market marketing marriage married marry mask mass massive master match mate material math
    matrix matter mature max maximize maximum may maybe mayor meal mean meaning meaningful measure measurement meat
    mechanism media medical medication medicine meditation medium meet meeting member membership memorable memory mental
    mention mentor menu mere merge merit mess message metal method metric microphone middle midnight mighty mild
    milestone military milk mill min mind mindful mindfulness mine minimize minimal minimum minister minor minute miracle
    mirror miss missing mission mistake mix mixture mobile mode model moderate modern modify module moment momentum
    monday money monitor monkey month monthly mood moon moral morning mortgage mostly mother motion motivate motivation
    motor mount mountain mouse mouth move movement movie mud multiple multiply mum mom muscle museum music musical mutual
    mystery myth naive name namely narrative narrow nation national native natural naturally nature navigate navigation
    nearby nearly neat necessarily necessary neck need negative negotiate negotiation neighbor neighbour neighborhood
    nerve nervous nest net network neutral never nevertheless new newly news newspaper nice night nightmare noble nobody
    node noise noon nope norm normal normally north northern nose notable note notebook notice notification notion novel
    november nowadays nuclear number numerous nurse nut oak obey object objection objective obligation observation
    observe obstacle obtain obvious obviously occasion occasionally occupy occur ocean october odd odds offer office
    officer official often oh oil old olive omg oops open opening openly operate operation operator opinion opportunity
    oppose opposite opt optimal optimize optimise option optional orange order ordinary organic organize organise
    organization organisation organizer orient origin original originally otherwise ouch ought outcome outdoor outfit
    outline outlook output outside outstanding oven overall overcome overlap overnight overview overwhelm owe owner pace
    pack package page pain painful paint painting pair palace pale palm pan panel panic paper paragraph parallel
    parameter pardon parent park parking parse part participant participate participation particular particularly
    partner partnership party pass passage passenger passion passionate password past paste pastor pat patch path
    patience patient pattern pause pay payment peace peaceful peak pen pencil penny people pepper percent percentage
    perfect perfectly perform performance perhaps period permanent permission persist person personal personality
    personally perspective pet phase phenomenon phone photo photograph photographer photography phrase physical physics
    piano pick picker picnic picture pie piece pierce pig pile pill pilot pin pink pipe pipeline pitch pizza place plain
    plan plane planet planner planning plant plastic plate platform play player playful pleasant please pleasure plenty
    plot plug plugin plus pocket podcast poem poet poetry point pointer poison pole police policy polish polite political
    politics poll pollution pool poor pop popular population port portfolio portion pose position positive possess
    possession possibility possible possibly post poster pot potato potential potentially pound pour poverty powder power
    powerful practical practically practice practise praise pray prayer precise precisely precision predict prediction
    prefer preference pregnant prepare preparation presence present presentation preserve president press pressure
    presumably pretend pretty prevent prevention preview previous previously price pride primarily primary prime prince
    princess principal principle print prior prioritize priority prison privacy private privilege prize pro probably
    problem procedure proceed process produce producer product production productive productivity profession
    professional professor profile profit program programme programmer programming progress project prominent promise
    promote prompt proof proper properly property proportion proposal propose prospect protect protection protein protest
    protocol prototype proud prove provide provider psychology public publication publish pull pump punch punish pupil
    purchase pure purple purpose pursue push put puzzle quality quantity quarter queen query quest question queue quick
    quickly quiet quietly quit quite quiz quote rabbit race rack radio rage rail rain rainbow raise random range rank
    rapid rapidly rare rarely rat rate rather ratio raw ray reach react reaction read reader readily reading readme ready
    real realise realistic reality realize really reason reasonable reboot rebuild recall receipt receive recent recently
    reception recipe reckon recognition recognize recommend recommendation record recording recover recovery recruit red
    redesign reduce reduction refactor refer reference reflect reflection reform refresh refuse regard regarding
    regardless region register registration regret regular regularly regulate regulation reinforce reject relate relation
    relationship relative relatively relax relaxation release relevant reliability reliable relief relieve religion
    religious reluctant rely remain remainder remarkable remember remind reminder remote remove rename rent repair repeat
    repeatedly replace replacement reply repo report reporter repository represent representation republic reputation
    request require requirement research researcher reserve reset resident resist resolution resolve resort resource
    respect respond response responsibility responsible rest restaurant restore restrict result resume retail retain
    retire retirement retreat retrieve retry return reveal revenue reverse review reviewer revise revision revolution
    reward rewrite rhythm rice rich rid ride ridiculous right ring rise risk rival river road roast rob robin robot
    robust rock role roll roof room root rope rose rough roughly round route routine row royal rub ruby rude rug ruin
    rule run runner rush rust sad saddle safe safety sail sake salad salary sale salt same sample sand sandwich satisfy
    saturday sauce save saving say scale scan scare scared scenario scene schedule schema scheme scholar scholarship
    school science scientific scientist scope score scout scratch scream screen screenshot script scroll sea search
    season seat secret secretary section sector secure security see seed seek seem segment select selection self sell
    semester senate send senior sensation sense sensible sensitive sentence sentiment separate separately september
    sequence series serious seriously serve server service session set setback setting settle setup severe sex shade
    shadow shake shame shape share shared sharp shed sheep sheet shelf shell shelter shift shine ship shirt shock shoe
    shoot shop shopping shore short shortage shortly shot shoulder shout show shower shrink shut shy sick side sigh sight
    sign signal signature significance significant significantly silence silent silk silly silver similar similarly
    simple simplicity simplify simply simulate simultaneously sin sincerely sing singer single sink sir sis sister sit
    site situation size skating ski skill skin skip skirt sky slack slave sleep slice slide slight slightly slip slow
    slowly small smart smell smile smoke smooth smoothly snack snap snow soap soccer social society sock soft software
    soil solar soldier sole solely solid solution solve sometimes somewhat son song soon sophisticated sorry sort soul
    sound soup source south southern space spare spark speak speaker special specialist specific specifically
    specification spectrum speech speed spell spend spider spin spirit spiritual split spoil sponsor sport spot spread
    spreadsheet spring sprint square stability stable stack staff stage stain stair stake stamp stand standard star stare
    start startup state statement station statistic status stay steady steak steal steel steep stem step sterling stick
    stiff still stir stock stomach stone stop storage store storm story storytelling straight straightforward strange
    stranger strategic strategy stream street strength strengthen stress stressful stretch strict strike string strip
    stroke strong strongly structure struggle student studio study stuff stumble stunning stupid style subject submission
    submit subscribe subsequent substance substantial substitute subtle succeed success successful successfully such
    sudden suddenly suffer sufficient sugar suggest suggestion suit suitable sum summarize summary summer summit sun
    sunday sunny sunset sunshine super superb supply support supportive suppose supposed sure surely surface surgery
    surprise surprised surprising surprisingly surround survey survival survive suspect suspend sustain sustainable sweet
    swift swim swing switch symbol symptom sync syntax system table tablet tackle tag tail take tale talent talented talk
    tall tank tap tape target task taste tax tea teach teacher teaching team teammate tear tech technical technically
    technique technology tedious teen teenager telephone tell temper temperature template temporary tempt tend tendency
    tennis tension tent term terminal terrible terribly terrific test tester testing text thank thanks thankful theater
    theatre theme theoretical theory therapist therapy thick thin thing things think thinking thorough thoroughly thought
    thoughtful thoughts thread threat threaten thrill thrilled throat throw thumb thursday ticket tide tidy tie tight
    tile timeline timer time times timing tiny tip tire tired tissue title toast today toe together toilet tolerance
    tomato tomorrow tone tongue tonight tool tooth top topic total totally touch tough tour tourist tower town toy track
    trade tradition traditional traffic trail train trainer training trait transaction transfer transform transformation
    transition translate translation transmission transparency transport trap trash travel treasure treasurer treat
    treatment tree trend trial tribe trick trigger trip triple trouble truck true truly trust truth try tube tuesday tune
    tunnel turkey turn tutor tutorial twice twin twist type typical typically ugh ugly ultimate ultimately umm unable
    uncle uncomfortable understand understanding understood unexpected unfortunately unhappy uniform union unique unit
    unite unity universal universe university unknown unlike unlikely unusual upcoming update upgrade upload upper upset
    urban urge urgent usage use useful user usual usually utility utilize vacation vague valid validate validation valley
    valuable value van variable variant variation variety various vary vast vegetable vehicle vendor venture venue verify
    version versus vet veteran via vice victim victory video view viewer village violence virtual virtue virus visibility
    visible vision visit visitor visual vital vocabulary voice void volume volunteer vote vulnerable wage wait wake walk
    wall wallet wander want war ward warm warmth warn warning warrior wash waste watch water wave wax way weak weakness
    wealth weapon wear weather web website wednesday wedding week weekday weekend weekly weigh weight weird welcome
    welfare well wellness west western wet whale wheel while whisper white whole wholly wide widely wife wild wildlife
    will willing willow win wind window wine wing winner winter wire wisdom wise wish withdraw witness wolf woman women
    wonder wonderful wood wooden word words work worker workflow workout workplace workshop world worldwide worried worry
    worse worst worth worthwhile worthy wow wrap write writer writing wrong yard yay yeah year yearly yell yellow yep
    yesterday yet yoga young yours youth yum yummy zero zone haha hahaha ha ah aww aw ooh hmm huh hm yup nah nope btw imo
    fyi asap thx pls please ty tbh lmk brb omg cheers kudos bravo phew whoa woah hooray hurrah alas greetings regards
    absolutely definitely certainly surely indeed exactly totally truly seriously honestly frankly basically literally
    obviously apparently hopefully unfortunately luckily sadly understood agreed noted confirmed decided done fixed
    added removed updated changed corrected restored renewed deployed proposed approved accepted rejected remove renamed
    moved merged closed opened tested checked measured copied kept taken given shown known seen gone made found told held
    brought bought thought caught taught sent spent built lost won paid said ran came went got took gave saw knew became
    began wrote spoke broke chose drove ate fell felt flew grew heard hid led left meant met rode rose sang sat slept
    stood swam threw understood woke wore cinematic climbing morale aunt auntie uncle nephew niece cousin grandson
    granddaughter sibling fiance guys folks buddy dude bro sis everyone team all admin bot assistant system user customer
    hello howdy goodnight goodbye hi bonjour salut hola ciao hallo moin servus lavender violet daisy lily iris pearl
    sage ginger amber crystal cherry coral dawn eve joy hope faith grace charity melody harmony autumn summer june may
    april august olive basil clay cliff dale dean drew earl forest grant guy hunter jay lance lane mason miles norm
    parker pierce ray reed rich rob sandy skip sterling sue sonny tanner trace wade ward will woody frank bill jack mike
    josh mark pat art bob gene tab redis-like rover buddy bella shadow lucky princess peanut pepper cookie cinnamon
    checklist spreadsheet deadline backlog kanban standup retro sprint ticket endpoint backend frontend fullstack
    changelog readme todo note tip hint caveat summary overview introduction conclusion step phase stage part section
    chapter appendix figure example exercise solution answer question option pros cons key takeaway takeaways benefit
    challenge requirement objective goal outcome deliverable milestone timeline schedule budget resource stakeholder
    vegan vegetarian gluten keto asthma diabetes migraine arthritis pneumonia flu fever anxiety insomnia
    cm mm km kg mg ml gb mb kb tb ms min hrs sec px rem em api url id ui ux faq pdf csv tv pc diy vip rsvp ps etc eg ie
    am pm aka vs nb am bc ad";

/// More of them, by field: school, law, medicine, cooking, sport, money, music, gardens, travel, machines, chat.
pub(super) const FIELDS: &str =
    "go lit meteor ink clap visa ups storybook drizzle guinea discourse linear fidelity runway mint detox galaxy rocket
    diesel hyper helix sled tonic mixture borg dune hex mistral gemini ghost backstage lent ajax looker sketch stencil
    oracle subway gap ford meta envoy nexus nomad celery athena consul raft rag ram sat who spa alphabet delta excel
    notion signal spark express unity canvas messenger edge
    abstract accord accordion acid acre acute adjacent adverb algebra algorithm alibi alien align allege allegation
    allergy allocate alphabet altitude aluminium aluminum ambulance amend amendment ankle anniversary antibiotic antique
    aperture appeal appendix appetite appetizer apprentice apron arbitrary archer archive arithmetic arrest arrow artery
    arugula assault assert assertion asterisk astronomy athlete attic attorney auction audit avocado axis bachelor bacon
    bagel bail bait baker ballad ballet bamboo bandage bankrupt banner barbecue barefoot bargain barley barn barrel
    baseball basement basketball bass batter beak beard bedtime beehive beetle beet benign berry beverage bicycle bidder
    bilingual binary biology biopsy biscuit bishop blanket blazer blender blister blizzard blossom blouse blueberry
    bluff blur boil bolster boots bouquet bowling bracelet bracket braid brake brass breach breed brewery brick bride
    brisk broccoli broker bronze broom broth bruise brunch bubble buffet bulb bulletin bumper bunny burger burglar burrito
    cabbage cabin cabinet caffeine calcium calculus calf calorie camel canary candidate cane canvas canoe caramel carb
    cardio cargo carnival carpet carriage cartoon cashier casserole cast castle casual catalog catalogue cattle
    cauliflower ceiling celebrity cello cement census cereal chalk chamber champagne chant chaos charcoal chase cheek
    cheesecake chemical chemistry chess chest chili chimney chin chives choir cholesterol chord choreography chunk
    cigarette cilantro cinema circuit clam clarinet clause claw clay clef clinic clove clover clown coalition cocktail
    coconut cod coefficient coin collar collateral colon colony comet comma commute compass compost compound conceal
    concierge concrete conditional condo congruent conjecture conjunction consonant constable contour contractor coral
    corollary coroner cosine courier coward cradle cramp crane crawl crayon cream creature crest crib cricket crop crouch
    cruise crumb crunch crust cube cucumber cuff cuisine curb curl curry curtain cushion custard custody cyclist cymbal
    dairy daisy damp dandelion dart debit debtor decimal deduct deductible deduction defendant dehydrated deli
    denominator dentist derivative desktop dessert diagonal diagnose diagnosis diameter diaper dice digest dilute dime
    dinosaur diploma disc discount dispatch dispute ditch dive dividend divisor divorce dizzy dock dogma doll dolphin
    dome donkey doorbell dough dove dragon drain drapes drizzle drought drown drummer duet dusk dwarf dye eagle earring
    earthquake eclipse eel eggplant elastic elbow elevator embassy embryo empire enamel encore encrypt endorse enzyme
    epic equator equilateral equity equivalent erase errand essay eternal ethics evict exam exponent eyebrow eyelid fabric
    faculty faucet fauna federal felony ferry fertilizer fetus fiber fiddle fig filter fir fireplace fixture flamingo
    flea flesh flip flock flora florist fluff flute foam fog foil forearm forehead forge fork fountain fracture fraction
    fragile fraud freckle freight frosting fudge fund fungus fur fuse galaxy gallon gallop gamble garbage garnish gauge
    gavel gear gecko genetics geography geometry geology germ gin giraffe glacier glare glaze glide glitch glow glue goal
    goalie goose gorilla gossip gourmet gown gradient graduate grammar granola grape grapefruit graphite grasp gratin
    gravel grease grind groom grove gust gymnast habitat haircut halftime ham hamburger hamlet handful handshake handbag
    hangover hardwood harness harp harvest hawk hay hazard headset headphones heater helicopter hem herb herd hermit heron
    hexagon hibernate highlight hinge hiccup hive hockey hoe homeowner hood hoof hop horizon hormone hose hostage hotline
    howl hum humid hummus hurdle hurricane hut hydrate hydrant hygiene hymn hypotenuse icing idiom igloo immune inbox
    indoor inflation inherit inhale inhaler inmate innings insect insulin insulate integral interval intestine invasion
    inverse isosceles itch itinerary ivory jail jar jasmine jaw jazz jelly jersey jog joint joystick jug juggle junction
    jungle juror kale kayak ketchup kettle kidnap kiln kilt kiosk kiwi knit knot ladle lagoon landmark landscape lantern
    lap larva lasagna latch lather latitude lava lawsuit leash ledger leek leftovers lemonade lentil leopard lettuce lever
    levy liable librarian lid lien lighter lilac limb lime limestone linen lineup linger lipstick litre liter litigation
    liver lizard loaf lobby lobster locker locksmith logarithm loophole lotion lottery lounge lumber lunar lung lure lush
    lyric macaroni maid mall mallet mandate mango manicure mansion manure maple marble marinade marinate marker maroon
    mash masonry mast matinee mattress mayonnaise meadow median medal melon melt mercy mermaid metaphor meter mice
    microwave migration milestone mineral minor mint mirror misdemeanor mist mitten mocha moisture mold mole monarch monk
    mosaic mosquito moss moth motel motorcycle mound mower mug mulch multiplier mural mushroom mustache mustard mutton
    nail nanny napkin narrator nausea navy needle negligence nephew nerd nettle newborn newcomer nickel noodle noun
    numerator nursery nutmeg nutrient nylon oath oatmeal oats obese oboe obtuse octagon octave octopus offense offside
    omelet onion opera orbit orchard orchestra orchid ordinance organ ornament orphan ostrich otter ounce outlaw outlet
    oval overtime overture owl ox oyster paddle padlock pail pajamas palate palette pamphlet pancake panda pants papaya
    parachute parade paradise paragraph parallelogram parcel parole parrot parsley parsnip passport pasta pastry patio
    patrol pavement paw paycheck payroll pea peach peacock peanut pear pebble pedal pedestrian peel penalty penguin
    pension pentagon pepperoni perimeter perjury perm perpendicular pharmacy phoenix pickle pigeon pillow pimple pine
    pineapple pint pistachio pitcher pitchfork pivot plague plaintiff planet plank plaster playlist playoff pliers plum
    plumber plumbing plush podium polar polka pollen polygon polynomial pond pony popcorn porch pore pork porridge portrait
    postage poultry prawn preach precedent predator prefix premium prenatal preposition prescribe prescription preschool
    pretzel prey prism probability probate probation prom pronoun propeller prosecute prosecutor province prune psalm
    pudding puddle pulley pulp pulse puma pumpkin puppy purse pyramid quadratic quadrilateral quail qualifier quarantine
    quarry quart quartet quarterback quilt quiver quota quotient rabies raccoon radar radish radius raft rainfall raisin
    ram ranch rap rash raspberry ratio raven razor rebate rebound rebuttal receipt recess recital rectangle recycle referee
    reflex refrigerator refund rehab rehearsal rehearse reindeer relay relish remedy remorse rental repaint reptile rescue
    residue resin resume retina rhinoceros rhombus rhubarb rhyme rib ribbon rifle rinse riot ripe roadmap roar robe rodent
    roommate rooster rosemary rotate roulette rover rowing royalty rug rugby ruler rum rumor rumour rust saddle sadness
    saffron saga salmon salsa sandal sap sapphire sardine satellite satin saucer sausage sauna saxophone scab scaffold
    scalene scallop scalp scar scarf scent scissors scoop scooter scorpion scout scrap scrape screw scribble scroll scuba
    sculpture seafood seal seam seashell seaweed sedan seesaw seizure semicircle semifinal sequel servant sesame settlement
    sew sewer shampoo shark shave shawl shepherd shield shin shingle shoelace shoot shoplift shortbread shovel shred
    shrimp shrub shuffle shutter sidewalk sieve silo sine sinus siren skate skateboard skeleton skewer ski skillet skirmish
    skull skunk slam slang slap sled sleeve slender slime sling slipper slope sloth slug slump smartphone smash smear smog
    smuggle snail snake snare sneeze snore snorkel snowboard snowfall snowman sober sofa solicitor solo sonata soprano
    sorbet sore soybean spa spaghetti spatula spear species spectator sphere spice spike spill spinach spine splash spleen
    splint sponge spoon spouse spray spruce spy squad squash squat squeeze squid squirrel stadium stale stall stamina stapler
    starch stark statue statute stew stitch stockings stool stork storey stove strainer strand strap straw strawberry
    striker stroller stubborn stump sturdy sue suede suitcase sunblock sunburn sundae sunflower sunrise sunscreen
    superstition suffix supper surf surfboard surgeon surrogate suspenders swamp swan swap sway sweat sweater sweatshirt
    sweep swell swerve swimsuit sword syllable syllabus symphony symmetry synonym syringe syrup tablecloth tablespoon tadpole
    tailor tan tangent tangerine tantrum tapestry tariff tart tattoo tavern taxi teapot teaspoon teddy telescope tempo tenant
    tendon tenor termite terrace theft theorem thermometer thermostat thesis thief thigh thirst thorn thread thrift throne
    thunder thyme tick tiger tights tilt timber tinsel toad tobacco toffee tofu tortilla tortoise torch tornado toss towel
    tractor trampoline transcript transplant transverse trapezoid trapeze tray treadmill trek triangle tribute tricycle
    trigonometry trim trio trombone trophy tropical trousers trout trowel trumpet trunk tuba tuck tug tuition tulip tumor
    tumour tuna turbine turf turnip turtle tuxedo tweezers twig twilight twirl typhoon ulcer umbrella umpire underwear unicorn
    uniform upright upstairs uptown urine usher vaccine vacuum valve vanilla vault vein velvet veranda verb verdict vertex
    vest veto vinegar vineyard vinyl violet violin virtue vitamin vocal vocabulary volcano volleyball vowel voyage waffle
    waist waiter waitress walnut waltz wardrobe warehouse warrant warranty wart wasp watercolor waterfall watermelon wheat
    wheelchair whip whirl whisk whisker whiskey whistle widow width wig wilt wink wolf womb woodpecker wool wound wreath
    wreck wrench wrestle wrinkle wrist xylophone yacht yam yarn yeast yield yogurt yolk zebra zigzag zinc zip zipper zoning
    zucchini ankle angle median scalene equilateral theorem axiom lemma proof hypothesis variance deviation outlier sample
    woohoo yippee yikes oof ouch eek aha ahem uh eh ehm mhm hurray yum yuck meh pfft whew jeez geez gosh wowza yesss nooo
    hahah lmao rofl xoxo hugs kisses sup heya howdy cheerio toodles ta soz np nvm idk tbf afaik iirc smh ikr ttyl gtg irl
    landmark viewpoint hostel guesthouse homestay campsite ecovillage commune itinerary luggage carry-on layover stopover
    downtown subtotal checkout signup signin login logout onboarding workflow webhook middleware namespace boolean integer
    string enum struct tuple closure iterator mutex semaphore thread coroutine payload header footer sidebar navbar dropdown
    tooltip modal viewport stylesheet wireframe mockup prototype sandbox staging rollback hotfix bugfix linter formatter
    refactor regex timestamp hostname localhost firewall subnet router gateway proxy cluster container replica shard backup
    throttle latency throughput benchmark profiler debugger breakpoint stacktrace logger mock mocks stub fixture snapshot
    optimizer tokenizer embedding inference dataset classifier regression gradient hyperparameter overfitting baseline
    celsius fahrenheit kelvin aid approximate rationale linguistic redundant exponential generative selector backoff protagonist antagonist hippo
    american british english german french spanish italian portuguese dutch belgian swiss austrian danish swedish norwegian
    finnish icelandic irish scottish welsh polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian
    serbian croatian slovenian estonian latvian lithuanian chinese japanese korean vietnamese thai indian pakistani
    bangladeshi indonesian malaysian filipino australian canadian mexican brazilian argentinian chilean colombian peruvian
    cuban jamaican african nigerian kenyan ethiopian egyptian moroccan israeli arab arabic hebrew persian iranian iraqi
    syrian lebanese saudi european asian latin nordic scandinavian christian catholic protestant muslim jewish hindu
    buddhist deutsch französisch englisch mandarin cantonese hindi tamil bengali urdu swahili catalan basque western
    conduct pathos ethos logos pane ace aces toss triangle ecological urban posture supplement reclaim sector tier";
