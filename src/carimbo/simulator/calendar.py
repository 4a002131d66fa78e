"""The calendar of the simulated authorities: the first day of dated rules, and the rates of IBS and CBS.

It is independent of the product's calendar and rates, so that the two can disagree. The control API changes
its dates and its CBS rate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum

CITY_AGREEMENTS_SINCE = date(2023, 1, 1)
"""First day of the fictitious agreements of the cities."""
FAKE_CBS_RATE = Decimal("11.11")
"""The CBS rate from 2027 on, in percent. It is fictitious: the Senate has not set the real one."""
_RATES_KNOWN_SINCE, _RATES_UNKNOWN_SINCE = date(2026, 1, 1), date(2029, 1, 1)
_IBS_SHARE_OF_2027 = Decimal("0.05")


class Milestone(StrEnum):
    """The dates that the control API can move, by their names in JSON."""

    RETURNED_ITEM_REFERENCES = "returnedItemReferences"
    GROUP_REQUIRED_IN_HOMOLOGATION = "groupRequiredInHomologation"
    GROUP_REQUIRED_IN_PRODUCTION = "groupRequiredInProduction"
    CORRECTED_NOTES_HAVE_GROUP = "correctedNotesHaveGroup"
    RECEIPTS_NOT_REFERENCED = "receiptsNotReferenced"
    ONE_ISSUER_PER_RETURN = "oneIssuerPerReturn"
    RATES_OF_2027 = "ratesOf2027"
    CIOT_REQUIRED_IN_HOMOLOGATION = "ciotRequiredInHomologation"
    CIOT_REQUIRED_IN_PRODUCTION = "ciotRequiredInProduction"
    NFSE_GROUP_ALLOWED = "nfseGroupAllowed"
    NFSE_OTHER_DOCUMENTS_ENDED = "nfseOtherDocumentsEnded"
    NFSE_SIMPLES_USES_NATIONAL_EMITTER = "nfseSimplesUsesNationalEmitter"
    NFSE_BASE_WITHOUT_PIS_COFINS = "nfseBaseWithoutPisCofins"
    NFSE_PIS_COFINS_REFUSED = "nfsePisCofinsRefused"
    NFSE_TOTAL_ADDS_TAXES = "nfseTotalAddsTaxes"


@dataclass(frozen=True, slots=True)
class MilestoneEntry:
    """The built-in date of a milestone, and what changes on that day."""

    since: date | None
    """The first day; None if the authorities have not set a date."""
    about: str
    """One line in Portuguese."""
    source: str


MILESTONES: Mapping[Milestone, MilestoneEntry] = {
    Milestone.RETURNED_ITEM_REFERENCES: MilestoneEntry(
        date(2026, 11, 16),
        "A devolução refere, em cada item, o item da nota original (321).",
        "NT 2025.002 v1.52, VC02-14; aviso da SVRS de 05/10/2026",
    ),
    Milestone.GROUP_REQUIRED_IN_HOMOLOGATION: MilestoneEntry(
        date(2026, 7, 1),
        "Homologação recusa a nota do regime normal sem IBS e CBS (1115; CT-e: 310).",
        "NT 2025.002 v1.52, UB12-10",
    ),
    Milestone.GROUP_REQUIRED_IN_PRODUCTION: MilestoneEntry(
        None,
        "Produção recusa a nota do regime normal sem IBS e CBS (1115; CT-e: 310).",
        "NT 2025.002 v1.52, UB12-10: implementação futura",
    ),
    Milestone.CORRECTED_NOTES_HAVE_GROUP: MilestoneEntry(
        date(2027, 1, 1),
        "A nota emitida desde este dia tem IBS e CBS, e quem a corrige ou devolve também (1115; CT-e: 310).",
        "NT 2025.002 v1.52, UB12-10, exceção",
    ),
    Milestone.RECEIPTS_NOT_REFERENCED: MilestoneEntry(
        date(2026, 12, 14),
        "A NF-e de saída não refere NFC-e, CF-e nem NF-e com DANFE Simplificado Tipo 2 (375, 679).",
        "NT 2026.002 v1.11, I08-180, BA02-35 e VC02-40",
    ),
    Milestone.ONE_ISSUER_PER_RETURN: MilestoneEntry(
        date(2026, 8, 3),
        "Os itens de uma devolução referem notas de um só emitente (1193).",
        "NT 2025.002 v1.52, VC02-40",
    ),
    Milestone.RATES_OF_2027: MilestoneEntry(
        date(2027, 1, 1),
        "IBS de 0,05 % do estado e 0,05 % do município, CBS de cbsRate (1026, 1036, 1037; NFS-e).",
        "LC 214/2025, arts. 344 e 347",
    ),
    Milestone.CIOT_REQUIRED_IN_HOMOLOGATION: MilestoneEntry(
        date(2026, 9, 21),
        "Homologação recusa o MDF-e de transporte contratado sem CIOT (684).",
        "NT MDF-e 2026.001",
    ),
    Milestone.CIOT_REQUIRED_IN_PRODUCTION: MilestoneEntry(
        date(2026, 11, 23),
        "Produção recusa o MDF-e de transporte contratado sem CIOT (684).",
        "NT MDF-e 2026.001",
    ),
    Milestone.NFSE_GROUP_ALLOWED: MilestoneEntry(
        date(2026, 1, 1), "A NFS-e pode informar IBS e CBS (E0850).", "NFS-e 1.01, Anexo I"
    ),
    Milestone.NFSE_OTHER_DOCUMENTS_ENDED: MilestoneEntry(
        date(2026, 1, 1),
        "O reembolso na NFS-e só refere documentos do repositório nacional (E0942).",
        "NFS-e 1.01, Anexo I",
    ),
    Milestone.NFSE_SIMPLES_USES_NATIONAL_EMITTER: MilestoneEntry(
        date(2026, 11, 1),
        "O Simples Nacional emite NFS-e no emissor nacional em qualquer município (E0039).",
        "Res. CGSN 191/2026",
    ),
    Milestone.NFSE_BASE_WITHOUT_PIS_COFINS: MilestoneEntry(
        date(2027, 1, 1),
        "A base de IBS e CBS da NFS-e não desconta mais PIS e COFINS.",
        "NFS-e 1.01, Anexo I, E1530",
    ),
    Milestone.NFSE_PIS_COFINS_REFUSED: MilestoneEntry(
        date(2027, 1, 1),
        "A NFS-e não informa valor nem retenção de PIS e COFINS (E1530).",
        "LC 214/2025, arts. 542 e 544",
    ),
    Milestone.NFSE_TOTAL_ADDS_TAXES: MilestoneEntry(
        date(2027, 1, 1),
        "O total da NFS-e soma IBS e CBS ao valor líquido.",
        "NFS-e 1.01, vTotNF, E1555",
    ),
}


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of IBS and CBS on a day, in percent."""

    state: Decimal
    city: Decimal
    cbs: Decimal


_TEST_YEAR = Rates(state=Decimal("0.1"), city=Decimal(0), cbs=Decimal("0.9"))


@dataclass(frozen=True, slots=True)
class Calendar:
    """The dates and rates of the authorities, including those changed through the control API."""

    moved: Mapping[Milestone, date] = field(default_factory=dict)
    cbs_rate: Decimal = FAKE_CBS_RATE

    def first_day(self, milestone: Milestone) -> date | None:
        """Returns the first day of a rule; None if it has no date."""
        return self.moved.get(milestone, MILESTONES[milestone].since)

    def is_in_force(self, milestone: Milestone, day: date) -> bool:
        """Returns whether a rule is in force on a day."""
        since = self.first_day(milestone)
        return since is not None and since <= day

    def rates_on(self, day: date) -> Rates | None:
        """Returns the rates of a day; None before 2026 and from 2029 on, where they are unknown."""
        if not _RATES_KNOWN_SINCE <= day < _RATES_UNKNOWN_SINCE:
            return None
        if not self.is_in_force(Milestone.RATES_OF_2027, day):
            return _TEST_YEAR
        return Rates(state=_IBS_SHARE_OF_2027, city=_IBS_SHARE_OF_2027, cbs=self.cbs_rate)
