"""Rules about a message: size, form, version (MOC 7.0, groups B to D), sender and signature (A, E, F)."""

import re
from collections.abc import Callable
from copy import deepcopy

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.authorities import states_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.identifiers import is_person, tax_id_base
from carimbo.simulator.rules import (
    AuthorityVerdict,
    Finding,
    RejectionRule,
    SignedMessage,
    certificate_rules,
    flaws_of,
    flaws_of_signer,
)
from carimbo.simulator.sefaz.call import UTF_8, ReceivedMessage, ServiceCall
from carimbo.simulator.sefaz.dialect import MAX_MESSAGE_LENGTH, FamilyDialect
from carimbo.simulator.trust import CertificateFlaw
from carimbo.simulator.xml_messages import first_fault, is_prefixed, local_name

SCHEMA = "215"
"""The code of most XSD violations, in every family."""

_EDITED = etree.XPath("boolean(//text()[not(normalize-space()) and ../*])")
# Checking every node is slow: messages without these bytes are not checked.
_COMMENT_OR_INSTRUCTION = re.compile(rb"<(?:!--|\?)")
_XMLDSIG = "http://www.w3.org/2000/09/xmldsig#"
_DECLARED = re.compile(rb"xmlns\s*=\s*[\"']([^\"']*)[\"']")
_WHITE_SPACE_AFTER_TAG = re.compile(rb">(?:[ \n\t]|&#13;)")
_SENDER_CODES = {flaw: str(280 + flaw) for flaw in CertificateFlaw}
"""MOC 7.0, A01 to A07."""
_SIGNER_CODES = {flaw: str(290 + flaw) for flaw in CertificateFlaw}
"""MOC 7.0, E01 to E07."""


def too_large(call: ServiceCall) -> bool:
    """MOC 7.0, B01."""
    return len(call.text) > call.dialect.max_message_bytes


def other_encoding(call: ServiceCall) -> bool:
    """MOC 7.0, D03."""
    return call.envelope_encoding != UTF_8


def prefixed(call: ServiceCall) -> bool:
    """MOC 7.0, D02."""
    return is_prefixed(call.text, call.root)


def edited(call: ServiceCall) -> bool:
    """MOC 7.0, D01e: white space between tags. White space around the message belongs to the envelope."""
    return bool(_WHITE_SPACE_AFTER_TAG.search(call.text)) and bool(_EDITED(call.root))


def other_version(call: ServiceCall) -> bool:
    """MOC 7.0, group C: a version of the layout that the service does not support."""
    return call.root.get("versao") not in _versions(call.dialect, call.root)


def unsupported_version(call: ServiceCall) -> bool:
    """MOC CT-e and MDF-e, 239; a document has its version in the signed part."""
    signed = call.root.find(call.dialect.tag(call.dialect.content_tag))
    return other_version(call) if signed is None else signed.get("versao") != call.dialect.version


def foreign_namespace(call: ServiceCall) -> bool:
    """MOC CT-e and MDF-e, 598: an element of another namespace than the family's and that of signatures."""
    own = (call.dialect.namespace, _XMLDSIG)
    # Elements without a prefix declare their namespace.
    declared = {address.decode(errors="replace") for address in _DECLARED.findall(call.text)}
    if declared and declared <= set(own):
        return False
    return any(etree.QName(element).namespace not in own for element in call.root.iter(etree.Element))


def other_environment(call: ServiceCall) -> bool:
    """MOC 7.0, B24-10 and others. Documents and events have an environment of their own."""
    environment = call.text_at("tpAmb")
    return bool(environment) and environment != call.service_path.environment


def header_missing(call: ServiceCall) -> bool:
    """MOC MDF-e, 242."""
    return call.needs_header and call.header is None


def header_without_state(call: ServiceCall) -> bool:
    """MOC MDF-e, 409."""
    return call.header is not None and not call.header.findtext("{*}cUF")


def header_of_another_authorizer(call: ServiceCall) -> bool:
    """MOC MDF-e, 410: a state that the authority does not serve."""
    code = call.header.findtext("{*}cUF") if call.header is not None else ""
    state, model = state_of_ibge(code or ""), call.dialect.model_at(call.service_path)
    served = states_of(model, call.service_path.authorizer)
    return bool(code) and (state is None or state.code not in served)


