"""The addresses where consumers look up an NFC-e, by state."""

import re

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorities import NfceAddresses, all_nfce_addresses, nfce_addresses
from carimbo.fiscal.tables.geography import STATES

PLACES = [(state, environment) for state in STATES for environment in Environment]


class TestTable:
    def test_every_state_has_addresses_that_the_layout_allows(self) -> None:
        addresses_by_place = {
            (state, under.value): all_nfce_addresses(state, under) for state, under in PLACES
        }
        assert [
            place for place, forms in addresses_by_place.items() if not forms or len(set(forms)) < len(forms)
        ] == []
        refused = [
            (place, addresses)
            for place, forms in addresses_by_place.items()
            for addresses in forms
            # XSD, urlChave: 21 to 85 characters. The QR code adds its own question mark.
            if not re.fullmatch(r"https?://(?!.*\?)[!-~]+", addresses.qr)
            or not re.fullmatch(r"[!-~]{21,85}", addresses.consult)
        ]
        assert refused == []

    def test_production_never_points_at_an_address_of_homologation(self) -> None:
        for state in STATES:
            for addresses in all_nfce_addresses(state, Environment.PRODUCTION):
                assert not re.search(r"\bhom|hml|hom\b|homolog", addresses.qr + " " + addresses.consult)


class TestNfceAddresses:
    def test_both_environments_of_a_state_have_their_own_addresses(self) -> None:
        assert nfce_addresses("SC", Environment.PRODUCTION) == NfceAddresses(
            "https://sat.sef.sc.gov.br/nfce/consulta", "https://sat.sef.sc.gov.br/nfce/consulta"
        )
        assert nfce_addresses("SC", Environment.HOMOLOGATION) == NfceAddresses(
            "https://hom.sat.sef.sc.gov.br/nfce/consulta", "https://hom.sat.sef.sc.gov.br/nfce/consulta"
        )

    def test_first_address_is_the_one_to_write(self) -> None:
        for state, environment in PLACES:
            assert nfce_addresses(state, environment) == all_nfce_addresses(state, environment)[0]

    def test_sao_paulo_has_two_addresses(self) -> None:
        addresses_of_qr = {addresses.qr for addresses in all_nfce_addresses("SP", Environment.PRODUCTION)}
        assert addresses_of_qr == {
            "https://www.nfce.fazenda.sp.gov.br/qrcode",
            "https://www.nfce.fazenda.sp.gov.br/NFCeConsultaPublica/Paginas/ConsultaQRCode.aspx",
        }

    @pytest.mark.parametrize("state", ["", "XX", "sp", "35"])
    def test_unknown_state_has_no_addresses(self, state: str) -> None:
        assert nfce_addresses(state, Environment.PRODUCTION) is None
        assert all_nfce_addresses(state, Environment.PRODUCTION) == ()
