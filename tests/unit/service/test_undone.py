from addhash.service.undone import MOST_CHANGES, MOST_EXAMPLES, Undone, UndoneChanges


def test_the_oldest_changes_are_dropped_to_make_room():
    undone = UndoneChanges()
    for change in range(MOST_CHANGES + 2):
        undone.keep(change, Undone(changes=[change]))
    assert [*undone.state()] == [*range(2, MOST_CHANGES + 2)]
    assert undone.take(1) is None
    assert undone.take(2) == Undone(changes=[2])


def test_there_is_a_limit_for_all_examples_together():
    undone = UndoneChanges()
    half = [("a text", "a label")] * (MOST_EXAMPLES // 2)
    undone.keep(1, Undone(lessons=half))
    undone.keep(2, Undone(lessons=half))
    assert [*undone.state()] == [1, 2]
    undone.keep(3, Undone(lessons=half[:1]))
    assert [*undone.state()] == [2, 3]
    undone.keep(4, Undone(lessons=half * 2 + half[:1]))
    assert undone.state() == {}
