"""The search of the documentation, run by node over the index of our own contract."""

import json
import subprocess
from importlib.resources import files

from carimbo.api.docs_contract import events_of
from carimbo.api.docs_page import search_index
from unit.api.docs_contracts import our_contract, our_operations

ADDRESSES = {
    "cancelar": "nf-e#cancelNfe",
    "emitir nf-e": "nf-e#createNfe",
    "inutilizar": "nf-e#inutilizeNfe",
    "listar": "empresas#listCompanies",
    "NOT_FOUND": "erros#erro-NOT_FOUND",
    "nfe.authorized": "eventos#onNfeAuthorized",
    "items[0].ncm": "nf-e#createNfe.items",
    "troco": "nfc-e#createNfce",
    "shortcutReady": "empresas#readCompanyStatus",
    "CERTIFICATE_NOT_ACCEPTED": "nf-e#readNfe",
}
RUN = """
const { index, queries } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const entries = entriesOf(index, "");
const addresses = (query) => matchesOf(query, entries).map((entry) => entry.address);
console.log(JSON.stringify(Object.fromEntries(queries.map((query) => [query, addresses(query)]))));
"""


def results() -> dict[str, list[str]]:
    """Returns the addresses that each query leads to."""
    index = search_index(list(our_operations().values()), list(events_of(our_contract())))
    program = files("carimbo.api").joinpath("static", "search.js").read_text("utf-8") + RUN
    given = json.dumps({"index": json.loads(index), "queries": [*ADDRESSES, "nada-disso"]})
    run = subprocess.run(["node", "-e", program], input=given, capture_output=True, text=True, check=True)
    return dict(json.loads(run.stdout))


def test_search_finds_what_a_reader_types_and_nothing_for_unknown_words() -> None:
    addresses = results()
    assert {query: address for query, address in ADDRESSES.items() if address not in addresses[query]} == {}
    assert addresses["nada-disso"] == []
