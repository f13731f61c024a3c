"""Kill a server at random moments under load, and see that it kept every word it gave.

    python -m tests.service.kills --kills 200

Eight clients teach, relabel, undo, redo, forget and ask. Each remembers what was acknowledged, what
was refused, and what it cannot know because the server died. After every restart: all that was
acknowledged is there once, nothing that was refused is, and the model has the digest of a replay in
this process. A request that was cut off is sent again with the same key, and counts once.

One more client teaches a model of its own, takes named snapshots of it, rolls back and deletes
them: the model has the examples of the state it was rolled back to, and every snapshot is there.
"""

import argparse
import json
import random
import tempfile
import threading
import time
from collections import Counter
from http.client import HTTPException
from pathlib import Path

from addhash import TextClassifier
from tests.service.running import Running

MAIL, NOTES = "/v1/models/mail", "/v1/models/notes"
KEPT = 8  # snapshots
WORDS = ["alpha", "beta", "prize", "lunch", "station", "meeting", "winner", "cash", "dinner"]


class Client(threading.Thread):
    """Teaches texts of its own, and knows what must be there."""

    def __init__(self, server, number, known, seed, pending):
        super().__init__(daemon=True)
        self.server = server
        self.number = number
        self.known = known  # id -> (text, label), of this client
        self.chance = random.Random(seed)
        self.pending = pending  # the request whose answer never came, to be sent again
        self.is_again = pending is not None
        self.last = None  # a change, the ids that it made, and what it took away
        self.counts = Counter()
        self.wrong = []

    def run(self):
        connection = self.server.connect(timeout=600)  # however busy the machine is
        try:
            while True:
                self.step(connection)
        except (OSError, HTTPException, json.JSONDecodeError):
            pass  # killed
        except Exception as error:
            self.wrong.append(repr(error))
        finally:
            connection.close()

    def request(self):
        """Choose what to do next: the request, the ids that it takes away, and what it adds."""
        dice, key = self.chance.random(), f"{self.number}-{self.chance.getrandbits(64):x}"
        if self.last is not None and dice < 0.3:
            change, made, taken = self.last
            return "POST", "undo", {"change": change}, key, made, taken
        if self.known and dice < 0.4:
            i = self.chance.choice(sorted(self.known))
            text, label = self.known[i]
            new = "spam" if label == "ham" else "ham"
            return "PATCH", f"examples/{i}", {"label": new}, key, [i], [(text, new)]
        if self.known and dice < 0.6:
            ids = self.chance.sample(sorted(self.known), min(len(self.known), 2))
            return "DELETE", "examples", {"ids": ids}, key, ids, []
        if dice < 0.65:
            # One that was never learnt: refused, with the good one beside it.
            refused = {"texts": ["never learnt " + key], "labels": ["ham"]}
            return "DELETE", "examples", refused, key, [], []
        count = self.chance.randint(1, 4)
        texts = [" ".join([key, *self.chance.choices(WORDS, k=6)]) for _ in range(count)]
        labels = self.chance.choices(["ham", "spam"], k=count)
        lesson = {"texts": texts, "labels": labels}
        return "POST", "examples", lesson, key, [], list(zip(texts, labels, strict=True))

    def step(self, connection):
        if self.pending is None and self.chance.random() < 0.4:
            status, _ = self.server.ask(
                "POST", f"{MAIL}/predict", {"texts": ["win a prize"]}, connection
            )
            self.expect(status, 200, 409)
            self.counts["asked"] += 1
            return
        self.pending = self.pending or self.request()
        method, path, body, key, gone, added = self.pending
        headers = {"Idempotency-Key": key}
        status, answer = self.server.ask(method, f"{MAIL}/{path}", body, connection, headers)
        is_again, self.pending, self.is_again = self.is_again, None, False
        # A redo is possible until the server stops.
        is_lost = status == 409 and path == "undo" and is_again
        if is_lost or (method == "DELETE" and not gone):
            self.expect(status, 409)
            self.counts["refused"] += 1
            return
        self.expect(status, 200)
        made = [] if method == "DELETE" else answer["ids"]
        taken = [self.known.pop(i) for i in gone]
        self.known |= zip(made, added, strict=True)
        self.last = None
        if method != "DELETE" and not is_again:
            self.last = answer["change"], made, taken
        what = {"DELETE": "forgotten", "PATCH": "relabelled"}.get(method, "learnt")
        self.counts["undone" if path == "undo" else what] += max(len(gone), len(added))

    def expect(self, status, *expected):
        if status not in expected:
            self.wrong.append(f"got {status}, expected {expected}")


