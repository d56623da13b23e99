"""Words whose presence supports one meaning of an ambiguous abbreviation.

Collected for this project; no outside source is recorded.
"""

from __future__ import annotations

_EVIDENCE = """
access: permission role login; accident: injury police claim crash; account: balance bank ledger customer deposit
activity: log task event; adjusted: gross; administration: drug dose office
airport: flight airline runway departure; application: applicant candidate software
appointment: patient doctor visit calendar schedule; authentication: login token password; author: book article post
blood: patient donor lab; building: room floor address; bus: route driver stop passenger; business: company partner
calculated: formula; capital: equity asset; cat: dog pet animal breed kitten; catalog: schema page
charge: fee payment bill; color: product size; commission: sales broker agent; committee: member senate
communication: channel message; compensation: salary bonus; component: part assembly bom
conference: team paper speaker; confirmation: booking reservation; continent: country
contract: party term supplier vendor; cost center: ledger department; county: state
course: student teacher semester; court: judge case; currency: amount price exchange rate
departure: flight arrival airport; dependent: benefit coverage; deposit: bank account withdrawal
development: software project; director: film movie board; directory: file path; dispatch: driver truck
distribution: warehouse; district: school city; dividend: stock share
doctor: patient hospital appointment prescription; dollar: price; encounter: patient provider visit
expense: cost budget ledger; experience: job skill candidate; faculty: student university course; final: exam
first name: last lname surname; flight: airline airport aircraft; function: procedure argument
gender: person patient birth sex; human resources: employee payroll; incident: severity ticket
income: tax household salary; increment: step; industry: company sector; insurance: policy claim premium
interest: loan rate principal; inventory: warehouse stock sku whse quantity qty; investment: fund portfolio security
invoice: bill billing payment due paid vendor customer pmt; language: country translation locale
last name: first fname; line: order invoice item; list: item; loan: borrower principal interest mortgage
medication: drug dose prescription; memory: cpu disk; middle initial: first last; minute: hour second duration
modifier: procedure; mortgage: loan rate; operator: machine; origin: destination departure; parameter: value setting
part: assembly supplier component; patient: doctor hospital visit diagnosis encounter provider; physical: exam
physician: patient hospital; plate: vehicle; point of sale: store terminal register cashier
priority: ticket task severity severe; procedure: patient diagnosis; production: plant machine manufacturing
professor: student course; provider: patient claim network; province: country city address
purchase requisition: purchase supplier; quality: inspection defect; recommendation: item score
registration: vehicle student event; release: version album; report: dashboard; requirement: specification
requisition: purchase; resolution: ticket incident; resource: project schedule; result: test exam lab match
review: rating product comment; revision: version document page commit git branch; route: airport stop driver trip
salary: employee emp job; sales: region quarter store; schedule: shift; school: student teacher district
second: minute hour duration; section: course chapter; security: trade ticker portfolio; server: host ip
specialty: doctor physician; species: animal plant habitat; statistic: mean variance; status: active open closed
store: product sale retail; street: address city zip house; subject: student course teacher trial
subscriber: list newsletter plan; supervisor: employee shift; support: ticket; tariff: customs
team: player match league game season; temperature: sensor humidity celsius weather; title: book film movie
training: employee course; translation: language locale; treatment: patient diagnosis; truck: driver load
vacation: employee leave; variance: mean budget; ward: hospital bed; withdrawal: bank deposit atm
"""

EVIDENCE: dict[str, tuple[str, ...]] = {
    meaning: tuple(words.split())
    for meaning, words in (entry.split(": ") for entry in _EVIDENCE.strip().replace("\n", "; ").split("; "))
}
"""Words that support a meaning if they occur nearby, by meaning."""
