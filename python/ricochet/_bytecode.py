"""What the code of a function reads, sets and changes, from its instructions.

The stack of the interpreter is followed, with a path for every value whose origin is known: ("global", "table"),
("local", "self", "cache"). What is not known is None, and nothing is concluded from it.
"""
import collections
import dis
import types

# Methods of lists, dicts, sets, deques and arrays that change them.
_CHANGING = frozenset(
    "append appendleft extend extendleft insert pop popleft popitem remove clear sort reverse rotate fill put add "
    "discard update setdefault move_to_end subtract difference_update intersection_update "
    "symmetric_difference_update".split())
_LOADS = {"LOAD_GLOBAL": "global", "LOAD_NAME": "global", "LOAD_DEREF": "cell", "LOAD_CLASSDEREF": "cell",
          "LOAD_FROM_DICT_OR_GLOBALS": "global", "LOAD_FROM_DICT_OR_DEREF": "cell"}
# Instructions that only push or pop; every other one is taken to replace what then lies on top.
_PLAIN = ("POP_", "STORE_", "DELETE_", "LOAD_", "PUSH_NULL", "JUMP_", "RETURN_", "RAISE_", "RERAISE", "NOP", "RESUME",
          "CACHE", "PRECALL", "KW_NAMES", "EXTENDED_ARG", "MAKE_CELL", "COPY_FREE_VARS", "SETUP_")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_ENDS = ("JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "RETURN_VALUE", "RAISE_VARARGS", "RERAISE")


class Code:
    """Of a function and those inside of it: `names` of globals and attributes; `imports`; `reads`, the globals whose
    values it uses, with the attributes it takes of them, as paths ("table",), ("module", "constant"); what it `sets`
    and what it `changes` in place, as ("global", name), ("cell", name), ("local", name), ("attribute", name)."""

    def __init__(self, code):
        self.names, self.imports, self.sets, self.changes = set(code.co_names), set(), set(), set()
        self._uses, self._aliases, self._cells = collections.Counter(), {}, code.co_freevars
        stack, waiting = [], {}
        for at in dis.get_instructions(code):
            stack = waiting.pop(at.offset, stack)
            if at.opcode in dis.hasjrel or at.opcode in dis.hasjabs:
                waiting.setdefault(at.argval, _after(stack, at, True))
            self._note(at, stack)
            stack = [] if at.opname in _ENDS else self._loaded(at, stack, _after(stack, at, False))
        self.reads = {path[1:] for path, count in self._uses.items() if count > 0}
        for inner in (Code(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)):
            self.names |= inner.names
            self.imports |= inner.imports
            self.reads |= inner.reads
            for mine, its in ((self.sets, inner.sets), (self.changes, inner.changes)):
                mine.update(change for change in its if change[0] != "local")

    def _note(self, at, stack):
        """What an instruction sets or changes."""
        if at.opname in ("STORE_SUBSCR", "DELETE_SUBSCR"):
            self._changed(stack, 2)
        elif at.opname == "STORE_SLICE":
            self._changed(stack, 3)
        elif at.opname in _ATTRIBUTES and at.argval in _CHANGING:
            self._changed(stack, 1)
        elif at.opname in ("STORE_ATTR", "DELETE_ATTR"):
            self.sets.add(("attribute", at.argval))
        elif at.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            self.sets.add(("global", at.argval))
        elif at.opname in ("STORE_DEREF", "DELETE_DEREF") and at.argval in self._cells:
            self.sets.add(("cell", at.argval))
        elif at.opname == "STORE_FAST":
            self._aliases[at.argval] = stack[-1] if stack else None
        elif at.opname.startswith("STORE_FAST"):  # with another one at once
            self._aliases.update(dict.fromkeys(at.argval))
        elif at.opname == "IMPORT_NAME":
            self.imports.add(at.argval)

    def _changed(self, stack, depth):
        path = stack[-depth] if depth <= len(stack) else None
        if path is not None:
            self.changes.add(path if len(path) == 2 else ("attribute", path[-1]))

    def _loaded(self, at, before, stack):
        """The stack after an instruction, with the path of what it loads. An attribute lies where its object was, with
        an empty place above or below for a call; so does a global."""
        if at.opname in _ATTRIBUTES:
            path = (*before[-1], at.argval) if before and before[-1] else None
            places = 1 + len(stack) - len(before)
            if path and path[0] == "global":
                self._uses[before[-1]] -= 1
        elif at.opname in _LOADS:
            path, places = (_LOADS[at.opname], at.argval), len(stack) - len(before)
        elif at.opname.startswith("LOAD_FAST") and isinstance(at.argval, str):
            path, places = self._aliases.get(at.argval) or ("local", at.argval), 1
        else:
            return stack
        if path and path[0] == "global":
            self._uses[path] += 1
        return [*stack[:len(stack) - places], *[path] * places]


def _after(stack, at, jump):
    """The stack after an instruction of which nothing is known but by how much it grows."""
    name, depth = at.opname, at.arg
    if name in ("COPY", "DUP_TOP"):
        return [*stack, stack[-(depth or 1)] if (depth or 1) <= len(stack) else None]
    if name == "DUP_TOP_TWO":
        return [*stack, *[None, None, *stack][-2:]]
    if name == "SWAP":
        stack = [*[None] * (depth - len(stack)), *stack]
        stack[-1], stack[-depth] = stack[-depth], stack[-1]
        return stack
    if name.startswith("ROT_"):
        depth = {"ROT_TWO": 2, "ROT_THREE": 3, "ROT_FOUR": 4}.get(name, depth)
        stack = [*[None] * (depth - len(stack)), *stack]
        return [*stack[:-depth], stack[-1], *stack[-depth:-1]]
    grows = dis.stack_effect(at.opcode, at.arg if at.opcode >= dis.HAVE_ARGUMENT else None, jump=jump)
    stack = list(stack[:grows] if grows < 0 else stack)
    if stack and (name in _ATTRIBUTES or not name.startswith(_PLAIN)):
        stack[-1] = None
    return [*stack, *[None] * grows]
