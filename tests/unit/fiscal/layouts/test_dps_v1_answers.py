"""What the national environment says of notes, and what that means."""

from datetime import datetime

import pytest
from lxml import etree

import nfse_answers as said
from carimbo.fiscal.layouts.dps_v1.answers import read_issued, read_key, read_note, read_presence
from carimbo.fiscal.outcome import (
    Alert,
    Authorized,
    Available,
    Cause,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)
from nfse_answers import DIGEST, DPS_ID, KEY, OTHER_DPS_ID, PAGE, PROTOCOL, body, error, issued, note, refused

E0617 = error("E0617", "A alíquota não pode ser informada.")
E0322 = error("E0322", "O código NBS é obrigatório.", "Informe cNBS & cTribNac.")
E0715 = error("E0715", "Certificado Digital da assinatura inválido.")
E1206 = error("E1206", "Certificado de Transmissão - Erro de acesso a LCR")


def sent(status: int, answer: bytes) -> Outcome:
    return read_issued(status, answer, DPS_ID)


def cause(outcome: object) -> Cause:
    assert isinstance(outcome, NotJudged), outcome
    return outcome.cause


class TestANote:
    def test_is_authorized_with_what_the_authority_gave_it(self) -> None:
        assert sent(201, issued()) == Authorized(
            code="100",
            message="NFS-e Gerada",
            protocol=PROTOCOL,
            authorized_at=datetime.fromisoformat(said.PROCESSED),
            protocol_xml=note().encode(),
            access_key=KEY,
            number=123,
            digest=DIGEST,
        )

    def test_is_kept_byte_by_byte_but_for_its_declaration(self) -> None:
        text = note().replace("<emit/>", "<emit />\n <!-- x -->&#233;")
        outcome = sent(201, issued(text))
        assert isinstance(outcome, Authorized)
        assert outcome.protocol_xml == text.encode()

    @pytest.mark.parametrize(
        ("code", "message"),
        [("107", "NFS-e MEI"), ("103", "NFS-e Avulsa"), ("101", "NFS-e Gerada")],
    )
    def test_has_the_words_of_its_status(self, code: str, message: str) -> None:
        outcome = sent(201, issued(note(code=code)))
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.message) == (code, message)

    def test_may_have_letters_in_its_key(self) -> None:
        outcome = sent(201, issued(note(key=said.OTHER_KEY)))
        assert isinstance(outcome, Authorized)
        assert outcome.access_key == said.OTHER_KEY

    def test_may_come_with_alerts(self) -> None:
        alerts = [{"codigo": "A0001", "descricao": "Confira a alíquota."}, {"mensagem": "Outro"}, "texto"]
        outcome = sent(201, issued(alertas=alerts))
        assert isinstance(outcome, Authorized)
        assert outcome.alerts == (Alert("A0001", "Confira a alíquota."), Alert("", "Outro"))

    def test_without_a_signed_dps_is_still_the_answer_to_what_was_sent(self) -> None:
        outcome = sent(201, issued(note(digest=None)))
        assert isinstance(outcome, Authorized)
        assert outcome.digest is None

    def test_is_found_in_names_of_any_case(self) -> None:
        answer = issued().replace(b"nfseXmlGZipB64", b"NfseXMLGzipB64")
        assert isinstance(sent(200, answer), Authorized)

    @pytest.mark.parametrize(
        "changed",
        [
            note(dps_id=OTHER_DPS_ID),
            note(key=KEY[:-1]),
            note(key=KEY.replace("3550308", "../../x")),
            note(code=None),
            note(code="1<!-- -->00"),
            note(number=None),
            note(number="doze"),
            note(processed=None),
            note(processed="ontem"),
            note(protocol=None),
            note().replace("infDPS", "infRPS"),
            note().replace("</DPS>", "</RPS>").replace("<DPS ", "<RPS "),
            note().replace("infNFSe", "infNota"),
            note().replace(said.NAMESPACE, "urn:x"),
            said.event(),
        ],
    )
    def test_of_something_else_or_incomplete_judges_nothing(self, changed: str) -> None:
        assert cause(sent(201, issued(changed))) is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize(
        "changed",
        [
            note()[:-20],
            "<!DOCTYPE a>" + note(),
            "texto",
            "",
        ],
    )
    def test_that_is_none_judges_nothing(self, changed: str) -> None:
        assert cause(sent(201, issued(changed))) is Cause.UNREADABLE

    @pytest.mark.parametrize("packed", [None, 5, ["x"], "", "x", "H4sIAAAA"])
    def test_that_cannot_be_opened_judges_nothing(self, packed: object) -> None:
        assert cause(sent(201, body(nfseXmlGZipB64=packed, chaveAcesso=KEY))) is Cause.UNREADABLE


