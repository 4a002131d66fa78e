"""The signed XML of a CT-e OS: made, checked and previewed."""

from carimbo.fiscal.documents.cteos.document import compose
from carimbo.fiscal.documents.cteos.rules.judging import judge_os_waybill
from carimbo.fiscal.layouts.cteos_v4.waybill import ROOT, check
from carimbo.fiscal.transport.hints import hint_of
from carimbo.fiscal.transport.making import transport_maker
from carimbo.fiscal.transport.waybill_making import WaybillPreview, waybill_supplement

_MAKER = transport_maker(
    compose=compose,
    judge=judge_os_waybill,
    root=ROOT,
    supplement=waybill_supplement,
    check=check,
    preview=WaybillPreview,
    hint_of=hint_of,
    mode_fields=("taf", "stateAgencyRegistration", "vehicle", "charter"),
    longest_field="referencedDocuments",
)

review = _MAKER.review
issue = _MAKER.issue
