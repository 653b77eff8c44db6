"""`python -m benchmarks.evaluations [KIND ...]`: measure the named kinds, or all, and write the page.

`--render` writes the page and its charts from the numbers that are there.
"""

from __future__ import annotations

import sys
import time

from benchmarks.evaluations import kinds, store, stored, write

if __name__ == "__main__":
    known, figures = kinds(), stored()
    if sys.argv[1:] == ["--render"]:
        write(figures)
        sys.exit()
    for kind in sys.argv[1:] or known:
        start = time.perf_counter()
        figures[kind] = known[kind].measure()
        print(f"{kind}: {len(figures[kind])} figures in {time.perf_counter() - start:.0f} s")
        for one in figures[kind]:
            print(f"  {'BROKEN ' if one.broken else ''}{one.scene}: {one.what} {one.value:.4f} ± {one.error:.4f}")
    store({kind: figures[kind] for kind in known if kind in figures})
