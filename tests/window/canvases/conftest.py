"""The files of this folder share their window with those of others."""

from tests.window.one_window import colors_of_the_desktop as colors_of_the_desktop
from tests.window.one_window import shared_window as shared_window
