# SPDX-License-Identifier: MIT
"""What a mutant needs to know of a C++ file: its tokens, functions, statements, calls, and the learner's regions.

This is no compiler. It knows blocks, statements and calls well enough for the answers in this repository; a change that
it gets wrong does not compile, and is not counted."""
import re

TOKEN = re.compile(r"""
    (?P<space>\s+)
  | (?P<note>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<<|>>>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||[-+*/%&|^!=<>]=|<<|\.\*|.)
""", re.X | re.S | re.M)
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}", "<<<": ">>>"}, {")", "]", "}", ">>>"}
HEADS = {"if", "for", "while", "switch"}
NOT_CALLED = HEADS | {"return", "sizeof", "catch", "alignof", "decltype", "static_assert", "CHECK"}
NOT_TYPES = {"return", "delete", "throw", "goto", "new", "else", "case", "break", "continue", "sizeof", "do", "this"} | HEADS
TYPE_WORDS = {"const", "static", "unsigned", "signed", "int", "long", "short", "char", "bool", "float", "double", "auto",
              "void", "struct", "class", "enum", "union", "using", "typedef", "constexpr", "volatile", "extern", "template"}


class Token:
    __slots__ = ("kind", "text", "at", "line")

    def __init__(self, kind, text, at, line):
        self.kind, self.text, self.at, self.line = kind, text, at, line

    @property
    def end(self):
        return self.at + len(self.text)


class Statement:
    """tokens[first..last]; bodies: the statements of its own, blocks of lambdas among them."""

    def __init__(self, kind, first, last, function):
        self.kind, self.first, self.last, self.function = kind, first, last, function
        self.head = None                # of if, for, while: the tokens between the parentheses
        self.bodies = []                # statements or blocks
        self.parent = None              # the statement that this one is in; None: the function
        self.block = None               # the block that it stands in; None: it is a body by itself
        self.declares = []              # names


class Block:
    def __init__(self, first, last, statements, is_lambda=False):
        self.first, self.last, self.statements, self.is_lambda = first, last, statements, is_lambda


class Function:
    def __init__(self, name, first, parameters):
        self.name, self.first, self.parameters = name, first, parameters    # parameters: (type, name)
        self.last = first
        self.block = None


