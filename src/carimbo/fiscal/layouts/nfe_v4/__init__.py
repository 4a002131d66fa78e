"""NF-e and NFC-e, layout 4.00 (schema package PL_010f): groups, events, inutilization and dialect."""
