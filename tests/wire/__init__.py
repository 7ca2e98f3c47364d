"""The wire itself: signatures, framing and input that no client library would send."""
