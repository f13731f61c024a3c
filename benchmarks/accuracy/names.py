"""The names of the methods, in the order in which they are shown, and what their models can do."""

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
CURVES = ("bayes", "nearest + idf", "LinearSVC, both", "ComplementNB")

# Whether a model learns more, forgets, is merged, and says why.
ABILITIES = {
    **dict.fromkeys(OURS, (True, True, True, True)),
    **dict.fromkeys(PEERS, (False, False, False, True)),
    "ComplementNB": (True, False, False, True),
    "fastText": (False, False, False, False),
}
