"""How do people read, play and analyse games in a browser? A page on loopback, and processes that work.

in the server, which only hands things on:
    app.py        pages, files and the socket; who may ask
    origins.py    requests that come from elsewhere are refused
    offered.py    the games that are served, and nothing else
    rooms.py      plays that people sit at: seats, what each may see, what happens next
    talking.py    what one browser says and is told
    workers.py    processes that work for it: limits, queues, how they are stopped

in the processes, from plain data to plain data:
    worker.py     one request after another
    interrupts.py when work may be interrupted
    jobs.py       which requests there are
    loaded.py     the games that a process has ready
    lines.py      a play as data: starting, making moves, taking it up again
    views.py      a position as somebody may see it, and what pointing at it means
    pictures.py   pictures as data that the page draws
    editing.py    a text that is being written: colours, mistakes, fixes, completion
    thinking.py   agents' moves, values of every move, curves
    looking.py    search trees to unfold, pictures of policies
    exporting.py  solved games as pages that need no server

static/ is what the browser gets: a page, a style sheet, and modules without a build step.
"""

NOBODY = -1
"""The viewer who owns no seat where something is hidden: sees moves as others do, and no board."""
