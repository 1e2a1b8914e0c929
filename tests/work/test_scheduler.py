"""The scheduler: everything is spoken, nothing is lost, and it ends whatever the workers do."""

import random
from collections import Counter
from collections.abc import Iterable

from hypothesis import example, given
from hypothesis import strategies as st

from voxmatrix.work.scheduler import Decision, Scheduler
from voxmatrix.work.worker_load import PendingUnit


class World:
    """Workers that speak at their speeds, stall, lie dead, or fail, on a virtual clock."""

    def __init__(self, speeds: list[float], units: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.scheduler = Scheduler(0.3)
        self.speeds = {str(n): speed for n, speed in enumerate(speeds)}
        self.queues: dict[str, list[PendingUnit]] = {name: [] for name in self.speeds}
        self.progress = dict.fromkeys(self.speeds, 0.0)
        self.spoken: Counter[str] = Counter()
        self.first: list[str] = []
        self.given_up: list[str] = []
        self.copies = 0
        self.units = [PendingUnit(str(n), self.random.uniform(1, 12)) for n in range(units)]
        self.scheduler.add(self.units)
        for name, speed in self.speeds.items():
            self.scheduler.joined(name, 0.0, max(speed, 0.1) * self.random.lognormvariate(0, 0.5))

    def decide(self) -> Decision:
        decision = self.scheduler.decide(self.now)
        for worker, keys in decision.recalls:
            self.queues[worker] = [unit for unit in self.queues[worker] if unit.key not in keys]
        for assignment in decision.assignments:
            held = {unit.key for name, queue in self.queues.items() if name != assignment.worker for unit in queue}
            self.copies += sum(unit.key in held for unit in assignment.units)
            self.queues[assignment.worker] += assignment.units
        return decision

    def step(self, fails: float = 0.0) -> None:
        self.decide()
        self.now += 0.25
        for name, queue in self.queues.items():
            self.progress[name] += 0.25 * self.speeds[name]
            while queue and self.progress[name] >= queue[0].seconds:
                unit = queue.pop(0)
                self.progress[name] -= unit.seconds
                if self.random.random() < fails:
                    if self.scheduler.failed(name, unit.key, self.now):
                        self.given_up.append(unit.key)
                    continue
                self.spoken[unit.key] += 1
                if self.scheduler.delivered(name, unit.key, unit.seconds / self.speeds[name], self.now):
                    self.first.append(unit.key)
            if not queue:
                self.progress[name] = 0.0

    def run(self, steps: int = 20_000, fails: float = 0.0) -> None:
        while self.scheduler.unfinished and steps:
            steps -= 1
            self.step(fails)
        assert not self.scheduler.unfinished


speeds = st.lists(st.floats(0.5, 200), min_size=1, max_size=8)
seeds = st.integers(0, 10**6)


@given(speeds=speeds, units=st.integers(0, 80), seed=seeds)
def test_every_unit_is_delivered_exactly_once(speeds: list[float], units: int, seed: int) -> None:
    world = World(speeds, units, seed)

    world.run()

    assert sorted(world.first) == sorted(unit.key for unit in world.units)
    assert sum(world.spoken.values()) <= units + world.copies  # twice only where a copy was given away


@given(speeds=speeds, units=st.integers(1, 60), seed=seeds, silent=st.sets(st.integers(0, 7)))
def test_workers_that_never_say_a_word_lose_nothing(
    speeds: list[float], units: int, seed: int, silent: set[int]
) -> None:
    world = World([5.0, *(0.0 if n in silent else speed for n, speed in enumerate(speeds))], units, seed)

    world.run()

    assert sorted(world.first) == sorted(unit.key for unit in world.units)


@given(units=st.integers(1, 40), seed=seeds, speed=st.floats(0.001, 0.01))
def test_a_single_worker_that_is_a_thousand_times_slower_than_believed_ends(
    units: int, seed: int, speed: float
) -> None:
    world = World([speed], units, seed)
    world.scheduler.joined("0", 0.0, 50.0)

    for _ in range(10**7):
        if not world.scheduler.unfinished:
            break
        world.decide()
        world.now += 0.25
        if queue := world.queues["0"]:
            unit = queue.pop(0)
            world.now += unit.seconds / speed
            world.first += [unit.key] * world.scheduler.delivered("0", unit.key, unit.seconds / speed, world.now)

    assert sorted(world.first) == sorted(unit.key for unit in world.units)


@given(speeds=st.lists(st.floats(1, 100), min_size=2, max_size=6), units=st.integers(1, 60), seed=seeds,
       moments=st.lists(st.tuples(st.integers(1, 60), st.integers(0, 5), st.booleans()), max_size=12))  # fmt: skip
def test_workers_that_die_and_come_back_at_any_time_lose_nothing(
    speeds: list[float], units: int, seed: int, moments: list[tuple[int, int, bool]]
) -> None:
    world = World(speeds, units, seed)
    for step in range(61):
        for when, number, comes_back in moments:
            name = str(number % len(speeds))
            if when == step and name != "0":
                world.queues[name].clear()
                world.scheduler.left(name)
                if comes_back:
                    world.scheduler.joined(name, world.now)
        if world.scheduler.unfinished:
            world.step()

    world.run()

    assert sorted(world.first) == sorted(unit.key for unit in world.units)


@given(speeds=speeds, units=st.integers(1, 40), seed=seeds, fails=st.floats(0, 1))
def test_units_that_fail_are_given_up_after_three_attempts_and_the_others_are_made(
    speeds: list[float], units: int, seed: int, fails: float
) -> None:
    world = World(speeds, units, seed)

    world.run(fails=fails)

    assert sorted(world.first + world.given_up) == sorted(unit.key for unit in world.units)


def test_a_unit_is_given_up_only_after_it_failed_on_three_workers() -> None:
    scheduler = Scheduler()
    scheduler.add([PendingUnit("bad", 5.0)])
    for name in ("a", "b", "c", "d"):
        scheduler.joined(name, 0.0, 10.0)
    tried: list[str] = []

    for now in range(100):
        for assignment in scheduler.decide(float(now)).assignments:
            tried.append(assignment.worker)
            given_up = scheduler.failed(assignment.worker, "bad", now + 0.5)
        if not scheduler.unfinished:
            break

    assert given_up and len(tried) == 3 and len(set(tried)) == 3


class Speaking:
    """A worker that may have begun what it is told not to speak, and reports late what it has spoken."""

    def __init__(self, chance: random.Random) -> None:
        self.unreported: list[str] = []  # of the batch that it speaks
        self._chance, self._starts_in = chance, chance.randint(0, 20)
        self._batches: list[list[str]] = []
        self._recalled: set[str] = set()
        self._spoken: list[str] = []  # and not reported

    def take(self, keys: list[str]) -> None:
        self._batches.append(keys)
        self._recalled -= set(keys)

    def recall(self, keys: Iterable[str]) -> None:
        self._recalled.update(keys if self._chance.random() < 0.5 else ())

    def speak(self) -> tuple[list[str], bool]:
        """Speak one unit. What is reported then, and whether the worker dies."""
        self._starts_in -= 1
        if not self._batches or self._starts_in > 0:
            return [], False
        batch = self._batches[0]
        self.unreported = self.unreported or list(batch)
        key = batch.pop(0)
        if key not in self._recalled:
            if key == "bad":
                return [], True
            self._spoken.append(key)
        if batch and self._chance.random() < 0.5:
            return [], False
        told, self._spoken = self._spoken, []
        self.unreported = [key for key in self.unreported if key not in told] if batch else []
        self._batches = [left for left in self._batches if left]
        return told, False


@given(
    names=st.sets(st.sampled_from("abcd"), min_size=1), units=st.integers(1, 60), place=st.integers(0, 59), seed=seeds
)
@example(names={"a", "b", "c"}, units=8, place=1, seed=1041)  # copies of an innocent unit before the one that kills
@example(names={"a", "b", "c"}, units=8, place=3, seed=1259)
def test_a_unit_that_kills_its_workers_takes_no_other_with_it(
    names: set[str], units: int, place: int, seed: int
) -> None:
    chance, now = random.Random(seed), 0.0
    scheduler = Scheduler(0.01)
    scheduler.add(PendingUnit("bad" if n == place % units else str(n), 5.0) for n in range(units))
    workers: dict[str, Speaking] = {}
    delivered, given_up = [], []

    while scheduler.unfinished:
        now += 0.5
        assert now < 1000
        for name in sorted(names - workers.keys()):
            workers[name] = Speaking(chance)
            scheduler.joined(name, now, 20.0)
        decision = scheduler.decide(now)
        for name, keys in decision.recalls:
            workers[name].recall(keys)
        for assignment in decision.assignments:
            workers[assignment.worker].take([unit.key for unit in assignment.units])
        for name in chance.sample(sorted(names), chance.randint(1, len(names))):
            told, dies = workers[name].speak()
            for key in told:
                delivered += [key] * scheduler.delivered(name, key, 0.25, now)
            if dies:
                blamed, *others = workers[name].unreported
                if scheduler.failed(name, blamed, now, confirmed=not others):
                    given_up.append(blamed)
                scheduler.left(name)
                del workers[name]

    assert given_up == ["bad"]
    assert len(set(delivered)) == units - 1


def test_a_unit_goes_to_every_idle_worker_that_would_end_it_sooner() -> None:
    scheduler = Scheduler(0.3)
    scheduler.add([PendingUnit("long", 30.0)])
    taken = []
    for worker, speed in (("slow", 1.0), ("faster", 2.0), ("as fast", 2.0), ("fastest", 100.0), ("too late", 50.0)):
        scheduler.joined(worker, 0.0, speed)
        taken += [assignment.worker for assignment in scheduler.decide(0.0).assignments]
    assert taken == ["slow", "faster", "fastest"]


def test_a_late_result_of_a_worker_that_was_given_up_counts_once() -> None:
    scheduler = Scheduler()
    scheduler.add([PendingUnit("one", 5.0)])
    scheduler.joined("slow", 0.0, 10.0)
    scheduler.decide(0.0)
    scheduler.joined("other", 20.0, 10.0)

    (assignment,) = scheduler.decide(20.0).assignments

    assert assignment.worker == "other"
    assert scheduler.delivered("slow", "one", 21.0, 21.0)
    assert scheduler.decide(21.0).recalls == (("other", ("one",)),)
    assert not scheduler.delivered("other", "one", 1.0, 21.5)
    assert not scheduler.unfinished


def test_a_much_slower_worker_gets_nothing_that_it_would_end_after_the_others() -> None:
    scheduler = Scheduler(0.0)
    scheduler.add(PendingUnit(str(n), 8.0) for n in range(10))
    scheduler.joined("fast", 0.0, 100.0)
    scheduler.joined("slow", 0.0, 1.0)

    given = scheduler.decide(0.0).assignments

    assert {assignment.worker for assignment in given} == {"fast"}


def test_batches_take_some_seconds_on_their_own_worker() -> None:
    scheduler = Scheduler()
    scheduler.add(PendingUnit(str(n), 5.0) for n in range(10_000))
    for name, speed in (("fast", 100.0), ("slow", 5.0)):
        scheduler.joined(name, 0.0, speed)

    sizes = {one.worker: sum(unit.seconds for unit in one.units) for one in scheduler.decide(0.0).assignments}

    assert sizes["fast"] <= 8.0 * 100 and sizes["slow"] <= 8.0 * 5
    assert sizes["fast"] >= 15 * sizes["slow"]


def time_left_after(took: list[float]) -> float:
    """Of a hundred units more, when these seconds were taken for one of them each."""
    scheduler = Scheduler(0.0)
    scheduler.joined("only", 0.0, 1.0)
    scheduler.add(PendingUnit(str(n), 10.0) for n in range(len(took) + 100))
    now = 0.0
    for number, seconds in enumerate(took):
        now += seconds
        scheduler.decide(now)
        scheduler.delivered("only", str(number), seconds, now)
    left = scheduler.seconds_left(now)
    assert left is not None
    return left


def test_one_sentence_that_took_longer_says_little_about_a_fast_worker() -> None:
    usual = time_left_after([0.1] * 300)
    assert abs(usual - 10.0) < 1e-6
    assert time_left_after([0.1] * 300 + [0.5]) < 1.05 * usual


def test_a_worker_that_becomes_slower_is_believed_in_less_than_a_minute() -> None:
    assert 15.0 < time_left_after([0.1] * 150 + [0.2] * 150) <= 20.0 + 1e-6
    assert 85.0 < time_left_after([0.1] * 150 + [1.0] * 45) <= 100.0 + 1e-6


def test_the_estimate_of_the_time_left_is_that_of_all_workers_together() -> None:
    scheduler = Scheduler(0.0)
    assert scheduler.seconds_left(0.0) is None
    scheduler.add(PendingUnit(str(n), 10.0) for n in range(100))
    scheduler.later_seconds = 500.0
    scheduler.joined("a", 0.0, 10.0)
    scheduler.joined("b", 0.0, 5.0)

    left = scheduler.seconds_left(0.0)

    assert left is not None and abs(left - 100.0) < 1e-6


def assigned(scheduler: Scheduler, now: float) -> list[tuple[str, str]]:
    """The worker and the text of every batch; each has one text."""
    found = [(one.worker, [unit.key for unit in one.units]) for one in scheduler.decide(now).assignments]
    assert all(len(keys) == 1 for _, keys in found)
    return [(worker, key) for worker, (key,) in found]


def test_a_worker_is_given_only_the_long_texts_that_it_speaks_at_once() -> None:
    scheduler = Scheduler(0.0, ahead=False)
    scheduler.add(PendingUnit(key, 5.0) for key in "abcdefgh")
    scheduler.joined("gpu", 0.0, 10.0, at_once=4)
    scheduler.joined("cpu", 0.0, 5.0)

    assert assigned(scheduler, 0.0) == [("gpu", "a"), ("gpu", "b"), ("gpu", "c"), ("gpu", "d"), ("cpu", "e")]
    assert not assigned(scheduler, 1.0)
    scheduler.delivered("gpu", "b", 2.0, 2.0)
    assert assigned(scheduler, 2.0) == [("gpu", "f")]


def test_nobody_else_speaks_a_long_text_however_late_it_is() -> None:
    scheduler = Scheduler(0.0, ahead=False)
    scheduler.add([PendingUnit("long", 5.0)])
    scheduler.joined("slow", 0.0, 1.0)
    assert assigned(scheduler, 0.0) == [("slow", "long")]
    scheduler.joined("fast", 0.0, 100.0)

    assert not any(assigned(scheduler, now) for now in (0.0, 10.0, 1000.0, 100_000.0))
    assert scheduler.silent(100_000.0, 300.0) == []


def test_each_of_the_texts_that_may_have_killed_a_worker_is_spoken_alone() -> None:
    scheduler = Scheduler(0.0, ahead=False, attempts=2)
    scheduler.add(PendingUnit(key, 5.0) for key in ("fine", "bad", "next"))
    scheduler.joined("gpu", 0.0, at_once=2)
    assert assigned(scheduler, 0.0) == [("gpu", "fine"), ("gpu", "bad")]

    assert not any(scheduler.failed("gpu", key, 1.0, confirmed=False) for key in ("bad", "fine"))
    scheduler.joined("gpu", 1.0, at_once=2)
    assert assigned(scheduler, 1.0) == [("gpu", "fine")]
    scheduler.delivered("gpu", "fine", 1.0, 2.0)
    assert assigned(scheduler, 2.0) == [("gpu", "bad")]
    assert scheduler.failed("gpu", "bad", 3.0)

    scheduler.joined("gpu", 3.0, at_once=2)
    assert assigned(scheduler, 3.0) == [("gpu", "next")]
    assert scheduler.unfinished == 1


def test_a_long_text_that_killed_a_worker_is_tried_again_at_once_though_another_is_busy() -> None:
    scheduler = Scheduler(0.0, ahead=False, attempts=2)
    scheduler.add([PendingUnit("endless", 50.0), PendingUnit("unlucky", 5.0)])
    for name in "ab":
        scheduler.joined(name, 0.0)
    assert assigned(scheduler, 0.0) == [("a", "endless"), ("b", "unlucky")]

    assert not scheduler.failed("b", "unlucky", 1.0)
    scheduler.joined("b", 1.0)

    assert assigned(scheduler, 1.0) == [("b", "unlucky")]
    assert scheduler.failed("b", "unlucky", 2.0)


def test_a_final_failure_gives_a_unit_up_at_once() -> None:
    scheduler = Scheduler()
    scheduler.add([PendingUnit("bad", 5.0), PendingUnit("fine", 5.0)])
    scheduler.joined("a", 0.0)
    scheduler.decide(0.0)

    assert scheduler.failed("a", "bad", 1.0, final=True)
    assert not scheduler.failed("a", "bad", 1.0, final=True)
    assert scheduler.unfinished == 1


@given(
    seed=seeds,
    texts=st.integers(1, 40),
    workers=st.dictionaries(st.sampled_from("abcd"), st.integers(1, 16), min_size=1),
)
def test_every_long_text_is_spoken_by_one_worker_at_a_time_whoever_dies(
    seed: int, texts: int, workers: dict[str, int]
) -> None:
    chance, now = random.Random(seed), 0.0
    scheduler = Scheduler(0.01, ahead=False, attempts=2)
    scheduler.add(PendingUnit(str(n), chance.uniform(1, 500)) for n in range(texts))
    held: dict[str, list[str]] = {}
    ended: list[str] = []
    while scheduler.unfinished:
        now += chance.choice([0.1, 10.0])
        assert now < 100_000
        for name in sorted(workers.keys() - held.keys()):
            held[name] = []
            scheduler.joined(name, now, at_once=workers[name])
        for name, key in assigned(scheduler, now):
            assert not any(key in keys for keys in held.values())
            held[name].append(key)
            assert len(held[name]) <= workers[name]
        name = chance.choice(sorted(workers))
        if held[name] and chance.random() < 0.1:
            keys = held.pop(name)
            ended += [key for key in keys if scheduler.failed(name, key, now, confirmed=len(keys) == 1)]
            scheduler.left(name)
        elif held[name]:
            key = held[name].pop(chance.randrange(len(held[name])))
            assert scheduler.delivered(name, key, 1.0, now)
            ended.append(key)
    assert sorted(ended) == sorted(str(n) for n in range(texts))
