"""One window for all modules of this folder, which has its theme."""

from __future__ import annotations

import pytest

from tests.conftest import use_colors_of_the_desktop
from tests.window.conftest import window_of_folder

colors_of_the_desktop = pytest.fixture(scope="package", autouse=True, name="colors_of_the_desktop")(
    use_colors_of_the_desktop
)
shared_window = pytest.fixture(scope="package", name="shared_window")(window_of_folder)
