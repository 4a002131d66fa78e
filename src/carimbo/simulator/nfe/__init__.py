"""NF-e and NFC-e (layout 4.00) as SEFAZ judges them."""