class TestARefusal:
    def test_tells_the_error(self) -> None:
        assert sent(400, refused(E0617)) == Rejected(
            code="E0617",
            message="A alíquota não pode ser informada.",
            answer_xml=(
                f'<erros xmlns="{said.NAMESPACE}"><erro><codigo>E0617</codigo>'
                "<descricao>A alíquota não pode ser informada.</descricao></erro></erros>"
            ).encode(),
        )

    def test_tells_all_errors(self) -> None:
        outcome = sent(400, refused(E0617, E0322))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "E0617"
        assert outcome.message == (
            "E0617: A alíquota não pode ser informada.; "
            "E0322: O código NBS é obrigatório. Informe cNBS & cTribNac."
        )
        told = etree.fromstring(outcome.answer_xml or b"")
        assert [(one[0].text, one[1].text) for one in told] == [
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
    def test_is_read_in_all_its_shapes(self, answer: bytes) -> None:
        outcome = sent(400, answer)
        assert isinstance(outcome, Rejected)
        assert (outcome.code, outcome.message) == ("E0617", "Não pode.")

    @pytest.mark.parametrize("status", [400, 404, 409, 415, 422])
    def test_may_have_any_status_of_refusal(self, status: int) -> None:
        assert isinstance(sent(status, refused(E0617)), Rejected)

    @pytest.mark.parametrize("dps_id", [None, "", DPS_ID, f"NFS{KEY}"])
    def test_need_not_say_of_what_it_is(self, dps_id: str | None) -> None:
        assert isinstance(sent(400, refused(E0617, dps_id=dps_id)), Rejected)

    def test_of_another_dps_judges_nothing(self) -> None:
        assert cause(sent(400, refused(E0617, dps_id=OTHER_DPS_ID))) is Cause.UNEXPECTED_ANSWER

    def test_keeps_nothing_that_no_text_can_keep(self) -> None:
        outcome = sent(400, rb'{"erros":[{"codigo":"E0617","descricao":"\ud800<a>\u0000\u0007\ufffe&"}]}')
        assert isinstance(outcome, Rejected)
        assert outcome.message == "<a> &"
        assert etree.fromstring(outcome.answer_xml or b"")[0][1].text == "<a> &"

    def test_for_the_certificate_may_pass_later(self) -> None:
        outcome = sent(400, refused(E0715))
        assert isinstance(outcome, Rejected)
        assert outcome.retryable

    def test_for_the_certificate_and_the_document_passes_no_better_later(self) -> None:
        outcome = sent(400, refused(E0715, E0617))
        assert isinstance(outcome, Rejected)
        assert not outcome.retryable

    def test_by_a_code_that_no_table_has_is_one_too(self) -> None:
        outcome = sent(400, refused(error("RNG6110", "Falha Schema Xml")))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "RNG6110"

    def test_because_there_is_a_note_already_leads_to_a_question(self) -> None:
        taken = error("E0014", "Conjunto de Série e Número já existe em uma NFS-e.")
        expected = Duplicate(code="E0014", message="Conjunto de Série e Número já existe em uma NFS-e.")
        assert sent(400, refused(taken)) == expected
        assert sent(400, refused(E0617, taken)) == expected

    @pytest.mark.parametrize("status", [400, 403, 500])
    @pytest.mark.parametrize("code", ["E1206", "E1217"])
    def test_for_a_list_that_the_authority_cannot_reach_passes(self, status: int, code: str) -> None:
        outcome = sent(status, refused(error(code, "Erro de acesso a LCR")))
        assert outcome == Unavailable(code=code, message="Erro de acesso a LCR", outage=Outage.SHORT)

    def test_for_such_a_list_does_not_hide_another(self) -> None:
        outcome = sent(400, refused(E1206, E0617))
        assert isinstance(outcome, Rejected)
        assert outcome.code == "E0617"

    def test_for_no_reason_that_it_knows_leaves_the_fate_open(self) -> None:
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
    def test_without_a_code_judges_nothing(self, answer: bytes) -> None:
        assert cause(sent(400, answer)) is Cause.UNEXPECTED_ANSWER


class TestAnotherAnswer:
    @pytest.mark.parametrize("status", [401, 403, 495, 496])
    @pytest.mark.parametrize("answer", [PAGE, b"", refused(error("E1203", "Certificado expirado"))])
    def test_tells_that_the_certificate_is_refused(self, status: int, answer: bytes) -> None:
        outcome = sent(status, answer)
        assert cause(outcome) is Cause.TLS
        assert isinstance(outcome, NotJudged)
        assert outcome.detail.startswith(f"HTTP {status}: o servidor recusou o certificado da empresa")

    def test_keeps_the_reason_of_such_a_refusal(self) -> None:
        outcome = sent(403, refused(error("E1203", "Certificado de Transmissão expirado")))
        assert isinstance(outcome, NotJudged)
        assert (outcome.code, outcome.message) == ("E1203", "Certificado de Transmissão expirado")

    @pytest.mark.parametrize("answer", [PAGE, b"", body(mensagem="devagar")])
    def test_tells_a_block_for_too_many_questions(self, answer: bytes) -> None:
        outcome = sent(429, answer)
        assert isinstance(outcome, Throttled)
        assert outcome.code == "429"
        assert outcome.message.startswith("HTTP 429:")

    @pytest.mark.parametrize("status", [500, 502, 503, 504, 302, 204, 0])
    @pytest.mark.parametrize("answer", [PAGE, b"", refused(E0617), issued()])
    def test_of_a_service_in_trouble_judges_nothing(self, status: int, answer: bytes) -> None:
        assert cause(sent(status, answer)) is Cause.HTTP_STATUS

    def test_is_told_in_a_line(self) -> None:
        outcome = sent(503, PAGE)
        assert isinstance(outcome, NotJudged)
        assert outcome.detail == "HTTP 503: 503 Service Unavailable Nenhum servidor"

    @pytest.mark.parametrize("status", [200, 201, 400, 404, 422])
    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (b"", Cause.EMPTY),
            (b" \r\n", Cause.EMPTY),
            (PAGE, Cause.HTML),
            (b"<Error/>", Cause.HTML),
            (b"\0\1", Cause.UNREADABLE),
            (b"null", Cause.UNREADABLE),
            (b'{"erros":[{"codigo":"E0617"', Cause.UNREADABLE),
            (b'{"a":' + b"9" * 5_000 + b"}", Cause.UNREADABLE),
            (b'{"a":"' + b"x" * 4_000_000 + b'"}', Cause.UNREADABLE),
            (b"[" * 200_000, Cause.UNREADABLE),
            (b"[]", Cause.UNEXPECTED_ANSWER),
            (b'"E0617"', Cause.UNEXPECTED_ANSWER),
        ],
        ids=[
            "empty",
            "blank",
            "page",
            "xml",
            "binary",
            "null",
            "cut",
            "digits",
            "much",
            "deep",
            "list",
            "text",
        ],
    )
    def test_that_is_none_judges_nothing(self, status: int, answer: bytes, reason: Cause) -> None:
        assert cause(sent(status, answer)) is reason


