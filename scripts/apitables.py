# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads the tables of docs/api, and lets the C compiler compare them with our headers."""
import os
import re
import subprocess
import tempfile
from collections import namedtuple

import csource

# A function, macro or op. required: the table's origin is a number.
Row = namedtuple("Row", "name kind place prototype required")
# A constant with its value, or a member of a struct with its type. later: not in Linux 6.1.
Constant = namedtuple("Constant", "section owner name value later")
Member = namedtuple("Member", "section owner name type later")

ERROR = re.compile(r"^check\.c:(\d+):\d+: (?:fatal )?error: (.*)$", re.M)
HEADING = re.compile(r"^## (\d+) ")
TITLE = re.compile(r"^#### (.*)$")
LATER = re.compile(r"6\.12|after 6\.1\b")
VALUE = re.compile(r"^\(?(-?\d+|0x[0-9A-Fa-f]+)((?: ?<< ?\d+)?)\)?(?: \((0x[0-9A-Fa-f]+|__be\d+)\))?$")


def value_of(cell):
    """C for it, or None if the cell is a text."""
    found = VALUE.match(cell)
    if not found:
        return None
    value = found.group(1) + found.group(2)
    kind = found.group(3) or ""
    return f"({kind})__builtin_bswap{kind[4:]}({value})" if kind.startswith("__be") else value


def rows():
    """All rows of all tables."""
    found = []
    for table in ("verbs", "rdmavt", "mad"):
        lines = csource.read(f"docs/api/{table}.tsv").splitlines()
        names = lines[0].split("\t")
        for line in lines[1:]:
            cell = dict(zip(names, line.split("\t")))
            found.append(Row(cell["name"], cell["kind"], cell["header_or_source"],
                             cell["prototype"], cell["origin"][:1].isdigit()))
    return found


def cells(line):
    """Of a row of a Markdown table."""
    return [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]


def members_of_ops(section, line):
    name, prototype = cells(line)[:2]
    kind = re.sub(rf"\b{re.escape(name)}\b(?=(\)|:|$))", "", prototype).strip()
    return Member(section, "struct ib_device_ops", name, kind, bool(LATER.search(line)))


def types(path="docs/api/types.md"):
    """Constants and members that types.md lists."""
    constants, members, section, title, columns = [], [], 0, "", []
    for line in csource.read(path).splitlines():
        if HEADING.match(line):
            section, title = int(HEADING.match(line).group(1)), ""
        elif TITLE.match(line):
            title = TITLE.match(line).group(1)
        elif not line.startswith("|"):
            columns = []
        elif not columns:
            columns = cells(line)
        elif set(line) <= set("|-: "):
            pass
        elif columns[:2] == ["member", "prototype"]:
            members.append(members_of_ops(section, line))
        elif columns[:2] == ["field", "type"] and re.match(r"(struct|union) \w+$", title):
            members.append(Member(section, title, *cells(line)[:2], bool(LATER.search(line))))
        elif len(columns) > 1 and columns[1] == "value" and re.match(r"[A-Z]\w+$", cells(line)[0]):
            value = value_of(cells(line)[1])
            if value:
                constants.append(Constant(section, title, cells(line)[0], value,
                                          bool(LATER.search(line))))
    return constants, members


def compile_each(prologue, checks):
    """Compiles all checks, one a line, behind the prologue. Returns {index: error message}."""
    prologue += "#ifndef IFNAMSIZ\n#define IFNAMSIZ 16\n#endif\n"
    first = prologue.count("\n") + 2
    text = prologue + "\n" + "\n".join(checks) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "check.c"), "w", encoding="utf-8") as file:
            file.write(text)
        command = ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", "-w", "-fmax-errors=0",
                   "-Werror=incompatible-pointer-types", "-Werror=int-conversion",
                   *(f"-I{os.path.join(csource.TOP, d)}" for d in ("include", "src", ".")),
                   "check.c"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C"})
    errors = {}
    for match in ERROR.finditer(done.stderr):
        index = int(match.group(1)) - first
        if index < 0:
            raise SystemExit(f"the headers do not compile:\n{done.stderr}")
        errors.setdefault(index, match.group(2))
    if done.returncode and not errors:
        raise SystemExit(f"the headers do not compile:\n{done.stderr}")
    return errors


def include_all(headers):
    return "".join(f"#include <{h.removeprefix('include/')}>\n" for h in headers)


def wrong_prototypes(prologue, wanted):
    """Names among the rows whose declaration behind the prologue is not the kernel's, and why."""
    checks = [re.sub(rf"\b{re.escape(r.name)}\b", f"({r.name})", r.prototype, count=1) + ";"
              for r in wanted]
    errors = compile_each(prologue, checks)
    return {wanted[i].name: text for i, text in errors.items()}


def wrong_constants(prologue, constants):
    """{constant: why}; absent ones say so."""
    errors = compile_each(prologue, [f'_Static_assert({c.name} == {c.value}, "not {c.value}");'
                                     for c in constants])
    found = {constants[i]: ("absent" if "undeclared" in text else f"is not {constants[i].value}")
             for i, text in errors.items()}
    return {c: why for c, why in found.items() if not (c.later and why == "absent")}


def wrong_members(prologue, members):
    """{member: why}; members of a type that does not exist say "no type"."""
    owners = sorted({m.owner for m in members})
    absent = compile_each(prologue, [f"enum {{ t{i} = sizeof({o}) }};" for i, o in
                                     enumerate(owners)])
    gone = {owners[i] for i in absent}
    found = {m: "no type" for m in members if m.owner in gone}
    there = [m for m in members if m.owner not in gone]
    named = compile_each(prologue, [f"static void t{i}({m.owner} *p) {{ (void)p->{m.name}; }}"
                                    for i, m in enumerate(there)])
    # A member of something that is anonymous here: its own name will do.
    retry = [there[i] for i in named]
    short = compile_each(prologue, [f"static void t{i}({m.owner} *p) "
                                    f"{{ (void)p->{m.name.split('.')[-1]}; }}"
                                    for i, m in enumerate(retry)])
    found.update({retry[i]: "absent" for i in short})
    typed = [m for m in there if m not in found and m not in retry and ":" not in m.type
             and not re.search(r"struct \{|union \{|union member|anonymous|bitmap", m.type)]
    errors = compile_each(prologue, ["_Static_assert(__builtin_types_compatible_p(typeof((("
                                     f"{m.owner} *)0)->{m.name}), {m.type}), \"\");"
                                     for m in typed])
    found.update({typed[i]: f"is not {typed[i].type}" for i in errors})
    return {m: why for m, why in found.items() if not (m.later and why == "absent")}
