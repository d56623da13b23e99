"""Words in column names that suggest personal data, secrets, or mere codes.

Phrases are singular, with abbreviations spelt out. Common words of some other languages are included.
"""

from __future__ import annotations

from tribal.masking.kinds import SensitiveKind
from tribal.naming import singular

_PHRASES: dict[SensitiveKind, str] = {
    SensitiveKind.PASSWORD: """
        password, passwd, passphrase, pass phrase, pass word, pass hash, pin, pin code, security answer, secret
        answer, security question, passcode, pass code, otp, one time password, kennwort, passwort, mot de passe,
        contrasena, contraseña
    """,
    SensitiveKind.API_KEY: """
        api key, access key, private key, encryption key, secret key, client secret, license key, signing key, ssh
        key, account key
    """,
    SensitiveKind.SECRET: """
        secret, token, credential, auth code, authorization code, verification code, activation code, reset code,
        security code, salt, session key, cookie, csrf, nonce, signature, jwt, bearer, fingerprint, biometric
    """,
    SensitiveKind.EMAIL: """
        email, email address, e mail, e mail address, mail address, correo, courriel, mailadresse
    """,
    SensitiveKind.PHONE: """
        phone, telephone, mobile, mobile number, cell number, cellular, fax, fax number, telefon, telefono, teléfono,
        movil, handy, handynummer, telefonnummer, whatsapp, msisdn, pager
    """,
    SensitiveKind.PERSON_NAME: """
        first name, last name, full name, middle name, maiden name, given name, family name, sur name, surname,
        forename, nick name, nickname, birth name, christian name, preferred name, father name, mother name, middle
        initial, second name, contact name, contact person, legal name, next of kin, card holder, cardholder, account
        holder, created by, updated by, modified by, approved by, assigned to, reported by, requested by, signed by,
        reviewed by, report to, reporting to, referred to, escalated to, delegated to, person in charge, salesperson,
        sales rep, sales representative, emergency contact, vorname, nachname, familienname, prenom, prénom, nombre,
        apellido, nom de famille, cognome, sobrenome, addressee
    """,
    SensitiveKind.USERNAME: """
        username, user name, login, login name, log in, screen name, user handle, account name, skype, twitter
    """,
    SensitiveKind.ADDRESS: """
        address, street, street name, house number, apartment, zip, zip code, postal code, postcode, post code,
        postal, address line, po box, door number, strasse, straße, plz, postleitzahl, hausnummer, adresse, direccion,
        dirección, calle, code postal, codigo postal, indirizzo, endereco, rue
    """,
    SensitiveKind.COORDINATES: """
        latitude, longitude, coordinate, geo point, geo location, gps, geom, geometry, lat lon, lat lng
    """,
    SensitiveKind.BIRTH_DATE: """
        birth date, date of birth, birthday, birthdate, birth day, birth month, birth year, year of birth, month of
        birth, day of birth, birth, born, born on, place of birth, geburtsdatum, geburtstag, date de naissance,
        naissance, fecha de nacimiento, nacimiento
    """,
    SensitiveKind.DEATH_DATE: "date of death, death date, deceased date",
    SensitiveKind.VALUE: "dod",
    SensitiveKind.NATIONAL_ID: """
        ssn, social security, social security number, national id, national identifier, national number, sin number,
        personal number, personal id, citizen id, identity number, id number, nino, national insurance, nhs number,
        aadhaar, dni, nie, nif, nir, pesel, cpf, curp, insee, medicare number, medical record number, patient number,
        mrn, sozialversicherungsnummer, personnummer, bsn
    """,
    SensitiveKind.IDENTITY_DOCUMENT: """
        passport, driver license, drivers license, driving license, driver licence, driving licence, license number,
        identity card, id card, visa number, residence permit, license plate, plate number, registration plate, vin,
        ausweisnummer, kennzeichen, pasaporte
    """,
    SensitiveKind.TAX_ID: """
        tax id, tax number, tax identifier, tax identification, taxpayer id, tin, ein, vat id, vat number, fiscal
        code, steuernummer, steuer id, codice fiscale, rfc, cuit, cnpj, nif number
    """,
    SensitiveKind.CARD: """
        credit card, debit card, card number, cc number, credit card number, payment card, pan, cvv, cvc, card
        security, card code, card expiry, card expiration, kreditkarte, carte bancaire
    """,
    SensitiveKind.IBAN: "iban",
    SensitiveKind.BANK_ACCOUNT: """
        bank account, account number, routing number, sort code, swift code, bic, bank number, kontonummer,
        bankleitzahl, blz, beneficiary account
    """,
    SensitiveKind.INCOME: """
        salary, wage, income, compensation, remuneration, pay rate, hourly rate, net worth, payroll, base pay, gross
        pay, net pay, gehalt, lohn, salaire, salario, sueldo
    """,
    SensitiveKind.PERSONAL_TRAIT: """
        diagnosis, disease, illness, symptom, allergy, disability, handicap, blood type, blood group, vaccination,
        pregnancy, medication, medicine, drug name, med name, mental health, health condition, health issue, health
        problem, medical condition, medical history, religion, religious, faith, ethnicity, ethnic, ethnic group,
        nationality, citizenship, caste, national origin, mother tongue, political party, political affiliation,
        political view, sexual orientation, sexuality, trade union, union membership, criminal record
    """,
    SensitiveKind.IP_ADDRESS: """
        ip, ip address, ipaddress, ipv, ip v, remote host, remote address, client host, x forwarded for
    """,
    SensitiveKind.MAC_ADDRESS: """
        mac, mac address, imei, imsi, device id, device serial, advertising id, idfa, aaid
    """,
}

