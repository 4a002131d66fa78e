"""Which authority a request is sent to."""

import pytest

from carimbo.authorities.endpoints import UnknownEndpoint, authorizer_of, authorizer_of_key, state_of_code
from carimbo.fiscal.identity.access_key import AccessKey
from nfe_answers import KEY
from unit.fiscal.keys import with_parts

SAO_PAULO, MATO_GROSSO, RIO = "35", "51", "33"


def key(model: str, state_code: str, emission_type: str) -> AccessKey:
    parts = {"model": model, "state_code": state_code, "emission_type": emission_type}
    return with_parts(AccessKey.parse(KEY), **parts)


class TestAuthorizerOfAState:
    @pytest.mark.parametrize(
        ("model", "state", "authorizer"),
        [
            ("55", "SP", "SP"),
            ("55", "RJ", "SVRS"),
            ("55", "MA", "SVAN"),
            ("65", "BA", "SVRS"),
            ("58", "SP", "SVRS"),
        ],
    )
    def test_authorizer_of_a_state_is_the_normal_one(self, model: str, state: str, authorizer: str) -> None:
        assert authorizer_of(model, state) == authorizer

    @pytest.mark.parametrize(("model", "state"), [("55", "XX"), ("55", ""), ("99", "SP")])
    def test_state_without_an_authority_is_reported(self, model: str, state: str) -> None:
        with pytest.raises(
            UnknownEndpoint, match=f"Nenhuma autoridade autoriza o modelo {model} para {state}"
        ):
            authorizer_of(model, state)


class TestAuthorizerOfAKey:
    @pytest.mark.parametrize(
        ("model", "state_code", "emission_type", "authorizer"),
        [
            ("55", SAO_PAULO, "1", "SP"),
            ("55", SAO_PAULO, "4", "SP"),
            ("55", SAO_PAULO, "6", "SVCAN"),
            ("55", MATO_GROSSO, "7", "SVCRS"),
            ("55", RIO, "1", "SVRS"),
            ("65", SAO_PAULO, "9", "SP"),
            ("65", RIO, "9", "SVRS"),
            ("57", SAO_PAULO, "7", "SVRS"),
            ("57", RIO, "8", "SVSP"),
            ("67", SAO_PAULO, "7", "SVRS"),
            ("58", SAO_PAULO, "2", "SVRS"),
        ],
    )
    def test_authorizer_of_a_key_depends_on_state_and_emission_type(
        self, model: str, state_code: str, emission_type: str, authorizer: str
    ) -> None:
        assert authorizer_of_key(key(model, state_code, emission_type)) == authorizer


class TestStateOfACode:
    def test_state_of_a_code_is_returned(self) -> None:
        assert state_of_code(SAO_PAULO).code == "SP"

    def test_unknown_state_code_is_reported(self) -> None:
        with pytest.raises(UnknownEndpoint, match="Nenhuma UF tem o código 99"):
            state_of_code("99")
