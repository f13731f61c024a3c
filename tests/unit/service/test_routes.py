"""Paths lead to their endpoints, whatever else is in them."""

import asyncio

import pytest

from addhash.service.app import all_operations
from addhash.service.routes import Routes


class Endpoint:
    """Notes what it was asked."""

    def __init__(self, path, asked):
        self.path, self.asked = path, asked

    async def __call__(self, scope, receive, send):
        self.asked.append((self.path, scope["path_params"]))


def routed(paths, asked_path, mounted=""):
    asked = []
    routes = Routes([Endpoint(path, asked) for path in paths], Endpoint("nowhere", asked))
    scope = {"type": "http", "path": asked_path, "root_path": mounted}
    asyncio.run(routes(scope, None, None))
    return asked[0]


PATHS = ["/", "/v1/models", "/v1/models/{model}", "/v1/models/{model}/examples/{id}", "/v1/new"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", ("/", {})),
        ("/v1/models", ("/v1/models", {})),
        ("/v1/models/mail", ("/v1/models/{model}", {"model": "mail"})),
        ("/v1/models/{model}", ("/v1/models/{model}", {"model": "{model}"})),
        (
            "/v1/models/a b/examples/7",
            ("/v1/models/{model}/examples/{id}", {"model": "a b", "id": "7"}),
        ),
        ("/v1/new", ("/v1/new", {})),
    ],
)
def test_a_path_leads_to_its_endpoint(path, expected):
    assert routed(PATHS, path) == expected
    assert routed(PATHS, f"/mounted{path}", "/mounted") == expected


@pytest.mark.parametrize(
    "path", ["", "//", "/v1", "/v1/models/", "/v1/models//examples/7", "/v1/models/a/b", "/V1/new"]
)
def test_other_paths_lead_nowhere(path):
    assert routed(PATHS, path)[0] == "nowhere"


def test_every_operation_is_reached():
    paths = sorted({operation.path for operation in all_operations()})
    for path in paths:
        filled = path.replace("{", "some-").replace("}", "")
        assert routed(paths, filled)[0] == path