class Keeper(Client):
    """Teaches a model of its own, keeps snapshots of it, and rolls back to them."""

    def __init__(self, server, states, seed, pending):
        super().__init__(server, "keeper", {}, seed, pending)
        self.states = states  # name of a snapshot -> its texts; "" is the present

    def request(self):
        """Return the method, the path and the body of the next request, and the states after it."""
        key, states = f"keeper-{self.chance.getrandbits(64):x}", dict(self.states)
        dice, now = self.chance.random(), self.states[""]
        names = sorted(name for name in states if name)
        if len(names) > KEPT:
            del states[names[0]]
            return "DELETE", f"{NOTES}/snapshots/{names[0]}", None, key, states
        if names and dice < 0.2:
            name = self.chance.choice(names)
            states[""] = states[name]
            return "POST", f"{NOTES}/rollback", {"snapshot": name}, key, states
        if dice < 0.4:
            states[key] = now
            return "POST", f"{NOTES}/snapshots", {"name": key}, key, states
        if now and dice < 0.55:
            text = self.chance.choice(sorted(now))
            states[""] = now - {text}
            return "DELETE", f"{NOTES}/examples", {"texts": [text], "labels": ["x"]}, key, states
        states[""] = now | {key}
        return "POST", f"{NOTES}/examples", {"texts": [key], "labels": ["x"]}, key, states

    def step(self, connection):
        self.pending = self.pending or self.request()
        method, path, body, key, states = self.pending
        headers = {"Idempotency-Key": key}
        status, answer = self.server.ask(method, path, body, connection, headers)
        is_again, self.is_again = self.is_again, False
        # A snapshot is removed before that is on record, so that a full disk does not prevent it.
        is_gone = is_again and method == "DELETE" and "/snapshots/" in path
        self.expect(status, 200, 201, *[404] * is_gone)
        if path.endswith("rollback") and status == 200:
            states[answer["kept"]] = self.states[""]
        self.pending = None
        self.states.clear()
        self.states.update(states)
        self.counts[{"rollback": "rolled back", "snapshots": "kept"}.get(path[17:], "noted")] += 1


def check_states(server, keeper):
    """Compare the model of the keeper with the states that it knows."""
    status, page = server.ask("GET", f"{NOTES}/examples?limit=1000")
    assert status == 200, page
    texts = [e["text"] for e in page["examples"]]
    assert len(set(texts)) == len(texts), "counted twice"
    possible = [keeper.states] + ([keeper.pending[4]] if keeper.pending else [])
    assert set(texts) in [states[""] for states in possible]
    status, found = server.ask("GET", f"{NOTES}/snapshots")
    names = {one["name"] for one in found["snapshots"]}
    # A roll back that was cut off may have kept the state before it.
    sure = set(possible[0]) & set(possible[-1]) - {""}
    maybe = (set(possible[0]) | set(possible[-1])) - {""}
    assert sure <= names, "a snapshot is lost"
    assert all(name in maybe or name.startswith("before-change") for name in names)
    model = server.ask("GET", NOTES)[1]
    assert (model["condition"], model["problems"]) == ("ready", {})
    replay = TextClassifier().partial_fit([], [])
    replay.partial_fit(texts, ["x"] * len(texts))
    assert model["digest"] == replay.digest(), "the digest is not that of a replay"


