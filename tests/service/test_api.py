"""The server's answers, without a network."""

import asyncio
import csv
import errno
import importlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from addhash import TextClassifier, languages
from addhash.sample import load_messages
from addhash.service import Settings, create_app
from addhash.service.app import all_operations
from addhash.service.data_folder import DataFolder

TEXTS, LABELS = load_messages()
MAIL = "/v1/models/mail"
METHODS = ["bayes", "nearest", "centroid"]


def open_client(folder, given=(), **settings):
    app = create_app(given, data=folder, settings=Settings(**settings))
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path / "data") as client:
        client.post("/v1/models", json={"name": "mail"})
        yield client


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A server with one model, for tests that only ask."""
    with open_client(tmp_path_factory.mktemp("service") / "data") as client:
        client.post("/v1/models", json={"name": "mail"})
        teach(client, TEXTS, LABELS)
        yield client


def teach(client, texts, labels, **headers):
    answer = client.post(
        f"{MAIL}/examples", json={"texts": texts, "labels": labels}, headers=headers
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["ids"]


def forget(client, **wanted):
    return client.request("DELETE", f"{MAIL}/examples", json=wanted)


def digest(client):
    return client.get(MAIL).json()["digest"]


def expect(answer, status, *words):
    """Check the one form that every error has."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["title"]
    assert body["type"] == "about:blank"
    for word in words:
        assert word in body["detail"]
    assert "Traceback" not in answer.text
    return body


# Asking.


def test_predictions_are_those_of_the_library(taught):
    library = TextClassifier().partial_fit(TEXTS, LABELS)
    asked = ["You have won a prize", "See you at the station", "", "ü😀"]
    answer = taught.post(f"{MAIL}/predict", json={"texts": asked, "top": 2}).json()
    for text, found in zip(asked, answer["predictions"], strict=True):
        expected = library.predict_scores([text])[0]
        assert found["label"] == expected.label
        assert found["score"] == pytest.approx(expected.score)
        assert found["margin"] == pytest.approx(expected.margin)
        shares = dict(zip(["ham", "spam"], library.predict_proba([text])[0], strict=True))
        assert {c["label"]: c["share"] for c in found["classes"]} == pytest.approx(shares)
    assert digest(taught) == library.digest()


@pytest.mark.parametrize("count", [0, 1, 3, 300])
def test_n_texts_give_n_answers(taught, count):
    texts = (TEXTS * 3)[:count]
    body = {"texts": texts}
    assert len(taught.post(f"{MAIL}/predict", json=body).json()["predictions"]) == count
    assert len(taught.post(f"{MAIL}/similar", json=body).json()["similar"]) == count
    small = body | {"dimensions": 64}
    assert np.shape(taught.post(f"{MAIL}/vectors", json=small).json()["vectors"])[:1] == (count,)


def test_an_explanation_adds_up(taught):
    text = "Win a prize, my friend 😀"
    why = taught.post(f"{MAIL}/explain", json={"text": text}).json()
    assert len(why["characters"]) == len(text)
    whole = why["evidence_margin"]
    assert sum(why["characters"]) + why["unplaced"] == pytest.approx(whole, abs=1e-3)
    assert sum(row["evidence_margin"] for row in why["rows"]) == pytest.approx(whole, abs=1e-6)
    answer = taught.post(f"{MAIL}/predict", json={"texts": [text]}).json()["predictions"][0]
    assert (why["score"], why["margin"]) == (answer["score"], answer["margin"])
    assert why["label"] == "spam"
    assert "prize" in [row["text"] for row in why["rows"]]
    asked = {"text": text, "parts": "tokens", "count": 3}
    rows = taught.post(f"{MAIL}/explain", json=asked).json()["rows"]
    assert [row["what"] for row in rows][:4] == ["token"] * 3 + ["others"]
    assert sum(row["evidence_margin"] for row in rows) == pytest.approx(whole, abs=1e-6)


def test_similar_examples(taught):
    answer = taught.post(f"{MAIL}/similar", json={"texts": [TEXTS[5]], "k": 2}).json()
    best, second = answer["similar"][0]
    assert (best["text"], best["label"]) == (TEXTS[5], LABELS[5])
    assert best["score"] > second["score"]


