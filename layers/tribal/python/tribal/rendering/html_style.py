"""How the HTML page looks: light and dark, on screens of every width and on paper."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --side: #f5f6f8; --text: #1b2330; --soft: #566070; --line: #d8dde5;
  --link: #0b57a4; --mark: #e7f0fb; --code: #f1f3f6; --box: #ffffff; --note: #fff7e0; --note-line: #d9a400; }
@media (prefers-color-scheme: dark) { :root { --page: #14181f; --side: #1b2029; --text: #e6eaf0; --soft: #a3adbb;
  --line: #343c49; --link: #8ab8f5; --mark: #24364f; --code: #222934; --box: #1b2029; --note: #2d2815;
  --note-line: #b98c00; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
main:focus, h1:focus { outline: none; }
.skip { position: absolute; left: -999rem; background: var(--page); padding: .5rem 1rem; z-index: 2; }
.skip:focus { left: 0; top: 0; }
.frame { display: grid; grid-template-columns: minmax(15rem, 21rem) minmax(0, 1fr); min-height: 100vh; }
aside { background: var(--side); border-right: 1px solid var(--line); padding: 1rem; position: sticky; top: 0;
  height: 100vh; overflow-y: auto; font-size: .9375rem; }
main { padding: 1.5rem 2.5rem 4rem; max-width: 82rem; }
.home { margin: 0 0 .75rem; font-weight: 600; font-size: 1.0625rem; }
aside label { display: block; font-size: .8125rem; color: var(--soft); margin-bottom: .25rem; }
input[type=search] { width: 100%; font: inherit; color: inherit; background: var(--page); padding: .4rem .6rem;
  border: 1px solid var(--soft); border-radius: 6px; }
input::placeholder { color: var(--soft); opacity: 1; }
#found { min-height: 1.25rem; margin: .35rem 0; font-size: .8125rem; color: var(--soft); }
aside ul { list-style: none; margin: 0; padding: 0 0 0 .9rem; }
aside li { margin: .1rem 0; }
aside summary { cursor: pointer; padding: .1rem 0; }
aside li > a { display: block; padding: .1rem .35rem; border-radius: 4px; overflow-wrap: anywhere; }
a[aria-current] { background: var(--mark); font-weight: 600; }
.count, .soft { color: var(--soft); }
.count { font-size: .8125rem; font-weight: 400; margin-left: .35rem; }
#results p { margin: 0 0 .35rem .35rem; font-size: .8125rem; color: var(--soft); overflow-wrap: anywhere; }
#results ul { padding: 0; }
#results li { margin: .35rem 0; }
.trail { font-size: .875rem; color: var(--soft); margin: 0 0 .5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
.about { font-size: 1.0625rem; max-width: 60rem; margin: .25rem 0; overflow-wrap: anywhere; }
.facts { color: var(--soft); margin: .25rem 0; }
.notes { background: var(--note); border-left: 4px solid var(--note-line); padding: .6rem 1rem .6rem 2rem; margin: 0;
  max-width: 60rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { font-size: .8125rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
.number { text-align: right; padding-right: 1.5rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.wide { min-width: 14rem; width: 55%; }
td.name, td.key { min-width: 8rem; }
@media (min-width: 60rem) { td.name { min-width: 13rem; } }
td.type { min-width: 7.25rem; }
td.default { min-width: 6.25rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  font-size: .875em; }
code { background: var(--code); border-radius: 4px; padding: .05em .3em; }
bdi, code, pre, td, h1, aside a { unicode-bidi: isolate; }
pre { background: var(--code); border-radius: 6px; padding: .75rem 1rem; margin: 0; overflow-x: auto; tab-size: 4; }
pre code { background: none; padding: 0; }
.sql { position: relative; margin: 0 0 .75rem; }
.sql button { position: absolute; top: .4rem; right: .4rem; font: inherit; font-size: .75rem; color: var(--text);
  background: var(--page); border: 1px solid var(--line); border-radius: 4px; padding: .1rem .5rem; cursor: pointer; }
.tag { display: inline-block; font-size: .75rem; font-weight: 600; border: 1px solid var(--line); border-radius: 4px;
  padding: 0 .3rem; margin-right: .3rem; }
.guess { color: var(--soft); font-style: italic; }
.foot { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft);
  font-size: .875rem; }
svg { display: block; max-width: none; }
svg text { fill: var(--text); font-size: 13px; }
svg a text { fill: var(--link); }
svg a:hover text { text-decoration: underline; }
svg rect { fill: var(--box); stroke: var(--soft); }
svg .own rect { stroke: var(--link); stroke-width: 2; }
svg path.edge { fill: none; stroke: var(--soft); stroke-width: 1.3; }
svg path.optional { stroke-dasharray: 5 4; }
svg path.head { fill: var(--soft); stroke: none; }
@media (max-width: 52rem) {
  .frame { display: block; }
  aside { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem 1rem 3rem; }
}
@media print {
  :root { --page: #fff; --text: #000; --soft: #444; --line: #bbb; --link: #000; --code: #f4f4f4; --note: #fff;
    --box: #fff; }
  aside, .skip, .sql button { display: none; }
  .frame { display: block; }
  main { padding: 0; max-width: none; }
  body, table, .about { font-size: 9pt; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .scroll { overflow: visible; }
  h2, h1 { break-after: avoid; }
  tr, .sql { break-inside: avoid; }
  svg { max-width: 100%; height: auto; }
}
"""
