"""The day that a note belongs to (dCompet), by the company's clock, and the rules of that day."""

from datetime import date

from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.dps_v1.document import read_note
from carimbo.fiscal.local_time import local_day


def competence_of(request: NfseRequest, issuance: Issuance) -> date:
    """As told; else that of the note which this one replaces, which must not change (E0060, E0061).

    Else the day on which it was asked for: an authority that is out over midnight does not move it.
    """
    told, replaced = told_day(request, issuance.company), issuance.surroundings.replaced
    if told:
        return told
    if replaced:
        return read_note(replaced.signed).competence
    return local_day(issuance.asked_at or issuance.emission.issued_at, issuance.company.address.state)


def told_day(request: NfseRequest, company: Company) -> date | None:
    """The day that a body tells, if it does."""
    return local_day(request.competence, company.address.state) if request.competence else None


def rules_of_competence(day: date) -> RulesInForce:
    """Returns the rules of a competence; a note of December that is issued in January follows December's."""
    return rules_on(day, "nfse")
