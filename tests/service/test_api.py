"""The server's answers, without a network."""

import base64
import csv
import io
import json
import re
import struct

import numpy as np
import pytest
from starlette.testclient import TestClient

from addhash import TextClassifier
from addhash.sample import load_messages
from addhash.service import Settings, create_app
from addhash.service.app import all_operations

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
    assert sum(why["characters"]) + why["unplaced"] == pytest.approx(why["margin"], abs=1e-3)
    assert why["label"] == "spam"
    assert 0 < len(why["tokens"]) <= 20


def test_similar_examples(taught):
    answer = taught.post(f"{MAIL}/similar", json={"texts": [TEXTS[5]], "k": 2}).json()
    best, second = answer["similar"][0]
    assert (best["text"], best["label"]) == (TEXTS[5], LABELS[5])
    assert best["score"] > second["score"]


def test_vectors_and_embeddings_agree(taught):
    numbers = taught.post(f"{MAIL}/vectors", json={"texts": TEXTS[:2], "dimensions": 256})
    vectors = np.array(numbers.json()["vectors"], np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    body = {"input": TEXTS[:2], "model": "mail", "dimensions": 256}
    as_floats = taught.post("/v1/embeddings", json=body).json()
    assert [one["embedding"] for one in as_floats["data"]] == numbers.json()["vectors"]
    encoded = taught.post("/v1/embeddings", json=body | {"encoding_format": "base64"}).json()
    decoded = np.frombuffer(base64.b64decode(encoded["data"][1]["embedding"]), "<f4")
    assert (decoded == vectors[1]).all()


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
    post(("POST", f"{path}/examples"), {"texts": ["mistake"], "labels": ["ham"]})
    assert post(("POST", f"{path}/undo"), {})["ids"] == [new[0] + 1]
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
    expect(client.post(f"{MAIL}/undo", json={}), 409, "nothing to undo")


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
    expect(client.post(f"{MAIL}/undo", json={}, headers=key), 422, "another request")
    expect(client.post(f"{MAIL}/undo", json={}, headers={"Idempotency-Key": "x" * 201}), 422)


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
    labels = [*LABELS[:20], "ham", "ham"]
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
    spam = client.get(path, params={"label": "spam"}).json()["examples"]
    assert len(spam) == labels.count("spam")
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
    assert [model["id"] for model in client.get("/v1/models").json()["data"]] == ["mail", "one"]
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


# The Open Inference Protocol.


def infer(client, data, **more):
    tensor = {"name": "text", "datatype": "BYTES", "shape": [len(data)], "data": data}
    return client.post("/v2/models/mail/infer", json={"inputs": [tensor]} | more)


def test_infer(taught):
    answer = infer(taught, ["win a prize", "see you at lunch"], id="7").json()
    outputs = {one["name"]: one for one in answer["outputs"]}
    assert outputs["label"]["data"] == ["spam", "ham"]
    assert outputs["label"]["shape"] == outputs["score"]["shape"] == [2]
    assert (answer["id"], answer["model_name"]) == ("7", "mail")
    wanted = infer(taught, ["x"], outputs=[{"name": "score"}]).json()
    assert [one["name"] for one in wanted["outputs"]] == ["score"]
    body = expect(infer(taught, ["x"], outputs=[{"name": "what"}]), 422)
    assert body["error"] == body["detail"]
    expect(infer(taught, [1]), 422, "texts")
    expect(taught.post("/v2/models/mail/infer", json={"inputs": []}), 422, "one input")
    meta = taught.get("/v2/models/mail").json()
    assert [one["name"] for one in meta["inputs"] + meta["outputs"]] == ["text", "label", "score"]
    expect(taught.get("/v2/models/none"), 404)


def test_infer_with_binary_tensors(taught):
    texts = [b"win a prize", "ü😀".encode()]
    raw = b"".join(struct.pack("<I", len(text)) + text for text in texts)

    def send(raw, size=None, start=None):
        size = len(raw) if size is None else size
        parameters = {"binary_data_size": size}
        tensor = {"name": "text", "datatype": "BYTES", "shape": [2], "parameters": parameters}
        header = {"inputs": [tensor], "parameters": {"binary_data_output": True}}
        text = json.dumps(header).encode()
        length = {"Inference-Header-Content-Length": str(len(text) if start is None else start)}
        return taught.post("/v2/models/mail/infer", content=text + raw, headers=length)

    answer = send(raw)
    start = int(answer.headers["inference-header-content-length"])
    outputs = json.loads(answer.content[:start])["outputs"]
    sizes = [one["parameters"]["binary_data_size"] for one in outputs]
    assert start + sum(sizes) == len(answer.content)
    labels = answer.content[start : start + sizes[0]]
    assert labels.startswith(b"\x04\0\0\0spam")
    assert len(np.frombuffer(answer.content[start + sizes[0] :], "<f8")) == 2
    expect(send(raw, size=3), 422, "binary_data_size")
    expect(send(raw[:-1]), 422, "within a text")
    expect(send(raw[:2]), 422, "within a length")
    expect(send(raw, start=10**9), 400)
    expect(send(raw, start="x"), 400)
    expect(send(b"\1\0\0\0\xff" * 2), 422, "UTF-8")


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
    for host in ("evil.example", "localhost.evil.example", "", "localhost@evil", "127.0.0.2"):
        expect(client.get("/v2/health/live", headers={"Host": host}), 421)
    for host in ("localhost", "LOCALHOST:8000", "127.0.0.1:80", "[::1]:8000"):
        assert client.get("/v2/health/live", headers={"Host": host}).status_code == 200


def test_trusted_hosts(tmp_path):
    with open_client(tmp_path / "a", trusted_hosts=("mail.example",)) as client:
        host = {"Host": "mail.example:80"}
        assert client.get("/v2/health/live", headers=host).status_code == 200
        expect(client.get("/v2/health/live", headers={"Host": "evil.example"}), 421)
    with open_client(tmp_path / "b", trusted_hosts=("*",)) as client:
        evil = {"Host": "any.example"}
        assert client.get("/v2/health/live", headers=evil).status_code == 200


def test_tokens(tmp_path):
    bearer = {name: {"Authorization": f"Bearer {name}"} for name in ("reading", "writing", "wrong")}
    with open_client(tmp_path / "a", read_token="reading", write_token="writing") as client:
        new = {"json": {"name": "mail"}}
        assert expect(client.post("/v1/models", **new), 401)["detail"].endswith("got none.")
        expect(client.post("/v1/models", **new, headers=bearer["reading"]), 401, "write token")
        expect(client.post("/v1/models", **new, headers=bearer["wrong"]), 401)
        assert client.post("/v1/models", **new, headers=bearer["writing"]).status_code == 201
        answer = client.get("/v1/models")
        expect(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
        expect(client.get("/metrics"), 401)
        for name in ("reading", "writing"):
            assert client.get("/v1/models", headers=bearer[name]).status_code == 200
        for path in ("/", "/v2/health/live", "/v2/health/ready", "/openapi.json"):
            assert client.get(path).status_code == 200
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
    for bad in ("", "two words\n", "ü"):
        with pytest.raises(ValueError, match="ASCII"):
            Settings(write_token=bad)


def test_wrong_methods_and_paths(client):
    answer = client.delete(MAIL)
    expect(answer, 405, "GET")
    assert answer.headers["allow"] == "GET, HEAD"
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
    assert client.get("/v2/health/live").status_code == 200
    services.requests = 0
    assert client.get("/v1/models").status_code == 200


def test_a_fault_of_ours_is_told_without_details(client, monkeypatch, caplog):
    def fail(self, text, n_nearest):
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
    assert client.get("/v2/health/live").json() == {"live": True}
    ready = client.get("/v2/health/ready").json()
    assert ready == {"ready": True, "models": {"mail": "ready"}, "problems": {}}
    assert client.get("/v2/models/mail/ready").json() == {"live": True}
    text = client.get("/metrics").text
    assert "addhash_texts_total 3.0" in text
    assert 'addhash_requests_total{route="/v1/models/{model}",status="404"} 1.0' in text
    assert 'addhash_model_change{model="mail"} 1.0' in text
    assert 'addhash_model_condition{condition="ready",model="mail"} 1.0' in text
    client.app.state.services.is_stopping = True
    assert client.get("/v2/health/ready").status_code == 503


def test_the_description_has_every_route_and_only_those(taught):
    described = taught.get("/openapi.json").json()
    found = {(method.upper(), path) for path, ways in described["paths"].items() for method in ways}
    plain = {(o.method, re.sub(r":\w+}", "}", o.path)) for o in all_operations()}
    assert found == plain
    for path, ways in described["paths"].items():
        for method, way in ways.items():
            address = path.replace("{model}", "mail").replace("{file}", "index.html")
            address = address.replace("{id}", "1")
            answer = taught.request(method, address)
            # It is there: what it says is about the request, not about the path.
            assert answer.status_code not in (404, 405), (method, path, answer.text)
            assert way["summary"]
    text = json.dumps(described)
    names = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert names <= set(described["components"]["schemas"])
    ids = [way["operationId"] for ways in described["paths"].values() for way in ways.values()]
    assert len(ids) == len(set(ids))


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
        ("post", "/v1/embeddings"): {"input": "a", "model": "m"},
        ("get", "/v2"): None,
        ("get", "/v2/models/{model}"): None,
        ("get", "/v2/health/ready"): None,
    }
    for (method, path), body in asked.items():
        answer = taught.request(method, path.replace("{model}", "mail"), json=body).json()
        reference = described["paths"][path][method]["responses"]["200"]["content"]
        name = reference["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert set(answer) <= set(schemas[name]["properties"]), path
        assert set(schemas[name].get("required", ())) <= set(answer), path
