"""The trained classifiers that the paper compares with, rebuilt with scikit-learn."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC

from addhash.paper.data_sets import Messages, Paragraphs
from addhash.paper.progress import Tick

# The reference keeps the characters that occur in at least 50 of its 117,500 paragraphs. Smaller
# sets keep those in the same fraction of paragraphs; otherwise too few features would remain.
MIN_SHARE = 50 / 117_500
HIDDEN = 512
MINI_BATCH = 32
EPOCHS = 20
# The learning rate of the reference, and Adam's default, which is used on parts of the data: with a
# tenth of the paragraphs, 20 epochs at the reference's rate leave the network half trained.
REFERENCE_RATE = 1e-4
PARTS_RATE = 1e-3
# A printable character and the letters and digits that follow it.
TOKEN = r"[!-~][A-Za-z0-9]*"


def network_accuracy(
    known: Paragraphs, asked: Paragraphs, *, rate: float, seed: int, tick: Tick
) -> dict[str, Any]:
    """Train the network of the paper's reference [11], and return its accuracy in percent.

    Characters weighted by tf-idf, one hidden layer of 512, Adam, mini-batches of 32, 20 epochs.
    """
    weigher = TfidfVectorizer(
        analyzer="char", min_df=max(1, round(MIN_SHARE * len(known.texts))), dtype=np.float32
    )
    features = weigher.fit_transform(known.texts)
    network = MLPClassifier(
        (HIDDEN,), alpha=0, batch_size=MINI_BATCH, learning_rate_init=rate, random_state=seed
    )
    classes = np.unique(known.labels)
    for epoch in range(EPOCHS):
        network.partial_fit(features, known.labels, classes=classes)
        tick((epoch + 1) / EPOCHS)
    is_right = network.predict(weigher.transform(asked.texts)) == asked.labels
    return {
        "accuracy": 100 * float(is_right.mean()),
        "features": features.shape[1],
        "epochs": EPOCHS,
        "rate": rate,
    }


def svm_says_spam(
    messages: Messages, is_known: npt.NDArray[np.bool_], seed: int
) -> npt.NDArray[np.bool_]:
    """Train the linear SVM of reference [12] on the known messages, and classify the others.

    Returns
    -------
    answers : ndarray of bools
        Whether each message that is not known is spam, in their order.
    """
    counter = CountVectorizer(token_pattern=TOKEN, lowercase=False, binary=True)
    known = counter.fit_transform(t for t, k in zip(messages.texts, is_known, strict=True) if k)
    asked = counter.transform(t for t, k in zip(messages.texts, is_known, strict=True) if not k)
    machine = LinearSVC(random_state=seed).fit(known, messages.is_spam[is_known])
    answers: npt.NDArray[np.bool_] = machine.predict(asked)
    return answers
