"""Why a text got its label: the share of every token and character in the score."""

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.learning.memory import Comparison, Memory, Question
from addhash.learning.predictions import Neighbor, predictions_of
from addhash.text.analysis import Analysis
from addhash.text.spans import tokens_with_characters

__all__ = ["Explanation", "TokenShare", "explain_text"]

Floats = npt.NDArray[np.float64]

SHOWN_TOKENS = 10
GREEN, RED = "46,160,67", "218,54,51"


class TokenShare(NamedTuple):
    """A token of the text, how often it occurs, and its share of the score and of the margin."""

    token: str
    occurrences: int
    score: float
    margin: float | None


@dataclass(frozen=True)
class Explanation:
    """What makes up the score of a text.

    The score is a sum over tokens: a cosine, because a text's vector is the sum of its tokens'
    vectors, or for the method "bayes" the evidence for the class in bits, so that the margin is the
    logarithm of the odds. `tokens` has their shares, in the order in which they first occur;
    `characters` spreads each token's share evenly over its characters. Both add up to `score`, and
    the shares of the margin to `margin`. The part that belongs to no token is in `prior`: the
    number of examples of a class is evidence too; it is 0 for cosines. If a function tokenizes the
    text, so that the characters of a token are not known, its share is in `unplaced`, and so is
    `prior`.

    Attributes
    ----------
    text : str label : the class with the highest score, even if `predict` rejects it is_rejected :
    bool
        Whether `predict` rejects it.
    score : float
    runner_up : the best other class, or None
    margin : float or None
        The score minus the runner-up's.
    tokens : tuple of TokenShare
    characters : ndarray of shape (len(text),)
    character_margins : ndarray of shape (len(text),), or None without a runner-up
    unplaced, unplaced_margin : float
    prior, prior_margin : float
    nearest : tuple of Neighbor
        The nearest training examples, if the method keeps them.
    """

    text: str
    label: Any
    is_rejected: bool
    score: float
    runner_up: Any
    margin: float | None
    tokens: tuple[TokenShare, ...]
    characters: Floats
    character_margins: Floats | None
    unplaced: float
    unplaced_margin: float
    prior: float
    prior_margin: float
    nearest: tuple[Neighbor, ...]

    def strongest(self, count: int = SHOWN_TOKENS) -> list[TokenShare]:
        """Return the tokens that count most for the margin, or for the score if there is none."""

        def weight(share: TokenShare) -> float:
            return share.score if share.margin is None else share.margin

        return sorted(self.tokens, key=lambda share: -abs(weight(share)))[:count]

    def __str__(self) -> str:
        lines = [self._headline()]
        for share in self.strongest():
            margin = "" if share.margin is None else f"  margin {share.margin:+.4f}"
            lines.append(
                f"  {share.token!r:<12} x{share.occurrences}  score {share.score:+.4f}{margin}"
            )
        return "\n".join(lines)

    def _headline(self) -> str:
        text = f"{self.label!r}, score {self.score:.4f}"
        text += ", rejected" if self.is_rejected else ""
        if self.margin is not None:
            text += f", {self.margin:.4f} before {self.runner_up!r}"
        return text

    def _repr_html_(self) -> str:
        """Colour the parts that point to the label green, and those for the runner-up red."""
        shares = self.characters if self.character_margins is None else self.character_margins
        largest = float(np.abs(shares).max(initial=0)) or 1.0
        pieces = []
        for character, share in zip(self.text, shares.tolist(), strict=True):
            color = GREEN if share >= 0 else RED
            pieces.append(
                f'<span style="background:rgba({color},{abs(share) / largest:.2f})"'
                f' title="{share:+.5f}">{escape(character)}</span>'
            )
        nearest = "".join(
            f"<li>{escape(repr(near.label))}, {near.score:.4f}"
            + ("" if near.text is None else f": {escape(near.text)}")
            + "</li>"
            for near in self.nearest
        )
        return (
            f"<div><p><b>{escape(self._headline())}</b></p>"
            f'<p style="white-space:pre-wrap;font-family:monospace">{"".join(pieces)}</p>'
            + (f"<ol>{nearest}</ol>" if nearest else "")
            + "</div>"
        )


def explain_text(
    analysis: Analysis,
    hashing: Any,
    memory: Memory,
    comparison: Comparison,
    question: Question,
    text: str,
    is_rejected: bool,
) -> Explanation:
    """Explain the comparison of one text with a memory."""
    prediction = predictions_of(memory, comparison)[0]
    placed = tokens_with_characters(analysis, text)
    counts = Counter(token for token, _ in placed)
    tokens = list(counts)
    weights = hashing.token_weights(tokens, np.array(list(counts.values()), np.int64))
    scores = memory.token_shares(hashing, tokens, weights, int(comparison.winner_rows[0]))
    margins = None
    if prediction.margin is not None:
        rival = int(comparison.runner_up_rows[0])
        margins = scores - memory.token_shares(hashing, tokens, weights, rival)
    characters, unplaced = _spread(placed, counts, scores, len(text))
    character_margins, unplaced_margin = None, 0.0
    prior, prior_margin = memory.prior(int(comparison.winner_rows[0]), question), 0.0
    if margins is not None:
        character_margins, unplaced_margin = _spread(placed, counts, margins, len(text))
        prior_margin = prior - memory.prior(int(comparison.runner_up_rows[0]), question)
    return Explanation(
        text=text,
        label=prediction.label,
        is_rejected=is_rejected,
        score=prior + float(scores.sum()),
        runner_up=prediction.runner_up,
        margin=None if margins is None else prior_margin + float(margins.sum()),
        tokens=tuple(
            TokenShare(
                token, count, float(scores[i]), None if margins is None else float(margins[i])
            )
            for i, (token, count) in enumerate(counts.items())
        ),
        characters=characters,
        character_margins=character_margins,
        unplaced=unplaced + prior,
        unplaced_margin=unplaced_margin + prior_margin,
        prior=prior,
        prior_margin=prior_margin,
        nearest=prediction.nearest,
    )


def _spread(
    placed: list[tuple[str, list[int]]], counts: Counter[str], shares: Floats, length: int
) -> tuple[Floats, float]:
    """Return the shares of the characters, and what belongs to none of them."""
    characters = np.zeros(length)
    unplaced = 0.0
    share_of = dict(zip(counts, shares.tolist(), strict=True))
    for token, positions in placed:
        share = share_of[token] / counts[token]
        if not positions:
            unplaced += share
        for position in positions:
            characters[position] += share / len(positions)
    return characters, unplaced
