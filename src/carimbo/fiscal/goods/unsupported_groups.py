"""Groups of technical notes that the schema package in use does not contain yet."""

_PACKAGE = "PL_010f"


def missing_group_text(group: str, note: str) -> str:
    """Returns the text that a group of a technical note is missing in the schema package."""
    return f"o grupo {group}, da {note}, que o pacote de esquemas em uso ({_PACKAGE}) ainda não tem."


def unsupported_field_message(group: str, note: str) -> str:
    """Returns the message for a request field of such a group."""
    return f"Este é {missing_group_text(group, note)} O campo não tem outro erro: envie a nota sem ele."


EXPECTED_ICMS = ("ICMSPrevistoPagtoAntecip", "NT 2026.008")
"""ICMS of a delivery paid in advance."""
PAYMENT_LINKS = ("gPgtoVinc", "NT 2026.006")
"""Payment transactions of the document."""
