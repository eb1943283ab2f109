"""The commands: one file per verb, holding one function of the same name.

A command reads its arguments, calls the library, and shows what comes back: results on standard output,
diagnostics on standard error. It imports what it needs inside, so that `gdl --help` stays quick.
"""
