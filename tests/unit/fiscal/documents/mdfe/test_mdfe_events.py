"""Events that end an MDF-e, and what all its events share."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.mdfe.additions import DOCUMENT_INCLUSION, DRIVER_INCLUSION
from carimbo.fiscal.documents.mdfe.definition import MDFE
from carimbo.fiscal.documents.mdfe.events import MDFE_CANCELLATION, MDFE_CLOSING
from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.documents.mdfe.payment_events import PAYMENT, PAYMENT_CHANGE
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.filing import CancellationDeadline, EventKind
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.lifecycle import CANCELS, CLOSED_AT, CLOSES, Status
from carimbo.fiscal.problems import MISSING_FIELD
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.documents.cte.bodies import ISSUED_AT
from unit.fiscal.documents.mdfe.bodies import (
    GOOD,
    OTHER_DRIVER,
    SAO_PAULO,
    UNKNOWN_CITY,
    mdfe_key,
    own_nfe_key,
)
from unit.fiscal.documents.mdfe.bodies import (
    PAYMENT as FREIGHT_PAYMENT,
)
from unit.fiscal.documents.mdfe.filed_events import (
    PROTOCOL,
    detail_of,
    event_of,
    filed,
    issuer_of,
    places,
    subject,
)
from unit.fiscal.goods.support import misformed

SALVADOR = {"cityCode": "2927408"}
REASON = "Viagem não iniciada por falta de carga"
AGGREGATED = {"modal.vehicle.owner.type": "aggregatedTac"}
EVENTS: list[tuple[EventKind, str, dict[str, Any], str, dict[str, Any]]] = [
    (MDFE_CANCELLATION, "110111", {"justification": REASON}, "own cargo", {}),
    (MDFE_CLOSING, "110112", SALVADOR, "carrier", {}),
    (DRIVER_INCLUSION, "110114", OTHER_DRIVER, "own cargo", {}),
    (
        DOCUMENT_INCLUSION,
        "110115",
        {
            "loadingCityCode": SAO_PAULO,
            "documents": [{"cityCode": SAO_PAULO, "nfeAccessKeys": [own_nfe_key(1)]}],
        },
        "later loading",
        {},
    ),
    (
        PAYMENT,
        "110116",
        {"trips": {"total": 4, "current": 1}, "payments": [FREIGHT_PAYMENT]},
        "full load",
        AGGREGATED,
    ),
    (PAYMENT_CHANGE, "110118", {"payments": [FREIGHT_PAYMENT]}, "carrier", {}),
]
BY_NAME = pytest.mark.parametrize(
    ("event", "event_type", "body", "good", "changes"), EVENTS, ids=[row[0].name for row in EVENTS]
)


class TestEveryEvent:
    @BY_NAME
    @pytest.mark.parametrize("owner", [CNPJ, OTHER_CNPJ])
    def test_event_is_signed_and_names_its_document(
        self,
        event: EventKind,
        event_type: str,
        body: dict[str, Any],
        good: str,
        changes: dict[str, Any],
        owner: str,
        signer: Signer,
    ) -> None:
        # Both XSDs, which accept letters in the CNPJ, have checked what is signed.
        about = subject(good, changes, access_key=mdfe_key(owner=owner), sequence=7)
        signed = event_of(event.issue(event.request.model_validate(body), about, issuer_of(signer, owner)))
        verified = verify(signed)
        assert verified.signed_tag == "infEvento"
        assert verified.reference_id == f"ID{event_type}{mdfe_key(owner=owner)}007"
        assert etree.QName(signed).localname == MDFE_DIALECT.event_tag
        *fields, detail = signed[0]
        assert [(etree.QName(field).localname, field.text) for field in fields] == [
            ("cOrgao", "35"),
            ("tpAmb", "2"),
            ("CNPJ", owner),
            ("chMDFe", mdfe_key(owner=owner)),
            ("dhEvento", "2026-11-26T10:00:00-03:00"),
            ("tpEvento", event_type),
            ("nSeqEvento", "7"),
        ]
        assert detail.get("versaoEvento") == "3.00"

    @BY_NAME
    def test_text_that_cannot_be_written_has_the_code_of_events(
        self,
        event: EventKind,
        event_type: str,
        body: dict[str, Any],
        good: str,
        changes: dict[str, Any],
        signer: Signer,
    ) -> None:
        about = subject(good, changes, protocol="Ω")
        if event is DRIVER_INCLUSION:
            body = body | {"name": "Ωμ"}
        result = filed(event, body, about, signer)
        assert isinstance(result, tuple)
        (problem,) = result
        assert problem.code == "630"
        assert problem.hint == hint_of("630") is not None

    def test_events_are_six(self) -> None:
        names = ["cancellation", "close", "driverInclusion", "documentInclusion", "payment", "paymentChange"]
        assert [event.name for event in MDFE.events] == names
        assert [row[0].name for row in EVENTS] == names

    @pytest.mark.parametrize("event", [DRIVER_INCLUSION, DOCUMENT_INCLUSION, PAYMENT, PAYMENT_CHANGE])
    def test_events_that_may_be_repeated_are_at_most_99(self, event: EventKind) -> None:
        repetition = event.repetition
        assert repetition is not None
        assert repetition.max_events == 99
        assert repetition.taken_code == "631"
        assert repetition.exceeded.code == "636"
        assert repetition.exceeded.message.startswith("O documento já tem 99 ")
        assert (repetition.previous_is_open or "").endswith(
            "ainda está em processamento: aguarde o seu resultado."
        )

    def test_manifest_is_canceled_and_closed_only_once(self) -> None:
        assert (MDFE_CANCELLATION.repetition, MDFE_CLOSING.repetition) == (None, None)
        assert (MDFE_CANCELLATION.effect, MDFE_CLOSING.effect) == (CANCELS, CLOSES)
        assert {event.allowed for event in MDFE.events} == {(Status.AUTHORIZED,)}

    def test_closed_manifest_takes_no_more_drivers_and_documents(self) -> None:
        for event in (DRIVER_INCLUSION, DOCUMENT_INCLUSION, MDFE_CANCELLATION):
            assert event.forbidden_after[CLOSED_AT].endswith("(609).")


class TestClosing:
    def test_closing_has_day_and_municipality(self, signer: Signer) -> None:
        assert detail_of(filed(MDFE_CLOSING, SALVADOR, subject("carrier"), signer)) == [
            ("descEvento", "Encerramento"),
            ("nProt", PROTOCOL),
            ("dtEnc", "2026-11-26"),
            ("cUF", "29"),
            ("cMun", "2927408"),
        ]

    def test_end_abroad_has_codes_of_its_own(self, signer: Signer) -> None:
        abroad = {"cityCode": "9999999", "state": "EX"}
        detail = detail_of(filed(MDFE_CLOSING, abroad, subject("carrier"), signer))
        assert detail[-2:] == [("cUF", "99"), ("cMun", "9999999")]

    @pytest.mark.parametrize(
        ("closed_at", "day"),
        [
            ("2026-11-25", "2026-11-25"),
            ("2026-11-25T23:30:00", "2026-11-25"),
            ("2026-11-26T01:00:00Z", "2026-11-25"),
            ("2026-11-24T23:00:00-05:00", "2026-11-25"),
            # The day of the issue itself.
            ("2026-11-24", "2026-11-24"),
        ],
    )
    def test_moment_is_cut_to_its_day_in_the_time_zone_of_the_company(
        self, closed_at: str, day: str, signer: Signer
    ) -> None:
        detail = detail_of(
            filed(MDFE_CLOSING, SALVADOR | {"closedAt": closed_at}, subject("carrier"), signer)
        )
        assert detail[2] == ("dtEnc", day)

    def test_day_of_the_issue_is_that_of_the_company(self, signer: Signer) -> None:
        # Already the 25th in Greenwich.
        about = subject("carrier", issued_at=datetime.fromisoformat("2026-11-25T02:30:00+00:00"))
        same_day = filed(MDFE_CLOSING, SALVADOR | {"closedAt": "2026-11-24"}, about, signer)
        assert detail_of(same_day)[2] == ("dtEnc", "2026-11-24")

    @pytest.mark.parametrize(
        ("body", "problem"),
        [
            ({"cityCode": UNKNOWN_CITY}, ("714", "cityCode")),
            (SALVADOR | {"state": "SP"}, ("614", "state")),
            ({"cityCode": "9999999", "state": "SP"}, ("614", "state")),
            ({"cityCode": "2927408", "state": "EX"}, ("614", "state")),
            (SALVADOR | {"closedAt": "2026-11-23"}, ("615", "closedAt")),
            (SALVADOR | {"closedAt": "2026-11-24T02:59:59Z"}, ("615", "closedAt")),
        ],
    )
    def test_closing_that_breaks_a_rule_is_refused(
        self, body: dict[str, Any], problem: tuple[str, str], signer: Signer
    ) -> None:
        result = filed(MDFE_CLOSING, body, subject("carrier"), signer)
        assert places(result) == [problem]
        assert isinstance(result, tuple)
        assert result[0].hint == hint_of(problem[0]) is not None

    def test_closing_in_the_future_is_refused(self, signer: Signer) -> None:
        result = filed(MDFE_CLOSING, SALVADOR | {"closedAt": "2099-01-01"}, subject("carrier"), signer)
        assert places(result) == [("CLOSED_IN_THE_FUTURE", "closedAt")]

    def test_given_state_may_repeat_that_of_the_municipality(self, signer: Signer) -> None:
        closed = filed(MDFE_CLOSING, SALVADOR | {"state": "ba"}, subject("carrier"), signer)
        assert ("cUF", "29") in detail_of(closed)

    def test_later_loading_is_closed_only_after_the_documents(self, signer: Signer) -> None:
        about = subject("later loading")
        assert places(filed(MDFE_CLOSING, {"cityCode": SAO_PAULO}, about, signer)) == [("715", "cityCode")]
        loaded = subject("later loading", facts=frozenset({"documentsIncludedAt"}))
        assert ("cUF", "35") in detail_of(filed(MDFE_CLOSING, {"cityCode": SAO_PAULO}, loaded, signer))

    @pytest.mark.parametrize("body", [{}, {"cityCode": "355030"}, SALVADOR | {"closedAt": "26/11/2026"}])
    def test_misformed_body_is_refused(self, body: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            MDFE_CLOSING.request.model_validate(body)


class TestCancellation:
    def test_cancellation_has_the_reason(self, signer: Signer) -> None:
        body = {"justification": "  Viagem não iniciada  por  falta de carga "}
        assert detail_of(filed(MDFE_CANCELLATION, body, subject("own cargo"), signer)) == [
            ("descEvento", "Cancelamento"),
            ("nProt", PROTOCOL),
            ("xJust", REASON),
        ]

    def test_reason_has_no_usual_text(self, signer: Signer) -> None:
        result = filed(MDFE_CANCELLATION, {}, subject("own cargo"), signer)
        assert places(result) == [(MISSING_FIELD, "justification")]

    @pytest.mark.parametrize("reason", ["Curta demais", "a" * 256])
    def test_reason_has_from_15_to_255_characters(self, reason: str) -> None:
        with pytest.raises(ValidationError) as refused:
            MDFE_CANCELLATION.request.model_validate({"justification": reason})
        assert set(misformed(refused.value)) == {"justification"}

    def test_inclusion_of_documents_excludes_it(self) -> None:
        assert MDFE_CANCELLATION.forbidden_after["documentsIncludedAt"].endswith("(710).")

    def test_term_is_a_day_except_for_later_loading(self) -> None:
        deadline = MDFE_CANCELLATION.deadline
        assert isinstance(deadline, CancellationDeadline)
        day = timedelta(hours=24)
        assert deadline.last_moment(mdfe_key(), ISSUED_AT, None) == ISSUED_AT + day
        assert deadline.in_time_until(mdfe_key(), ISSUED_AT) == ISSUED_AT + day
        assert deadline.late_codes == {"220"}
        lifted = {
            name: deadline.is_lifted_for(MdfeRequest.model_validate(body)) for name, body in GOOD.items()
        }
        assert [name for name, is_lifted in lifted.items() if is_lifted] == ["later loading"]
