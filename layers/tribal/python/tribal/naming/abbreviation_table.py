"""Meanings of the abbreviations in database names, and acronyms that are not spelt out.

Collected for this project; no outside source is recorded. Whether a meaning is the only usual one was judged entry
by entry from general English and technical writing, not from the schemas at hand.
"""

from __future__ import annotations

_USUAL = """
abbr: abbreviation; acct: account; addl: additional; addr: address; agcy: agency; agmt: agreement; amt: amount
anon: anonymous; approx: approximate; appt: appointment; arpt: airport; attn: attention; attr: attribute; aux: auxiliary
avg: average; bak: backup; bal: balance; bkup: backup; bldg: building; bnk: bank; brnd: brand; catg: category
cfg: configuration; chan: channel; chld: child; clnt: client; clsd: closed; cmpy: company; cnt: count; cntct: contact
cntrct: contract; cntry: country; cnty: county; config: configuration; crdt: credit; crncy: currency; crtd: created
ctgy: category; ctl: control; ctrl: control; ctry: country; cust: customer; dept: department; desc: description
descr: description; dest: destination; dflt: default; dmg: damage; dob: date of birth; drvr: driver; dstn: destination
dtl: detail; dttm: datetime; env: environment; eod: end of day; eoy: end of year; equip: equipment; err: error
evt: event; exch: exchange; fcst: forecast; fld: field; flg: flag; fmt: format; freq: frequency; gndr: gender
govt: government; grp: group; hgt: height; hier: hierarchy; hrs: hours; hwy: highway; idx: index; img: image
indiv: individual; info: information; intl: international; invc: invoice; invty: inventory; jrnl: journal
lang: language; lbl: label; ldgr: ledger; lgth: length; lim: limit; locn: location; lvl: level; maint: maintenance
matl: material; max: maximum; mfg: manufacturing; mfr: manufacturer; mgmt: management; mgr: manager; mgt: management
mins: minutes; misc: miscellaneous; mktg: marketing; mnth: month; msg: message; mstr: master; mth: month; mthd: method
mtrl: material; mvmt: movement; natl: national; nmbr: number; notif: notification; num: number; ofc: office
oppty: opportunity; org: organization; param: parameter; parm: parameter; pct: percent; pfx: prefix; phn: phone
pkg: package; plcy: policy; pmt: payment; prsn: person; ptnr: partner; purch: purchase; pwd: password; pymt: payment
qlty: quality; qry: query; qstn: question; qtr: quarter; qty: quantity; rcvd: received; reqd: required; rfnd: refund
rgn: region; rmk: remark; rqst: request; rslt: result; rsn: reason; secs: seconds; seg: segment; seq: sequence
sess: session; shpg: shipping; shpmt: shipment; slsp: salesperson; smry: summary; sqft: square feet; src: source
srch: search; srvc: service; stmt: statement; stn: station; subj: subject; supv: supervisor; svc: service; svr: server
tbl: table; tel: telephone; terr: territory; tgt: target; thru: through; tkt: ticket; tmpl: template; tmst: timestamp
tmstmp: timestamp; tot: total; tsk: task; txn: transaction; txt: text; typ: type; uom: unit of measure; usr: user
veh: vehicle; ver: version; verif: verification; vhcl: vehicle; vndr: vendor; vocab: vocabulary; wgt: weight
whse: warehouse; wkly: weekly; wrk: work; wrnty: warranty; xfer: transfer; xfr: transfer; xref: cross reference
yob: year of birth; yrs: years; ytd: year to date
"""

