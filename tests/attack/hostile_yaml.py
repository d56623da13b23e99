"""Shapes of hostile YAML, and what a person may have mistyped, filled in by a seed."""

from __future__ import annotations

import codecs
import string
from collections.abc import Callable
from random import Random

from tribal_contracts import DatabaseEntry, ProjectFile

_ENTRY = "databases:\n  - name: shop\n    dsn: postgresql://u@127.0.0.1:1/d\n"

Shape = Callable[[Random], str | bytes]


def word(random: Random, length: int) -> str:
    """Made letters."""
    return "".join(random.choices(string.ascii_letters, k=length))


def _digits(random: Random, length: int) -> str:
    return "".join(random.choices(string.digits, k=length))


def _anywhere(random: Random, value: str) -> str:
    """A file in which the value is that of some key."""
    if random.random() < 0.3:
        return f"{_ENTRY}{random.choice(list(ProjectFile.model_fields))}: {value}\n"
    key = random.choice(list(DatabaseEntry.model_fields))
    if random.random() < 0.3:
        return f"databases:\n  - name: shop\n    limits:\n      {word(random, 5)}: {value}\n"
    return f"databases:\n  - name: shop\n    {key}: {value}\n" if key != "name" else f"databases:\n  - name: {value}\n"


def _aliases(random: Random) -> str:
    wide, deep = random.randint(2, 12), random.randint(2, 40)
    bodies = [f"&a0 [{', '.join([word(random, 1)] * wide)}]"]
    bodies += [f"&a{n} [{', '.join([f'*a{n - 1}'] * wide)}]" for n in range(1, deep)]
    if random.random() < 0.5:
        return "".join(f"a{n}: {body}\n" for n, body in enumerate(bodies)) + f"{_ENTRY}    include: *a{deep - 1}\n"
    return f"{_ENTRY}    domains:\n" + "".join(f"      d{n}: {body}\n" for n, body in enumerate(bodies))


def _recursion(random: Random) -> str:
    forms = (
        "&a [*a]",
        "&a {b: *a}",
        "&a {*a : b}",
        "&a [[{c: *a}]]",
        "&a\n      b: *a",
        "*nothing",
        "&a [&b [*a, *b]]",
    )
    return _anywhere(random, random.choice(forms))


def _nesting(random: Random) -> str:
    deep = random.choice((40, 200, 1_500, 20_000, 200_000))
    one = random.choice(("[", "{", "{a: ", "- ", "? ", "[{a: "))
    closed = one.replace("a: ", "").translate(str.maketrans("[{", "]}"))[::-1] if random.random() < 0.3 else ""
    return _anywhere(random, one * deep + closed * deep)


