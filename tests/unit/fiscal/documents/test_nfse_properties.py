"""Any valid body gives an XML that fits the schema, has its rate where the table says so, and adds up."""

from collections.abc import Mapping
from decimal import Decimal

from hypothesis import Phase, find, given, settings
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
    return [Decimal(element.text or "") for tag in tags for element in root.iter(f"{{{NAMESPACE}}}{tag}")]


def city_that_taxes(root: etree._Element) -> str | None:
    """Returns the city that taxes a service, read from the declaration."""
    service = text(root, "serv/cServ/cTribNac") or ""
    if service.startswith(("0710", "0702", "1207")):
        return text(root, "serv/locPrest/cLocPrestacao")
    if service == "170501":
        return text(root, "toma/end/endNac/cMun")
    return SAO_PAULO_CODE


def wants_rate(root: etree._Element, joined: Mapping[str, bool]) -> bool:
    """Returns whether a note has a rate, by the decision table and the declaration alone."""
    regime, assessment = text(root, "prest/regTrib/opSimpNac"), text(root, "prest/regTrib/regApTribSN")
    taxes = "valores/trib/tribMun"
    is_exempt = has(root, "nBM") and not has(root, "pRedBCBM")
    is_taxed = text(root, f"{taxes}/tribISSQN") == "1" and text(root, "prest/regTrib/regEspTrib") == "0"
    if regime == MEI or not is_taxed or has(root, "exigSusp") or is_exempt:
        return False
    if assessment == PAYS_BY_SIMPLES:
        return text(root, f"{taxes}/tpRetISSQN") == WITHHELD
    return not joined.get(city_that_taxes(root) or "", True)


def names_a_public_field(problem: Problem) -> bool:
    """Returns whether a problem names a field that callers have."""
    return problem.path.startswith("company.") or is_published(problem.path, NFSE)


def assert_consistent_note(drawn: Reviewed) -> None:
    """Checks problems, schema, rate and amounts of a drawn review."""
    problems, preview, root = drawn.review.problems, drawn.review.preview, drawn.root
    assert [problem for problem in problems if not names_a_public_field(problem)] == []
    if not problems:
        assert root is not None
        assert SCHEMAS.problems(Schema.NFSE_DPS, root, ServiceNote) == ()
    if preview and root is not None:
        assert has(root, "pAliq") is wants_rate(root, drawn.joined)
        assert_adds_up(root, preview.totals)


def assert_adds_up(root: etree._Element, totals: Mapping[str, Decimal]) -> None:
    """Checks the amounts of a note."""
    taken = sum(amounts(root, *TAKEN_OFF)) + totals["issWithheld"]
    assert totals["netAmount"] == totals["amount"] + totals["discount"] - taken
    # A discount above the price is refused (E0431), and shown as it was sent.
    assert 0 <= totals["issBase"] <= max(totals["amount"], Decimal(0))
    assert totals["issWithheld"] in (0, totals["issAmount"])


class TestGoodBody:
    @settings(max_examples=100)
    @given(reviews())
    def test_drawn_body_gives_a_consistent_note_or_is_refused_by_a_field(self, drawn: Reviewed) -> None:
        assert_consistent_note(drawn)


class TestBodiesDrawn:
    def test_drawn_bodies_have_every_field_of_the_request_but_replaces(self) -> None:
        samples = [
            SHORTCUT | {name: sample} for name, values in OPTIONAL.items() for sample in values.samples
        ]
        samples += [
            SHORTCUT | sample for part in (SERVICES, NATURES, TAKERS, PLACES) for sample in part.samples
        ]
        samples += [SHORTCUT | {"iss": sample, "cityServiceCode": "2800"} for sample in ISS.samples]
        objects = [inner for body in samples for inner in objects_in(body, NFSE)]
        tried = {f"{inner.kind}.{name}" for inner in objects for name in inner.value}
        of_the_request = {name for name in fields_of(NFSE) if name.startswith("NfseRequest.")}
        assert of_the_request - tried == {"NfseRequest.replaces"}

    def test_some_drawn_bodies_are_valid_and_have_a_rate(self) -> None:
        drawn = find(
            reviews(),
            lambda drawn: not drawn.review.problems and drawn.root is not None and has(drawn.root, "pAliq"),
            settings=settings(max_examples=500, phases=[Phase.generate]),
        )
        assert drawn.root is not None
