"""Messages that cannot be judged: their packing, their XML, and their sender."""

import gzip
import json
from base64 import b64encode
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_der_x509_certificate
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.nfse.call import MAX_UNZIPPED_BYTES, MESSAGE_RULES
from carimbo.simulator.nfse.rules.certificates import SENDER_RULES
from carimbo.simulator.trust import CertificateFlaw, TrustedAuthorities
from unit.simulator.mutating import DS
from unit.simulator.nfse.sefin import DECLARATION, SEFIN, Sefin, id_in
from unit.simulator.rules.certificates import FLAWED

NESTED_ENTITIES = "".join(f'<!ENTITY l{level + 1} "{f"&l{level};" * 10}">' for level in range(10))
BOMB = f'<!DOCTYPE lolz [<!ENTITY l0 "lol">{NESTED_ENTITIES}]><lolz>&l10;</lolz>'.encode()
EXTERNAL_ENTITY = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><DPS>&e;</DPS>'


def zipped(content: bytes) -> str:
    return b64encode(gzip.compress(content, mtime=0)).decode()


async def post(sefin: Sefin, body: bytes, **changes: Any) -> tuple[int, bytes]:
    answer = await sefin.ask("POST", f"{SEFIN}/nfse", body, **changes)
    return answer.status, answer.reply.body


class TestBody:
    @pytest.mark.parametrize(
        "media_type", ["", "text/xml", "application/xml", "application/x-www-form-urlencoded"]
    )
    async def test_body_with_another_media_type_is_refused(self, media_type: str, sefin: Sefin) -> None:
        status, _ = await post(sefin, b"{}", headers={"content-type": media_type})
        assert status == 415

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"\xff",
            b"null",
            b"[]",
            b'"x"',
            b"{}",
            b"[" * 100_000,
            b'{"dpsXmlGZipB64": null}',
            b'{"dpsXmlGZipB64": ""}',
            b'{"dpsXmlGZipB64": 1}',
            b'{"dpsXmlGZipB64": ["x"]}',
            b'{"DpsXmlGZipB64": "x"}',
        ],
    )
    async def test_body_without_the_field_is_a_bad_request(self, body: bytes, sefin: Sefin) -> None:
        status, answer = await post(sefin, body)
        assert status == 400
        assert "dpsXmlGZipB64" in json.loads(answer)["errors"]
        assert sefin.entries()[-1].status == 400

    @pytest.mark.parametrize(
        "text",
        [
            "not base64!",
            "AAAA",
            b64encode(b"<DPS/>").decode(),
            zipped(DECLARATION + b"<DPS/>")[:-8],
            zipped(DECLARATION + b"<DPS/>") + "AAAA",
            b64encode(gzip.compress(b"<DPS/>", mtime=0) + b"more").decode(),
            "\ud800",
            zipped(b"x" * (MAX_UNZIPPED_BYTES + 1)),
            zipped(b""),
        ],
    )
    async def test_body_that_cannot_be_unpacked_is_refused(self, text: str, sefin: Sefin) -> None:
        answer = await sefin.post_packed(text)
        assert (answer.status, answer.codes) == (400, ["E1225"])

    async def test_zip_bomb_is_refused(self, sefin: Sefin) -> None:
        bomb = gzip.compress(b"\0" * 100_000_000)
        assert (await sefin.post_packed(b64encode(bomb).decode())).codes == ["E1225"]


