"""Our own client at the simulator, over TLS with a client certificate: the whole life of NF-e and NFC-e."""

from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.nfe_v4.events import OperationAcknowledged
from carimbo.fiscal.layouts.sefaz.distribution import DistributionPage
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
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from integration.simulator.shop import STATE, Shop, in_contingency, next_number, place
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR
from unit.simulator.mutating import mutated
from unit.simulator.rules.edits import grown

NFCE_KEY = "35261011222333000181650010000000051123456854"


class TestStatus:
    @pytest.mark.parametrize("model", ["55", "65"])
    async def test_is_up(self, shop: Shop, model: str) -> None:
        assert isinstance(await shop.sefaz.status(shop.sender, model, STATE), Available)

    async def test_a_contingency_that_nobody_needs_is_closed(self, shop: Shop) -> None:
        told = await shop.sefaz.status(shop.sender, "55", STATE, authorizer="SVCAN")
        assert isinstance(told, Unavailable)
        assert told.outage is Outage.CONTINGENCY_CLOSED


class TestNfe:
    async def test_is_authorised_with_the_digest_that_we_signed(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        assert (authorized.code, authorized.access_key) == ("100", document.access_key)
        assert authorized.digest == document.digest_value

    async def test_is_found_by_its_key(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        found = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(found, Authorized)
        assert (found.protocol, found.digest) == (authorized.protocol, document.digest_value)

    async def test_that_was_never_sent_is_unknown(self, shop: Shop) -> None:
        assert isinstance(await shop.sefaz.consult(shop.sender, shop.nfe().access_key), Unknown)

    async def test_sent_twice_is_a_duplicate_with_the_first_protocol(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        again = await shop.sefaz.send(shop.sender, document)
        assert isinstance(again, Duplicate)
        assert (again.code, again.protocol) == ("204", authorized.protocol)

    async def test_with_the_number_of_another_is_told_the_others_key(self, shop: Shop) -> None:
        under = place()
        document = shop.nfe(under=under)
        await shop.issue(document)
        other = await shop.sefaz.send(shop.sender, shop.nfe(under=replace(under, numeric_code="91827364")))
        assert isinstance(other, Duplicate)
        assert (other.code, other.other_key) == ("539", document.access_key)

    async def test_is_canceled_once(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        canceled = await shop.cancel(document, authorized.protocol)
        assert isinstance(canceled, Authorized)
        assert canceled.code == "135"
        found = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(found, Canceled)
        assert (found.code, found.protocol) == ("101", canceled.protocol)
        again = await shop.cancel(document, authorized.protocol)
        assert (type(again), again.code) == (Duplicate, "573")

    async def test_is_corrected_more_than_once(self, shop: Shop) -> None:
        document = shop.nfe()
        await shop.issue(document)
        for sequence in (1, 2):
            corrected = await shop.correct(document, "O volume correto e de duas caixas", sequence)
            assert isinstance(corrected, Authorized)
            assert corrected.code == "135"

    async def test_is_canceled_late_by_the_simulators_clock(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        await shop.switch(clockOffsetSeconds=25 * 3600)
        try:
            late = await shop.cancel(document, authorized.protocol)
        finally:
            await shop.switch(clockOffsetSeconds=None)
        assert isinstance(late, Authorized)
        assert (late.code, late.late) == ("155", True)

    async def test_goes_to_the_contingency_while_the_state_is_out(self, shop: Shop) -> None:
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
        at_home = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(at_home, Authorized)
        assert at_home.protocol == authorized.protocol


class TestCalendar:
    async def test_a_date_that_the_panel_moves_decides_by_the_day_of_issue(self, shop: Shop) -> None:
        under = place()
        reference = grown("infNFe/ide/verProc", f"<NFref><refNFe>{NFCE_KEY}</refNFe></NFref>")
        xml = mutated(shop.nfe(under=under).xml, reference, shop.signer)
        document = SignedDocument(xml, etree.fromstring(xml)[0].get("Id", "")[3:], "")
        try:
            await shop.switch(calendar={"receiptsNotReferenced": under.issued_at.date().isoformat()})
            refused = await shop.sefaz.send(shop.sender, document)
            await shop.switch(calendar={"receiptsNotReferenced": "2999-01-01"})
            await shop.issue(document)
        finally:
            await shop.switch(calendar=None)
        assert isinstance(refused, Rejected)
        assert refused.code == "679"


class TestNfce:
    async def test_is_authorised_and_found(self, shop: Shop) -> None:
        document = shop.nfce()
        authorized = await shop.issue(document)
        found = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(found, Authorized)
        assert found.protocol == authorized.protocol

    async def test_with_version_3_of_the_qr_code_is_authorised(self, shop: Shop) -> None:
        await shop.issue(shop.nfce(settings={"qrVersion": 3}))

    async def test_is_canceled(self, shop: Shop) -> None:
        document = shop.nfce()
        authorized = await shop.issue(document)
        canceled = await shop.cancel(document, authorized.protocol)
        assert isinstance(canceled, Authorized)

    async def test_cannot_be_corrected(self, shop: Shop) -> None:
        document = shop.nfce()
        await shop.issue(document)
        refused = await shop.correct(document, "O volume correto e de duas caixas")
        assert isinstance(refused, Rejected)
        assert refused.code == "784"

    async def test_gives_way_to_the_one_that_was_issued_offline(self, shop: Shop) -> None:
        first = shop.nfce()
        authorized = await shop.issue(first)
        second = shop.nfce(under=in_contingency(EmissionType.OFFLINE))
        await shop.issue(second)
        replaced = await shop.replace(first, authorized.protocol, second)
        assert isinstance(replaced, Authorized), replaced
        assert isinstance(await shop.sefaz.consult(shop.sender, first.access_key), Canceled)


class TestInutilization:
    @pytest.mark.parametrize("model", ["55", "65"])
    async def test_voids_numbers_for_good(self, shop: Shop, model: str) -> None:
        under = place()
        voided = await shop.void(under.number, under.number, model)
        assert isinstance(voided, Authorized)
        assert voided.code == "102"
        document = shop.nfe(under=under) if model == "55" else shop.nfce(under=under)
        refused = await shop.sefaz.send(shop.sender, document)
        assert getattr(refused, "code", None) == "206"

    async def test_of_a_number_that_is_used_is_refused(self, shop: Shop) -> None:
        under = place()
        await shop.issue(shop.nfe(under=under))
        refused = await shop.void(under.number, next_number())
        assert isinstance(refused, Rejected)
        assert refused.code == "241"


class TestDistribution:
    async def test_a_recipient_gets_the_summary_and_after_awareness_the_document(self, shop: Shop) -> None:
        document = shop.nfe(recipient=CONTRIBUTOR)
        await shop.issue(document)
        buyer = _buyer(shop)
        first = await shop.sefaz.distribution(buyer, STATE, 0)
        assert isinstance(first, DistributionPage)
        assert [one.schema for one in first.documents] == ["resNFe_v1.01.xsd"]
        event = replace(
            shop.event(document, OperationAcknowledged()), organ=NATIONAL_ORGAN, tax_id=BUYER_CNPJ
        )
        signed = Shop(shop.sefaz, shop.simulator, buyer.certificate).signed(event)
        assert isinstance(await shop.sefaz.register_event(buyer, signed), Authorized)
        released = await shop.sefaz.distribution_of_key(buyer, STATE, document.access_key)
        assert isinstance(released, DistributionPage)
        assert [one.schema for one in released.documents] == ["procNFe_v4.00.xsd"]
        assert document.digest_value.encode() in (released.documents[0].xml or b"")


def _buyer(shop: Shop) -> Sender:
    issued = shop.simulator.certificates.issue(BUYER_CNPJ, "COMPRADORA LTDA", shop.certificate.not_before)
    return Sender(A1Certificate.from_bundle(issued.to_pem()), BUYER_CNPJ, shop.sender.environment)
