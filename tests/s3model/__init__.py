"""The wire protocol against botocore, which is the independent client."""
