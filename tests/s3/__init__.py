"""The S3 protocol at the wire: signatures, bodies and input that no client library would send."""
