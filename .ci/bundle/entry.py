"""Where the bundled program begins. It also stands in for Python where the program starts itself in a child process:
``aggviewer -m aggviewer …`` and ``aggviewer -P -c CODE …`` do what Python does with these."""

import multiprocessing
import sys

multiprocessing.freeze_support()
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
