"""The HTTP layer: routing, authentication, decoding, status codes, metrics, the OpenAPI document."""
