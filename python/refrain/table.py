"""Tables of a trace: columns of numpy arrays by name."""

from __future__ import annotations

import typing

import numpy as np

if typing.TYPE_CHECKING:
    import pandas


def pandas_module() -> typing.Any:
    """pandas, or an error that says how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("data frames need pandas: apt-get install python3-pandas, or pip install pandas") from error
    return pandas


class Table(typing.Dict[str, np.ndarray]):
    """A dict of columns of one length. ``table["bytes"]`` is an array, ``table.frame()`` a pandas data frame."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(next(iter(self.values()))) if self else 0

    def frame(self) -> "pandas.DataFrame":
        """The table as a pandas data frame."""
        return pandas_module().DataFrame(dict(self))

    def __repr__(self) -> str:
        return f"<refrain.Table of {self.rows} rows: {', '.join(self)}>"
