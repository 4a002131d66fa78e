"""JSON Schema keywords that publish in the contract the checks of our own validators."""

from collections.abc import Iterable

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

# Each pattern accepts all forms that the validator of the same type accepts, with and without punctuation.
_MARKS = r"[ ./-]*"
CNPJ_PATTERN = rf"^{_MARKS}([0-9A-Za-z]{_MARKS}){{12}}([0-9]{_MARKS}){{2}}$"
CPF_PATTERN = rf"^{_MARKS}([0-9]{_MARKS}){{11}}$"
TAX_ID_PATTERN = rf"^{_MARKS}(([0-9]{_MARKS}){{11}}|([0-9A-Za-z]{_MARKS}){{12}}([0-9]{_MARKS}){{2}})$"
REGISTRATION_PATTERN = rf"^{_MARKS}[Pp]?{_MARKS}([0-9]{_MARKS}){{2,14}}$"
RECIPIENT_REGISTRATION_PATTERN = rf"^\s*([Ii][Ss][Ee][Nn][Tt][Oo]\s*|{REGISTRATION_PATTERN[1:-1]})$"
ZIPCODE_PATTERN = r"^\s*[.-]*([0-9][.-]*){8}\s*$"
PHONE_PATTERN = r"^[\s().+-]*([0-9][\s().+-]*){6,14}$"
DAY_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].+)?$"
MOMENT_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].+$"
COUNTRY_PATTERN = r"^\s*([A-Za-z]{2}|[0-9]{1,4})\s*$"
BRAZIL_PATTERN = r"^\s*([Bb][Rr]|1058)\s*$"
CNAE_PATTERN = r"^[\s./-]*([0-9][\s./-]*){7}$"


class Published:
    """Adds keywords to the published schema of a type; has no effect on validation.

    Choices are read when the schema is generated, because an operator may replace the tables they come from.
    """

    def __init__(self, choices: Iterable[str] = (), **keywords: str | int) -> None:
        self._choices = choices
        self._keywords = keywords

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        choices = sorted(self._choices)
        return {**handler(core), **self._keywords, **({"enum": choices} if choices else {})}
