"""Service paths."""

import pytest

from carimbo.simulator.family import HOMOLOGATION, PRODUCTION, ServicePath

SEFIN = ServicePath("SEFIN", HOMOLOGATION, "nfse", "SefinNacional")


class TestPath:
    @pytest.mark.parametrize(
        ("path", "service_path"),
        [
            ("/sp/nfe/NFeAutorizacao4", ServicePath("SP", HOMOLOGATION, "nfe", "NFeAutorizacao4")),
            ("/producao/svc-an/NFE/X/", ServicePath("SVCAN", PRODUCTION, "nfe", "X")),
            ("/sefin/nfse/SefinNacional", SEFIN),
            ("/sefin/nfse/SefinNacional/nfse", SEFIN._replace(rest="nfse")),
            ("/sefin/nfse/SefinNacional/nfse/1/eventos", SEFIN._replace(rest="nfse/1/eventos")),
        ],
    )
    def test_path_names_authority_environment_service_and_rest(
        self, path: str, service_path: ServicePath
    ) -> None:
        assert ServicePath.of(path) == service_path

    @pytest.mark.parametrize("path", ["", "/", "/sp", "/sp/nfe", "/producao/sp/nfe", "/xx/nfe/X"])
    def test_incomplete_or_unknown_path_names_no_service(self, path: str) -> None:
        assert ServicePath.of(path) is None
