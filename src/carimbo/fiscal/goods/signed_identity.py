"""What a signed NF-e or NFC-e says of itself."""

import re
from functools import partial

from carimbo.fiscal.signed_identity import signed_identity

identity_of_invoice = partial(signed_identity, re.compile(rb'<infNFe [^>]*?Id="NFe([0-9A-Z]{44})"'))
"""Reads key and moment of a document that we wrote."""
