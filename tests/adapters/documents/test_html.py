"""Of HTML, what a browser shows is read."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.adapters.documents.html import shown_text


@each_case(
    ("markup", "expected"),
    [
        ("<h1>A</h1>b<br>c<br><br>d<div>e</div><div>f</div>g", "A\n\nb\nc\n\nd\ne\nf\ng"),
        ("<ul><li>one<li>two</ul><p>three", "one\ntwo\n\nthree"),
        ("<b>bo</b>ld  and\n  <i>italic</i> ", "bold and italic"),
        ("<pre>if x:\n    y\n\tz</pre>", "if\u00a0x:\n\u00a0\u00a0\u00a0\u00a0y\n\u00a0\u00a0\u00a0\u00a0z"),
        ("<table><tr><th>a<th>b<tr><td><p>1</p><p>2</p></td><td>3</td></tr></table>", "a\tb\n1 2\t3"),
        ("<title>t</title><meta charset=utf-8><p>shown", "shown"),
        ("<html><head><title>t</title>no end of head", "no end of head"),
        ("<dl><dt>term<dd>what it is</dl>", "term\nwhat it is"),
        ("&lt;b&gt; &#8364; &nbsp;", "<b> \u20ac \u00a0"),
        ("a</p></div></nothing>b", "a\n\nb"),
        ("<p hidden>x<p>shown", "shown"),
        ("<svg><path d=''/><text>x</text></svg>shown <svg/>too", "shown too"),
        ("<a id=x/>anchor", "anchor"),
        ("", ""),
    ],
)
def test_blocks_lines_and_cells_are_kept_apart(markup: str, expected: str) -> None:
    assert shown_text(markup).strip("\n") == expected


HIDDEN = [
    "<script>X</script>",
    "<script>if (a < b) document.write('<p>X</p>')</script>",
    "<style>p { content: 'X' }</style>",
    "<template><p>X</p></template>",
    "<noscript>X</noscript>",
    "<div hidden>X</div>",
    "<div HIDDEN=''><p>X</p>X</div>",
    "<div hidden><p hidden>X</p>X</div>",
    "<span aria-hidden='true'>X</span>",
    "<span aria-hidden=' TRUE '>X</span>",
    "<div style='display:none'>X</div>",
    "<div style='color: red; DISPLAY : none !important'>X</div>",
    "<div style='display:/* */none'>X</div>",
    "<div style='visibility: hidden'>X</div>",
    "<div style='font-size:0px'>X</div>",
    "<div style='opacity:0.0'>X</div>",
    "<div hidden>X<div>X</div></div>",
    "<!-- X -->",
    "<textarea>X</textarea>",
    "<iframe>X</iframe>",
    "<object>X</object>",
    "<img alt=X title=X src=X>",
    "<input type=hidden value=X>",
    "<div hidden/>X</div>",
]


@each_case("markup", [pytest.param(each, id=each) for each in HIDDEN])
def test_what_is_not_shown_is_left_out(markup: str) -> None:
    assert shown_text(f"<p>before</p>{markup}<p>after</p>").split() == ["before", "after"]


@each_case(
    "markup",
    ["<p style='opacity:0.5'>X</p>", "<p style='font-size:0.9em;display:block'>X</p>", "<p data-hidden='1'>X</p>"],
)
def test_what_only_resembles_hidden_text_is_shown(markup: str) -> None:
    assert shown_text(markup).strip() == "X"


@pytest.mark.timeout(60)
def test_text_of_hundreds_of_thousands_of_open_elements_is_read() -> None:
    assert shown_text("<b>" * 200_000 + "x" + "</i>" * 200_000).strip() == "x"
