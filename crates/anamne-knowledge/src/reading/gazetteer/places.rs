//! Places: lands, towns, and the words that their names end in.

/// Countries, states, continents and regions.
pub(super) const LANDS: &str =
    "tibet,afghanistan,albania,algeria,andorra,angola,argentina,armenia,australia,austria,azerbaijan,bahamas,bahrain,bangladesh,
    barbados,belarus,belgium,belize,benin,bhutan,bolivia,bosnia,botswana,brazil,brunei,bulgaria,burundi,cambodia,cameroon,
    canada,chile,china,colombia,congo,costa rica,croatia,cuba,cyprus,czechia,czech republic,denmark,djibouti,dominica,
    dominican republic,ecuador,egypt,el salvador,eritrea,estonia,ethiopia,fiji,finland,france,gabon,gambia,germany,ghana,
    greece,greenland,grenada,guatemala,guinea,guyana,haiti,honduras,hungary,iceland,india,indonesia,iran,iraq,ireland,
    israel,italy,ivory coast,jamaica,japan,kazakhstan,kenya,kosovo,kuwait,kyrgyzstan,laos,latvia,lebanon,lesotho,liberia,
    libya,liechtenstein,lithuania,luxembourg,madagascar,malawi,malaysia,maldives,mali,malta,mauritania,mauritius,mexico,
    moldova,monaco,mongolia,montenegro,morocco,mozambique,myanmar,namibia,nepal,netherlands,new zealand,nicaragua,niger,
    nigeria,north korea,north macedonia,norway,oman,pakistan,palestine,panama,paraguay,peru,philippines,poland,portugal,
    qatar,romania,russia,rwanda,samoa,san marino,saudi arabia,senegal,serbia,seychelles,sierra leone,slovakia,slovenia,
    somalia,south africa,south korea,south sudan,spain,sri lanka,sudan,suriname,sweden,switzerland,syria,taiwan,tajikistan,
    tanzania,thailand,togo,tonga,trinidad,tunisia,turkey,turkmenistan,uganda,ukraine,united arab emirates,
    ben nevis,mont blanc,table mountain,united kingdom,united states,united states of america,uruguay,usa,uk,uae,eu,u.s.,u.k.,u.s.a.,uzbekistan,vanuatu,vatican,venezuela,
    vietnam,yemen,zambia,zimbabwe,england,scotland,wales,northern ireland,great britain,britain,europe,asia,africa,
    north america,south america,latin america,antarctica,oceania,middle east,scandinavia,balkans,caribbean,alabama,alaska,
    arizona,arkansas,california,colorado,connecticut,delaware,florida,hawaii,idaho,illinois,indiana,iowa,kansas,kentucky,
    louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,montana,nebraska,nevada,new hampshire,
    new jersey,new mexico,north carolina,north dakota,ohio,oklahoma,oregon,pennsylvania,rhode island,south carolina,
    south dakota,tennessee,texas,utah,vermont,west virginia,wisconsin,wyoming,ontario,quebec,alberta,
    british columbia,nova scotia,new south wales,queensland,tasmania,bavaria,saxony,brandenburg,hesse,
    alsace,normandy,brittany,provence,tuscany,sicily,sardinia,corsica,catalonia,andalusia,galicia,basque country,lapland,
    siberia,bali,java sea,okinawa,hokkaido,honshu,kyushu,kerala,punjab,gujarat,rajasthan,himalayas,alps,pyrenees,andes,
    rocky mountains,rockies,sahara,amazon rainforest,deutschland,österreich,schweiz,frankreich,italien,spanien,bayern,
    elsass,black forest,schwarzwald,silicon valley,bay area,new england,midwest,tyrol,bohemia,transylvania,crete,rhodes,
    ibiza,mallorca,majorca,tenerife,canary islands,azores,madeira,galapagos,maghreb,patagonia,yorkshire,cornwall,devon,kent";

