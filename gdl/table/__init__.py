"""How does a person play? One table for whatever shows it: lines in a pipe, a full screen, a page.

table.py      who sits there, whose turn it is, what may be done: make, undo, hint, swap, save
reading.py    what a person types: moves by name, number or abbreviation, and commands
pointing.py   what a person points at: the moves that a cell of a board means
telling.py    what is said of it: turns, chance, values, lines
lines.py      the table as plain lines
screen.py     the table on a full screen (needs the extra `play`)
"""
