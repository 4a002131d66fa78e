"""The signed XML of a CT-e: made, checked and previewed."""

from carimbo.fiscal.documents.cte.document import compose
from carimbo.fiscal.documents.cte.rules.judging import judge_waybill
from carimbo.fiscal.layouts.cte_v4.waybill import ROOT, check
from carimbo.fiscal.transport.hints import hint_of
from carimbo.fiscal.transport.making import transport_maker
from carimbo.fiscal.transport.waybill_making import WaybillPreview, waybill_supplement

_MAKER = transport_maker(
    compose=compose,
    judge=judge_waybill,
    root=ROOT,
    supplement=waybill_supplement,
    check=check,
    preview=WaybillPreview,
    hint_of=hint_of,
    mode_fields=("modal.", "rntrc"),
    longest_field="documents",
)

review = _MAKER.review
issue = _MAKER.issue
