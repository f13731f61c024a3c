"""The classifiers keep scikit-learn's contract: its whole battery, with no exception."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from addhash import CentroidClassifier, NearestNeighborClassifier

CLASSIFIERS = [
    NearestNeighborClassifier(),
    NearestNeighborClassifier(n_neighbors=3),
    NearestNeighborClassifier(n_neighbors=3, weights="similarity"),
    CentroidClassifier(),
]


@parametrize_with_checks(CLASSIFIERS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
