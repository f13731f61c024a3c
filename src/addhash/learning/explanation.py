"""Why a text got its label: the share of every part of it in the evidence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np

from addhash.arrays import Floats
from addhash.errors import DocumentError
from addhash.frames import data_frame, html_table
from addhash.hashing.letter_sequences import LetterSequences
from addhash.learning.memory import Memory, Question, Ranking
from addhash.learning.predictions import Neighbor, predictions_of
from addhash.parameters import PartsOfText
from addhash.text.analysis import Analysis
from addhash.text.spans import tokens_with_characters, words_with_characters

SHOWN_PARTS = 10
# Each character takes about 2 KB and 12 microseconds to explain.
MOST_CHARACTERS = 100_000
ROUNDING = 1e-9
GREEN, RED = "46,160,67", "218,54,51"


class Share(NamedTuple):
    """A part of a text, and its share of the evidence.

    `what` is "word" or "token"; "others" stands for all parts that are not shown, and "prior" for
    what belongs to no part: how frequent the class is, and its bias.
    """

    what: Literal["word", "token", "others", "prior"]
    text: str
    occurrences: int
    evidence: float
    evidence_margin: float | None

    @property
    def weight(self) -> float:
        """The share of the margin, or of the evidence if there is no runner-up."""
        return self.evidence if self.evidence_margin is None else self.evidence_margin


@dataclass(frozen=True)
class Explanation:
    """What makes up the evidence for a text's label.

    `score` and `margin` are those of `predict_scores`. The evidence behind them is a sum over
    tokens: a cosine, because a text's vector is the sum of its tokens' vectors, or for the method
    "bayes" log-odds, to which the number of examples of the class adds a prior. `rows` has the
    parts that count most, one row for the others and one for the prior; they add up to `evidence`,
    and their margins to `evidence_margin`, which is what decided for the label.

    `characters` spreads each token's share evenly over its characters. If a function tokenizes the
    text, so that the characters of a token are not known, its share is in `unplaced`, and so is
    the prior.

    Attributes
    ----------
    text : str
        The text.
    label : object
        The class with the highest score, even if `predict` rejects it.
    is_rejected : bool
        Whether `predict` rejects it.
    score : float
        The score, as in `predict_scores`.
    runner_up : object
        The best other class, or None.
    margin : float or None
        The score minus the runner-up's, as in `predict_scores`.
    evidence : float
        The evidence for the label: the sum of all shares.
    evidence_margin : float or None
        The evidence for the label minus that for the runner-up.
    parts : {"words", "tokens"}
        What `rows` and the text form show.
    words : tuple of Share
        The words, in the order in which they first occur.
    tokens : tuple of Share
        The tokens, likewise.
    characters : ndarray of shape (len(text),)
        The share of each character in the evidence.
    character_margins : ndarray of shape (len(text),) or None
        The share of each character in the margin.
    unplaced : float
        The evidence that belongs to no character.
    unplaced_margin : float
        The part of the margin that belongs to no character.
    prior : float
        The evidence that belongs to no token.
    prior_margin : float
        The part of the margin that belongs to no token.
    nearest : tuple of Neighbor
        The nearest training examples, if the method keeps them.
    """

    text: str
    label: Any
    is_rejected: bool
    score: float
    runner_up: Any
    margin: float | None
    evidence: float
    evidence_margin: float | None
    parts: PartsOfText
    words: tuple[Share, ...]
    tokens: tuple[Share, ...]
    characters: Floats
    character_margins: Floats | None
    unplaced: float
    unplaced_margin: float
    prior: float
    prior_margin: float
    nearest: tuple[Neighbor, ...]

    def strongest(self, count: int = SHOWN_PARTS, parts: PartsOfText | None = None) -> list[Share]:
        """Return the parts that count most for the margin, or for the evidence if there is none.

        Parameters
        ----------
        count : int, default=10
            How many.
        parts : {"words", "tokens"}, optional
            By default what the explanation was asked to show.

        Returns
        -------
        shares : list of Share
        """
        shares = self.words if (parts or self.parts) == "words" else self.tokens
        return sorted(shares, key=lambda share: -abs(share.weight))[:count]

    def rows(self, count: int = SHOWN_PARTS, parts: PartsOfText | None = None) -> list[Share]:
        """Return the strongest parts, the others together, and the prior: they add up.

        Parameters
        ----------
        count : int, default=10
            How many parts to list.
        parts : {"words", "tokens"}, optional
            By default what the explanation was asked to show.

        Returns
        -------
        shares : list of Share
        """
        shown = self.strongest(count, parts)
        every = self.words if (parts or self.parts) == "words" else self.tokens
        rest = self.evidence - self.prior - sum(share.evidence for share in shown)
        rest_margin = None
        if self.evidence_margin is not None:
            rest_margin = self.evidence_margin - self.prior_margin
            rest_margin -= sum(share.weight for share in shown)
        rows = list(shown)
        left = len(every) - len(shown)
        # Words lack what belongs to no character.
        if left or abs(rest) > 1e-9 or abs(rest_margin or 0.0) > 1e-9:
            rows.append(Share("others", "", left, rest, rest_margin))
        if self.prior or self.prior_margin:
            margin = None if self.evidence_margin is None else self.prior_margin
            rows.append(Share("prior", "", 1, self.prior, margin))
        return rows

    def to_dict(self) -> dict[str, list[Any]]:
        """Return all parts and the prior as columns: what, text, occurrences, evidence, margin.

        Returns
        -------
        columns : dict of str to list
        """
        rows = self.rows(len(self.text) + len(self.tokens))
        return {name: [getattr(row, name) for row in rows] for name in Share._fields}

    def to_frame(self) -> Any:
        """Return all parts and the prior as a pandas DataFrame, the strongest first.

        Returns
        -------
        frame : pandas.DataFrame
        """
        return data_frame(self.to_dict())

    def __str__(self) -> str:
        lines = [self._headline()]
        for row in self.rows():
            name = {"others": f"{row.occurrences} others", "prior": "prior and bias"}.get(
                row.what, repr(row.text)
            )
            times = f"x{row.occurrences}" if row.what in ("word", "token") else ""
            margin = "" if row.evidence_margin is None else f"  margin {row.evidence_margin:+.4f}"
            lines.append(f"  {name:<16} {times:<4} evidence {row.evidence:+.4f}{margin}")
        return "\n".join(lines)

    def _headline(self) -> str:
        text = f"{self.label!r}, score {self.score:.4f}"
        text += ", rejected" if self.is_rejected else ""
        text += f", evidence {self.evidence:.4f}"
        if self.evidence_margin is not None:
            text += f", {self.evidence_margin:.4f} more than for {self.runner_up!r}"
        return text

    def _repr_html_(self) -> str:
        """Colour the parts that point to the label green, and those for the runner-up red."""
        rows = (
            (_name(row), row.occurrences, f"{row.evidence:+.4f}", f"{row.weight:+.4f}")
            for row in self.rows()
        )
        table = html_table(("part", "times", "evidence", "margin"), rows)
        nearest = "".join(
            f"<li>{escape(repr(near.label))}, {near.score:.4f}"
            + ("" if near.text is None else f": {escape(near.text)}")
            + "</li>"
            for near in self.nearest
        )
        return (
            f"<div><p><b>{escape(self._headline())}</b></p>"
            f'<p style="white-space:pre-wrap;font-family:monospace">{self._coloured()}</p>'
            f"<p>{self._legend()}</p>{table}"
            + (f"<ol>{nearest}</ol>" if nearest else "")
            + "</div>"
        )

    def _coloured(self) -> str:
        shares = self.characters if self.character_margins is None else self.character_margins
        largest = float(np.abs(shares).max(initial=0)) or 1.0
        pieces = []
        for character, share in zip(self.text, shares.tolist(), strict=True):
            color = GREEN if share >= 0 else RED
            pieces.append(
                f'<span style="background:rgba({color},{abs(share) / largest:.2f})"'
                f' title="{share:+.5f}">{escape(character)}</span>'
            )
        return "".join(pieces)

    def _legend(self) -> str:
        def entry(color: str, label: Any) -> str:
            return f'<span style="background:rgba({color},0.6)">for {escape(repr(label))}</span>'

        other = "" if self.runner_up is None else " " + entry(RED, self.runner_up)
        return entry(GREEN, self.label) + other


def _name(row: Share) -> str:
    return {"others": "all others", "prior": "prior and bias"}.get(row.what, row.text)


def explain_text(
    analysis: Analysis,
    hashing: Any,
    memory: Memory,
    ranking: Ranking,
    question: Question,
    text: str,
    is_rejected: bool,
    parts: PartsOfText,
) -> Explanation:
    """Explain the ranking of one text by a memory."""
    prediction = predictions_of(memory, ranking)[0]
    if isinstance(hashing, LetterSequences):
        placed = hashing.placed(text)
    else:
        placed = tokens_with_characters(analysis, text)
    question = replace(question, text=text)
    counts = Counter([token for token, _ in placed])
    tokens = list(counts)
    weights = hashing.token_weights(tokens, np.array(list(counts.values()), np.int64))
    rows = [int(ranking.winner_rows[0])]
    if prediction.margin is not None:
        rows.append(int(ranking.runner_up_rows[0]))
    shares = memory.token_shares(hashing, tokens, weights, rows)
    scores = shares[0]
    margins = scores - shares[1] if len(rows) > 1 else None
    both = [scores] if margins is None else [scores, margins]
    spread = _spread(placed, counts, np.array(both), len(text))
    characters, character_margins = spread[0, :-1], None if margins is None else spread[1, :-1]
    priors = [memory.prior(row, question) for row in rows]
    if ranking.evidence is not None and ranking.runner_up_evidence is not None:
        # More than that if the text was learnt word for word, or its class came later than others.
        for i, evidence in enumerate(
            [ranking.evidence[0], ranking.runner_up_evidence[0]][: len(rows)]
        ):
            rest = float(evidence - shares[i].sum())
            if abs(rest - priors[i]) > ROUNDING:
                priors[i] = rest
    prior, prior_margin = priors[0], priors[0] - priors[-1]
    is_placed = bool(placed and placed[0][1])  # all or none, as `tokens_with_characters` says
    leads = [None] * len(tokens) if margins is None else margins.tolist()
    return Explanation(
        text=text,
        label=prediction.label,
        is_rejected=is_rejected,
        score=prediction.score,
        runner_up=prediction.runner_up,
        margin=prediction.margin,
        evidence=prior + float(scores.sum()),
        evidence_margin=None if margins is None else prior_margin + float(margins.sum()),
        parts=parts if is_placed else "tokens",
        words=_words(text, characters, character_margins),
        tokens=tuple(
            [
                Share("token", *entry)
                for entry in zip(tokens, counts.values(), scores.tolist(), leads, strict=True)
            ]
        ),
        characters=characters,
        character_margins=character_margins,
        unplaced=float(spread[0, -1]) + prior,
        unplaced_margin=0.0 if margins is None else float(spread[1, -1]) + prior_margin,
        prior=prior,
        prior_margin=prior_margin,
        nearest=prediction.nearest,
    )


def check_length(text: str) -> None:
    """Refuse a text that would take too much time and memory to explain."""
    if len(text) > MOST_CHARACTERS:
        raise DocumentError(
            f"Expected at most {MOST_CHARACTERS:,} characters to explain, got {len(text):,}."
            f" Explain a part of the text, such as text[:{MOST_CHARACTERS}]; predict has no limit."
        )


def _words(text: str, characters: Floats, margins: Floats | None) -> tuple[Share, ...]:
    """Return the shares of the words; white space belongs to the word after it."""
    found = words_with_characters(text)
    if not found:
        return ()
    starts = np.array([0, *(span.stop for _, span in found[:-1])])
    evidence = np.add.reduceat(characters, starts).tolist()
    leads = None if margins is None else np.add.reduceat(margins, starts).tolist()
    sums: dict[str, list[float]] = {}
    for i, (word, _) in enumerate(found):
        total = sums.setdefault(word, [0, 0.0, 0.0])
        total[0] += 1
        total[1] += evidence[i]
        total[2] += 0.0 if leads is None else leads[i]
    return tuple(
        [
            Share("word", word, int(times), share, None if leads is None else lead)
            for word, (times, share, lead) in sums.items()
        ]
    )


def _spread(
    placed: Sequence[tuple[str, list[int]]], counts: Counter[str], shares: Floats, length: int
) -> Floats:
    """Return rows of shares of tokens as shares of the characters, then what belongs to none."""
    numbers = {token: i for i, token in enumerate(counts)}
    each = np.array([numbers[token] for token, _ in placed], np.int64)
    places = [positions or [length] for _, positions in placed]
    sizes = np.array([len(positions) for positions in places], np.int64)
    flat = np.fromiter(chain.from_iterable(places), np.int64, int(sizes.sum()))
    parts = (shares / np.array(list(counts.values()), np.int64))[:, each] / sizes
    rows = [np.bincount(flat, np.repeat(row, sizes), length + 1) for row in parts]
    return np.array(rows, np.float64)
