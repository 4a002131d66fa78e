"""What NF-e and NFC-e have in common: the sale of goods, from request to document."""
