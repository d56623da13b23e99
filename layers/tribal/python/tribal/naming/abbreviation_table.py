"""What the abbreviations in database names stand for, and acronyms that are not spelt out.

Collected for this project; no outside source is recorded.
"""

from __future__ import annotations

_MEANINGS = """
abbr: abbreviation; ac: account; acad: academic; acc: account | accident | access; acct: account
ack: acknowledgement; acq: acquisition; act: actual | activity | account; actv: active; addl: additional
addr: address; adj: adjustment | adjusted; adm: admission | administration; admin: administrator | administration
agcy: agency; agg: aggregate; agmt: agreement; agr: agreement; agt: agent; alloc: allocation
alt: alternate | altitude; amt: amount; ann: annual; anon: anonymous; ap: accounts payable
app: application | appointment; appl: application; appr: approval; approx: approximate; appt: appointment
apt: apartment | appointment | airport; ar: accounts receivable; arpt: airport; arr: arrival | array
assgn: assignment; assn: association; assoc: associate | association; asst: assistant; att: attribute | attachment
attn: attention; attr: attribute; aud: audit; auth: authorization | authentication | author; aux: auxiliary
avail: available | availability; ave: avenue; avg: average; avl: available; bak: backup; bal: balance
bdate: birth date; beg: beginning; ben: benefit; bgn: begin; bkg: booking; bkup: backup
bld: build | building | blood; bldg: building; blk: block; bnf: beneficiary; bnk: bank; bom: bill of materials
bp: blood pressure | business partner; br: branch; brd: brand | board; brnd: brand; bu: business unit
bus: business | bus; byr: buyer; cal: calendar | calculated; calc: calculation | calculated; cap: capacity | capital
capt: captain; cat: category | catalog | cat; catg: category; cc: credit card | cost center; cd: code
cert: certificate; cfg: configuration; cfm: confirmation; chan: channel; chg: change | charge; chk: check
chld: child; ck: check; clm: claim; cln: client | clean; clnt: client; cls: class; clsd: closed; cmnt: comment
cmpl: complete; cmpy: company; cmt: comment | commit; cnf: confirmation; cnl: cancel | channel; cnt: count
cntct: contact; cntr: center | counter | contract; cntrct: contract; cntry: country; cnty: county; co: company
coef: coefficient; col: column | color; coll: collection; comm: commission | communication | committee
commod: commodity; comp: company | component | compensation; compl: complete; con: contact | contract
conf: configuration | conference | confirmation; config: configuration; cons: consumption | consent
cont: content | contract | continent; conv: conversion; coord: coordinate | coordinator; corp: corporation
corr: correction | correlation; cov: coverage; cpn: coupon; cr: credit | created; crd: card | coordinate
crdt: credit; crncy: currency; crs: course; crt: created | court; crtd: created
csr: customer service representative; cst: cost | customer; ct: count; ctc: contact; ctg: category; ctgy: category
ctl: control; ctr: center | counter; ctrl: control; ctry: country; cty: city | county; cum: cumulative
cur: current | currency | course; curr: current | currency; cust: customer; db: database; dbt: debit
dep: department | deposit | departure | dependent; depr: depreciation; dept: department; desc: description
descr: description; dest: destination; det: detail; dev: device | development; dflt: default; dgn: diagnosis
diag: diagnosis; diff: difference; dim: dimension; dir: director | direction | directory; dis: discount
disb: disbursement; disc: discount; disp: disposition | dispatch | display; dist: distance | district | distribution
distr: distribution; div: division | dividend; dlr: dealer | dollar; dlv: delivery; dlvr: delivery
dly: daily | delay; dmg: damage; dob: date of birth; doc: document | doctor; dod: date of death; doh: date of hire
dow: day of week; dpt: department; dr: debit | doctor; drvr: driver; dsc: description | discount; dsp: display
dst: destination | distance; dstn: destination; dt: date; dtl: detail; dtm: datetime; dttm: datetime; dur: duration
dw: data warehouse; dx: diagnosis; ea: each; econ: economic; edu: education; eff: effective | efficiency
elev: elevation; elig: eligible | eligibility; em: email; emer: emergency; emp: employee; empl: employee
enc: encounter | encrypted; eng: engine | engineering | english; enr: enrollment; ent: entity | entry
env: environment; eod: end of day; eom: end of month; eoy: end of year; eqp: equipment; equip: equipment; err: error
est: estimate | estimated | established; eta: estimated time of arrival; etd: estimated time of departure
eval: evaluation; evt: event; exch: exchange; exec: execution | executive; exp: expiration | expense | experience
expt: export | expected; ext: extension | external; fac: facility | faculty; fcst: forecast; fct: fact
fcty: facility | factory; fin: finance | final; fk: foreign key; fld: field; flg: flag; flt: flight | float
fmt: format; fn: first name | function; fname: first name; freq: frequency; frm: from | form; frt: freight
fst: first; func: function; fwd: forward; fx: foreign exchange; fy: fiscal year; gen: gender | general | generation
geo: geography; gl: general ledger; gndr: gender; govt: government; grd: grade; grp: group; grs: gross
guar: guarantor; hc: headcount; hdl: handle; hdr: header; hgt: height
hier: hierarchy; hist: history; hol: holiday; hosp: hospital; hq: headquarters; hr: hour | human resources
ht: height; hw: hardware; hwy: highway; ident: identifier; idn: identification; idx: index; img: image
imp: import | impression | importance; impr: impression; inc: income | incident | increment | incorporated
incl: included; ind: indicator | industry | individual; indiv: individual; indus: industry; info: information
init: initial; ins: insurance | insert; insp: inspection; inst: institution | instance | installment | instructor
instr: instruction | instructor; int: interest | internal | integer; intl: international
inv: invoice | inventory | investment; invc: invoice; invt: inventory; invty: inventory; iss: issue; itm: item
jrnl: journal; kw: keyword; lab: laboratory; lang: language; lat: latitude; lbl: label; ldgr: ledger; len: length
lgth: length; lib: library; lic: license; lim: limit; ln: line | loan | last name; lname: last name
lng: longitude | language; loc: location; locn: location; lon: longitude; lst: last | list; lt: lead time
ltd: limited; ltv: lifetime value; lvl: level; maint: maintenance; manu: manufacturer; mat: material; matl: material
max: maximum; mbr: member; mdl: model; meas: measurement | measure; med: medical | medication | medium
mem: member | memory; mfg: manufacturing; mfr: manufacturer; mgmt: management; mgr: manager; mgt: management
mi: middle initial | miles; min: minimum | minute; mins: minutes; misc: miscellaneous; mkt: market; mktg: marketing
mname: middle name; mnth: month; mo: month; mob: mobile; mod: modified | module | modifier
mrn: medical record number; mrp: material requirements planning; msg: message; mstr: master; mtd: month to date
mtg: meeting | mortgage; mth: month; mthd: method; mtrl: material; mun: municipality; mvmt: movement; nat: national
natl: national; nbr: number; neg: negative; nm: name; nmbr: number; no: number; nok: next of kin
notif: notification; nr: number; num: number; obj: object; obs: observation; occ: occupation | occurrence
occup: occupation; ofc: office; op: operation | operator; opp: opportunity; oppty: opportunity; ops: operations
opt: option; ord: order; org: organization; orgn: organization | origin; orig: original | origin; ovr: override
par: parent | parameter; param: parameter; parm: parameter; pat: patient; pax: passenger; pcd: postal code
pct: percent; pd: paid | period; perc: percent; perf: performance; perm: permission | permanent; pers: person
pfx: prefix; ph: phone; phn: phone; phys: physician | physical; pic: picture; pk: primary key; pkg: package
plcy: policy; pln: plan; plt: plant | plate; pmt: payment; pnt: point | patient; po: purchase order
pob: place of birth; pol: policy; pop: population; pos: position | point of sale; pr: price | purchase requisition
prc: price | process; pref: preference; prem: premium; prev: previous; pri: primary | priority
proc: process | procedure; procd: procedure; prod: product | production; prof: profile | professor
prog: program | progress; proj: project; prom: promotion; promo: promotion; prop: property
prov: provider | province; prsn: person; prty: party | priority; prv: previous | provider
pt: patient | point | part; ptnr: partner; ptnt: patient; ptr: pointer | partner
pub: publication | public | publisher; pur: purchase; purch: purchase; pwd: password; pymt: payment
qa: quality assurance; qlty: quality; qry: query; qstn: question; qtr: quarter; qty: quantity
qual: qualification | quality; quant: quantity; rcd: record | received; rcpt: receipt; rcv: receive; rcvd: received
rec: record | received | recommendation; recv: receive; ref: reference; reg: region | registration
regn: region | registration; rel: relationship | release; rem: remaining | remark; rep: representative | report
repl: replacement; req: request | requirement | requisition; reqd: required
res: reservation | result | resource | resolution; resp: response | responsible; ret: return | retention
rev: revenue | revision | review; rfnd: refund; rgn: region; rm: room; rmk: remark; rng: range; rpt: report
rqst: request; rslt: result; rsn: reason; rsp: response; rsv: reservation; rt: rate | route; rte: route; rtn: return
rtng: rating; rx: prescription; sal: salary | sales; sch: school | schedule; schd: schedule; sched: schedule
scr: score | screen; sec: second | security | section; secs: seconds; seg: segment; sem: semester; seq: sequence
ser: serial | series; serv: service; sess: session; sev: severity; sfx: suffix; sgmt: segment; shp: shipment
shpg: shipping; shpmt: shipment; sig: signature | signal; sls: sales; slsp: salesperson; smry: summary; snd: send
snr: senior; soc: social; spc: space | species; spec: specification | specialty; spl: special | supplier; sq: square
sqft: square feet; src: source; srch: search; srv: service | server; srvc: service; st: state | status | street
sta: station | status; stat: status | statistic; std: standard; stdt: student; stg: staging | stage; stk: stock
stmt: statement; stn: station; str: string | street | store; strat: strategy; strt: start | street; stu: student
sub: subscription | subject | subscriber | sub; subj: subject; subs: subscription; succ: success
sup: supplier | supervisor; supp: supplier | support | supplement; supv: supervisor; surv: survey; svc: service
svr: server; sym: symbol; sys: system; tbl: table; tech: technology | technician | technical; tel: telephone
temp: temporary | temperature; terr: territory; tgt: target; thru: through; tkt: ticket; tm: time | team
tmp: temporary; tmpl: template; tmst: timestamp; tmstmp: timestamp; tot: total; tp: type; tran: transaction
trans: transaction | translation | transport; trd: trade; trf: transfer | tariff; trk: track | truck; trm: term
trn: transaction | training; trnsp: transport; trt: treatment; trx: transaction; ts: timestamp; tsk: task
ttl: total | title; tx: transaction | treatment; txn: transaction; txt: text; typ: type; tz: time zone
ua: user agent; uid: user id; univ: university; uom: unit of measure; upd: update | updated; upr: upper; usr: user
util: utilization | utility; vac: vaccine | vacation; val: value | validation; var: variable | variance
veh: vehicle; vend: vendor; ver: version; verif: verification; vhcl: vehicle; vis: visit | visible; vnd: vendor
vndr: vendor; voc: vocabulary; vocab: vocabulary; vol: volume; vs: versus; wd: withdrawal | ward; wgt: weight
wh: warehouse; whs: warehouse; whse: warehouse; wip: work in progress; wk: week; wkly: weekly; wo: work order
wrk: work; wrnty: warranty; wt: weight; xfer: transfer; xfr: transfer; xref: cross reference; yob: year of birth
yr: year; ytd: year to date; zn: zone
"""

ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    short: tuple(meaning.strip() for meaning in meanings.split("|"))
    for short, meanings in (entry.split(": ") for entry in _MEANINGS.strip().replace("\n", "; ").split("; "))
}
"""Meanings by lower-case abbreviation, the likeliest first."""

ENGLISH_WORDS = frozenset(
    """
    act app bus cap cat lab mat no pat pop prop pub rec rep sec sub sup tech temp
    """.split()
)
"""Abbreviations that are also English words: left alone where other names use them as such."""

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
"""Acronyms that people know by their letters: they are not spelt out, and `humanize` can capitalise them."""