def header_without_version(call: ServiceCall) -> bool:
    """MOC MDF-e, 411."""
    return call.header is not None and not call.header.findtext("{*}versaoDados")


def header_of_another_version(call: ServiceCall) -> bool:
    """MOC MDF-e, 239: another version than that of the message."""
    version = call.header.findtext("{*}versaoDados") if call.header is not None else ""
    return bool(version) and version not in _versions(call.dialect, call.root)


def schema_rule(code: str, where: Callable[[ServiceCall], bool] | None = None) -> RejectionRule[ServiceCall]:
    """Returns the rule that a message is valid against its XSD (MOC 7.0, D01)."""

    def misformed(call: ServiceCall) -> Finding:
        if _COMMENT_OR_INSTRUCTION.search(call.text):
            return f"[{local_name(call.root)}: comentário ou instrução de processamento]"
        return schema_fault(call, call.root, call.schema, code)

    return RejectionRule(code, misformed, where)


def schema_fault(
    received: ReceivedMessage, root: etree._Element, schema: Schema | None, code: str = SCHEMA
) -> str | None:
    """Returns the first violation in brackets, cut to the space after the official text of a code."""
    if schema is None:
        return None
    dialect = received.dialect
    fault = first_fault(received.context.xsds.of(schema), _with_xsd_version(dialect, root))
    if fault is None:
        return None
    room = MAX_MESSAGE_LENGTH - len(f"{dialect.text_of(AuthorityVerdict(code))} []")
    return f"[{fault[-room:]}]"


def _versions(dialect: FamilyDialect, root: etree._Element) -> tuple[str, ...]:
    return dialect.versions.get(local_name(root)) or (dialect.version,)


def _with_xsd_version(dialect: FamilyDialect, root: etree._Element) -> etree._Element:
    """A message with the version of its XSD: other versions differ in their number only."""
    first, *others = _versions(dialect, root)
    if root.get("versao") not in others:
        return root
    older = deepcopy(root)
    older.set("versao", first)
    return older


SENDER_RULES: tuple[RejectionRule[ServiceCall], ...] = certificate_rules(
    _SENDER_CODES, lambda call: flaws_of(call.sender, call.context)
)


def signature_malformed(signed: SignedMessage) -> bool:
    """MOC 7.0, F01: other algorithms, another reference, or no signature."""
    return signed.signature is None or not signed.signature.has_required_form


def signature_does_not_match(signed: SignedMessage) -> bool:
    """MOC 7.0, F02: a malformed signature is not calculated."""
    signature = signed.signature
    return signature is not None and signature.has_required_form and not signature.verifies


def signed_by_another_company(signed: SignedMessage) -> bool:
    """MOC 7.0, F03 (NT 2018.001): a certificate with a CNPJ whose base is not the author's."""
    owner = _owner(signed)
    return bool(owner) and not is_person(owner) and tax_id_base(owner) != tax_id_base(signed.author)


def signed_by_another_person(signed: SignedMessage) -> bool:
    """MOC 7.0, F03A (NT 2018.001): a certificate with a CPF that is not the author's."""
    owner = _owner(signed)
    return is_person(owner) and owner != signed.author


def _owner(signed: SignedMessage) -> str:
    """The owner of the certificate; empty if it has none, which another rule checks (292)."""
    credential = signed.signature and signed.signature.credential
    return credential.owner if credential else ""


def signature_rules(of_another_person: str) -> tuple[RejectionRule[SignedMessage], ...]:
    """Returns the rules about a signature.

    `of_another_person` is the family's code for a message that another person than its author signed.
    """
    return (
        *certificate_rules(_SIGNER_CODES, flaws_of_signer),
        RejectionRule("298", signature_malformed),
        RejectionRule("297", signature_does_not_match),
        RejectionRule("213", signed_by_another_company),
        RejectionRule(of_another_person, signed_by_another_person),
    )


SIGNATURE_RULES = signature_rules("227")
"""Of NF-e."""
