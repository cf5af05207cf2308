"""The library's operators, for type checkers and editors; docs/operators.md says what they compute."""

from typing import Any

from . import Program, Type

names: tuple[str, ...]

def program(
    name: str,
    cells: Any = None,
    boxes: int = 1,
    type: Type = ...,
    boundary: str = "ghost",
    ghost: int = 1,
    **choices: str,
) -> Program: ...

class _Operator:
    @property
    def __signature__(self) -> Any: ...
    def __init__(self, name: str, names: list[str]) -> None: ...
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...

apply: _Operator
apply1d: _Operator
apply2d: _Operator
apply3d: _Operator
axpy: _Operator
axpy1d: _Operator
axpy2d: _Operator
axpy3d: _Operator
dot: _Operator
dot1d: _Operator
dot2d: _Operator
dot3d: _Operator
fillz: _Operator
horizontal_diffusion: _Operator
lambda1d: _Operator
lambda2d: _Operator
lambda3d: _Operator
lambda_: _Operator
norm: _Operator
norm1d: _Operator
norm2d: _Operator
norm3d: _Operator
prolongation: _Operator
prolongation1d: _Operator
prolongation2d: _Operator
prolongation3d: _Operator
prolongation_correction: _Operator
prolongation_correction1d: _Operator
prolongation_correction2d: _Operator
prolongation_correction3d: _Operator
residual: _Operator
residual1d: _Operator
residual2d: _Operator
residual3d: _Operator
residual_norm: _Operator
residual_norm1d: _Operator
residual_norm2d: _Operator
residual_norm3d: _Operator
residual_restriction: _Operator
residual_restriction1d: _Operator
residual_restriction2d: _Operator
residual_restriction3d: _Operator
restriction: _Operator
restriction1d: _Operator
restriction2d: _Operator
restriction3d: _Operator
scale: _Operator
scale1d: _Operator
scale2d: _Operator
scale3d: _Operator
shift: _Operator
shift1d: _Operator
shift2d: _Operator
shift3d: _Operator
smooth: _Operator
smooth1d: _Operator
smooth2d: _Operator
smooth3d: _Operator
thomas: _Operator
vertical_advection: _Operator
