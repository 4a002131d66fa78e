"""Events about the delivery of a CT-e, from the body to the signed XML, and their rules one by one."""

from base64 import b64encode
from datetime import datetime
from hashlib import sha1
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cte.delivery_events import (
    CTE_DELIVERY,
    CTE_DELIVERY_CANCELLATION,
    CTE_FAILED_DELIVERY,
    CTE_FAILED_DELIVERY_CANCELLATION,
    image_hash,
)
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventKind, EventSubject, FilingIssuer, FilingResult, UndoRequest
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedFiling
from unit.fiscal.documents.cte.bodies import CARRIER, FREIGHT, GOOD, ISSUED_AT, cte_key, nfe_key
from unit.fiscal.goods.support import SCHEMAS, misformed

PICTURE = "iVBORw0KGgo="
HASH = "2jmj7l5rSw0yVb/vlWAYkK/YBwk="
PROTOCOL, UNDONE_PROTOCOL = "135260000000001", "135260000000002"
NOW = datetime.fromisoformat("2026-11-26T10:00:00-03:00")
PROOF: dict[str, Any] = {
    "deliveredAt": "2026-11-26T09:12:00-03:00",
    "recipientName": "Ana Lúcia Ramos",
    "recipientDocument": "12.345.678-9",
    "image": PICTURE,
}
FAILURE: dict[str, Any] = {"attemptedAt": "2026-11-26T09:12:00-03:00", "reason": "refused"}
GLOBALIZED = FREIGHT | {"globalized": {"notes": "Procedimento do regime especial"}}


@pytest.fixture(scope="module")
def issuer(signer: Signer) -> FilingIssuer:
    company = Company.model_validate(CARRIER)
    return FilingIssuer(company, Environment.HOMOLOGATION, Software("carimbo"), signer, SCHEMAS)


def subject(
    cte: dict[str, Any], earlier: tuple[Any, ...] = (), sequence: int = 1, undone: str = ""
) -> EventSubject:
    return EventSubject(
        access_key=cte_key(),
        protocol=PROTOCOL,
        occurred_at=NOW,
        sequence=sequence,
        issued_at=ISSUED_AT,
        read_request=lambda: CteRequest.model_validate(cte),
        read_earlier=lambda: earlier,
        undone_protocol=undone,
    )


def xml_of(result: FilingResult) -> etree._Element:
    assert isinstance(result, SignedFiling), result
    return etree.fromstring(result.xml)


def text(event: etree._Element, tag: str) -> str | None:
    return event.findtext(f".//{{*}}{tag}")


def filed(
    issuer: FilingIssuer,
    event: EventKind,
    body: dict[str, Any],
    cte: dict[str, Any] = FREIGHT,
    earlier: tuple[dict[str, Any], ...] = (),
    sequence: int = 1,
) -> FilingResult:
    requests = tuple(event.request.model_validate(request) for request in earlier)
    given = {name: value for name, value in body.items() if value is not None}
    return event.issue(event.request.model_validate(given), subject(cte, requests, sequence), issuer)


