"""The extension module is the package's own: its names have their types in __init__.pyi and gmg.pyi."""

from typing import Any

def __getattr__(name: str) -> Any: ...