def test_vectors_have_length_1(taught):
    numbers = taught.post(f"{MAIL}/vectors", json={"texts": TEXTS[:2], "dimensions": 256})
    vectors = np.array(numbers.json()["vectors"], np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert vectors.shape == (2, 256)


def test_a_model_without_examples_says_so(client):
    answer = client.post(f"{MAIL}/predict", json={"texts": ["x"]})
    expect(answer, 409, "no examples")


# Teaching.


@pytest.mark.parametrize("method", METHODS)
def test_learn_forget_relabel_undo(client, method):
    client.post("/v1/models", json={"name": "other", "method": method})
    path = "/v1/models/other"

    def post(way, body):
        return client.request(*way, json=body).json()

    ids = post(("POST", f"{path}/examples"), {"texts": TEXTS[:6], "labels": LABELS[:6]})["ids"]
    post(("DELETE", f"{path}/examples"), {"ids": ids[:1]})
    post(("DELETE", f"{path}/examples"), {"texts": [TEXTS[1]], "labels": [LABELS[1]]})
    new = post(("PATCH", f"{path}/examples/{ids[2]}"), {"label": "other"})["ids"]
    assert new[0] > ids[-1]
    lesson = post(("POST", f"{path}/examples"), {"texts": ["mistake"], "labels": ["ham"]})
    undone = post(("POST", f"{path}/undo"), {"change": lesson["change"]})
    assert undone["removed"] == [new[0] + 1]
    redone = post(("POST", f"{path}/undo"), {"change": undone["change"]})
    assert redone["ids"] == [new[0] + 2]
    assert post(("POST", f"{path}/undo"), {"change": redone["change"]})["removed"] == redone["ids"]
    expected = TextClassifier(method).partial_fit(TEXTS[2:6], ["other", *LABELS[3:6]])
    assert client.get(path).json()["digest"] == expected.digest()
    never = {"texts": ["never seen"], "labels": ["ham"]}
    expect(client.request("DELETE", f"{path}/examples", json=never), 409, "never")


def test_forgetting_what_was_never_learnt(client):
    ids = teach(client, TEXTS[:2], LABELS[:2])
    before = digest(client)
    body = expect(forget(client, ids=[ids[0], 99]), 409, "nothing was forgotten")
    assert (body["value"], body["position"]) == (99, 1)
    expect(forget(client, texts=[TEXTS[0]], labels=["other"]), 409)
    expect(forget(client, texts=[TEXTS[0]] * 2, labels=[LABELS[0]] * 2), 409, "once")
    expect(client.patch(f"{MAIL}/examples/99", json={"label": "x"}), 404)
    assert digest(client) == before
    assert forget(client, ids=ids).status_code == 200
    expect(client.post(f"{MAIL}/undo", json={"change": 1}), 409, "cannot be undone")
    expect(client.post(f"{MAIL}/undo", json={}), 422, "missing required field `change`")
    expect(client.post(f"{MAIL}/undo", json={"change": []}), 422)


def test_a_key_counts_once(client):
    key = {"Idempotency-Key": "abc"}
    body = {"texts": ["one"], "labels": ["ham"]}
    first = client.post(f"{MAIL}/examples", json=body, headers=key)
    again = client.post(f"{MAIL}/examples", json=body, headers=key)
    assert first.json() == again.json()
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert client.get(MAIL).json()["taught"] == 1
    other = client.post(f"{MAIL}/examples", json=body | {"texts": ["two"]}, headers=key)
    expect(other, 422, "another request")
    undo = {"change": 1}
    expect(client.post(f"{MAIL}/undo", json=undo, headers=key), 422, "another request")
    expect(client.post(f"{MAIL}/undo", json=undo, headers={"Idempotency-Key": "x" * 201}), 422)


def test_undo_takes_nothing_that_someone_else_taught(client):
    """Two people teach; each undoes what they did, in any order."""
    lesson = {"texts": ["from one"], "labels": ["a"]}
    one = client.post(f"{MAIL}/examples", json=lesson).json()
    two = client.post(f"{MAIL}/examples", json=lesson | {"texts": ["from two"]}).json()
    client.post(f"{MAIL}/undo", json={"change": one["change"]})
    texts = [e["text"] for e in client.get(f"{MAIL}/examples").json()["examples"]]
    assert texts == ["from two"]
    changed = client.patch(f"{MAIL}/examples/{two['ids'][0]}", json={"label": "b"}).json()
    client.post(f"{MAIL}/undo", json={"change": changed["change"]})
    assert [e["label"] for e in client.get(f"{MAIL}/examples").json()["examples"]] == ["a"]


def test_every_change_counts_once_with_a_key_that_covers_all_of_it(client, tmp_path):
    parts = []
    for i in range(2):
        part = slice(10 * i, 10 * i + 10)
        TextClassifier().partial_fit(TEXTS[part], LABELS[part]).save(tmp_path / "x.model")
        parts.append((tmp_path / "x.model").read_bytes())
    binary = {"Content-Type": "application/octet-stream", "Idempotency-Key": "merge"}
    for _ in range(2):
        assert client.post(f"{MAIL}/merge", content=parts[0], headers=binary).status_code == 200
    assert sum(client.get(MAIL).json()["counts"]) == 10
    expect(client.post(f"{MAIL}/merge", content=parts[1], headers=binary), 422, "another request")
    new, key = {"name": "new"}, {"Idempotency-Key": "create"}
    first = client.post("/v1/models", json=new, headers=key)
    again = client.post("/v1/models", json=new, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert first.headers["location"] == again.headers["location"]
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    other = client.post("/v1/models", json=new | {"method": "nearest"}, headers=key)
    expect(other, 422, "another request")
    expect(client.post("/v1/models", json=new), 409, "already")
    for _ in range(2):
        sent = client.put("/v1/models/up/file", content=parts[0], headers=binary)
        assert sent.status_code == 201
    expect(client.put("/v1/models/up/file", content=parts[1], headers=binary), 422)
    for repeated in (None, "true"):
        moved = client.patch("/v1/models/up", json={"name": "down"}, headers=key)
        assert (moved.status_code, moved.json()["id"]) == (200, "down")
        assert moved.headers.get("idempotent-replayed") == repeated
    expect(client.patch("/v1/models/else", json={"name": "down"}, headers=key), 422, "another")


def test_known_examples_are_counted_and_can_be_skipped(client):
    lesson = {"texts": ["one", "two"], "labels": ["a", "a"]}
    assert client.post(f"{MAIL}/examples", json=lesson).json()["known"] == 0
    more = {"texts": ["two", "two", "three", "three"], "labels": ["a", "b", "a", "a"]}
    found = client.post(f"{MAIL}/examples", json=more | {"skip_known": True}).json()
    assert (len(found["ids"]), found["known"]) == (2, 2)
    assert client.get(MAIL).json()["taught"] == 4
    found = client.post(f"{MAIL}/examples", json=more | {"skip_known": True}).json()
    assert (found["ids"], found["known"]) == ([], 4)
    found = client.post(f"{MAIL}/examples", json=more).json()
    assert (len(found["ids"]), found["known"]) == (4, 4)


def test_labels_are_all_texts_or_all_numbers(client):
    post = f"{MAIL}/examples"
    expect(client.post(post, json={"texts": ["a", "b"], "labels": ["x", 1]}), 422, "both")
    expect(client.post(post, json={"texts": ["a"], "labels": [True]}), 422, "bool")
    expect(client.post(post, json={"texts": ["a"], "labels": [1.5]}), 422, "float")
    expect(client.post(post, json={"texts": ["a"], "labels": [2**63]}), 422)
    expect(client.post(post, json={"texts": ["a"], "labels": ["x" * 201]}), 422)
    expect(client.post(post, json={"texts": ["a", "b"], "labels": ["x"]}), 422, "2 texts and 1")
    expect(client.post(post, json={"texts": [], "labels": []}), 422)
    teach(client, ["a", "b"], [1, 2])
    expect(client.post(post, json={"texts": ["a"], "labels": ["x"]}), 422, "whole numbers")
    assert client.post(f"{MAIL}/predict", json={"texts": ["a"]}).json()["predictions"][0][
        "label"
    ] in (1, 2)
    assert len(client.get(f"{post}?label=2").json()["examples"]) == 1


def test_examples_are_listed_searched_and_taken_away(client):
    texts = [*TEXTS[:20], 'a "quoted", text\nwith two lines', "ünïcode 😀 %_"]
    labels = [*LABELS[:20], "", "ham"]
    teach(client, texts, labels)
    path = f"{MAIL}/examples"
    seen, before = [], ""
    while before is not None:
        page = client.get(f"{path}?limit=7{before}").json()
        seen += page["examples"]
        before = page["next"] and f"&before={page['next']}"
    assert [e["text"] for e in reversed(seen)] == texts
    assert page["total"] == 22
    found = client.get(path, params={"q": "%_"}).json()["examples"]
    assert [e["text"] for e in found] == [texts[-1]]
    spam = client.get(path, params={"label": "spam"}).json()
    assert len(spam["examples"]) == spam["matching"] == labels.count("spam")
    unnamed = client.get(path, params={"label": ""}).json()
    assert [e["text"] for e in unnamed["examples"]] == texts[-2:-1]
    found = client.get(path, params={"q": "ÜNÏCODE"}).json()
    assert (found["matching"], found["total"]) == (1, 22)
    lines = client.get(f"{path}.jsonl").text.split("\n")[:-1]
    assert [json.loads(line)["text"] for line in reversed(lines)] == texts
    table = client.get(f"{path}.csv")
    rows = list(csv.reader(io.StringIO(table.text, newline="")))
    assert rows[0] == ["label", "text"]
    assert [text for _, text in reversed(rows[1:])] == texts
    assert "attachment" in table.headers["content-disposition"]
    for query in ("limit=0", "limit=1001", "before=x", "what=1", "limit=%00"):
        expect(client.get(f"{path}?{query}"), 422)


def test_evaluation_is_leaving_one_out(taught):
    found = taught.get(f"{MAIL}/evaluation").json()
    library = TextClassifier().partial_fit(TEXTS, LABELS)
    expected = library.leave_one_out(TEXTS, LABELS)
    assert found["accuracy"] == pytest.approx(expected.accuracy)
    assert found["confusion"] == expected.confusion().tolist()
    assert found["examples"] == found["total"] == len(TEXTS)
    wrong = round((1 - expected.accuracy) * len(TEXTS))
    assert len(found["mistakes"]) == wrong


def test_the_map_has_all_examples_and_is_the_same_every_time(tmp_path):
    maps = []
    for name in ("a", "b"):
        with open_client(tmp_path / name) as client:
            client.post("/v1/models", json={"name": "mail"})
            teach(client, TEXTS[:40], LABELS[:40])
            maps.append(client.get(f"{MAIL}/map").json())
    assert maps[0] == maps[1]
    points = maps[0]["points"]
    assert sorted(text for *_, text in points) == sorted(t[:300] for t in TEXTS[:40])
    assert all(0 <= x <= 1 and 0 <= y <= 1 for _, _, x, y, _ in points)


# Models.


def test_models_are_started_listed_sent_fetched_and_merged(client, tmp_path):
    one = TextClassifier().partial_fit(TEXTS[:10], LABELS[:10])
    two = TextClassifier().partial_fit(TEXTS[10:20], LABELS[10:20])
    one.save(tmp_path / "one.model")
    two.save(tmp_path / "two.model")
    kind = {"Content-Type": "application/octet-stream"}

    def content(name):
        return (tmp_path / f"{name}.model").read_bytes()

    sent = client.put("/v1/models/one/file", content=content("one"), headers=kind)
    assert sent.status_code == 201
    assert sent.headers["location"] == "/v1/models/one"
    assert client.get("/v1/models/one").json()["digest"] == one.digest()
    assert client.get("/v1/models/one/file").content == content("one")
    merged = client.post("/v1/models/one/merge", content=content("two"), headers=kind)
    assert merged.status_code == 200
    assert client.get("/v1/models/one").json()["digest"] == one.merge(two).digest()
    assert [model["id"] for model in client.get("/v1/models").json()["models"]] == ["mail", "one"]
    bad = client.put("/v1/models/two/file", content=b"not a model", headers=kind)
    expect(bad, 422, "not a model")
    expect(client.post("/v1/models/one/merge", content=b"no", headers=kind), 422)
    nearest = TextClassifier("nearest").partial_fit(TEXTS[:3], LABELS[:3])
    nearest.save(tmp_path / "nearest.model")
    other = client.post("/v1/models/one/merge", content=content("nearest"), headers=kind)
    expect(other, 409, "differ in method")
    again = client.put("/v1/models/one/file", content=content("one"), headers=kind)
    expect(again, 409, "already")
    expect(client.post("/v1/models", json={"name": "mail"}), 409, "already")
    expect(client.post("/v1/models", json={"name": "../evil"}), 422)
    expect(client.post("/v1/models", json={"name": "x", "method": "magic"}), 422)
    expect(client.put("/v1/models/.x/file", content=content("one"), headers=kind), 422, "name")
    assert not list((tmp_path / "data").glob("*.part"))


def test_everything_is_there_after_a_restart(tmp_path):
    with open_client(tmp_path / "data") as client:
        client.post("/v1/models", json={"name": "mail", "method": "nearest"})
        teach(client, TEXTS, LABELS)
        before = client.get(MAIL).json()
    with open_client(tmp_path / "data") as client:
        assert client.get(MAIL).json() == before


def test_one_server_at_a_time_uses_a_folder(tmp_path):
    with open_client(tmp_path / "data"), pytest.raises(TimeoutError):
        open_client(tmp_path / "data").__enter__()


# What is refused.


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (b"", 400, "JSON"),
        (b"{", 400, "JSON"),
        (b'{"texts": 7}', 422, "Expected `array`, got `int` - at `$.texts`"),
        (b'{"texts": [7]}', 422, "$.texts[0]"),
        (b'{"texts": [null]}', 422, "$.texts[0]"),
        (b'{"texts": ["a"], "what": 1}', 422, "unknown field `what`"),
        (b"{}", 422, "missing required field `texts`"),
        (b'{"texts": ["\xff"]}', 400, "JSON"),
        (b'{"texts": ["\\ud800"]}', 400, "JSON"),
        (b"[" * 100_000, 422, "Expected `object`"),
        (b'{"texts": ["a"], "top": -1}', 422, "$.top"),
        (b'{"texts": ["a"], "top": 1e400}', 422, "$.top"),
    ],
)
def test_bad_bodies(taught, body, status, word):
    answer = taught.post(f"{MAIL}/predict", content=body)
    expect(answer, status, word)


