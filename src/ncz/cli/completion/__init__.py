"""Completion of commands in bash, zsh and fish, by click's scripts.

`command` is ``ncz completion``, which prints the scripts. A shell then calls the program itself,
and `answer` completes the line; `values` knows what options of a name take.

May import: options, commands, formats, model, errors. Entry points: `command.completion`,
`answer.answer`.
"""
