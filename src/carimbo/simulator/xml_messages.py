"""XML of messages in any family: names, gzip, official XSDs, and elements of answers."""

import zlib
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from carimbo.fiscal.schemas.files import Schema, compile_schema, files_in_force
from carimbo.simulator.identifiers import is_person

_PREFIXED = etree.XPath("boolean(//*[contains(name(), ':')] | //@*[contains(name(), ':')])")
# Checking every node is slow: messages without these bytes are not checked.
_SIGNS_OF_PREFIXES = (b"xmlns:", b" xml:")
_GZIP = 16 + zlib.MAX_WBITS
_REASONS = {
    "SCHEMAV_ELEMENT_CONTENT": "elemento inesperado, repetido ou ausente",
    "SCHEMAV_CVC_PATTERN_VALID": "formato inválido",
    "SCHEMAV_CVC_ENUMERATION_VALID": "valor não previsto",
    "SCHEMAV_CVC_MINLENGTH_VALID": "texto curto demais",
    "SCHEMAV_CVC_MAXLENGTH_VALID": "texto longo demais",
    "SCHEMAV_CVC_COMPLEX_TYPE_4": "atributo ausente",
    "SCHEMAV_CVC_ELT_1": "elemento desconhecido",
}
"""By libxml2's name of the error; other errors get `_ANY_REASON`."""
_ANY_REASON = "conteúdo inválido"
APPLICATION = "CARIMBO_SIM_1.0"
"""`verAplic` of the answers."""


def local_name(element: etree._Element) -> str:
    """Returns the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def is_prefixed(text: bytes, root: etree._Element) -> bool:
    """Returns whether elements or attributes have prefixes; an unused declaration is allowed."""
    return any(sign in text for sign in _SIGNS_OF_PREFIXES) and bool(_PREFIXED(root))


def unzipped(text: str, max_bytes: int) -> bytes | None:
    """Returns unzipped base64, cut after `max_bytes` + 1 bytes; None if it is incomplete or invalid."""
    stream = zlib.decompressobj(_GZIP)
    try:
        content = stream.decompress(b64decode(text, validate=True), max_bytes + 1)
    except (ValueError, zlib.error):
        return None
    is_whole = stream.eof and not stream.unused_data
    return content if is_whole or len(content) > max_bytes else None


class Xsds:
    """The XSDs in force, including newer ones of the operator. Each is compiled once."""

    def __init__(self, folder: Path | None = None) -> None:
        self._files = files_in_force(folder)
        self._compiled: dict[Schema, etree.XMLSchema] = {}

    def of(self, schema: Schema) -> etree.XMLSchema:
        """Returns the compiled schema of a message."""
        if schema not in self._compiled:
            self._compiled[schema] = compile_schema(self._files[schema])
        return self._compiled[schema]


BUILT_IN_XSDS = Xsds()
"""The XSDs of the package."""


def first_fault(schema: etree.XMLSchema, root: etree._Element) -> str | None:
    """Returns where and why a message violates its XSD, in Portuguese; None if it is valid."""
    if schema.validate(root):
        return None
    log: Any = schema.error_log
    error = log.filter_from_errors()[0]
    elements: Any = root.getroottree().xpath(error.path)
    where = _path_of(elements[0]) if elements else local_name(root)
    return f"{where}: {_REASONS.get(error.type_name, _ANY_REASON)}"


def _path_of(element: etree._Element) -> str:
    """`enviNFe/NFe/infNFe/det[2]/prod/NCM`."""
    steps = []
    for step in [*reversed(list(element.iterancestors())), element]:
        parent = step.getparent()
        siblings = [] if parent is None else list(parent.iterchildren(step.tag))
        position = f"[{siblings.index(step) + 1}]" if len(siblings) > 1 else ""
        steps.append(f"{local_name(step)}{position}")
    return "/".join(steps)


def element_with(tag: str, content: str) -> str:
    """Returns an element with content."""
    return f"<{tag}>{content}</{tag}>"


def text_elements(values: Mapping[str, str]) -> str:
    """Returns an element for each non-empty text, in their order."""
    return "".join(element_with(tag, escape(text)) for tag, text in values.items() if text)


def tax_id_field(number: str, suffix: str = "") -> dict[str, str]:
    """Returns a tax id under `CNPJ` or `CPF`, by its length."""
    return {f"CPF{suffix}" if is_person(number) else f"CNPJ{suffix}": number}
