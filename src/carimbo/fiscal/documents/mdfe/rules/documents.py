"""Rules about the documents of a manifest: which kinds it may have, and their keys."""

from collections.abc import Iterator
from itertools import chain

from carimbo.fiscal.documents.mdfe.cargo_body import DocumentDetailsBody, UnloadingBody
from carimbo.fiscal.documents.mdfe.mode import ManifestMode
from carimbo.fiscal.documents.mdfe.request import IssuerType
from carimbo.fiscal.documents.mdfe.rules.rule import ManifestCheck, ManifestInput, manual
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.keys import (
    NFE,
    WAYBILL,
    PlacedKeys,
    age_in_months,
    invalid_keys,
    repeated_keys,
    valid_keys,
)
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE

RULES: RuleBook[ManifestCheck] = RuleBook()

MANIFEST = "58"
_ON_SAFE_PAPER = {WAYBILL: frozenset({"5"}), NFE: frozenset({"2", "5"})}
"""The emission types (tpEmis) on security paper (FS-DA, and FS-IA of NF-e), with a second bar code."""
_MAX_MONTHS = 6
_STATES_WITH_FERRIES = frozenset({"AM", "AP"})
_KINDS, _WAYBILLS, _INVOICES = manual("tipo de emitente"), manual("CT-e do MDF-e"), manual("NF-e do MDF-e")
_MANIFESTS, _DETAILS = manual("MDF-e do MDF-e"), manual("detalhes dos documentos")
_PARTIAL = manual("prestação parcial")


def _first(keys: PlacedKeys) -> At | None:
    """Returns the place of the first key of a kind that the issuer may not have."""
    return next((At(path) for path, _ in keys), None)


@RULES.rule("638", _KINDS, "O transportador manifesta CT-e, e não NF-e.")
def invoices_of_a_carrier(document: ManifestInput) -> At | None:
    """Refuses NF-e in the manifest of a carrier."""
    return _first(document.invoice_keys) if document.issuer_type is IssuerType.CARRIER else None


@RULES.rule("639", _KINDS, "A carga própria é manifestada por NF-e, e não por CT-e.")
def waybills_of_own_cargo(document: ManifestInput) -> At | None:
    """Refuses CT-e in the manifest of own cargo."""
    return _first(document.waybill_keys) if document.issuer_type is IssuerType.OWN_CARGO else None


@RULES.rule("540", _KINDS, "O transporte globalizado é manifestado por NF-e, e não por CT-e.")
def waybills_of_a_globalized_carrier(document: ManifestInput) -> At | None:
    """Refuses CT-e in the manifest of a globalized carrier."""
    is_globalized = document.issuer_type is IssuerType.GLOBALIZED_CARRIER
    return _first(document.waybill_keys) if is_globalized else None


@RULES.rule("616", manual("municípios de descarga"), "O município de descarga não tem documentos.")
def city_without_documents(document: ManifestInput) -> Iterator[At]:
    """Refuses a municipality of unloading without documents, unless they are loaded later."""
    if document.request.later_loading:
        return
    for position, body in enumerate(document.request.documents):
        if not body.keys:
            yield At(f"documents[{position}]")


def _repeated(document: ManifestInput, keys: list[tuple[str, str]]) -> Iterator[At]:
    """Yields repeated keys: in the whole manifest between states, in a municipality within one state."""
    if document.start_state != document.end_state:
        yield from repeated_keys(keys)
        return
    for position in range(len(document.request.documents)):
        yield from repeated_keys(
            (path, key) for path, key in keys if path.startswith(f"documents[{position}].")
        )


@RULES.rule("668", _WAYBILLS, "O mesmo CT-e está mais de uma vez no MDF-e.")
def repeated_waybill(document: ManifestInput) -> Iterator[At]:
    """Refuses a CT-e that is listed twice."""
    return _repeated(document, document.waybill_keys)


@RULES.rule("669", _INVOICES, "A mesma NF-e está mais de uma vez no MDF-e.")
def repeated_invoice(document: ManifestInput) -> Iterator[At]:
    """Refuses an NF-e that is listed twice."""
    return _repeated(document, document.invoice_keys)


@RULES.rule("601", _WAYBILLS, "A chave do CT-e é inválida.")
def valid_waybill_key(document: ManifestInput) -> Iterator[At]:
    """Refuses keys that no CT-e can have, with the reason."""
    return invalid_keys(document.waybill_keys, WAYBILL, document.today)


