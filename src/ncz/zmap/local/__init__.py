"""Zmaps on the local disk: directory trees and zip files.

May import: zmap.key, zmap.location, zmap.os_errors, errors.
"""
