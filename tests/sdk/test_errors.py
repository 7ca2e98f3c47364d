"""Failures without a server: each has its class, and says what failed."""

import pickle
import socket
import threading

import pytest

from openlake import Client
from openlake.errors import (
    BY_CODE,
    AccessDeniedError,
    BrokenConnectionError,
    ConnectError,
    DeadlineError,
    Facts,
    InvalidInputError,
    OutOfSpaceError,
    ServiceError,
    of_native,
)
from openlake.sdk import ClientConfig, PutOptions

FACTS = Facts(
    message="no", status=404, code="NoSuchKey", request_id="R", bucket="b", key="k", attempts=2
)


def service_error(status: int, code: str) -> Exception:
    facts = FACTS.copy()
    facts["status"], facts["code"] = status, code
    return of_native("service", **facts)


def test_codes_come_before_statuses_and_unknown_ones_are_service_errors() -> None:
    for code, kind in BY_CODE.items():
        assert type(service_error(404, code)) is kind
    assert type(service_error(403, "Strange")) is AccessDeniedError
    assert type(service_error(507, "Strange")) is OutOfSpaceError
    assert type(service_error(418, "Strange")) is ServiceError


def test_an_error_tells_all_and_survives_pickling() -> None:
    error = of_native("service", **FACTS)
    told = "NoSuchKey: no (s3://b/k, HTTP 404, request R, 2 attempts)"
    assert str(error) == told
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - made on the line itself
    assert (type(copy), str(copy), copy.key) == (type(error), told, "k")


def test_https_is_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidInputError, match="use the http:// address"):
        Client("https://127.0.0.1:9000", access_key="a", secret_key="b")


def test_nobody_listening_is_a_connection_error() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}"
        config = ClientConfig(endpoint=endpoint, access_key="a", secret_key="b", attempts_max=1)
        with pytest.raises(ConnectError, match="cannot connect") as caught:
            Client(config=config).get_object("bkt", "k")
    assert isinstance(caught.value, ConnectionError)


def test_a_silent_server_meets_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        config = ClientConfig(endpoint=endpoint, access_key="a", secret_key="b", deadline_s=0.1)
        with pytest.raises(DeadlineError):
            Client(config=config).get_object("bkt", "k")


def test_a_conditional_put_whose_answer_is_lost_is_not_repeated() -> None:
    """RFC 9110, 9.2.2: a second one would find the object of the first."""
    requests = []

    def hang_up(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            requests.append(connection.recv(65536))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=hang_up, args=(listener,))
        thread.start()
        port = listener.getsockname()[1]
        client = Client(f"http://127.0.0.1:{port}", access_key="a", secret_key="s")
        with pytest.raises(BrokenConnectionError, match="carried it out is not known") as raised:
            client.put_object("b", "k", b"abc", PutOptions(if_none_match=True))
        thread.join()
    assert raised.value.attempts == 1
    assert [request.split(b"\r\n")[0] for request in requests] == [b"PUT /b/k HTTP/1.1"]