def _many_nodes(random: Random) -> str:
    one = random.choice(("a,", "[],", "{},", "a: b,", "'',", "~,", "[a],"))
    count = random.randint(100_000, 1_000_000) // len(one)
    brackets = "{}" if ":" in one else "[]"
    if random.random() < 0.3:
        return "".join(f"k{number}:\n" for number in range(count // 3))
    if random.random() < 0.3:
        return _ENTRY + "".join(f"    k{number}: x\n" for number in range(50_000))
    return _anywhere(random, brackets[0] + one * count + brackets[1])


def _large_text(random: Random) -> str:
    text = random.choice(
        ("a", " ", "é", "\\", "''", "a b ", "${a:-", "$", "{", "#", ":", "-", "\n", "a\n      ", "%41")
    )
    long = text * (random.randint(10_000, 1_000_000) // len(text))
    return _anywhere(random, random.choice(("{}", "'{}'", '"{}"', "|\n      {}", ">\n      {}")).replace("{}", long))


def _large_file(random: Random) -> str:
    return _ENTRY + random.choice(("#", " ", "\n", "a: b\n", "[")) * random.randint(1_100_000, 6_000_000)


def _tags(random: Random) -> str:
    tag = random.choice(("!{w}", "!!{w}", "!<{w}>", "!<tag:{w},2002:{w}>", "!{w}!{w}", "!!python/object/apply:{w}.{w}"))
    own = random.choice(
        ("binary", "timestamp", "set", "omap", "pairs", "int", "float", "bool", "null", "map", "seq", "merge")
    )
    chosen = random.choice((tag.format(w=word(random, 6)), f"!!{own}"))
    return _anywhere(
        random, f"{chosen} {random.choice(('x', '[x]', '{x: y}', '', _digits(random, 4), '====', '[[x, y]]'))}"
    )


def _timestamps(random: Random) -> str:
    forms = ("####-##-##", "####-#-##T##:##:##Z", "####-##-## ##:##:##.############ +##:##", "0000-00-00T##:##:##-99")
    form = random.choice(forms)
    return _anywhere(random, "".join(random.choice(string.digits) if char == "#" else char for char in form))


def _numbers(random: Random) -> str:
    forms = (
        *("0{o}", "0o{o}", "0x{o}", "0b_", "0x_", "0_", "0b1{o}", "{o}_{o}", "{o}:59:59", "{o}:{o}.5", ".inf", "-.inf"),
        *(".nan", "inf", "nan", "Infinity", "1.0e+999", "1e999", "-1.0e+999", "1.{o}e-999", "-0", "+{o}", "._", "."),
        *("-", "=", "{o}.", "-9", "1.7976931348623157e+308", "0", "{big}", "-{big}", "{big}.5", "0x{big}", "{big}:{o}"),
    )
    big = "9" * random.choice((19, 400, 5_000))
    return _anywhere(random, random.choice(forms).format(o=random.randint(1, 7), big=big))


def _merges(random: Random) -> str:
    forms = ("<<: {{{k}: {w}}}", "<<: [{{{k}: {w}}}]", "<<: {w}", "<<: [[{w}]]", "<<: ~", "<<: *{w}", "? <<\n    : {w}")
    key = random.choice(list(DatabaseEntry.model_fields))
    return f"databases:\n  - name: shop\n    {random.choice(forms).format(k=key, w=word(random, 5))}\n"


def _keys(random: Random) -> str:
    made = word(random, 5)
    long = "k" * random.choice((1_000, 2_000, 300_000))
    odd = (
        *(f"? [{made}]\n    : x", f"? {{{made}: y}}\n    : x", f"{{[{made}]: x}}: y", f"[{made}]: x", f"{long}: x"),
        *(
            "1: x",
            "1.5: x",
            "~: x",
            ": x",
            "true: x",
            "2020-01-01: x",
            "? x",
            "? |\n      a\n      b\n    : x",
            '"": x',
        ),
        *('"\\0": x', f"name: {made}", f"{made}: &x", "? ? ? a", "=: x", "'a\n      b': x"),
    )
    below = random.choice(
        ("databases:\n  - name: shop\n    ", f"{_ENTRY}    limits:\n      ", f"{_ENTRY}    domains:\n      ")
    )
    if random.random() < 0.8:
        return f"{below}{random.choice(odd)}\n"
    return f"{random.choice(odd).replace('    ', '')}\n{_ENTRY}"


def _control_characters(random: Random) -> str:
    number = random.choice((*range(9), 11, 12, *range(14, 32), 127, *range(128, 160), 0x2028, 0xFEFF, 0xFFFE, 0xD800))
    char = random.choice(
        (chr(number), f'"\\x{number:02x}"' if number < 256 else f'"\\u{number:04x}"', '"\\0"', '"\\U00110000"')
    )
    return _anywhere(random, char if random.random() < 0.5 else f"a{char}b")


def _encodings(random: Random) -> bytes:
    text = _anywhere(random, random.choice(("é", "漢", "x")) + word(random, 4))
    mark = random.choice(
        (b"", codecs.BOM_UTF8, codecs.BOM_UTF8 * 2, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE)
    )
    name = random.choice(("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-7", "cp037", "shift_jis", "latin-1"))
    return mark + text.encode(name, "replace")


def _documents(random: Random) -> str:
    made = word(random, 4)
    before = (
        "---\n",
        "--- a\n---\n",
        "%YAML 1.2\n---\n",
        "%YAML 9.9\n---\n",
        f"%TAG !{made}! x\n---\n",
        f"%{made}\n---\n",
        "...\n",
        "%YAML 1.1\n",
    )
    after = ("", "---\n", "...\n", "...\n---\nx\n", "--- |\n x\n")
    return random.choice(before) + _ENTRY + random.choice(after)


def _no_mapping(random: Random) -> str:
    made = word(random, 6)
    return random.choice(
        (
            "",
            "\n",
            "#\n",
            "~",
            made,
            f"- {made}",
            f"[{made}]",
            f"'{made}'",
            "{}",
            "[]",
            "null: null",
            f"{made}:\n",
            "databases:",
            "databases: {}",
            "databases: [~]",
            "databases: [[]]",
            f"databases: {made}",
            "databases: [{}]",
            "---",
        )
    )


def _types(random: Random) -> str:
    made = word(random, 6)
    values = (
        "~",
        "true",
        "no",
        "5",
        "-5",
        "0.5",
        "[]",
        "{}",
        "[~]",
        f"[{made}, 1]",
        f"{{{made}: {made}}}",
        f"{{{made}: [1]}}",
        "''",
        "' '",
        made,
        "[[[]]]",
        f"{{schemas: {made}}}",
        f"{{connections: {made}}}",
        '"\\n"',
    )
    return _anywhere(random, random.choice(values))


def _broken(random: Random) -> str:
    text = f"{_ENTRY}    include: {{schemas: [a, 'b*']}}\n    limits:\n      connections: 2\nlint: {{orphaned: true}}\n"
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(text))
        text = text[:at] + random.choice(("", *"{}[]:-,?!&*#|>'\"%@`\t\n \\~=<")) + text[at + random.randint(0, 2) :]
    return text


def _variables(random: Random) -> str:
    made = word(random, 6)
    forms = (
        "${{{w}}}",
        "${{{w}:-",
        "${{{w}:-x}}",
        "${{HOME",
        "${{}}",
        "$${{",
        "${{1{w}}}",
        "${{{w}:-${{{w}}}}}",
        "${{HOME}}",
        "${{HOME:-}}",
        "${{PATH}}",
    )
    return _anywhere(random, f"'{random.choice(forms).format(w=made) * random.choice((1, 2, 50_000))}'")


def _paths(random: Random) -> str:
    made = word(random, 6)
    forms = (
        f"~{made}/x",
        "~",
        "/dev/null/x",
        "/dev/null",
        f"/proc/{made}",
        "s3://",
        f"s3://{made}",
        f"file://{made}",
        "x/" * 3_000,
        "x" * 5_000,
        "..",
        "''",
        "/",
        "'../' ",
        f"s3://bucket/{made}//",
        "databases.yaml",
        "databases.yaml/x",
        '"a\\nb"',
        '"\\0"',
        '"\\ud800"',
    )
    return f"{_ENTRY}store: {random.choice(forms)}\n"


def _names(random: Random) -> str:
    forms = (
        "''",
        "' '",
        "..",
        "../..",
        "/",
        '"\\n"',
        '"\\e[31m"',
        '"\\0"',
        '"\\u202e"',
        "x" * 129,
        "x" * 100_000,
        '"a/b"',
        "'a\"b'",
        "~",
        "1",
        "${HOME}",
    )
    return f"databases:\n  - name: {random.choice(forms)}\n    dsn: postgresql://u@127.0.0.1:1/d\n"


def _bytes(random: Random) -> bytes:
    data = random.randbytes(random.choice((1, 10, 1_000, 100_000)))
    return data if random.random() < 0.5 else _ENTRY.encode() + bytes(byte & 0x7F for byte in data)


SHAPES: tuple[tuple[str, Shape], ...] = (
    ("aliases", _aliases),
    ("recursion", _recursion),
    ("deep nesting", _nesting),
    ("many nodes", _many_nodes),
    ("large texts", _large_text),
    ("more than the limit", _large_file),
    ("tags", _tags),
    ("timestamps", _timestamps),
    ("odd numbers", _numbers),
    ("merge keys", _merges),
    ("odd keys", _keys),
    ("control characters", _control_characters),
    ("other encodings", _encodings),
    ("several documents", _documents),
    ("no mapping", _no_mapping),
    ("values of other types", _types),
    ("broken syntax", _broken),
    ("variables", _variables),
    ("odd paths", _paths),
    ("odd names", _names),
    ("random bytes", _bytes),
)
