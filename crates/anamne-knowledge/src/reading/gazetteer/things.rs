//! Tools, organisations, and named ideas.

/// Programs, languages, libraries, services, devices.
pub(super) const TOOLS: &str =
    "ableton,adobe,adobe premiere,affinity designer,after effects,airflow,airtable,alexa,algolia,alpine linux,alpine.js,
    amazon s3,amazon web services,anaconda,android,android studio,angular,ansible,anki,apache,apache kafka,apache spark,
    apache2,apple pay,apple watch,aptos,arch linux,arduino,argo cd,argocd,asana,asp.net,astro,asyncio,athena,auth0,aws,
    aws lambda,axios,axum,azure,azure devops,babel,backstage,bamboohr,bash,basecamp,bazel,bert,bigquery,bitbucket,bitwarden,blender,
    bluetooth,bootstrap,brew,bun,c++,c#,caddy,calendly,canva,capcut,capacitor,cargo,cassandra,celery,centos,ceph,chatgpt,chart.js,
    chatgpt plus,chrome,chromebook,chromium,circleci,claude,claude code,clickhouse,clickup,clion,clojure,cloudflare,cloudfront,
    cloudinary,cloudwatch,cmake,cobol,cockroachdb,codecov,codepen,commitlint,composer,conda,confluence,consul,contentful,copilot,
    cordova,couchbase,couchdb,cron,css,css3,cucumber,cuda,curl,cursor,cypress,d3,d3.js,dagster,dart,dask,datadog,datagrip,
    dbeaver,dbt,debian,deepl,deepseek,deno,devise,discord,discourse,django,django rest framework,docker,docker compose,docker swarm,docusign,
    dotnet,drizzle,dropbox,drupal,duckdb,duckduckgo,duolingo,dynamodb,ebay,eclipse,ecs,edge,eks,elasticsearch,electron,elixir,
    elm,emacs,ember.js,envoy,erlang,esbuild,eslint,etcd,evernote,excalidraw,excel,expo,expo-sqlite,express,express.js,f#,facebook,
    fastapi,fastify,fedora,ffmpeg,figjam,figma,final cut pro,firebase,firefox,fitbit,flask,flask-login,flask-sqlalchemy,fluentd,
    flutter,flux,flyway,fortran,freebsd,freecad,g++,garageband,garmin,gatsby,gcc,gcp,gdb,gemini,ghost,gimp,git,gitea,github,
    github actions,github copilot,github pages,gitlab,gitlab ci,gmail,gnome,gnu,go,godot,golang,google analytics,google calendar,
    google chrome,google cloud,google cloud platform,google docs,google drive,google forms,google lighthouse,google maps,google meet,google scholar,
    google sheets,google workspace,goodreads,gpt,gpt-3,gpt-4,gpt-4o,gpt-5,gradle,grafana,grafana loki,grammarly,graphql,grep,groovy,grpc,gulp,gunicorn,
    hadoop,haproxy,haskell,hbase,helm,heroku,hibernate,homebrew,hotjar,html,html5,htmx,httpx,hubspot,hugging face,hugo,husky,
    icloud,illustrator,imovie,influxdb,ingress,ink,insomnia,instagram,intellij,intellij idea,ios,ipad,ipados,iphone,istio,jaeger,java,
    javascript,jenkins,jekyll,jest,jetbrains,jira,jmeter,joomla,jquery,julia,junit,jupyter,jupyter notebook,k3s,k6,k8s,kafka,
    keras,keycloak,kibana,kindle,kotlin,ktor,kubectl,kubernetes,langchain,laravel,latex,leaflet,libreoffice,lightroom,linear,linkedin,
    linux,liquibase,lisp,llama,llvm,locust,lodash,logseq,logstash,looker,lua,macbook,macbook pro,macos,magento,mailchimp,make.com,mariadb,
    markdown,mastercard,mastodon,material ui,materialize,matlab,matplotlib,mattermost,maven,memcached,mercurial,mermaid,messenger,meteor,metabase,
    microsoft 365,microsoft azure,microsoft excel,microsoft office,microsoft teams,microsoft word,midjourney,minikube,minio,miro,
    mistral,mlflow,mocha,mongodb,mongoose,mqtt,ms teams,mypy,mysql,n8n,nagios,nats,neo4j,neovim,nest.js,nestjs,netlify,new relic,nexus,next.js,
    nextcloud,nextjs,nginx,ngrok,nintendo switch,nixos,node,node.js,nodejs,nomad,notion,npm,nuget,numpy,nuxt,nuxt.js,objective-c,obs,ocaml,obsidian,
    octave,okta,ollama,onedrive,onenote,openai,openapi,opencv,openshift,openssl,opentelemetry,openvpn,openweather,opsgenie,outlook,
    pagerduty,pandas,passport.js,paypal,perl,pgadmin,pgbouncer,pgvector,phoenix framework,photoshop,php,phpmyadmin,picasa,pinecone,pinterest,pip,
    pixel,plaid,playstation,playwright,plotly,pnpm,podman,poetry,postcss,postfix,postgis,postgres,postgresql,postman,power bi,powerpoint,powershell,
    prettier,prisma,procreate,prolog,prometheus,protobuf,proxmox,pubmed,pulumi,puppeteer,pycharm,pydantic,pygame,pyspark,pytest,python,python3,pytorch,qdrant,qt,
    quickbooks,quicken,rabbitmq,rails,raspberry pi,react,react native,react query,react router,reddit,redis,redshift,redux,rollup,
    roslyn,ruby on rails,rust,rustc,rustup,rustfmt,clippy,rxjs,safari,sagemaker,salesforce,sap,sass,scala,scikit-learn,scipy,scrapy,seaborn,selenium,
    sendgrid,sentry,sequelize,serverless framework,shopify,signal,simulink,sinatra,siri,sketchup,skype,slack,snapchat,snowflake,socket.io,
    solidity,solidworks,solr,sonarqube,sonos,soundcloud,sourcetree,spacy,spark,splunk,spotify,spring boot,spring security,sql,sql server,sqlalchemy,sqlite,sqlite3,sqlx,squarespace,
    ssh,stable diffusion,stack overflow,storybook,strapi,strava,streamlit,stripe,styled-components,sublime text,supabase,surrealdb,svelte,
    sveltekit,svn,swagger,swift,swiftui,symfony,systemd,tableau,tailwind,tailwind css,tailwindcss,tauri,teamcity,teams,teamspeak,telegram,
    tensorflow,terraform,tesla model 3,tesseract,three.js,thunderbird,tiktok,timescaledb,todoist,tokio,tomcat,torch,trello,tsc,turbopack,
    turso,twilio,twitch,twitter,typeform,typescript,ubuntu,unicorn,unity,unreal engine,uvicorn,uvloop,vagrant,vault,vercel,vim,virtualbox,visual basic,
    visual studio,visual studio code,vite,vitest,vmware,vs code,vscode,vue,vue.js,vuejs,vuetify,wasm,webassembly,weaviate,webex,webflow,webpack,websocket,
    websockets,webstorm,weblate,wechat,whatsapp,whisper,windows,windows 10,windows 11,winscp,wireguard,wireshark,wix,wordpress,woocommerce,x11,
    xbox,xcode,xero,yaml,yarn,youtube,zabbix,zapier,zendesk,zig,zipkin,zookeeper,zoom,zotero,zsh,ynab,mint,xgboost,lightgbm,wandb,
    opensearch,meilisearch,typesense,tantivy,lucene,rocksdb,leveldb,lmdb,sled,redb,diesel,actix,actix-web,rocket,hyper,tonic,serde,
    rayon,clap,tracing,jiff,chrono,nushell,fish shell,tmux,wezterm,iterm,iterm2,alacritty,helix,zed,lvm,zfs,btrfs,ext4,
    traefik,vaultwarden,jellyfin,plex,home assistant,pi-hole,unifi,opnsense,pfsense,tailscale,zerotier,syncthing,restic,borg,rclone,rsync,
    cloud run,cloud functions,pub/sub,eventbridge,sqs,sns,rds,ec2,s3,route 53,iam,lambda,fargate,app engine,firestore,
    gemma,qwen,mixtral,perplexity,elevenlabs,runway,sora,dall-e,cohere,anthropic api,openai api,airpods,galaxy,oneplus,chromecast,alexa echo,roomba,
    peloton,whoop,oura ring,kitchenaid,instant pot,thermomix,netflix party,myfitnesspal,headspace,calm app,garmin connect,komoot,wikipedia,
    musescore,logic pro,pro tools,fl studio,audacity,cubase,reaper,bandcamp,sibelius,geogebra,desmos,wolfram alpha,mathematica,r studio,rstudio,stata,spss,
    moodle,canvas lms,blackboard,quizlet,kahoot,khan academy,coursera,udemy,edx,skillshare,codecademy,leetcode,hackerrank,kaggle,overleaf,mendeley,scopus,arxiv,
    venmo,revolut,robinhood,coinbase,bitcoin,ethereum,turbotax,datev,lexoffice,epic ehr,
    pg_dump,pg_restore,psql,journalctl,systemctl,crontab,htop,wget,rustdesk,openjdk,jvm,jdk,.net,.net core,asp.net core,winforms,kmeans,mui,chakra ui,zustand,tanstack,trpc,
    vuex,pinia,remix,solidjs,qwik,lit,stencil,ionic,cocoapods,swiftpm,fastlane,testflight,expo go,metro bundler,hermes,detox,appium,
    jaxb,log4j,slf4j,logback,lombok,quarkus,micronaut,vert.x,akka,play framework,sbt,leiningen,mix,hex,rebar3,cabal,ghc,opam,dune";

