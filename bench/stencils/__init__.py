"""Stencils that bench/stencil_tools gives to several tools, a module for each tool."""