/// Towns.
pub(super) const TOWNS: &str =
    "rostock,lhasa,queenstown,kapstadt,aachen,aberdeen,abu dhabi,accra,addis ababa,adelaide,albuquerque,alexandria,algiers,almaty,amman,amsterdam,anchorage,
    ankara,antwerp,athens,atlanta,auckland,augsburg,austin,baghdad,baku,baltimore,bangalore,bengaluru,bangkok,barcelona,
    basel,beijing,beirut,belfast,belgrade,bergen,berlin,bern,bilbao,birmingham,bogota,bogotá,bologna,bonn,bordeaux,boston,
    boulder,bratislava,bremen,brisbane,bristol,brooklyn,bruges,brussels,bucharest,budapest,buenos aires,cairo,calgary,
    cambridge,canberra,cape town,caracas,cardiff,casablanca,charlotte,chengdu,chennai,chicago,christchurch,cincinnati,
    cleveland,cologne,colmar,colombo,copenhagen,cork,cordoba,dakar,dallas,damascus,darmstadt,delhi,denver,detroit,dhaka,
    doha,dortmund,dresden,dubai,dublin,duisburg,durban,düsseldorf,dusseldorf,edinburgh,eindhoven,erfurt,essen,florence,
    fort worth,frankfurt,freiburg,fukuoka,galway,gdansk,geneva,genoa,ghent,glasgow,gothenburg,göttingen,granada,graz,
    grenoble,guadalajara,guangzhou,haifa,halifax,hamburg,hangzhou,hanoi,hannover,hanover,havana,heidelberg,helsinki,
    hiroshima,ho chi minh city,hong kong,honolulu,houston,hyderabad,indianapolis,innsbruck,istanbul,jakarta,jena,
    jerusalem,johannesburg,kabul,kampala,kansas city,karachi,karlsruhe,kathmandu,kiel,kigali,kobe,kolkata,konstanz,krakow,
    kraków,kuala lumpur,kyiv,kiev,kyoto,lagos,lahore,las vegas,lausanne,leeds,leicester,leipzig,leuven,lille,lima,linz,
    lisbon,liverpool,ljubljana,london,los angeles,louisville,lucerne,luzern,lyon,lübeck,madrid,magdeburg,mainz,malaga,
    málaga,malmö,manchester,manhattan,manila,mannheim,marrakesh,marrakech,marseille,matsumoto,mecca,medellin,melbourne,
    memphis,mexico city,miami,milan,milwaukee,minneapolis,minsk,montevideo,montpellier,montreal,moscow,mumbai,munich,
    münchen,münster,nagoya,nairobi,nantes,naples,nashville,new delhi,new orleans,new york,new york city,nyc,newcastle,nice,
    nottingham,nuremberg,nürnberg,oakland,odessa,oklahoma city,orlando,osaka,oslo,ottawa,oxford,palermo,palo alto,paris,
    perth,philadelphia,phoenix,pisa,pittsburgh,portland,porto,potsdam,prague,pretoria,queens,quito,rabat,raleigh,ravenna,
    regensburg,reykjavik,riga,rio de janeiro,riyadh,rome,rotterdam,sacramento,salt lake city,salzburg,san antonio,
    san diego,san francisco,san jose,santa barbara,santa fe,santiago de chile,sao paulo,são paulo,sapporo,sarajevo,savannah,
    seattle,seoul,seville,shanghai,sheffield,shenzhen,singapore,sofia,southampton,st. gallen,st gallen,st. louis,
    st. petersburg,stockholm,strasbourg,stuttgart,sydney,taipei,tallinn,tampa,tbilisi,tehran,tel aviv,the hague,
    thessaloniki,tijuana,tokyo,toronto,toulouse,trieste,trondheim,tucson,tunis,turin,tübingen,utrecht,valencia,vancouver,
    venice,verona,vienna,vilnius,warsaw,washington,washington dc,washington d.c.,weimar,wellington,wien,winnipeg,wolfsburg,
    wroclaw,wuhan,wuppertal,würzburg,yokohama,york,zagreb,zurich,zürich,bath,reading,mobile,tours,annecy,avignon,biarritz,
    bamberg,passau,ulm,trier,bruges,split,dubrovnik,bari,como,siena,perugia,nara,nagano,sendai,kanazawa,pune,jaipur,goa,
    agra,varanasi,chiang mai,phuket,siem reap,da nang,hoi an,luang prabang,cusco,cartagena,salvador da bahia";

/// Lone letters that stand for American states after a comma.
pub(super) const STATE_LETTERS: &str =
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI
    SC SD TN TX UT VT VA WA WV WI WY DC";

/// Last words of the names of places.
pub(super) const HEADS: &str =
    "street road avenue lane boulevard square plaza drive alley highway lake river mountain mountains mount peak hill
    hills valley forest park garden gardens beach bay coast island islands isle ocean sea strait canal harbour harbor port
    bridge airport station terminal tower castle palace cathedral church chapel abbey temple mosque cemetery museum gallery
    theatre theater stadium arena hall hotel inn hostel restaurant café cafe bistro pub bakery market mall center centre
    district county province village town city creek falls canyon desert glacier cape cliff cliffs trail zoo aquarium
    library lighthouse ranch farm vineyard winery campus dorm heights springs resort spa lodge straße strasse gasse platz
    allee weg berg see tal wald brücke bahnhof flughafen rue place gare pier quarry reservoir dam wharf courthouse
    playground plateau peninsula archipelago fjord area pass hbf hb heide prefecture glacier dam canton nature-reserve metro";

/// First words of the names of places.
pub(super) const FRONTS: &str = "mount mt trattoria ristorante brasserie gasthof gasthaus hotel lake lac loch glen wadi playa puerto cape port fort isle saint st santa san monte villa camp rue via plaza rio";

/// Endings of the names of towns and lands.
pub(in crate::reading) const ENDINGS: &[&str] = &[
    "ville", "burg", "burgh", "bury", "ford", "ham", "stadt", "dorf", "heim", "hausen", "shire",
    "stan", "land", "polis", "grad", "holm", "haven", "hafen", "mouth", "wick", "borough",
    "chester", "cester", "furt", "brück", "kirchen", "bach", "ingen", "ów",
];

/// What stands before a place: `in Skagen`, `towards Skagen`.
pub(super) const BEFORE: &str =
    "in near outside around across throughout visiting visited visit toward towards leaving reached explored exploring
    nach bei to from";

/// Buildings, rooms and lands without a name.
pub(super) const NOUNS: &str =
    "city town village country capital island region province district street neighbourhood neighborhood suburb county
    state restaurant café cafe hotel bar pub park beach lake mountain river";
