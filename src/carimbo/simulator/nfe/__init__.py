"""NF-e and NFC-e (layout 4.00): the services and rules of SEFAZ."""
