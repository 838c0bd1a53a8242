"""A run from its start to its summary, without a window: limits, the loop, and what is measured at the end.

The command line (`aggviewer run`) and studies (`engine.study`) do the same here, so that a row of a study is what the
command line says of the same scenario.
"""
