"""XML messages that NF-e, CT-e and MDF-e share: requests, answers, events and distribution, by dialect."""
