"""Hints for the rejection codes of MDF-e: the field to change, and one sentence in Portuguese."""

import re
from collections.abc import Mapping

from carimbo.fiscal.rules import Hint, hints_in

# The manual has `[chMDFe:3526…][nProt:935…]`, and the authority writes
# `[chMDFe Não Encerrada:3526…][NroProtocolo:935…]`.
_KEY = re.compile(r"\[\s*ch(?:CT|MDF|NF)e[^:\]]*:\s*([0-9A-Z]{44})\s*\]", re.IGNORECASE)
_PROTOCOL = re.compile(r"\[\s*(?:nProt|NroProtocolo)[^:\]]*:\s*([0-9]{15,17})\s*\]", re.IGNORECASE)


def hints() -> Mapping[str, Hint]:
    """Returns the hints by code (cStat)."""
    return hints_in("carimbo.fiscal.documents.mdfe")


def hint_of(code: str) -> str | None:
    """Returns the sentence for a code; None if there is no hint."""
    hint = hints().get(code)
    return hint.sentence if hint else None


def hint_for_rejection(code: str, message: str) -> Hint | None:
    """Returns the hint for a rejection, with key and protocol of the document that the message names.

    For a manifest that was left open these are what closing it by its key needs.
    """
    hint, key = hints().get(code), _KEY.search(message)
    if hint is None or key is None:
        return hint
    named, protocol = f"chave {key[1].upper()}", _PROTOCOL.search(message)
    if protocol:
        named += f", protocolo {protocol[1]}"
    return Hint(hint.field, f"{hint.sentence.removesuffix('.')} ({named}).")
