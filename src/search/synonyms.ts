import { stem } from './stem.js';

/** Classes of words with a similar meaning or a common subject in queries. A slash ends a class; a word can be in several. */
const CLASSES = `
create add make new generate produce build compose insert / generate create produce craft design synthesize /
delete remove erase drop clear destroy purge discard trash / update edit modify change alter patch set adjust /
find search lookup locate discover query look browse / get fetch retrieve read obtain load pull /
list show enumerate display view all browse / send post deliver submit dispatch transmit forward /
run execute invoke start launch trigger perform / stop cancel abort end terminate kill halt quit /
check verify validate test confirm inspect audit / compare comparison versus difference diff contrast /
convert transform translate change turn into conversion converter /
calculate compute count evaluate determine estimate calculator solve /
analyze analyse analysis analytics examine study insights evaluate assess /
summarize summary digest abstract overview recap brief condense tldr /
explain describe clarify interpret definition meaning /
recommend suggest recommendation advice advise suggestion ideas tips /
book reserve reservation booking schedule appointment /
schedule calendar appointment meeting event reminder agenda / remind reminder alarm notify notification alert todo /
buy purchase shop shopping order acquire store / sell sale selling market marketplace trade /
pay payment pays transfer transaction money checkout / download save export fetch grab / upload import attach put /
copy duplicate clone replicate / move rename relocate transfer / merge combine join unite concatenate /
split divide separate partition / connect link join attach integrate integration / share publish post distribute /
subscribe follow watch subscription / assign allocate delegate assignee /
approve accept allow grant authorize permission / reject deny decline refuse block /
login signin authenticate auth authentication credential token / register signup enroll registration join /
monitor track watch observe tracking tracker follow / fix repair resolve solve debug troubleshoot /
improve enhance optimize boost optimise polish refine /
learn study teach course tutorial lesson education tutor class training / play game games gaming player /
write compose draft author writing / rewrite rephrase paraphrase polish reword proofread grammar /
speak speech talk voice say spoken pronounce pronunciation / listen hear audio sound podcast music /
draw paint sketch illustrate diagram illustration art / plan planner itinerary planning organize /
deploy release publish ship rollout deployment host hosting / install setup configure add /
configure setting settings configuration options preferences / rank ranking top best leaderboard standings score /
rate rating review reviews score feedback opinion / predict forecast prediction outlook projection /
visit travel go tour / cook cooking recipe meal kitchen ingredients /
eat food meal dining restaurant dinner lunch breakfast / translate translation language translator /
encrypt cipher encode hash decrypt encryption / scan scanner detect detection /
extract parse scrape crawl scraping / click press tap / type enter fill input / open launch start /
close shut dismiss / screenshot capture snapshot image / mail email gmail inbox message newsletter /
message chat dm text sms conversation messaging / call phone telephone dial ring /
issue bug ticket defect problem task / task todo job work item assignment /
repository repo repositories project codebase git github /
code program programming script source snippet coding developer software / commit change revision history /
branch fork head / pull merge review pr / file document files attachment path / folder directory directories path /
document doc docs documentation file pdf paper / pdf document file ebook / page site website web webpage url /
website site web page webpage domain url internet / url link address website href /
domain dns whois registrar hostname / internet web online / database db sql table postgres mysql /
sql query database table / record row entry item / table sheet spreadsheet excel grid /
spreadsheet excel sheet csv workbook / column field attribute property / schema structure model /
log logs logging trace / error exception failure fault crash /
metric metrics measure statistics stats kpi performance / statistics stats data figures numbers census /
chart graph plot diagram visualization visualize / diagram flowchart graph mermaid chart /
image picture photo photograph photos img pictures / photo picture image camera snapshot /
video movie clip film footage youtube / movie film cinema show theater / film movie cinema /
show series tv television episode / song music track tune audio /
music song songs artist album playlist band singer lyrics / artist singer band musician /
concert gig show event ticket performance / book novel literature author reading /
story tale fiction narrative stories / news headline headlines article articles press / article post blog paper /
blog post article writing / paper research journal publication academic scientific /
research study academic paper scholar science / scientist researcher academic /
quote saying quotation inspiration motivational / joke humor fun funny comedy / game match play /
quiz trivia question test / puzzle sudoku crossword riddle /
sport sports team league match football soccer basketball / football soccer league match /
team club squad roster lineup / player athlete roster / match fixture game /
tournament competition championship cup league / race racing formula driver / horse equine jockey /
bet betting odds gambling wager / weather forecast temperature climate rain humidity wind snow storm /
rain weather precipitation snow storm / temperature weather heat degrees celsius / air pollution quality aqi /
earthquake quake seismic / sun sunrise sunset solar / space astronomy nasa planet star mars astronaut /
map maps location geography directions / location place address position coordinates where /
coordinates latitude longitude gps lat lon location / distance far miles kilometers route /
route directions navigation path road / address location street zip postal / zip postcode postal zipcode /
city town municipality / country nation countries / near nearby nearest closest local around /
place venue spot location / travel trip vacation journey holiday tour tourism itinerary /
trip travel journey itinerary vacation / vacation holiday travel trip getaway /
hotel accommodation lodging stay room hostel airbnb rental / flight airline plane airport airfare /
airport flight airline iata / train railway station rail / bus transit coach station /
transit transport transportation commute / car vehicle automobile auto cars / vehicle car automobile truck /
electric ev charging charger / taxi cab ride uber / ride taxi trip / parking garage park /
fuel petrol gas gasoline / restaurant dining food cafe eatery cuisine / recipe cooking meal dish food ingredients /
food meal grocery nutrition cuisine / drink beverage cocktail wine beer / beer brewery ale / wine vineyard drink /
diet nutrition calorie calories meal health / health medical healthcare wellness medicine /
medical health doctor disease clinical / doctor physician medical health clinic /
disease illness symptom condition covid / drug medicine medication pharmaceutical / covid coronavirus pandemic /
fitness exercise workout gym training / exercise workout fitness / sleep rest / weight bmi mass body /
house home property apartment / property house estate home rent apartment mortgage listing /
apartment flat rent home / rent rental lease hire / mortgage loan home / loan credit mortgage debt /
credit loan debt card / money cash fund funds finance currency /
finance financial money investment bank banking stock / stock stocks share shares equity market ticker /
invest investment investing portfolio stock wealth / portfolio investment holdings assets /
crypto cryptocurrency bitcoin coin ethereum token blockchain / blockchain crypto ethereum nft wallet /
nft token collectible / currency exchange forex money / exchange currency rate / bank account banking /
price cost pricing fee rates / cost price expense / cheap affordable low budget discount /
discount coupon deal deals promo offer voucher / tax taxes vat / invoice bill receipt billing /
salary wage income pay / income revenue earnings profit / budget expense spending /
product item goods products merchandise / shop store shopping ecommerce retail / store shop retailer /
cart basket checkout / order purchase shipment / shipping delivery shipment parcel package tracking /
package parcel shipment delivery / gift present / fashion clothing clothes apparel outfit style /
clothes clothing apparel fashion / beauty cosmetics makeup skincare /
company business firm organization corporation enterprise / business company enterprise startup /
customer client user buyer / employee staff worker personnel / user account member profile person /
people person persons contacts / person people individual human / contact contacts address people /
friend friends contact / profile account user bio / group team organization /
job career employment vacancy hiring work position / resume cv job career / career job profession /
hire recruit hiring / marketing advertising ads campaign promotion / ad ads advert advertising advertisement /
seo keyword ranking serp / keyword keywords seo term / competitor rival competition / brand logo company /
logo brand icon / social twitter facebook instagram tiktok / twitter tweet tweets x / tweet twitter post /
instagram insta photo / video youtube stream / youtube video channel / stream streaming live broadcast /
channel room conversation / comment reply note remark / note notes memo memory /
memory remember recall knowledge store / password secret credential /
security vulnerability threat secure protection / vulnerability security exploit cve / attack threat malware /
spam fraud scam phishing / legal law court lawyer case / law legal legislation statute regulation /
court case lawsuit judge legal / patent trademark / government politics political parliament election /
politics political election government / vote election poll voting / survey poll questionnaire form /
form survey questionnaire / student school college university / school university college education /
university college academic school / kid kids child children / child kids children / pet animal dog cat /
animal pet wildlife species / dog pet puppy / plant garden flower / word words vocabulary dictionary /
dictionary definition word meaning / synonym thesaurus / letter character / text string words /
language translation linguistic / number digit integer numeric / random shuffle /
math mathematics arithmetic equation algebra formula / equation formula solve math /
geometry area volume triangle circle / unit measurement units / date day calendar / time clock timezone hour /
timezone time zone / birthday anniversary date / history historical past / horoscope astrology zodiac /
religion bible prayer verse / bible verse scripture / wedding marriage / event concert happening /
ticket tickets booking / color colour hex palette / font typeface / icon logo image / qr barcode code /
barcode upc ean / ip address network / network ip connection / server host machine instance / cloud aws azure gcp /
container docker pod image / kubernetes k8s cluster pod / cluster kubernetes node / process job task /
device phone mobile / phone mobile telephone number / mobile phone android ios app / app application /
browser page tab chrome web / element button selector / ai gpt llm model / prompt midjourney ai /
bot chatbot assistant / assistant helper bot / model ai llm / dataset data / data dataset information /
json xml yaml / api endpoint service / webhook callback hook / test testing unit / build ci pipeline /
pipeline workflow ci build / workflow automation automate zapier process / automate automation workflow /
template boilerplate / version release / package library module dependency / library package / license licence /
backup snapshot restore / cache redis / queue topic / dashboard panel report / report summary dashboard /
alert alarm notification warning / incident outage alert / status state health condition /
category categories type genre / genre category type / tag label / label tag / id identifier / key id / name title /
title name heading / description text / size length dimension / speed velocity pace / energy power electricity /
power energy electricity / chemical chemistry molecule compound / physics force motion / gene genetic dna /
weather fog radar precipitation sunny cloudy storm hurricane thunderstorm umbrella forecast /
food snack dish dessert vegetarian vegan lunch breakfast dinner picnic recipe /
diet healthy nutritious protein calorie nutrition /
language spanish english german french italian chinese japanese mandarin korean portuguese russian arabic translation /
translate spanish english german french italian chinese japanese language /
verb grammar vocabulary phrase language pronunciation /
code javascript python java typescript html css rust golang programming / html css webpage website /
library framework package code / car sedan suv truck dealer automobile vehicle /
drive driving route car navigation / house home mortgage bedroom neighborhood estate property /
population census demographic household statistics / income salary census median /
image rotate crop resize filter sharpen photo picture edit / blur brightness crop resize image /
picture visual drawing painting artwork / audio recording mp3 sound voice / speech tts audio voice read aloud /
transcribe transcript transcription speech subtitles caption / meeting zoom call conference transcript /
ocr handwriting scanned recognize text extract / laptop computer phone gadget product electronics /
pros cons advantages disadvantages review / malware virus antivirus threat scan security /
website traffic visitors analytics seo / performance speed slow latency benchmark / homepage website page landing /
copywriting copy slogan marketing content / interview job career / lawyer attorney legal law /
employer employee labor law / mental therapy psychology emotional feelings mood / personality mbti psychology test /
habit journal diary routine / decision choice choose decide /
exoplanet planet solar telescope galaxy astronomy space / iss satellite orbit space /
prayer quran hadith islam religion / christian church bible religion / pizza burger sushi restaurant food /
coffee tea cafe drink / neighborhood area local / museum attraction landmark sightseeing tourist /
beach island resort vacation travel / visa passport immigration travel / theme park disneyland amusement /
subway metro train station / bike bicycle cycling ride / walk walking hiking trail / luggage baggage flight /
ship boat cruise vessel / birthday party wedding celebration gift / father mother dad mom parent family /
girlfriend boyfriend romantic dating / baby child parenting / toy toys kids / cheapest lowest price deal /
earnings quarterly financial stock / dividend yield stock / etf fund index / option options derivative /
equity stock share / inflation gdp economy economic / bitcoin ethereum crypto / trade trading buy sell market /
insurance policy coverage claim / donate donation charity fundraising / grant funding funds investor startup /
subscription plan billing / refund return cancel / sum add total plus / multiply product times math /
square root math calculate / average mean median statistics / probability chance statistics odds /
percentage percent ratio / integral derivative calculus math / matrix vector linear algebra /
prime factor gcd divisor factorial / area perimeter circumference radius geometry / mass weight density gram /
velocity acceleration motion physics speed / voltage current circuit electric / soccer fifa goal match football /
nba basketball lakers / nfl football touchdown / mlb baseball / nhl hockey / tennis tournament atp / golf pga /
chess board game / card cards deck poker / dice random roll / roleplay character fantasy game adventure /
minecraft roblox fortnite game / steam game / anime manga comic / actor actress cast movie celebrity /
director film movie / imdb movie film rating / netflix streaming show movie / broadway theater show musical /
spotify playlist music song / lyric lyrics song / chord guitar piano music / midi sheet music notation /
festival event concert / poem poetry verse / essay paragraph writing / plagiarism originality /
citation reference bibliography paper / arxiv pubmed paper research / wikipedia encyclopedia knowledge wiki /
fact facts trivia knowledge / question answer ask faq / homework student math / exam test quiz /
flashcard study learn / slide slides presentation powerpoint deck / newsletter email campaign /
signature sign document esign / contract agreement legal document / form field submit / captcha verification /
otp verification code sms / verify validation email phone / lead leads sales crm prospect /
crm customer contact deal hubspot salesforce / slack discord teams channel message / jira linear issue ticket /
trello board card kanban / notion page note / figma design mockup / confluence wiki page / stripe payment invoice /
shopify store product / wordpress blog post / webhook http request / http request url fetch / curl request http /
ssh server command remote shell / shell terminal command bash console / command shell execute /
virtual vm machine instance / ram cpu memory usage / disk storage volume / bucket s3 storage object /
firewall security rule / certificate ssl tls / dns record domain / port network socket / regex pattern match /
lint format style code / compile build / dependency package version / merge request pull / stash commit git /
deploy deployment production / feature flag toggle / sprint milestone backlog / stacktrace exception error /
span trace tracing / uptime downtime status outage / index collection database / aggregate group sum /
vector embedding similarity / graph node edge relation / entity relation node / xpath selector element /
scroll swipe gesture / keyboard key press / mouse click hover / dropdown select option / dialog popup alert /
cookie session storage / emulator simulator device / geocode geocoding coordinates address /
elevation altitude height / tide wave surf ocean / moon lunar phase / carbon emission climate co2 /
recycle waste environment / crime police safety / fire wildfire emergency / flood disaster emergency /
hospital clinic doctor pharmacy / symptom diagnosis disease / vaccine vaccination covid / pregnancy baby /
allergy ingredient / yoga meditation mindfulness / hair salon stylist haircut / makeup lipstick beauty /
shoe sneaker fashion / jewelry ring watch / furniture sofa home decor / interior room design home decor /
garden plant lawn / tool equipment hardware / military army war / king queen royal history /
ancient medieval history century / president minister government / parliament congress bill legislation /
senator representative politician / immigrant refugee / translate localize / emoji symbol character /
password generator random strong / uuid guid identifier / username handle profile / avatar picture profile /
follower following social / hashtag tag trend / trend trending popular / viral trending popular /
airbnb rental apartment vacation accommodation listing / undo revert reset rollback restore / mute silence downtime snooze /
blame author who changed history / availability free busy slot calendar / remember memory knowledge observation fact store /
meeting event calendar invite appointment / style lint format eslint / problem issue error warning diagnostic /
picture screenshot image capture / report file submit issue / fail failure failed failing broken error / cron schedule recurring job
`;

/** The stems of the other words of a stem's classes. */
export function synonymsOf(stemmed: string): readonly string[] {
  classes ??= readClasses();
  return classes.get(stemmed) ?? [];
}

/** Every word of the classes. */
export function synonymWords(): readonly string[] {
  return CLASSES.split(/[\s/]+/).filter(Boolean);
}

let classes: ReadonlyMap<string, readonly string[]> | undefined;

function readClasses(): ReadonlyMap<string, readonly string[]> {
  const others = new Map<string, Set<string>>();
  for (const written of CLASSES.split('/')) {
    const stems = written.trim().split(/\s+/).map(stem);
    for (const one of stems) {
      const known = others.get(one) ?? new Set<string>();
      for (const other of stems) if (other !== one) known.add(other);
      others.set(one, known);
    }
  }
  return new Map([...others].map(([one, known]) => [one, [...known]]));
}
