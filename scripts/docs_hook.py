"""Adds to the site of the documentation what is not in docs/: pages written from the code, and those of the top folder.

MkDocs calls the functions `on_...` (mkdocs.yml names this file). The files of the repository are written for a code host,
and stay as they are: links between docs/ and the top folder, and what a Markdown dialect differs in, are mended here.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

import docs_reference
import gallery_pages
from mkdocs.structure.files import File, InclusionLevel

ROOT = Path(__file__).resolve().parents[1]
SHOWN = {
    "README.md": "project/readme.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "CITATION.cff": "project/CITATION.cff",
    "LICENSE": "project/LICENSE.txt",
    "examples/README.md": "project/examples.md",
}
"""Files outside docs/ that the site has too, and where."""
MOVED = {
    "guides/clusters.html": "clusters.html",
    "reference/metrics.html": "metrics.html",
    "reference/tests.html": "tests.html",
}
"""Pages that there were, and which have what they said."""
CODE = re.compile(r"^```.*?^```$", re.M | re.S)
NAMED = re.compile(r"^<!-- file: (?P<file>\S+) -->\n+```(?P<kind>\w+)$", re.M)
LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#]+)(?P<after>[^)]*\))")
ATTRIBUTE = re.compile(r'(?P<before>\b(?:src|srcset|href)=")(?P<target>[^"\s#]+)(?P<after>[^"]*")')
PICTURE = re.compile(r'<img alt="(?P<alt>[^"]*)" src="(?P<source>[^"]*assets/(?P<name>[\w-]+)\.svg)"[^>]*>')
PAIR = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)"\s*/?>'
    r'\s*<img src="(?P<light>[^"]+)"(?P<rest>[^>]*?)\s*/?>\s*</picture>'
)
"""A picture for light and one for dark: in the site its own switch chooses, not only the system's setting."""
CELL = re.compile(r"<(t[dh])\b[^>]*>.*?</\1>", re.S)
SPELT = re.compile(r"(?<=\w)([:,=/|]|\[\]\.)(?=[^<>]*</code>)")
"""A place in code where a line may end."""
WHOLE = re.compile(r"<code>([^<\s]{1,28})</code>")
"""A word of code that stays on one line: --no-stratify does not break after its first hyphen."""
COMMAND = re.compile(r"<code>(referee [^<]+)</code>")
"""A command in a sentence: a line ends between its words, not within one."""
OPTION = re.compile(r"(?<= )(-\S{1,28})(?!\S)")
TOGETHER = re.compile(r" ([±=]) (?=[\d.])")
FROM_THE_CODE = re.compile(r"<!-- from the code: (\w+) -->")
EMPTY = re.compile(r"<th[^>]*></th>")
"""An empty cell above a column is no heading."""
GALLERY = re.compile(r"(\[!\[[^\]]*\]\(gallery/(?P<name>[\w-]+)\.webp\)\]\()#[^)]+\)")
"""A small picture of the gallery, which leads to its section; in the site it leads to the page that it shows."""
LESS_SOUGHT = ("benchmarks.md", "calibration.md", "errata.md", "replication.md", "project/changelog.md")
"""Pages that many words occur on, and few people look for."""


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages and those of the top folder."""
    for source, place in shown().items():
        content = (ROOT / source).read_text(encoding="utf-8")
        if source.endswith(".py"):  # the page of the examples leads there, not the menu
            files.append(
                File.generated(config, place, content=as_page(source, content), inclusion=InclusionLevel.NOT_IN_NAV)
            )
        else:
            files.append(File.generated(config, place, content=content))
    for place, write in docs_reference.PAGES.items():
        files.append(File.generated(config, place, content=write()))
    for old, new in MOVED.items():
        content = f'<!DOCTYPE html><html lang="en"><title>Moved</title><meta http-equiv="refresh" content="0; url=../{new}"></html>'
        files.append(File.generated(config, old, content=content, inclusion=InclusionLevel.NOT_IN_NAV))
    for name, content in gallery_pages.pages().items():
        files.append(File.generated(config, f"gallery/{name}", content=content, inclusion=InclusionLevel.NOT_IN_NAV))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Mend the links that lead out of docs/ or into it, and show the names of files."""
    here = page.file.src_uri
    if here in LESS_SOUGHT:
        page.meta["search"] = {"boost": 0.3}
    code: list[str] = []

    def keep(block: re.Match[str]) -> str:
        code.append(block[0])
        return f"\x00{len(code) - 1}\x00"

    if here == "gallery.md":
        markdown = GALLERY.sub(r"\1gallery/\g<name>.html)", markdown)
    markdown = FROM_THE_CODE.sub(lambda table: docs_reference.TABLES[table[1]](), markdown)
    text = CODE.sub(keep, NAMED.sub(r'```{.\g<kind> title="\g<file>"}', markdown))
    for kind in (LINK, ATTRIBUTE):
        text = kind.sub(lambda link: f"{link['before']}{mended(link['target'], here)}{link['after']}", text)
    return re.sub(r"\x00(\d+)\x00", lambda place: code[int(place[1])], text)


def on_page_content(html: str, **_: Any) -> str:
    """Put our own drawings into the page itself, where they take its colours, and mend where lines end."""
    html = WHOLE.sub(r'<code class="whole">\1</code>', EMPTY.sub("<td></td>", PICTURE.sub(drawing, html)))
    html = COMMAND.sub(lambda command: "<code>" + OPTION.sub(r"<span>\1</span>", command[1]) + "</code>", html)
    html = PAIR.sub(r'<img src="\g<light>#only-light"\g<rest>><img src="\g<dark>#only-dark"\g<rest>>', html)
    return CELL.sub(lambda cell: in_cell(cell[0]), html)


def on_post_page(output: str, **_: Any) -> str:
    """Give the search dialogue of the theme the name that it lacks."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


def shown() -> dict[str, str]:
    """Return the files outside docs/ that the site has, and where: those there are."""
    examples = sorted((ROOT / "examples").glob("*.py"))
    programs = {f"examples/{path.name}": f"project/{path.stem.replace('_', '-')}.md" for path in examples}
    return {source: place for source, place in {**SHOWN, **programs}.items() if (ROOT / source).is_file()}


def as_page(source: str, content: str) -> str:
    """Return a program as a page that shows it, with room for its lines; the search leaves its code out."""
    hidden = "---\nhide:\n  - navigation\n  - toc\nsearch:\n  exclude: true\n---\n"
    return f"{hidden}# {PurePosixPath(source).name}\n\nOne of the [examples](README.md).\n\n```{{.python}}\n{content.rstrip()}\n```\n"


def mended(target: str, here: str) -> str:
    """Return where a link of a page leads in the site.

    Args:
        target: the address as the repository has it, without what follows `#`.
        here: the page, relative to docs/.
    """
    if "://" in target:
        return target
    places = shown()
    origin = next((source for source, place in places.items() if place == here), f"docs/{here}")
    path = normpath(str(PurePosixPath(origin).parent / target))
    inside = places.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
    return target if inside is None else relpath(inside, str(PurePosixPath(here).parent))


def in_cell(cell: str) -> str:
    """Let long spellings break where their parts end, and keep a number with its error, or a name with its value."""
    return TOGETHER.sub("\xa0\\1\xa0", SPELT.sub(r"\1<wbr>", cell))


def drawing(image: re.Match[str]) -> str:
    """Return the drawing that an image names."""
    path = ROOT / "docs" / "assets" / f"{image['name']}.svg"
    return f'<div class="drawing">{path.read_text(encoding="utf-8")}</div>' if path.is_file() else image[0]
