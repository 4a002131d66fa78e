"""Identifiers of documents, events and requests, which their signatures refer to."""

from carimbo.fiscal.access_key import AccessKey, padded_tax_id

_PREFIXES = {"55": "NFe", "65": "NFe", "57": "CTe", "67": "CTe", "58": "MDFe"}


class InvalidId(ValueError):
    """Parts that do not make an Id; the message is Portuguese."""


def document_id(key: AccessKey) -> str:
    """Identify infNFe, infCte or infMDFe by the model that the key tells."""
    return f"{_PREFIXES[key.model]}{key}"


def event_id(event_type: str, key: AccessKey, sequence: int, sequence_digits: int = 2) -> str:
    """Identify an infEvento; NF-e writes its sequence with two digits, CT-e and MDF-e with three."""
    return _whole(f"ID{event_type}{key}{sequence:0{sequence_digits}d}", 52 + sequence_digits)


def inutilization_id(
    state_code: str, year: str, cnpj: str, model: str, series: int, first: int, last: int
) -> str:
    """Identify an infInut by the range of numbers that it gives up."""
    return _whole(f"ID{state_code}{year}{cnpj}{model}{series:03d}{first:09d}{last:09d}", 43)


def dps_id(city_code: str, tax_id: str, series: int, number: int) -> str:
    """Identify an infDPS; it is all that is known of an NFS-e before the answer."""
    owner = padded_tax_id(tax_id)
    kind = "2" if owner == tax_id else "1"
    return _whole(f"DPS{city_code}{kind}{owner}{series:05d}{number:015d}", 45)


def nfse_event_id(event_type: str, nfse_key: str) -> str:
    """Identify an infPedReg, the request of an NFS-e event."""
    return _whole(f"PRE{nfse_key}{event_type}", 59)


def _whole(identifier: str, length: int) -> str:
    """Refuse an identifier that a wrong part has shifted: it would be signed and point at nothing."""
    if len(identifier) != length or not (identifier.isascii() and identifier.isalnum()):
        raise InvalidId(f"As partes não compõem um Id de {length} caracteres.")
    return identifier
