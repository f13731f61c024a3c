import pytest

from addhash.errors import DocumentError, ExampleError
from addhash.service.errors import BusyError, ConflictError, UnknownError
from addhash.service.problems import RequestError, as_request_error


def test_a_busy_server_says_when_to_try_again():
    refusal = as_request_error(BusyError("The server is stopping.", 5))
    assert (refusal.status, refusal.headers) == (503, {"Retry-After": "5"})
    assert as_request_error(MemoryError()).headers == {"Retry-After": "1"}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UnknownError("There is none."), 404),
        (ConflictError("It is there.", value="a"), 409),
        (ExampleError("It was never learnt."), 409),
        (DocumentError("It is\nlong."), 422),
        (OSError("/a/path"), 507),
        (RuntimeError("a secret text"), 500),
        (RequestError(418, "A teapot."), 418),
    ],
)
def test_every_error_has_a_status_and_one_line_that_tells_no_text(error, status):
    body = as_request_error(error).body()
    assert body["status"] == status
    assert "\n" not in body["detail"]
    assert "secret" not in body["detail"]
    assert "path" not in body["detail"]