class Call:
    """A call or a launch: callee, the token of its name, arguments as (first, last) tokens; a launch's configuration, too."""

    def __init__(self, name, at, arguments, configuration, last):
        self.name, self.at, self.arguments, self.configuration, self.last = name, at, arguments, configuration, last


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens, self.regions, self.pairs = [], [], {}
        self.functions, self.statements, self.blocks = [], [], []
        self._scan()
        self._pair()
        self._scope(0, len(self.tokens))
        self.calls = self._find_calls()
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", text)]

    # ---- tokens ----

    def _scan(self):
        line, open_launches, region = 1, 0, None
        at = 0
        while at < len(self.text):
            match = TOKEN.match(self.text, at)
            kind, text = match.lastgroup, match.group()
            if text == ">>>" and not open_launches:
                text = ">"
            if kind == "note":
                mark = re.match(r"//([<>]) (\S+)", text)
                if mark and mark[1] == ">":
                    region = (mark[2], at + len(text))
                elif mark and region:
                    self.regions.append((region[0], region[1], at))
                    region = None
            elif kind not in ("space", "directive"):
                open_launches += {"<<<": 1, ">>>": -1}.get(text, 0)
                self.tokens.append(Token(kind, text, at, line))
            line += text.count("\n")
            at += len(text)

    def _pair(self):
        stack = []
        for i, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in OPEN:
                stack.append(i)
            elif token.text in CLOSE:
                while stack and OPEN[self.tokens[stack[-1]].text] != token.text:
                    stack.pop()
                if stack:
                    begin = stack.pop()
                    self.pairs[begin], self.pairs[i] = i, begin

    def is_at(self, i, text):
        return 0 <= i < len(self.tokens) and self.tokens[i].text == text

    def between(self, first, last):
        """The text from token `first` to token `last`, both included."""
        return self.text[self.tokens[first].at:self.tokens[last].end]

    def words(self, first, last):
        return [t.text for t in self.tokens[first:last + 1]]

    def line_of(self, at):
        low, high = 0, len(self.line_starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.line_starts[middle] <= at else (low, middle)
        return low + 1

    # ---- functions and statements ----

    def _scope(self, i, end):
        """A file, a namespace or a class: functions in it."""
        while i < end:
            first = i
            while i < end and not self.is_at(i, ";"):
                text = self.tokens[i].text
                if text == "{":
                    words, close = self.words(first, i - 1), self.pairs.get(i, end)
                    before = words[-1] if words else ""
                    if "namespace" in words or words[:1] == ["extern"] and len(words) == 2:
                        self._scope(i + 1, close)
                        i = close
                        break
                    if before in (")", "const", "noexcept", "override") and "(" in words and before != "=":
                        self._function(first, i, close)
                        i = close
                        break
                    if {"struct", "class", "union"} & set(words) and "=" not in words:
                        self._scope(i + 1, close)
                    i = close
                elif text in OPEN and i in self.pairs:
                    i = self.pairs[i]
                elif text == ":" and i == first + 1:
                    first = i + 1       # public:
                i += 1
            i += 1

    def _function(self, first, brace, close):
        paren = next(i for i in range(first, brace) if self.is_at(i, "("))
        if self.tokens[paren - 1].text == "operator":
            paren = self.pairs[paren] + 1
        function = Function(self.tokens[paren - 1].text, first, self._parameters(paren))
        function.last = close
        self.functions.append(function)
        function.block = self._block(brace, function, None)

    def _parameters(self, paren):
        found = []
        for first, last in self.split(paren + 1, self.pairs[paren] - 1):
            words = self.words(first, last)
            while words and words[-1] in ("]", "[") or (len(words) > 1 and words[-2] == "["):
                words.pop()
            if len(words) > 1:
                found.append((" ".join(w for w in words[:-1] if w not in ("const", "struct")), words[-1]))
        return found

    def split(self, first, last):
        """Parts between the commas of tokens first..last."""
        parts, begin, i = [], first, first
        while i <= last:
            if self.tokens[i].text in OPEN and i in self.pairs:
                i = self.pairs[i]
            elif self.is_at(i, ","):
                parts.append((begin, i - 1))
                begin = i + 1
            i += 1
        if last >= first:
            parts.append((begin, last))
        return [(a, b) for a, b in parts if b >= a]

    def _block(self, brace, function, parent, is_lambda=False):
        close, statements, i = self.pairs[brace], [], brace + 1
        block = Block(brace, close, statements, is_lambda)
        self.blocks.append(block)
        while i < close:
            statement = self._statement(i, function, parent)
            statement.block = block
            statements.append(statement)
            i = statement.last + 1
        return block

    def _statement(self, i, function, parent):
        text, begin = self.tokens[i].text, i
        statement = Statement("simple", i, i, function)
        statement.parent = parent
        self.statements.append(statement)
        if text == "{":
            statement.kind = "block"
            block = self._block(i, function, statement)
            statement.bodies.append(block)
            statement.last = block.last
        elif text in HEADS and self.is_at(i + 1, "(") or text == "for" and self.tokens[i + 1].kind == "name":
            statement.kind = text
            while not self.is_at(i, "("):
                i += 1
            close = self.pairs[i]
            statement.head = (i + 1, close - 1)
            if text == "for":
                statement.declares = self._declared(i + 1, close - 1)
            i = self._body(statement, close + 1)
            if text == "if" and self.is_at(i, "else"):
                i = self._body(statement, i + 1)
            statement.last = i - 1
        elif text == "do":
            statement.kind = "do"
            i = self._body(statement, i + 1)            # while (...);
            statement.head = (i + 2, self.pairs[i + 1] - 1)
            statement.last = self.pairs[i + 1] + 1
        elif text in ("case", "default") or self.tokens[i].kind == "name" and self.is_at(i + 1, ":"):
            statement.kind = "label"
            while not self.is_at(i, ":"):
                i += 1
            statement.last = i
        else:
            if text in ("return", "break", "continue", "goto", "throw"):
                statement.kind = "jump"
            while not self.is_at(i, ";"):
                if self.is_at(i, "{") and self._begins_lambda(i):
                    block = self._block(i, function, statement, True)
                    statement.bodies.append(block)
                    i = block.last
                elif self.is_at(i, "{"):
                    i = self._skip_braces(statement, i, function)
                i += 1
            statement.last = i
            if statement.kind == "simple" and self._is_declaration(begin, i):
                statement.kind = "declaration"
                statement.declares = self._declared(begin, i - 1)
        return statement

    def _skip_braces(self, statement, i, function):
        """An initialiser list or a local class; lambdas in it are looked into."""
        close = self.pairs[i]
        for k in range(i + 1, close):
            if self.is_at(k, "{") and self._begins_lambda(k):
                statement.bodies.append(self._block(k, function, statement, True))
        return close

    def _begins_lambda(self, brace):
        i = brace - 1
        if self.is_at(i, "mutable"):
            i -= 1
        if self.is_at(i, "]"):
            return self.tokens[self.pairs[i] - 1].text in ("(", ",", "=", "{", "return", "?", ":", ";")
        return self.is_at(i, ")") and i in self.pairs and self.is_at(self.pairs[i] - 1, "]")

    def _body(self, statement, i):
        if self.is_at(i, "{"):
            block = self._block(i, statement.function, statement)
            statement.bodies.append(block)
            return block.last + 1
        body = self._statement(i, statement.function, statement)
        statement.bodies.append(body)
        return body.last + 1

    def _is_declaration(self, first, last):
        words = self.words(first, last)
        if words[0] in TYPE_WORDS:
            return True
        if self.tokens[first].kind != "name" or words[0] in NOT_TYPES:
            return False
        i = 1
        while i + 1 < len(words) and words[i] == "::":
            i += 2
        if i < len(words) and words[i] == "<":
            depth = 1
            while depth and i + 1 < len(words):
                i += 1
                depth += {"<": 1, ">": -1}.get(words[i], 0)
            i += 1
        while i < len(words) and words[i] in ("*", "&"):
            i += 1
        return i + 1 < len(words) and re.match(r"[A-Za-z_]", words[i]) is not None and words[i + 1] in ("=", ";", "(", "[", "{", ",")

    def _declared(self, first, last):
        """The names that a declaration declares: what stands before =, [, {, ( or the end of each of its parts."""
        names = []
        colon = next((i for i in range(first, last + 1) if self.is_at(i, ":")), None)
        if colon is not None and not any(self.is_at(i, ";") for i in range(first, colon)):
            last = colon - 1            # for (x : xs)
        end = next((i for i in range(first, last + 1) if self.is_at(i, ";")), last + 1)
        if not self._is_declaration(first, min(end, len(self.tokens) - 1)) and colon is None:
            return names
        for begin, stop in self.split(first, end - 1):
            name = None
            for i in range(begin, stop + 1):
                if self.tokens[i].text in ("=", "[", "{", "("):
                    break
                if self.tokens[i].kind == "name":
                    name = self.tokens[i].text
            if name:
                names.append(name)
        return names

    # ---- calls ----

    def _find_calls(self):
        calls = []
        for i, token in enumerate(self.tokens[:-1]):
            if token.kind != "name" or token.text in NOT_CALLED:
                continue
            following, configuration = i + 1, []
            if self.is_at(following, "<<<") and following in self.pairs:
                close = self.pairs[following]
                configuration = self.split(following + 1, close - 1)
                following = close + 1
            if not self.is_at(following, "(") or following not in self.pairs:
                continue
            close = self.pairs[following]
            calls.append(Call(token.text, i, self.split(following + 1, close - 1), configuration, close))
        return calls

    def calls_in(self, first, last):
        return [c for c in self.calls if first <= c.at <= last]

    def statement_of(self, i):
        """The innermost statement around token i."""
        best = None
        for s in self.statements:
            if s.first <= i <= s.last and (best is None or s.first >= best.first and s.last <= best.last):
                best = s
        return best

    def region_of(self, first, last):
        begin, end = self.tokens[first].at, self.tokens[last].end
        for region in self.regions:
            if region[1] <= begin and end <= region[2]:
                return region
        return None

    def loops_around(self, statement):
        """From the inside out."""
        found, s = [], statement.parent
        while s is not None:
            if s.kind in ("for", "while", "do"):
                found.append(s)
            s = s.parent
        return found

    def function_of(self, i):
        found = None
        for f in self.functions:
            if f.first <= i <= f.last:
                found = f
        return found

    def span(self, statement):
        """The statement's text from `at` to `end`, whole lines with their notes where it has them to itself."""
        at, end = self.tokens[statement.first].at, self.tokens[statement.last].end
        line = self.text.rfind("\n", 0, at) + 1
        stop = self.text.find("\n", end)
        rest = self.text[end:stop]
        if self.text[line:at].strip() == "" and re.fullmatch(r"\s*(//[^\n]*|/\*[^\n]*\*/)?", rest):
            return line, stop + 1
        return at, end
