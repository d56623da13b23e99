"""Which values of a column are codes: states, levels, units, currencies, countries, departments."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from tribal.masking.column_names import is_code_name, is_place_or_state_name
from tribal.masking.personal_names import PERSONAL_NAMES, has_common_name
from tribal.naming import is_noun, is_word

MAX_CODE_CHARS = 24
"""Longest code that is recognised in any column."""
MAX_PHRASE_CHARS = 40
"""Longest code in a column that is named for codes, and so the longest value that is ever shown."""
MAX_DIGITS = 4
"""Most digits of any value that is shown; five may be a person's number."""

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?%?")
_MAX_NUMBER_DIGITS = 3
_CODE = re.compile(rf"[A-Za-z0-9][A-Za-z0-9 _./+-]{{0,{MAX_CODE_CHARS - 1}}}")
_LETTER_AND_DIGIT = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]")
_WORD_AND_DIGIT = re.compile(r"([A-Za-z]{3,})[ _-]?[0-9]")
_WORDS_OF_A_CODE = 2
_SHORT = 3
"""Letters of a word that may be an abbreviation or initials."""
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PHRASE = re.compile(rf"[^\W_](?:\w|[ ./+&%'\u2019()-]){{0,{MAX_PHRASE_CHARS - 1}}}")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS_OF_A_PHRASE = 5
_PRONOUNS = frozenset("he her him his my our she their them they we you your".split())

_WORDS = frozenset(
    """
    abandoned absent accepted account acknowledged active added adhoc admin adult air all allowed annual any api app
    applied approved archive archived asc assigned auto automatic available average awaiting backlog backup bad bank
    banned barter base basic batch beta big bilateral billed blocked blue booked both bounced box branch bronze browser
    bulk bundle business buy call cancelled canceled capital cash central certified changed charge charged cheque child
    claimed clean cleared click closed cloud cold collected commercial common company complete completed confirmed
    consumer contract corporate correct country county created credit critical currency current custom customer cyan
    daily damaged day dead debit debug declined default deferred defunct deleted delayed delivered denied deprecated
    desc desktop detached detailed development device dev diesel digital direct disabled dispatched display district
    domestic done door down download draft drop dropped dry due edi edit edited electric email empty enabled ended
    enterprise error escalated estimated even event excellent exchange excluded exempt exited expired export express
    external extra failed failure fair false fast fatal fax female fiber fill final finished first fixed flat food
    foreign forwarded freight friday frozen full fulfilled gas general global gold good gray granted green grey gross
    ground group guest half handled hard health held hidden high hired hold home hot hour hourly house hybrid idle
    ignored image import inactive inbound included incoming incomplete individual industrial info initial inherited
    inserted instock internal international invalid invoice invoiced issued item job joined junior large last late
    launched lead leased left legacy level license light liquid live loaded local locked log long loss lost low lower
    magenta mail main major male managed manual market marketing match matched mature maximum media medium member merged
    metal middle migrated minimum minor mint missed missing mobile modified monday month monthly moved multi mutual
    national net neutral never new night no none normal north notified null obsolete odd off offer office offline old on
    ongoing online onsite open opened optional orange order ordered organic organisation organization other out outbound
    outdated outgoing outofstock overdue overnight owned own pack packed paid pallet parcel parent partial partially
    partner passed past paused payment pending percent perm permanent person personal phase phone physical pick picked
    picking pickup piece pink pipeline placed plain plan planned plastic plus poor portal post posted preliminary
    premium preorder prepaid primary print printed private pro progress processed processing prod production proforma
    promo promotion proposed prospect provisional public published pull purchase purple push qualified quarter quarterly
    queued quote quoted radio rail random raw reached ready real rebate received recurring red reduced refund refunded
    regional registered regular rejected released remote removed renewed rent rental replaced reported requested
    required reserved resolved restricted resumed retail retired retry return returned reversed review reviewed revoked
    right road rolled root run running sale sales sandbox saturday saved scheduled scrap sea seasonal second secondary
    secured selected self sell semi senior sent serious service settled shared shelf ship shipped shop short signed
    silver simple single skipped slow small social soft sold solid solved south spare special split stable staging stale
    standard started state status step stock stolen stop stopped store stored street strong submitted subscribed
    subscription success successful suspended sunday supplier sync system tax taxable tbd technical temp temporary
    tentative terminated test text third thursday tier timeout today top total trade train transfer transferred transit
    transport trash travel trial triggered true truck trusted tuesday type unassigned unavailable unblocked unconfirmed
    unit unknown unpaid unpublished unread unsubscribed untested unused up update updated upgraded upload upper urgent
    used user vacant valid validated variable vendor verified very violet virtual visible void voided volume voucher
    waiting waived walk warehouse warm warning waste web website wednesday week weekly weekend west wholesale wire
    withdrawn won wood work working write wrong yearly year yellow yes zone january february march april may june july
    august september october november december spring summer autumn winter east xs xl xxl xxxl eco std adm max min avg
    sum na nil tba n a not in of to at by and or
    """.split()
)
"""Words that occur in codes. Collected for this project; no outside source is recorded."""

