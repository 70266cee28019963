"""The appearance of a page, on light and on dark screens."""

from __future__ import annotations

from ncz.views.png_map import GRADIENT

STYLE = (
    f".scale {{ display: block; height: .5rem; margin-top: .25rem; background: {GRADIENT}; }}"
    + """
:root { color-scheme: light dark; --back: #fbfbf9; --card: #fff; --text: #1c2430; --dim: #5b6675;
  --edge: #d8dde3; --accent: #1d6fa5; --gap: #c4473a; --bar: #7fb2d3; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181d; --card: #1b2128; --text: #e4e8ec; --dim: #9aa7b4; --edge: #36414c;
    --accent: #62b0e0; --gap: #ef8175; --bar: #3f7ea6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: .8rem; margin: 1rem 0 .25rem; color: var(--dim); text-transform: uppercase;
  letter-spacing: .04em; }
details { border: 1px solid var(--edge); border-radius: 6px; background: var(--card);
  margin: .5rem 0; padding: 0 .75rem; }
details[open] { padding-bottom: .75rem; }
summary { cursor: pointer; padding: .4rem 0; overflow-wrap: anywhere; }
summary b { margin-right: .75rem; }
summary span, figcaption, .key { color: var(--dim); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .15rem .75rem .15rem 0;
  border-bottom: 1px solid var(--edge); overflow-wrap: anywhere; white-space: pre-wrap; }
th { font-weight: 500; color: var(--dim); width: 11rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr));
  gap: 0 2rem; }
figure { margin: .25rem 0 1rem; }
figcaption, .key, .caption { font-size: .85rem; }
.picture { display: block; max-width: 36rem; margin: .25rem 0 .5rem; }
.chart { display: block; width: 100%; height: 9rem; border: 1px solid var(--edge); }
.line { fill: none; stroke: var(--accent); stroke-width: 1.5; stroke-linecap: round;
  vector-effect: non-scaling-stroke; }
.bar { fill: var(--bar); }
.cells { display: block; max-width: 100%; height: auto; }
.full, .part { fill: var(--accent); }
.part { stroke: var(--gap); }
.none { fill: none; stroke: var(--gap); stroke-dasharray: 2 2; }
.map { display: block; width: 100%; max-height: 24rem; image-rendering: pixelated;
  border: 1px solid var(--edge); }
.ends { display: flex; justify-content: space-between; font-size: .85rem; color: var(--dim); }
footer { margin-top: 2rem; color: var(--dim); font-size: .85rem; }
"""
)