class TestTheKeyOfADps:
    def test_is_told_if_there_is_a_note(self) -> None:
        assert read_key(200, said.of_dps()) == KEY

    def test_is_unknown_if_the_service_says_so(self) -> None:
        assert read_key(404, said.NO_NOTE) == Unknown(
            code="E2404", message="Não foi gerada uma NFS-e com o identificador de DPS informado"
        )

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (PAGE, Cause.HTML),
            (b"", Cause.EMPTY),
            (b'{"title":"Not Found","status":404}', Cause.UNEXPECTED_ANSWER),
        ],
    )
    def test_is_not_unknown_because_a_server_between_us_says_so(self, answer: bytes, reason: Cause) -> None:
        assert cause(read_key(404, answer)) is reason

    @pytest.mark.parametrize("key", ["", None, 7, KEY[:-1], f"{KEY}0", f"{KEY[:-3]}/..", "Ａ" * 50])
    def test_is_none_if_it_is_garbled(self, key: str) -> None:
        assert cause(read_key(200, said.of_dps(key))) is Cause.UNEXPECTED_ANSWER

    def test_is_not_judged_by_what_is_wrong_with_the_question(self) -> None:
        answer = body(erro={"codigo": "E2403", "descricao": "Identificador de DPS inválido"})
        assert cause(read_key(400, answer)) is Cause.UNDECIDED

    @pytest.mark.parametrize(
        ("status", "reason"), [(401, Cause.TLS), (403, Cause.TLS), (500, Cause.HTTP_STATUS)]
    )
    def test_is_not_judged_by_a_failure(self, status: int, reason: Cause) -> None:
        assert cause(read_key(status, said.NO_NOTE)) is reason

    def test_is_not_asked_for_during_a_block(self) -> None:
        assert isinstance(read_key(429, PAGE), Throttled)


class TestAStoredNote:
    def test_is_read_as_when_it_was_issued(self) -> None:
        assert read_note(200, said.stored(), DPS_ID) == sent(201, issued())

    @pytest.mark.parametrize("xml", [note(dps_id=OTHER_DPS_ID), note(digest=None), note(digest="a<b/>c")])
    def test_of_somebody_else_judges_nothing(self, xml: str) -> None:
        assert cause(read_note(200, said.stored(xml), DPS_ID)) is Cause.UNEXPECTED_ANSWER

    def test_that_is_gone_though_there_was_one_judges_nothing(self) -> None:
        gone = body(erro={"codigo": "E2401", "descricao": "Chave de acesso não encontrada."})
        assert cause(read_note(404, gone, DPS_ID)) is Cause.UNDECIDED

    def test_that_does_not_come_judges_nothing(self) -> None:
        assert cause(read_note(503, PAGE, DPS_ID)) is Cause.HTTP_STATUS
        assert cause(read_note(200, b"", DPS_ID)) is Cause.EMPTY


class TestPresence:
    @pytest.mark.parametrize("status", [200, 400, 404])
    def test_is_any_answer_about_a_dps(self, status: int) -> None:
        assert read_presence(status, b"") == Available(code="", message="A Sefin Nacional responde")

    @pytest.mark.parametrize(
        ("status", "reason"), [(403, Cause.TLS), (496, Cause.TLS), (502, Cause.HTTP_STATUS)]
    )
    def test_is_no_failure(self, status: int, reason: Cause) -> None:
        assert cause(read_presence(status, b"")) is reason

    def test_is_not_known_during_a_block(self) -> None:
        assert isinstance(read_presence(429, b""), Throttled)
