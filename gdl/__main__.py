"""`python -m gdl` is `gdl`."""

from gdl.cli import main

if __name__ == "__main__":
    main()
