"""What the SEFAZ families (NF-e, CT-e, MDF-e) share: services, answers, events and rules over a dialect."""
