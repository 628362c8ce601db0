# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a C file defines and declares, read from its text. Enough for code laid out as ours."""
import fnmatch
import os
import re
import subprocess
from collections import namedtuple

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# kind: function, prototype, macro, type, object
Symbol = namedtuple("Symbol", "kind name line static inline")

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
TYPE = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*$")
NOT_NAMES = {"__attribute__", "_Static_assert", "_Alignas", "alignas", "__typeof__", "if", "while"}


def walk():
    """All files but what is built: for a tree without git."""
    for folder, folders, names in os.walk(TOP):
        folders[:] = [f for f in folders if f not in (".git", ".cache", "build")]
        yield from (os.path.relpath(os.path.join(folder, name), TOP) for name in names)


def files(*patterns):
    """Files of the tree (tracked, or new and not ignored) that match, relative to the top."""
    try:
        found = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP,
                               capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        found = walk()
    return sorted({f for f in found if os.path.isfile(os.path.join(TOP, f)) and
                   any(fnmatch.fnmatch(f, p) for p in patterns)})


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def blank(match):
    """As many lines as before, and a blank so that words do not grow together."""
    return " " + "\n" * match.group(0).count("\n")


def strip(text):
    """Without comments and the contents of literals; lines keep their numbers."""
    return NOISE.sub(lambda m: '""' if m.group(0)[0] == '"' else blank(m), text)


def name_called(chunk):
    """The function that a declaration's text is about, or None."""
    for match in CALL.finditer(chunk):
        name = match.group(1)
        rest = chunk[match.end():].lstrip()
        if name in NOT_NAMES or rest.startswith("*"):
            continue
        if not chunk[:match.start()].strip() or (name.isupper() and CALL.search(rest)):
            continue  # a macro, in front of or instead of a declaration
        return name
    return None


def symbol_of(chunk, line, opens):
    head = chunk.strip()
    line += len(chunk) and chunk[:len(chunk) - len(chunk.lstrip())].count("\n")
    words = set(re.findall(r"\w+", head.split("(")[0]))
    static, inline = "static" in words, "inline" in words
    name = None if "typedef" in words or "=" in head.split("(")[0] else name_called(head)
    if name and opens and not re.search(r"=\s*$", head):
        return Symbol("function", name, line, static, inline)
    if name and not opens:
        return Symbol("prototype", name, line, static, inline)
    found = TYPE.search(head)
    if found and opens:
        return Symbol("type", found.group(1), line, False, False)
    found = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*(=|$)", head.split("(")[0])
    if found and not TYPE.search(head):
        return Symbol("object", found.group(1), line, static, False)
    return None


def symbols(path):
    """Everything at file level."""
    text = strip(read(path))
    found = [Symbol("macro", m.group(1), text.count("\n", 0, m.start()) + 1, False, False)
             for m in MACRO.finditer(text)]
    text = DIRECTIVE.sub(blank, text)
    text = re.sub(r'\bextern\s+""\s*\{', blank, text)
    depth = start = 0
    for at in (m.start() for m in re.finditer(r"[{};]", text)):
        char = text[at]
        if char == "}":
            depth = max(depth - 1, 0)
        elif depth == 0:
            symbol = symbol_of(text[start:at], text.count("\n", 0, start) + 1, char == "{")
            if symbol:
                found.append(symbol)
        if char == "{":
            depth += 1
        if depth == 0:
            start = at + 1
    return found
