"""The groups of ICMS and of the federal taxes against the official XSD."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import MISSING, fields
from decimal import Decimal
from importlib.resources import as_file, files
from typing import Any, get_args

import pytest
from lxml import etree

from carimbo.fiscal.layouts.json_form import groups_in, unwritable_values
from carimbo.fiscal.layouts.layout import Element, layout_of, to_xml
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import (
    Cofins,
    CofinsNotTaxed,
    CofinsOther,
    CofinsQuantity,
    CofinsRate,
    CofinsSt,
    ImportTax,
    Ipi,
    IpiNotTaxed,
    IpiTaxed,
    Pis,
    PisNotTaxed,
    PisOther,
    PisQuantity,
    PisRate,
    PisSt,
    ReturnedIpi,
    ReturnedIpiAmount,
    StateShare,
)
from carimbo.fiscal.layouts.nfe_v4.icms import (
    Icms,
    Icms00,
    Icms02,
    Icms10,
    Icms15,
    Icms20,
    Icms30,
    Icms40,
    Icms51,
    Icms53,
    Icms60,
    Icms61,
    Icms70,
    Icms90,
    IcmsPart,
    IcmsSt,
)
from carimbo.fiscal.layouts.nfe_v4.icms_simples import (
    IcmsSn101,
    IcmsSn102,
    IcmsSn201,
    IcmsSn202,
    IcmsSn500,
    IcmsSn900,
)
from support import CNPJ

XSD = "{http://www.w3.org/2001/XMLSchema}"
NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
# One of the three interstate rates, and good for every other number too.
NUMBER = Decimal(4)
CODES = {
    "orig": "0",
    "modBC": "3",
    "modBCST": "4",
    "motDesICMS": "9",
    "motDesICMSST": "9",
    "motRedAdRem": "9",
    "indDeduzDeson": "1",
    "cBenefRBC": "SP123456",
    "UFST": "SP",
    "CNPJProd": CNPJ,
    "cSelo": "9710-01",
    "qSelo": 12,
    "cEnq": "999",
    "indSomaPISST": "1",
    "indSomaCOFINSST": "1",
}

# The elements around each tax in an item; IPI and II occur only beside ICMS.
ICMS = "<imposto><ICMS>{}</ICMS></imposto>"
BESIDE_ICMS = "<imposto><ICMS><ICMSSN102><CSOSN>102</CSOSN></ICMSSN102></ICMS>{}</imposto>"
PIS = "<imposto><PIS>{}</PIS></imposto>"
COFINS = "<imposto><COFINS>{}</COFINS></imposto>"
OTHERS = "<imposto>{}</imposto>"
ITEM = "{}"


def full(record: type, **given: Any) -> Any:
    """Returns a record with the given values and samples in all other fields."""
    return with_samples(record, (MISSING, None), given)


def least(record: type, **given: Any) -> Any:
    """Returns a record with the given values and samples in the other required fields."""
    return with_samples(record, (MISSING,), given)


def with_samples(record: type, open_defaults: tuple[Any, ...], given: dict[str, Any]) -> Any:
    open_fields = [field.name for field in fields(record) if field.default in open_defaults]
    samples = {name: sample(layout_of(record).elements[name]) for name in open_fields if name not in given}
    return record(**samples, **given)


def sample(element: Element) -> Any:
    return NUMBER if element.kind == "decimal" else CODES[element.tag]


BY_RATE: dict[str, Any] = {"quantity": None, "unit_rate": None}
BY_QUANTITY: dict[str, Any] = {"base": None, "rate": None}

ACCEPTED = [
    (ICMS, full(Icms00)),
    (ICMS, least(Icms00)),
    (ICMS, full(Icms02)),
    (ICMS, least(Icms02)),
    (ICMS, full(Icms10)),
    (ICMS, least(Icms10)),
    (ICMS, full(Icms15)),
    (ICMS, least(Icms15)),
    (ICMS, full(Icms20)),
    (ICMS, least(Icms20)),
    (ICMS, full(Icms30)),
    (ICMS, least(Icms30)),
    (ICMS, full(Icms40, cst="41")),
    (ICMS, least(Icms40, cst="50")),
    (ICMS, full(Icms51)),
    (ICMS, least(Icms51)),
    (ICMS, full(Icms53)),
    (ICMS, least(Icms53)),
    (ICMS, full(Icms60)),
    (ICMS, least(Icms60)),
    (ICMS, full(Icms61)),
    (ICMS, least(Icms61)),
    (ICMS, full(Icms70)),
    (ICMS, least(Icms70)),
    (ICMS, full(Icms90)),
    (ICMS, least(Icms90)),
    (ICMS, full(IcmsPart, cst="10")),
    (ICMS, least(IcmsPart, cst="90")),
    (ICMS, full(IcmsSt, cst="41")),
    (ICMS, least(IcmsSt, cst="60")),
    (ICMS, full(IcmsSn101)),
    (ICMS, least(IcmsSn101)),
    (ICMS, full(IcmsSn102, csosn="103")),
    (ICMS, least(IcmsSn102, csosn="400")),
    (ICMS, full(IcmsSn201)),
    (ICMS, least(IcmsSn201)),
    (ICMS, full(IcmsSn202, csosn="202")),
    (ICMS, least(IcmsSn202, csosn="203")),
    (ICMS, full(IcmsSn500)),
    (ICMS, least(IcmsSn500)),
    (ICMS, full(IcmsSn900)),
    (ICMS, least(IcmsSn900)),
    (BESIDE_ICMS, full(Ipi, taxation=full(IpiTaxed, cst="50", **BY_RATE))),
    (BESIDE_ICMS, full(Ipi, taxation=full(IpiTaxed, cst="99", **BY_QUANTITY))),
    (BESIDE_ICMS, least(Ipi, taxation=least(IpiTaxed, cst="00", base=NUMBER, rate=NUMBER))),
    (BESIDE_ICMS, least(Ipi, taxation=IpiNotTaxed(cst="53"))),
    (BESIDE_ICMS, full(ImportTax)),
    (PIS, full(PisRate, cst="01")),
    (PIS, full(PisQuantity)),
    (PIS, full(PisNotTaxed, cst="07")),
    (PIS, full(PisOther, cst="49", **BY_RATE)),
    (PIS, full(PisOther, cst="99", **BY_QUANTITY)),
    (OTHERS, full(PisSt, **BY_RATE)),
    (OTHERS, full(PisSt, **BY_QUANTITY)),
    (OTHERS, least(PisSt, base=NUMBER, rate=NUMBER)),
    (COFINS, full(CofinsRate, cst="02")),
    (COFINS, full(CofinsQuantity)),
    (COFINS, full(CofinsNotTaxed, cst="06")),
    (COFINS, full(CofinsOther, cst="49", **BY_RATE)),
    (COFINS, full(CofinsOther, cst="98", **BY_QUANTITY)),
    (OTHERS, full(CofinsSt, **BY_RATE)),
    (OTHERS, full(CofinsSt, **BY_QUANTITY)),
    (OTHERS, least(CofinsSt, base=NUMBER, rate=NUMBER)),
    (OTHERS, full(StateShare)),
    (OTHERS, least(StateShare)),
    (ITEM, full(ReturnedIpi, ipi=ReturnedIpiAmount(amount=NUMBER))),
]
DECLARED = sorted({type(record) for _, record in ACCEPTED}, key=lambda record: record.__name__)


@pytest.fixture(scope="module")
def layout() -> etree._ElementTree:
    """The official layout, with the taxes of an item moved up to where a schema can validate them alone."""
    with as_file(files("nfelib") / "nfe/schemas/v4_0") as folder:
        tree = etree.parse(folder / "leiauteNFe_v4.00.xsd")
    for name in ("imposto", "impostoDevol"):
        element = deepcopy(
            next(candidate for candidate in tree.iter(f"{XSD}element") if candidate.get("name") == name)
        )
        element.attrib.clear()
        element.set("name", name)
        tree.getroot().append(element)
    return tree


@pytest.fixture(scope="module")
def schema(layout: etree._ElementTree) -> etree.XMLSchema:
    return etree.XMLSchema(layout)


class TestWriting:
    def test_tax_is_accepted_by_the_official_schema(self, schema: etree.XMLSchema) -> None:
        refused = {}
        for place, record in ACCEPTED:
            tax = place.format(to_xml(record)).replace(">", f' xmlns="{NAMESPACE}">', 1)
            if not schema.validate(etree.fromstring(tax)):
                refused[tax] = [str(schema.error_log)]
            elif reported := list(unwritable_values(record)):
                refused[tax] = [problem.message for problem in reported]
        assert refused == {}


class TestDeclaring:
    def test_group_has_every_element_of_the_official_one_in_the_same_order(
        self, layout: etree._ElementTree
    ) -> None:
        declared = {record.__name__: list(declared_tags(record)) for record in DECLARED}
        assert declared == {record.__name__: official_tags(layout, record) for record in DECLARED}

    @pytest.mark.parametrize("union", [Icms, Pis, Cofins, IpiTaxed | IpiNotTaxed])
    def test_name_means_the_same_element_in_all_groups_of_a_tax(self, union: Any) -> None:
        meanings = {
            (name, element.tag)
            for record in get_args(union)
            for name, element in layout_of(record).elements.items()
        }
        assert len({name for name, _ in meanings}) == len({tag for _, tag in meanings}) == len(meanings)


def declared_tags(record: type) -> Iterator[str]:
    """Yields every tag that a record may write, with those of its inner groups."""
    for name, element in layout_of(record).elements.items():
        if element.tag:
            yield element.tag
        for inner in groups_in(record)[name]:
            if element.kind == "variant":
                yield layout_of(inner).tag
            yield from declared_tags(inner)


def official_tags(layout: etree._ElementTree, record: type) -> list[str]:
    name = "TIpi" if record is Ipi else layout_of(record).tag
    [group, *_] = [
        element
        for element in layout.iter(f"{XSD}element", f"{XSD}complexType")
        if element.get("name") == name
    ]
    return [str(element.get("name")) for element in group.iter(f"{XSD}element") if element is not group]


class TestRefusing:
    @pytest.mark.parametrize(
        ("record", "path", "source"),
        [
            (full(Icms00, rate=Decimal("18.00001")), "icms.rate", "XSD, elemento pICMS"),
            (full(Icms40, cst="040"), "icms.cst", "XSD, elemento CST"),
            (full(IcmsPart, cst="10", st_state="S\x00"), "icms.stState", "XSD, elemento UFST"),
            (
                full(Icms15, single_phase_rate_reduction=Decimal("Infinity")),
                "icms.singlePhaseRateReduction",
                "XSD, elemento pRedAdRem",
            ),
        ],
    )
    def test_value_that_the_layout_cannot_have_is_reported_at_its_field(
        self, record: Any, path: str, source: str
    ) -> None:
        [problem] = unwritable_values(record, "icms")
        assert (problem.code, problem.path, problem.source) == ("225", path, source)

    def test_problem_inside_ipi_has_the_path_of_the_flat_object_of_the_caller(self) -> None:
        ipi = least(Ipi, taxation=full(IpiTaxed, cst="50", amount=Decimal("0.001"), **BY_RATE))
        assert [problem.path for problem in unwritable_values(ipi, "items[0].ipi")] == ["items[0].ipi.amount"]

    def test_problem_inside_returned_ipi_has_the_path_of_the_flat_object_of_the_caller(self) -> None:
        returned = full(ReturnedIpi, ipi=ReturnedIpiAmount(amount=Decimal("0.001")))
        assert [problem.path for problem in unwritable_values(returned, "returnedIpi")] == [
            "returnedIpi.amount"
        ]
