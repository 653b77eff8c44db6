"""`python -m benchmarks.anytime [PART ...]`: measure the named parts, or all, and write the page; `--render` only writes."""

from __future__ import annotations

import json
import sys
import time

from benchmarks.anytime import PARTS, STORED, _page, stored

if __name__ == "__main__":
    for part in [] if sys.argv[1:] == ["--render"] else sys.argv[1:] or PARTS:
        start, made = time.perf_counter(), PARTS[part]()
        print(f"{part}: {len(made)} rows in {time.perf_counter() - start:.0f} s", flush=True)
        STORED.write_text(json.dumps({**stored(), part: made}, indent=1) + "\n", encoding="utf-8")
    _page.write(stored())
