"""Reading the environment; nobody else does."""

import os
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.field_messages import in_portuguese
from carimbo.outbound.smtp import Security
from carimbo.settings.model import Settings
from carimbo.storage.envelope import KeyRing, UnusableKey

PREFIX = "CARIMBO_"
_OF_EMAIL = ("smtp_", "email_")
# What no body of a request has, by pydantic's name for the error.
_OF_PATHS = {
    "path_not_file": "não há um arquivo neste caminho",
    "path_not_directory": "não há uma pasta neste caminho",
}


class SettingsError(Exception):
    """The environment can't be used; the message says what to change."""


def load_settings(environment: Mapping[str, str] | None = None, *, needs_database: bool = True) -> Settings:
    """Read the settings, or raise SettingsError with everything that is wrong.

    Commands that only look at files run before there is a database or a key.
    """
    environment = os.environ if environment is None else environment
    given = _given(environment)
    problems = _unknown_names(environment) + _partial_responsible(given)
    problems += _partial_email(given) + _unwise_email(given) + _moved_clock(given)
    if needs_database:
        problems += _bad_database(given) + _bad_keys(given)
    try:
        settings = Settings.model_validate(given)
    except ValidationError as error:
        problems += [f"{_variable(str(e['loc'][0]))}: {_reason(e)}" for e in error.errors()]
    if problems:
        raise SettingsError("\n".join(problems))
    return settings


def child_environment(overrides: Mapping[str, str]) -> dict[str, str]:
    """Our own environment with some settings replaced, for a process that we start."""
    return {**os.environ, **{_variable(name): value for name, value in overrides.items()}}


def names_no_responsible() -> bool:
    """Tell whether our own environment says nothing of who answers for the software."""
    return not any(name.startswith(_variable("responsible_")) for name, value in os.environ.items() if value)


def names_no_tables() -> bool:
    """Returns whether our own environment chooses no folder of tables."""
    return not os.environ.get(_variable("tables_folder"))


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _reason(error: Any) -> str:
    """What is wrong with a value, as the end of a line; our own validators say it in Portuguese."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(context["error"]).removesuffix(".")
    if kind == "string_pattern_mismatch":
        return f"deve ter a forma {context['pattern']}"
    text = in_portuguese(error).removesuffix(".")
    return _OF_PATHS.get(kind, text[0].lower() + text[1:])


def _given(environment: Mapping[str, str]) -> dict[str, str]:
    """What is told, by the names of settings; of e-mail, what is empty is not."""
    told = {name: environment.get(_variable(name)) for name in Settings.model_fields}
    return {
        name: value
        for name, value in told.items()
        if value or (value is not None and not name.startswith(_OF_EMAIL))
    }


def _unknown_names(environment: Mapping[str, str]) -> list[str]:
    known = {_variable(name) for name in Settings.model_fields}
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in known)
    return [f"{name}: esta configuração não existe" for name in unknown]


def _partial_responsible(given: Mapping[str, str]) -> list[str]:
    """Who answers for the software is named whole or not at all, and so is a security code."""
    return _lacking(given, "tax_id", "contact", "email", "phone") + _lacking(given, "csrt_id", "csrt")


def _partial_email(given: Mapping[str, str]) -> list[str]:
    """A mail server needs an address to send from, a user a password, and all that is told of it a name."""
    sends = "smtp_host" in given or "email_folder" in given
    of_server = [name for name in given if name.startswith("smtp_")]
    user = {"smtp_username", "smtp_password"}
    missing = sorted(user - given.keys()) if user & given.keys() else []
    missing += ["smtp_host"] if not sends and (of_server or "email_from" in given) else []
    missing += ["email_from"] if sends and "email_from" not in given else []
    return [f"{_variable(name)}: informe também este dado do envio de e-mails" for name in missing]


def _unwise_email(given: Mapping[str, str]) -> list[str]:
    """What would send e-mails elsewhere than somebody thinks, or a password for all to read."""
    host, problems = given.get("smtp_host"), []
    if host and "email_folder" in given:
        hint = f"a pasta e o servidor ({_variable('smtp_host')}) se excluem: informe só um deles"
        problems.append(f"{_variable('email_folder')}: {hint}")
    shows_password = given.get("smtp_security") == Security.NONE and "smtp_password" in given
    if host and shows_password and not _is_this_machine(host):
        hint = "a senha iria sem criptografia pela rede: use starttls ou tls"
        problems.append(f"{_variable('smtp_security')}: {hint}")
    return problems


def _moved_clock(given: Mapping[str, str]) -> list[str]:
    """Refuses a moved clock without the simulator: no authority may get a document with a made-up date."""
    if given.get("clock_offset_seconds", "0") == "0" or given.get("simulator_url"):
        return []
    hint = f"o relógio só pode ser mudado com o simulador ({_variable('simulator_url')})"
    return [f"{_variable('clock_offset_seconds')}: {hint}"]


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _lacking(given: Mapping[str, str], *parts: str) -> list[str]:
    """What lacks of things that are told together or not at all."""
    missing = [name for part in parts if not given.get(name := f"responsible_{part}")]
    if len(missing) in (0, len(parts)):
        return []
    return [f"{_variable(name)}: informe também este dado do responsável técnico" for name in missing]


def _bad_database(given: Mapping[str, str]) -> list[str]:
    usable = given.get("database_url", "").startswith(("postgresql://", "postgres://"))
    hint = "informe o endereço de um PostgreSQL, como postgresql://usuario:senha@servidor/banco"
    return [] if usable else [f"{_variable('database_url')}: {hint}"]


def _bad_keys(given: Mapping[str, str]) -> list[str]:
    try:
        KeyRing.parse(given.get("secret_keys", ""))
    except UnusableKey as error:
        hint = "gere uma chave com `carimbo admin generate-key`"
        return [f"{_variable('secret_keys')}: {error}; {hint}"]
    return []
