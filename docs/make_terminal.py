"""Draws the terminal of the README: ``python -m docs.make_terminal``.

The commands run on a pseudo-terminal, and what they show there is drawn, in light and in dark.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURES = Path(__file__).with_name("pictures")
COLUMNS = 80

# What is shown, and what is run for it without being shown.
PREPARATION = "addhash demo --sample . && addhash fit languages.tsv -o languages.model"
TEXTS = [
    "The weather will be much nicer next week.",
    "Am Sonntag gehen wir mit den Kindern in den Zoo.",
    "Le chat dort sur le canapé du salon.",
    "Kesällä aurinko paistaa melkein koko yön.",
]
COMMANDS = [
    "addhash predict languages.model texts.txt",
    "addhash explain languages.model 'Wir gehen am Sonntag in den Zoo.' --top 4",
]

THEMES = {
    "light": TerminalTheme(
        (255, 255, 255),
        (31, 35, 40),
        [(36, 41, 47), (207, 34, 46), (17, 99, 41), (77, 45, 0),
         (9, 105, 218), (130, 80, 223), (27, 124, 131), (110, 119, 129)],
    ),
    "dark": TerminalTheme(
        (13, 17, 23),
        (230, 237, 243),
        [(72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34),
         (88, 166, 255), (188, 140, 255), (57, 197, 207), (177, 186, 196)],
    ),
}  # fmt: skip

# As rich draws it, but with the reader's own fonts: a picture in a README loads nothing else.
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
  font-variant-east-asian: full-width;
}}
.{unique_id}-title {{
  font: bold 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def shown(command: str, folder: str) -> str:
    """Return what a command shows on a terminal."""
    leader, follower = pty.openpty()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
    changes = {"PATH": path, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env=kept | changes,
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    output = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # Linux says so when the last writer has gone
            break
        output += chunk
    os.close(leader)
    if process.wait() != 0:
        raise RuntimeError(f"{command} failed: {output.decode()}")
    return output.decode().replace("\r\n", "\n")


def session() -> Text:
    """Return the whole session, with its colours."""
    with tempfile.TemporaryDirectory() as folder:
        shown(PREPARATION, folder)
        Path(folder, "texts.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
        lines = []
        for command in COMMANDS:
            prompt = Text("$ ", style="dim")
            prompt = Text.assemble(prompt, (command, "bold"))
            lines += [prompt, Text.from_ansi(shown(command, folder).rstrip("\n")), Text("")]
    return Text("\n").join(lines[:-1])


def picture(text: Text, theme: str) -> str:
    """Return the session as a picture."""
    with open(os.devnull, "w") as nowhere:
        console = Console(
            record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        console.print(text, soft_wrap=False)
        svg = console.export_svg(
            title="addhash", theme=THEMES[theme], code_format=FORMAT, unique_id=f"terminal-{theme}"
        )
    # A white frame would not be seen on white.
    return svg.replace("rgba(255,255,255,0.35)", "rgba(128,128,128,0.5)")


def words_of(svg: str) -> list[str]:
    """Return the texts of a picture, whichever version of rich drew it."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg)
    return [text for text in (unescape(t).replace("\xa0", " ").strip() for t in texts) if text]


if __name__ == "__main__":
    found = session()
    for name in THEMES:
        path = PICTURES / f"terminal-{name}.svg"
        path.write_text(picture(found, name), encoding="utf-8")
