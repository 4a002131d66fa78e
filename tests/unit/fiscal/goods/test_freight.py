"""Freight of goods."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.goods.freight import FreightBody
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, issued_nfe, misformed, nfe, refused, text_at

VOLUME = {"quantity": 3, "kind": "CAIXA", "brand": "MODELO", "grossWeight": 10.5, "netWeight": 9.75}


def freight_text(path: str, **freight: Any) -> str | None:
    return text_at(nfe(freight=freight), f"transp/{path}")


class TestFreight:
    def test_freight_is_none_unless_it_is_given(self) -> None:
        assert text_at(nfe(), "transp/modFrete") == freight_text("modFrete") == "9"

    @pytest.mark.parametrize(
        ("mode", "code"),
        [
            ("sender", "0"),
            ("recipient", "1"),
            ("thirdParty", "2"),
            ("ownBySender", "3"),
            ("ownByRecipient", "4"),
            ("none", "9"),
        ],
    )
    def test_freight_mode_has_a_word_for_every_code(self, mode: str, code: str) -> None:
        assert freight_text("modFrete", mode=mode) == code

    def test_freight_with_every_field_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        freight = {
            "mode": "sender",
            "carrier": {
                "taxId": BUYER_CNPJ,
                "name": "Rápido Ltda",
                "stateRegistration": "ISENTO",
                "address": "Rua 2",
                "city": "Santos",
                "state": "SP",
            },
            "vehicle": {"plate": "ABC1D23", "state": "SP"},
            "trailers": [{"plate": "ABC1D24", "state": "SP"}],
            "volumes": [VOLUME],
        }
        document = issued_nfe(signer, freight=freight)
        assert isinstance(document, SignedDocument), document
        assert f"<transporta><CNPJ>{BUYER_CNPJ}</CNPJ><xNome>Rápido Ltda</xNome>" in document.xml.decode()

    def test_empty_volume_is_refused_at_its_place(self, signer: Signer) -> None:
        problems = issued_nfe(signer, freight={"volumes": [VOLUME, {}, {"seals": []}]})
        assert refused(problems) == {
            "freight.volumes[1]": "O campo está vazio.",
            "freight.volumes[2]": "O campo está vazio.",
        }

    @pytest.mark.parametrize(
        ("name", "entry", "most"),
        [("trailers", {"plate": "ABC1D24", "state": "SP"}, 5), ("volumes", {"kind": "CX"}, 5000)],
    )
    def test_freight_lists_are_limited_as_in_the_xsd(
        self, signer: Signer, name: str, entry: dict[str, Any], most: int
    ) -> None:
        assert isinstance(issued_nfe(signer, freight={name: [entry] * most}), SignedDocument)
        with pytest.raises(ValidationError) as raised:
            FreightBody.model_validate({name: [entry] * (most + 1)})
        assert misformed(raised.value) == {name: f"Deve ter no máximo {most} itens."}

    def test_carrier_that_is_a_person_is_written_with_the_cpf(self) -> None:
        assert freight_text("transporta/CPF", mode="sender", carrier={"taxId": CPF}) == CPF
