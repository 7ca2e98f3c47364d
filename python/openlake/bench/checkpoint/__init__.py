"""The checkpoint job: eight ranks save and load a Llama-shaped checkpoint, every byte compared."""
