"""Runs the notebooks of this folder and writes what they show: `python docs/run_notebooks.py [NAME …]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PATIENCE = 300
"""Seconds for a cell."""


def run(path: Path) -> Any:
    """The notebook with the outputs of a fresh kernel, the one of this Python; what it says on the way (that
    something is compiled) is left out."""
    import nbformat
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from nbclient import NotebookClient

    class Here(KernelSpecManager):
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            return KernelSpec(argv=command, display_name="Python 3", language="python")

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(DOCS)}},
        record_timing=False,
    )  # fmt: skip
    client.create_kernel_manager()
    client.km.kernel_spec_manager = Here()
    client.execute()
    for cell in notebook.cells:
        cell.metadata.clear()
        cell.outputs = [output for output in cell.get("outputs", ()) if output.get("name") != "stderr"]
        if cell.cell_type != "code":
            del cell["outputs"]
    return notebook


if __name__ == "__main__":
    import nbformat

    names = sys.argv[1:] or [path.name for path in sorted(DOCS.glob("*.ipynb"))]
    for name in names:
        nbformat.write(run(DOCS / name), DOCS / name)
        print(f"{name} written")
