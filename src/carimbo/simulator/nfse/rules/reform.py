"""Rules of IBS and CBS: the operation, its recipient and its classification (Anexo I, infDPS/IBSCBS)."""

from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsClass
from carimbo.fiscal.tables.service_codes import OPERATION_INDICATORS, ServiceGroup
from carimbo.simulator.calendar import Milestone
from carimbo.simulator.identifiers import has_valid_check_digit
from carimbo.simulator.nfse.amounts import SITUATION
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.nfse.rules.service import requires_group
from carimbo.simulator.nfse.taxation import REFORM
from carimbo.simulator.rules import RejectionRule

_FIRST_VERSION = "1.01"
_NFSE = "nfse"
_KIND, _REFERENCES, _RECIPIENT = "IBSCBS/tpOper", "IBSCBS/gRefNFSe", "IBSCBS/dest"
_PROPERTY = "IBSCBS/imovel"
_REGULAR, _DEFERRAL = f"{SITUATION}/gTribRegular", f"{SITUATION}/gDif"
_OF_TWO_STEPS = ("2505", "1509", "1712", "1005")
"""Items of the list whose supply and payment may be separate operations."""
_SECOND_STEPS = frozenset({"2", "3"})
_TO_ANOTHER = "1"
# Anexo VII, V1.02.00; the text of E0928 names those of the version before, without 020202 and 020401.
_ON_PROPERTY = frozenset({"020101", "020201", "020202", "020301", "020401"})


def has_reform_group(dps: JudgedDps) -> bool:
    """Applies to declarations with IBS and CBS."""
    return dps.has(REFORM)


def before_its_time(dps: JudgedDps) -> bool:
    """The competence is before these taxes began."""
    return not dps.follows(Milestone.NFSE_GROUP_ALLOWED)


def in_older_layout(dps: JudgedDps) -> bool:
    """The layout version is older than these taxes."""
    return dps.element.get("versao", "") < _FIRST_VERSION


def indicator_unknown(dps: JudgedDps) -> bool:
    """The indicator is not in the table of operations."""
    return dps.text("IBSCBS/cIndOp") not in OPERATION_INDICATORS.rows


def kind_missing(dps: JudgedDps) -> bool:
    """The kind of operation is missing, which public buyers and some services need."""
    return _has_steps(dps) and not dps.has(_KIND)


def kind_out_of_place(dps: JudgedDps) -> bool:
    """A kind of operation, although the operation needs none."""
    return dps.has(_KIND) and not _has_steps(dps)


def _has_steps(dps: JudgedDps) -> bool:
    return dps.has("IBSCBS/tpEnteGov") or dps.service_code.startswith(_OF_TWO_STEPS)


def reference_missing(dps: JudgedDps) -> bool:
    """A second operation does not reference the first."""
    return dps.text(_KIND) in _SECOND_STEPS and not dps.has(_REFERENCES)


def reference_out_of_place(dps: JudgedDps) -> bool:
    """A first operation references another."""
    return dps.has(_REFERENCES) and dps.text(_KIND) not in _SECOND_STEPS


def wrong_reference(dps: JudgedDps) -> bool:
    """The first referenced note has a wrong check digit."""
    key = dps.text(f"{_REFERENCES}/refNFSe")
    return bool(key) and not has_valid_check_digit(key)


def recipient_out_of_place(dps: JudgedDps) -> bool:
    """A recipient, although the taker is the recipient."""
    return dps.has(_RECIPIENT) and dps.text("IBSCBS/indDest") != _TO_ANOTHER


def property_out_of_place(dps: JudgedDps) -> bool:
    """A property, although the operation is not about one."""
    return dps.has(_PROPERTY) and not _is_building(dps) and not _is_on_property(dps)


def property_informed_twice(dps: JudgedDps) -> bool:
    """A property in a construction service, which informs it in another group."""
    return dps.has(_PROPERTY) and _is_building(dps)


def property_missing(dps: JudgedDps) -> bool:
    """An operation about a property without the property."""
    return _is_on_property(dps) and not _is_building(dps) and not dps.has(_PROPERTY)


def _is_building(dps: JudgedDps) -> bool:
    return requires_group(dps, ServiceGroup.CONSTRUCTION)


