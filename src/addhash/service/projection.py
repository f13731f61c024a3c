"""A two-dimensional map of vectors: at once, or with neighbours kept close.

scikit-learn's t-SNE and the packages built on it would do the latter, but the server does without
scikit-learn, and for hundreds of points the exact method is a page of NumPy.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

PERPLEXITY = 30.0
STEPS, EARLY_STEPS, FEW_STEPS = 300, 75, 40
# By experience: how wide such a map becomes, for each square root of its points.
WIDTH = 2.0
DIRECTIONS = 8
ITERATIONS = 12
LEAST = 8  # for fewer points, the principal components show everything
NEIGHBOURS = 3


def plane(vectors: npt.NDArray[np.floating]) -> Floats:
    """Return a point in the unit square for each vector of length 1: its principal components.

    The same vectors give the same points.

    Parameters
    ----------
    vectors : ndarray of shape (n, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.service.projection import plane
    >>> plane(np.eye(3)[[0, 1, 1]]).tolist()[1:]
    [[0.0, 0.5], [0.0, 0.5]]
    """
    return _framed(_main_directions(_centred(vectors)))


def refined(vectors: npt.NDArray[np.floating], start: Floats | None = None) -> Floats:
    """Return points whose neighbours are those of the vectors (t-SNE, exact).

    This takes half a second for 800 points, or a tenth of it from a `start`: points of such a map,
    of which only some are new. The others then stay about where they were.
    """
    points = _centred(vectors)
    n = len(points)
    if n < LEAST:
        return _framed(_main_directions(points))
    distances = np.maximum(0.0, 2 - 2 * np.asarray(points @ points.T, np.float64))
    if start is not None:
        return _framed(_settled((start - 0.5) * WIDTH * np.sqrt(n), distances, FEW_STEPS, 0))
    flat = _main_directions(points)
    tiny = flat / (float(flat.std()) or 1.0) * 1e-2
    return _framed(_settled(tiny, distances, STEPS, EARLY_STEPS))


def beside(
    vectors: npt.NDArray[np.floating], known: npt.NDArray[np.floating], places: Floats
) -> Floats:
    """Return a point for each vector, between those of the most similar known ones."""
    count = min(NEIGHBOURS, len(known))
    cosines = np.asarray(vectors @ known.T)
    nearest = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
    shares = np.take_along_axis(cosines, nearest, axis=1).clip(1e-6) ** 4
    shares /= shares.sum(axis=1, keepdims=True)
    result: Floats = np.round((places[nearest] * shares[..., None]).sum(axis=1), 4)
    return result


def _centred(vectors: npt.NDArray[np.floating]) -> Singles:
    """Return vectors of length 1 without what all have in common, which is uninformative."""
    points = np.asarray(vectors, np.float32)
    if len(points) == 0:
        return points
    points = points - points.mean(axis=0)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(points / np.where(lengths > 1e-6, lengths, 1), np.float32)


def _main_directions(points: Singles) -> Floats:
    """Return the first two principal components, by iteration on a few directions."""
    if len(points) == 0:
        return np.empty((0, 2))
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


def _gram(columns: Singles) -> Floats:
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


def _settled(start: Floats, distances: Floats, steps: int, early: int) -> Floats:
    """Move points by gradient descent, as van der Maaten and Hinton (2008) do.

    In the first `early` steps, neighbours attract each other more than they will.
    """
    affinities = np.asarray(_affinities(distances), np.float32)
    points = np.asarray(start, np.float32)
    speed, gains = np.zeros_like(points), np.ones_like(points)
    rate = max(len(points) / 12.0, 10.0)
    for step in range(steps):
        is_early = step < early
        aside, above = (column[:, None] - column for column in points.T)
        near = 1 / (1 + aside * aside + above * above)
        np.fill_diagonal(near, 0)
        forces = (affinities * np.float32(12 if is_early else 1) - near / near.sum()) * near
        # Not as products of matrices, whose threads would spend more time waiting for each other.
        pulls = [np.einsum("ij,ij->i", forces, way) for way in (aside, above)]
        gradient = 4 * np.stack(pulls, axis=1)
        gains = np.where(np.sign(gradient) == np.sign(speed), gains * 0.8, gains + 0.2).clip(0.01)
        speed = (0.5 if is_early else 0.8) * speed - rate * gains * gradient
        points = points + speed
        points -= points.mean(axis=0)
    return np.asarray(points, np.float64)


def _framed(points: Floats) -> Floats:
    if len(points) == 0:
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1)
    result: Floats = np.where(high > low, (points - low) / span, 0.5)
    return np.round(result, 4)
