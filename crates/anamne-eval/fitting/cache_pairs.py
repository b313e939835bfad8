"""Writes labelled pairs of requests: templates of two separate halves, filled with different names.

Usage: cache_pairs.py > ../data/cache/pairs.jsonl
"""
import itertools
import json
import random

random.seed(7)

# Each template: kind of difference, first request, second request; {x} {y} are slots, whose fillings are rotated.
TUNE_SAME = {
    "reordered": [
        ("{city} weather tomorrow", "tomorrow weather {city}"),
        ("flights from {city} to {city2} in {month}", "flights to {city2} from {city} in {month}"),
        ("{lib} {ver} changelog", "changelog of {lib} {ver}"),
        ("exchange rate from {cur} to {cur2}", "{cur2} exchange rate from {cur} to {cur2}"),
        ("install {tool} on {os}", "{os} {tool} install"),
        ("{lib} memory leak fix", "fix memory leak in {lib}"),
        ("opening hours of the {place} in {city}", "{city} {place} opening hours"),
        ("{lang} read csv file line by line", "read csv file line by line {lang}"),
        ("price of {product} in {country}", "{product} price {country}"),
        ("{tool} error {code} meaning", "meaning of error {code} in {tool}"),
    ],
    "abbreviated": [
        ("kubernetes {thing} example", "k8s {thing} example"),
        ("{lang} environment variables in {tool}", "{lang} env vars in {tool}"),
        ("{lib} documentation for version {ver}", "{lib} docs for ver {ver}"),
        ("weather in {city} on saturday", "weather in {city} on sat"),
        ("{tool} configuration file location on {os}", "{tool} config file location on {os}"),
        ("convert 25 kilometers to miles", "convert 25 km to mi"),
        ("postgresql {thing} performance", "postgres {thing} perf"),
        ("javascript {thing} function parameters", "js {thing} func params"),
        ("{city} temperature in december", "{city} temp in dec"),
        ("maximum number of connections in {tool}", "max number of connections in {tool}"),
    ],
    "filler": [
        ("{lib} {ver} release date", "Could you please tell me the {lib} {ver} release date?"),
        ("population of {country}", "What is the population of {country}?"),
        ("install {tool} on {os}", "How do I install {tool} on {os}?"),
        ("{lang} sort list by key", "I want to know how to sort a list by key in {lang}"),
        ("current price of {product}", "hey, can you tell me the current price of {product} please"),
        ("license of {lib}", "What is the license of {lib}, thanks"),
        ("{city} time zone", "What's the time zone of {city}?"),
        ("{tool} default port", "I need to know the default port of {tool}"),
        ("cheap hotels in {city}", "I'm looking for cheap hotels in {city}"),
        ("{tool} error {code}", "please find {tool} error {code}"),
    ],
    "paraphrase": [
        ("how many people live in {city}", "population of {city}"),
        ("How much does {product} cost?", "{product} price"),
        ("remove a column in {lib}", "delete a column in {lib}"),
        ("fix error {code} in {tool}", "solve {tool} error {code}"),
        ("turn off telemetry in {tool}", "disable telemetry in {tool}"),
        ("difference between {lib} and {lib2}", "compare {lib} and {lib2}"),
        ("when was {lib} {ver} released", "{lib} {ver} release date"),
        ("{lang} tutorial for {thing}", "{lang} guide to {thing}"),
    ],
}
TUNE_DIFFERENT = {
    "entity": [
        ("weather in {city} tomorrow", "weather in {city2} tomorrow"),
        ("population of {country}", "population of {country2}"),
        ("latest version of {lib}", "latest version of {lib2}"),
        ("price of {product}", "price of {product2}"),
    ],
    "number": [
        ("top 10 cities in {country} by population", "top 5 cities in {country} by population"),
        ("hotels in {city} for 2 people", "hotels in {city} for 4 people"),
        ("{tool} error 404", "{tool} error 403"),
        ("convert 30 miles to km", "convert 13 miles to km"),
    ],
    "version": [
        ("{lib} {ver} changelog", "{lib} {ver2} changelog"),
        ("is {lang} {ver} supported by {tool}", "is {lang} {ver2} supported by {tool}"),
        ("upgrade {lib} to {ver}", "upgrade {lib} to {ver2}"),
    ],
    "direction": [
        ("flights from {city} to {city2}", "flights from {city2} to {city}"),
        ("convert {cur} to {cur2}", "convert {cur2} to {cur}"),
        ("migrate from {lib} to {lib2}", "migrate from {lib2} to {lib}"),
        ("trains to {city} on friday", "trains from {city} on friday"),
        ("does {lib} depend on {lib2}", "does {lib2} depend on {lib}"),
        ("employees older than 40 in {country}", "employees younger than 40 in {country}"),
    ],
    "negation": [
        ("hotels in {city} with breakfast", "hotels in {city} without breakfast"),
        ("{lib} works on {os}", "{lib} does not work on {os}"),
        ("countries that are in the EU", "countries that are not in the EU"),
        ("{tool} build with cache", "{tool} build with no cache"),
    ],
    "time": [
        ("weather in {city} today", "weather in {city} tomorrow"),
        ("events in {city} in {month}", "events in {city} in {month2}"),
        ("{product} price 2023", "{product} price 2024"),
        ("who is the president of {country}", "who was the president of {country}"),
    ],
    "platform": [
        ("install {tool} on {os}", "install {tool} on {os2}"),
        ("{tool} config path {os}", "{tool} config path {os2}"),
        ("{lib} wheel for linux arm64", "{lib} wheel for linux x86_64"),
    ],
    "asked": [
        ("capital of {country}", "population of {country}"),
        ("who wrote {lib}", "when was {lib} written"),
        ("{lib} license", "{lib} homepage"),
        ("how to install {tool}", "how to uninstall {tool}"),
        ("why is {lib} slow", "how slow is {lib}"),
    ],
    "unit": [
        ("distance from {city} to {city2} in km", "distance from {city} to {city2} in miles"),
        ("temperature in {city} in celsius", "temperature in {city} in fahrenheit"),
        ("100 usd in eur", "100 eur in usd"),
        ("50 mb in gb", "50 gb in mb"),
    ],
    "aggregate": [
        ("highest mountain in {country}", "lowest mountain in {country}"),
        ("average salary in {city}", "median salary in {city}"),
        ("total downloads of {lib}", "average downloads of {lib}"),
        ("largest city in {country}", "second largest city in {country}"),
        ("{product} price ascending", "{product} price descending"),
    ],
}
REPORT_SAME = {
    "reordered": [
        ("nginx reverse proxy timeout {tool}", "{tool} timeout nginx reverse proxy"),
        ("best museums in {city} for children", "{city} best museums for children"),
        ("{lib} breaking changes {ver}", "breaking changes in {lib} {ver}"),
        ("train from {city2} to {city} on monday", "train on monday to {city} from {city2}"),
        ("minimum wage {country} 2024", "2024 minimum wage in {country}"),
        ("{tool} segmentation fault {os}", "{os} segmentation fault in {tool}"),
        ("{lang} parse json from string", "parse json from string in {lang}"),
        ("stock price {company} today", "today {company} stock price"),
        ("public holidays {country} 2025", "2025 public holidays in {country}"),
        ("{lib} async support status", "status of async support in {lib}"),
        ("{company} api rate limits", "rate limits of the {company} api"),
        ("tls certificate expiry check {tool}", "check tls certificate expiry {tool}"),
    ],
    "abbreviated": [
        ("{tool} repository url", "{tool} repo url"),
        ("{lib} dependency tree", "{lib} dep tree"),
        ("machine learning course {city}", "ml course {city}"),
        ("authentication error in {tool}", "auth error in {tool}"),
        ("{lang} temporary directory path", "{lang} tmp dir path"),
        ("5 kilograms in pounds", "5 kg in lbs"),
        ("flight prices {city} september", "flight prices {city} sept"),
        ("{company} development environment setup", "{company} dev env setup"),
        ("{lib} average response time", "{lib} avg resp time"),
        ("{tool} versus {tool2}", "{tool} vs {tool2}"),
        ("typescript {thing} with database", "ts {thing} with db"),
        ("{country} statistics bureau address", "{country} stats bureau address"),
    ],
    "filler": [
        ("{company} headquarters address", "I'd like to know what the headquarters address of {company} is"),
        ("{lang} list comprehension syntax", "can you show me the {lang} list comprehension syntax?"),
        ("capital of {country}", "hello, could you tell me what the capital of {country} is"),
        ("undo last commit {tool}", "How can I undo the last commit in {tool}?"),
        ("{lib} timeout error", "I keep getting a {lib} timeout error"),
        ("{product} battery life", "do you know the battery life of the {product}"),
        ("restaurants near {place} {city}", "please show restaurants near the {place} in {city}"),
        ("{country} visa requirements", "What are the visa requirements for {country}?"),
        ("rename branch in {tool}", "what's the best way to rename a branch in {tool}"),
        ("{lib} github stars", "I was wondering about the github stars of {lib}"),
        ("mortgage rates {country}", "give me info about mortgage rates in {country}"),
        ("latest {tool} release notes", "Where can I read the latest {tool} release notes"),
    ],
    "paraphrase": [
        ("{lang} remove duplicates from array", "delete duplicates from array in {lang}"),
        ("who founded {company}", "founder of {company}"),
        ("how tall is the {place} in {city}", "height of the {place} in {city}"),
        ("{tool} crashes on startup", "{tool} fails to start"),
        ("cheapest {product}", "{product} with the lowest price"),
        ("how long is the flight from {city} to {city2}", "flight duration from {city} to {city2}"),
        ("create a table in {tool}", "make a table in {tool}"),
        ("what causes error {code} in {tool}", "reason for error {code} in {tool}"),
    ],
}
REPORT_DIFFERENT = {
    "entity": [
        ("{company} stock price today", "{company2} stock price today"),
        ("visa requirements for {country}", "visa requirements for {country2}"),
        ("{lib} api reference", "{lib2} api reference"),
        ("java {thing}", "javascript {thing}"),
        ("react {thing} tutorial", "react native {thing} tutorial"),
    ],
    "number": [
        ("{country} gdp rank 3 years", "{country} gdp rank 5 years"),
        ("http status 502 {tool}", "http status 504 {tool}"),
        ("apartments in {city} below 900 euros", "apartments in {city} below 1900 euros"),
        ("{tool} port 8080 in use", "{tool} port 8000 in use"),
    ],
    "version": [
        ("{lib} {ver} known vulnerabilities", "{lib} {ver2} known vulnerabilities"),
        ("{lang} 3 print function", "{lang} 2 print function"),
        ("docs for {lib} v{ver}", "docs for {lib} v{ver2}"),
    ],
    "direction": [
        ("bus from {place} to airport {city}", "bus from airport to {place} {city}"),
        ("translate hello from english to german", "translate hello from german to english"),
        ("did {company} acquire {company2}", "did {company2} acquire {company}"),
        ("invoices sent by {company} to {company2}", "invoices sent by {company2} to {company}"),
        ("orders placed before 2020 in {country}", "orders placed after 2020 in {country}"),
        ("versions newer than {ver} of {lib}", "versions older than {ver} of {lib}"),
        ("call {lang} from {lang2}", "call {lang2} from {lang}"),
        ("{cur} {cur2} rate", "{cur2} {cur} rate"),
    ],
    "negation": [
        ("restaurants in {city} open on sunday", "restaurants in {city} not open on sunday"),
        ("{lang} regex match digits", "{lang} regex not match digits"),
        ("{tool} run with sudo", "{tool} run without sudo"),
        ("why does {tool} start", "why doesn't {tool} start"),
        ("files that contain {thing}", "files that never contain {thing}"),
    ],
    "time": [
        ("{company} revenue last quarter", "{company} revenue this quarter"),
        ("sunrise {city} monday", "sunrise {city} tuesday"),
        ("concerts in {city} next week", "concerts in {city} this week"),
        ("inflation {country} {month} 2024", "inflation {country} {month2} 2024"),
    ],
    "platform": [
        ("{tool} keyboard shortcuts {os}", "{tool} keyboard shortcuts {os2}"),
        ("build {lib} for android", "build {lib} for ios"),
        ("{company} app for iphone", "{company} app for ipad"),
    ],
    "asked": [
        ("{company} ceo", "{company} cfo"),
        ("{lib} latest version", "{lib} first version"),
        ("how to create a branch in {tool}", "how to delete a branch in {tool}"),
        ("where is the {place} in {city}", "when does the {place} in {city} open"),
        ("should i use {lib} in production", "how to use {lib} in production"),
        ("enable logging in {tool}", "disable logging in {tool}"),
    ],
    "unit": [
        ("height of the {place} in meters", "height of the {place} in feet"),
        ("fuel price {country} per liter", "fuel price {country} per gallon"),
        ("20 gbp in jpy", "20 jpy in gbp"),
        ("salary in {city} per month", "salary in {city} per year"),
    ],
    "aggregate": [
        ("most popular {lang} framework", "least popular {lang} framework"),
        ("minimum temperature in {city}", "maximum temperature in {city}"),
        ("count of issues in {lib}", "sum of issues in {lib}"),
        ("oldest university in {country}", "newest university in {country}"),
        ("all {tool} releases", "last {tool} release"),
        ("cities in {country} with more than 1 million people", "cities in {country} with less than 1 million people"),
    ],
}
SLOTS = {
    "tune": {
        "city": ["Oslo", "Lisbon", "Nairobi", "Kyoto", "Lima", "Tallinn", "Boston"],
        "country": ["Norway", "Kenya", "Chile", "Vietnam", "Estonia", "Canada"],
        "lib": ["serde", "numpy", "react", "requests", "tokio", "django"],
        "ver": ["3.11", "2.0.4", "1.8", "5.2", "0.19", "14"],
        "tool": ["docker", "nginx", "git", "terraform", "redis", "webpack"],
        "os": ["windows", "ubuntu", "macos", "debian", "fedora"],
        "lang": ["python", "rust", "go", "java", "ruby"],
        "product": ["Pixel 9", "PlayStation 5", "Kindle", "iPad Air", "Fairphone 5"],
        "month": ["may", "july", "october", "december", "january"],
        "cur": ["usd", "eur", "gbp", "chf"],
        "place": ["library", "zoo", "harbour museum", "opera"],
        "code": ["E0382", "ECONNREFUSED", "128", "0x80070005"],
        "thing": ["ingress", "index", "callback", "deployment", "closure"],
        "company": ["Siemens", "Spotify", "Nokia"],
    },
    "report": {
        "city": ["Vienna", "Porto", "Osaka", "Dakar", "Bogota", "Riga", "Denver"],
        "country": ["Poland", "Ghana", "Peru", "Japan", "Latvia", "Mexico"],
        "lib": ["pandas", "axum", "lodash", "flask", "pytorch", "sqlalchemy"],
        "ver": ["4.17", "2.1.3", "1.70", "6.0", "0.8", "17"],
        "tool": ["kubectl", "jenkins", "mercurial", "ansible", "kafka", "vite"],
        "os": ["linux", "freebsd", "windows 11", "alpine", "centos"],
        "lang": ["kotlin", "perl", "swift", "php", "scala"],
        "product": ["Galaxy S24", "ThinkPad X1", "Garmin Fenix", "Switch OLED"],
        "month": ["march", "june", "august", "november", "february"],
        "cur": ["sek", "jpy", "aud", "inr"],
        "place": ["cathedral", "TV tower", "botanical garden", "stadium"],
        "code": ["E0502", "ENOENT", "137", "ORA-00942"],
        "thing": ["validation", "routing", "pagination", "streams", "hooks"],
        "company": ["Airbus", "Stripe", "Samsung", "Ericsson"],
    },
}


def filled(template, values, turn):
    names = {}
    for name, choices in values.items():
        at = (turn * 3 + len(name) + turn // len(choices)) % len(choices)
        names[name] = choices[at]
        names[name + "2"] = choices[(at + 1) % len(choices)]
    return template.format(**names)


def pairs(part, same, table, turns):
    values = SLOTS[part]
    seen = set()
    for kind, templates in table.items():
        for number, (one, other) in enumerate(templates):
            for turn in range(turns):
                a, b = filled(one, values, turn + number), filled(other, values, turn + number)
                if turn % 2:
                    a, b = b, a
                if (a, b) not in seen and (b, a) not in seen:
                    seen.add((a, b))
                    template = f"{part} {kind} {number}"
                    yield {"a": a, "b": b, "same": same, "kind": kind, "part": part, "template": template}


tables = [
    ("tune", True, TUNE_SAME),
    ("tune", False, TUNE_DIFFERENT),
    ("report", True, REPORT_SAME),
    ("report", False, REPORT_DIFFERENT),
]
for part, same, table in tables:
    for pair in pairs(part, same, table, 5):
        print(json.dumps(pair, ensure_ascii=False))
