"""A two-dimensional map of vectors: at once, or with neighbours kept close."""

import numpy as np
import numpy.typing as npt

__all__ = ["plane"]

Floats = npt.NDArray[np.float64]

PERPLEXITY = 30.0
STEPS = 300
DIRECTIONS = 8
ITERATIONS = 12
LEAST = 8  # for fewer points, the principal components show everything


def plane(vectors: npt.NDArray[np.floating], *, is_refined: bool = False) -> Floats:
    """Return a point in the unit square for each vector of length 1.

    These are the first two principal components. If refined, points are then moved until
    neighbours are neighbours (t-SNE, exact), which takes seconds for hundreds of points. The same
    vectors give the same points.

    Parameters
    ----------
    vectors : ndarray of shape (n, n_features)
    is_refined : bool

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.service.projection import plane
    >>> plane(np.eye(3)[[0, 1, 1]]).tolist()[1:]
    [[0.0, 0.5], [0.0, 0.5]]
    """
    if len(vectors) == 0:
        return np.empty((0, 2))
    points = np.asarray(vectors, np.float32)
    # What all have in common is uninformative.
    points = points - points.mean(axis=0)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points /= np.where(lengths > 1e-6, lengths, 1)
    flat = _main_directions(points)
    if is_refined and len(points) >= LEAST:
        cosines = np.asarray(points @ points.T, np.float64)
        flat = _settled(flat, np.maximum(0.0, 2 - 2 * cosines))
    return _framed(flat)


def _main_directions(points: npt.NDArray[np.float32]) -> Floats:
    """Return the first two principal components, by iteration on a few directions."""
    centred = points - points.mean(axis=0)
    width = min(DIRECTIONS, *centred.shape)
    # Rows of the data are a start that is the same every time, and already in its span.
    chosen = np.linspace(0, len(centred) - 1, width).astype(int)
    directions = centred[chosen].T
    for _ in range(ITERATIONS):
        directions, _ = np.linalg.qr(centred.T @ (centred @ directions))
    values, turns = np.linalg.eigh(_gram(centred @ directions))
    flat = np.asarray(centred @ (directions @ turns[:, ::-1][:, :2]), np.float64)
    # A component that is 0 up to rounding is not a direction.
    flat = np.where(values[::-1][:2] > 1e-6 * len(points), flat, 0)
    if flat.shape[1] < 2:
        flat = np.pad(flat, ((0, 0), (0, 1)))
    # The sign of a direction is arbitrary: make its largest component positive.
    signs = np.sign(flat[np.abs(flat).argmax(axis=0), [0, 1]])
    result: Floats = np.round(flat * np.where(signs == 0, 1, signs), 6)
    return result


def _gram(columns: npt.NDArray[np.float32]) -> Floats:
    wide = np.asarray(columns, np.float64)
    result: Floats = wide.T @ wide
    return result


def _affinities(distances: Floats) -> Floats:
    """Return the affinities between points, with the same effective number of neighbours each."""
    n = len(distances)
    wanted = np.log(min(PERPLEXITY, (n - 1) / 3))
    low, high = np.zeros(n), np.full(n, np.inf)
    rates = np.ones(n)
    others = ~np.eye(n, dtype=bool)
    for _ in range(40):
        weights = np.exp(-distances * rates[:, None]) * others
        sums = np.maximum(weights.sum(axis=1), 1e-300)
        entropies = np.log(sums) + rates * (distances * weights).sum(axis=1) / sums
        is_wide = entropies > wanted
        low = np.where(is_wide, rates, low)
        high = np.where(is_wide, high, rates)
        rates = np.where(np.isinf(high), rates * 2, (low + np.minimum(high, 1e300)) / 2)
        rates = np.minimum(rates, 1e6)
    shares = weights / sums[:, None]
    result: Floats = np.maximum((shares + shares.T) / (2 * n), 1e-12)
    return result


def _settled(start: Floats, distances: Floats) -> Floats:
    """Move points by gradient descent, as van der Maaten and Hinton (2008) do."""
    affinities = _affinities(distances)
    spread = float(start.std()) or 1.0
    points = start / spread * 1e-2
    speed, gains = np.zeros_like(points), np.ones_like(points)
    rate = max(len(points) / 12.0, 10.0)
    for step in range(STEPS):
        pull = affinities * (12.0 if step < STEPS // 4 else 1.0)
        squares = (points**2).sum(axis=1)
        near = 1 / (1 + np.maximum(0, squares[:, None] + squares[None, :] - 2 * points @ points.T))
        np.fill_diagonal(near, 0)
        forces = (pull - near / near.sum()) * near
        gradient = 4 * (forces.sum(axis=1)[:, None] * points - forces @ points)
        gains = np.maximum(
            np.where(np.sign(gradient) == np.sign(speed), gains * 0.8, gains + 0.2), 0.01
        )
        speed = (0.5 if step < STEPS // 4 else 0.8) * speed - rate * gains * gradient
        points = points + speed
        points -= points.mean(axis=0)
    return points


def _framed(points: Floats) -> Floats:
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1)
    result: Floats = np.where(high > low, (points - low) / span, 0.5)
    return np.round(result, 4)
