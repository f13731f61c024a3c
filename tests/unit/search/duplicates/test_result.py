from addhash import find_duplicates


def test_frames():
    found = find_duplicates(["a b c", "x y z", "a b c"])
    frame = found.to_frame()
    assert frame["cluster"].tolist() == found.clusters.tolist()
    assert frame["representative"].tolist() == found.representatives.tolist()
    assert frame["keep"].tolist() == [True, True, False]
    pairs = found.pairs.to_frame()
    assert pairs.to_dict("list") == {"left": [0], "right": [2], "similarity": [1.0]}