@RULES.rule("604", _INVOICES, "A chave da NF-e é inválida.")
def valid_invoice_key(document: ManifestInput) -> Iterator[At]:
    """Refuses keys that no NF-e can have, with the reason."""
    return invalid_keys(document.invoice_keys, NFE, document.today)


@RULES.rule("649", _MANIFESTS, "A chave do MDF-e é inválida.")
def valid_manifest_key(document: ManifestInput) -> Iterator[At]:
    """Refuses keys that no MDF-e can have, with the reason."""
    return invalid_keys(document.manifest_keys, MANIFEST, document.today)


def _old(document: ManifestInput, keys: PlacedKeys, model: str) -> Iterator[At]:
    """Yields documents that were issued more than six months ago; keys have only the month."""
    for path, key in valid_keys(keys, model, document.today):
        if age_in_months(key, document.today) > _MAX_MONTHS:
            yield At(path)


@RULES.rule("518", _WAYBILLS, "O CT-e tem mais de seis meses.")
def recent_waybill(document: ManifestInput) -> Iterator[At]:
    """Refuses a CT-e that was issued more than six months ago."""
    return _old(document, document.waybill_keys, WAYBILL)


@RULES.rule("519", _INVOICES, "A NF-e tem mais de seis meses.")
def recent_invoice(document: ManifestInput) -> Iterator[At]:
    """Refuses an NF-e that was issued more than six months ago."""
    return _old(document, document.invoice_keys, NFE)


@RULES.rule("520", _MANIFESTS, "O MDF-e referido tem mais de seis meses.")
def recent_manifest(document: ManifestInput) -> Iterator[At]:
    """Refuses an MDF-e that was issued more than six months ago."""
    return _old(document, document.manifest_keys, MANIFEST)


@RULES.rule("647", _MANIFESTS, "Só o modal aquaviário leva MDF-e de outros veículos.")
def manifests_outside_of_water(document: ManifestInput) -> At | None:
    """Refuses manifests of other vehicles outside of the water mode."""
    return None if document.request.modal.kind is ManifestMode.WATER else _first(document.manifest_keys)


@RULES.rule("648", _MANIFESTS, "MDF-e de outros veículos só vão de ou para AM ou AP.")
def manifests_of_other_states(document: ManifestInput) -> At | None:
    """Refuses manifests of other vehicles by water between states other than Amazonas and Amapá."""
    is_by_water = document.request.modal.kind is ManifestMode.WATER
    is_allowed = document.start_state in _STATES_WITH_FERRIES or document.end_state in _STATES_WITH_FERRIES
    return None if not is_by_water or is_allowed else _first(document.manifest_keys)


def _details(document: ManifestInput) -> Iterator[tuple[str, UnloadingBody, DocumentDetailsBody]]:
    """Yields the details of all documents, with their paths in the body and their municipalities."""
    for position, body in enumerate(document.request.documents):
        for place, details in enumerate(body.details):
            yield f"documents[{position}].details[{place}]", body, details


@RULES.rule(
    SCHEMA_CODE,
    _DETAILS,
    "O mesmo documento está mais de uma vez em details.",
    hint="Junte em um só item tudo o que há do documento.",
)
def repeated_details(document: ManifestInput) -> Iterator[At]:
    """Refuses two details of a document: only those of one would be written."""
    for position, body in enumerate(document.request.documents):
        yield from repeated_keys(
            (f"documents[{position}].details[{place}].accessKey", details.access_key)
            for place, details in enumerate(body.details)
        )


@RULES.rule(
    SCHEMA_CODE,
    _DETAILS,
    "O documento não tem este detalhe no MDF-e.",
    hint="Informe partialDelivery e partialNfeAccessKeys só de CT-e, e secondBarcode só de CT-e ou NF-e.",
)
def details_of_another_kind(document: ManifestInput) -> Iterator[At]:
    """Refuses details that documents of the kind do not have."""
    for path, city, details in _details(document):
        is_invoice = details.access_key in city.nfe_access_keys
        is_manifest = details.access_key in city.mdfe_access_keys
        refused = {
            "secondBarcode": is_manifest and details.second_barcode,
            "partialDelivery": (is_invoice or is_manifest) and details.partial_delivery,
            "partialNfeAccessKeys": (is_invoice or is_manifest) and details.partial_nfe_access_keys,
        }
        yield from (At(f"{path}.{name}") for name, is_refused in refused.items() if is_refused)


