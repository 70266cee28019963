"""``python -m ncz`` is ``ncz``."""

from ncz.cli import main

main()
