"""Common given names and surnames of several languages. As a precaution, such a value never counts as a code."""

from __future__ import annotations

import re

_GIVEN_NAMES = """
aaron abdul abigail adam adele adrian agnes ahmed aisha alan albert alejandro alex alexander alexandra alexandre
alexis alfonso alfred ali alice alicia alina alison allison amanda amelia amir amy ana anastasia andre andrea andreas
andrew andrzej angela angelica anita ann anna anne annette anthony antoine antonio anya arjun arthur ashley astrid
audrey aurora axel barbara beatrice beatriz ben benjamin bernard beth betty beverly bianca bob bogdan boris brandon
brenda brian bruce bruno bryan camila camille carl carla carlos carmen carol carolina caroline catherine cecilia
celine chantal charles charlotte chen chiara chloe chris christian christina christine christopher claire clara
claudia claudio colin connor cristina cynthia daniel daniela danielle dave david deborah debra denise dennis derek
diana diane diego dieter dimitri dmitri dolores dominic donald donna doris dorothy douglas dylan edgar eduardo edward
elena eleanor elias elisa elizabeth ella ellen emil emilia emily emma enrique eric erica erik ernest esther ethan
eugene eva evelyn fatima felix fernando fiona florian frances francesca francesco francis francisco francois frank
franz fred frederic frederick gabriel gabriela gareth gary george gerald gerard gerhard gertrude giovanni giulia
giuseppe gloria gonzalo gordon greg gregory greta guido guillaume gustav hamza hannah hans harold harry hassan hazel
heather heidi heinz helen helena helga henri henrik henry hiroshi howard hugo hussein ian ibrahim ignacio igor ines
ingrid irene irina isaac isabel isabella ivan jack jackie jacob jacqueline jacques jakub james jamie jan jane janet
janice jason javier jean jeff jeffrey jennifer jeremy jerry jesse jessica jesus jill jim joan joanna joe joel johan
johann johannes john jonas jonathan jorge jose josef joseph joshua joyce juan judith judy julia julian julie julien
jurgen justin karen karin karl katarzyna kate katherine kathleen kathryn katie kavita keith kelly ken kenneth kevin
khalid kim kimberly klaus kristina krzysztof kurt kyle lars laura lauren lea leah lena leo leon leonardo leonie leslie
liam lily linda lisa logan lois lorenzo louis louise luca lucas lucia lucy luis lukas luke madison magdalena malik
manuel marc marcel marco marcos margaret maria mariam marie marilyn mario marion marta martha martin martina mary
mateo mathieu matteo matthew matthias maureen max maxim megan mei melanie melissa michael michal michel michele
michelle miguel mikhail mila milan miriam mohamed mohammad mohammed monica monika muhammad nadia nancy natalia natalie
natasha nathan neil nicholas nick nicola nicolas nicole nikolai nina noah noelle nora norman olga oliver olivia omar
oscar otto owen pablo pamela paola paolo patricia patrick paul paula paulo pavel pedro penelope peter petra philip
philippe phillip pierre pilar piotr priya rachel rafael rahul rainer raj ralph ramon raquel raymond rebecca regina
renate rene ricardo riccardo richard rita robert roberta roberto robin rodrigo roger roland roman ron ronald rosa
rosemary roxana roy ruth ryan sabine sally sam samantha samir samuel sandra sara sarah sascha scott sean sebastian
serena serge sergei sergio sharon shirley silvia simon simone sofia sonia sophia sophie stefan stefano stella
stephanie stephen steve steven stuart susan susanne sven svetlana sylvia tamara tanya tatiana teresa terry theo
theodore theresa thomas tim timothy tobias todd tom tomas tony tracy uwe valentina valeria vanessa vera veronica
victor victoria vijay vincent viktor virginia vladimir walter wanda wayne wei wendy werner wilhelm william wolfgang
xavier yan yasmin yolanda yosef yusuf yves yvonne zachary zoe
"""

