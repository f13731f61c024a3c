# Spark, which needs Java.
.PHONY: spark test-spark
spark: install ## Install PySpark, and Java if apt-get may.
	make/need.sh $(JAVA)
	$(INSTALL) -r pyproject.toml --extra spark

# One session for each kind: a process has classic ones or Connect ones. A cluster of processes is slow
# to start each, so it is asked only what differs there: what is sent, what is lost and done again.
# Much of each is waiting, so two run at a time, but for Connect: it gives up on a worker that takes
# ten seconds to start.
SPARK_TESTS := $(patsubst %,spark-%,connect classic cluster)
.PHONY: $(SPARK_TESTS)
spark-cluster: ONLY := -k 'answers or file or fails'
$(SPARK_TESTS): spark-%:
	ADDHASH_SPARK=$* $(BIN)/pytest --quiet -p no:cacheprovider tests/engines/spark $(ONLY)
test-spark: spark ## Install PySpark and Java, and run the tests of addhash.engines.spark.
	$(MAKE) spark-connect
	$(TWO_AT_A_TIME) spark-classic spark-cluster
