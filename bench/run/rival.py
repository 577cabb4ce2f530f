"""Times what a Python script would do by itself: split, and keep the last lines.

rival.py SECONDS [FILE MAX_LINES MAX_BYTES]...   prints what rival.lua prints
"""

import statistics
import sys
import time


def split(text, max_lines, max_bytes):
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    first, size = len(lines), 0
    while first > 0 and len(lines) - first < max_lines:
        size += len(lines[first - 1].encode()) + 1
        if size > max_bytes:
            break
        first -= 1
    return "\n".join(lines[first:]) + "\n", len(lines)


def timed(times, *args):
    start = time.perf_counter()
    for _ in range(times):
        split(*args)
    return (time.perf_counter() - start) / times


def median(seconds, *args):
    samples = [timed(1, *args)]
    if samples[0] > seconds * 2:
        return samples[0]
    times = max(1, int(min(seconds, 0.3) / 300 / samples[0]))
    samples, spent = [], 0
    while len(samples) < 3 or (spent < seconds and len(samples) < 101):
        samples.append(timed(times, *args))
        spent += samples[-1] * times
    return statistics.median(samples)


arguments = sys.argv[2:]
for number, at in enumerate(range(0, len(arguments), 3), 1):
    with open(arguments[at], encoding="utf-8", newline="") as file:
        text = file.read()
    limits = int(arguments[at + 1]), int(arguments[at + 2])
    kept, lines = split(text, *limits)
    print(number, "split", "%.12f" % median(float(sys.argv[1]), text, *limits), lines, len(kept), sep="\t")
