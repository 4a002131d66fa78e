"""Refusals of the national environment are read with their reasons; other answers judge nothing."""

from itertools import product

import pytest
from lxml import etree

import nfse_answers as nfse
from carimbo.fiscal.outcome import (
    Cause,
    Duplicate,
    NotJudged,
    Outage,
    Rejected,
    Throttled,
    Unavailable,
)
from nfse_answers import DPS_ID, KEY, OTHER_DPS_ID, PAGE, body, error, issued, refused
from unit.fiscal.layouts.outcomes import cause, sent

E0617 = error("E0617", "A alíquota não pode ser informada.")
E0322 = error("E0322", "O código NBS é obrigatório.", "Informe cNBS & cTribNac.")
E0715 = error("E0715", "Certificado Digital da assinatura inválido.")
E1206 = error("E1206", "Certificado de Transmissão - Erro de acesso a LCR")

NO_ANSWERS = {
    "empty": (b"", Cause.EMPTY),
    "blank": (b" \r\n", Cause.EMPTY),
    "page": (PAGE, Cause.HTML),
    "XML": (b"<Error/>", Cause.HTML),
    "binary": (b"\0\1", Cause.UNREADABLE),
    "null": (b"null", Cause.UNREADABLE),
    "cut": (b'{"erros":[{"codigo":"E0617"', Cause.UNREADABLE),
    "many digits": (b'{"a":' + b"9" * 5_000 + b"}", Cause.UNREADABLE),
    "much text": (b'{"a":"' + b"x" * 4_000_000 + b'"}', Cause.UNREADABLE),
    "many levels": (b"[" * 200_000, Cause.UNREADABLE),
    "list": (b"[]", Cause.UNEXPECTED_ANSWER),
    "text": (b'"E0617"', Cause.UNEXPECTED_ANSWER),
}


class TestARefusal:
    def test_refusal_has_the_error(self) -> None:
        assert sent(400, refused(E0617)) == Rejected(
            code="E0617",
            message="A alíquota não pode ser informada.",
            answer_xml=(
                f'<erros xmlns="{nfse.NAMESPACE}"><erro><codigo>E0617</codigo>'
                "<descricao>A alíquota não pode ser informada.</descricao></erro></erros>"
            ).encode(),
        )

    def test_refusal_has_all_errors(self) -> None:
        outcome = sent(400, refused(E0617, E0322))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "E0617"
        assert outcome.message == (
            "E0617: A alíquota não pode ser informada.; "
            "E0322: O código NBS é obrigatório. Informe cNBS & cTribNac."
        )
        errors = etree.fromstring(outcome.answer_xml or b"")
        assert [(element[0].text, element[1].text) for element in errors] == [
            ("E0617", "A alíquota não pode ser informada."),
            ("E0322", "O código NBS é obrigatório. Informe cNBS & cTribNac."),
        ]

    @pytest.mark.parametrize(
        "answer",
        [
            body(erros=[{"codigo": "E0617", "descricao": "Não pode."}]),
            body(Erros=[{"CODIGO": "E0617", "mensagem": "Não pode."}]),
            body(erros={"codigo": "E0617", "descricao": "Não", "complemento": "pode."}),
            body(erro={"codigo": "E0617", "descricao": " Não\n pode.\0 "}),
            body(erro=[{"codigo": "E0617", "descricao": "Não pode.", "Parametros": None}]),
            b"\xef\xbb\xbf" + body(erro=[{"codigo": "E0617", "descricao": "Não pode."}]),
        ],
    )
    def test_refusal_is_read_in_all_its_forms(self, answer: bytes) -> None:
        outcome = sent(400, answer)
        assert isinstance(outcome, Rejected)
        assert (outcome.code, outcome.message) == ("E0617", "Não pode.")

    @pytest.mark.parametrize("status", [400, 404, 409, 415, 422])
    def test_refusal_may_have_any_status_of_refusal(self, status: int) -> None:
        assert isinstance(sent(status, refused(E0617)), Rejected)

    @pytest.mark.parametrize("dps_id", [None, "", DPS_ID, f"NFS{KEY}"])
    def test_refusal_need_not_name_the_dps(self, dps_id: str | None) -> None:
        assert isinstance(sent(400, refused(E0617, dps_id=dps_id)), Rejected)

    def test_refusal_of_another_dps_judges_nothing(self) -> None:
        assert cause(sent(400, refused(E0617, dps_id=OTHER_DPS_ID))) is Cause.UNEXPECTED_ANSWER

    def test_refusal_loses_characters_that_xml_cannot_have(self) -> None:
        outcome = sent(400, rb'{"erros":[{"codigo":"E0617","descricao":"\ud800<a>\u0000\u0007\ufffe&"}]}')
        assert isinstance(outcome, Rejected)
        assert outcome.message == "<a> &"
        assert etree.fromstring(outcome.answer_xml or b"")[0][1].text == "<a> &"

    def test_refusal_of_the_certificate_can_be_retried(self) -> None:
        outcome = sent(400, refused(E0715))
        assert isinstance(outcome, Rejected)
        assert outcome.retryable

    def test_refusal_of_the_certificate_and_the_document_cannot_be_retried(self) -> None:
        outcome = sent(400, refused(E0715, E0617))
        assert isinstance(outcome, Rejected)
        assert not outcome.retryable

    def test_refusal_with_a_code_outside_the_table_is_a_rejection(self) -> None:
        outcome = sent(400, refused(error("RNG6110", "Falha Schema Xml")))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "RNG6110"

    def test_refusal_because_the_note_exists_is_a_duplicate(self) -> None:
        taken = error("E0014", "Conjunto de Série e Número já existe em uma NFS-e.")
        expected = Duplicate(code="E0014", message="Conjunto de Série e Número já existe em uma NFS-e.")
        assert sent(400, refused(taken)) == expected
        assert sent(400, refused(E0617, taken)) == expected

    @pytest.mark.parametrize("status", [400, 403, 500])
    @pytest.mark.parametrize("code", ["E1206", "E1217"])
    def test_unreachable_revocation_list_means_unavailable(self, status: int, code: str) -> None:
        outcome = sent(status, refused(error(code, "Erro de acesso a LCR")))
        assert outcome == Unavailable(code=code, message="Erro de acesso a LCR", outage=Outage.SHORT)

    def test_unreachable_revocation_list_does_not_hide_another_error(self) -> None:
        outcome = sent(400, refused(E1206, E0617))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "E0617"

    def test_refusal_with_an_uncatalogued_error_is_undecided(self) -> None:
        outcome = sent(400, refused(error("RNG9999", "Erro não catalogado.")))
        assert cause(outcome) is Cause.UNDECIDED
        assert isinstance(outcome, NotJudged)
        assert (outcome.code, outcome.message) == ("RNG9999", "Erro não catalogado.")

    @pytest.mark.parametrize(
        "answer",
        [
            body(),
            body(erros=[]),
            body(erros=None, erro="E0617"),
            body(erros=[{"descricao": "sem código"}, 7, None]),
            body(erros=[{"codigo": "100", "descricao": "Autorizado"}]),
            body(erros=[{"codigo": ["E0617"]}]),
            b'{"type":"https://tools.ietf.org/html/rfc9110","errors":{"dpsXmlGZipB64":["required"]}}',
        ],
    )
    def test_refusal_without_a_code_judges_nothing(self, answer: bytes) -> None:
        assert cause(sent(400, answer)) is Cause.UNEXPECTED_ANSWER


