"""What an XSD finds wrong with a message, told shortly in Portuguese."""

from typing import Any

from lxml import etree

from carimbo.simulator.element_names import local_name

_REASONS = {
    "SCHEMAV_ELEMENT_CONTENT": "elemento inesperado, repetido ou ausente",
    "SCHEMAV_CVC_PATTERN_VALID": "formato inválido",
    "SCHEMAV_CVC_ENUMERATION_VALID": "valor não previsto",
    "SCHEMAV_CVC_MINLENGTH_VALID": "texto curto demais",
    "SCHEMAV_CVC_MAXLENGTH_VALID": "texto longo demais",
    "SCHEMAV_CVC_COMPLEX_TYPE_4": "atributo ausente",
    "SCHEMAV_CVC_ELT_1": "elemento desconhecido",
}
"""By libxml2's name of the error, of which there are many more."""
_ANY_REASON = "conteúdo inválido"


def first_fault(schema: etree.XMLSchema, root: etree._Element) -> str | None:
    """Where and why a message is not as its XSD wants it; None if it is."""
    if schema.validate(root):
        return None
    log: Any = schema.error_log
    error = log.filter_from_errors()[0]
    found: Any = root.getroottree().xpath(error.path)
    where = _path_of(found[0]) if found else local_name(root)
    return f"{where}: {_REASONS.get(error.type_name, _ANY_REASON)}"


def _path_of(element: etree._Element) -> str:
    """`enviNFe/NFe/infNFe/det[2]/prod/NCM`."""
    way = [*reversed(list(element.iterancestors())), element]
    return "/".join(map(_step, way))


def _step(element: etree._Element) -> str:
    parent = element.getparent()
    alike = [] if parent is None else list(parent.iterchildren(element.tag))
    number = f"[{alike.index(element) + 1}]" if len(alike) > 1 else ""
    return f"{local_name(element)}{number}"
