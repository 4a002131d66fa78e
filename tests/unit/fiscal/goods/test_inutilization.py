"""Inutilized numbers, from the range to the signed XML."""

from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import FilingIssuer, FilingResult, InutilizedRange
from carimbo.fiscal.goods.events import inutilization_rules_of
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import SignedFiling
from unit.fiscal.goods.support import RIO_DE_JANEIRO, SCHEMAS, SOFTWARE, company, refused
from xmlsec1 import xmlsec1_accepts

RANGE = InutilizedRange(
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
def issuer(signer: Signer) -> FilingIssuer:
    return FilingIssuer(company(), Environment.HOMOLOGATION, SOFTWARE, signer, SCHEMAS)


def filed(issuer: FilingIssuer, numbers: InutilizedRange = RANGE, model: str = "55") -> FilingResult:
    return inutilization_rules_of(model).issue(numbers, issuer)


def signed(filing: FilingResult) -> etree._Element:
    """Returns a signed request, which the authority's XSD must accept."""
    assert isinstance(filing, SignedFiling), filing
    assert xmlsec1_accepts(filing.xml, "infInut")
    root = etree.fromstring(filing.xml)
    assert SCHEMAS.problems(Schema.NFE_INUTILIZATION, root) == ()
    return root


def texts(root: etree._Element, *tags: str) -> list[str | None]:
    return [root.findtext(f".//{{*}}{tag}") for tag in tags]


class TestInutilization:
    @pytest.mark.parametrize("model", ["55", "65"])
    def test_inutilization_states_the_numbers_and_the_reason(self, issuer: FilingIssuer, model: str) -> None:
        root = signed(filed(issuer, model=model))
        assert texts(root, "tpAmb", "cUF", "ano", "CNPJ", "mod") == [
            "2", "35", "26", issuer.company.tax_id, model,
        ]  # fmt: skip
        assert texts(root, "serie", "nNFIni", "nNFFin", "xJust") == ["1", "10", "12", RANGE.justification]

    def test_inutilization_has_the_model_of_the_document_type(self, issuer: FilingIssuer) -> None:
        for document_type in (NFE, NFCE):
            assert document_type.numbering.inutilization
            assert texts(signed(document_type.numbering.inutilization.issue(RANGE, issuer)), "mod") == [
                document_type.model
            ]

    @pytest.mark.parametrize(("year", "digits"), [(2006, "06"), (2099, "99"), (2100, "00")])
    def test_inutilization_has_the_year_in_two_digits(
        self, issuer: FilingIssuer, year: int, digits: str
    ) -> None:
        assert texts(signed(filed(issuer, replace(RANGE, year=year))), "ano") == [digits]

    def test_inutilization_goes_to_the_state_of_the_company(self, issuer: FilingIssuer) -> None:
        elsewhere = company(
            address=RIO_DE_JANEIRO, stateRegistrations=[{"state": "RJ", "number": "12345678"}]
        )
        root = signed(filed(replace(issuer, company=elsewhere)))
        assert texts(root, "cUF") == ["33"]

    def test_inutilization_of_a_single_number_ends_where_it_begins(self, issuer: FilingIssuer) -> None:
        root = signed(filed(issuer, replace(RANGE, first_number=999_999_999, last_number=999_999_999)))
        assert texts(root, "nNFIni", "nNFFin") == ["999999999", "999999999"]

    def test_inutilization_of_a_reversed_range_is_refused_at_the_last_number(
        self, issuer: FilingIssuer
    ) -> None:
        assert set(refused(filed(issuer, replace(RANGE, first_number=13)))) == {"numberEnd"}

    def test_inutilization_with_characters_outside_the_layout_is_refused_at_the_reason(
        self, issuer: FilingIssuer
    ) -> None:
        filing = filed(issuer, replace(RANGE, justification="Numeração pulada 😀 por falha"))
        assert set(refused(filing)) == {"justification"}

    def test_inutilization_is_kept_with_its_registration(self, issuer: FilingIssuer) -> None:
        filing = filed(issuer)
        assert isinstance(filing, SignedFiling)
        kept = etree.fromstring(inutilization_rules_of("55").registered(filing.xml, ANSWER))
        assert SCHEMAS.problems(Schema.NFE_INUTILIZATION_REGISTERED, kept) == ()
        assert texts(kept, "nProt") == ["135260000000003"]