_CURRENCIES = frozenset(
    """
    aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf clp
    cny cop crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr
    ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt
    mop mru mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd
    scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx usd uyu uzs ves vnd
    vuv wst xaf xag xau xcd xof xpf yer zar zmw zwl
    """.split()
)
"""ISO 4217."""
_COUNTRIES = frozenset(
    """
    ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc
    cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd
    ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh
    ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw
    mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc
    sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy
    uz va vc ve vg vi vn vu wf ws ye yt za zm zw uk eu
    """.split()
)
"""ISO 3166-1, and two others in common use."""
_COUNTRIES_OF_THREE = frozenset(
    """
    arg aus aut bel bgr bra can che chl chn col cyp cze deu dnk egy esp est fin fra gbr grc hkg hrv hun idn ind irl isl
    isr ita jpn kor ltu lux lva mar mex mlt mys nld nor nzl per phl pol prt rou rus sau sgp srb svk svn swe tha tur twn
    ukr usa vnm zaf
    """.split()
)
_LANGUAGES = frozenset(
    """
    ar bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mn
    mr ms mt nb ne nl nn no pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh
    """.split()
)
"""ISO 639-1, the most used."""
_UNITS = frozenset(
    """
    bar bg box btl bx c cl cm cm2 cm3 crt ct ctn cu d db deg dl dm doz dz ea f fl ft g gal gb ghz h ha hl hp hr hz in k
    kb kcal kg kj km kmh kn kpa kv kva kw kwh l lb lbs lt m m2 m3 mb mg mhz mi min ml mm mo mph ms mv mw mwh n nm oz pa
    pac pal pc pcs pk pkg pkt pr psi pt qm qt rm roll rpm s sec set sh sqft sqm st stk t tb to v va w wh wk y yd yr ltr
    """.split()
)
_SIZES = frozenset("xxs xs s m l xl xxl xxxl xxxxl os".split())
_LISTS = (_CURRENCIES, _COUNTRIES, _COUNTRIES_OF_THREE, _LANGUAGES, _UNITS, _SIZES)


def is_small_number(value: str) -> bool:
    """Whether a value is a number of at most three digits, including decimals."""
    return _NUMBER.fullmatch(value) is not None and sum(map(str.isdecimal, value)) <= _MAX_NUMBER_DIGITS


def is_listed(codes: Iterable[str]) -> bool:
    """Whether all codes are from one public list: currencies, countries, languages, units or sizes."""
    lower = {code.lower() for code in codes}
    return any(lower <= listed for listed in _LISTS)


def known_codes(values: Collection[str], *, named_as_codes: bool) -> frozenset[str]:
    """Return the codes among a column's distinct values.

    A short code counts only if all of the column's short codes are in the same list: `DE` next to `FR` is a country;
    next to `MK` and `JS` it may be a person's initials. With `named_as_codes`, for a column whose name suggests codes,
    short codes that are in no list count too.
    """
    short = {value for value in values if len(value) <= _SHORT and value.isalpha()}
    unlisted = {value.lower() for value in short} - _WORDS
    may_be_short = named_as_codes or any(unlisted <= codes for codes in _LISTS)
    return frozenset(
        value
        for value in values
        if _is_code(value) or (value in short and not _is_name(value) and (may_be_short or len(value) == 1))
    )


