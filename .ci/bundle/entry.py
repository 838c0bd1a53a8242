"""Where the bundled program begins. It also stands in for Python where the program starts itself in a child process:
``aggviewer -m aggviewer …`` and ``aggviewer -P -c CODE …`` do what Python does with these."""

import multiprocessing
import os
import shutil
import sys
from pathlib import Path

import platformdirs

BASELINE = "x86-64-v3"
"""The processors that the machine code in the bundle is for, as LLVM calls them: those with AVX2, since about 2013."""

NEEDED = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm"}  # their features, as Linux calls them


def use_carried_kernels() -> None:
    """Copy the machine code in the bundle into the user's cache, where it has none yet and this processor can run it.

    Without it the first start compiles for half a minute and more. Kernels that are compiled later are for the same
    baseline of processors. Nothing happens where no folder can be written to.
    """
    carried = Path(__file__).parent / "kernels"
    if "NUMBA_CACHE_DIR" in os.environ or not carried.is_dir() or not _has_baseline():
        return
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = BASELINE, ""
    cache = Path(platformdirs.user_cache_dir("aggviewer", appauthor=False)) / "kernels"
    for folder in carried.iterdir():
        if not (cache / folder.name).exists():
            unfinished = cache / f"{folder.name}.{os.getpid()}"
            try:
                shutil.copytree(folder, unfinished)
                unfinished.rename(cache / folder.name)
            except OSError:  # another start was faster, or nothing can be written: then kernels are compiled
                shutil.rmtree(unfinished, ignore_errors=True)


def _has_baseline() -> bool:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return set(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])) >= NEEDED


multiprocessing.freeze_support()
use_carried_kernels()
arguments = [one for one in sys.argv[1:] if one != "-P"]
if arguments[:1] == ["-c"]:
    sys.argv = ["-c", *arguments[2:]]
    exec(compile(arguments[1], "<command>", "exec"), {"__name__": "__main__"})
else:
    if arguments[:2] == ["-m", "aggviewer"]:
        arguments = arguments[2:]
    sys.argv[1:] = arguments
    from aggviewer.__main__ import main

    sys.exit(main(arguments))
