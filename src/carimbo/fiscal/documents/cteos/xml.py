"""The signed XML of a CT-e OS: made, checked and previewed."""

from carimbo.fiscal.documents.cteos.document import compose
from carimbo.fiscal.documents.cteos.rules.judging import judge_os_waybill
from carimbo.fiscal.layouts.cteos_v4.waybill import ROOT, check
from carimbo.fiscal.transport.making import transport_maker

_MAKER = transport_maker(
    compose=compose,
    judge=judge_os_waybill,
    root=ROOT,
    check=check,
    mode_fields=("taf", "stateAgencyRegistration", "vehicle", "charter"),
    longest_field="referencedDocuments",
)

review = _MAKER.review
issue = _MAKER.issue
