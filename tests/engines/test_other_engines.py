"""What docs/tables.md says about engines that need no adapter."""

import re
from pathlib import Path

import pandas as pd
import pytest

import addhash
from addhash import sample
from addhash.errors import DocumentError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tables.md"
TEXTS, LABELS = sample.load_messages()


def run(name, **names):
    """Run an example of the page."""
    (example,) = re.findall(rf"<!-- {name} -->\n```python\n(.*?)```", PAGE.read_text(), re.S)
    exec(example, names)
    return names


@pytest.fixture(scope="module")
def model():
    return addhash.TextClassifier().fit(TEXTS, LABELS)


def advice(table, model):
    """Return the texts that the message about a table says to pass."""
    with pytest.raises(DocumentError, match="pass one of them") as refused:
        model.predict(table)
    return eval(re.search(r"such as (frame\['text'\])", str(refused.value))[1], {"frame": table})


@pytest.mark.filterwarnings("ignore")
def test_datasets_of_hugging_face(model):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    dataset = datasets.Dataset.from_dict({"text": TEXTS})
    assert model.predict(advice(dataset, model)).tolist() == model.predict(TEXTS).tolist()
    found = run("datasets", dataset=dataset, model=model)["dataset"]
    assert found["answer"][:] == model.predict(TEXTS).tolist()


@pytest.mark.filterwarnings("ignore")
def test_dask(model):
    dask = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    frame = dask.from_pandas(pd.DataFrame({"text": TEXTS}), npartitions=3)
    assert model.predict(advice(frame, model)).tolist() == model.predict(TEXTS).tolist()
    found = run("dask", frame=frame, model=model, pd=pd)["answers"]
    assert found.compute().tolist() == model.predict(TEXTS).tolist()