def check(server, clients):
    """Compare the server with what its clients know."""
    listed, before = {}, ""
    while before is not None:
        status, page = server.ask("GET", f"{MAIL}/examples?limit=1000{before}")
        assert status == 200, page
        listed |= {e["id"]: (e["text"], e["label"]) for e in page["examples"]}
        before = page["next"] and f"&before={page['next']}"
    acknowledged = {i: pair for client in clients for i, pair in client.known.items()}
    unsure_texts, unsure_ids = set(), set()
    for client in clients:
        if client.pending is not None:
            *_, gone, added = client.pending
            unsure_ids.update(gone)
            unsure_texts.update(text for text, _ in added)
    for i, pair in acknowledged.items():
        assert listed.get(i) == pair or i in unsure_ids, f"lost: {i} {pair}"
    for i, pair in listed.items():
        assert acknowledged.get(i) == pair or pair[0] in unsure_texts, f"unknown: {i} {pair}"
    texts = Counter(text for text, _ in listed.values())
    assert not texts or max(texts.values()) == 1, "counted twice"
    status, model = server.ask("GET", MAIL)
    assert status == 200
    assert model["condition"] == "ready"
    assert model["problems"] == {}
    replay = TextClassifier().partial_fit([], [])
    if listed:
        replay.partial_fit(*map(list, zip(*listed.values(), strict=True)))
    assert model["digest"] == replay.digest(), "the digest is not that of a replay"
    return len(listed)


def wait(threads, answers):
    """Wait until the clients have got some answers, however slow the machine is."""
    while sum(sum(thread.counts.values()) for thread in threads) < answers:
        assert any(thread.is_alive() for thread in threads)
        time.sleep(0.002)


def run(kills, answers=(0, 60), seed=0, clients=8, folder=None, say=lambda line: None):
    """Kill a server so many times; return what was done meanwhile.

    It is killed after a random number of `answers`. In its folder and in that of its model are
    files of someone else, which must survive.
    """
    chance = random.Random(seed)
    counts, known, pending = Counter(), [{} for _ in range(clients)], [None] * (clients + 1)
    threads, states = [], {"": frozenset()}
    with tempfile.TemporaryDirectory() as own:
        data = Path(folder or own) / "data"
        with Running(data) as server:
            server.ask("POST", "/v1/models", {"name": "mail"})
            server.ask("POST", "/v1/models", {"name": "notes"})
            assert server.stop() == 0
        models = data / "models"
        places = [data, models, models / "mail", models / "notes", models / "weights"]
        canaries = [place / "canary.model" for place in places]
        for canary in canaries:
            canary.parent.mkdir(exist_ok=True)
            canary.write_text("not the server's")
        for number in range(kills + 1):
            with Running(data, EAGER=1) as server:
                assert server.port, server.log()
                assert {canary.read_text() for canary in canaries} == {"not the server's"}
                if number:
                    counts["examples at the end"] = check(server, threads[:-1])
                    check_states(server, threads[-1])
                if number == kills:
                    break
                threads = [
                    Client(server, i, known[i], chance.getrandbits(32), pending[i])
                    for i in range(clients)
                ]
                threads.append(Keeper(server, states, chance.getrandbits(32), pending[-1]))
                for thread in threads:
                    thread.start()
                wait(threads, chance.randint(*answers))
                time.sleep(chance.uniform(0, 0.02))
                server.kill()
                for thread in threads:
                    thread.join(60)
                    assert not thread.is_alive()
                    assert thread.wrong == [], thread.wrong
                    counts += thread.counts
                pending = [thread.pending for thread in threads]
                counts["cut off"] += sum(one is not None for one in pending)
                counts["kills"] += 1
                say(f"kill {number + 1}: {dict(counts)}")
    return dict(counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(run(options.kills, seed=options.seed, say=lambda line: print(line, flush=True)))


if __name__ == "__main__":
    main()
