"""Loads the settings; the only module that reads the environment."""

import os
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.body.messages import in_portuguese
from carimbo.outbound.smtp_options import Security
from carimbo.settings.model import Settings
from carimbo.storage.envelope import KeyRing, UnusableKey

PREFIX = "CARIMBO_"
_EMAIL_PREFIXES = ("smtp_", "email_")
# Errors that only settings have, not request bodies, by pydantic's name.
_PATH_ERRORS = {
    "path_not_file": "não há um arquivo neste caminho",
    "path_not_directory": "não há uma pasta neste caminho",
}


class SettingsError(Exception):
    """The environment has invalid settings; the message says what to change."""


def load_settings(environment: Mapping[str, str] | None = None, *, needs_database: bool = True) -> Settings:
    """Returns the settings. Raises SettingsError with every problem at once.

    Commands that only read files pass `needs_database=False`: they run before there is a database or a key.
    """
    environment = os.environ if environment is None else environment
    values = _set_values(environment)
    problems = _unknown_names(environment)
    problems += _incomplete_responsible(values, "tax_id", "contact", "email", "phone")
    problems += _incomplete_responsible(values, "csrt_id", "csrt")
    problems += _incomplete_email(values) + _unsafe_email(values) + _moved_clock(values)
    if needs_database:
        problems += _bad_database(values) + _bad_keys(values)
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        problems += [f"{_variable(str(e['loc'][0]))}: {_reason(e)}" for e in error.errors()]
    if problems:
        raise SettingsError("\n".join(problems))
    return settings


def child_environment(overrides: Mapping[str, str]) -> dict[str, str]:
    """Returns our own environment with some settings replaced, for a process that we start."""
    return {**os.environ, **{_variable(name): value for name, value in overrides.items()}}


def names_no_responsible() -> bool:
    """Returns whether our environment has no setting of the technical responsible (infRespTec)."""
    return not any(name.startswith(_variable("responsible_")) for name, value in os.environ.items() if value)


def names_no_tables() -> bool:
    """Returns whether our own environment sets no folder of tables."""
    return not os.environ.get(_variable("tables_folder"))


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _reason(error: Any) -> str:
    """Returns what is wrong with a value, as the end of a line; our own validators write Portuguese."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(context["error"]).removesuffix(".")
    if kind == "string_pattern_mismatch":
        return f"deve ter a forma {context['pattern']}"
    text = in_portuguese(error).removesuffix(".")
    return _PATH_ERRORS.get(kind, text[0].lower() + text[1:])


def _set_values(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the values in the environment by setting name; an empty setting of e-mail counts as absent."""
    values = {name: environment.get(_variable(name)) for name in Settings.model_fields}
    return {
        name: value
        for name, value in values.items()
        if value or (value is not None and not name.startswith(_EMAIL_PREFIXES))
    }


def _unknown_names(environment: Mapping[str, str]) -> list[str]:
    variables = {_variable(name) for name in Settings.model_fields}
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in variables)
    return [f"{name}: esta configuração não existe" for name in unknown]


def _incomplete_responsible(values: Mapping[str, str], *parts: str) -> list[str]:
    """Returns a problem for each missing part of the technical responsible, unless all parts are missing."""
    missing = [name for part in parts if not values.get(name := f"responsible_{part}")]
    if len(missing) == len(parts):
        return []
    return [f"{_variable(name)}: informe também este dado do responsável técnico" for name in missing]


def _incomplete_email(values: Mapping[str, str]) -> list[str]:
    """Returns a problem for each setting of e-mail that another one needs.

    A mail server needs an address to send from, a user name needs a password, and every other setting of the
    server needs the server's name.
    """
    sends = "smtp_host" in values or "email_folder" in values
    has_server_settings = any(name.startswith("smtp_") for name in values)
    user = {"smtp_username", "smtp_password"}
    missing = sorted(user - values.keys()) if user & values.keys() else []
    missing += ["smtp_host"] if not sends and (has_server_settings or "email_from" in values) else []
    missing += ["email_from"] if sends and "email_from" not in values else []
    return [f"{_variable(name)}: informe também este dado do envio de e-mails" for name in missing]


def _unsafe_email(values: Mapping[str, str]) -> list[str]:
    """Returns the problems of an ambiguous destination and of a password that is sent unencrypted."""
    host, problems = values.get("smtp_host"), []
    if host and "email_folder" in values:
        hint = f"a pasta e o servidor ({_variable('smtp_host')}) se excluem: informe só um deles"
        problems.append(f"{_variable('email_folder')}: {hint}")
    shows_password = values.get("smtp_security") == Security.NONE and "smtp_password" in values
    if host and shows_password and not _is_this_machine(host):
        hint = "a senha iria sem criptografia pela rede: use starttls ou tls"
        problems.append(f"{_variable('smtp_security')}: {hint}")
    return problems


def _moved_clock(values: Mapping[str, str]) -> list[str]:
    """Returns a problem if the clock is moved without the simulator.

    No tax authority may get a document with a made-up date.
    """
    if values.get("clock_offset_seconds", "0") == "0" or values.get("simulator_url"):
        return []
    hint = f"o relógio só pode ser mudado com o simulador ({_variable('simulator_url')})"
    return [f"{_variable('clock_offset_seconds')}: {hint}"]


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _bad_database(values: Mapping[str, str]) -> list[str]:
    is_usable = values.get("database_url", "").startswith(("postgresql://", "postgres://"))
    hint = "informe o endereço de um PostgreSQL, como postgresql://usuario:senha@servidor/banco"
    return [] if is_usable else [f"{_variable('database_url')}: {hint}"]


def _bad_keys(values: Mapping[str, str]) -> list[str]:
    try:
        KeyRing.parse(values.get("secret_keys", ""))
    except UnusableKey as error:
        hint = "gere uma chave com `carimbo admin generate-key`"
        return [f"{_variable('secret_keys')}: {error}; {hint}"]
    return []
