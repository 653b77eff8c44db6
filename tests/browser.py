"""A real browser for tests: Debian's chromium, driven by playwright, with what it complained of and asked for."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field

REASON = "there is no chromium on the PATH: make system-deps installs it (as root, by apt)"


def executable():
    """Return where the browser is; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def started():
    """Start a browser, and stop it afterwards."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Containers have no user namespaces; the pages that are opened are the project's own.
        browser = playwright.chromium.launch(
            executable_path=executable(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A tab, with what it complained of, what it asked the network for, and which dialogs opened."""

    page: object
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    @property
    def outside(self):
        """Requests that are neither of a file, nor inline, nor of this machine."""
        own = ("file:", "data:", "blob:", "about:", "http://127.0.0.1:", "http://localhost:")
        return [url for url in self.requests if not url.startswith(own)]


@contextmanager
def visited(browser, **options):
    """Open a tab of its own; options are those of a browser context: color_scheme, viewport, java_script_enabled."""
    context = browser.new_context(**options)
    page = context.new_page()
    visit = Visit(page)
    page.on(
        "console",
        lambda message: visit.complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    page.on("request", lambda request: visit.requests.append(request.url))

    def seen(dialog):
        visit.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", seen)
    try:
        yield visit
    finally:
        context.close()


def barriers(page):
    """Return what axe-core finds that keeps people out: contrast, labels, headings, tables, names of links."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


CROWDED = """() => {
  const found = [], near = 1.5, page = document.documentElement;
  const name = one => `<${one.tagName.toLowerCase()}${one.className?.length ? "." + one.className : ""}> ${one.textContent.trim().slice(0, 60)}`;
  if (page.scrollWidth > innerWidth) found.push(`the page is ${page.scrollWidth} wide`);
  const outer = (inner, box) => inner.left < box.left - near || inner.right > box.right + near
    || inner.top < box.top - near || inner.bottom > box.bottom + near;
  const seen = [...document.querySelectorAll("body *")].filter(one => one.checkVisibility({ visibilityProperty: true })
    && !one.closest(".unseen, script"));
  for (const one of seen.filter(one => !one.closest("svg"))) {
    if (one.scrollWidth > one.clientWidth + near && one.clientWidth && getComputedStyle(one).overflowX !== "visible")
      found.push(`cut: ${name(one)}`);
  }
  const texts = [];
  for (const svg of seen.filter(one => one.tagName === "svg")) {
    const frame = svg.getBoundingClientRect();
    const holder = svg.closest(".drawing, td, th, div")?.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (!box.width || !text.textContent.trim()) continue;
      if (outer(box, frame) && (getComputedStyle(svg).overflow !== "visible" || outer(box, holder))) found.push(`outside its drawing: ${name(text)}`);
      texts.push({ box, one: text, svg });
    }
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || one.closest("svg, .unseen, script, style") || !one.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const scroller = one.closest(".scroll")?.getBoundingClientRect();
    for (const box of range.getClientRects()) {
      if (scroller && outer(box, scroller)) continue;
      if (box.left < -near || box.right > innerWidth + near) found.push(`outside the window: ${name(one)}`);
      texts.push({ box, one, svg: null });
    }
  }
  // Lines of letters may touch; what shares more than that is written over.
  for (const [place, first] of texts.entries()) for (const second of texts.slice(place + 1)) {
    if (first.one === second.one || first.one.contains(second.one) || second.one.contains(first.one)) continue;
    // A halo is the same text twice.
    if (first.svg && first.one.textContent === second.one.textContent) continue;
    const wide = Math.min(first.box.right, second.box.right) - Math.max(first.box.left, second.box.left);
    const tall = Math.min(first.box.bottom, second.box.bottom) - Math.max(first.box.top, second.box.top);
    if (wide > 2 && tall > 0.4 * Math.min(first.box.height, second.box.height)) found.push(`one over the other: ${name(first.one)} | ${name(second.one)}`);
  }
  return [...new Set(found)];
}"""


def crowded(page):
    """Return what is cut, lies outside its drawing or the window, or is written over something else."""
    return page.evaluate(CROWDED)
