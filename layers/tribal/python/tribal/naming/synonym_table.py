"""Business words that people use interchangeably when they ask about data.

Collected for this project; no outside source is recorded. How much a synonym counts is decided where questions are
read (`retrieval/query.py`).
"""

from __future__ import annotations

_GROUPS = """
customer, client, buyer, patron, shopper, consumer, purchaser
customer, account
order, purchase
order line, order item, order detail
supplier, vendor, provider
employee, staff, worker, personnel, colleague
manager, supervisor, boss
product, item, article, goods, merchandise
revenue, sales, turnover, income
sale, transaction, deal
profit, margin, earnings
expense, cost, expenditure, spending, outlay
invoice, bill
payment, remittance, settlement
price, rate, charge, fee, cost
discount, rebate, reduction, markdown
refund, reimbursement, chargeback
return, refund
salary, wage, pay, compensation, remuneration, earnings
bonus, incentive
commission, brokerage
tax, vat, duty, levy
budget, plan, forecast
debt, liability, loan
loan, credit, mortgage
asset, property, equipment
account, ledger
balance, amount
amount, total, sum, value
quantity, amount, count, volume
number, count, quantity
average, mean
maximum, highest, top, largest, peak
minimum, lowest, smallest
earliest, first, oldest
latest, last, newest, recent
percentage, percent, ratio, share, rate
growth, increase, rise
decline, decrease, drop
inventory, stock
warehouse, depot, storage
shipment, delivery, consignment, shipping, dispatch
carrier, shipper, courier
freight, shipping
package, parcel
store, shop, outlet
branch, office, location
location, place, site, venue
address, residence
city, town, municipality
state, province, region
country, nation
territory, region, area, zone
street, road
zip, postcode, postal
phone, telephone, mobile, cell
email, mail
contact, phone, email
person, people, individual, human
user, member, account
user, login
role, position, title
job, position, occupation, post, profession
department, division, unit, section
team, group, squad
company, business, firm, enterprise, corporation, organization
organization, institution, agency
partner, affiliate
competitor, rival
lead, prospect, opportunity
campaign, promotion, marketing
advertisement, ad, commercial
coupon, voucher
subscription, membership, plan
subscriber, member
contract, agreement, deal
policy, insurance
premium, fee
claim, request
complaint, ticket, grievance, issue
ticket, issue, case, incident
problem, issue, defect, bug
task, job, activity, todo
project, initiative
schedule, timetable, calendar
appointment, booking, reservation
meeting, appointment
event, occasion, activity
visit, session, encounter
session, login
click, visit
review, rating, feedback, comment
rating, score, rank
comment, note, remark
message, post
question, query
answer, response, reply
document, file, record
picture, image, photo
video, movie, film, clip
song, track, music
singer, artist, musician, performer
band, group
book, title, publication
author, writer
publisher, press
magazine, journal, periodical
actor, cast, star
game, match, fixture
player, athlete
coach, trainer
race, competition, contest, tournament
winner, champion
stadium, arena, venue
student, pupil, learner
teacher, instructor, lecturer, professor, faculty
course, class, subject, module
school, college, university
enrollment, registration
exam, test, assessment
grade, mark, score
degree, qualification
patient, case
doctor, physician, clinician
hospital, clinic
illness, disease, condition, disorder, sickness
diagnosis, condition
drug, medication, medicine, prescription
surgery, operation, procedure
treatment, therapy
dose, dosage
death, mortality
measurement, reading, observation
sensor, detector, device
device, machine, equipment
vehicle, car, automobile, truck
driver, chauffeur
trip, journey, ride, travel
flight, plane
airplane, aircraft, plane
airport, airfield
airline, carrier
hotel, accommodation, lodging
guest, visitor
room, accommodation
restaurant, diner, eatery
food, dish, meal, cuisine
recipe, ingredient
farm, agriculture
animal, pet
house, home, dwelling, property
building, facility
tenant, renter, lessee
rent, lease, rental
landlord, owner, lessor
election, vote, ballot
candidate, applicant
gender, sex
birthday, birth
spouse, partner, wife, husband
child, kid, dependent
parent, mother, father
nationality, citizenship
language, tongue
category, type, kind, class, genre
status, state, condition
stage, phase, step
priority, urgency, importance
reason, cause
description, detail, summary
name, title
start, begin
end, finish, close
created, added, opened
updated, modified, changed
deleted, removed
cancelled, canceled, void
late, overdue, delayed
duration, length
height, tall
weight, heavy
speed, velocity
year, annual
month, monthly
day, daily
hour, time
date, day, time, when
quarter, quarterly
currency, money
bank, institution
transfer, wire
deposit, payment
share, stock, security
investment, holding
trade, transaction
fund, portfolio
donation, contribution, gift
donor, contributor, benefactor
grant, funding
law, regulation, statute
court, tribunal
crime, offense, felony
permission, privilege, right, access
log, history, audit, journal
error, failure, fault
version, revision, release
setting, configuration, preference, option
parameter, argument
server, host, machine
website, site, web
page, url
app, application
brand, make, label
model, version
color, colour
size, dimension
part, component
material, substance
manufacturer, maker, producer
production, manufacturing
factory, plant
quality, grade
weather, climate
temperature, heat
rain, precipitation
river, stream
mountain, peak
"""

GROUPS: tuple[tuple[str, ...], ...] = tuple(tuple(line.split(", ")) for line in _GROUPS.strip().splitlines())
"""Groups of interchangeable words, the commonest first; a word may be in several groups."""
