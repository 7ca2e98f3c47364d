"""The S3 verbs, and how the tests sign and send requests of their own."""
