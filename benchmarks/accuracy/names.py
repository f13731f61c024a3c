"""The names of the methods, in the order in which they are shown, and what their models can do."""

OURS = {
    "bayes": ("bayes", False),
    "nearest": ("nearest", False),
    "nearest + idf": ("nearest", True),
    "centroid": ("centroid", False),
    "centroid + idf": ("centroid", True),
}
PEERS = ("LinearSVC", "LogisticRegression", "MultinomialNB", "NearestCentroid")
NAMES = [*OURS, *PEERS, "fastText"]

# Whether a model learns more, forgets, is merged, and says why.
ABILITIES = {
    **dict.fromkeys(OURS, (True, True, True, True)),
    "LinearSVC": (False, False, False, True),
    "LogisticRegression": (False, False, False, True),
    "MultinomialNB": (True, False, False, True),
    "NearestCentroid": (False, False, False, False),
    "fastText": (False, False, False, False),
}
