"""Workers import the script that starts them, so a script without a main guard is refused with one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import pytest

from engine.study.workers import NoGuardError

CHECK = "from engine.study.workers import check_guard\n"
GUARD = 'if __name__ == "__main__":\n'
SCRIPTS = {
    "plain": (CHECK + "check_guard()\n", False),
    "function": (CHECK + "def main():\n    check_guard()\nmain()\n", False),
    "thread": (CHECK + "from concurrent.futures import ThreadPoolExecutor as Pool\n"
               "with Pool(1) as pool:\n    pool.submit(check_guard).result()\n", False),
    "guard elsewhere": (CHECK + GUARD + "    pass\ncheck_guard()\n", False),
    "guarded": (CHECK + "def main():\n    check_guard()\n" + GUARD + "    main()\n", True),
    "left before": (CHECK + 'import sys\nif __name__ != "__main__":\n    sys.exit()\ncheck_guard()\n', True),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_guard_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, guarded = SCRIPTS[name]
    script = tmp_path / "script.py"
    script.write_text(code)
    main = ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    with nullcontext() if guarded else pytest.raises(NoGuardError):
        exec(compile(code, str(script), "exec"), vars(main))


def test_a_study_without_a_guard_is_one_sentence(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    code = "from engine import study\nstudy.run(study.load_study('degond-2024', scale='quick'), workers=1)\n"
    script.write_text(code)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "mine.py runs a study outside of" in done.stderr
    assert "workers=0" in done.stderr
