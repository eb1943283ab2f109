"""Testing one `expect` line of a text that need not be saved, in a process of its own.

A solver may take long or all memory; the editor must not notice.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any


async def examine_line(text: str, line: int) -> dict[str, Any] | str:
    """The verdict on the expectation in a line, from 1, as `gdl test --json` has it; or why there is none."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gdl", "test", "-", "--line", str(line), "--json"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await process.communicate(text.encode("utf-8", "replace"))
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    try:
        (file,) = json.loads(out)["files"]
    except ValueError:
        return err.decode("utf-8", "replace").strip() or f"gdl test ended with code {process.returncode}"
    if file["diagnostics"]:
        return "mend the mistakes of the file first"
    verdict: dict[str, Any] = file["verdicts"][0]
    return verdict


def verdict_shown(verdict: dict[str, Any] | str) -> str:
    """`passed: alphabeta, star2 (0.1 s)`, for the line above the expectation."""
    if isinstance(verdict, str):
        return f"not tested: {verdict.splitlines()[-1]}"
    if verdict["status"] == "passed":
        how = verdict["how"]
        by = ", ".join(how[:3]) + (f" and {len(how) - 3} more" if len(how) > 3 else "")
        return f"✓ passed: {by} ({verdict['seconds']:.1f} s)"
    sign = "✗" if verdict["status"] == "failed" else "?"
    return f"{sign} {verdict['status']}: {verdict['message']}"
