# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the statements that compute a number and the plausible errors of each, from clang's syntax tree.

A statement counts where it holds arithmetic, a comparison of numbers, a bound (min, max, clamp), a choice between numbers, a rounding, a number
that is handed to a function of the project or kept in a member, or feeds a hash. Left out by rule, not by hand: what is settled at compile time
(constexpr initialisers, case labels, template arguments), initial values of members, headers of counting loops, indices that are literals, sizes that are reserved, and
numbers inside the text of an error, characters, and what the operating system answers (core/base/platform)."""
import hashlib
import json
import os
import re
import shlex

from clang.cindex import Config, CursorKind as K, Index, TypeKind as T

for place in ("/usr/lib/llvm-14/lib/libclang.so.1", "/usr/lib/x86_64-linux-gnu/libclang-14.so.1"):
    if os.path.exists(place):
        Config.set_library_file(place)
        break

FLOATS = {T.FLOAT, T.DOUBLE, T.LONGDOUBLE}
INTS = {T.INT, T.UINT, T.LONG, T.ULONG, T.LONGLONG, T.ULONGLONG, T.SHORT, T.USHORT}
TEXT = re.compile(r"\b(Error|Diagnostics?|basic_string|string|string_view|basic_string_view|ostream|basic_ostream)\b")
SIZES = {"reserve", "resize", "assign", "substr", "erase", "find", "insert", "setw", "setprecision", "precision", "arg", "number", "append", "wait_for"}
ROUNDS = {"ceil": "floor", "floor": "ceil", "round": "floor", "lround": "std::floor", "llround": "std::floor"}
PLAIN = {"sqrt", "abs", "fabs", "log", "exp", "log2", "log10", "log1p", "expm1"}
WRAPS = {K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.CXX_FUNCTIONAL_CAST_EXPR, K.CXX_STATIC_CAST_EXPR, K.UNARY_OPERATOR}
ARITHMETIC = {"+", "-", "*", "/", "%"}
COMPARES = {"<", "<=", ">", ">=", "==", "!="}
UNITS = {1000.0: "1024", 1024.0: "1000", 1e9: "1073741824.0", 1e6: "1048576.0", 1e-3: "1e-6", 1e-6: "1e-3", 1e-9: "1e-6", 1e3: "1024.0",
         1e12: "1099511627776.0", 60.0: "3600", 3600.0: "60", 24.0: "60", 86400.0: "3600", 8.0: "1"}
UI = ("look", "model", "bridge", "workspace", "findings")  # prism_ui_model: no widget
LEFT_OUT = ("core/base/platform/", "core/sim/chunk/", "core/sim/step/", "core/walk/")


def layer_of(name):
    parts = name.split("/")
    if parts[0] == "core" and len(parts) > 2 and not name.startswith(LEFT_OUT):
        return parts[1]
    return "ui_model" if len(parts) > 2 and parts[0] == "ui" and parts[1] in UI else None


def wanted(name):
    return layer_of(name) is not None and name.endswith((".cpp", "-inl.h"))


def kind(cursor):
    return cursor.type.get_canonical().kind


def number(cursor):
    """Of a number's type, and no character that counts as one."""
    if kind(cursor) not in FLOATS and kind(cursor) not in INTS:
        return False
    while cursor.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
        inner = list(cursor.get_children())
        if len(inner) != 1:
            break
        cursor = inner[0]
    return kind(cursor) in FLOATS or kind(cursor) in INTS


