"""Functions that the definitions of NF-e and NFC-e share."""

import re
from datetime import date
from functools import partial

from carimbo.fiscal.calendar import rules_on
from carimbo.fiscal.goods.request import GoodsRequest
from carimbo.fiscal.issuance import STATES_DEMANDING_RESPONSIBLE, Software, signed_identity
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.taxes.pis_cofins import lacks_regime


def addressee_of(request: GoodsRequest) -> Addressee | None:
    """Returns the buyer; None if the request names none."""
    buyer = request.recipient
    return Addressee(buyer.name, buyer.email, buyer.tax_id) if buyer else None


identity_of_invoice = partial(signed_identity, re.compile(rb'<infNFe [^>]*?Id="NFe([0-9A-Z]{44})"'))
"""Reads the access key and the time of issue of a document that we wrote."""


def missing_for_rules(document: str, company: Company, software: Software, day: date) -> tuple[str, ...]:
    """Returns the settings that are missing for the rules of a document type on a day.

    These are the company's regime of PIS and COFINS while those taxes exist, and the technical responsible
    in states that demand one.
    """
    regime = ("pisCofinsRegime",) if lacks_regime(company, rules_on(day, document)) else ()
    return (*regime, *software.missing_settings(company.address.state, STATES_DEMANDING_RESPONSIBLE))
