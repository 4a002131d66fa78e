"""Numbers that are given up, from the range to the signed XML."""

from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import Filed, NumberRange, Teller
from carimbo.fiscal.goods.voiding import voiding_of
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_filing import SignedFiling
from unit.fiscal.goods.support import RIO_DE_JANEIRO, SCHEMAS, SOFTWARE, company, refused
from xmlsec1 import xmlsec1_accepts

RANGE = NumberRange(
    year=2026,
    series=1,
    first_number=10,
    last_number=12,
    justification="Numeração pulada por falha de sistema",
)
ANSWER = (
    b'<retInutNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><infInut><tpAmb>2</tpAmb>'
    b"<verAplic>x</verAplic><cStat>102</cStat><xMotivo>Inutilizacao homologada</xMotivo><cUF>35</cUF>"
    b"<dhRecbto>2026-11-14T12:00:00-03:00</dhRecbto><nProt>135260000000003</nProt></infInut></retInutNFe>"
)


@pytest.fixture(scope="module")
def teller(signer: Signer) -> Teller:
    return Teller(company(), Environment.HOMOLOGATION, SOFTWARE, signer, SCHEMAS)


def filed(teller: Teller, numbers: NumberRange = RANGE, model: str = "55") -> Filed:
    return voiding_of(model).issue(numbers, teller)


def signed(made: Filed) -> etree._Element:
    """A request as it is signed, which the authority's XSD must take."""
    assert isinstance(made, SignedFiling), made
    assert xmlsec1_accepts(made.xml, "infInut")
    root = etree.fromstring(made.xml)
    assert SCHEMAS.problems(Schema.NFE_INUTILIZATION, root) == ()
    return root


def said(root: etree._Element, *tags: str) -> list[str | None]:
    return [root.findtext(f".//{{*}}{tag}") for tag in tags]


class TestVoiding:
    @pytest.mark.parametrize("model", ["55", "65"])
    def test_says_which_numbers_and_why(self, teller: Teller, model: str) -> None:
        root = signed(filed(teller, model=model))
        assert said(root, "tpAmb", "cUF", "ano", "CNPJ", "mod") == [
            "2", "35", "26", teller.company.tax_id, model,
        ]  # fmt: skip
        assert said(root, "serie", "nNFIni", "nNFFin", "xJust") == ["1", "10", "12", RANGE.justification]

    def test_is_that_of_the_type_of_document(self, teller: Teller) -> None:
        for kind in (NFE, NFCE):
            assert kind.numbering.voiding
            assert said(signed(kind.numbering.voiding.issue(RANGE, teller)), "mod") == [kind.model]

    @pytest.mark.parametrize(("year", "told"), [(2006, "06"), (2099, "99"), (2100, "00")])
    def test_tells_the_year_by_two_digits(self, teller: Teller, year: int, told: str) -> None:
        assert said(signed(filed(teller, replace(RANGE, year=year))), "ano") == [told]

    def test_is_of_the_company_s_state(self, teller: Teller) -> None:
        elsewhere = company(
            address=RIO_DE_JANEIRO, stateRegistrations=[{"state": "RJ", "number": "12345678"}]
        )
        root = signed(filed(replace(teller, company=elsewhere)))
        assert said(root, "cUF") == ["33"]

    def test_of_one_number_ends_where_it_begins(self, teller: Teller) -> None:
        root = signed(filed(teller, replace(RANGE, first_number=999_999_999, last_number=999_999_999)))
        assert said(root, "nNFIni", "nNFFin") == ["999999999", "999999999"]

    def test_backwards_is_told_by_its_field(self, teller: Teller) -> None:
        assert set(refused(filed(teller, replace(RANGE, first_number=13)))) == {"numberEnd"}

    def test_with_letters_that_no_document_has_is_told_by_its_field(self, teller: Teller) -> None:
        made = filed(teller, replace(RANGE, justification="Numeração pulada 😀 por falha"))
        assert set(refused(made)) == {"justification"}

    def test_is_kept_with_its_registration(self, teller: Teller) -> None:
        made = filed(teller)
        assert isinstance(made, SignedFiling)
        kept = etree.fromstring(voiding_of("55").registered(made.xml, ANSWER))
        assert SCHEMAS.problems(Schema.NFE_INUTILIZATION_REGISTERED, kept) == ()
        assert said(kept, "nProt") == ["135260000000003"]
