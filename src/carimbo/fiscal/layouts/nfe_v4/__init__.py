"""NF-e and NFC-e, layout 4.00 (schema package PL_010f): one module per part of the document."""