def refuses_certificate(outcome: object, detail: str) -> bool:
    """Returns whether the outcome is a certificate that was not accepted."""
    return (
        isinstance(outcome, NotJudged)
        and outcome.cause is Cause.CERTIFICATE_NOT_ACCEPTED
        and outcome.detail.startswith(detail)
    )


class TestAnotherAnswer:
    @pytest.mark.parametrize("status", [401, 403, 495, 496])
    def test_certificate_that_is_not_accepted_is_reported(self, status: int) -> None:
        detail = f"HTTP {status}: o servidor recusou o certificado da empresa"
        answers = (PAGE, b"", refused(error("E1203", "Certificado expirado")))
        outcomes = {answer: sent(status, answer) for answer in answers}
        assert {
            answer: outcome
            for answer, outcome in outcomes.items()
            if not refuses_certificate(outcome, detail)
        } == {}

    def test_certificate_that_is_not_accepted_is_reported_with_its_reason(self) -> None:
        outcome = sent(403, refused(error("E1203", "Certificado de Transmissão expirado")))
        assert isinstance(outcome, NotJudged)
        assert (outcome.code, outcome.message) == ("E1203", "Certificado de Transmissão expirado")
        assert outcome.detail.endswith(": E1203: Certificado de Transmissão expirado")

    @pytest.mark.parametrize("answer", [PAGE, b"", body(mensagem="devagar")])
    def test_block_for_too_many_requests_means_throttled(self, answer: bytes) -> None:
        outcome = sent(429, answer)
        assert isinstance(outcome, Throttled)
        assert outcome.code == "429"
        assert outcome.message.startswith("HTTP 429:")

    def test_failure_of_the_service_judges_nothing(self) -> None:
        wrong = {}
        for sending in product((500, 502, 503, 504, 302, 204, 0), (PAGE, b"", refused(E0617), issued())):
            outcome = sent(*sending)
            if not isinstance(outcome, NotJudged) or outcome.cause is not Cause.HTTP_STATUS:
                wrong[sending] = outcome
        assert wrong == {}

    def test_failure_of_the_service_is_described_in_one_line(self) -> None:
        outcome = sent(503, PAGE)
        assert isinstance(outcome, NotJudged)
        assert outcome.detail == "HTTP 503: 503 Service Unavailable Nenhum servidor"

    def test_body_that_is_no_answer_of_the_service_judges_nothing(self) -> None:
        wrong = {}
        for (name, (answer, reason)), status in product(NO_ANSWERS.items(), (200, 201, 400, 404, 422)):
            outcome = sent(status, answer)
            if not isinstance(outcome, NotJudged) or outcome.cause is not reason:
                wrong[f"{name} with status {status}"] = outcome
        assert wrong == {}
