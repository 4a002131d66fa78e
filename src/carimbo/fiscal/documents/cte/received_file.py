"""Files that CTeDistribuicaoDFe distributes: CT-e of all kinds with their protocols, and events of them."""

from collections.abc import Iterable
from functools import partial

from carimbo.fiscal.layouts.cte_v4.dialect import CANCELLATION, CORRECTION, CTE_DIALECT
from carimbo.fiscal.layouts.received_part import ReceivedPart, role_of
from carimbo.fiscal.layouts.sefaz.received_files import FileKind, read_event
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.receiving import ReceivedFile, Role, Situation, UnreadFile

_EVENT_SCHEMA = CTE_DIALECT.event_archive_tag
_SITUATIONS_AFTER = {CANCELLATION: Situation.CANCELED, CORRECTION: Situation.CORRECTED}
# In the details of events: the justification, the reason of a disagreement, the record of a multimodal CT-e.
_EVENT_TEXTS = ("xJust", "xObs", "xRegistro", "xJustMotivo")
_PARTIES_BY_TAKER = {"0": "rem", "1": "exped", "2": "receb", "3": "dest"}
# The most important role first; the taker precedes them.
_ROLES = (
    (Role.RECIPIENT, "dest"),
    (Role.SHIPPER, "rem"),
    (Role.OTHER, "exped"),
    (Role.OTHER, "receb"),
    (Role.AUTHORIZED, "autXML"),
    (Role.ISSUER, "emit"),
)

_kind = partial(FileKind, dialect=CTE_DIALECT, content="infCte")
# By the beginning of the name of the schema. GTV-e (procGTVe) are not read: they have no price.
_KINDS = {
    "procCTe": _kind(document_type="cte", model="57", root="cteProc", document="CTe"),
    "procCTeSimp": _kind(document_type="cte", model="57", root="cteSimpProc", document="CTeSimp"),
    "procCTeOS": _kind(document_type="cteOs", model="67", root="cteOSProc", document="CTeOS"),
}
_KINDS_BY_ROOT = {kind.root: kind for kind in _KINDS.values()}
SCHEMAS_OF_ROOTS = {kind.root: f"{name}_v4.00.xsd" for name, kind in _KINDS.items()}
"""The schema of a CT-e of each kind, by the root of its file."""


def read(schema: str, xml: bytes, tax_id: str) -> ReceivedFile:
    """Reads a file of the distribution to a taxpayer; raises `UnreadFile`."""
    name = schema.partition("_")[0]
    kind = _KINDS.get(name)
    if kind is None and name != _EVENT_SCHEMA:
        raise UnreadFile(f"O esquema do arquivo não é conhecido: {quoted(schema)}.")
    root = ReceivedPart.of_file(xml, CTE_DIALECT.namespace)
    if kind is None:
        return read_event(CTE_DIALECT, root, _SITUATIONS_AFTER, "detEvento/*", _text_of)
    waybill = kind.content_in(root)
    amount = price_in(waybill).required_number("vTPrest")
    return kind.read(root, role=role_of(tax_id, _parties(waybill)), amount=amount)


def waybill_in(xml: bytes) -> ReceivedPart:
    """Returns `infCte` of the file of a CT-e of any kind; raises `UnreadFile`."""
    root = ReceivedPart.of_file(xml, CTE_DIALECT.namespace)
    root.require_tag(*_KINDS_BY_ROOT)
    return _KINDS_BY_ROOT[root.tag].content_in(root)


def taker_of(waybill: ReceivedPart) -> ReceivedPart | None:
    """Returns the party that takes the service; None if the CT-e names none."""
    # CT-e OS and simplified CT-e have the taker as a party of its own.
    if taker := waybill.part("toma") or waybill.part("ide/toma4"):
        return taker
    tag = _PARTIES_BY_TAKER.get(waybill.text("ide/toma3/toma") or "")
    return waybill.part(tag) if tag else None


def price_in(waybill: ReceivedPart) -> ReceivedPart:
    """Returns the part with the price, which a simplified CT-e has in its totals."""
    return waybill.part("vPrest") or waybill.required_part("total")


def _parties(waybill: ReceivedPart) -> Iterable[tuple[Role, Iterable[ReceivedPart]]]:
    yield Role.TAKER, filter(None, [taker_of(waybill)])
    yield from ((role, waybill.parts(tag)) for role, tag in _ROLES)


def _text_of(detail: ReceivedPart) -> str | None:
    """Returns the corrections of a letter, or the text of another event."""
    corrections = "; ".join(map(_correction, detail.parts("infCorrecao")))
    return corrections or detail.first_text(*_EVENT_TEXTS)


def _correction(part: ReceivedPart) -> str:
    group, field = part.required_text("grupoAlterado"), part.required_text("campoAlterado")
    return f"{group}/{field}: {part.required_text('valorAlterado')}"