_POSSIBLE = """
ac: account; acad: academic | academy; acc: account | accident | access; ack: acknowledgement | acknowledged
acq: acquisition | acquired; act: actual | activity | account; actv: active; adj: adjustment | adjusted
adm: admission | administration; admin: administrator | administration; agg: aggregate | aggregation
agr: agreement | agriculture; agt: agent; alloc: allocation | allocated; alt: alternate | altitude; ann: annual
ap: accounts payable; app: application | appointment; appl: application; appr: approval
apt: apartment | appointment | airport; ar: accounts receivable; arr: arrival | array; assgn: assignment | assigned
assn: association; assoc: associate | association; asst: assistant | asset; att: attribute | attachment
aud: audit | audience; auth: authorization | authentication | author; avail: available | availability; ave: avenue
avl: available; bdate: birth date; beg: beginning; ben: benefit; bgn: begin; bkg: booking; bld: build | building | blood
blk: block; bnf: beneficiary; bom: bill of materials; bp: blood pressure | business partner; br: branch
brd: brand | board; bu: business unit; bus: business | bus; byr: buyer; cal: calendar | calculated
calc: calculation | calculated; cap: capacity | capital; capt: captain; cat: category | catalog | cat
cc: credit card | cost center; cd: code; cert: certificate | certified; cfm: confirmation; chg: change | charge
chk: check; ck: check; clm: claim | column; cln: client | clean; cls: class | closed; cmnt: comment
cmpl: complete | compliance; cmt: comment | commit; cnf: confirmation; cnl: cancel | channel
cntr: center | counter | contract; co: company; coef: coefficient; col: column | color
coll: collection | college | collateral; comm: commission | communication | committee; commod: commodity
comp: company | component | compensation; compl: complete; con: contact | contract | connection
conf: configuration | conference | confirmation; cons: consumption | consent; cont: content | contract | continent
conv: conversion; coord: coordinate | coordinator; corp: corporation | corporate; corr: correction | correlation
cov: coverage; cpn: coupon; cr: credit | created; crd: card | coordinate; crs: course; crt: created | court
csr: customer service representative | certificate signing request; cst: cost | customer; ct: count; ctc: contact
ctg: category; ctr: center | counter; cty: city | county; cum: cumulative; cur: current | currency | course
curr: current | currency; db: database; dbt: debit; dep: department | deposit | departure | dependent
depr: depreciation | deprecated; det: detail; dev: device | development; dgn: diagnosis
diag: diagnosis | diagnostic | diagram; diff: difference; dim: dimension; dir: director | direction | directory
dis: discount; disb: disbursement; disc: discount; disp: disposition | dispatch | display
dist: distance | district | distribution; distr: distribution; div: division | dividend; dlr: dealer | dollar
dlv: delivery | delivered; dlvr: delivery | delivered; dly: daily | delay; doc: document | doctor; dod: date of death
doh: date of hire; dow: day of week; dpt: department; dr: debit | doctor; dsc: description | discount; dsp: display
dst: destination | distance; dt: date; dtm: datetime; dur: duration; dw: data warehouse; dx: diagnosis; ea: each
econ: economic; edu: education; eff: effective | efficiency; elev: elevation; elig: eligible | eligibility; em: email
emer: emergency; emp: employee | employer | employment; empl: employee | employer | employment
enc: encounter | encrypted; eng: engine | engineering | english; enr: enrollment | enrolled
ent: entity | entry | enterprise; eom: end of month; eqp: equipment; est: estimate | estimated | established
eta: estimated time of arrival; etd: estimated time of departure; eval: evaluation; exec: execution | executive
exp: expiration | expense | experience; expt: export | expected; ext: extension | external; fac: facility | faculty
fct: fact; fcty: facility | factory; fin: finance | final; fk: foreign key; flt: flight | float
fn: first name | function; fname: first name | file name; frm: from | form; frt: freight; fst: first
func: function | functional; fwd: forward; fx: foreign exchange; fy: fiscal year; gen: gender | general | generation
geo: geography; gl: general ledger; grd: grade; grs: gross; guar: guarantor; hc: headcount; hdl: handle; hdr: header
hist: history | historical; hol: holiday; hosp: hospital | hospitality; hq: headquarters; hr: hour | human resources
ht: height; hw: hardware; ident: identifier; idn: identification; imp: import | impression | importance
impr: impression; inc: income | incident | increment | incorporated; incl: included | including
ind: indicator | industry | individual; indus: industry; init: initial; ins: insurance | insert
insp: inspection | inspector; inst: institution | instance | installment | instructor; instr: instruction | instructor
int: interest | internal | integer; inv: invoice | inventory | investment; invt: inventory; iss: issue; itm: item
kw: keyword; lab: laboratory; lat: latitude; len: length; lib: library; lic: license | licensee
ln: line | loan | last name; lname: last name; lng: longitude | language; loc: location; lon: longitude
lst: last | list; lt: lead time; ltd: limited; ltv: lifetime value | loan to value; manu: manufacturer; mat: material
mbr: member; mdl: model | module; meas: measurement | measure; med: medical | medication | medium; mem: member | memory
mi: middle initial | miles; min: minimum | minute; mkt: market | marketing; mname: middle name; mo: month; mob: mobile
mod: modified | module | modifier; mrn: medical record number; mrp: material requirements planning
mtd: month to date | method; mtg: meeting | mortgage; mun: municipality; nat: national; nbr: number | neighbor
neg: negative | negotiation; nm: name; no: number; nok: next of kin; nr: number; obj: object; obs: observation
occ: occupation | occurrence; occup: occupation; op: operation | operator; opp: opportunity | opponent; ops: operations
opt: option; ord: order; orgn: organization | origin; orig: original | origin; ovr: override; par: parent | parameter
pat: patient; pax: passenger; pcd: postal code; pd: paid | period; perc: percent; perf: performance
perm: permission | permanent; pers: person; ph: phone; phys: physician | physical; pic: picture; pk: primary key
pln: plan; plt: plant | plate; pnt: point | patient; po: purchase order; pob: place of birth; pol: policy
pop: population; pos: position | point of sale | positive; pr: price | purchase requisition; prc: price | process
pref: preference; prem: premium | premises; prev: previous; pri: primary | priority; proc: process | procedure
procd: procedure; prod: product | production; prof: profile | professor; prog: program | progress
proj: project | projection; prom: promotion; promo: promotion; prop: property; prov: provider | province
prty: party | priority; prv: previous | provider; pt: patient | point | part; ptnt: patient; ptr: pointer | partner
pub: publication | public | publisher; pur: purchase; qa: quality assurance; qual: qualification | quality
quant: quantity; rcd: record | received; rcpt: receipt | recipient; rcv: receive | received
rec: record | received | recommendation; recv: receive | received; ref: reference | referral | referee
reg: region | registration; regn: region | registration; rel: relationship | release; rem: remaining | remark
rep: representative | report; repl: replacement; req: request | requirement | requisition
res: reservation | result | resource | resolution; resp: response | responsible; ret: return | retention
rev: revenue | revision | review; rm: room; rng: range; rpt: report | repeat; rsp: response; rsv: reservation | reserve
rt: rate | route; rte: route; rtn: return; rtng: rating | routing; rx: prescription; sal: salary | sales
sch: school | schedule; schd: schedule | scheduled; sched: schedule | scheduled; scr: score | screen
sec: second | security | section; sem: semester; ser: serial | series; serv: service; sev: severity; sfx: suffix
sgmt: segment; shp: shipment | shape; sig: signature | signal; sls: sales; snd: send; snr: senior; soc: social
spc: space | species; spec: specification | specialty | specific; spl: special | supplier; sq: square
srv: service | server; st: state | status | street; sta: station | status; stat: status | statistic; std: standard
stdt: student | start date; stg: staging | stage; stk: stock | stack; str: string | street | store
strat: strategy | stratum; strt: start | street; stu: student; sub: subscription | subject | subscriber | sub
subs: subscription; succ: success; sup: supplier | supervisor; supp: supplier | support | supplement; surv: survey
sym: symbol | symptom; sys: system | systolic; tech: technology | technician | technical; temp: temporary | temperature
tm: time | team; tmp: temporary | temperature; tp: type; tran: transaction; trans: transaction | translation | transport
trd: trade; trf: transfer | tariff; trk: track | truck; trm: term; trn: transaction | training; trnsp: transport
trt: treatment; trx: transaction | prescription; ts: timestamp; ttl: total | title; tx: transaction | treatment
tz: time zone; ua: user agent; uid: user id; univ: university; upd: update | updated; upr: upper
util: utilization | utility; vac: vaccine | vacation; val: value | validation; var: variable | variance
vend: vendor | vending; vis: visit | visible; vnd: vendor; voc: vocabulary; vol: volume; vs: versus
wd: withdrawal | ward; wh: warehouse; whs: warehouse; wip: work in progress; wk: week; wo: work order; wt: weight
yr: year; zn: zone
"""


