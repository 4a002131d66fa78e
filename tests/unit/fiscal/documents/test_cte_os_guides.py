"""The event with the guides of a CT-e OS of valuables, and the disagreement of a taker."""

from datetime import datetime
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.documents.cteos.gtv_event import CTE_OS_GTV, GuidesRequest, guide_problems
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult, UndoRequest
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedFiling
from carimbo.fiscal.transport.disagreement import DisagreementRequest, disagree, withdraw_disagreement
from unit.fiscal.documents.cte.bodies import CARRIER, cte_key
from unit.fiscal.documents.cteos.bodies import CHARTER, VALUABLES
from unit.fiscal.goods.support import SCHEMAS

GUIDE: dict[str, Any] = {
    "number": "4501",
    "id": "AIDF-77",
    "series": "1",
    "issueDate": "2026-11-20",
    "checkDigit": "3",
    "volumes": 4,
    "species": [{"type": "cash", "amount": 250000}, {"type": "check"}],
    "shipper": {"taxId": "66.777.888/0001-81", "state": "SP", "name": "Banco Paulistano S.A."},
    "recipient": {
        "taxId": "529.982.247-25",
        "stateRegistration": "99999993",
        "state": "RJ",
        "name": "Maria da Silva",
    },
    "plate": "ABC1D23",
    "state": "SP",
    "rntrc": "12345678",
}


def valuables(**changes: Any) -> CteOsRequest:
    """Returns the request of a CT-e OS of valuables without guides."""
    return CteOsRequest.model_validate(VALUABLES | {"gtves": []} | changes)


@pytest.fixture(scope="module")
def issuer(signer: Signer) -> FilingIssuer:
    company = Company.model_validate(CARRIER)
    return FilingIssuer(company, Environment.HOMOLOGATION, Software("carimbo"), signer, SCHEMAS)


def about(model: str, undone: str = "") -> EventSubject:
    return EventSubject(
        access_key=cte_key(model=model),
        protocol="135260000000001",
        occurred_at=datetime.fromisoformat("2026-11-26T10:00:00-03:00"),
        sequence=1,
        read_request=valuables,
        undone_protocol=undone,
    )


def xml_of(result: FilingResult) -> etree._Element:
    assert isinstance(result, SignedFiling), result
    return etree.fromstring(result.xml)


def texts(event: etree._Element, *tags: str) -> list[str | None]:
    return [event.findtext(f".//{{*}}{tag}") for tag in tags]


def request(*guides: dict[str, Any]) -> GuidesRequest:
    return GuidesRequest.model_validate({"gtvs": list(guides)})


class TestGuides:
    def test_guides_are_written_with_their_parties(self, issuer: FilingIssuer) -> None:
        event = xml_of(CTE_OS_GTV.issue(request(GUIDE), about("67"), issuer))
        assert texts(event, "tpEvento", "nDoc", "qCarga", "tpEspecie", "vEspecie", "placa", "RNTRC") == [
            "110170", "4501", "4.0000", "1", "250000.00", "ABC1D23", "12345678",
        ]  # fmt: skip
        assert texts(event, "rem/{*}CNPJ", "dest/{*}CPF") == ["66777888000181", "52998224725"]

    @pytest.mark.parametrize(
        ("guides", "cte", "earlier", "problem"),
        [
            ([GUIDE], CteOsRequest.model_validate(CHARTER), [], ("889", "gtvs")),
            ([GUIDE], CteOsRequest.model_validate(VALUABLES), [], ("890", "gtvs")),
            ([GUIDE, GUIDE], valuables(), [], ("618", "gtvs[1].number")),
            ([GUIDE], valuables(), [request(GUIDE)], ("619", "gtvs[0].number")),
        ],
    )
    def test_guides_that_break_a_rule_are_refused(
        self,
        guides: list[dict[str, Any]],
        cte: CteOsRequest,
        earlier: list[GuidesRequest],
        problem: tuple[str, str],
    ) -> None:
        broken = guide_problems(request(*guides), cte, earlier)
        assert [(rule.code, rule.path) for rule in broken] == [problem]

    def test_guides_with_other_numbers_are_accepted(self) -> None:
        others = request(GUIDE | {"number": "4502"}, GUIDE | {"series": "2"})
        assert list(guide_problems(others, valuables(), [request(GUIDE)])) == []


class TestDisagreement:
    def test_disagreement_has_its_justification(self, issuer: FilingIssuer) -> None:
        body = DisagreementRequest(justification="Valor do frete diferente do combinado")
        event = xml_of(disagree(body, about("57"), issuer))
        assert texts(event, "tpEvento", "indDesacordoOper", "xObs") == ["610110", "1", body.justification]

    def test_withdrawal_names_the_protocol_of_the_disagreement(self, issuer: FilingIssuer) -> None:
        event = xml_of(withdraw_disagreement(UndoRequest(), about("67", "135260000000002"), issuer))
        assert texts(event, "tpEvento", "nProtEvPrestDes") == ["610111", "135260000000002"]
