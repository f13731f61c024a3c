# Spark, which needs Java.
.PHONY: spark test-spark
spark: install ## Install PySpark, and Java if apt-get may.
	make/need.sh $(JAVA)
	$(INSTALL) -r pyproject.toml --extra spark

# One session for each kind: a process has classic ones or Connect ones. A cluster of processes is slow
# to start each, so it is asked only what differs there: what is sent, what is lost and done again.
test-spark: spark ## Install PySpark and Java, and run the tests of addhash.engines.spark.
	ADDHASH_SPARK=classic $(BIN)/pytest --quiet tests/engines/spark
	ADDHASH_SPARK=connect $(BIN)/pytest --quiet tests/engines/spark
	ADDHASH_SPARK=cluster $(BIN)/pytest --quiet tests/engines/spark -k 'answers or file or fails'
