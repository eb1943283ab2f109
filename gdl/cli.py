"""The command line: finds the command, and turns whatever goes wrong into something a person can use.

Exit codes: 0 success, 1 a problem in the game, 2 bad usage, 70 a bug in gdl, 130 interrupted.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial, wraps
from importlib import import_module
from typing import Annotated, Any, NoReturn, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from gdl.commands.interrupts import INTERRUPTED, end_at_the_second
from gdl.diagnostics import GameError

COMMANDS = (
    "check", "info", "moves", "play", "serve", "run", "explore", "solve", "verify", "search", "tree", "plot",
    "sweep", "match", "learn", "solvers", "test", "fmt", "new", "list", "eval", "perft", "size", "ucb1",
    "watch", "lsp", "explain", "compile", "bench",
)  # fmt: skip
"""In the order of `gdl --help`. Each is a function of its own name in `gdl/commands/`; where its file has
KINDS as well, these are commands below it: `gdl plot policy`."""

RENAMED = {
    ("run", "--from"): "--at",
    ("solve", "--from"): "--load",
    ("solve", "--epsilon"): "--precision",
    ("solve", "--max-memory"): "--memory",
}
"""Options that had another name before: one word means one thing in all commands, and in Python."""

PROBLEM, BUG = 1, 70


def main() -> None:
    """The program `gdl`."""
    # What starting makes stays: to look for garbage in it again and again takes a tenth of a short command.
    gc.set_threshold(50_000, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a glyph that the terminal cannot show is no reason to stop
    end_at_the_second()
    try:
        try:
            application()(prog_name="gdl")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _stop_writing()
    except Exception as error:
        _report_bug(error)


def application() -> typer.Typer:
    """The commands as one Typer application; the files of commands are read when they are needed."""
    app = typer.Typer(
        cls=_Commands,
        no_args_is_help=True,
        rich_markup_mode=None,  # the plain help is quick to load and easy to paste
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_gdl)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("gdl-games"))
        raise typer.Exit


def _gdl(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """Games as short text files: check them, play them, solve them.

    GAME is a file, the name of a game that comes with gdl, or - for standard input.
    """


class _Commands(TyperGroup):
    """Imports a command when it is asked for."""

    def get_params(self, ctx: Any) -> Any:
        return _converted_when_needed(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # For an unknown name all are loaded, so that the nearest can be suggested.
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.commands[name] = _load(name)
        return self.commands.get(cmd_name)


class _Command(TyperCommand):
    """Says what an option is called now that had another name, and leaves words as they are typed."""

    def get_params(self, ctx: Any) -> Any:
        return _converted_when_needed(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for word in args:
            old = word.partition("=")[0]
            if (new := RENAMED.get((self.name or "", old))) is not None:
                raise typer.BadParameter(f"it is called {new} now", ctx, param_hint=old)
        return super().parse_args(ctx, args)


def _converted_when_needed(params: list[Any]) -> list[Any]:
    for param in params:
        converter = getattr(param, "get_runtime_param", None)  # a Typer that converts by pydantic has one
        if converter is not None and not isinstance(converter, partial):
            param.get_runtime_param = partial(_Conversion, converter)
    return params


class _Conversion:
    """Typer's conversion of a parameter, asked only where a value is not of its type yet, as words for words
    are: it loads pydantic, which takes longer than checking a small game."""

    def __init__(self, converter: Callable[[], Any]):
        self.converter = converter

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        kind = param.type_descriptor.annotation
        if several and get_origin(kind) is list and isinstance(value, (list, tuple)):
            if _are_all(get_args(kind)[0], value, param):
                return list(value)
        elif _are_all(kind, [value], param):
            return value
        return self.converter().coerce(value, param=param, ctx=ctx)


def _are_all(kind: Any, values: Iterable[Any], param: Any) -> bool:
    return (
        isinstance(kind, type)
        and param.type_descriptor.parameter_info.parser is None
        and all(isinstance(value, kind) for value in values)
    )


def _load(name: str) -> Any:
    module = import_module(f"gdl.commands.{name}")
    function = getattr(module, name)
    settings = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(
        name=name, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
        context_settings=settings, no_args_is_help=hasattr(module, "KINDS"),
    )  # fmt: skip
    for kind in getattr(module, "KINDS", ()):
        app.command(kind.__name__, cls=_Command, context_settings=settings)(_reporting(kind))
    if hasattr(module, "KINDS"):
        app.callback()(function)
    else:
        app.command(name, cls=_Command, context_settings=settings)(_reporting(function))
    return typer.main.get_command(app)


def _reporting(command: Callable[..., None]) -> Callable[..., None]:
    """The command, showing the diagnostics of a game that has problems."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except GameError as error:
            if kwargs.get("as_json"):
                from gdl.commands.arguments import print_json

                print_json({"diagnostics": [d.as_data() for d in error.diagnostics]})
            else:
                from gdl.diagnostics.render import print_diagnostics

                print_diagnostics(error.diagnostics, sys.stderr)
            raise typer.Exit(PROBLEM) from None
        except KeyboardInterrupt:
            sys.stderr.write("\ninterrupted\n")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _stop_writing()

    return run


def _stop_writing() -> NoReturn:
    """Nobody reads on (`gdl … | head`): leaves quietly, as a program that is stopped by the signal does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(141)


def _report_bug(error: Exception) -> NoReturn:
    if os.environ.get("GDL_DEBUG"):
        raise error
    sys.stderr.write(
        f"This is a bug in gdl, not in your game: {type(error).__name__}: {error}\n"
        "Please report it with the command, the game file and the output of the same command with\n"
        "GDL_DEBUG=1 in the environment, which shows where it happened.\n"
    )
    sys.exit(BUG)
