"""Singular and plural of English nouns, as in table and column names."""

from __future__ import annotations

from functools import lru_cache

from tribal.naming.abbreviation_table import ACRONYMS

_UNINFLECTED = frozenset(
    """
    aircraft analytics athletics bitcoin chassis clothes corps data deer economics electronics equipment ethics
    feedback firmware fish genetics goods graphics hardware headquarters https information kudos logistics luggage
    machinery mathematics means media merchandise metadata middleware news offspring overseas physics politics premises
    rendezvous semantics series sheep shrimp software spacecraft species staff swiss thanks trousers watercraft
    """.split()
)
_SINGULAR_IN_S = frozenset(
    """
    abs aegis alas alias always apropos arkansas asbestos atlas bias canvas chaos christmas cosmos dallas does ethos
    gas has iris kansas lens logos lotus paris pathos pus rhinoceros sales_tax texas this thermos usps was whereas yes
    """.split()
)
_IRREGULAR_PLURAL = {
    "addendum": "addenda",
    "alga": "algae",
    "alumnus": "alumni",
    "analysis": "analyses",
    "appendix": "appendices",
    "automaton": "automata",
    "axis": "axes",
    "bacterium": "bacteria",
    "basis": "bases",
    "bus": "buses",
    "cactus": "cacti",
    "calf": "calves",
    "child": "children",
    "codex": "codices",
    "criterion": "criteria",
    "curriculum": "curricula",
    "datum": "data",
    "die": "dice",
    "elf": "elves",
    "focus": "focuses",
    "foot": "feet",
    "fungus": "fungi",
    "genus": "genera",
    "goose": "geese",
    "half": "halves",
    "hoof": "hooves",
    "index": "indices",
    "knife": "knives",
    "larva": "larvae",
    "leaf": "leaves",
    "life": "lives",
    "loaf": "loaves",
    "locus": "loci",
    "man": "men",
    "matrix": "matrices",
    "medium": "media",
    "memorandum": "memoranda",
    "mouse": "mice",
    "nebula": "nebulae",
    "nucleus": "nuclei",
    "opus": "opera",
    "ox": "oxen",
    "person": "people",
    "phenomenon": "phenomena",
    "quiz": "quizzes",
    "radius": "radii",
    "schema": "schemas",
    "self": "selves",
    "shelf": "shelves",
    "spectrum": "spectra",
    "stimulus": "stimuli",
    "stratum": "strata",
    "syllabus": "syllabi",
    "taxon": "taxa",
    "thief": "thieves",
    "tooth": "teeth",
    "vertebra": "vertebrae",
    "vertex": "vertices",
    "vortex": "vortices",
    "wife": "wives",
    "wolf": "wolves",
    "woman": "women",
}
_IRREGULAR_SINGULAR = {plural: singular for singular, plural in _IRREGULAR_PLURAL.items()} | {
    "bases": "base",
    "data": "data",
    "formulae": "formula",
    "indexes": "index",
    "media": "media",
    "opera": "opera",
    "persons": "person",
    "schemata": "schema",
    **{word: word[:-1] for word in ("ads", "ids", "ips", "pcs", "pks", "fks", "kms", "hrs", "yrs")},
}
_NOT_MAN = ("human", "german", "roman", "norman", "ottoman", "talisman", "shaman", "caiman")
_NOT_MEN = ("specimen", "regimen", "abdomen", "acumen", "bitumen", "yemen", "omen", "stamen", "semen", "lumen", "ramen")
_IE = frozenset(
    """
    aerie birdie bookie brownie calorie collie cookie die genie goalie hippie hoodie junkie laddie lie movie newbie pie
    pixie prairie rookie selfie smoothie tie untie veggie walkie zombie
    """.split()
)
_CHE_OR_SHE = frozenset(
    "ache avalanche brioche cache cliche creche douche headache niche psyche quiche toothache".split()
)
_HARD_CH = frozenset(
    "czech epoch eunuch loch matriarch monarch oligarch patriarch stomach tech fintech biotech".split()
)
_OE = frozenset("canoe doe floe foe hoe oboe shoe toe woe tiptoe horseshoe aloe".split())
_O_ES = frozenset(
    "cargo domino echo embargo hero mango mosquito negro potato tomato tornado torpedo veto volcano zero".split()
)
_USE = frozenset(
    """
    abuse accuse amuse bemuse cruse cuse defuse diffuse disuse effuse enthuse excuse fuse infuse misuse muse obtuse
    overuse perfuse peruse profuse recluse recuse refuse reuse ruse suffuse transfuse use
    """.split()
)
_SIS = frozenset(
    """
    antithesis axis crisis diagnosis dialysis electrolysis emphasis genesis hypothesis neurosis oasis paralysis
    parenthesis prognosis prosthesis psychosis synopsis synthesis thesis thrombosis catalysis metamorphosis symbiosis
    """.split()
)
_SES_TO_SIS = {word[:-2] + "es": word for word in _SIS}
_S_ES = frozenset("alias atlas bias canvas gas iris lens pancreas".split())
_Z_DOUBLED = {"fez": "fezzes", "quiz": "quizzes", "whiz": "whizzes"}
_Z_FROM_DOUBLED = {plural: singular for singular, plural in _Z_DOUBLED.items()}