def plain_codes(values: Collection[str], column_name: str) -> frozenset[str]:
    """Return the values that read as codes in a column of this name, for values that occur often.

    Never a common name of a person, a sentence or a number. Else:

    - In a column named for places, departments, states or kinds: up to five words of any language, with a digit or not.
    - In another column named for codes: one word that is not written like a name.
    - In any column: one everyday word that is not written like a name.
    - If at least half of the values are everyday words, also other words: any in a column named for codes, else those
      that are either everyday or not written like a name.
    """
    is_place_or_state, is_coded = is_place_or_state_name(column_name), is_code_name(column_name)
    everyday = frozenset(filter(_is_everyday, values))
    is_vocabulary = _is_vocabulary(values, everyday)

    def is_plain(value: str) -> bool:
        words, digits = _words(value), sum(map(str.isdecimal, value))
        if _PHRASE.fullmatch(value) is None or not words or digits > 1 or _is_sentence(value):
            return False
        if has_common_name(value, may_be_place=is_place_or_state):
            return False
        if is_place_or_state or digits:
            return is_place_or_state
        if " " in value:
            return is_coded and is_vocabulary
        if any(map(_is_written_like_a_name, words)):
            return is_vocabulary and (is_coded or value in everyday)
        # Accounts of people are written `first.last`, and short words may be initials.
        is_likely = is_coded or value in everyday or (is_vocabulary and len(value) > _SHORT)
        return is_likely and "." not in value

    return frozenset(filter(is_plain, values))


def _is_vocabulary(values: Collection[str], everyday: Collection[str]) -> bool:
    """Whether at least two values, and half of all, consist of everyday words, and none is a common name."""
    spelt = sum(any(len(word) > _SHORT for word in _words(value)) for value in values)
    is_usual = len(everyday) > 1 and 2 * len(everyday) >= spelt
    return is_usual and not any(map(has_common_name, values))


def _words(value: str) -> list[str]:
    return _LETTERS.findall(value)


def _is_sentence(value: str) -> bool:
    return len(value.split()) > _WORDS_OF_A_PHRASE or not _PRONOUNS.isdisjoint(value.lower().split())


def _is_written_like_a_name(word: str) -> bool:
    """Whether a word starts with a capital and goes on in small letters, or its script has no capitals."""
    return not (word[0].islower() or word.isupper())


def _is_everyday(value: str) -> bool:
    """Whether a value consists of everyday words and short ones, at least one of them everyday."""
    words = _words(value)
    return any(len(word) > _SHORT for word in words) and all(map(_is_everyday_word, words))


@lru_cache(maxsize=4_096)
def _is_everyday_word(word: str) -> bool:
    parts = list(map(str.lower, _HUMP.findall(word)))
    return _is_common(word.lower()) or (max(map(len, parts), default=0) > _SHORT and all(map(_is_common, parts)))


def _is_common(word: str) -> bool:
    return len(word) <= _SHORT or word in _WORDS or is_word(word) or is_noun(word)


def _is_code(value: str) -> bool:
    if _CODE.fullmatch(value) is None or sum(map(str.isdecimal, value)) > MAX_DIGITS:
        return False
    if _LETTER_AND_DIGIT.fullmatch(value):
        return True
    numbered = _WORD_AND_DIGIT.fullmatch(value)
    if numbered:
        return _is_code_word(numbered[1])
    if any(map(str.isdecimal, value)):
        return False
    if " " in value:
        # Several everyday words in a row are prose.
        words = value.lower().split()
        return len(words) == _WORDS_OF_A_CODE and _WORDS.issuperset(words)
    words = [word for word in re.split(r"[_./+-]+", value) if word]
    return all(map(_is_code_word, words)) or all(map(_is_code_word, _HUMP.findall(value)))


def _is_code_word(word: str) -> bool:
    """Whether a word occurs in codes, or is an everyday word, and is not written like a name."""
    lower = word.lower()
    if word.istitle():
        return lower in _WORDS and lower not in PERSONAL_NAMES
    return lower in _WORDS or (len(word) > 3 and lower not in PERSONAL_NAMES and is_word(lower))


def _is_name(word: str) -> bool:
    """Whether a short code is a common name, or written like one."""
    return word.lower() in PERSONAL_NAMES or (len(word) > 1 and word.istitle())
