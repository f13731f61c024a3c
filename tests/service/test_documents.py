"""What docs/service.md and the Dockerfile say is so."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from addhash.cli.app import app
from addhash.sample import load_messages
from addhash.service.app import all_operations
from docs import make_api
from tests.service.running import Running

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
TEXTS, LABELS = load_messages()


def test_the_client_of_the_guide_works(tmp_path):
    block = re.search(r"<!-- client -->\n```python\n(.*?)```", GUIDE, re.S)[1]
    names = {}
    exec(compile(block, "docs/service.md", "exec"), names)
    with Running(tmp_path / "data", ADDHASH_SERVE_WRITE_TOKEN="writing") as server:
        bearer = {"Authorization": "Bearer writing"}
        server.ask("POST", "/v1/models", {"name": "mail"}, headers=bearer)
        client = names["Client"]("mail", port=server.port, token="writing")
        ids = client.learn(TEXTS, LABELS)
        assert client.predict(["win a free prize", "see you at lunch"]) == ["spam", "ham"]
        assert client.accuracy() > 0.8
        shares = client.explain("a prize")
        assert [character for character, _ in shares] == list("a prize")
        client.forget(ids[:2])
        with pytest.raises(RuntimeError, match="409: There is no example"):
            client.forget(ids[:1])
        assert client.undo() == ids[2:]
        client.redo()
        assert client.predict(["win a free prize"]) == ["spam"]
        client.connection.close()
        stranger = names["Client"]("mail", port=server.port)
        with pytest.raises(RuntimeError, match="401: Expected the write token"):
            stranger.learn(["x"], ["ham"])
        stranger.connection.close()


def test_every_path_of_the_guide_is_there_and_none_is_left_out():
    paths = {operation.path for operation in all_operations()}
    for path in paths:
        end = re.sub(r":\w+}", "}", path)
        if path in ("/", "/page/{file}"):
            continue
        last = "/" + end.rpartition("/")[2]
        assert end in GUIDE or last in GUIDE or last.lstrip("/") in GUIDE, path
    for path in re.findall(r"(?:GET|POST|PATCH|DELETE|PUT) (/v1/[^`?\s]+)`", GUIDE):
        assert path in {re.sub(r":\w+}", "}", one) for one in paths}, path


def test_the_page_speaks_plainly():
    page = ROOT / "src" / "addhash" / "service" / "page"
    words = "\n".join(path.read_text(encoding="utf-8") for path in page.glob("*.js"))
    for jargon in ('"Digest"', '"Changes"', '"Found"', " bits", "lead of the guess", "before sco"):
        assert jargon not in words


def test_the_page_of_the_api_is_up_to_date():
    shown = make_api.PAGE.read_text(encoding="utf-8")
    assert shown == make_api.page(), "run `python -m docs.make_api` to bring docs/api.md up to date"


def test_variables_of_the_guide_and_the_dockerfile_are_options():
    command = typer.main.get_command(app).commands["serve"]
    options = [p.name for p in command.params if p.param_type_name == "option"]
    prefix = command.context_settings["auto_envvar_prefix"]
    known = {f"{prefix}_{name.upper()}" for name in options}
    assert len(known) == 17
    for text in (GUIDE, (ROOT / "Dockerfile").read_text()):
        assert set(re.findall(r"ADDHASH_SERVE_\w+", text)) <= known


def instructions():
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [line.split(maxsplit=1) for line in lines]


def test_an_image_is_sent_only_what_it_copies():
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    copied = {
        source
        for name, rest in instructions()
        if name == "COPY" and "--from" not in rest
        for source in shlex.split(rest)[:-1]
    }
    assert {rule[1:] for rule in rules if rule.startswith("!")} == copied


def test_the_dockerfile_is_sound():
    """The rules of hadolint that apply: pinned bases, no root, no caches, no shell between."""
    found = instructions()
    names = [name for name, _ in found]
    assert names[0] == "FROM"
    assert not {"ADD", "MAINTAINER", "ONBUILD"} & set(names)
    for name, rest in found:
        if name == "FROM":
            assert re.match(r"[\w./-]+:[\w.-]+( AS \w+)?$", rest)
            assert ":latest" not in rest
        if name == "RUN":
            assert "sudo" not in rest
            if "apt-get install" in rest:
                for wanted in ("update", "--yes", "--no-install-recommends", "rm -rf /var/lib/apt"):
                    assert wanted in rest
            if "pip install" in rest:
                assert "--no-cache-dir" in rest
        if name == "COPY" and "--from" not in rest:
            for source in shlex.split(rest)[:-1]:
                assert (ROOT / source).exists(), source
        if name in ("ENTRYPOINT",):
            assert rest.startswith("[")
    last = len(names) - 1 - names[::-1].index("FROM")
    assert "USER" in names[last:]
    assert dict(found[last:])["USER"] not in ("root", "0")
    assert names.index("HEALTHCHECK") > last
    check = json.loads(dict(found)["HEALTHCHECK"].partition("CMD ")[2])
    compile(check[-1], "HEALTHCHECK", "exec")
    assert "8000" not in check[-1]
    assert "org.opencontainers.image.title" in dict(found)["LABEL"]
    environment = dict(found)["ENV"]
    assert "ADDHASH_SERVE_PORT=8000" in environment
    assert "TOKEN" not in environment
    assert "ADDHASH_SERVE_HOST=0.0.0.0" in environment
