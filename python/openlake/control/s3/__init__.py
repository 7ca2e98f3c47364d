"""The control verbs of S3, one module a resource; each verb is a function of its own name."""
