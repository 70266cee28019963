"""Results as text for people and as JSON: the plan of a copy, differences, descriptions.

May import: terminal, views, transfer, commands, model, errors.
"""
