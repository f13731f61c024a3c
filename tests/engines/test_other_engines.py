"""What docs/tables.md says about engines that need no adapter."""

import re
from pathlib import Path

import pandas as pd
import pytest

import addhash
from addhash import sample

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


@pytest.mark.filterwarnings("ignore")
def test_datasets_of_hugging_face(model):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    dataset = datasets.Dataset.from_dict({"text": TEXTS})
    found = run("datasets", dataset=dataset, model=model)["dataset"]
    assert found["answer"][:] == model.predict(TEXTS).tolist()


@pytest.mark.filterwarnings("ignore")
def test_dask(model):
    dask = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    frame = dask.from_pandas(pd.DataFrame({"text": TEXTS}), npartitions=3)
    found = run("dask", frame=frame, model=model, pd=pd)["answers"]
    assert found.compute().tolist() == model.predict(TEXTS).tolist()
