"""Guarantees of every outcome."""

from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime
from typing import get_args

import pytest

from carimbo.fiscal.outcome import (
    Alert,
    AuthorityAnswer,
    Authorized,
    Canceled,
    Cause,
    Closed,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Processing,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)

AUTHORIZED = Authorized(
    code="120",
    message="Autorizado o uso, com alerta",
    protocol="135260000000001",
    authorized_at=datetime(2026, 11, 15, 12, tzinfo=UTC),
    protocol_xml=b"<protNFe/>",
    alerts=(Alert("1", "Confira o NCM"),),
)
EXAMPLES: list[Outcome] = [
    AUTHORIZED,
    Rejected(code="225", message="Rejeição: Falha no Schema XML"),
    Denied(code="302", message="Uso Denegado"),
    Canceled(code="101", message="Cancelamento homologado", authorization=AUTHORIZED),
    Closed(code="132", message="Encerramento homologado", authorization=AUTHORIZED),
    Duplicate(code="204", message="Duplicidade de NF-e"),
    Unknown(code="217", message="NF-e não consta"),
    Processing(code="103", message="Lote recebido", receipt="351000000000001", wait_seconds=15),
    Unavailable(code="108", message="Serviço paralisado", outage=Outage.SHORT),
    Throttled(code="656", message="Consumo indevido"),
    NotJudged(cause=Cause.TIMEOUT, detail="30 s"),
]


class TestEveryOutcome:
    def test_every_outcome_has_an_example_here(self) -> None:
        assert {type(example) for example in EXAMPLES} == set(get_args(Outcome))

    @pytest.mark.parametrize("outcome", EXAMPLES)
    def test_outcomes_are_immutable(self, outcome: Outcome) -> None:
        with pytest.raises(FrozenInstanceError):
            setattr(outcome, fields(outcome)[0].name, "100")

    @pytest.mark.parametrize("outcome", EXAMPLES)
    def test_every_outcome_but_not_judged_is_an_answer_of_the_authority(self, outcome: Outcome) -> None:
        assert isinstance(outcome, AuthorityAnswer) is not isinstance(outcome, NotJudged)

    def test_outcomes_of_different_types_are_not_equal(self) -> None:
        code, message = "999", "Erro não catalogado"
        outcomes = {Rejected(code=code, message=message), Unknown(code=code, message=message)}
        assert len(outcomes) == 2

    def test_repr_of_an_outcome_has_no_xml(self) -> None:
        assert "secret" not in repr(Rejected(code="225", message="Rejeição", answer_xml=b"<secret/>"))

    def test_alert_is_a_pair_of_code_and_message(self) -> None:
        assert AUTHORIZED.alerts == (("1", "Confira o NCM"),)
