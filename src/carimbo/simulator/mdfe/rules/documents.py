"""All rules about an MDF-e, in the order in which the authority checks them."""

from carimbo.simulator.identifiers import is_cnpj, is_cpf
from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.mdfe.rules.freight import CARGO_RULES, FREIGHT_RULES, is_for_hire
from carimbo.simulator.mdfe.rules.identification import (
    DATE_RULES,
    ISSUER_RULES,
    KEY_RULES,
    LIMIT_RULES,
    REGISTER_RULES,
)
from carimbo.simulator.mdfe.rules.listed import LISTED_RULES
from carimbo.simulator.mdfe.rules.message import SIGNATURE_RULES
from carimbo.simulator.mdfe.rules.open_manifests import OPEN_RULES
from carimbo.simulator.mdfe.rules.payments import payment_rules
from carimbo.simulator.mdfe.rules.places import LOADING_RULES, PLACE_RULES
from carimbo.simulator.mdfe.rules.qr import QR_RULES
from carimbo.simulator.mdfe.rules.vehicles import VEHICLE_RULES
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.rules.readers import reader_named_twice, wrong_developer, wrong_reader

_MODE_VERSION = "3.00"


def other_mode_version(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 579."""
    around = mdfe.content.group("infModal")
    return around is not None and around.attributes.get("versaoModal") != _MODE_VERSION


def misformed_mode(mdfe: JudgedMdfe) -> Finding:
    """MOC MDF-e, 580: the content of `infModal` against the XSD of its mode."""
    return mdfe.mode_fault


MODE_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("579", other_mode_version),
    RejectionRule("580", misformed_mode),
)
READER_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("660", wrong_reader("CNPJ", is_cnpj)),
    RejectionRule("661", wrong_reader("CPF", is_cpf)),
    RejectionRule("459", reader_named_twice),
    RejectionRule("713", wrong_developer),
)

DOCUMENT_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    *LIMIT_RULES,
    *SIGNATURE_RULES,
    *KEY_RULES,
    *MODE_RULES,
    *PLACE_RULES,
    *LOADING_RULES,
    *LISTED_RULES,
    *DATE_RULES,
    *ISSUER_RULES,
    *VEHICLE_RULES,
    *FREIGHT_RULES,
    *CARGO_RULES,
    *payment_rules(is_for_hire),
    *READER_RULES,
    *QR_RULES,
    *REGISTER_RULES,
    *OPEN_RULES,
)
