"""Rules that hold for every SEFAZ family; each family gives them its codes and their order."""
