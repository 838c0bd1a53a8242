"""The common look of all tables."""

from __future__ import annotations

from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableView


def set_up_rows(table: QTableView, name: str, space: int = 6) -> QHeaderView:
    """Set up a table: whole rows are selected, one at a time, without grid lines or row numbers, as high as the text.
    Returns the header.

    Parameters
    ----------
    table : with its own font.
    name : for screen readers.
    space : total pixels above and below the text of a row.
    """
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setAccessibleName(name)
    head, rows = table.horizontalHeader(), table.verticalHeader()
    assert head is not None
    assert rows is not None
    rows.hide()
    rows.setDefaultSectionSize(table.fontMetrics().height() + space)
    head.setHighlightSections(False)
    return head
