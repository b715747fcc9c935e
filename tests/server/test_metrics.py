"""Counters add up over the processes that share them, in the form that Prometheus reads."""

import re

from brainctl.server.metrics import BUCKETS, Metrics

LINE = re.compile(r'brainctl_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (\d+(\.\d+)?)')


def test_every_line_is_a_comment_or_a_sample() -> None:
    metrics = Metrics(["/a"])
    metrics.request("/a", 200, 0.003)
    text = metrics.text({"facts": 2_345_678}).decode()
    lines = text.splitlines()
    assert text.endswith("\n")
    assert [line for line in lines if not line.startswith("# ") and not LINE.fullmatch(line)] == []
    assert "brainctl_facts 2345678" in lines
    for line in lines:
        if line.startswith("# TYPE "):
            assert line.rpartition(" ")[2] in {"counter", "gauge", "histogram"}


def test_requests_are_counted_by_route_and_status() -> None:
    metrics = Metrics(["/a", "/b"])
    for route, status in (("/a", 200), ("/a", 200), ("/a", 429), ("/b", 200), ("other", 404), ("/b", 418)):
        metrics.request(route, status, 0.5)
    text = metrics.text({}).decode()
    for sample in (
        '{route="/a",code="200"} 2',
        '{route="/a",code="429"} 1',
        '{route="/b",code="200"} 1',
        '{route="other",code="404"} 1',
        '{route="/b",code="other"} 1',
    ):
        assert f"brainctl_http_requests_total{sample}\n" in text


def test_a_bucket_holds_what_is_at_most_its_bound_and_the_last_one_all() -> None:
    metrics = Metrics(["/a"])
    for seconds in (0.0, 0.001, 0.0011, 0.3, 1000.0):
        metrics.request("/a", 200, seconds)
    text = metrics.text({}).decode()
    counts = re.findall(r'_bucket\{route="/a",le="([^"]+)"\} (\d+)', text)
    assert [bound for bound, _ in counts] == [*(f"{bucket:g}" for bucket in BUCKETS), "+Inf"]
    told = dict(counts)
    assert (told["0.001"], told["0.0025"], told["0.25"], told["0.5"], told["60"], told["+Inf"]) == (
        "2",
        "3",
        "3",
        "4",
        "4",
        "5",
    )
    assert '_count{route="/a"} 5\n' in text
    assert '_sum{route="/a"} 1000.302100\n' in text


def test_a_large_count_is_told_to_its_last_digit() -> None:
    metrics = Metrics(["/a"])
    metrics._values[1] = 12_345_678  # noqa: SLF001  # counting so far would take seconds
    assert '{route="/a",code="200"} 12345678\n' in metrics.text({}).decode()


def test_a_process_that_is_replaced_keeps_its_counters_and_loses_its_streams() -> None:
    metrics = Metrics(["/a"], processes=2)
    metrics.be_process(1)
    metrics.request("/a", 200, 0.1)
    metrics.stream(1)
    metrics.be_process(0)
    metrics.request("/a", 200, 0.1)
    metrics.stream(1)
    assert "brainctl_active_streams 2\n" in metrics.text({}).decode()
    metrics.be_process(1)
    text = metrics.text({}).decode()
    assert "brainctl_active_streams 1\n" in text
    assert '{route="/a",code="200"} 2\n' in text
