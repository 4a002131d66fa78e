"""Rules about the freight by road: RNTRC, CIOT, contractors, toll vouchers, insurance and product."""

from collections.abc import Iterator, Sequence

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.group import NOTHING, Group
from carimbo.simulator.identifiers import is_cnpj
from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.mdfe.rules.places import is_by_road
from carimbo.simulator.mdfe.rules.vehicles import has_owner, is_invalid_party
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.judged import tax_id_of

_CONTRACTOR = "2"
"""`respSeg`."""


def is_by_a_carrier(mdfe: JudgedMdfe) -> bool:
    """Returns whether a carrier transports the cargo of others."""
    return mdfe.is_by_a_carrier


def is_for_hire(mdfe: JudgedMdfe) -> bool:
    """Returns whether somebody is paid for the transport."""
    return mdfe.is_for_hire


def carries_one_document(mdfe: JudgedMdfe) -> bool:
    """Returns whether somebody is paid for a full load."""
    return mdfe.is_for_hire and mdfe.has_single_document


def rntrc_missing(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 688."""
    return not mdfe.freight.text("RNTRC")


def ciot_missing(mdfe: JudgedMdfe) -> bool:
    """NT MDF-e 2026.001, 684."""
    in_production = mdfe.text("ide/tpAmb") == PRODUCTION
    in_force = (
        Milestone.CIOT_REQUIRED_IN_PRODUCTION if in_production else Milestone.CIOT_REQUIRED_IN_HOMOLOGATION
    )
    return mdfe.follows(in_force) and not any(ciot.text("CIOT") for ciot in mdfe.freight.all("infCIOT"))


def wrong_party_of_ciot(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 716."""
    return any(map(is_invalid_party, mdfe.freight.all("infCIOT")))


def contractor_missing(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 578: unless a CIOT or the payer of the toll says who hires."""
    has_payer = any("CNPJPg" in voucher.texts or "CPFPg" in voucher.texts for voucher in _vouchers(mdfe))
    return not (_contractors(mdfe) or mdfe.freight.all("infCIOT") or has_payer)


def wrong_contractor(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 717."""
    return any(map(is_invalid_party, _contractors(mdfe)))


def contractor_is_not_the_issuer(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 741: the issuer hires the owner of the vehicle, and is the only contractor."""
    return [tax_id_of(contractor) for contractor in _contractors(mdfe)] != [mdfe.author]


def repeated_contractor(mdfe: JudgedMdfe) -> Finding:
    """MOC MDF-e, 742."""
    earlier: set[str] = set()
    for contractor in _contractors(mdfe):
        identity = tax_id_of(contractor) or contractor.text("idEstrangeiro")
        if identity in earlier:
            return f"[Contratante:{identity}]"
        earlier.add(identity)
    return None


def _contractors(mdfe: JudgedMdfe) -> Sequence[Group]:
    return mdfe.freight.all("infContratante")


def toll_without_category(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 731."""
    return bool(_vouchers(mdfe)) and not mdfe.freight.text("valePed/categCombVeic")


def wrong_supplier_of_toll(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 732."""
    return not all(is_cnpj(voucher.text("CNPJForn")) for voucher in _vouchers(mdfe))


def wrong_payer_of_toll(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 734."""
    return any(map(is_invalid_party, _payers_of_toll(mdfe)))


def _payers_of_toll(mdfe: JudgedMdfe) -> Iterator[Group]:
    for voucher in _vouchers(mdfe):
        tags = (tag for tag in ("CNPJ", "CPF") if f"{tag}Pg" in voucher.texts)
        yield Group("Pg", texts={tag: voucher.texts[f"{tag}Pg"] for tag in tags})


def _vouchers(mdfe: JudgedMdfe) -> Sequence[Group]:
    return (mdfe.freight.group("valePed") or NOTHING).all("disp")


FREIGHT_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("688", rntrc_missing, is_by_a_carrier),
    RejectionRule("684", ciot_missing, is_for_hire),
    RejectionRule("716", wrong_party_of_ciot, is_by_road),
    RejectionRule("578", contractor_missing, is_for_hire),
    RejectionRule("717", wrong_contractor, is_by_road),
    RejectionRule("741", contractor_is_not_the_issuer, has_owner),
    RejectionRule("742", repeated_contractor, is_by_road),
    RejectionRule("731", toll_without_category, is_by_road),
    RejectionRule("732", wrong_supplier_of_toll, is_by_road),
    RejectionRule("734", wrong_payer_of_toll, is_by_road),
)


def insurance_missing(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 698."""
    return not mdfe.content.all("seg")


def incomplete_insurance(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 699: insurer with its CNPJ, policy and endorsement."""
    required = ("infSeg/xSeg", "infSeg/CNPJ", "nApol", "nAver")
    return any(not insurance.text(path) for insurance in mdfe.content.all("seg") for path in required)


def insured_by_nobody(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 542: the contractor that insures the cargo is named."""
    responsible = [insurance.group("infResp") or NOTHING for insurance in mdfe.content.all("seg")]
    return any(party.text("respSeg") == _CONTRACTOR and not tax_id_of(party) for party in responsible)


def product_missing(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 725: unless the cargo is loaded later."""
    return not mdfe.loads_later and not mdfe.content.all("prodPred")


def product_without_code(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 301."""
    return not mdfe.text("prodPred/NCM")


def full_load_without_places(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 726."""
    return not mdfe.content.has("prodPred/infLotacao")


def full_load_without_payment(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 302."""
    return not mdfe.payments


CARGO_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("698", insurance_missing, is_by_a_carrier),
    RejectionRule("699", incomplete_insurance, is_by_a_carrier),
    RejectionRule("542", insured_by_nobody, is_by_a_carrier),
    RejectionRule("725", product_missing, is_for_hire),
    RejectionRule("301", product_without_code, carries_one_document),
    RejectionRule("726", full_load_without_places, carries_one_document),
    RejectionRule("302", full_load_without_payment, carries_one_document),
)
