"""Places: what a path names."""

import pytest

from carimbo.simulator.place import HOMOLOGATION, PRODUCTION, Place

SEFIN = Place("SEFIN", HOMOLOGATION, "nfse", "SefinNacional")


class TestPath:
    @pytest.mark.parametrize(
        ("path", "place"),
        [
            ("/sp/nfe/NFeAutorizacao4", Place("SP", HOMOLOGATION, "nfe", "NFeAutorizacao4")),
            ("/producao/svc-an/NFE/X/", Place("SVCAN", PRODUCTION, "nfe", "X")),
            ("/sefin/nfse/SefinNacional", SEFIN),
            ("/sefin/nfse/SefinNacional/nfse", SEFIN._replace(rest="nfse")),
            ("/sefin/nfse/SefinNacional/nfse/1/eventos", SEFIN._replace(rest="nfse/1/eventos")),
        ],
    )
    def test_names_the_authority_its_environment_the_service_and_what_follows(
        self, path: str, place: Place
    ) -> None:
        assert Place.of(path) == place

    @pytest.mark.parametrize("path", ["", "/", "/sp", "/sp/nfe", "/producao/sp/nfe", "/xx/nfe/X"])
    def test_that_is_too_short_or_of_nobody_names_none(self, path: str) -> None:
        assert Place.of(path) is None
