"""`carimbo person`: links for people, and who may sign in."""

import re
from uuid import uuid4

import pytest

from acceptance.commands.command_runs import Carimbo, carimbo_here

EMAIL = "ana@example.com"


@pytest.fixture
def person(installation: dict[str, str]) -> Carimbo:
    settings = {**installation, "public_url": "https://emissor.example/"}
    return lambda *arguments: carimbo_here("person", *arguments, **settings)


def test_invitation_of_an_operator_prints_a_link_and_its_end(person: Carimbo) -> None:
    result = person("invite", EMAIL, "--operator", "--name", "Ana Lima")
    assert result.code == 0, result.err
    address, end = result.out.splitlines()
    assert re.fullmatch(r"https://emissor\.example/painel/convite/[\w-]{43}", address)
    assert re.fullmatch(r"vale uma única vez, até \d\d/\d\d/\d{4} \d\d:\d\d \(horário de Brasília\)", end)
    (line,) = [line for line in person("list").out.splitlines() if EMAIL in line]
    assert line.endswith(f"  {EMAIL}  não entrou ainda  Ana Lima")


def test_invitation_to_a_subscription_needs_its_role(person: Carimbo, subscription: dict[str, str]) -> None:
    member = ("invite", "bia@example.com", "--subscription", subscription["apiKey"])
    assert person(*member, "--role", "accountant").code == 0
    without_role = person(*member)
    assert without_role.code == 1 and without_role.is_one_sentence
    unknown_company = person(*member, "--role", "viewer", "--company", str(uuid4()))
    assert unknown_company.code == 1 and unknown_company.is_one_sentence


def test_reset_prints_a_link_for_a_new_password(person: Carimbo) -> None:
    assert person("invite", "caio@example.com", "--operator").code == 0
    result = person("reset", "CAIO@example.com", "--remove-second-factor")
    assert result.out.startswith("https://emissor.example/painel/redefinir/")


def test_disabled_person_is_listed_as_disabled_until_enabled(person: Carimbo) -> None:
    email = "davi@example.com"
    assert person("invite", email, "--operator").code == 0
    assert person("disable", email).code == 0
    assert f"{email}  desativada" in person("list").out
    assert person("enable", email).code == 0
    assert f"{email}  desativada" not in person("list").out


def test_removal_of_an_operator_is_confirmed(person: Carimbo) -> None:
    email = "eva@example.com"
    assert person("invite", email, "--operator").code == 0
    removed = person("remove-operator", email)
    assert removed.code == 0 and "não é mais operadora" in removed.out


@pytest.mark.parametrize("command", ["reset", "remove-operator", "disable", "enable"])
def test_unknown_person_is_reported(person: Carimbo, command: str) -> None:
    result = person(command, "ninguem@example.com")
    assert result.code == 1 and result.is_one_sentence and "pessoa" in result.err
