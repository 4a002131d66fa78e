"""The whole lifecycle of NF-e and NFC-e with our client at the simulator, over mutual TLS."""

from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.layouts.nfe_v4.events import OperationAcknowledged
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN
from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Duplicate,
    Outage,
    Rejected,
    Unavailable,
    Unknown,
)
from carimbo.fiscal.signed_documents import SignedDocument
from integration.simulator.shop import STATE, Shop, in_contingency, next_emission, next_number
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR
from unit.simulator.mutating import mutated
from unit.simulator.rules.edits import grown

NFCE_KEY = "35261011222333000181650010000000051123456854"


class TestStatus:
    @pytest.mark.parametrize("model", ["55", "65"])
    async def test_the_status_service_answers(self, shop: Shop, model: str) -> None:
        assert isinstance(await shop.sefaz.status(shop.sender, model, STATE), Available)

    async def test_the_contingency_is_closed_while_the_state_works(self, shop: Shop) -> None:
        answer = await shop.sefaz.status(shop.sender, "55", STATE, authorizer="SVCAN")
        assert isinstance(answer, Unavailable)
        assert answer.outage is Outage.CONTINGENCY_CLOSED


class TestNfe:
    async def test_an_nfe_is_authorized_with_the_digest_that_we_signed(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        assert (authorized.code, authorized.access_key) == ("100", document.access_key)
        assert authorized.digest == document.digest_value

    async def test_an_nfe_is_found_by_its_key(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        consulted = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(consulted, Authorized)
        assert (consulted.protocol, consulted.digest) == (authorized.protocol, document.digest_value)

    async def test_an_nfe_that_was_never_sent_is_unknown(self, shop: Shop) -> None:
        assert isinstance(await shop.sefaz.consult(shop.sender, shop.nfe().access_key), Unknown)

    async def test_an_nfe_sent_twice_is_a_duplicate_with_the_first_protocol(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        again = await shop.sefaz.send(shop.sender, document)
        assert isinstance(again, Duplicate)
        assert (again.code, again.protocol) == ("204", authorized.protocol)

    async def test_an_nfe_with_a_number_in_use_gets_the_key_of_the_other(self, shop: Shop) -> None:
        emission = next_emission()
        document = shop.nfe(under=emission)
        await shop.issue(document)
        other = await shop.sefaz.send(shop.sender, shop.nfe(under=replace(emission, numeric_code="91827364")))
        assert isinstance(other, Duplicate)
        assert (other.code, other.other_key) == ("539", document.access_key)

    async def test_an_nfe_is_canceled_only_once(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        canceled = await shop.cancel(document, authorized.protocol)
        assert isinstance(canceled, Authorized)
        assert canceled.code == "135"
        consulted = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(consulted, Canceled)
        assert (consulted.code, consulted.protocol) == ("101", canceled.protocol)
        again = await shop.cancel(document, authorized.protocol)
        assert (type(again), again.code) == (Duplicate, "573")

    async def test_an_nfe_may_be_corrected_more_than_once(self, shop: Shop) -> None:
        document = shop.nfe()
        await shop.issue(document)
        for sequence in (1, 2):
            corrected = await shop.correct(document, "O volume correto e de duas caixas", sequence)
            assert isinstance(corrected, Authorized)
            assert corrected.code == "135"

    async def test_a_late_cancellation_is_decided_by_the_simulator_s_clock(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        await shop.switch(clockOffsetSeconds=25 * 3600)
        try:
            late = await shop.cancel(document, authorized.protocol)
        finally:
            await shop.switch(clockOffsetSeconds=None)
        assert isinstance(late, Authorized)
        assert (late.code, late.late) == ("155", True)

    async def test_an_nfe_is_authorized_in_contingency_while_the_state_is_out(self, shop: Shop) -> None:
        await shop.switch(outages={"SP": "109"})
        try:
            out = await shop.sefaz.send(shop.sender, shop.nfe())
            assert isinstance(out, Unavailable)
            assert out.outage is Outage.WITHOUT_FORECAST
            document = shop.nfe(under=in_contingency(EmissionType.SVC_AN))
            authorized = await shop.issue(document)
            assert isinstance(await shop.sefaz.consult(shop.sender, document.access_key), Authorized)
        finally:
            await shop.switch(outages={"SP": None})
        from_state = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(from_state, Authorized)
        assert from_state.protocol == authorized.protocol


class TestCalendar:
    async def test_a_rule_date_changed_in_the_panel_applies_to_the_day_of_issue(self, shop: Shop) -> None:
        emission = next_emission()
        reference = grown("infNFe/ide/verProc", f"<NFref><refNFe>{NFCE_KEY}</refNFe></NFref>")
        xml = mutated(shop.nfe(under=emission).xml, reference, shop.signer)
        document = SignedDocument(xml, etree.fromstring(xml)[0].get("Id", "")[3:], "")
        try:
            await shop.switch(calendar={"receiptsNotReferenced": emission.issued_at.date().isoformat()})
            refused = await shop.sefaz.send(shop.sender, document)
            await shop.switch(calendar={"receiptsNotReferenced": "2999-01-01"})
            await shop.issue(document)
        finally:
            await shop.switch(calendar=None)
        assert isinstance(refused, Rejected)
        assert refused.code == "679"


class TestNfce:
    async def test_an_nfce_is_authorized_and_found(self, shop: Shop) -> None:
        document = shop.nfce()
        authorized = await shop.issue(document)
        consulted = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(consulted, Authorized)
        assert consulted.protocol == authorized.protocol

    async def test_an_nfce_with_version_3_of_the_qr_code_is_authorized(self, shop: Shop) -> None:
        await shop.issue(shop.nfce(settings={"qrVersion": 3}))

    async def test_an_nfce_is_canceled(self, shop: Shop) -> None:
        document = shop.nfce()
        authorized = await shop.issue(document)
        canceled = await shop.cancel(document, authorized.protocol)
        assert isinstance(canceled, Authorized)

    async def test_an_nfce_cannot_be_corrected(self, shop: Shop) -> None:
        document = shop.nfce()
        await shop.issue(document)
        refused = await shop.correct(document, "O volume correto e de duas caixas")
        assert isinstance(refused, Rejected)
        assert refused.code == "784"

    async def test_an_nfce_is_replaced_by_the_one_issued_offline(self, shop: Shop) -> None:
        first = shop.nfce()
        authorized = await shop.issue(first)
        second = shop.nfce(under=in_contingency(EmissionType.OFFLINE))
        await shop.issue(second)
        replaced = await shop.replace(first, authorized.protocol, second)
        assert isinstance(replaced, Authorized), replaced
        assert isinstance(await shop.sefaz.consult(shop.sender, first.access_key), Canceled)


class TestInutilization:
    @pytest.mark.parametrize("model", ["55", "65"])
    async def test_inutilized_numbers_cannot_be_used(self, shop: Shop, model: str) -> None:
        emission = next_emission()
        inutilized = await shop.inutilize(emission.number, emission.number, model)
        assert isinstance(inutilized, Authorized)
        assert inutilized.code == "102"
        document = shop.nfe(under=emission) if model == "55" else shop.nfce(under=emission)
        refused = await shop.sefaz.send(shop.sender, document)
        assert getattr(refused, "code", None) == "206"

    async def test_inutilizing_a_used_number_is_refused(self, shop: Shop) -> None:
        emission = next_emission()
        await shop.issue(shop.nfe(under=emission))
        refused = await shop.inutilize(emission.number, next_number())
        assert isinstance(refused, Rejected)
        assert refused.code == "241"


class TestDistribution:
    async def test_a_recipient_gets_the_summary_and_after_acknowledging_the_document(
        self, shop: Shop
    ) -> None:
        document = shop.nfe(recipient=CONTRIBUTOR)
        await shop.issue(document)
        buyer = _buyer(shop)
        first = await shop.sefaz.distribution(buyer, STATE, 0)
        assert isinstance(first, DistributionPage)
        assert [document.schema for document in first.documents] == ["resNFe_v1.01.xsd"]
        event = replace(
            shop.event(document, OperationAcknowledged()), organ=NATIONAL_ORGAN, tax_id=BUYER_CNPJ
        )
        signed = Shop(shop.sefaz, shop.simulator, buyer.certificate).signed(event)
        assert isinstance(await shop.sefaz.register_event(buyer, signed), Authorized)
        released = await shop.sefaz.distribution_of_key(buyer, STATE, document.access_key)
        assert isinstance(released, DistributionPage)
        assert [document.schema for document in released.documents] == ["procNFe_v4.00.xsd"]
        assert document.digest_value.encode() in (next(released.contents()) or b"")


def _buyer(shop: Shop) -> AuthorityCredentials:
    issued = shop.simulator.certificates.issue(BUYER_CNPJ, "COMPRADORA LTDA", shop.certificate.not_before)
    return AuthorityCredentials(
        A1Certificate.from_bundle(issued.to_pem()), BUYER_CNPJ, shop.sender.environment
    )
