"""What the taker declares about a received CT-e: the disagreement and its withdrawal."""

from datetime import datetime, timedelta

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.cte.received import RECEIVING
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.receiving import ReceivedEvent, Role
from carimbo.fiscal.signed_documents import SignedFiling
from unit.fiscal.documents.cte.bodies import CARRIER, cte_key
from unit.fiscal.documents.cte.received_files import NAMESPACE, PROTOCOL, registered
from unit.fiscal.goods.support import SCHEMAS, misformed

REASON = "Valor do frete diferente do combinado"


@pytest.fixture(scope="module")
def taker(signer: Signer) -> FilingIssuer:
    company = Company.model_validate(CARRIER)
    return FilingIssuer(company, Environment.HOMOLOGATION, Software("carimbo"), signer, SCHEMAS)


def about(model: str, undone: str = "") -> EventSubject:
    moment = datetime.fromisoformat("2026-11-26T10:00:00-03:00")
    return EventSubject(cte_key(model=model), PROTOCOL, moment, 1, undone_protocol=undone)


def signed(result: FilingResult) -> etree._Element:
    """Returns a signed event."""
    assert isinstance(result, SignedFiling), result
    return etree.fromstring(result.xml)


class TestResponses:
    def test_taker_may_disagree_for_45_days_and_withdraw(self) -> None:
        disagreed, withdrawn = RECEIVING.response_named("disagreed"), RECEIVING.response_named("withdrawn")
        assert (disagreed.code, disagreed.within, disagreed.late_codes) == (
            "610110",
            timedelta(days=45),
            frozenset({"787"}),
        )
        assert (withdrawn.code, withdrawn.undoes, withdrawn.within) == ("610111", "disagreed", None)
        assert (disagreed.max_events, withdrawn.max_events) == (20, 20)

    @pytest.mark.parametrize("model", ["57", "67"])
    def test_taker_signs_a_disagreement_with_both_models(self, model: str, taker: FilingIssuer) -> None:
        kind = RECEIVING.response_named("disagreed")
        body = kind.request.model_validate({"justification": REASON})
        xml = signed(kind.issue(body, about(model), taker))
        assert [xml.findtext(f".//{{*}}{tag}") for tag in ("tpEvento", "xObs", "CNPJ")] == [
            "610110",
            REASON,
            taker.company.tax_id,
        ]

    def test_withdrawal_names_the_protocol_of_the_disagreement(self, taker: FilingIssuer) -> None:
        kind = RECEIVING.response_named("withdrawn")
        body = kind.request.model_validate({})
        xml = signed(kind.issue(body, about("57", undone=PROTOCOL), taker))
        assert xml.findtext(".//{*}nProtEvPrestDes") == PROTOCOL

    def test_registered_disagreement_is_read_back(self, taker: FilingIssuer) -> None:
        kind = RECEIVING.response_named("disagreed")
        body = kind.request.model_validate({"justification": REASON})
        filing = kind.issue(body, about("57"), taker)
        assert isinstance(filing, SignedFiling)
        answer = registered("").partition(b"<retEventoCTe")[2].removesuffix(b"</procEventoCTe>")
        namespaced = f'<retEventoCTe xmlns="{NAMESPACE}"'.encode() + answer
        read = RECEIVING.read("procEventoCTe_v4.00.xsd", kind.registered(filing.xml, namespaced), "")
        assert isinstance(read, ReceivedEvent)
        assert (read.code, read.text, read.author_tax_id) == ("610110", REASON, taker.company.tax_id)

    def test_each_statement_has_a_route_and_a_body_of_its_own(self) -> None:
        disagreed, withdrawn = RECEIVING.responses
        assert [(kind.route.method, kind.route.path) for kind in RECEIVING.responses] == [
            ("POST", "/disagreement"),
            ("DELETE", "/disagreement"),
        ]
        assert RECEIVING.responds_as is Role.TAKER
        with pytest.raises(ValidationError) as caught:
            disagreed.request.model_validate({"justification": "curta"})
        assert set(misformed(caught.value)) == {"justification"}
        with pytest.raises(ValidationError) as caught:
            withdrawn.request.model_validate({"justification": REASON})
        assert set(misformed(caught.value)) == {"justification"}