/// Companies, authorities, schools, clubs, bands.
pub(super) const ORGANISATIONS: &str =
    "federal reserve,bank of england,médecins sans frontières,ntnu,maersk,asml,
    accenture,acm,adidas,airbnb,airbus,aldi,alibaba,allianz,alphabet,amazon,amd,american airlines,american express,amnesty international,
    anthropic,apple,arsenal,astrazeneca,atlassian,audi,axa,baidu,barclays,basf,bayer,bbc,berkshire hathaway,bloomberg,bmw,boeing,bosch,
    british airways,bundesbank,bundestag,burger king,bytedance,capgemini,capital one,caritas,carrefour,caltech,cern,chase bank,chelsea fc,chevron,cia,cisco,
    citibank,cnn,coca-cola,commerzbank,congress,costco,credit suisse,cvs,daimler,decathlon,deepmind,dell,deloitte,delta air lines,deutsche bahn,
    deutsche bank,deutsche telekom,dhl,disney,doctors without borders,doordash,dsv,easyjet,edeka,eth zurich,eth zürich,european commission,
    european union,european central bank,exxon,expedia,fbi,fc barcelona,fc bayern,fda,fedex,fidelity,fifa,ford,fujitsu,gap inc,general electric,general motors,
    goldman sachs,google,greenpeace,h&m,harvard,harvard university,hbo,hewlett packard,hilton,home depot,honda,hsbc,huawei,hulu,hyundai,
    ibm,ieee,ikea,imf,infosys,ing,intel,irs,johns hopkins,jpmorgan,jp morgan,juventus,kaiser permanente,kfc,kpmg,lego,lenovo,lg,lidl,
    liverpool fc,lockheed martin,lufthansa,lyft,manchester city,manchester united,marriott,mayo clinic,mcdonald's,mckinsey,mercedes,mercedes-benz,
    merck,meta,michelin,microsoft,mit,mit media lab,mitsubishi,moderna,monzo,morgan stanley,mozilla,n26,nasa,nato,national geographic,nba,nestle,nestlé,netflix,
    new york times,nfl,nhl,nhs,nike,nintendo,nissan,nokia,novartis,nvidia,oecd,oracle,oxfam,oxford university,panasonic,parliament,patagonia inc,pepsi,pepsico,
    pfizer,philips,pixar,planned parenthood,porsche,princeton,procter & gamble,pwc,qualcomm,real madrid,red cross,red hat,rewe,roche,rolls-royce,ryanair,
    samsung,santander,sbb,schufa,sec,sephora,shell plc,siemens,softbank,sony,spacex,stanford,stanford university,starbucks,state farm,subway sandwiches,target corp,
    tata,tesco,tesla,texas instruments,the guardian,toyota,trader joe's,tu berlin,tu munich,tum,uber,ubs,unesco,unhcr,unicef,unilever,united airlines,united nations,
    ups,verizon,visa,vodafone,volkswagen,volvo,walmart,warner bros,washington post,wells fargo,wework,whole foods,who,wwf,y combinator,yahoo,yale,ymca,
    spotify,github,gitlab,slack,zoom,dropbox,stripe,shopify,linkedin,facebook,twitter,youtube,openai,datadog,salesforce,paypal,ebay,instagram,
    atlassian,cloudflare,hashicorp,mongodb,elastic,canonical,jetbrains,zendesk,hubspot,twilio,revolut,coinbase,reddit,pinterest,mastercard,sap,adobe,
    zalando,zara,w3c,ietf,linux foundation,apache foundation,mozilla foundation,python software foundation,the beatles,rolling stones,coldplay,radiohead,metallica,abba,pink floyd,daft punk,
    lakers,yankees,red sox,golden state warriors,chicago bulls,boston celtics,dallas cowboys,borussia dortmund,bayern munich,ajax amsterdam,inter milan,ac milan,psg,tottenham,
    techstars,andreessen horowitz,sequoia capital,blackrock,vanguard,charles schwab,nasdaq,nyse,the economist,reuters,der spiegel,le monde,universität wien";

