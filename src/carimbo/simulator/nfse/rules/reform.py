"""IBS and CBS: the operation, who it is for, and how it is classified (Anexo I, infDPS/IBSCBS)."""

from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsClass
from carimbo.fiscal.tables.national_services import ServiceGroup
from carimbo.fiscal.tables.operation_indicators import OPERATION_INDICATORS
from carimbo.simulator.calendar import Milestone
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.reform_amounts import SITUATION
from carimbo.simulator.nfse.regimes import REFORM
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.nfse.rules.service import demands
from carimbo.simulator.rule import Rule

_FIRST_VERSION = "1.01"
_NFSE = "nfse"
_KIND, _REFERENCES, _RECIPIENT = "IBSCBS/tpOper", "IBSCBS/gRefNFSe", "IBSCBS/dest"
_PROPERTY = "IBSCBS/imovel"
_REGULAR, _DEFERRAL = f"{SITUATION}/gTribRegular", f"{SITUATION}/gDif"
_OF_TWO_STEPS = ("2505", "1509", "1712", "1005")
"""Items of the list whose supply and payment may fall apart."""
_SECOND_STEPS = frozenset({"2", "3"})
_TO_ANOTHER = "1"
# Anexo VII, V1.02.00; the text of E0928 names those of the version before, without 020202 and 020401.
_ON_PROPERTY = frozenset({"020101", "020201", "020202", "020301", "020401"})


def tells_reform(case: NoteCase) -> bool:
    """Declarations with IBS and CBS."""
    return case.has(REFORM)


def before_its_time(case: NoteCase) -> bool:
    """Of a day when there were no such taxes."""
    return not case.follows(Milestone.NFSE_GROUP_ALLOWED)


def in_older_layout(case: NoteCase) -> bool:
    """In a version that has no room for them."""
    return case.element.get("versao", "") < _FIRST_VERSION


def indicator_unknown(case: NoteCase) -> bool:
    """Not in the table of operations."""
    return case.text("IBSCBS/cIndOp") not in OPERATION_INDICATORS.rows


def kind_missing(case: NoteCase) -> bool:
    """Sales to public bodies, and some services, tell supply from payment."""
    return _has_steps(case) and not case.has(_KIND)


def kind_out_of_place(case: NoteCase) -> bool:
    """Nobody else tells supply from payment."""
    return case.has(_KIND) and not _has_steps(case)


def _has_steps(case: NoteCase) -> bool:
    return case.has("IBSCBS/tpEnteGov") or case.service_code.startswith(_OF_TWO_STEPS)


def reference_missing(case: NoteCase) -> bool:
    """A second step, without the first."""
    return case.text(_KIND) in _SECOND_STEPS and not case.has(_REFERENCES)


def reference_out_of_place(case: NoteCase) -> bool:
    """A first step, and another before it."""
    return case.has(_REFERENCES) and case.text(_KIND) not in _SECOND_STEPS


def wrong_reference(case: NoteCase) -> bool:
    """A check digit that does not fit, of the first note that is named."""
    key = case.text(f"{_REFERENCES}/refNFSe")
    return bool(key) and not has_right_digit(key)


def recipient_out_of_place(case: NoteCase) -> bool:
    """A recipient, where the taker is it."""
    return case.has(_RECIPIENT) and case.text("IBSCBS/indDest") != _TO_ANOTHER


def property_out_of_place(case: NoteCase) -> bool:
    """A property, in an operation that is about none."""
    return case.has(_PROPERTY) and not _is_building(case) and not _is_on_property(case)


def property_told_twice(case: NoteCase) -> bool:
    """A service of building tells the building elsewhere."""
    return case.has(_PROPERTY) and _is_building(case)


def property_missing(case: NoteCase) -> bool:
    """An operation about a property, without it."""
    return _is_on_property(case) and not _is_building(case) and not case.has(_PROPERTY)