class TestProofOfDelivery:
    def test_proof_has_the_hash_of_key_and_picture_and_all_nfe(self, issuer: FilingIssuer) -> None:
        place = {"latitude": -22.9068471, "longitude": -43.1728}
        event = xml_of(filed(issuer, CTE_DELIVERY, PROOF | place))
        tags = ("tpEvento", "descEvento", "nProt", "dhEntrega", "nDoc", "xNome", "latitude", "longitude")
        assert [text(event, tag) for tag in tags] == [
            "110180",
            "Comprovante de Entrega do CT-e",
            PROTOCOL,
            "2026-11-26T09:12:00-03:00",
            "12.345.678-9",
            "Ana Lúcia Ramos",
            "-22.906847",
            "-43.172800",
        ]
        expected = b64encode(sha1((cte_key() + PICTURE).encode()).digest()).decode()
        assert text(event, "hashEntrega") == expected == image_hash(cte_key(), PICTURE)
        assert text(event, "dhHashEntrega") == "2026-11-26T10:00:00-03:00"
        assert [key.text for key in event.iter("{*}chNFe")] == [nfe_key(1), nfe_key(2)]
        assert PICTURE.encode() not in etree.tostring(event)

    def test_moments_are_written_in_the_time_of_the_state(self, issuer: FilingIssuer) -> None:
        body = PROOF | {"deliveredAt": "2026-11-26T12:12:00.5Z", "hashedAt": "2026-11-26T13:13:00+01:00"}
        event = xml_of(filed(issuer, CTE_DELIVERY, body))
        assert [text(event, tag) for tag in ("dhEntrega", "dhHashEntrega")] == [
            "2026-11-26T09:12:00-03:00",
            "2026-11-26T09:13:00-03:00",
        ]

    def test_hash_of_the_caller_is_sent_unchanged(self, issuer: FilingIssuer) -> None:
        event = xml_of(filed(issuer, CTE_DELIVERY, PROOF | {"image": None, "imageHash": HASH}))
        assert text(event, "hashEntrega") == HASH

    def test_service_that_names_no_nfe_has_none_in_its_proof(self, issuer: FilingIssuer) -> None:
        event = xml_of(filed(issuer, CTE_DELIVERY, PROOF, GOOD["subcontracting"][0]))
        assert list(event.iter("{*}infEntrega")) == []

    def test_globalized_cte_has_a_proof_for_each_nfe(self, issuer: FilingIssuer) -> None:
        first, second = ({**PROOF, "nfeAccessKeys": [nfe_key(number)]} for number in (1, 2))
        xml_of(filed(issuer, CTE_DELIVERY, second, GLOBALIZED, (first,), 2))

    @pytest.mark.parametrize(
        ("changes", "cte", "earlier", "problem"),
        [
            ({"image": None}, FREIGHT, (), ("VALIDATION_ERROR", "image")),
            ({"imageHash": HASH}, FREIGHT, (), ("VALIDATION_ERROR", "imageHash")),
            ({"latitude": 1}, FREIGHT, (), ("VALIDATION_ERROR", "longitude")),
            ({"longitude": 1}, FREIGHT, (), ("VALIDATION_ERROR", "latitude")),
            ({"deliveredAt": "2026-11-26T10:05:01-03:00"}, FREIGHT, (), ("872", "deliveredAt")),
            ({"deliveredAt": "2026-11-24T08:29:59-03:00"}, FREIGHT, (), ("872", "deliveredAt")),
            ({"hashedAt": "2026-11-26T09:11:59-03:00"}, FREIGHT, (), ("873", "hashedAt")),
            ({"hashedAt": "2026-11-26T10:05:01-03:00"}, FREIGHT, (), ("873", "hashedAt")),
            ({}, GOOD["complement"][0], (), ("869", "deliveredAt")),
            ({}, FREIGHT, (PROOF,), ("870", "deliveredAt")),
            (
                {"nfeAccessKeys": [nfe_key(2)]},
                GLOBALIZED,
                (PROOF | {"nfeAccessKeys": [nfe_key(2)]},),
                ("863", "nfeAccessKeys[0]"),
            ),
            ({}, GLOBALIZED, (PROOF | {"nfeAccessKeys": [nfe_key(2)]},), ("863", "nfeAccessKeys")),
            ({"nfeAccessKeys": [nfe_key(3)]}, FREIGHT, (), ("864", "nfeAccessKeys[0]")),
            ({"nfeAccessKeys": [nfe_key(1)] * 2}, FREIGHT, (), ("861", "nfeAccessKeys[1]")),
            ({"nfeAccessKeys": [nfe_key(1)]}, GOOD["subcontracting"][0], (), ("871", "nfeAccessKeys")),
        ],
    )
    def test_proof_that_breaks_a_rule_is_refused(
        self,
        issuer: FilingIssuer,
        changes: dict[str, Any],
        cte: dict[str, Any],
        earlier: tuple[dict[str, Any], ...],
        problem: tuple[str, str],
    ) -> None:
        result = filed(issuer, CTE_DELIVERY, PROOF | changes, cte, earlier)
        assert isinstance(result, tuple)
        assert [(broken.code, broken.path) for broken in result] == [problem]

    @pytest.mark.parametrize(
        ("changes", "path"),
        [
            ({"image": "não é base64"}, "image"),
            ({"imageHash": HASH[:-2] + "="}, "imageHash"),
            ({"deliveredAt": "2026-11-26T09:12:00"}, "deliveredAt"),
            ({"latitude": 90.1}, "latitude"),
            ({"recipientDocument": "1"}, "recipientDocument"),
        ],
    )
    def test_misformed_field_is_refused(self, changes: dict[str, Any], path: str) -> None:
        with pytest.raises(ValidationError) as caught:
            CTE_DELIVERY.request.model_validate(PROOF | changes)
        assert set(misformed(caught.value)) == {path}


