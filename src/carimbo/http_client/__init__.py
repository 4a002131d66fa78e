"""HTTP/1.1 client for the tax authorities and for webhook receivers; it knows neither of them."""