/// Acronyms and names of ideas, standards, methods, illnesses, holidays, works and events.
pub(super) const CONCEPTS: &str =
    "s&p 500,s&p,dow jones,ftse 100,acid,adhd,agile,aids,alzheimer's,api gateway,ascii,asmr,ast,ats,autism,b2b,b2c,bayes' theorem,bdd,bitcoin halving,black friday,brexit,bst,
    byzantine fault tolerance,cap theorem,catholicism,ccpa,cdn,chanukah,chinese new year,christianity,christmas,christmas eve,ci/cd,cidr,clean architecture,climate change,copd,cors,
    covid,covid-19,cpr,cpu,cqrs,crdt,crdts,crossfit,crud,crohn's disease,cyber monday,dag,ddd,ddos,dfs,dhcp,diwali,dkim,dns,dom,domain-driven design,dry principle,easter,ebitda,ecg,eeg,eid,
    emdr,eslint rule,etf,eucharist,event sourcing,exif,fasb,fibonacci,fifo,fourier transform,ftp,gaap,gdpr,dsgvo,general relativity,gps,gpu,gui,halloween,hanukkah,hiit,hinduism,hipaa,hiv,hmac,
    http,http/1.1,http/2,http/3,https,hyrox,ibs,ifrs,independence day,industrial revolution,iot,ip,ipo,ipv4,ipv6,islam,iso,iso 27001,iso 8601,iso 9001,json,json schema,jpeg,judaism,jwt,jwts,kanban,kpi,kpis,labor day,
    lcm,ldap,lent,lgbtq,lgbtq+,lifo,llm,llms,lora,lorawan,lru,mardi gras,maslow's hierarchy,mba,memorial day,merkle tree,mfa,mit license,monte carlo,mother's day,mri,mtls,mvc,mvp,mvvm,nda,net promoter score,
    new year's eve,new year's day,nlp,nlu,noom,nosql,oauth,oauth2,oauth 2.0,ocd,oidc,okr,okrs,oktoberfest,olap,oltp,olympics,oop,open source initiative,orm,osi model,owasp,owasp top 10,paris agreement,parkinson's,passover,paxos,
    pci dss,pdf,pentecost,phd,pii,pmi,png,pomodoro,pomodoro technique,ptsd,pull request,pythagorean theorem,quantum computing,raft,ramadan,rag,ram,rbac,rca,rest,rest api,restful,rfc,rgb,rls,roi,roth ira,401k,401(k),ira,rpc,rpo,rsa,rss,rto,
    saas,saga pattern,saml,scrum,seo,sha-256,sha256,sla,slas,slo,slos,smart goals,smart criteria,smtp,smb,sms,soap,soc 2,solid principles,spa,spf,sql injection,sso,ssl,ssr,star method,sudoku,super bowl,svg,swot,swot analysis,taoism,tcp,tcp/ip,tdd,tedx,thanksgiving,
    tls,tls 1.3,toefl,totp,turing test,two-phase commit,udp,uml,unicode,unix,usb,usb-c,utc,utf-8,uuid,uuidv7,vat,valentine's day,vpn,vps,wal,wcag,webrtc,webdav,whitsun,wi-fi,wifi,world cup,world war i,world war ii,world war 2,wwii,wysiwyg,
    ibuprofen,aspirin,paracetamol,acetaminophen,metformin,insulin,amoxicillin,penicillin,warfarin,statins,prednisone,ozempic,botox,xml,xp,xss,yagni,yom kippur,zero trust,2fa,champions league,premier league,bundesliga,nobel prize,oscars,grammys,eurovision,tour de france,wimbledon,super tuesday,harry potter,star wars,star trek,lord of the rings,
    the lord of the rings,the hobbit,game of thrones,stranger things,breaking bad,the great gatsby,pride and prejudice,to kill a mockingbird,the odyssey,mona lisa,minecraft,fortnite,zelda,super mario,monopoly,dungeons & dragons,
    dungeons and dragons,catan,big bang,black hole,blue-green deployment,circuit breaker pattern,gitflow,conventional commits,semantic versioning,semver,twelve-factor app,type 1 diabetes,type 2 diabetes,lyme disease,down syndrome,magna carta,
    cold war,french revolution,renaissance,great depression,first world war,second world war,moon landing,berlin wall,bauhaus,impressionism,ielts,gre,gmat,sat,gpa,delf,jlpt,cv,pto,nft,nfts,esg,ubi,fomo,bmi";

