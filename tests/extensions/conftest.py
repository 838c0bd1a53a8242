"""What tests in a real window share, see `tests.window.conftest`."""

from tests.window.conftest import (  # noqa: F401
    all_compiled,
    colors_of_the_desktop,
    compiled,
    held,
    learner,
    make_window,
    notices,
    pytest_runtest_teardown,
    qapp,
    settings,
    shared_window,
    small,
    surface,
    window,
    window_again,
)
