"""The commands as functions: for each one frozen options record and one function; no printing.

May import: everything but cli and api.
"""
