"""The judge: small random games, their true values found by other means, and every answer held to its label.

The solvers promise that an answer says how it is known. The judge holds them to it. It shares nothing
with them: `generate` draws a position graph and writes it down as a game, or writes structured rules
whose graph is then read off the reference engine's successors; `oracle` finds the exact value of the
graph in fractions, by its own theory; `hold` asks every solver, engine, leaf and budget, and the
commands, and compares.

    exact       the number is the truth, to the last digit
    bounded     the truth lies between
    estimate    a finite number within the bounds of all values; an interval only where `intervals` judges it
    best moves  all of them and no others where the answer is exact; where it is bounded all of them, and no
                move whose bounds prove it worse
    a refusal   is of a game that does not meet what the solver says it needs (`needs`), as its graph and its
                text show, or whose value is really undefined
    the text    printed, read back, says nothing false (`reading`); JSON is JSON
    the time    ten seconds of processor time are too many for any of it

    generate.py   games as data and as text; `rules.py` writes the structured ones
    graph.py      what a game is to the judge: places, choices, outcomes as fractions
    oracle.py     the truth
    reading.py    what a printed value claims
    hold.py       every answer against the truth; `asking.py` draws what is asked
    needs.py      what each solver needs of a game, written down for the judge alone
    plays.py      the same seed gives the same plays by run, record and match, another seed others
    expecting.py  `gdl test` passes what is true and fails what is not
    intervals.py  over 200 seeds a 95 % interval covers the truth 90 to 99 % of the time
    proofs.py     what the checker proves of a text, against everything that can be reached
    crew.py       processes that judge games and can be stopped; `cut.py` makes failing games smaller

A quick count runs with the tests (`test_judge.py`), on a fresh seed each time unless GDL_JUDGE_SEED is
set. The full count is a command:

    python -m tests.judge --count 10000 [--seed N] [--jobs 2] [--minutes M] [--out FILE]
    python -m tests.judge --seed N --only K         one game of that run again, with its text
    python -m tests.judge --file GAME.gdl           a game of your own
"""