class TestXml:
    @pytest.mark.parametrize(
        "declaration", [b"", b'<?xml version="1.0"?>', b'<?xml version="1.0" encoding="ISO-8859-1"?>']
    )
    async def test_xml_without_utf_8_declaration_is_refused(self, declaration: bytes, sefin: Sefin) -> None:
        answer = await sefin.post(sefin.declaration(), declaration)
        assert (answer.status, answer.codes) == (400, ["E1229"])

    @pytest.mark.parametrize(
        "declaration",
        [
            b"<?xml version='1.0' encoding='utf-8'?>",
            b'<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
            b'<?xml version="1.0" encoding="utf-8"?>\n',
        ],
    )
    async def test_utf_8_may_be_declared_in_other_ways(self, declaration: bytes, sefin: Sefin) -> None:
        assert (await sefin.post(sefin.declaration(), declaration)).status == 201

    @pytest.mark.parametrize(
        "xml", [b"", b"<DPS>", b"<DPS/><DPS/>", b"\xff", b"x", BOMB, EXTERNAL_ENTITY, b"<a>" * 10_000]
    )
    async def test_malformed_or_hostile_xml_is_refused(self, xml: bytes, sefin: Sefin) -> None:
        answer = await sefin.post(xml)
        assert (answer.status, answer.codes) == (400, ["E1226"])

    @pytest.mark.parametrize(
        "xml",
        [b"<DPS/>", b'<NFSe xmlns="http://www.sped.fazenda.gov.br/nfse"/>', b'<DPS xmlns="urn:outra"/>'],
    )
    async def test_xml_of_another_type_is_refused(self, xml: bytes, sefin: Sefin) -> None:
        assert (await sefin.post(xml)).codes == ["E1242"]

    async def test_xml_with_prefixes_is_refused(self, sefin: Sefin) -> None:
        root = etree.fromstring(sefin.declaration())
        signature = root.find(f"{DS}Signature")
        assert signature is not None
        text = etree.tostring(root).replace(
            b"<Signature ", b'<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#" '
        )
        answer = await sefin.post(text.replace(b"</Signature>", b"</ds:Signature>"))
        assert answer.codes == ["E1228"]

    async def test_unused_prefix_is_allowed(self, sefin: Sefin) -> None:
        xml = sefin.declaration().replace(
            b"<DPS ", b'<DPS xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        )
        # The signature covers namespace declarations around it, so it is invalid.
        assert (await sefin.post(xml)).codes == ["E0714"]

    async def test_xsd_violation_is_refused_with_its_path(self, sefin: Sefin) -> None:
        xml = sefin.declaration().replace(b"<serie>1</serie>", b"<serie>X</serie>")
        answer = await sefin.post(xml)
        assert answer.codes == ["E1235"]
        assert answer.body["erros"][0]["Complemento"] == "DPS/infDPS/serie: formato inválido"
        assert answer.body["idDPS"] == id_in(xml)

    @pytest.mark.parametrize("aside", [b"<!-- x -->", b"<?x y?>"])
    async def test_comments_and_processing_instructions_are_refused(self, aside: bytes, sefin: Sefin) -> None:
        xml = sefin.declaration().replace(b"<serie>", aside + b"<serie>")
        assert (await sefin.post(xml)).codes == ["E1235"]

    async def test_first_of_several_problems_is_reported(self, sefin: Sefin) -> None:
        xml = sefin.declaration().replace(b"<serie>1</serie>", b"<serie>X</serie>")
        assert (await sefin.post(xml, b"")).codes == ["E1229"]

    @pytest.mark.parametrize("rule", MESSAGE_RULES, ids=lambda rule: str(rule.code))
    async def test_message_rule_can_be_switched_off(self, rule: Any, sefin: Sefin) -> None:
        sefin.site.switches.change({"rulesOff": [rule.code]}, sefin.now)
        undeclared = await sefin.post(sefin.declaration(), b"")
        assert (undeclared.status == 201) == (rule.code == "E1229")


CODES = {
    CertificateFlaw.INVALID: "E1200",
    CertificateFlaw.OUT_OF_DATE: "E1203",
    CertificateFlaw.WITHOUT_TAX_ID: "E1209",
    CertificateFlaw.BROKEN_CHAIN: "E1205",
    CertificateFlaw.NOT_ICP_BRASIL: "E1208",
}


class TestSender:
    @pytest.mark.parametrize("flaw", FLAWED)
    async def test_sender_with_a_flawed_certificate_is_refused(
        self, flaw: CertificateFlaw, sefin: Sefin, authority: SampleAuthority
    ) -> None:
        xml = sefin.declaration()
        sefin.certificate = FLAWED[flaw](authority).certificate.public_bytes(Encoding.DER)
        answer = await sefin.post(xml)
        assert (answer.status, answer.codes) == (403, [CODES[flaw]])
        assert not sefin.knows(id_in(xml))
        query = await sefin.ask("GET", f"{SEFIN}/dps/{id_in(xml)}")
        assert (query.status, query.body["erro"]["codigo"]) == (403, CODES[flaw])

    async def test_sender_without_a_certificate_is_refused(self, sefin: Sefin) -> None:
        sefin.certificate = None
        answer = await sefin.post(sefin.declaration())
        assert (answer.status, answer.codes) == (403, ["E1200"])

    async def test_sender_with_a_revoked_certificate_is_refused(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        serial = _serial_of(sefin)
        sefin.trust = TrustedAuthorities(sefin.trust.authorities, frozenset({serial}))
        assert (await sefin.post(xml)).codes == ["E1207"]

    async def test_sender_may_retry_without_a_revocation_list(self, sefin: Sefin) -> None:
        sefin.site.switches.change({"revocationList": False}, sefin.now)
        answer = await sefin.post(sefin.declaration())
        assert (answer.status, answer.codes) == (400, ["E1206"])

    def test_every_sender_rule_is_tested(self) -> None:
        tested = {*CODES.values(), "E1206", "E1207"}
        assert {rule.code for rule in SENDER_RULES} == tested


def _serial_of(sefin: Sefin) -> int:
    assert sefin.certificate
    return load_der_x509_certificate(sefin.certificate).serial_number


class TestPacking:
    async def test_packed_answers_are_deterministic(self, sefin: Sefin) -> None:
        key = (await sefin.issue()).access_key
        answers = [await sefin.ask("GET", f"{SEFIN}/nfse/{key}") for _ in range(2)]
        assert answers[0].body["nfseXmlGZipB64"] == answers[1].body["nfseXmlGZipB64"]
