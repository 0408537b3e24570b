"""The type stubs say what is there: names, arguments, kinds and defaults; and everything public has a docstring."""
import ast
import inspect
import pathlib
import shutil
import subprocess
import sys

import pytest
import ricochet
import ricochet._core

PACKAGE = pathlib.Path(ricochet.__file__).parent


def declared(name):
    """{name: node} of a file of types; for classes {name: {member: node}}."""
    tree = ast.parse((PACKAGE / name).read_text())
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    classes = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            members = {}
            for n in node.body:
                if isinstance(n, ast.FunctionDef):
                    members[n.name] = n
                elif isinstance(n, ast.AnnAssign):
                    members[n.target.id] = n
            classes[node.name] = (node, members)
    names = {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
    return functions, classes, names


def of_stub(node):
    """[(name, kind, has a default)] as inspect would say it."""
    a, P = node.args, inspect.Parameter
    plain = [*a.posonlyargs, *a.args]
    first_default = len(plain) - len(a.defaults)
    found = [(p.arg, P.POSITIONAL_OR_KEYWORD, i >= first_default) for i, p in enumerate(plain)]
    if a.vararg:
        found.append((a.vararg.arg, P.VAR_POSITIONAL, False))
    found += [(p.arg, P.KEYWORD_ONLY, d is not None) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        found.append((a.kwarg.arg, P.VAR_KEYWORD, False))
    return found


def of_object(function):
    return [(p.name, p.kind, p.default is not p.empty) for p in inspect.signature(function).parameters.values()]


FUNCTIONS, CLASSES, NAMES = declared("__init__.pyi")


def test_every_public_name_is_declared():
    assert set(ricochet.__all__) == (set(FUNCTIONS) | set(CLASSES)) & set(dir(ricochet))
    assert "__version__" in NAMES
    for name in [*FUNCTIONS, *CLASSES]:
        assert hasattr(ricochet, name), f"{name} is declared but not there"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function(name):
    assert of_stub(FUNCTIONS[name]) == of_object(getattr(ricochet, name))
    assert inspect.getdoc(getattr(ricochet, name)), f"{name} has no docstring"


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_class(name):
    node, members = CLASSES[name]
    made = getattr(ricochet, name)
    assert inspect.getdoc(made), f"{name} has no docstring"
    for base in node.bases:
        assert base.id in [c.__name__ for c in made.__mro__[1:]]
    for member, declaration in members.items():
        if isinstance(declaration, ast.FunctionDef):
            function = getattr(made, member)
            if any(isinstance(d, ast.Name) and d.id == "property" for d in declaration.decorator_list):
                continue
            assert of_stub(declaration) == of_object(function), f"{name}.{member}"
            if not member.startswith("_"):
                assert inspect.getdoc(function), f"{name}.{member} has no docstring"
    public = {m for m, value in vars(made).items() if not m.startswith("_") and (callable(value)
                                                                                or isinstance(value, property))}
    assert public <= set(members), f"{name}: not declared: {public - set(members)}"


def test_attributes_are_there():
    """Every attribute that the types promise, on an object of the class."""
    result = ricochet.run("star", time__end=2, record__stroboscope=0.5)
    objects = {"Result": result, "Series": result.stroboscope, "Simulation": ricochet.simulate("star"),
               "Node": ricochet.simulate("star").step(), "SceneError": ricochet.SceneError("a:1:2: b"),
               "RunError": ricochet.RunError("a"), "System": ricochet.System(["x"], [1]),
               "Numeric": ricochet.Numeric(lambda q: 0)}
    for name, made in objects.items():
        for member, declaration in CLASSES[name][1].items():
            if isinstance(declaration, ast.AnnAssign):
                assert hasattr(made, member), f"{name}.{member}"


def test_compiled_half():
    functions, classes, _ = declared("_core.pyi")
    members = {m for m in vars(ricochet._core.Run) if not m.startswith("__")}
    assert members == {m for m in classes["Run"][1] if not m.startswith("__")}
    for name in functions:
        assert hasattr(ricochet._core, name)


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_a_checker_reads_them(tmp_path):
    (tmp_path / "user.py").write_text("import ricochet\n\nt: float = ricochet.run('star').impacts['t'][0]\n"
                                      "n: int = len(ricochet.sweep('star', {'time.end': [1.0]}))\n")
    done = subprocess.run(["mypy", "--strict", "--python-executable", sys.executable, "--cache-dir", str(tmp_path / "c"),
                           "user.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
