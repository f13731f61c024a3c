# Spark, which needs Java.
.PHONY: spark spark-tests test-spark

spark: install ## Install PySpark, and Java if apt-get may.
	@if ! command -v java >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; apt-get install -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; fi
	@command -v java >/dev/null || { echo 'Install Java 17, and put it on the path.'; exit 1; }
	$(INSTALL) -r pyproject.toml --extra spark

# One session for each kind: a process has classic ones or Connect ones. A cluster of processes is slow
# to start each, so it is asked only what differs there: what is sent, what is lost and done again.
spark-tests:
	ADDHASH_SPARK=classic $(BIN)/pytest --quiet tests/engines/spark
	ADDHASH_SPARK=connect $(BIN)/pytest --quiet tests/engines/spark
	ADDHASH_SPARK=cluster $(BIN)/pytest --quiet tests/engines/spark -k 'answers or file or fails'

test-spark: spark ## Install PySpark and Java, and run the tests of addhash.engines.spark.
	$(MAKE) spark-tests
