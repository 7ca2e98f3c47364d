"""Operating errors of the server that end a command with their message."""


class ServeError(Exception):
    """The server did not start, or could not go on."""


class LocalSocketError(Exception):
    """The running server could not be asked, or refused what was asked."""
