"""What technical notes bring that the schema package in use does not have yet."""

_PACKAGE = "PL_010f"


def not_in_schema(group: str, note: str) -> str:
    """Returns the sentence that says which note brings a group, and that the package lacks it."""
    return f"o grupo {group}, da {note}, que o pacote de esquemas em uso ({_PACKAGE}) ainda não tem."


def refused_by_name(group: str, note: str) -> str:
    """Returns the message for a field that becomes such a group."""
    return f"Este é {not_in_schema(group, note)} O campo não tem outro erro: envie a nota sem ele."


EXPECTED_ICMS = ("ICMSPrevistoPagtoAntecip", "NT 2026.008")
"""ICMS of a delivery that is paid in advance."""
PAYMENT_LINKS = ("gPgtoVinc", "NT 2026.006")
"""Transactions that paid the document."""
