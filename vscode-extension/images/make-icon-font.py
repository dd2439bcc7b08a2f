"""Draws images/symposium.svg as images/symposium.woff, an icon font with a single glyph.

The status bar shows icons of fonts only, while the activity bar shows the SVG file. Run this again after a change of the SVG:

    pip install fonttools shapely && python3 images/make-icon-font.py
"""

import re
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from shapely.geometry import LineString
from shapely.ops import unary_union

IMAGES = Path(__file__).parent
UNITS_PER_EM = 1024
# The first code point of the private use area; the manifest names it as `fontCharacter`.
CODE_POINT = 0xE000


def lines(path: str) -> list[list[tuple[float, float]]]:
    """Returns the lines of an SVG path that consists of absolute moves and of relative lines."""
    found: list[list[tuple[float, float]]] = []
    x = y = 0.0
    for command, numbers in re.findall(r"([Mlhv])([^Mlhv]*)", path):
        values = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", numbers)]
        if command == "M":
            found.append([])
        step = 2 if command in "Ml" else 1
        for at in range(0, len(values), step):
            if command == "M":
                x, y = values[at], values[at + 1]
            elif command == "l":
                x, y = x + values[at], y + values[at + 1]
            elif command == "h":
                x += values[at]
            else:
                y += values[at]
            found[-1].append((x, y))
    return found


def main() -> None:
    svg = (IMAGES / "symposium.svg").read_text()
    size = float(re.search(r'viewBox="0 0 (\d+)', svg)[1])
    width = float(re.search(r'stroke-width="([\d.]+)"', svg)[1])
    strokes = [LineString(line) for path in re.findall(r' d="([^"]+)"', svg) for line in lines(path)]
    shape = unary_union([stroke.buffer(width / 2, quad_segs=6) for stroke in strokes])
    scale = UNITS_PER_EM / size
    pen = TTGlyphPen(None)
    for polygon in getattr(shape, "geoms", [shape]):
        for ring in [polygon.exterior, *polygon.interiors]:
            points = [(round(x * scale), round((size - y) * scale)) for x, y in list(ring.coords)[:-1]]
            pen.moveTo(points[0])
            for point in points[1:]:
                pen.lineTo(point)
            pen.closePath()
    empty = TTGlyphPen(None).glyph()
    font = FontBuilder(UNITS_PER_EM, isTTF=True)
    font.setupGlyphOrder([".notdef", "symposium"])
    font.setupCharacterMap({CODE_POINT: "symposium"})
    font.setupGlyf({".notdef": empty, "symposium": pen.glyph()})
    font.setupHorizontalMetrics({".notdef": (UNITS_PER_EM, 0), "symposium": (UNITS_PER_EM, 0)})
    font.setupHorizontalHeader(ascent=UNITS_PER_EM, descent=0)
    font.setupNameTable({"familyName": "symposium", "styleName": "Regular"})
    font.setupOS2(sTypoAscender=UNITS_PER_EM, usWinAscent=UNITS_PER_EM, usWinDescent=0)
    font.setupPost()
    font.font.flavor = "woff"
    font.font["head"].created = font.font["head"].modified = 0
    font.save(IMAGES / "symposium.woff")


main()
