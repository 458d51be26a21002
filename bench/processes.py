"""What benches of whole processes share: runs, their peak of memory, how figures are shown.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import statistics
import subprocess
import sys
import time

MB = 1e6


def remove(path):
    """An output, with the data file beside it."""
    for p in (path, path + ".data"):
        if os.path.exists(p):
            os.unlink(p)


def run(cmd, out):
    """Seconds of one run; the output is removed before and must be there after."""
    remove(out)
    start = time.perf_counter()
    done = subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    if done.returncode or not os.path.exists(out):
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(cmd)}: exit {done.returncode}: {done.stderr}")
    return seconds


def most_mb(cmd, out, field):
    """The largest value of a field of /proc/PID/status (VmHWM: the peak of the resident set, RssAnon:
    of memory that is no file's) in a run of its own: polling would disturb a timed one. For runs that
    last long enough to be seen."""
    remove(out)
    p, most = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), 0
    while p.poll() is None:
        try:
            with open(f"/proc/{p.pid}/status") as f:
                most = max(most, next((int(line.split()[1]) * 1024 / MB for line in f
                                       if line.startswith(field)), 0))
        except OSError:
            pass
    return most


def own_peak_mb(cmd, out):
    """What onnxrw --time says of a run, however short; from a shell, for a process begins with the peak
    of the one that it was split from."""
    remove(out)
    done = subprocess.run(["sh", "-c", '"$@"; exit $?', "sh", *cmd, "--time"], capture_output=True, text=True)
    found = re.search(r"at most ([0-9.]+) MiB", done.stdout)
    if done.returncode or not found:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(cmd)}: exit {done.returncode}: {done.stderr}")
    return float(found.group(1)) * (1 << 20) / MB


def spread(values, digits=2):
    """Median (smallest-largest)"""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"
