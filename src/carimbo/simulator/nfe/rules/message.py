"""The message: its size, its encoding, its form and its version (MOC 7.0, groups B to D)."""

import re
from copy import deepcopy

from lxml import etree

from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator.element_names import is_prefixed, local_name
from carimbo.simulator.nfe.call import UTF_8, Call
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.xsd_faults import first_fault

_LARGEST = 500 * 1024
_LONGEST_TEXT = 255
"""Of `xMotivo`, in which the official text comes first."""
_LOT = "enviNFe"
_DISTRIBUTION, _OLDER_DISTRIBUTION, _NEWER_DISTRIBUTION = "distDFeInt", "1.01", "1.35"
_VERSIONS = {
    _DISTRIBUTION: (_OLDER_DISTRIBUTION, _NEWER_DISTRIBUTION),
    "envEvento": ("1.00",),
    "ConsCad": ("2.00",),
}
_VERSIONS_OF_THE_REST = ("4.00",)

_EDITED = etree.XPath("boolean(//text()[not(normalize-space()) and ../*])")
# Looking at every node takes long; where none of these is there is nothing to look for.
_SIGN_OF_AN_ASIDE = re.compile(rb"<(?:!--|\?)")
_SIGN_OF_EDITING = re.compile(rb">(?:[ \n\t]|&#13;)")
_ENVIRONMENTS = ("{*}tpAmb", "{*}infInut/{*}tpAmb")


def too_large(call: Call) -> bool:
    """MOC 7.0, B01: 500 kB."""
    return len(call.text) > _LARGEST


def other_encoding(call: Call) -> bool:
    """MOC 7.0, D03."""
    return call.envelope_encoding != UTF_8


def prefixed(call: Call) -> bool:
    """MOC 7.0, D02."""
    return is_prefixed(call.text, call.root)


def edited(call: Call) -> bool:
    """MOC 7.0, D01e: white space between tags; what is around the message belongs to its envelope."""
    return bool(_SIGN_OF_EDITING.search(call.text)) and bool(_EDITED(call.root))


def other_version(call: Call) -> bool:
    """MOC 7.0, group C: a version of the layout that the service does not know."""
    known = _VERSIONS.get(local_name(call.root), _VERSIONS_OF_THE_REST)
    return call.root.get("versao") not in known


def misformed_lot(call: Call) -> Finding:
    """MOC 7.0, D01, for `enviNFe`."""
    return _misformed(call, "225") if local_name(call.root) == _LOT else None


def misformed(call: Call) -> Finding:
    """MOC 7.0, D01, for every message but `enviNFe`."""
    return _misformed(call, "215") if local_name(call.root) != _LOT else None


def other_environment(call: Call) -> bool:
    """MOC 7.0, B24-10 and the like: documents and events of a lot tell their environments themselves."""
    told = [environment for path in _ENVIRONMENTS if (environment := call.root.findtext(path))]
    return any(environment != call.place.environment for environment in told)


def _misformed(call: Call, code: str) -> Finding:
    if _SIGN_OF_AN_ASIDE.search(call.text):
        return f"[{local_name(call.root)}: comentário ou instrução de processamento]"
    if call.schema is None:
        return None
    fault = first_fault(call.world.xsds.of(call.schema), _as_the_xsd_knows_it(call.root))
    return fault and _told(fault, code)


def _as_the_xsd_knows_it(root: etree._Element) -> etree._Element:
    """Many ask for version 1.35 of the distribution, which differs from 1.01 in nothing but its number."""
    if local_name(root) != _DISTRIBUTION or root.get("versao") != _NEWER_DISTRIBUTION:
        return root
    older = deepcopy(root)
    older.set("versao", _OLDER_DISTRIBUTION)
    return older


def _told(fault: str, code: str) -> str:
    """The fault in brackets, as long as there is room for after the official text."""
    room = _LONGEST_TEXT - len(f"Rejeição: {NFE_STATUSES[code].text} []")
    return f"[{fault[-room:]}]"


FORM_RULES: tuple[Rule[Call], ...] = (
    Rule("214", too_large),
    Rule("402", other_encoding),
    Rule("404", prefixed),
    Rule("588", edited),
    Rule("239", other_version),
    Rule("225", misformed_lot),
    Rule("215", misformed),
    Rule("252", other_environment),
)
