"""Services, answers, events and rules that the SEFAZ families (NF-e, CT-e, MDF-e) share."""
