"""Rules about insurance and main product, and about later loading."""

from collections.abc import Iterator

from carimbo.fiscal.documents.mdfe.cargo_body import InsuranceParty
from carimbo.fiscal.documents.mdfe.request import IssuerType
from carimbo.fiscal.documents.mdfe.rules.rule import ManifestCheck, ManifestInput, manual
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE

RULES: RuleBook[ManifestCheck] = RuleBook()
LATER_RULES: RuleBook[ManifestCheck] = RuleBook(when=lambda document: document.request.later_loading)

_INSURANCE, _PRODUCT, _LATER = manual("seguro"), manual("produto predominante"), manual("carga posterior")


@RULES.rule("698", _INSURANCE, "Falta o seguro da carga.")
def insurance_missing(document: ManifestInput) -> At | None:
    """Refuses a carrier by road without an insurance."""
    is_required = document.road is not None and document.is_of_carrier
    return At("insurance") if is_required and not document.request.insurance else None


@RULES.rule("699", _INSURANCE, "O seguro do transportador precisa de seguradora, apólice e averbação.")
def whole_insurance(document: ManifestInput) -> Iterator[At]:
    """Refuses an incomplete insurance of a carrier by road."""
    if document.road is None or not document.is_of_carrier:
        return
    for position, insurance in enumerate(document.request.insurance):
        required = {
            "insurerName": insurance.insurer_name,
            "insurerTaxId": insurance.insurer_tax_id,
            "policyNumber": insurance.policy_number,
            "endorsements": insurance.endorsements,
        }
        yield from (At(f"insurance[{position}].{name}") for name, value in required.items() if not value)


@RULES.rule(
    SCHEMA_CODE,
    _INSURANCE,
    "O nome e o CNPJ da seguradora devem ir juntos.",
    hint="Informe os dois, ou nenhum.",
)
def whole_insurer(document: ManifestInput) -> Iterator[At]:
    """Refuses half an insurance company, where 699 does not require all of it."""
    if document.road is not None and document.is_of_carrier:
        return
    for position, insurance in enumerate(document.request.insurance):
        if (insurance.insurer_name is None) is not (insurance.insurer_tax_id is None):
            missing = "insurerName" if insurance.insurer_name is None else "insurerTaxId"
            yield At(f"insurance[{position}].{missing}")


@RULES.rule("542", _INSURANCE, "Falta o CPF ou CNPJ do contratante que fez o seguro.")
def responsible_of_an_insurance(document: ManifestInput) -> Iterator[At]:
    """Refuses an insurance by a contractor without the contractor's CPF or CNPJ."""
    for position, insurance in enumerate(document.request.insurance):
        is_missing = insurance.responsible_tax_id is None
        if insurance.responsible is InsuranceParty.CONTRACTOR and is_missing:
            yield At(f"insurance[{position}].responsibleTaxId")


@RULES.rule("725", _PRODUCT, "Falta o produto predominante.")
def product_missing(document: ManifestInput) -> At | None:
    """Refuses hired transport without its main product."""
    is_required = document.carries_for_others and not document.request.later_loading
    is_missing = document.request.predominant_product is None
    return At("predominantProduct") if is_required and is_missing else None


@RULES.rule(
    SCHEMA_CODE,
    manual("totais"),
    "O peso bruto da carga deve ser maior que zero.",
    hint="Informe em cargoQuantity o peso bruto, que só falta com laterLoading.",
)
def cargo_without_weight(document: ManifestInput) -> At | None:
    """Refuses a weight of zero, which the XSD accepts."""
    request = document.request
    return At("cargoQuantity") if request.cargo_quantity == 0 and not request.later_loading else None


def _is_full_load(document: ManifestInput) -> bool:
    return document.carries_for_others and document.has_single_document


@RULES.rule("301", "NT MDF-e 2025.001", "Falta o NCM do produto predominante, que vai com um só documento.")
def code_of_the_product_missing(document: ManifestInput) -> At | None:
    """Refuses a single document without the NCM of its product."""
    product = document.request.predominant_product
    return At("predominantProduct.ncm") if _is_full_load(document) and product and not product.ncm else None


@RULES.rule("726", _PRODUCT, "Faltam os locais de carregamento e descarga, que vão com um só documento.")
def places_of_a_full_load_missing(document: ManifestInput) -> At | None:
    """Refuses a single document without the places of its load."""
    product = document.request.predominant_product
    is_missing = product is not None and product.full_load is None
    return At("predominantProduct.fullLoad") if _is_full_load(document) and is_missing else None


@RULES.rule("302", "NT MDF-e 2025.001", "Falta o pagamento do frete, que vai com um só documento.")
def payment_of_a_full_load_missing(document: ManifestInput) -> At | None:
    """Refuses a single document without a payment."""
    return At("payments") if _is_full_load(document) and not document.request.payments else None


@LATER_RULES.rule("707", _LATER, "Só a carga própria pode ser embarcada depois.")
def later_loading_of_a_carrier(document: ManifestInput) -> At | None:
    """Refuses later loading by carriers."""
    return At("laterLoading") if document.issuer_type is not IssuerType.OWN_CARGO else None


@LATER_RULES.rule("705", _LATER, "A carga posterior só existe no modal rodoviário.")
def later_loading_outside_of_the_road(document: ManifestInput) -> At | None:
    """Refuses later loading in other modes."""
    return At("laterLoading") if document.road is None else None


@LATER_RULES.rule("704", _LATER, "A carga posterior começa e termina na mesma UF.")
def later_loading_between_states(document: ManifestInput) -> At | None:
    """Refuses later loading that leaves the state."""
    return At("laterLoading") if document.leaves_the_state else None


@LATER_RULES.rule("703", _LATER, "A carga posterior tem um só município, de carregamento e de descarga.")
def later_loading_in_several_cities(document: ManifestInput) -> At | None:
    """Refuses later loading in several municipalities of a state."""
    request = document.request
    unloading = (body.city_code for body in request.documents if body.city_code)
    cities = {*request.loading_cities, *unloading}
    return At("laterLoading") if len(cities) > 1 and not document.leaves_the_state else None


@LATER_RULES.rule("706", _LATER, "A carga posterior não leva documentos: eles são incluídos por evento.")
def later_loading_with_documents(document: ManifestInput) -> Iterator[At]:
    """Refuses documents in a manifest whose cargo is loaded later."""
    for position, body in enumerate(document.request.documents):
        if body.keys:
            yield At(f"documents[{position}]")
