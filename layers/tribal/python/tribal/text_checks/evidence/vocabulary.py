"""Words of any database, which say nothing about a particular one, and words for what a type holds."""

from __future__ import annotations

from collections.abc import Mapping

from tribal.naming import stem
from tribal.sql.type_families import TypeFamily

_GENERIC = """
active actual additional again already always applicable associated attribute available base based belong category
change class code column comment common complete computed contain count create creation current data database date
datetime day default define definition derived describe description detail determine different during each element
empty end entity entry even ever example exist field file final first flag following foreign full generally generic
given group hold id identification identified identifier identify identity ids include indicate indicator individual
information instead internal item keep key kind known label last latest level line link list main maintain mapping
maximum minimum modify multiple name never new next no normally null number object occur often old once only
operation optional original other part particular period possible present previous primary process purpose range
rather record refer reference related relation relationship represent required respective result row same schema
second section select sequence set several short single sometimes sort source specific specified specify standard
start state status still store stored string surrogate system table target text time timestamp together total true
twice type typically unique unit unknown update use used user usually valid validity value various version whole
within without yet
""".split()
GENERIC_STEMS = frozenset(map(stem, _GENERIC))
"""Stems of words that occur in descriptions of any database. A judgement, not a measurement."""

_SAME_THINGS = """
address street postal mail; agreement contract; amount sum value; article good item merchandise product ware
bill charge fee invoice; booking reservation; building house premises property site; buyer client customer shopper
car vehicle automobile; carrier courier delivery dispatch freight parcel shipment transport; city place town
company business enterprise firm organization; cost expense price spending; course class lesson; depot stock warehouse
doctor physician provider; email mail; employee personnel staff worker workforce; error failure fault problem
event incident occurrence; facility site location place; film movie; human individual people person
inventory stock warehouse; job position role; manager supervisor boss; member subscriber user; message post
money payment; order purchase sale; phone telephone mobile; picture image photo photograph
note remark; pupil student; salary wage pay; shop store; supplier vendor; trip journey travel ride
"""
SAME_THINGS = tuple(frozenset(group.split()) for group in _SAME_THINGS.replace("\n", ";").split(";") if group.strip())
"""Words that businesses use for the same thing, besides the synonyms of the thesaurus."""

_TIME = "date when day time moment since until"
_AMOUNT = "number count amount quantity total sum many much average rate ratio share percent percentage score"
TYPE_WORDS: Mapping[TypeFamily, frozenset[str]] = {
    "boolean": frozenset("whether if flag true false yes no".split()),
    "date": frozenset(_TIME.split()),
    "instant": frozenset(_TIME.split()),
    "local_time": frozenset(_TIME.split()),
    "number": frozenset(_AMOUNT.split()),
    "json": frozenset("json object document attribute".split()),
    "list": frozenset("list array all".split()),
    "binary": frozenset("binary file image content".split()),
    "network": frozenset("network address ip host".split()),
}
"""Words that fit every column of a type."""
