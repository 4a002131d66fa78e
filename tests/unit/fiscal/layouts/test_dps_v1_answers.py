"""What the national environment says of notes, and what that means."""

from datetime import datetime

import pytest

import nfse_answers as said
from carimbo.fiscal.layouts.dps_v1.answers import read_key, read_note, read_presence
from carimbo.fiscal.outcome import Alert, Authorized, Available, Cause, Throttled, Unknown
from nfse_answers import DIGEST, DPS_ID, KEY, OTHER_DPS_ID, PAGE, PROTOCOL, body, issued, note
from unit.fiscal.layouts.outcomes import cause, sent


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
        ("status", "reason"),
        [
            (401, Cause.CERTIFICATE_NOT_ACCEPTED),
            (403, Cause.CERTIFICATE_NOT_ACCEPTED),
            (500, Cause.HTTP_STATUS),
        ],
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
        ("status", "reason"),
        [
            (403, Cause.CERTIFICATE_NOT_ACCEPTED),
            (496, Cause.CERTIFICATE_NOT_ACCEPTED),
            (502, Cause.HTTP_STATUS),
        ],
    )
    def test_is_no_failure(self, status: int, reason: Cause) -> None:
        assert cause(read_presence(status, b"")) is reason

    def test_is_not_known_during_a_block(self) -> None:
        assert isinstance(read_presence(429, b""), Throttled)
