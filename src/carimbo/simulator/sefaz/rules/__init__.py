"""Rules of every SEFAZ family; each family defines their codes and their order."""