def test_limits_are_named_with_what_came(tmp_path):
    limits = {"max_body": 2000, "max_texts": 3, "max_length": 10, "max_file": 4000}
    with open_client(tmp_path / "data", **limits) as client:
        client.post("/v1/models", json={"name": "mail"})
        body = expect(client.post(f"{MAIL}/predict", json={"texts": ["a"] * 4}), 422)
        assert (body["limit"], body["value"]) == (3, 4)
        body = expect(client.post(f"{MAIL}/predict", json={"texts": ["a", "b" * 11]}), 422)
        assert (body["limit"], body["value"], body["position"]) == (10, 11, 1)
        body = expect(client.post(f"{MAIL}/predict", content=b"x" * 2001), 413)
        assert (body["limit"], body["value"]) == (2000, 2001)
        chunks = client.post(f"{MAIL}/predict", content=(b"x" * 500 for _ in range(5)))
        assert expect(chunks, 413)["limit"] == 2000
        kind = {"Content-Type": "application/octet-stream"}
        sent = client.put("/v1/models/x/file", content=b"x" * 4001, headers=kind)
        assert expect(sent, 413)["limit"] == 4000
        expect(forget(client, ids=[1, 2, 3, 4]), 422, "1 to 3 ids")
        long = {"texts": ["b" * 11], "labels": ["x"]}
        expect(client.post(f"{MAIL}/examples", json=long), 422)
        assert not list((tmp_path / "data").glob("*.part"))


