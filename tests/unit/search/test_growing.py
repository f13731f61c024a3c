import numpy as np

from addhash import Index
from addhash.search.growing import grown


def test_rows_that_were_returned_never_change():
    first = np.array([1, 2])
    (one,), room = grown((first,), (np.array([3]),), None)
    (two,), _ = grown((one,), (np.array([4]),), room)
    (other,), _ = grown((one,), (np.array([5]),), room)  # the room after `one` is taken
    assert one.tolist() == [1, 2, 3]
    assert two.tolist() == [1, 2, 3, 4]
    assert other.tolist() == [1, 2, 3, 5]


def test_rows_of_another_type_get_buffers_of_their_own():
    (one,), room = grown((np.array([1.5], np.float32),), (np.array([2], np.float32),), None)
    (two,), _ = grown((one,), (np.array([1e300]),), room)
    assert two.tolist() == [1.5, 2.0, 1e300]


def test_one_more_vector_copies_few():
    """Of 1,000 additions to 1,000 vectors, few may allocate new buffers."""
    index = Index(8)
    index.add(np.ones((1000, 8), int))
    buffers = set()
    for _ in range(1000):
        index.add(np.ones((1, 8), int))
        buffers.add(index._state.ids.base.ctypes.data)
        buffers.add(index._state.rows.codes.base.ctypes.data)
    assert len(buffers) <= 8
    assert index.ids.tolist() == list(range(2000))
