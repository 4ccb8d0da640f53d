"""Makes InterTabular-*.otf out of Inter (Debian: fonts-inter, python3-fonttools): Latin, with the tabular digits in place
of the proportional ones, because Qt before 6.7 cannot switch font features on. Run in this folder with /usr/bin/python3."""

from fontTools import subset
from fontTools.ttLib import TTFont

SOURCE = "/usr/share/fonts/opentype/inter/Inter-{}.otf"
DIGITS = range(ord("0"), ord("9") + 1)
CHARACTERS = [*range(0x20, 0x180), *range(0x2010, 0x2070), *map(ord, "€™←↑→↓∆−≈≠≤≥√∞μσΔ⌘⌃⇧⌥✓")]


def tabular(font):
    """Glyph name to tabular glyph name, from the feature tnum."""
    gsub = font["GSUB"].table
    lookups = {i for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == "tnum" for i in r.Feature.LookupListIndex}
    tables = [getattr(s, "ExtSubTable", s) for i in lookups for s in gsub.LookupList.Lookup[i].SubTable]
    return {old: new for t in tables for old, new in t.mapping.items()}


for style in ("Regular", "SemiBold"):
    font = TTFont(SOURCE.format(style))
    digits = tabular(font)
    for table in font["cmap"].tables:
        for code in DIGITS:
            if code in table.cmap:
                table.cmap[code] = digits.get(table.cmap[code], table.cmap[code])
    options = subset.Options(layout_features=["kern", "mark", "mkmk", "ccmp", "locl"], name_IDs=["*"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    family = "Inter Tabular" if style == "Regular" else f"Inter Tabular {style}"
    names = {1: family, 3: f"InterTabular-{style}", 4: f"Inter Tabular {style}", 6: f"InterTabular-{style}", 16: "Inter Tabular"}
    for record in font["name"].names:
        if record.nameID in names:
            record.string = names[record.nameID]
    font.save(f"InterTabular-{style}.otf")