_FREE_TEXT = """
    note, comment, remark, message, body, description, memo, bio, biography, feedback, narrative, text, content,
    detail, transcript, annotation, free text, summary, review, complaint, reply, question, answer, subject line,
    testimonial, letter, essay, caption, excerpt, statement, instruction, bemerkung, kommentar, notiz, beschreibung,
    commentaire, remarque, observaciones, nota, comentario, descripcion
"""

_PERSON_NOUNS = """
    accountant actor adjuster advisor agent applicant approver artist assignee assigner attendant attendee attorney
    auditor author beneficiary borrower buyer caller candidate caregiver carer cashier chairman chairperson chauffeur
    claimant clerk client clinician coach colleague complainant composer consultant contact contractor coordinator
    counselor counsellor creator crew customer debtor defendant delegate dentist dependent director doctor donor driver
    editor employee engineer enrollee entrant examiner executive father friend guardian guest guarantor heir holder
    husband individual inspector instructor insured interviewer investor judge landlord lawyer lecturer lender
    lessee lessor maintainer manager member mentor midwife mother musician nominee nurse occupant officer operator
    organiser organizer owner parent participant party passenger patient payee payer pensioner people performer person
    personnel pharmacist physician pilot plaintiff player politician prescriber principal professor programmer prospect
    provider psychologist pupil recipient recruiter referee reporter representative requester requestor
    resident reviewer rider salesperson scientist secretary seller sender shopper sibling signatory signer singer
    speaker spouse staff student submitter subscriber supervisor surgeon surveyor teacher technician tenant
    therapist trainer traveler trustee tutor underwriter user veterinarian visitor volunteer voter wife winner witness
    worker writer
"""

_NEUTRAL_HEADS = """
    type kind status flag count category class classification verified confirmed enabled disabled allowed required
    valid format language preference method frequency currency limit attempt length size version provider domain at on
    timestamp datetime template reason level total average optin optout consent source channel state mode policy scope
    algorithm
"""

_CODE_HEADS = """
    status type code category flag kind state class level priority mode stage phase grade currency country region unit
    uom language locale gender sex severity tier segment channel method format role rating reason result outcome
    source action operation direction color colour size plan frequency period quarter season weekday month year day
    model brand make sector industry genre indicator option policy scope scale rank band bucket group division
    department condition classification event environment platform os browser protocol active enabled yn bool boolean
    verified confirmed valid deleted visible public default required position symbol size version resolution disposition
    specialty discipline topic
"""

_PLACE_AND_STATE_HEADS = """
    country region state province county city town municipality district borough territory continent zone area site
    location department division faculty branch office warehouse campus market airport port
    status type stage phase priority level severity currency unit uom language locale color colour size gender sex
    season weekday month mode method format
"""


def _split(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(map(singular, phrase.split())) for phrase in " ".join(text.split()).split(", "))


PHRASES: dict[tuple[str, ...], SensitiveKind] = {
    phrase: kind for kind, text in _PHRASES.items() for phrase in _split(text)
}
"""Words that say what a column holds, anywhere in its name."""

LAST_WORDS: dict[str, SensitiveKind] = {"mail": SensitiveKind.EMAIL} | dict.fromkeys(
    ("race", "drug", "med", "treatment", "therapy", "tribe"), SensitiveKind.PERSONAL_TRAIT
)
"""Words that say so only at the end of a name: `mail_city` is a city, `race_date` a date."""

WRITTEN_TOGETHER: dict[str, SensitiveKind] = {
    "".join(phrase): kind for phrase, kind in PHRASES.items() if len(phrase) > 1
}
"""The phrases written as one word, as in `firstname`; those of eight or more letters also count inside a word."""

REVEALING_PARTS: dict[str, SensitiveKind] = {
    "email": SensitiveKind.EMAIL,
    "password": SensitiveKind.PASSWORD,
    "passwd": SensitiveKind.PASSWORD,
    "phone": SensitiveKind.PHONE,
    "address": SensitiveKind.ADDRESS,
    "username": SensitiveKind.USERNAME,
    "surname": SensitiveKind.PERSON_NAME,
    "salary": SensitiveKind.INCOME,
    "latitude": SensitiveKind.COORDINATES,
    "longitude": SensitiveKind.COORDINATES,
} | {word: kind for word, kind in WRITTEN_TOGETHER.items() if len(word) >= 8}
"""Parts of words that suggest personal data, as in `custphone`."""

MISLEADING_WORDS: frozenset[str] = frozenset(
    "phoneme phonetic phonetics microphone headphone gramophone saxophone smartphone earphone".split()
)
"""Words that contain such a part but mean something else."""

FREE_TEXT_PHRASES: frozenset[tuple[str, ...]] = _split(_FREE_TEXT)
"""Words at the end of a column name that suggest prose."""

PERSON_NOUNS: frozenset[str] = frozenset(_PERSON_NOUNS.split())
"""Words for people; a name next to one of them is personal."""

NEUTRAL_HEADS: frozenset[str] = frozenset(_NEUTRAL_HEADS.split())
"""Last words that turn personal data into a fact about it: `email_status` is not an address."""

CODE_HEADS: frozenset[str] = frozenset(_CODE_HEADS.split())
"""Last words in names of columns that hold one of a few codes."""

PLACE_AND_STATE_HEADS: frozenset[str] = frozenset(_PLACE_AND_STATE_HEADS.split())
"""Last words in names of columns that hold places, departments, or the states and kinds of a thing.

Their values are often proper nouns or words of any language, and almost never people.
"""

LABEL_HEADS: frozenset[str] = frozenset({"name", "label"})
"""Last words that add nothing to such a word: a `department_name` is a department."""