def _is_building(case: NoteCase) -> bool:
    return demands(case, ServiceGroup.CONSTRUCTION)


def _is_on_property(case: NoteCase) -> bool:
    return case.text("IBSCBS/cIndOp") in _ON_PROPERTY


def class_unknown(case: NoteCase) -> bool:
    """Not in the table, or not for services."""
    return not _is_for_services(_class_of(case))


def class_of_another_situation(case: NoteCase) -> bool:
    """Its first digits are the situation."""
    return case.text(f"{SITUATION}/cClassTrib")[:3] != case.text(f"{SITUATION}/CST")


def regular_out_of_place(case: NoteCase) -> bool:
    """What would be due, where it is due."""
    found = _class_of(case)
    return case.has(_REGULAR) and found is not None and not found.has_regular_taxation


def regular_missing(case: NoteCase) -> bool:
    """What would be due is told, where it is not due."""
    found = _class_of(case)
    return found is not None and found.has_regular_taxation and not case.has(_REGULAR)


def regular_class_unknown(case: NoteCase) -> bool:
    """Not in the table, or not for services."""
    code = case.text(f"{_REGULAR}/cClassTribReg")
    return bool(code) and not _is_for_services(IBS_CBS_CLASSES.rows.get(code))


def regular_class_of_another_situation(case: NoteCase) -> bool:
    """Its first digits are the situation."""
    return case.text(f"{_REGULAR}/cClassTribReg")[:3] != case.text(f"{_REGULAR}/CSTReg")


def deferral_out_of_place(case: NoteCase) -> bool:
    """A part that is due later, where nothing is."""
    return case.has(_DEFERRAL) and not _is_deferred(case)


def deferral_missing(case: NoteCase) -> bool:
    """No part that is due later, where some is."""
    return _is_deferred(case) and not case.has(_DEFERRAL)


def _is_deferred(case: NoteCase) -> bool:
    found = IBS_CBS_SITUATIONS.rows.get(case.text(f"{SITUATION}/CST"))
    return found is not None and found.has_deferral


def _class_of(case: NoteCase) -> IbsCbsClass | None:
    return IBS_CBS_CLASSES.rows.get(case.text(f"{SITUATION}/cClassTrib"))


def _is_for_services(found: IbsCbsClass | None) -> bool:
    return found is not None and _NFSE in found.models


REFORM_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0850", before_its_time, tells_reform),
    Rule("E0854", in_older_layout, tells_reform),
    Rule("E0901", indicator_unknown, tells_reform),
    Rule("E0903", kind_missing, tells_reform),
    Rule("E0904", kind_out_of_place, tells_reform),
    Rule("E0905", reference_missing, tells_reform),
    Rule("E0906", reference_out_of_place, tells_reform),
    Rule("E0907", wrong_reference, tells_reform),
    Rule("E0910", recipient_out_of_place, tells_reform),
    Rule("E0911", persons.wrong_cnpj_of(_RECIPIENT), tells_reform),
    Rule("E0913", persons.wrong_cpf_of(_RECIPIENT), tells_reform),
    Rule("E0920", persons.city_unknown_of(_RECIPIENT), tells_reform),
    Rule("E0930", persons.wrong_email_of(_RECIPIENT), tells_reform),
    Rule("E0928", property_out_of_place, tells_reform),
    Rule("E0931", property_told_twice, tells_reform),
    Rule("E0932", property_missing, tells_reform),
    Rule("E0958", class_unknown, tells_reform),
    Rule("E0959", class_of_another_situation, tells_reform),
    Rule("E0964", regular_out_of_place, tells_reform),
    Rule("E0965", regular_missing, tells_reform),
    Rule("E0969", regular_class_unknown, tells_reform),
    Rule("E0970", regular_class_of_another_situation, tells_reform),
    Rule("E0971", deferral_out_of_place, tells_reform),
    Rule("E0972", deferral_missing, tells_reform),
)
