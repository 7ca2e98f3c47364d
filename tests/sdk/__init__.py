"""The Python SDK: clients, their settings and errors, the load generator, the pattern."""
