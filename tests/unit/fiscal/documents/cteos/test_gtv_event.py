"""The event with the guides of a CT-e OS of valuables."""

from datetime import datetime
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.documents.cteos.gtv_event import CTE_OS_GTV, GuidesRequest, guide_problems
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventSubject, FilingIssuer
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedFiling
from carimbo.fiscal.transport.hints import hint_of
from unit.fiscal.documents.cte.bodies import CARRIER
from unit.fiscal.documents.cteos.bodies import CHARTER, VALUABLES, os_key
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
    "plate": "abc-1d23",
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


def about() -> EventSubject:
    return EventSubject(
        access_key=os_key(),
        protocol="135260000000001",
        occurred_at=datetime.fromisoformat("2026-11-26T10:00:00-03:00"),
        sequence=1,
        read_request=valuables,
    )


def request(*guides: dict[str, Any]) -> GuidesRequest:
    return GuidesRequest.model_validate({"gtvs": list(guides)})


class TestGuides:
    def test_guides_are_written_with_their_parties(self, issuer: FilingIssuer) -> None:
        signed = CTE_OS_GTV.issue(request(GUIDE), about(), issuer)
        assert isinstance(signed, SignedFiling), signed
        event = etree.fromstring(signed.xml)
        texts = {
            tag: event.findtext(f".//{{*}}{tag}")
            for tag in ("tpEvento", "nDoc", "qCarga", "tpEspecie", "vEspecie", "placa", "RNTRC")
        }
        assert texts == {
            "tpEvento": "110170",
            "nDoc": "4501",
            "qCarga": "4.0000",
            "tpEspecie": "1",
            "vEspecie": "250000.00",
            "placa": "ABC1D23",
            "RNTRC": "12345678",
        }
        assert event.findtext(".//{*}rem/{*}CNPJ") == "66777888000181"
        assert event.findtext(".//{*}dest/{*}CPF") == "52998224725"

    def test_value_that_the_xsd_of_the_event_refuses_is_reported_with_its_code(
        self, issuer: FilingIssuer
    ) -> None:
        refused = CTE_OS_GTV.issue(request(GUIDE | {"issueDate": "1999-12-31"}), about(), issuer)
        assert isinstance(refused, tuple)
        assert [(problem.code, problem.path) for problem in refused] == [("630", "gtvs[0].issueDate")]
        assert refused[0].hint == hint_of("630") is not None

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
