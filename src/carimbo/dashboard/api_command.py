"""Calls of the API as commands for a shell, for what people do by their own programs."""

from carimbo.dashboard.shown import indented_json
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.document_type import DocumentType
from carimbo.web.body_examples import body_examples


def api_command(visit: CompanyVisit, method: str, path: str, body: str = "") -> str:
    """Returns a call about the company. The body is between quotes in which a shell replaces nothing."""
    lines = [
        f"curl -X {method} '{visit.link_base}/v1/companies/{visit.company.id}{path}'",
        f"-H 'X-Api-Key: {visit.subscription_id}'",
        '-H "X-Api-Secret: $CARIMBO_API_SECRET"',
    ]
    if not body:
        return " \\\n  ".join(lines)
    lines += ["-H 'Content-Type: application/json'", "--data-binary @- <<'JSON'"]
    return " \\\n  ".join(lines) + f"\n{body}\nJSON"


def smallest_body(operation: str, document_type: DocumentType) -> str:
    """Returns the smallest example of the body of an operation on a type; empty if it has no body."""
    name = f"{operation}{document_type.name[0].upper()}{document_type.name[1:]}"
    examples = [*body_examples().get(name, {}).values()]
    return indented_json(examples[0]["value"]) if examples else ""