class Finder:
    """Statements of one translation unit: {(file, start of the statement): [(begin, end, replacement, operator), ...]}."""

    def __init__(self, root, wanted):
        self.root, self.wanted, self.texts, self.found, self.lines = root, wanted, {}, {}, {}
        self.done = set()

    def text(self, name):
        if name not in self.texts:
            with open(os.path.join(self.root, name), "rb") as file:
                self.texts[name] = file.read()
        return self.texts[name]

    def unit(self, command, source, copied):
        """Reads a translation unit of the copy's build, whose files stand at the same places of the tree."""
        keep = [a for a in command if re.match(r"-(I|D|std|f?PIC)", a)]
        for i, a in enumerate(command):
            if a in ("-isystem", "-include") and not command[i + 1].endswith("cmake_pch.hxx"):
                keep += [a, command[i + 1]]
        own = source.replace(copied, self.root)
        unsaved = []
        if not os.path.exists(own):  # what the build made: the list of the files of a folder
            with open(source, encoding="utf-8") as file:
                unsaved = [(own, re.sub(r"#include .*/mutantswitch.cpp\"", "", file.read().replace(copied, self.root)))]
        tu = Index.create().parse(own, ["-w"] + keep, unsaved)
        fatal = [d for d in tu.diagnostics if d.severity >= 3]
        if fatal:
            print("clang:", source, fatal[0])
        seen = set()
        for top in tu.cursor.get_children():
            file = top.location.file
            name = os.path.relpath(file.name, self.root) if file else ""
            if self.wanted(name) and (name, top.extent.start.offset) not in self.done:
                seen.add((name, top.extent.start.offset))
                self.file, self.src = name, self.text(name)
                self.walk(top, [], None, {"text": False, "constexpr": False})
        self.done |= seen

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def of(self, cursor):
        begin, end = self.span(cursor)
        return self.src[begin:end].decode()

    def put(self, statement, cursor, replacement, operator, whole=None):
        begin, end = self.span(cursor)
        if statement is None or end <= begin or begin < statement[0] or end > statement[1]:
            return
        key = (self.file,) + statement
        self.found.setdefault(key, []).append((begin, end, replacement, operator, self.mode))

    def walk(self, c, above, statement, context):
        k = c.kind
        if k in (K.STATIC_ASSERT, K.ENUM_DECL, K.TYPE_ALIAS_DECL, K.TYPEDEF_DECL, K.PARM_DECL, K.FIELD_DECL, K.TEMPLATE_NON_TYPE_PARAMETER):
            return
        file = c.location.file
        if k.is_declaration() and file and os.path.relpath(file.name, self.root) != self.file:
            return
        context = dict(context)
        self.mode = "c" if context["constexpr"] else ""
        if k in (K.DECL_STMT, K.VAR_DECL, K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.FUNCTION_TEMPLATE, K.CONVERSION_FUNCTION):
            begin, end = self.span(c)
            head = self.src[begin:min(end, begin + 200)].decode(errors="replace")
            if re.match(r"(\[\[\w+\]\]\s*)?((static|inline|explicit|friend)\s+)*constexpr\b", head):
                if k in (K.DECL_STMT, K.VAR_DECL):  # the second name of a statement has an extent of its own
                    return
                context["constexpr"] = True
                self.mode = "c"
        children = list(c.get_children())
        if k == K.VAR_DECL:  # what stands before its name is its type
            children = [x for x in children if x.extent.end.offset > c.location.offset]
        if k == K.CASE_STMT:
            children = children[1:]
        if k == K.FOR_STMT and children:
            children = children[-1:]
        if k == K.ARRAY_SUBSCRIPT_EXPR and len(children) == 2 and self.bare(children[1]).kind == K.INTEGER_LITERAL:
            children = children[:1]
        if k == K.CALL_EXPR:
            name = c.spelling
            if TEXT.search(c.type.spelling) and self.file.startswith("core/") or name in SIZES or name.startswith("operator<<"):
                context["text"] = True
            if name == "operator[]" and len(children) > 1 and self.bare(children[-1]).kind == K.INTEGER_LITERAL:
                children = children[:-1]
        if k == K.LAMBDA_EXPR:
            context["text"] = False
        statement = self.begins(c, above, statement)
        if not context["text"]:
            self.errors(c, k, children, above, statement)
        for child in children:
            self.walk(child, above + [c], statement, context)

    def bare(self, c):
        while c.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
            inner = list(c.get_children())
            if len(inner) != 1:
                break
            c = inner[0]
        return c

    def begins(self, c, above, statement):
        parent = above[-1] if above else None
        if c.kind in (K.DECL_STMT, K.RETURN_STMT):
            return self.span(c)
        if parent is None or not c.kind.is_expression():
            if c.kind == K.VAR_DECL and parent is not None and parent.kind in (K.NAMESPACE, K.TRANSLATION_UNIT):
                return self.span(c)
            return statement
        if parent.kind in (K.COMPOUND_STMT, K.IF_STMT, K.FOR_STMT, K.CXX_FOR_RANGE_STMT, K.WHILE_STMT, K.SWITCH_STMT, K.CASE_STMT, K.DEFAULT_STMT,
                           K.CONSTRUCTOR):
            return self.span(c)
        return statement

    def errors(self, c, k, children, above, statement):
        if k == K.BINARY_OPERATOR and len(children) == 2:
            self.binary(c, children, statement)
        elif k == K.COMPOUND_ASSIGNMENT_OPERATOR and len(children) == 2 and number(c):
            self.compound(c, children, above, statement)
        elif k == K.UNARY_OPERATOR and number(c) and self.of(c).startswith("-") and not self.of(c).startswith("--"):
            if self.bare(children[0]).kind not in (K.INTEGER_LITERAL, K.FLOATING_LITERAL):
                self.put(statement, c, self.of(children[0]), "sign")
        elif k in (K.INTEGER_LITERAL, K.FLOATING_LITERAL):
            self.literal(c, above, statement)
        elif k == K.DECL_REF_EXPR and number(c) and re.fullmatch(r"k[A-Z]\w*", c.spelling) and not self.foreign(above):
            self.put(statement, c, self.of(c) + (" * 1.05" if kind(c) in FLOATS else " + 1"), "constant")
        elif k == K.CALL_EXPR:
            self.call(c, children, above, statement)
        elif k == K.CONDITIONAL_OPERATOR and len(children) == 3 and number(c):
            self.put(statement, c, self.of(children[1]), "choice")
            self.put(statement, c, self.of(children[2]), "choice")
        elif k == K.IF_STMT:
            self.guard(c, children)

    def binary(self, c, children, statement):
        a, b = children
        (_, middle), (after, _) = self.span(a), self.span(b)
        op = re.sub(rb"//[^\n]*", b"", self.src[middle:after]).decode().strip()
        left, right = self.of(a), self.of(b)
        if op in ARITHMETIC and number(c):
            floating = kind(c) in FLOATS
            other = {"+": "-", "-": "+", "*": "/" if floating else "+", "/": "*", "%": "/"}[op]
            self.put(statement, c, f"{left} {other} ({right})", "operator")
            self.put(statement, c, left, "term")
            if op in "+*":
                self.put(statement, c, right, "term")
        elif op in COMPARES and number(a) and number(b) and not right.endswith("npos"):
            floating = kind(a) in FLOATS or kind(b) in FLOATS
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "!=", "!=": "=="}[op]
            self.put(statement, c, f"{left} {turned} {right}", "comparison")
            fixed = any(self.bare(x).kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL) for x in children) or re.match(r"k[A-Z]", right)
            if op[0] in "<>" and (not floating or fixed):
                edge = op[:-1] if op.endswith("=") else op + "="
                self.put(statement, c, f"{left} {edge} {right}", "comparison")
        elif op in ("&&", "||") and self.compares(c):
            self.put(statement, c, f"static_cast<bool>({left})", "condition")
            self.put(statement, c, f"static_cast<bool>({right})", "condition")
        elif op == "=" and number(c) and a.kind == K.MEMBER_REF_EXPR and statement == self.span(c):
            self.put(statement, c, "", "drop")

    def compares(self, c):
        for x in c.walk_preorder():
            if x.kind == K.BINARY_OPERATOR and x.type.kind == T.BOOL:
                sides = list(x.get_children())
                if len(sides) == 2 and number(sides[0]) and number(sides[1]):
                    return True
        return False

    def compound(self, c, children, above, statement):
        a, b = children
        middle, after = self.span(a)[1], self.span(b)[0]
        op = self.src[middle:after].decode().strip()
        other = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}.get(op)
        if not other:
            return
        if statement == self.span(c):
            self.put(statement, c, "", "drop")
        if op in ("+=", "-="):
            self.put(statement, c, f"{self.of(a)} = {self.of(b)}", "operator")
        self.put(statement, c, f"{self.of(a)} {other} {self.of(b)}", "operator")

    def literal(self, c, above, statement):
        text = self.of(c)
        match = re.fullmatch(r"((?:\d[\d']*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([fFuUlL]*)", text)
        if not match or text.startswith("0x"):
            return
        value, suffix = float(match.group(1).replace("'", "")), match.group(2)
        at = len(above) - 1
        while at >= 0 and above[at].kind in WRAPS:
            at -= 1
        if at < 0:
            return
        user = above[at]
        if self.foreign(above) or 0 < value < 1e-9 and (user.kind == K.CALL_EXPR or user.kind == K.BINARY_OPERATOR and not number(user)):
            return  # what another library is told, and bounds that keep from a division by nothing
        if user.kind == K.INIT_LIST_EXPR and c.kind == K.INTEGER_LITERAL:
            return
        if user.kind not in (K.CALL_EXPR, K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.RETURN_STMT, K.VAR_DECL,
                             K.CONDITIONAL_OPERATOR, K.INIT_LIST_EXPR):
            return
        if user.kind == K.BINARY_OPERATOR and not (number(user) or self.compares(user)):
            return
        if user.kind == K.VAR_DECL and not number(user):
            return
        if c.kind == K.FLOATING_LITERAL:
            self.put(statement, c, f"{value * 1.05!r}{suffix}" if value else f"1.0{suffix}", "constant")
        else:
            self.put(statement, c, f"{int(value) + 1}{suffix}", "constant")
        if value in UNITS and not suffix and user.kind == K.BINARY_OPERATOR and number(user):
            self.put(statement, c, UNITS[value], "unit")

    def foreign(self, above):
        """Whether an expression is handed to a function of another library that does not count with it."""
        at = len(above) - 1
        while at >= 0 and above[at].kind in WRAPS:
            at -= 1
        return at >= 0 and above[at].kind == K.CALL_EXPR and not self.own(above[at]) and above[at].spelling not in ("min", "max", "clamp", "pow")

    def own(self, call):
        target = call.referenced
        file = target.location.file if target else None
        return bool(file) and not os.path.relpath(file.name, self.root).startswith("..")

    def call(self, c, children, above, statement):
        name, args = c.spelling, list(c.get_arguments())
        text = self.of(c)
        if name in ("min", "max") and number(c) and "std::" + name in text:
            other = "max" if name == "min" else "min"
            self.put(statement, c, re.sub(r"^std::" + name, "std::" + other, text), "bound")
            if len(args) == 2:
                self.put(statement, c, self.of(args[0]), "bound")
                self.put(statement, c, self.of(args[1]), "bound")
        elif name == "clamp" and number(c) and len(args) == 3:
            self.put(statement, c, self.of(args[0]), "bound")
        elif name in ROUNDS and number(c) and text.startswith("std::"):
            self.put(statement, c, re.sub(r"^std::" + name, ROUNDS[name] if "::" in ROUNDS[name] else "std::" + ROUNDS[name], text), "rounding")
        elif name in PLAIN and number(c) and len(args) == 1:
            self.put(statement, c, self.of(args[0]), "term")
        elif name == "add" and children and children[0].kind == K.MEMBER_REF_EXPR and "Hasher" in c.type.spelling:
            base = list(children[0].get_children())
            if base:
                self.put(statement, c, self.of(base[0]), "key")
        elif name == "operator=" and len(children) >= 2 and statement == self.span(c) and "json" in children[0].type.get_canonical().spelling:
            if number(self.bare(children[-1])) or self.file.startswith("core/"):
                self.put(statement, c, "", "drop")
        if (self.own(c) or name in ("pow", "fmod")) and not name.startswith("operator"):
            for x, y in zip(args, args[1:]):
                same = x.type.get_canonical().get_size() and kind(x) == kind(y) and number(x)
                (a, b), (d, e) = self.span(x), self.span(y)
                if same and self.of(x) != self.of(y) and self.of(x) and self.of(y):
                    begin = self.span(c)[0]
                    t = self.src
                    swapped = t[begin:a] + t[d:e] + t[b:d] + t[a:b] + t[e:self.span(c)[1]]
                    self.put(statement, c, swapped.decode(), "arguments")

    def guard(self, c, children):
        if len(children) < 2 or not children[0].kind.is_expression() or re.match(r"if\s+constexpr", self.of(c)):
            return
        then = children[1]
        inner = list(then.get_children()) if then.kind == K.COMPOUND_STMT else [then]
        counts = len(inner) == 1 and (inner[0].kind in (K.CONTINUE_STMT, K.BREAK_STMT)
                                      or inner[0].kind == K.RETURN_STMT and any(number(x) for x in inner[0].get_children()))
        counts = counts or any(x.kind == K.COMPOUND_ASSIGNMENT_OPERATOR or x.kind == K.BINARY_OPERATOR and number(x) for x in inner)
        if counts:
            for value in ("true", "false"):
                self.put(self.span(children[0]), children[0], value, "guard")


def commands(build):
    with open(os.path.join(build, "compile_commands.json")) as file:
        for entry in json.load(file):
            yield entry["file"], shlex.split(entry["command"]), entry.get("output", "")


def content(root, copied, source):
    """A hash of this script, of all headers and of the files that a translation unit joins."""
    with open(source, encoding="utf-8") as file:  # a list of files that the build made names them by their whole paths
        parts = [source.replace(copied, root)] + [x.replace(copied, root) for x in re.findall(r'#include "(/.*)"', file.read())]
    headers = [os.path.join(p, f) for top in ("core", "ui") for p, _, names in os.walk(os.path.join(root, top)) for f in names if f.endswith(".h")]
    stamp = hashlib.sha256(source.encode())
    for file in [__file__] + sorted(headers) + [x for x in parts if os.path.exists(x)]:
        stamp.update(file.encode() + open(file, "rb").read())
    return stamp.digest()


def found_in(unit):
    root, command, source, copied = unit
    finder = Finder(root, wanted)
    finder.unit(command, source, copied)
    return finder.found