def test_writes_need_the_type_that_other_sites_cannot_send(client):
    body = b'{"texts": ["a"], "labels": ["x"]}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = client.post(f"{MAIL}/examples", content=body, headers={"Content-Type": kind})
        assert expect(answer, 415, "application/json")["value"] == kind
    expect(client.post(f"{MAIL}/examples", content=body), 415)
    expect(client.post(f"{MAIL}/undo"), 415)
    good = {"Content-Type": "application/json; charset=utf-8"}
    assert client.post(f"{MAIL}/examples", content=body, headers=good).status_code == 200
    packed = good | {"Content-Encoding": "gzip"}
    expect(client.post(f"{MAIL}/examples", content=body, headers=packed), 415)


def test_other_names_of_the_server_are_refused(client):
    odd = ("[::1].evil", "localhost:80@evil", "localhost:", "localhost:8x")
    for host in ("evil.example", "localhost.evil.example", "", "localhost@evil", "127.0.0.2", *odd):
        expect(client.get("/health/live", headers={"Host": host}), 421)
    for host in ("localhost", "LOCALHOST:8000", "127.0.0.1:80", "[::1]:8000"):
        assert client.get("/health/live", headers={"Host": host}).status_code == 200


def answered(app, **scope):
    """Return the status of a request that no client library sends."""
    sent = []
    usual = {
        "type": "http",
        "method": "GET",
        "path": "/health/live",
        "query_string": b"",
        "http_version": "1.1",
        "headers": [(b"host", b"localhost")],
    }

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(usual | scope, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"])


def test_a_body_has_one_end_whatever_the_parser_lets_through(client):
    host = (b"host", b"localhost")
    chunked, length = (b"transfer-encoding", b"chunked"), (b"content-length", b"0")
    assert answered(client.app, headers=[host, length])[0] == 200
    for headers in ([chunked, length], [length, length], [chunked, chunked]):
        status, told = answered(client.app, headers=[host, *headers])
        assert (status, told[b"connection"]) == (400, b"close")
    assert answered(client.app, http_version="9.9")[0] == 505


def test_trusted_hosts(tmp_path):
    with open_client(tmp_path / "a", trusted_hosts=("mail.example",)) as client:
        host = {"Host": "mail.example:80"}
        assert client.get("/health/live", headers=host).status_code == 200
        expect(client.get("/health/live", headers={"Host": "evil.example"}), 421)
    with open_client(tmp_path / "b", trusted_hosts=("*",)) as client:
        evil = {"Host": "any.example"}
        assert client.get("/health/live", headers=evil).status_code == 200


def test_tokens(tmp_path):
    bearer = {name: {"Authorization": f"Bearer {name}"} for name in ("reading", "writing", "wrong")}
    with open_client(tmp_path / "a", read_token="reading", write_token="writing") as client:
        new = {"json": {"name": "mail"}}
        assert expect(client.post("/v1/models", **new), 401)["detail"].endswith("got none.")
        expect(client.post("/v1/models", **new, headers=bearer["reading"]), 403, "write token")
        expect(client.post("/v1/models", **new, headers=bearer["wrong"]), 401)
        assert client.post("/v1/models", **new, headers=bearer["writing"]).status_code == 201
        answer = client.get("/v1/models")
        expect(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
        expect(client.get("/metrics"), 401)
        for name in ("reading", "writing"):
            assert client.get("/v1/models", headers=bearer[name]).status_code == 200
        for path in ("/", "/health/live", "/health/ready", "/openapi.json"):
            assert client.get(path).status_code == 200
        # Strangers learn from health checks that it runs, and nothing else.
        assert client.get("/health/ready").json() == {"ready": True}
        told = client.get("/health/ready", headers=bearer["reading"]).json()
        assert told["models"] == {"mail": "ready"}
        small = {"Authorization": "bearer reading"}
        assert client.get("/v1/models", headers=small).status_code == 200
        basic = {"Authorization": "Basic d3JpdGluZw=="}
        expect(client.post("/v1/models", **new, headers=basic), 401)
        odd = {"Authorization": "Bearer ü".encode("latin-1")}
        expect(client.get("/v1/models", headers=odd), 401)
    with open_client(tmp_path / "b", read_token="reading") as client:
        assert client.get("/v1/models", headers=bearer["reading"]).status_code == 200
        answer = client.post("/v1/models", json={"name": "x"}, headers=bearer["reading"])
        expect(answer, 403, "no write token")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_others_can_only_reach_it_with_a_token(host):
    with pytest.raises(ValueError, match="token"):
        Settings(host=host)
    assert host in str(Settings(host=host, write_token="x"))
    for bad in ("", "two words\n", "ü", "a b"):
        with pytest.raises(ValueError, match="ASCII"):
            Settings(write_token=bad)


def test_wrong_methods_and_paths(client):
    answer = client.delete(f"{MAIL}/map")
    expect(answer, 405, "GET")
    assert answer.headers["allow"] == "GET, HEAD"
    huge = f"{MAIL}/examples/99999999999999999999999"
    expect(client.patch(huge, json={"label": "x"}), 404)
    for path in ("/nope", "/v1", "/v1/models/", "/v1/models/none", "/page/..%2fapp.py"):
        expect(client.get(path), 404)
    expect(client.get("/page/app.py"), 404)
    expect(client.patch(f"{MAIL}/examples/x", json={"label": "x"}), 404)


def test_too_many_requests_are_told_to_come_back(client):
    services = client.app.state.services
    services.requests = services.settings.max_requests
    answer = client.get("/v1/models")
    assert expect(answer, 503)["limit"] == services.settings.max_requests
    assert answer.headers["retry-after"] == "1"
    assert client.get("/health/live").status_code == 200
    services.requests = 0
    assert client.get("/v1/models").status_code == 200


def test_a_fault_of_ours_is_told_without_details(client, monkeypatch, caplog):
    def fail(self, text, n_nearest, parts):
        raise RuntimeError(f"cannot do {text}")

    monkeypatch.setattr(TextClassifier, "explain", fail)
    teach(client, ["a"], ["x"])
    answer = client.post(f"{MAIL}/explain", json={"text": "a secret"})
    expect(answer, 500, "unexpected")
    assert "secret" not in answer.text + caplog.text
    assert "RuntimeError at" in caplog.text


def test_every_answer_has_the_headers_that_keep_it_safe(client):
    answers = [client.get(path) for path in ("/", "/v1/models", "/nope", "/metrics")]
    answers.append(client.post(f"{MAIL}/predict", json={"texts": []}))
    for answer in answers:
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        if answer.request.method == "GET":
            assert headers["cache-control"] in ("no-store", "no-cache")
        assert "set-cookie" not in headers
        assert "access-control-allow-origin" not in headers
    policy = answers[0].headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy


# What describes the server.


def test_health_and_metrics(client):
    teach(client, TEXTS[:5], LABELS[:5])
    client.post(f"{MAIL}/predict", json={"texts": TEXTS[:3]})
    client.get("/v1/models/none")
    assert client.get("/health/live").json() == {"live": True}
    ready = client.get("/health/ready").json()
    assert ready == {"ready": True, "models": {"mail": "ready"}, "problems": {}}
    text = client.get("/metrics").text
    assert "addhash_texts_total 3.0" in text
    route = 'route="/v1/models/{model}",status="404"'
    assert f'addhash_requests_total{{method="GET",{route}}} 1.0' in text
    assert 'addhash_request_seconds_count{method="GET",route="/v1/models/{model}"} 1.0' in text
    assert "addhash_requests_in_flight 1.0" in text
    assert 'addhash_model_examples{model="mail"} 5.0' in text
    assert 'addhash_model_changes_waiting{model="mail"} 0.0' in text
    assert "process_resident_memory_bytes" in text
    assert 'addhash_model_change{model="mail"} 1.0' in text
    assert 'addhash_model_condition{condition="ready",model="mail"} 1.0' in text
    client.app.state.services.is_stopping = True
    assert client.get("/health/ready").status_code == 503


def test_the_description_has_every_route_and_only_those(taught):
    described = taught.get("/openapi.json").json()
    found = {(method.upper(), path) for path, ways in described["paths"].items() for method in ways}
    plain = {(o.method, o.path) for o in all_operations()}
    assert found == plain
    for path, ways in described["paths"].items():
        for method, way in ways.items():
            address = path.replace("{model}", "mail").replace("{file}", "index.html")
            address = address.replace("{id}", "1").replace("{snapshot}", f"for-{method}")
            if "{snapshot}" in path:
                taught.post(f"{MAIL}/snapshots", json={"name": f"for-{method}"})
            if path == "/v1/detect":
                continue  # this server has no languages
            answer = taught.request(method, address)
            # It is there: what it says is about the request, not about the path.
            assert answer.status_code not in (404, 405), (method, path, answer.text)
            assert way["summary"]
    text = json.dumps(described)
    names = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert names <= set(described["components"]["schemas"])
    ids = [way["operationId"] for ways in described["paths"].values() for way in ways.values()]
    assert len(ids) == len(set(ids))


def test_the_description_tells_statuses_items_tags_and_examples(taught):
    described = taught.get("/openapi.json").json()
    text = json.dumps(described)

    def arrays(part):
        if isinstance(part, dict):
            if part.get("type") == "array":
                yield part
            part = list(part.values())
        for one in part if isinstance(part, list) else ():
            yield from arrays(one)

    assert all("items" in one for one in arrays(described))
    tags = {tag["name"] for tag in described["tags"]}
    for ways in described["paths"].values():
        for way in ways.values():
            assert set(way["tags"]) <= tags
            for content in way.get("requestBody", {}).get("content", {}).items():
                assert content[0] == "application/octet-stream" or "example" in content[1]
    assert "201" in described["paths"]["/v1/models"]["post"]["responses"]
    limits = described["paths"]["/v1/models/{model}/examples"]["get"]["parameters"]
    kinds = {one["name"]: one["schema"]["type"] for one in limits}
    assert (kinds["limit"], kinds["before"]) == ("integer", "integer")
    assert "7 days" in text


def test_the_page_of_the_api(taught):
    answer = taught.get("/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "page/docs.js" in answer.text


def test_a_generated_client_runs_the_session_of_the_guide(client, tmp_path, monkeypatch):
    # In an environment of its own, since it holds back what the program needs.
    uv = shutil.which("uv", path=Path(sys.executable).parent)
    if uv is None:
        pytest.skip("uv, which installs openapi-python-client, is not there")
    description = tmp_path / "openapi.json"
    description.write_bytes(client.get("/openapi.json").content)
    command = [uv, "tool", "run", "openapi-python-client@0.29.1", "generate", "--meta", "none"]
    command += ["--path", str(description), "--output-path", str(tmp_path / "addhash_client")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # Only answers that are neither JSON, text nor a file are left out.
    left = re.findall(r"WARNING parsing (.+) within", done.stdout + done.stderr)
    assert left == ["GET /v1/models/{model}/examples.jsonl", "GET /page/{file}"]
    monkeypatch.syspath_prepend(tmp_path)
    found = importlib.import_module("addhash_client")
    models = importlib.import_module("addhash_client.models")
    calls = {
        name: importlib.import_module(f"addhash_client.api.{name}")
        for name in ("teaching.learn_post", "answers.predict_post", "models.create_post")
    }
    made = found.Client(base_url="http://localhost").set_httpx_client(client)
    new = calls["models.create_post"].sync(client=made, body=models.NewModel(name="post"))
    assert new.id == "post"
    lesson = models.Examples(texts=["win a prize", "see you at lunch"], labels=["spam", "ham"])
    learnt = calls["teaching.learn_post"].sync("post", client=made, body=lesson)
    assert learnt.ids == [1, 2]
    asked = models.PredictRequest(texts=["a big prize"])
    answer = calls["answers.predict_post"].sync("post", client=made, body=asked)
    assert answer.predictions[0].label == "spam"


# For operators.


def test_logged_requests_have_ids(client, caplog):
    own = client.get("/v1/models", headers={"X-Request-ID": "abc-1"})
    assert own.headers["x-request-id"] == "abc-1"
    assert "x-request-id" not in client.get("/v1/models").headers
    with caplog.at_level("INFO", "addhash.service.requests"):
        for bad in ("x" * 65, "a b", "ü".encode("latin-1"), ""):
            answer = client.get("/v1/models", headers={"X-Request-ID": bad})
            made = answer.headers["x-request-id"]
            assert re.fullmatch("[0-9a-f]{16}", made)
            assert caplog.messages[-1].endswith(made)


def test_pages_of_allowed_sites_may_use_it(tmp_path):
    ask = {"Access-Control-Request-Method": "POST", "Origin": "https://site.example"}
    ask["Access-Control-Request-Headers"] = "content-type,authorization,idempotency-key"
    with open_client(tmp_path / "a", allowed_origins=("https://site.example",)) as client:
        answer = client.options("/v1/models", headers=ask)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://site.example"
        other = client.get("/v1/models", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers
    with open_client(tmp_path / "b") as client:
        assert client.options("/v1/models", headers=ask).status_code == 405
    for bad in ("site.example", "https://site.example/path"):
        with pytest.raises(ValueError, match="origin"):
            Settings(allowed_origins=(bad,))


def test_a_mounted_application_opens_at_the_first_request(tmp_path):
    app = create_app(data=tmp_path / "data")
    outer = Starlette(routes=[Mount("/inner", app)])
    with TestClient(outer, base_url="http://localhost") as client:
        made = client.post("/inner/v1/models", json={"name": "mail"})
        assert made.status_code == 201
        assert made.headers["location"] == "/inner/v1/models/mail"
        with pytest.raises(TimeoutError):  # it holds the folder
            open_client(tmp_path / "data").__enter__()
        lesson = {"texts": ["one"], "labels": ["a"]}
        assert client.post("/inner/v1/models/mail/examples", json=lesson).json()["ids"] == [1]
    app.state.services.registry.close()


def test_long_answers_are_compressed_for_those_who_take_it(taught):
    packed = taught.get(f"{MAIL}/examples?limit=100", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    plain = taught.get(f"{MAIL}/examples?limit=100", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    file = taught.get(f"{MAIL}/file", headers={"Accept-Encoding": "gzip"})
    assert file.headers["content-encoding"] == "identity"


def test_a_backup_is_whole_and_restored(client, tmp_path):
    teach(client, TEXTS[:40], LABELS[:40])
    TextClassifier().partial_fit(TEXTS[40:50], LABELS[40:50]).save(tmp_path / "x.model")
    binary = {"Content-Type": "application/octet-stream"}
    client.post(f"{MAIL}/merge", content=(tmp_path / "x.model").read_bytes(), headers=binary)
    backup = client.get(f"{MAIL}/backup")
    assert "mail.backup" in backup.headers["content-disposition"]
    before = digest(client)
    teach(client, TEXTS[50:60], LABELS[50:60])
    path = "/v1/models/again"
    assert client.put(f"{path}/backup", content=backup.content, headers=binary).status_code == 201
    found = client.get(path).json()
    assert (found["digest"], found["taught"]) == (before, 40)
    assert client.post(f"{path}/undo", json={"change": 1}).status_code == 200
    expect(client.put(f"{path}/backup", content=backup.content, headers=binary), 409, "already")
    for bad in (b"", b"no archive", backup.content[:3000]):
        refused = client.put("/v1/models/bad/backup", content=bad, headers=binary)
        expect(refused, 422)
    evil = io.BytesIO()
    with tarfile.open(fileobj=evil, mode="w") as file:
        member = tarfile.TarInfo("../evil.txt")
        file.addfile(member)
    sent = client.put("/v1/models/bad/backup", content=evil.getvalue(), headers=binary)
    expect(sent, 422, "strange member")
    assert not list((tmp_path / "data").rglob("evil*"))
    assert not list((tmp_path / "data").rglob("*.part"))


def test_an_upload_that_the_disk_cannot_hold_leaves_nothing(client, tmp_path, monkeypatch):
    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "data" / "upload-0123456789abcdef.part"
    monkeypatch.setattr(DataFolder, "new_upload", lambda self: io.BufferedWriter(Full(path, "x")))
    binary = {"Content-Type": "application/octet-stream"}
    expect(client.put("/v1/models/up/file", content=b"short", headers=binary), 507)
    assert not path.exists()


def test_downloads_leave_no_copy_behind(client, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = set(tmp_path.iterdir())
    for path in (f"{MAIL}/file", f"{MAIL}/backup"):
        assert client.head(path).headers["content-length"] == str(len(client.get(path).content))
        assert set(tmp_path.iterdir()) == before


def test_models_are_renamed_copied_and_deleted(client, tmp_path):
    teach(client, TEXTS[:9], LABELS[:9])
    before = digest(client)
    copied = client.post("/v1/models", json={"name": "copy", "copy_of": "mail"})
    assert copied.status_code == 201
    assert client.get("/v1/models/copy").json()["digest"] == before
    assert client.patch("/v1/models/copy", json={"name": "other"}).json()["id"] == "other"
    expect(client.get("/v1/models/copy"), 404)
    assert client.get("/v1/models/other").json()["digest"] == before
    expect(client.patch("/v1/models/other", json={"name": "mail"}), 409)
    wrong = client.request("DELETE", "/v1/models/other", json={"name": "mail"})
    expect(wrong, 422, "cannot be undone")
    canary = tmp_path / "data" / "models" / "other" / "notes.txt"
    canary.write_text("mine")
    gone = client.request("DELETE", "/v1/models/other", json={"name": "other"})
    assert gone.json() == {"name": "other"}
    expect(client.get("/v1/models/other"), 404)
    assert [path.name for path in canary.parent.iterdir()] == ["notes.txt"]
    assert digest(client) == before
    client.post("/v1/models", json={"name": "copy"})
    assert client.get("/v1/models/copy").json()["digest"] != before


def test_tables_for_spreadsheets_have_no_formulas(client):
    teach(client, ["=HYPERLINK(1)", "+1", "plain"], ["@a", "-b", "c"])
    plain = client.get(f"{MAIL}/examples.csv").text
    assert "@a,=HYPERLINK(1)" in plain
    safe = client.get(f"{MAIL}/examples.csv?spreadsheet=1").content.decode()
    assert safe.startswith("\ufefflabel,text")
    assert "'@a,'=HYPERLINK(1)" in safe
    assert "c,plain" in safe
    expect(client.get(f"{MAIL}/examples.csv?what=1"), 422)


def test_mistakes_come_with_the_surest_first(client):
    labels = list(LABELS)
    labels[7] = {"ham": "spam", "spam": "ham"}[labels[7]]
    teach(client, TEXTS, labels)
    found = client.get(f"{MAIL}/mistakes").json()
    margins = [one["margin"] for one in found["mistakes"]]
    assert margins == sorted(margins, reverse=True)
    assert found["total"] == found["matching"] == len(found["mistakes"])
    assert TEXTS[7] in [one["text"] for one in found["mistakes"]]
    assert all(one["label"] != one["predicted"] for one in found["mistakes"])
    some = client.get(f"{MAIL}/mistakes?label=ham&predicted=spam").json()
    assert {(one["label"], one["predicted"]) for one in some["mistakes"]} == {("ham", "spam")}
    one = client.get(f"{MAIL}/mistakes?id={found['mistakes'][0]['id']}").json()
    assert one["mistakes"] == found["mistakes"][:1]
    expect(client.get(f"{MAIL}/mistakes?what=1"), 422)


def test_tables_are_read_as_by_the_command_line(client):
    def read(name, content, **query):
        kind = {"Content-Type": "application/octet-stream"}
        return client.post(
            "/v1/tables", params={"name": name} | query, content=content, headers=kind
        )

    tab = read("a.tsv", b'label\ttext\nham\t"stray\nspam\tx "y"\n').json()
    assert tab["rows"] == [['"stray', "ham"], ['x "y"', "spam"]]
    unclear = read("a.csv", b"foo,bar\n1,2\n").json()
    assert (unclear["columns"], unclear["text_column"], unclear["rows"]) == (
        ["foo", "bar"],
        None,
        [],
    )
    chosen = read("a.csv", b"foo,bar\n1,2\n", text="foo", label="bar").json()
    assert chosen["rows"] == [["1", "2"]]
    assert read("a.csv", b"foo,bar\n1,2\n", text="foo", label="").json()["rows"] == [["1", None]]
    old = "text,label\nGrüße,a\n".encode("cp1252")
    expect(read("a.csv", old), 422, "not valid utf-8")
    assert read("a.csv", old, encoding="windows-1252").json()["rows"] == [["Grüße", "a"]]
    expect(read("a.json", b"{}"), 422, "unknown")
    expect(read("a.csv", b"", encoding="what"), 422)
    assert client.get(MAIL).json()["taught"] == 0


def test_languages_are_those_of_the_library(tmp_path):
    texts = ["Guten Morgen", "¿Dónde está la biblioteca?", "123"]
    with open_client(tmp_path / "data", languages=True) as client:
        found = client.post("/v1/detect", json={"texts": texts, "top": 3}).json()["languages"]
        for text, row in zip(texts, found, strict=True):
            expected = languages.detect(text, top=3) or []
            assert [(d["code"], d["name"], d["probability"]) for d in row] == [
                (d.code, d.name, pytest.approx(d.probability)) for d in expected
            ]
    with open_client(tmp_path / "other") as client:
        expect(client.post("/v1/detect", json={"texts": texts}), 404)


def test_the_map_comes_at_once_and_refined(taught):
    quick = taught.get(f"{MAIL}/map").json()
    better = taught.get(f"{MAIL}/map?refined=1").json()
    assert (quick["is_refined"], better["is_refined"]) == (False, True)
    assert [p[0] for p in quick["points"]] == [p[0] for p in better["points"]]
    assert all(0 <= x <= 1 and 0 <= y <= 1 for _, _, x, y, _ in quick["points"])
    assert len({(x, y) for _, _, x, y, _ in quick["points"]}) > 100
    assert taught.get(f"{MAIL}/map").json() == better
    expect(taught.get(f"{MAIL}/map?what=1"), 422)


def test_the_map_is_kept_while_one_teaches(taught):
    before = taught.get(f"{MAIL}/map?refined=1").json()
    places = {point[0]: point[2:4] for point in before["points"]}
    twin = before["points"][7]
    (new,) = teach(taught, [twin[4]], ["ham"])
    gone = before["points"][20][0]
    taught.request("DELETE", f"{MAIL}/examples", json={"ids": [gone]})
    for query, most in [("", 0), ("?refined=1", 0.1)]:
        after = taught.get(f"{MAIL}/map{query}").json()
        points = {point[0]: point[2:4] for point in after["points"]}
        assert points.keys() == {*places, new} - {gone}
        moved = [np.abs(np.subtract(points[i], places[i])).mean() for i in places if i != gone]
        assert np.mean(moved) <= most
        assert np.abs(np.subtract(points[new], points[twin[0]])).max() < 0.1
    assert np.mean(moved) > 0


def test_the_map_has_5000_points_once_it_is_refined(client, monkeypatch):
    monkeypatch.setattr("addhash.service.operations.evaluation.REFINED", 40)
    client.post("/v1/models", json={"name": "mail"})
    teach(client, TEXTS, LABELS)
    better = client.get(f"{MAIL}/map?refined=1").json()
    places = {text: (x, y) for *_, x, y, text in better["points"]}
    assert len(better["points"]) == len(TEXTS)
    # The others are between those that were refined.
    latest, others = (
        [p[2:4] for p in better["points"][:40]],
        [p[2:4] for p in better["points"][40:]],
    )
    assert np.min(latest, axis=0).tolist() == [0, 0]
    assert np.max(latest, axis=0).tolist() == [1, 1]
    assert 0 <= np.min(others) < np.max(others) <= 1
    assert len(set(places.values())) > 100


def test_answers_are_as_described(taught):
    """Every JSON answer has exactly the members that its type has."""
    described = taught.get("/openapi.json").json()
    schemas = described["components"]["schemas"]
    asked = {
        ("get", "/v1/models"): None,
        ("get", "/v1/models/{model}"): None,
        ("get", "/v1/models/{model}/evaluation"): None,
        ("get", "/v1/models/{model}/examples"): None,
        ("get", "/v1/models/{model}/map"): None,
        ("post", "/v1/models/{model}/predict"): {"texts": ["a"]},
        ("post", "/v1/models/{model}/explain"): {"text": "a"},
        ("post", "/v1/models/{model}/similar"): {"texts": ["a"]},
        ("get", "/health/ready"): None,
    }
    for (method, path), body in asked.items():
        answer = taught.request(method, path.replace("{model}", "mail"), json=body).json()
        reference = described["paths"][path][method]["responses"]["200"]["content"]
        name = reference["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert set(answer) <= set(schemas[name]["properties"]), path
        assert set(schemas[name].get("required", ())) <= set(answer), path