/// Last words of the names of organisations.
pub(super) const ORGANISATION_HEADS: &str =
    "foods steel motors energy partners inc ltd llc gmbh ag corp corporation company co plc group holding holdings university college school academy institute
    hospital clinic association society foundation council committee commission ministry department agency authority bank
    insurance airlines airways team club fc union federation league party church studios records press publishing media
    solutions technologies technology systems labs lab consulting partners ventures capital logistics pharmaceuticals
    motors industries enterprises office bureau embassy court police orchestra choir band ensemble charity network
    cooperative verein e.v universität hochschule schule klinik krankenhaus verlag kg ev gruppe stiftung université lycée
    elementary infirmary hospice gymnasium montessori polytechnic seminary grundschule école brothers sons bros united rovers shelter nonprofit startup firm practice";

/// Last words of the names of tools.
pub(super) const TOOL_HEADS: &str =
    "api sdk library framework server database cli engine studio browser plugin extension cloud desktop editor compiler
    runtime driver proxy js orm ide app db sql os language platform console toolkit pro";

/// Words after a tool's name that show that it is one.
pub(super) const AFTER_TOOL: &str =
    "library framework api sdk server database plugin cli client package crate module service cluster query container job
    code driver instance index cache queue bucket broker compiler binding extension image syntax docs documentation
    config schema migration replica connection backend frontend component hook endpoint dashboard account version
    integration workflow pipeline script tests test developer programming operator pod node deployment app table";