def _is_on_property(dps: JudgedDps) -> bool:
    return dps.text("IBSCBS/cIndOp") in _ON_PROPERTY


def class_unknown(dps: JudgedDps) -> bool:
    """The classification is not in the table, or not for services."""
    return not _is_for_services(_class_of(dps))


def class_of_another_situation(dps: JudgedDps) -> bool:
    """The first digits of the classification are not the situation."""
    return dps.text(f"{SITUATION}/cClassTrib")[:3] != dps.text(f"{SITUATION}/CST")


def regular_out_of_place(dps: JudgedDps) -> bool:
    """Regular taxation, although the classification has none."""
    tax_class = _class_of(dps)
    return dps.has(_REGULAR) and tax_class is not None and not tax_class.has_regular_taxation


def regular_missing(dps: JudgedDps) -> bool:
    """No regular taxation, although the classification requires it."""
    tax_class = _class_of(dps)
    return tax_class is not None and tax_class.has_regular_taxation and not dps.has(_REGULAR)


def regular_class_unknown(dps: JudgedDps) -> bool:
    """The regular classification is not in the table, or not for services."""
    code = dps.text(f"{_REGULAR}/cClassTribReg")
    return bool(code) and not _is_for_services(IBS_CBS_CLASSES.rows.get(code))


def regular_class_of_another_situation(dps: JudgedDps) -> bool:
    """The first digits of the regular classification are not its situation."""
    return dps.text(f"{_REGULAR}/cClassTribReg")[:3] != dps.text(f"{_REGULAR}/CSTReg")


def deferral_out_of_place(dps: JudgedDps) -> bool:
    """A deferral, although the situation has none."""
    return dps.has(_DEFERRAL) and not _is_deferred(dps)


def deferral_missing(dps: JudgedDps) -> bool:
    """No deferral, although the situation requires it."""
    return _is_deferred(dps) and not dps.has(_DEFERRAL)


def _is_deferred(dps: JudgedDps) -> bool:
    situation = IBS_CBS_SITUATIONS.rows.get(dps.text(f"{SITUATION}/CST"))
    return situation is not None and situation.has_deferral


def _class_of(dps: JudgedDps) -> IbsCbsClass | None:
    return IBS_CBS_CLASSES.rows.get(dps.text(f"{SITUATION}/cClassTrib"))


def _is_for_services(tax_class: IbsCbsClass | None) -> bool:
    return tax_class is not None and _NFSE in tax_class.models


REFORM_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0850", before_its_time, has_reform_group),
    RejectionRule("E0854", in_older_layout, has_reform_group),
    RejectionRule("E0901", indicator_unknown, has_reform_group),
    RejectionRule("E0903", kind_missing, has_reform_group),
    RejectionRule("E0904", kind_out_of_place, has_reform_group),
    RejectionRule("E0905", reference_missing, has_reform_group),
    RejectionRule("E0906", reference_out_of_place, has_reform_group),
    RejectionRule("E0907", wrong_reference, has_reform_group),
    RejectionRule("E0910", recipient_out_of_place, has_reform_group),
    RejectionRule("E0911", persons.wrong_cnpj_of(_RECIPIENT), has_reform_group),
    RejectionRule("E0913", persons.wrong_cpf_of(_RECIPIENT), has_reform_group),
    RejectionRule("E0920", persons.city_unknown_of(_RECIPIENT), has_reform_group),
    RejectionRule("E0930", persons.wrong_email_of(_RECIPIENT), has_reform_group),
    RejectionRule("E0928", property_out_of_place, has_reform_group),
    RejectionRule("E0931", property_informed_twice, has_reform_group),
    RejectionRule("E0932", property_missing, has_reform_group),
    RejectionRule("E0958", class_unknown, has_reform_group),
    RejectionRule("E0959", class_of_another_situation, has_reform_group),
    RejectionRule("E0964", regular_out_of_place, has_reform_group),
    RejectionRule("E0965", regular_missing, has_reform_group),
    RejectionRule("E0969", regular_class_unknown, has_reform_group),
    RejectionRule("E0970", regular_class_of_another_situation, has_reform_group),
    RejectionRule("E0971", deferral_out_of_place, has_reform_group),
    RejectionRule("E0972", deferral_missing, has_reform_group),
)
