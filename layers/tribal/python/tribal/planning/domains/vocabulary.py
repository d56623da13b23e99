"""What businesses keep data about: the topics that tables are compared with.

Collected for this project (docs/adr/0007), and general on purpose: trades and departments, no product's schema. Users
add to it per database with `vocabulary` in `databases.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.catalog.identity import domain_name


@dataclass(frozen=True, slots=True)
class Topic:
    """A business domain: its canonical name, its title, and the words that identify it."""

    name: str
    title: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text whose vector stands for the topic."""
        return " ".join((self.title.lower(), *self.words))


_TOPICS = """
Sales: sales order customer salesperson quota territory store cart offer discount quote deal opportunity credit card
Purchasing: purchase purchasing vendor supplier procurement requisition purchase order receipt sourcing
Products: product item catalog category brand model variant price list photo description review
Production: production manufacturing work order work materials assembly scrap machine routing component
Inventory: inventory stock warehouse bin quantity hand replenishment
Shipping: shipment shipping delivery carrier freight tracking parcel package dispatch route
Human Resources: employee department job candidate shift payroll salary hire leave manager position vacation benefit
People: person people contact address email phone profile name household member
Finance: account ledger journal transaction balance budget cost currency exchange rate fiscal asset expense
Billing: invoice payment billing charge refund tax receipt subscription plan dunning
Banking: bank loan deposit withdrawal mortgage branch card interest transfer account holder
Insurance: policy claim premium coverage insured adjuster underwriting beneficiary payer
Investments: security stock trade portfolio ticker broker fund dividend exchange holding
Marketing: campaign lead segment newsletter advertisement promotion audience coupon impression click
Customer Support: ticket case complaint support agent call issue escalation feedback satisfaction
Clinical Records: patient birth death visit diagnosis condition procedure drug exposure device measurement observation
Laboratory: laboratory assay molecule atom bond sample test result reagent experiment
Terminology: concept vocabulary term code class synonym ancestor relationship ontology mapping dictionary
Healthcare Providers: hospital clinic ward doctor physician provider care site practice
Education: student course teacher school class enrollment grade exam university semester instructor
Events: event schedule attendance booking reservation calendar ticket venue conference
Travel: flight airport airline passenger trip hotel room reservation fare aircraft
Locations: location country state province city region postal code county geography
Transport: vehicle driver car race circuit lap train station route fuel
Film and Media: film movie actor video song album artist track genre playlist media show
Publishing: article book author publisher journal paper citation edition library conference
Sports: match team player league season game score tournament goal coach club
Entertainment: hero superpower card deck character comic puzzle set rarity
Real Estate: property building apartment lease tenant rent landlord listing mortgage
Legal: contract law court crime offence judge lawyer litigation license
Energy: meter power electricity gas consumption generation grid outage oil well
Environment: species weather temperature climate water pollution soil forest animal
Agriculture: farm crop field harvest livestock plant seed food restaurant
Government: election vote voter party candidate district representative census policy agency
Community: post comment vote badge user tag forum thread like follower message
Projects: project task milestone sprint assignment timesheet deliverable backlog
Documents: document file attachment folder version page template note
Security: user role permission login password session token access authentication credential
Audit: audit log change history activity trail trace error
Configuration: setting parameter configuration option preference feature flag metadata version schema source migration
Messaging: message notification email template inbox channel delivery push
Analytics: report dashboard metric aggregate summary cohort snapshot statistic kpi
Telecommunications: call subscriber network device line sim roaming usage signal
Software: software repository commit build release deployment server host package bug
"""


def topics(extra: Mapping[str, Sequence[str]]) -> list[Topic]:
    """The general vocabulary and a user's own domains; words for a name that is there already are added to it."""
    found: dict[str, Topic] = {}
    general = (
        (title, words.split()) for title, _, words in (line.partition(": ") for line in _TOPICS.strip().splitlines())
    )
    for title, words in [*general, *((title, list(words)) for title, words in extra.items())]:
        name = domain_name(title)
        known = found.get(name)
        found[name] = Topic(name, title, (*(known.words if known else ()), *words))
    return list(found.values())
