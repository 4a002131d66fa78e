"""Checks of the access keys of the documents that a transport document refers to."""

from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache

from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.identity.tax_ids import CPF_LENGTH, is_cnpj, is_cpf
from carimbo.fiscal.rules import At

NFE, WAYBILL, CONTENT_DECLARATION = "55", "57", "99"
TICKET, VALUABLES_GUIDE = "63", "64"
"""BP-e and GTV-e."""
PlacedKeys = Iterable[tuple[str, str]]
"""Keys with their paths in the body."""
_PADDING_OF_CPF = "000"
_NO_EMISSION_TYPE = "0"
_CENTURY = 2000
_KEPT = 1024
"""Keys that are kept: several rules read each key of a document."""


@lru_cache(maxsize=_KEPT)
def parse_key(key: str, model: str, today: date) -> AccessKey:
    """Returns the key of a document of a model; raises `InvalidAccessKey` if no such document can have it."""
    parsed = AccessKey.parse(key)
    if parsed.model != model:
        raise InvalidAccessKey(
            f"A chave é de um documento de modelo {parsed.model}, e aqui cabe o modelo {model}."
        )
    if not _is_tax_id(parsed.tax_id):
        raise InvalidAccessKey("O CNPJ ou CPF da chave é inválido.")
    if parsed.emission_type == _NO_EMISSION_TYPE:
        raise InvalidAccessKey("O tipo de emissão da chave não existe.")
    if age_in_months(parsed, today) < 0:
        raise InvalidAccessKey("O mês da chave ainda não chegou.")
    return parsed


def _is_tax_id(owner: str) -> bool:
    return is_cnpj(owner) or (owner.startswith(_PADDING_OF_CPF) and is_cpf(owner[-CPF_LENGTH:]))


def valid_keys(keys: PlacedKeys, model: str, today: date) -> Iterator[tuple[str, AccessKey]]:
    """Yields the keys that are valid, so that a wrong one breaks no other rule."""
    for path, key in keys:
        try:
            yield path, parse_key(key, model, today)
        except InvalidAccessKey:
            continue


def invalid_keys(keys: PlacedKeys, model: str, today: date) -> Iterator[At]:
    """Yields the place of every wrong key, with the reason."""
    for path, key in keys:
        try:
            parse_key(key, model, today)
        except InvalidAccessKey as reason:
            yield At(path, str(reason))


def repeated_keys(keys: PlacedKeys) -> Iterator[At]:
    """Yields the place of every key that an earlier place has too."""
    seen: set[str] = set()
    for path, key in keys:
        if key in seen:
            yield At(path)
        seen.add(key)


def age_in_months(key: AccessKey, today: date) -> int:
    """Returns how many months ago the document was issued; negative in the future."""
    year, month = _CENTURY + int(key.year_month[:2]), int(key.year_month[2:])
    return (today.year - year) * 12 + today.month - month


def owner_of(key: AccessKey) -> str:
    """Returns the CNPJ or CPF in a key, without padding."""
    owner = key.tax_id
    return owner if is_cnpj(owner) else owner[-CPF_LENGTH:]