# Measures, sciences, laws, formats, currencies and organisations have no plural.
UNCOUNTED_ACRONYMS = frozenset(
    """
    aum cpi csat csv dea dna dns eft esg etl eu eur fbi fda fifa fips ftp gbp gdp gdpr gmt gps gst hipaa html http https
    iata icao icd imdb io irs iso json llc loinc mcc mls mpaa nasa nba nfl nhs nlp ocr pii ram rfid rgb rna roi rss seo
    sftp sic sms smtp snomed sql ssh ssl sso swot tcp tls ucc uk usa usb usd ux vat wifi www xml yaml
    """.split()
)


@lru_cache(maxsize=16_384)
def singular(word: str) -> str:
    """Return the singular of an English noun in the same case; a word that is not a plural is returned unchanged."""
    if _is_plural_acronym(word):
        return word[:-1]
    return _in_case_of(word, _singular(word.lower()))


@lru_cache(maxsize=16_384)
def plural(word: str) -> str:
    """Return the plural of an English noun in the same case; a plural is returned unchanged."""
    lower = word.lower()
    if _is_plural_acronym(word):
        return word
    if lower in ACRONYMS:
        return word if lower in UNCOUNTED_ACRONYMS else word + "s"
    return word if _singular(lower) != lower else _in_case_of(word, _plural(lower))


def _is_plural_acronym(word: str) -> bool:
    return len(word) > 2 and word.endswith("s") and word[:-1].isupper()


def _in_case_of(word: str, result: str) -> str:
    if word.islower():
        return result
    if len(word) > 1 and word.isupper():
        return result.upper()
    return result[:1].upper() + result[1:] if word[:1].isupper() else result


def _singular(word: str) -> str:
    for known in (_IRREGULAR_SINGULAR, _SES_TO_SIS, _Z_FROM_DOUBLED):
        if word in known:
            return known[word]
    if len(word) > 3 and word.endswith("s") and word[:-1] in ACRONYMS and word not in ACRONYMS:
        return word[:-1]
    if word.endswith("men") and not word.endswith(_NOT_MEN) and len(word) > 4:
        return word[:-3] + "man"
    if not _may_be_plural(word):
        return word
    if word.endswith("ies"):
        return word[:-1] if word[:-1] in _IE or len(word) == 4 else word[:-3] + "y"
    return word[:-2] if _adds_es(word) else word[:-1]


def _may_be_plural(word: str) -> bool:
    if len(word) < 4 or not word.endswith("s") or not word.isalpha():
        return False
    return not word.endswith(("ss", "us", "is")) and word not in _UNINFLECTED and word not in _SINGULAR_IN_S


def _adds_es(word: str) -> bool:
    """Whether the plural ending of a word in -s is -es, not -s."""
    stem_part = word[:-2]
    if word.endswith(("sses", "xes", "zzes")):
        return not word.endswith("axes") or stem_part != "ax"
    if word.endswith(("ches", "shes")):
        return word[:-1] not in _CHE_OR_SHE
    if word.endswith("oes"):
        return word[:-1] not in _OE
    if word.endswith("uses"):
        return word[:-1] not in _USE and word[-5:-4] not in ("a", "e", "o")
    return word.endswith("ses") and stem_part in _S_ES


def _plural(word: str) -> str:
    if len(word) < 2 or not word[-1].isalpha() or word in _UNINFLECTED:
        return word
    for known in (_IRREGULAR_PLURAL, _Z_DOUBLED):
        if word in known:
            return known[word]
    if word.endswith("man") and not word.endswith(_NOT_MAN):
        return word[:-2] + "en"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    if word in _SIS:
        return word[:-2] + "es"
    if word in _O_ES or (word.endswith(("s", "x", "z", "ch", "sh")) and word not in _HARD_CH):
        return word + "es"
    return word + "s"
