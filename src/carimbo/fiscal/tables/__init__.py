"""Official codes as data, each table with its source and date."""
