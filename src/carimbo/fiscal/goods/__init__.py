"""Code that NF-e and NFC-e share: requests, composition, taxes, totals, events and rules."""
