"""Spark, in a classic and in a Connect session, against one process."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed; see make test-spark")

import addhash
from addhash import sample
from addhash.engines.spark import (
    TextClassifier,
    TextClassifierModel,
    TextHasher,
    detect_udf,
    find_duplicates,
    learn_stream,
    predict_udf,
    probabilities_udf,
    shipping,
)
from addhash.errors import ExampleError, ParameterError
from tests.texts import HOSTILE

# PySpark says that it does not know pandas 3 yet.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

TEXTS, LABELS = sample.load_messages()


@pytest.fixture(scope="module")
def rows(spark):
    pairs = list(zip(range(len(TEXTS)), TEXTS, LABELS, strict=True))
    return spark.createDataFrame(pairs, "id bigint, text string, label string").persist()


@pytest.fixture(scope="module")
def alone():
    return addhash.TextClassifier().fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def model(rows):
    return TextClassifier().fit(rows)


def answers(frame, column="prediction"):
    return [row[column] for row in frame.orderBy("id").select(column).collect()]


@pytest.mark.parametrize("partitions", [1, 2, 7, 20])
def test_any_partitions_learn_the_same(rows, alone, partitions):
    shuffled = rows.orderBy(rows.text).repartition(partitions)
    assert TextClassifier().fit(shuffled).native.digest() == alone.digest()


@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_every_method_learns_the_same(rows, method):
    expected = addhash.TextClassifier(method).fit(TEXTS, LABELS)
    estimator = TextClassifier(method=method, aggregationDepth=1)
    assert estimator.fit(rows.repartition(3)).native.digest() == expected.digest()


def test_a_task_that_fails_is_done_again(rows, alone):
    def fail_once(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        for number, batch in enumerate(batches):
            yield batch
            if context.partitionId() == 1 and context.attemptNumber() == 0 and number == 0:
                raise RuntimeError("this task fails once")

    failing = rows.repartition(3).mapInArrow(fail_once, rows.schema)
    assert TextClassifier().fit(failing).native.digest() == alone.digest()


def test_answers_are_those_of_one_process(spark, rows, model, alone):
    assert model.native.to_bytes() == alone.to_bytes()  # what fit chooses as well
    untuned = TextClassifier(tune=False).fit(rows).native
    assert untuned.to_bytes() == addhash.TextClassifier().learn(TEXTS, LABELS).to_bytes()
    assert answers(model.transform(rows)) == alone.predict(TEXTS).tolist()
    udf = predict_udf(alone)
    with_null = rows.selectExpr("id", "if(id % 3 = 0, null, text) as text")
    expected = alone.predict(TEXTS).tolist()
    expected[::3] = [None] * len(expected[::3])
    assert answers(with_null.select("id", udf("text").alias("prediction"))) == expected


def test_models_learn_forget_and_merge(rows, model, alone):
    first, second = rows.where("id % 4 = 0"), rows.where("id % 4 != 0")
    part = TextClassifier().fit(second)
    assert part.native.digest() != alone.digest()
    assert part.learn(first).native.digest() == alone.digest()
    assert part.merge(TextClassifier().fit(first)).native.digest() == alone.digest()
    assert model.forget(first).native.digest() == part.native.digest()
    assert model.native.digest() == alone.digest()  # the old one is as it was
    with pytest.raises(Exception, match="nothing was"):
        part.forget(first.selectExpr("'never learnt' as text", "'nowhere' as label"))


def test_large_models_go_by_file(rows, model, alone, monkeypatch):
    monkeypatch.setattr(shipping, "MOST_IN_FUNCTION", 0)
    monkeypatch.setattr(shipping, "CHUNK_BYTES", 10_000)
    assert answers(model.transform(rows)) == alone.predict(TEXTS).tolist()
    assert answers(model.transform(rows)) == alone.predict(TEXTS).tolist()
    assert TextClassifier().fit(rows).native.digest() == alone.digest()


def test_numbers_are_labels_too(spark, rows):
    numbered = rows.selectExpr("text", "id", "cast(label = 'spam' as int) as label")
    found = TextClassifier().fit(numbered)
    expected = addhash.TextClassifier().fit(TEXTS, [int(x == "spam") for x in LABELS])
    assert found.native.digest() == expected.digest()
    assert answers(found.transform(numbered)) == expected.predict(TEXTS).tolist()


def test_stages_are_saved_loaded_and_copied(spark, rows, model, alone, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel

    estimator = TextClassifier(inputCol="text", ngramRange=[1, 3], analyzer="char")
    pipeline = Pipeline(stages=[TextHasher(nFeatures=64), estimator])
    fitted = pipeline.fit(rows)
    expected = answers(fitted.transform(rows))
    fitted.save(f"{tmp_path}/fitted")
    pipeline.save(f"{tmp_path}/pipeline")
    again = PipelineModel.load(f"{tmp_path}/fitted")
    assert answers(again.transform(rows)) == expected
    assert again.stages[1].native.digest() == fitted.stages[1].native.digest()
    fresh = Pipeline.load(f"{tmp_path}/pipeline").getStages()[1]
    assert fresh.uid == estimator.uid
    assert fresh.settings().keys() == estimator.settings().keys()
    assert fresh.getOrDefault("ngramRange") == [1, 3]

    model.write().save(f"{tmp_path}/model")
    model.write().overwrite().save(f"{tmp_path}/model")
    with pytest.raises(Exception, match=r"(?i)already exists"):
        model.save(f"{tmp_path}/model")
    loaded = TextClassifierModel.load(f"{tmp_path}/model")
    assert loaded.native.digest() == alone.digest()
    renamed = loaded.copy({loaded.predictionCol: "answer"})
    assert answers(renamed.transform(rows), "answer") == alone.predict(TEXTS).tolist()
    assert (loaded.getPredictionCol(), renamed.getPredictionCol()) == ("prediction", "answer")

    model.saveNative(tmp_path / "native")
    assert addhash.TextClassifier.load(tmp_path / "native").digest() == alone.digest()
    assert TextClassifierModel.loadNative(tmp_path / "native").native.digest() == alone.digest()


def test_vectors_are_those_of_the_vectorizer(rows):
    hasher = TextHasher(nFeatures=64, analyzer="char", ngramRange=[2, 3]).setOutputCol("vector")
    vectorizer = addhash.AdditiveHashingVectorizer(
        n_features=64, analyzer="char", ngram_range=(2, 3), dtype="float64"
    )
    found = [
        row.vector.toArray().tolist() for row in hasher.transform(rows).orderBy("id").collect()
    ]
    assert found == vectorizer.transform(TEXTS).tolist()
    with pytest.raises(ParameterError):
        TextHasher(nFeatures=63).transform(rows)


def test_duplicates_are_those_of_one_process(spark):
    texts = [text.encode("utf-8", "ignore").decode() for text in HOSTILE] + TEXTS[:60]
    texts += [f"{text} and a word more" for text in TEXTS[:40]]
    texts += [f"{text} and a word" for text in TEXTS[:20]] + TEXTS[:3] * 2
    frame = spark.createDataFrame(list(enumerate(texts)), "id bigint, text string").repartition(3)
    found = find_duplicates(frame, threshold=0.7, ngram_range=(1, 2))
    expected = addhash.find_duplicates(
        texts, threshold=0.7, ngram_range=(1, 2), clusters="connected"
    )
    pairs = [tuple(row) for row in found.pairs.orderBy("left", "right").collect()]
    assert pairs == list(zip(*(column.tolist() for column in expected.pairs), strict=True))
    assert len(pairs) > 60
    clusters = dict(map(tuple, found.clusters.collect()))
    assert [clusters.get(i, i) for i in range(len(texts))] == expected.clusters.tolist()
    with pytest.raises(ParameterError, match="threshold"):
        find_duplicates(frame, threshold=0)


def started(writing):
    """Start a query of batches; Connect gives up on a worker that takes ten seconds to start."""
    for _ in range(10):
        try:
            return writing.start()
        except Exception as error:
            if "failed to connect back" not in str(error):
                raise
    pytest.fail("no worker started within ten seconds, ten times")


def test_streams_are_answered_and_learnt_once(spark, rows, model, alone, tmp_path):
    source = f"{tmp_path}/source"
    rows.repartition(3).write.parquet(source)
    stream = spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1).parquet(source)
    path = tmp_path / "learnt"
    learn = learn_stream(TextClassifier(), path)
    writing = stream.writeStream.foreachBatch(learn).trigger(availableNow=True)
    query = started(writing.option("checkpointLocation", f"{tmp_path}/checkpoint"))
    assert query.awaitTermination(120)
    learnt = addhash.TextClassifier.load(path)
    assert learnt.digest() == alone.digest()
    assert learnt.metadata["stream batch"] == "2"
    learn(rows.limit(0), 3)
    assert addhash.TextClassifier.load(path).digest() == alone.digest()
    # With a new checkpoint, batches are numbered from 0 again.
    again = started(writing.option("checkpointLocation", f"{tmp_path}/another"))
    with pytest.raises(Exception, match="came after batch 2"):
        again.awaitTermination(120)
    assert addhash.TextClassifier.load(path).digest() == alone.digest()
    learn = learn_stream(TextClassifier(), path, accept_new_query=True)
    writing = stream.writeStream.foreachBatch(learn).trigger(availableNow=True)
    query = started(writing.option("checkpointLocation", f"{tmp_path}/third"))
    assert query.awaitTermination(120)
    twice = addhash.merged([alone, alone])
    assert addhash.TextClassifier.load(path).digest() == twice.digest()

    answered = model.transform(stream).writeStream.trigger(availableNow=True)
    answered = answered.option("checkpointLocation", f"{tmp_path}/answers-checkpoint")
    query = answered.format("parquet").option("path", f"{tmp_path}/answers").start()
    assert query.awaitTermination(120)
    found = spark.read.parquet(f"{tmp_path}/answers")
    assert answers(found) == alone.predict(TEXTS).tolist()


def test_the_example_of_the_guide_runs(spark, rows, alone, tmp_path):
    page = Path(__file__).resolve().parents[3] / "docs" / "tables.md"
    (example,) = re.findall(
        r"```python\n(from addhash.engines.spark.*?)```", page.read_text(), re.S
    )
    path = f"{tmp_path}/messages.parquet"
    rows.select("text", "label").write.parquet(path)
    names = {"spark": spark, "path": path, "digest": alone.digest()}
    exec(example, names)
    assert names["model"].native.digest() == alone.digest()


def test_nothing_to_learn_is_an_error(rows):
    with pytest.raises(ExampleError, match="at least one row"):
        TextClassifier().fit(rows.limit(0))


def test_a_batch_is_learnt_once_and_none_is_skipped_in_silence(rows, tmp_path):
    path = tmp_path / "learnt"
    learn = learn_stream(TextClassifier(), path)
    parts = [rows.where(f"id % 3 = {i}") for i in range(3)]
    learn(parts[0], 0)
    learn(parts[1], 1)
    learn(parts[1], 1)  # delivered again
    expected = [i for i in range(len(TEXTS)) if i % 3 < 2]
    alone = addhash.TextClassifier().learn(
        [TEXTS[i] for i in expected], [LABELS[i] for i in expected]
    )
    assert addhash.TextClassifier.load(path).digest() == alone.digest()
    for batch in (0, 1):
        with pytest.raises(ParameterError, match=r"came after batch 1.*accept_new_query"):
            learn(parts[2], batch)
    assert addhash.TextClassifier.load(path).digest() == alone.digest()


def test_nulls_stay_null_in_every_batch(spark, model, alone):
    """Also in a partition that has nothing else."""
    frame = spark.createDataFrame([(0, "win a prize"), (1, None)], "id int, text string")
    frame = frame.repartition(2, "id")
    expected = alone.predict(["win a prize"]).tolist()
    assert answers(model.transform(frame)) == [*expected, None]
    vectors = answers(TextHasher(nFeatures=8).transform(frame), "features")
    assert vectors[1] is None
    assert len(vectors[0]) == 8
    detected = frame.select("id", detect_udf()("text").alias("code"))
    assert answers(detected, "code") == ["eng", None]
    only = spark.createDataFrame([(0, None)], "id int, text string")
    assert answers(TextHasher().transform(only), "features") == [None]


def test_probabilities_and_evidence_are_those_of_one_process(spark, rows, alone):
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql.functions import expr

    estimator = TextClassifier(probabilityCol="probability", rawPredictionCol="raw")
    found = estimator.fit(rows).transform(rows).orderBy("id").collect()
    shares = alone.predict_proba(TEXTS)
    assert [list(row["probability"]) for row in found] == shares.tolist()
    assert [row["raw"][1] for row in found] == alone.decision_function(TEXTS).tolist()
    column = probabilities_udf(alone, spark)("text").alias("shares")
    assert answers(rows.select("id", column), "shares") == shares.tolist()
    numbers = rows.withColumn("label", expr("double(label = 'spam')"))
    scored = TextClassifier(labelCol="name", rawPredictionCol="rawPrediction", tune=False).fit(
        rows.withColumnRenamed("label", "name")
    )
    area = BinaryClassificationEvaluator().evaluate(scored.transform(numbers))
    assert 0.99 < area <= 1


def test_what_is_wrong_is_told_on_the_driver(spark, rows, model, tmp_path):
    for parameters, words in [
        ({"method": "magic"}, "method"),
        ({"ngramRange": [3, 1]}, "ngram_range"),
        ({"inputCol": "id"}, "of type bigint"),
        ({"inputCol": "none"}, "Expected a column 'none'"),
    ]:
        with pytest.raises(ParameterError, match=words):
            TextClassifier(**parameters).fit(rows)
    with pytest.raises(ParameterError, match="already a column 'label'"):
        model.copy().setPredictionCol("label").transform(rows)
    with pytest.raises(ParameterError, match="of type bigint"):
        TextHasher(inputCol="id").transform(rows)
    for path in ("s3://bucket/x.model", "dbfs:/models/x.model"):
        with pytest.raises(ParameterError, match="Expected a local path"):
            model.saveNative(path)
        with pytest.raises(ParameterError, match="Expected a local path"):
            learn_stream(TextClassifier(), path)
    twice = spark.createDataFrame([(1, "same text"), (1, "same text")], "id int, text string")
    with pytest.raises(ParameterError, match="unique ids in the column 'id', got 1 2 times"):
        find_duplicates(twice)
    with pytest.raises(Exception, match="without nulls, got one in the column 'text'"):
        TextClassifier().fit(spark.createDataFrame([(None, "a")], "text string, label string"))