@RULES.rule("702", _WAYBILLS, "A entrega parcial só existe no modal aéreo.")
def partial_delivery(document: ManifestInput) -> Iterator[At]:
    """Refuses a partial delivery of a CT-e outside of the air mode."""
    if document.request.modal.kind is ManifestMode.AIR:
        return
    for path, city, details in _details(document):
        if details.partial_delivery and details.access_key in city.cte_access_keys:
            yield At(f"{path}.partialDelivery")


def _partial_keys(document: ManifestInput) -> Iterator[list[tuple[str, str]]]:
    """Yields the keys of the NF-e of each partial service, with their paths in the body."""
    for path, city, details in _details(document):
        if details.access_key in city.cte_access_keys:
            keys = enumerate(details.partial_nfe_access_keys)
            yield [(f"{path}.partialNfeAccessKeys[{place}]", key) for place, key in keys]


@RULES.rule("525", _PARTIAL, "A NF-e da prestação parcial tem mais de seis meses.")
def recent_partial_invoice(document: ManifestInput) -> Iterator[At]:
    """Refuses an NF-e of a partial service that was issued more than six months ago."""
    return _old(document, chain.from_iterable(_partial_keys(document)), NFE)


@RULES.rule("526", _PARTIAL, "A mesma NF-e está mais de uma vez na prestação parcial.")
def repeated_partial_invoice(document: ManifestInput) -> Iterator[At]:
    """Refuses an NF-e that a partial service has twice."""
    return chain.from_iterable(map(repeated_keys, _partial_keys(document)))


@RULES.rule("527", _PARTIAL, "A chave da NF-e da prestação parcial é inválida.")
def valid_partial_invoice_key(document: ManifestInput) -> Iterator[At]:
    """Refuses keys of a partial service that no NF-e can have, with the reason."""
    return invalid_keys(chain.from_iterable(_partial_keys(document)), NFE, document.today)


def _second_barcodes(
    document: ManifestInput, keys: list[tuple[str, str]], model: str, *, is_required: bool
) -> Iterator[At]:
    """Yields the documents whose second bar code is missing, or is there though it is refused."""
    given = {
        details.access_key: f"{path}.secondBarcode"
        for path, _, details in _details(document)
        if details.second_barcode
    }
    for path, key in valid_keys(keys, model, document.today):
        is_on_safe_paper = key.emission_type in _ON_SAFE_PAPER[model]
        if is_on_safe_paper is is_required and (key in given) is not is_required:
            yield At(given.get(key, path))


@RULES.rule("602", _WAYBILLS, "O CT-e em papel de segurança (FS-DA) precisa do segundo código de barras.")
def waybill_without_second_barcode(document: ManifestInput) -> Iterator[At]:
    """Refuses a CT-e on security paper without its second bar code."""
    return _second_barcodes(document, document.waybill_keys, WAYBILL, is_required=True)


@RULES.rule("603", _WAYBILLS, "Só o CT-e em papel de segurança (FS-DA) tem o segundo código de barras.")
def waybill_with_second_barcode(document: ManifestInput) -> Iterator[At]:
    """Refuses a second bar code of a CT-e that is not on security paper."""
    return _second_barcodes(document, document.waybill_keys, WAYBILL, is_required=False)


@RULES.rule(
    "606", _INVOICES, "A NF-e em papel de segurança (FS-IA ou FS-DA) precisa do segundo código de barras."
)
def invoice_without_second_barcode(document: ManifestInput) -> Iterator[At]:
    """Refuses an NF-e on security paper without its second bar code."""
    return _second_barcodes(document, document.invoice_keys, NFE, is_required=True)


@RULES.rule(
    "607", _INVOICES, "Só a NF-e em papel de segurança (FS-IA ou FS-DA) tem o segundo código de barras."
)
def invoice_with_second_barcode(document: ManifestInput) -> Iterator[At]:
    """Refuses a second bar code of an NF-e that is not on security paper."""
    return _second_barcodes(document, document.invoice_keys, NFE, is_required=False)
