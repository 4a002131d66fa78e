"""Signed events, validated with the official XSDs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.json_form import path_of_tags, unwritable_values
from carimbo.fiscal.layouts.layout import to_xml
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    Correction,
    Detail,
    EventInformation,
    OperationAcknowledged,
)
from carimbo.fiscal.layouts.sefaz.events import EventIdentity, event_identity, signed_event
from carimbo.fiscal.schemas import Schema, Schemas
from nfe_dialect import event_lot, registered_event
from support import OTHER_CNPJ
from unit.fiscal.layouts.nfe_events import (
    CANCELLATION,
    CASES,
    KEY,
    KEY_WITH_LETTERS,
    NFCE_KEY,
    REASON,
    SUBSTITUTION,
    event_of,
)
from xmlsec1 import xmlsec1_accepts

CPF = "52998224725"
ANSWER = (
    '<retEvento xmlns="http://www.portalfiscal.inf.br/nfe" versao="1.00"><infEvento><tpAmb>2</tpAmb>'
    "<verAplic>SP_EVENTOS_PL_100</verAplic><cOrgao>35</cOrgao><cStat>135</cStat>"
    "<xMotivo>Evento registrado e vinculado a NF-e</xMotivo>"
    f"<chNFe>{KEY}</chNFe><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento>"
    "<dhRegEvento>2026-11-14T12:00:05-03:00</dhRegEvento><nProt>135260000000002</nProt></infEvento></retEvento>"
).encode()
each_case = pytest.mark.parametrize(("detail", "schema"), CASES)


class TestSignedEvent:
    @each_case
    def test_signed_event_is_accepted_by_the_xsd(
        self, detail: Detail, schema: Schema, signer: Signer, schemas: Schemas
    ) -> None:
        text = signed_event(event_of(detail), signer)
        assert schemas.problems(schema, etree.fromstring(text), EventInformation) == ()

    @each_case
    def test_signed_event_is_its_own_canonical_form(
        self, detail: Detail, schema: Schema, signer: Signer
    ) -> None:
        text = signed_event(event_of(detail), signer)
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    @each_case
    def test_signature_of_an_event_verifies(self, detail: Detail, schema: Schema, signer: Signer) -> None:
        event = event_of(detail)
        text = signed_event(event, signer)
        assert verify(etree.fromstring(text)).reference_id == event.id
        assert xmlsec1_accepts(text, "infEvento")

    def test_event_may_have_letters_in_the_cnpj(self, signer: Signer, schemas: Schemas) -> None:
        text = signed_event(event_of(CANCELLATION, KEY_WITH_LETTERS, OTHER_CNPJ), signer)
        assert schemas.problems(Schema.NFE_CANCELLATION, etree.fromstring(text)) == ()

    def test_event_of_a_person_has_the_cpf(self, signer: Signer, schemas: Schemas) -> None:
        text = signed_event(event_of(OperationAcknowledged(), tax_id=CPF), signer)
        assert f"<tpAmb>2</tpAmb><CPF>{CPF}</CPF><chNFe>" in text.decode()
        assert schemas.problems(Schema.NFE_MANIFESTATION, etree.fromstring(text)) == ()

    def test_cancellation_is_written_as_in_the_manual(self, signer: Signer) -> None:
        assert (
            signed_event(event_of(CANCELLATION), signer)
            .decode()
            .startswith(
                '<evento xmlns="http://www.portalfiscal.inf.br/nfe" versao="1.00">'
                '<infEvento Id="ID1101113526111122233300018155001000000001112345680601">'
                "<cOrgao>35</cOrgao><tpAmb>2</tpAmb><CNPJ>11222333000181</CNPJ>"
                "<chNFe>35261111222333000181550010000000011123456806</chNFe>"
                "<dhEvento>2026-11-14T12:00:00-03:00</dhEvento><tpEvento>110111</tpEvento>"
                "<nSeqEvento>1</nSeqEvento><verEvento>1.00</verEvento>"
                '<detEvento versao="1.00"><descEvento>Cancelamento</descEvento><nProt>135260000000001</nProt>'
                "<xJust>Cancelamento por erro de digitação</xJust></detEvento></infEvento>"
                '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#">'
            )
        )

    def test_substitution_names_the_replacing_document(self) -> None:
        # nfelib has no XSD of this event: the order is that of e110112_v1.00.xsd (NT 2018.004).
        assert to_xml(SUBSTITUTION) == (
            '<detEvento versao="1.00"><descEvento>Cancelamento por substituicao</descEvento>'
            "<cOrgaoAutor>35</cOrgaoAutor><tpAutor>1</tpAutor><verAplic>carimbo 1.0</verAplic>"
            f"<nProt>135260000000001</nProt><xJust>{REASON}</xJust><chNFeRef>{NFCE_KEY}</chNFeRef></detEvento>"
        )
        assert event_of(SUBSTITUTION, NFCE_KEY).id == f"ID110112{NFCE_KEY}01"

    def test_twentieth_correction_is_accepted(self, signer: Signer, schemas: Schemas) -> None:
        detail = Correction(correction="Corrigir o número do pedido para 123")
        text = signed_event(event_of(detail, sequence=20), signer)
        assert schemas.problems(Schema.NFE_CORRECTION, etree.fromstring(text)) == ()


class TestProblems:
    @pytest.mark.parametrize(
        "reason", ["Erro\x00 de digitação", "Erro de digitação 🙈", "\ud800" * 20, "", "x" * 256]
    )
    def test_reason_that_cannot_be_written_is_reported_at_its_field(
        self, reason: str, signer: Signer
    ) -> None:
        event = event_of(Cancellation(protocol="135260000000001", reason=reason))
        assert [problem.path for problem in unwritable_values(event.information())] == ["justification"]
        with pytest.raises(Unwritable):
            signed_event(event, signer)

    def test_short_reason_is_reported_by_the_xsd_at_its_field(self, signer: Signer, schemas: Schemas) -> None:
        text = signed_event(event_of(Cancellation(protocol="135260000000001", reason="Erro")), signer)
        problems = schemas.problems(Schema.NFE_CANCELLATION, etree.fromstring(text), EventInformation)
        assert [problem.path for problem in problems] == ["justification"]

    @pytest.mark.parametrize(
        "reason", ["Erro ]]> de digitação", "</xJust><nProt>1</nProt>", "&lt;&#0;<!-- -->"]
    )
    def test_markup_in_a_reason_stays_text(self, reason: str, signer: Signer) -> None:
        text = signed_event(event_of(Cancellation(protocol="135260000000001", reason=reason)), signer)
        root = etree.fromstring(text)
        assert root.findtext(".//{*}xJust") == reason
        assert verify(root).signed_tag.endswith("infEvento")

    @given(st.text(max_size=40) | st.text("<>&]\"' \n\t\r\x00é", max_size=40))
    def test_any_reason_is_refused_or_read_back_normalised(self, reason: str) -> None:
        information = event_of(Cancellation(protocol="135260000000001", reason=reason)).information()
        if any(unwritable_values(information)):
            with pytest.raises(Unwritable):
                to_xml(information)
        else:
            text = to_xml(information)
            assert etree.fromstring(text).findtext(".//xJust") == canonical.normalize(reason)
            assert etree.tostring(etree.fromstring(text), method="c14n").decode() == text

    def test_element_leads_to_the_field_of_the_body(self) -> None:
        detail = ("detEvento", 0)
        assert path_of_tags(EventInformation, [detail, ("xJust", 0)]) == "justification"
        assert path_of_tags(EventInformation, [detail, ("xCorrecao", 0)]) == "correction"
        assert path_of_tags(EventInformation, [detail, ("chNFeRef", 0)]) == "replacedByAccessKey"


class TestLot:
    def lot(self, signer: Signer, count: int) -> bytes:
        events = [event_of(CANCELLATION, sequence=sequence) for sequence in range(1, count + 1)]
        return event_lot(7, [signed_event(event, signer) for event in events])

    @pytest.mark.parametrize("count", [1, 20])
    def test_lot_of_events_is_accepted_by_the_xsd(self, count: int, signer: Signer, schemas: Schemas) -> None:
        root = etree.fromstring(self.lot(signer, count))
        assert schemas.problems(Schema.NFE_CANCELLATION_BATCH, root) == ()

    @pytest.mark.parametrize("count", [0, 21])
    def test_lot_of_no_events_or_too_many_is_refused(self, count: int, signer: Signer) -> None:
        with pytest.raises(ValueError, match="1 to 20"):
            self.lot(signer, count)

    def test_signatures_verify_inside_a_lot(self, signer: Signer) -> None:
        lot = self.lot(signer, 2)
        events = etree.fromstring(lot).findall("{*}evento")
        assert [verify(event).reference_id[-2:] for event in events] == ["01", "02"]
        assert xmlsec1_accepts(lot, "infEvento")

    def test_lot_has_the_event_as_it_was_signed(self, signer: Signer) -> None:
        event = signed_event(event_of(CANCELLATION), signer)
        assert event_lot(7, [event]) == (
            b'<envEvento xmlns="http://www.portalfiscal.inf.br/nfe" versao="1.00"><idLote>7</idLote>'
            + event
            + b"</envEvento>"
        )


class TestRegistered:
    def test_event_is_archived_with_its_registration(self, signer: Signer, schemas: Schemas) -> None:
        event = signed_event(event_of(CANCELLATION), signer)
        text = registered_event(event, ANSWER)
        root = etree.fromstring(text)
        assert schemas.problems(Schema.NFE_CANCELLATION_REGISTERED, root) == ()
        assert verify(root[0]).reference_id == event_of(CANCELLATION).id
        assert b">" + event + ANSWER + b"</" in text


class TestIdentity:
    @pytest.mark.parametrize("detail", [*(detail for detail, _ in CASES), SUBSTITUTION])
    def test_identity_is_that_of_the_signed_event(self, detail: Detail, signer: Signer) -> None:
        event = event_of(detail, sequence=20)
        identity = event_identity(signed_event(event, signer))
        assert identity == EventIdentity(event.organ, event.id, detail.event_type, KEY, 20)

    def test_identity_may_have_letters_in_its_key(self, signer: Signer) -> None:
        event = event_of(CANCELLATION, KEY_WITH_LETTERS, OTHER_CNPJ)
        assert event_identity(signed_event(event, signer)).access_key == KEY_WITH_LETTERS

    def test_identity_does_not_come_from_the_text_of_the_reason(self, signer: Signer) -> None:
        reason = f'<cOrgao>91</cOrgao><infEvento Id="ID110110{KEY_WITH_LETTERS}09">'
        event = event_of(replace(CANCELLATION, reason=reason))
        identity = event_identity(signed_event(event, signer))
        assert identity == EventIdentity("35", event.id, "110111", KEY, 1)

    @pytest.mark.parametrize("xml", [b"", b"<evento/>", b"<evento><cOrgao>35</cOrgao></evento>", ANSWER])
    def test_identity_of_something_else_is_refused(self, xml: bytes) -> None:
        with pytest.raises(LookupError):
            event_identity(xml)
