"""Whatever a good body holds: its XML fits the schema, the rate is told by the table, amounts add up."""

from collections.abc import Mapping
from decimal import Decimal

from hypothesis import find, given, settings
from lxml import etree

from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, ServiceNote
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema
from unit.fiscal.documents.nfse_bodies import (
    ISS,
    NATURES,
    OPTIONAL,
    PLACES,
    SERVICES,
    TAKERS,
    Reviewed,
    reviews,
)
from unit.fiscal.documents.nfse_support import SAO_PAULO_CODE, SHORTCUT, has
from unit.fiscal.goods.support import SCHEMAS
from unit.fiscal.published_fields import NFSE, fields_of, is_published, objects_in

MEI, PAYS_BY_SIMPLES, WITHHELD = "2", "1", "2"
TAKEN_OFF = ("vDescIncond", "vDescCond", "vRetCP", "vRetIRRF", "vRetCSLL")


def text(root: etree._Element, path: str) -> str | None:
    return root[0].findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))


def amounts(root: etree._Element, *tags: str) -> list[Decimal]:
    return [Decimal(found.text or "") for tag in tags for found in root.iter(f"{{{NAMESPACE}}}{tag}")]


def city_that_taxes(root: etree._Element) -> str | None:
    """Read from the declaration, for the services that are drawn."""
    service = text(root, "serv/cServ/cTribNac") or ""
    if service.startswith(("0710", "0702", "1207")):
        return text(root, "serv/locPrest/cLocPrestacao")
    if service == "170501":
        return text(root, "toma/end/endNac/cMun")
    return SAO_PAULO_CODE


def wants_rate(root: etree._Element, joined: Mapping[str, bool]) -> bool:
    """The decision table, read from the declaration alone."""
    regime, assessment = text(root, "prest/regTrib/opSimpNac"), text(root, "prest/regTrib/regApTribSN")
    taxes = "valores/trib/tribMun"
    is_exempt = has(root, "nBM") and not has(root, "pRedBCBM")
    is_taxed = text(root, f"{taxes}/tribISSQN") == "1" and text(root, "prest/regTrib/regEspTrib") == "0"
    if regime == MEI or not is_taxed or has(root, "exigSusp") or is_exempt:
        return False
    if assessment == PAYS_BY_SIMPLES:
        return text(root, f"{taxes}/tpRetISSQN") == WITHHELD
    return not joined.get(city_that_taxes(root) or "", True)


def is_in_our_words(problem: Problem) -> bool:
    """Whether a problem is told of a field that callers have."""
    return problem.path.startswith("company.") or is_published(problem.path, NFSE)


class TestGoodBody:
    @settings(max_examples=200)
    @given(reviews())
    def test_makes_what_the_schema_accepts_or_is_refused_by_a_field_of_its_own(self, drawn: Reviewed) -> None:
        assert [one for one in drawn.review.problems if not is_in_our_words(one)] == []
        if not drawn.review.problems:
            assert drawn.root is not None
            assert SCHEMAS.problems(Schema.NFSE_DPS, drawn.root, ServiceNote) == ()

    @settings(max_examples=200)
    @given(reviews())
    def test_has_its_rate_where_the_table_says_so(self, drawn: Reviewed) -> None:
        if drawn.root is not None:
            assert has(drawn.root, "pAliq") is wants_rate(drawn.root, drawn.joined)

    @settings(max_examples=150)
    @given(reviews())
    def test_adds_up(self, drawn: Reviewed) -> None:
        preview, root = drawn.review.preview, drawn.root
        if preview and root is not None:
            told = preview.totals
            taken = sum(amounts(root, *TAKEN_OFF)) + told["issWithheld"]
            assert told["netAmount"] == told["amount"] + told["discount"] - taken
            # A discount above the price is refused (E0431), and shown as it was sent.
            assert 0 <= told["issBase"] <= max(told["amount"], 0)
            assert told["issWithheld"] in (0, told["issAmount"])


class TestBodiesDrawn:
    def test_leave_no_field_of_the_request_out_but_the_note_that_is_replaced(self) -> None:
        samples = [
            SHORTCUT | {name: sample} for name, values in OPTIONAL.items() for sample in values.samples
        ]
        samples += [SHORTCUT | one for part in (SERVICES, NATURES, TAKERS, PLACES) for one in part.samples]
        samples += [SHORTCUT | {"iss": sample, "cityServiceCode": "2800"} for sample in ISS.samples]
        objects = [told for body in samples for told in objects_in(body, NFSE)]
        tried = {f"{told.kind}.{name}" for told in objects for name in told.value}
        of_the_request = {name for name in fields_of(NFSE) if name.startswith("NfseRequest.")}
        assert of_the_request - tried == {"NfseRequest.replaces"}

    def test_are_good_and_tell_their_rate_now_and_then(self) -> None:
        told = find(
            reviews(),
            lambda one: not one.review.problems and one.root is not None and has(one.root, "pAliq"),
            settings=settings(max_examples=500),
        )
        assert told.root is not None