def _table(entries: str) -> dict[str, tuple[str, ...]]:
    pairs = (entry.split(": ") for entry in entries.strip().replace("\n", "; ").split("; "))
    return {short: tuple(meaning.strip() for meaning in meanings.split("|")) for short, meanings in pairs}


USUAL: dict[str, str] = {short: meaning for short, (meaning,) in _table(_USUAL).items()}
"""Abbreviations of three or more letters with one usual meaning in any business or technical text."""

ABBREVIATIONS: dict[str, tuple[str, ...]] = _table(_POSSIBLE) | {short: (meaning,) for short, meaning in USUAL.items()}
"""Meanings by lower-case abbreviation, the likeliest first; those not in `USUAL` are only for search."""

ENGLISH_WORDS = frozenset(
    """
    act app bus cap cat lab mat no pat pop prop pub rec rep sec sub sup tech temp
    """.split()
)
"""Abbreviations that are also English words; they stay as they are if other names use them as words."""

ACRONYMS = frozenset(
    """
    ach acl api apr asin atm aum bban bi bic cctv cdn ceo cfo cgi cik cms cpa cpc cpi cpm cpt cpu crm csat csv cto
    cusip cvc cvv dba dea dna dns drg ean ecg edi eeg eft ehr ein emr erp esg etf etl eu eur fbi fda fifa fips ftp
    gbp gdp gdpr gmt gpa gps gpu gst gtin guid hipaa hmo html http https iata iban icao icd icu id imdb imei imo
    imsi io ip ipo irs isbn isin iso isp issn json jwt kpi lei llc loinc mac mcc mfa mls mpaa mri nasa nba nfl ngo
    nhs nlp npc npi npv ocr oem oid os otp pc pdf pep pgp pii pin poi ppo psa qr ram rfid rgb rma rna roi rss sdk
    seo sftp sic sim sin sku sla sms smtp snomed sql ssd ssh ssid ssl ssn sso swot tcp tin tls tv ucc udi uk upc uri
    url usa usb usd uuid ux vat vin vip vpn wifi www xml yaml
    """.split()
)
"""Acronyms that people know by their letters; they are not spelt out."""