class TestFailedDelivery:
    def test_failure_has_reason_and_attempt(self, issuer: FilingIssuer) -> None:
        body = FAILURE | {"reason": "other", "justification": "Rua interditada por obras"}
        event = xml_of(filed(issuer, CTE_FAILED_DELIVERY, body))
        tags = ("tpEvento", "nTentativa", "tpMotivo", "xJustMotivo", "hashTentativaEntrega")
        assert [text(event, tag) for tag in tags] == ["110190", "001", "4", "Rua interditada por obras", None]
        assert len(list(event.iter("{*}infEntrega"))) == 2

    def test_picture_of_a_failure_is_hashed(self, issuer: FilingIssuer) -> None:
        event = xml_of(filed(issuer, CTE_FAILED_DELIVERY, FAILURE | {"image": PICTURE}))
        assert text(event, "hashTentativaEntrega") == image_hash(cte_key(), PICTURE)
        assert text(event, "dhHashTentativaEntrega") == "2026-11-26T10:00:00-03:00"

    @pytest.mark.parametrize(
        ("earlier", "sequence", "attempt"),
        [
            ((), 1, "001"),
            (({},), 2, "002"),
            (({"attempt": 7}, {}), 3, "009"),
            # Two attempts were undone.
            ((), 3, "003"),
        ],
    )
    def test_attempt_follows_the_earlier_ones(
        self, issuer: FilingIssuer, earlier: tuple[dict[str, Any], ...], sequence: int, attempt: str
    ) -> None:
        before = tuple(FAILURE | fields for fields in earlier)
        event = xml_of(filed(issuer, CTE_FAILED_DELIVERY, FAILURE, FREIGHT, before, sequence))
        assert text(event, "nTentativa") == attempt

    @pytest.mark.parametrize(
        ("changes", "cte", "problem"),
        [
            ({"reason": "other"}, FREIGHT, ("VALIDATION_ERROR", "justification")),
            ({"justification": "Rua interditada por obras"}, FREIGHT, ("VALIDATION_ERROR", "justification")),
            ({"hashedAt": "2026-11-26T09:20:00-03:00"}, FREIGHT, ("VALIDATION_ERROR", "hashedAt")),
            ({"attemptedAt": "2026-11-26T10:05:01-03:00"}, FREIGHT, ("872", "attemptedAt")),
            ({}, GOOD["complement"][0], ("869", "attemptedAt")),
            ({"nfeAccessKeys": [nfe_key(3)]}, FREIGHT, ("864", "nfeAccessKeys[0]")),
        ],
    )
    def test_failure_that_breaks_a_rule_is_refused(
        self, issuer: FilingIssuer, changes: dict[str, Any], cte: dict[str, Any], problem: tuple[str, str]
    ) -> None:
        result = filed(issuer, CTE_FAILED_DELIVERY, FAILURE | changes, cte)
        assert isinstance(result, tuple)
        assert [(broken.code, broken.path) for broken in result] == [problem]


class TestUndoing:
    @pytest.mark.parametrize(
        ("event", "event_type", "tag"),
        [
            (CTE_DELIVERY_CANCELLATION, "110181", "nProtCE"),
            (CTE_FAILED_DELIVERY_CANCELLATION, "110191", "nProtIE"),
        ],
    )
    def test_undoing_names_both_protocols(
        self, issuer: FilingIssuer, event: EventKind, event_type: str, tag: str
    ) -> None:
        xml = xml_of(event.issue(UndoRequest(), subject(FREIGHT, undone=UNDONE_PROTOCOL), issuer))
        assert [text(xml, name) for name in ("tpEvento", "nProt", tag)] == [
            event_type,
            PROTOCOL,
            UNDONE_PROTOCOL,
        ]

    def test_events_of_a_cte(self) -> None:
        assert [event.name for event in CTE.events] == [
            "cancellation",
            "correction",
            "delivery",
            "deliveryCancellation",
            "failedDelivery",
            "failedDeliveryCancellation",
        ]
