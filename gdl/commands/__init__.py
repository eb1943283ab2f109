"""What does a verb of the command line take, and what does it show? One file and function per verb.

A command reads its arguments, calls the library, and shows what comes back: results on standard output,
diagnostics on standard error. It imports what it needs inside, so that `gdl --help` stays quick.
"""