/// Words before a tool's name.
pub(super) const BEFORE_TOOL: &str =
    "using via install installed installing deploy deployed upgrade upgraded downgrade migrate migrated adopt adopted
    library framework tool language database package crate plugin app software service compiler browser editor configure
    configured use uses used run runs running";

/// Last words of the names of works, events, methods and the like.
pub(super) const CONCEPT_HEADS: &str =
    "conference festival award awards prize act law protocol algorithm theorem syndrome disease disorder method theory
    principle standard cup championship championships tournament marathon day war revolution challenge summit fair
    license convention treaty agreement model effect equation paradox pattern technique test scale index criteria
    olympics games race triathlon parade holiday carnival expo hackathon meetup workshop webinar symposium course
    certificate certification exam degree program fellowship scholarship grant diet therapy trilogy saga symphony sonata
    concerto album framework manifesto constitution bible movement era period dynasty empire";

/// Last words of the names of projects.
pub(super) const PROJECT_HEADS: &str = "project initiative campaign programme mission operation";

/// What a work of art is called by.
pub(super) const WORK_NOUNS: &str =
    "book novel film movie song album show series game play podcast painting poem musical opera documentary anime manga
    comic magazine sitcom soundtrack memoir audiobook";

/// What a project is called by.
pub(super) const PROJECT_NOUNS: &str = "project codename codenamed repo repository product initiative campaign startup app prototype game";

/// What an organisation is called by.
pub(super) const ORGANISATION_NOUNS: &str =
    "company startup firm employer client organisation organization charity nonprofit agency school university team club
    band vendor supplier provider manufacturer bank magazine newspaper publisher hospital";

/// What a tool is called by.
pub(super) const TOOL_NOUNS: &str =
    "tool library framework language database package crate plugin software service compiler browser editor engine module
    program script app application website platform utility extension bot";
