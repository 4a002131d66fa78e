"""Files of others: a browser stores them and never runs them as pages of ours."""

from integration.dashboard.issued.conftest import OpenWindow
from integration.exports.exporting import this_month
from integration.issuing.shop import Shop


async def test_xml_csv_and_zip_files_are_stored_and_never_run(shop: Shop, look_at: OpenWindow) -> None:
    document, window = await shop.issue("nfe"), await look_at(shop)
    fields = {"mes": f"{this_month():%Y-%m}", "conteudo": "xml"}
    base = f"{window.base}/exportacoes"
    started = await window.panel.send(base, f"{base}/baixar", **fields)
    for address, media_type in (
        (f"{window.base}/documentos/{document['id']}/xml", "application/xml"),
        (f"{window.base}/documentos?formato=csv", "text/csv"),
        (f"{started.headers['location']}/arquivo", "application/zip"),
    ):
        answer = await window.panel.http.get(address)
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, media_type)
        assert answer.headers["content-disposition"].startswith("attachment; filename=")
        assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert answer.headers["x-content-type-options"] == "nosniff"
