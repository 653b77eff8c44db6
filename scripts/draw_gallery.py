"""Draws the small pictures of the gallery: the top of every page that its commands write, photographed in chromium.

    python -m scripts.draw_gallery

It writes docs/gallery/*.webp.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

from scripts.gallery_pages import ROOT, pages
from tests.browser import started, visited

SEEN = {"width": 1000, "height": 800}
"""How much of a page is photographed."""
SMALLER = """async (photograph) => {
  const image = new Image();
  image.src = "data:image/png;base64," + photograph;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [480, 384];
  const drawing = canvas.getContext("2d");
  drawing.imageSmoothingQuality = "high";
  drawing.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", 0.8).split(",")[1];
}"""


def main() -> None:
    """Write the pictures."""
    folder = ROOT / "docs" / "gallery"
    with tempfile.TemporaryDirectory() as scratch, started() as browser:
        for name, content in pages().items():
            page = Path(scratch) / name
            page.write_text(content, encoding="utf-8")
            with visited(browser, viewport=SEEN, color_scheme="light") as visit:
                visit.page.goto(page.as_uri())
                photograph = base64.b64encode(visit.page.screenshot()).decode()
                small = visit.page.evaluate(SMALLER, photograph)
            (folder / f"{page.stem}.webp").write_bytes(base64.b64decode(small))


if __name__ == "__main__":
    main()
