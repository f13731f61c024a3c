"""Run the benchmarks: all stages, or those named on the command line."""

import sys
from importlib import import_module

from benchmarks import harness

STAGES = [
    *("vectorize", "records", "tables_in", "incremental", "search", "single", "languages"),
    *("duplicates", "sms_duplicates", "duplicates_on_disk"),
    *("detectors", "detectors_by_language", "detectors_speed"),
    *("service", "service_kills", "service_hostile"),
]


def main(stages: list[str]) -> None:
    unknown = set(stages) - set(STAGES)
    if unknown:
        sys.exit(f"no such stage: {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    for stage in stages or STAGES:
        print(f"== {stage}", flush=True)
        harness.save(stage, import_module(f"benchmarks.{stage}").run())


main(sys.argv[1:])
