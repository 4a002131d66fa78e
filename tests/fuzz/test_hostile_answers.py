"""Answers of authorities, and signed XML of points of sale, with any damage: nothing raises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.identity.signature import Signer
from unit.fiscal import test_nfce_signed_xml_form as signed_xml
from unit.fiscal.layouts import test_dps_v1_answers_hostile as nfse
from unit.fiscal.layouts import test_nfe_v4_hostile_answers as nfe
from unit.fiscal.point_of_sale import PointOfSale


@given(nfe.ANY_BYTES)
def test_any_bytes_judge_no_nfe(body: bytes) -> None:
    nfe.assert_readers_judge_nothing(body)


@given(nfe.damaged_answers())
def test_damaged_answers_about_an_nfe_are_read(body: bytes) -> None:
    nfe.assert_readers_answer(body)


@given(nfe.ODD_VALUES)
def test_odd_values_in_answers_about_an_nfe_are_read(values: list[tuple[str, str]]) -> None:
    nfe.assert_readers_answer(*nfe.answers_with(values))


@given(nfse.ANY_BYTES | nfse.damaged_answers() | nfse.ODD_VALUES | nfse.damaged_documents())
def test_hostile_answers_about_an_nfse_are_read(body: bytes) -> None:
    nfse.assert_readers_answer(body)


@given(nfse.ANY_BYTES)
def test_presence_of_an_nfse_depends_on_the_status_alone(body: bytes) -> None:
    nfse.assert_presence_depends_on_the_status_alone(body)


@pytest.fixture(scope="module")
def documents(signer: Signer) -> tuple[bytes, ...]:
    """A signed NFC-e of each version of the QR code."""
    shop = PointOfSale(signer)
    return shop.v2(), shop.v3()


@given(signed_xml.ANY_BYTES)
def test_any_bytes_are_no_signed_nfce(xml: bytes) -> None:
    signed_xml.assert_gives_problems(xml)


@given(st.data())
def test_a_damaged_nfce_is_refused_or_kept_as_it_is(
    documents: tuple[bytes, ...], data: st.DataObject
) -> None:
    xml = signed_xml.damaged(data, data.draw(st.sampled_from(documents)))
    signed_xml.assert_gives_problems_or_is_kept(xml)