_SURNAMES = """
abbott acosta adams aguilar alexander allen alvarez andersen anderson andrews armstrong arnold bailey barnes bauer
becker bell bennett berger bernard bianchi boyd bradley brooks bryant burke burns butler byrne campbell carpenter
carter castillo castro chan chang chapman chavez chen cheng cho choi clark clarke cohen cole coleman collins colombo
conti cooper costa cox craig crawford cruz cunningham davies davis delgado diaz dixon dubois dunn dupont duran durand
dvorak edwards ellis esposito evans fernandes fernandez ferrari ferreira fischer fisher fleming flores foster fournier
fuchs garcia gardner gibson gomes gomez gonzales gonzalez graham greco griffin guerrero gupta gutierrez guzman hahn
hall hamilton hansen hanson harris harrison hartmann harvey hawkins hayes henderson hernandez herrera hoffman hoffmann
holmes howard huang huber hughes hussain ito ivanov ivanova jackson janssen jenkins jensen jimenez johansson johnson
johnston jones jordan joshi kaiser kaur kelley kennedy khan kim klein knight kobayashi koch kovac kowalski kozlov
kramer krause krueger kuhn kumar lambert lang larsen larson laurent lawrence lee lefebvre lehmann leroy lewis lin liu
lopez lorenz ludwig maier marino marshall martin martinez mason matthews mcdonald medina mehta meier mendez mendoza
mercier meyer meyers miller mitchell molina moore morales moreau moreno morgan morris morrison mueller muller munoz
murphy murray myers nelson neumann newman nguyen nielsen nilsson novak nowak obrien olsen olson ortega ortiz owens
palmer park parker patel patterson pereira perez perry petersen peterson petrov petrova phillips popov powell pratt
ramirez ramos reed reid reyes reynolds ribeiro ricci richards richardson rivera roberts robertson robinson rodrigues
rodriguez rogers rojas romano romero rossi roth rousseau roux russell russo ryan salazar sanchez sanders santiago
santos sato schaefer schafer scherer schmidt schmitt schmitz schneider scholz schroeder schulz schwartz schwarz shah
shapiro sharma shaw silva simmons simpson singh smirnov smith snyder soto souza spencer stephens stevens stewart
sullivan suzuki svensson tanaka taylor thomas thompson torres tran tucker turner vargas vasquez vazquez vega vogel
volkov wagner walker wallace walsh wang ward warren washington watanabe watson weaver weber webb weiss wells werner
wheeler wilson winkler wolff wong wright wu yamada yamamoto yang yilmaz zhang zhao zhou ziegler zimmermann
"""

GIVEN_NAMES = frozenset(_GIVEN_NAMES.split())
SURNAMES = frozenset(_SURNAMES.split())
PERSONAL_NAMES: frozenset[str] = GIVEN_NAMES | SURNAMES
"""Lower-case names; those that are also everyday words (`mark`, `rose`, `may`, `white`) are left out."""

_ALSO_PLACES = frozenset(
    """
    carolina charlotte costa hamilton jackson jordan leon madison marshall milan nancy regina santiago santos sofia
    victoria virginia washington wells
    """.split()
)
"""Those of them that are also countries, states or well-known cities."""
_BEFORE_PLACES = frozenset("el fort lake los mount new north port saint san santa s\u00e3o south st".split())
_WORD = re.compile(r"[^\W\d_]+")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def has_common_name(text: str, *, may_be_place: bool = False) -> bool:
    """Whether a word of a text, or a part of one such as `annaMeyer`, is a common name of people.

    Args:
        text: a value.
        may_be_place: whether a name that is also a place, as in `San Diego`, does not count.
    """
    words = _WORD.findall(text)
    before: set[str] = set()
    for word in words:
        parts = {part.lower() for part in (word, *_HUMP.findall(word))}
        is_place = may_be_place and not (_ALSO_PLACES.isdisjoint(parts) and _BEFORE_PLACES.isdisjoint(before))
        if not is_place and not PERSONAL_NAMES.isdisjoint(parts):
            return True
        before |= parts
    return False
