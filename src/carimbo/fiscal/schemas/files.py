"""Which XSD file is in force for a message, and how it becomes a compiled schema."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema

PACKAGE = "nfelib"
"""The installed distribution that carries the official XSDs."""


class SchemaUnusable(ValueError):
    """An XSD that is missing or does not compile; the message names the file, in Portuguese."""


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """The file in force for a message."""

    path: Path
    is_operators: bool
    """From the operator's folder, and then taken as it is."""


_INCLUDED = ("{http://www.w3.org/2001/XMLSchema}include", "{http://www.w3.org/2001/XMLSchema}import")
_PATTERN = "{http://www.w3.org/2001/XMLSchema}pattern"

# CNPJs and access keys hold letters since July 2026 (NT Conjunta 2025.001), protocols may have 17 digits
# (TProt of tiposBasico_v4.00), and the official packages say so. nfelib 3.2 has older XSDs of events,
# inutilization and consult: these are the types and attributes that stayed behind, with what they became.
# An Id is `ID` + event (6) + key (44) + sequence (2), or `ID` + state (2) + year (2) + CNPJ (14) + model,
# series and two numbers (23), or `ID` + protocol.
_STATE_AND_MONTH = r"(1[1-7]|2[1-9]|3[1,2,3,5]|4[1-3]|5[0-3])(0[6-9]|[1-9][\d])(0[1-9]|1[0-2])"
_AFTER_CNPJ = r"([\d]{5})([\d]{9})([\d]{10})"
WIDER: Mapping[tuple[str, str], str] = {
    ("TCnpj", "[0-9]{14}"): "[0-9A-Z]{12}[0-9]{2}",
    ("TCnpjVar", "[0-9]{3,14}"): "[0-9]{3,14}|[0-9A-Z]{12}[0-9]{2}",
    ("TCnpjOpc", "[0-9]{0}|[0-9]{14}"): "[0-9]{0}|[0-9A-Z]{12}[0-9]{2}",
    ("TChNFe", "[0-9]{44}"): "[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
    ("TChNFe", _STATE_AND_MONTH + r"([\d]{14})" + _AFTER_CNPJ): (
        _STATE_AND_MONTH + r"([0-9A-Z]{12}[\d]{2})" + _AFTER_CNPJ
    ),
    ("TProt", "[0-9]{15}"): "[0-9]{15}|[0-9]{17}",
    ("Id", "ID[0-9]{52}"): "ID[0-9]{12}[0-9A-Z]{12}[0-9]{28}",
    ("Id", "ID[0-9]{41}"): "ID[0-9]{4}[0-9A-Z]{12}[0-9]{25}",
    ("Id", "ID[0-9]{15}"): "ID[0-9]{15}|ID[0-9]{17}",
    # Keys and Ids of the national NFS-e have the CNPJ where real ones have it: the newer official pattern of
    # the key places its letters elsewhere. Before it stand the municipality (7), in keys the system (1), and
    # the kind of taxpayer (1).
    ("TSCNPJ", "[0-9]{14}"): "[0-9A-Z]{12}[0-9]{2}",
    ("TSChaveNFe", "[0-9]{44}"): "[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
    ("TSChaveNFSe", "[0-9]{50}"): "[0-9]{9}[0-9A-Z]{12}[0-9]{29}",
    ("TSIdDPS", "DPS[0-9]{42}"): "DPS[0-9]{8}[0-9A-Z]{12}[0-9]{22}",
    ("TSIdNFSe", "NFS[0-9]{50}"): "NFS[0-9]{9}[0-9A-Z]{12}[0-9]{29}",
    ("TSIdPedRegEvt", "PRE[0-9]{56}"): "PRE[0-9]{9}[0-9A-Z]{12}[0-9]{35}",
    ("TSIdEvento", "EVT[0-9]{59}"): "EVT[0-9]{9}[0-9A-Z]{12}[0-9]{38}",
    ("TSIdNumEvento", "[0-9]{59}"): "[0-9]{9}[0-9A-Z]{12}[0-9]{38}",
}


def widened(xsd: bytes) -> bytes:
    """An XSD of nfelib with what the official packages have come to accept."""
    tree = etree.fromstring(xsd)
    for pattern in tree.iter(_PATTERN):
        owner = next(name for name in (one.get("name") for one in pattern.iterancestors()) if name)
        wider = WIDER.get((owner, pattern.get("value", "")))
        if wider:
            pattern.set("value", wider)
    return etree.tostring(tree)


def files_in_force(folder: Path | None) -> Mapping[Schema, SchemaFile]:
    """The file of every message: the operator's where there is one, else nfelib's."""
    package, operators = _package_folder(), _found_below(folder) if folder else {}
    return {
        schema: SchemaFile(operators[schema.file_name], is_operators=True)
        if schema.file_name in operators
        else SchemaFile(package / schema.value, is_operators=False)
        for schema in Schema
    }


def _package_folder() -> Path:
    """Where nfelib is, found without importing it: its bindings are megabytes of Python that we don't use."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SchemaUnusable(f"O pacote {PACKAGE}, que traz os schemas oficiais, não está instalado.")
    return Path(spec.submodule_search_locations[0])


def _found_below(folder: Path) -> dict[str, Path]:
    """XSDs by name; of equal names the one in the greater folder name stays, as PL_010f follows PL_010d."""
    if not folder.is_dir():
        raise SchemaUnusable(f"A pasta de schemas {folder} não existe.")
    files = sorted(folder.rglob("*.xsd"), key=lambda file: file.relative_to(folder).parent.parts)
    return {file.name: file for file in files}


class _BesideTheFirst(etree.Resolver):
    """Reads what an XSD includes from the folder of the first one, and from nowhere else."""

    def __init__(self, first: SchemaFile) -> None:
        self._first = first

    def resolve(self, system_url: str, public_id: str, context: Any = None) -> Any:
        path = self._first.path.with_name(Path(system_url).name)
        return self.resolve_string(_read(path, self._first), context, base_url=str(path))


def _read(path: Path, first: SchemaFile) -> bytes:
    return path.read_bytes() if first.is_operators else widened(path.read_bytes())


# While lxml compiles, it replaces the loader of included files of the whole process. If two threads do so
# at once, one of them may read nfelib's files as they are, or fail for types that libxml2 has not made yet.
_COMPILING = threading.Lock()


def compiled(file: SchemaFile) -> etree.XMLSchema:
    """Compiles an XSD with all that it includes, in one thread at a time; raises SchemaUnusable."""
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_BesideTheFirst(file))
    try:
        xsd = etree.fromstring(_read(file.path, file), parser, base_url=str(file.path))
        with _COMPILING:
            return etree.XMLSchema(xsd)
    except (OSError, etree.LxmlError) as error:
        raise SchemaUnusable(f"O schema {file.path} não pode ser usado: {_reason(error)}") from error


def sources(file: SchemaFile) -> list[etree._Element]:
    """The XSD in force and all that it includes, as they are written."""
    found: dict[Path, etree._Element] = {}
    names = [file.path]
    for path in names:
        if path not in found:
            found[path] = etree.fromstring(_read(path, file))
            included = (one.get("schemaLocation") for one in found[path].iterchildren(*_INCLUDED))
            names += [file.path.with_name(Path(location).name) for location in included if location]
    return list(found.values())


def _reason(error: Exception) -> str:
    """The first complaint, with the file that it is about: often an included one."""
    if not isinstance(error, etree.XMLSchemaParseError):
        return str(error)
    log: Any = error.error_log
    first = log.filter_from_errors()[0]
    return f"{Path(first.filename).name}, linha {first.line}: {first.message}"
