"""Refusals of an NF-e by the official XSD, with the field names of the caller."""

import re
from pathlib import Path

import pytest
from lxml import etree

from carimbo.fiscal.layouts.json_form import path_of_tags
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.schemas import Schema, Schemas

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def official() -> Schemas:
    return Schemas()


class TestInvoice:
    """The real layout against the real XSD."""

    XML = (DATA / "nfe55_simples.xml").read_text(encoding="utf-8")

    def test_valid_invoice_has_no_problem(self, official: Schemas) -> None:
        assert official.problems(Schema.NFE, etree.fromstring(self.XML), Invoice) == ()

    @pytest.mark.parametrize(
        ("pattern", "replacement", "place", "message"),
        [
            ("<NCM>.*?<", "<NCM>8471<", "det/prod/NCM", "O valor “8471” não tem o formato exigido."),
            ("<indIEDest>.*?</indIEDest>", "", "dest/indIEDest", "Obrigatório."),
            ("<CPF>.*?</CPF>", "", "dest", "Falta taxId ou foreignId."),
            ("<tPag>01<", "<tPag>1<", "pag/detPag/tPag", "O valor “1” não tem o formato exigido."),
            ("<CSOSN>.*?<", "<CSOSN>9<", "det/imposto/ICMS/ICMSSN102/CSOSN", "O valor “9” não é um"),
            ("<dhEmi>.*?<", "<dhEmi>x<", "ide/dhEmi", "O valor “x” não tem o formato exigido."),
            ("<ICMSSN102>.*?</ICMSSN102>", "", "det/imposto/ICMS", "Falta ICMS00, ICMS02, "),
            ("<Signature.*</Signature>", "", "", "Falta Signature."),
        ],
    )
    def test_problem_names_the_callers_field(
        self, official: Schemas, pattern: str, replacement: str, place: str, message: str
    ) -> None:
        wrong, count = re.subn(pattern, replacement, self.XML, count=1, flags=re.DOTALL)
        (problem,) = official.problems(Schema.NFE, etree.fromstring(wrong), Invoice)
        assert count == 1
        assert problem.path == path_of_tags(Invoice, [(tag, 0) for tag in place.split("/") if tag])
        assert problem.message.startswith(message)

    @pytest.mark.parametrize(
        ("pattern", "replacement", "expected"),
        [
            (
                "<ICMSSN102>.*?</ICMSSN102>",
                "<ICMSSN500><orig>0</orig><CSOSN>500</CSOSN><vBCEfet>1.00</vBCEfet></ICMSSN500>",
                [
                    ("items[0].icms.effectiveBaseReduction", "Obrigatório com effectiveBase."),
                    ("items[0].icms.effectiveRate", "Obrigatório com effectiveBase."),
                    ("items[0].icms.effectiveAmount", "Obrigatório com effectiveBase."),
                ],
            ),
            (
                "<modFrete>9</modFrete>",
                "<modFrete>9</modFrete><vagao>1</vagao><balsa>2</balsa>",
                [("freight.ferry", "Não se usa com wagon: informe só um dos dois.")],
            ),
            (
                "<modFrete>9</modFrete>",
                "<modFrete>9</modFrete><reboque><placa>ABC1D23</placa></reboque><balsa>2</balsa>",
                [("freight.ferry", "Não se usa com trailers: informe só um dos dois.")],
            ),
        ],
        ids=["together", "one of two", "one of a list and another"],
    )
    def test_problem_names_the_fields_that_belong_together_or_exclude_each_other(
        self, official: Schemas, pattern: str, replacement: str, expected: list[tuple[str, str]]
    ) -> None:
        wrong, count = re.subn(pattern, replacement, self.XML, count=1, flags=re.DOTALL)
        problems = official.problems(Schema.NFE, etree.fromstring(wrong), Invoice)
        assert count == 1
        assert [(problem.path, problem.message) for problem in problems] == expected

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ("-1.00", "O valor “-1.00” é negativo."),
            ("12345678901234.00", "O valor “12345678901234.00” tem mais de 13 algarismos antes da vírgula."),
            ("1.234", "O valor “1.234” não tem o formato exigido."),
        ],
    )
    def test_problem_gives_the_reason_for_a_wrong_amount(
        self, official: Schemas, value: str, message: str
    ) -> None:
        wrong = re.sub("<vProd>.*?<", f"<vProd>{value}<", self.XML, count=1)
        (problem,) = official.problems(Schema.NFE, etree.fromstring(wrong), Invoice)
        assert problem.message == message

    def test_problem_of_the_second_item_has_its_position(self, official: Schemas) -> None:
        root = etree.fromstring(self.XML)
        first = root.find(".//{*}det")
        assert first is not None
        second = etree.fromstring(etree.tostring(first).replace(b">84713012<", b">X<"))
        second.set("nItem", "2")
        first.addnext(second)
        assert [problem.path for problem in official.problems(Schema.NFE, root, Invoice)] == ["items[1].ncm"]

    def test_long_list_of_alternatives_is_cut(self, official: Schemas) -> None:
        wrong = re.sub(r"<ICMSSN102>.*?</ICMSSN102>", "", self.XML, flags=re.DOTALL)
        (problem,) = official.problems(Schema.NFE, etree.fromstring(wrong), Invoice)
        assert problem.message.endswith("ICMS40 ou outro.")
