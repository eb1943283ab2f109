"""Who does work that is many independent pieces: this process, processes of this computer, or a cluster?

crew.py       the one way through which pieces go: in order or as they come, again where a worker was lost
places.py     where they are done, as `--on` says it
engine.py     what the engines below have in common
here.py       one after the other in this process
processes.py  processes of this computer
on_dask.py    a Dask cluster            on_ray.py    a Ray cluster
on_mpi.py     the ranks of `mpiexec`    handed_in.py an executor of the caller
work.py       what a worker does with a piece
"""
