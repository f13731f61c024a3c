"""The names of the methods, in the order in which they are shown."""

OURS = {
    "bayes": ("bayes", False),
    "nearest": ("nearest", False),
    "nearest + idf": ("nearest", True),
    "centroid": ("centroid", False),
    "centroid + idf": ("centroid", True),
}
# The classifier, and the n-grams that it gets.
PEERS = {
    "LinearSVC, words": ("LinearSVC", ("words",)),
    "LinearSVC, characters": ("LinearSVC", ("characters",)),
    "LinearSVC, both": ("LinearSVC", ("words", "characters")),
    "LogisticRegression": ("LogisticRegression", ("words", "characters")),
    "ComplementNB": ("ComplementNB", ("words", "characters")),
}
NAMES = [*OURS, *PEERS, "fastText"]
# Made again from everything after a lesson, as it cannot learn.
LESSON_PEER = "LinearSVC, both"
CURVES = ("bayes", "nearest + idf", "LinearSVC, both", "ComplementNB")
