"""What all tables of the program look like."""

from __future__ import annotations

from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableView


def set_up_rows(table: QTableView, name: str, space: int = 6) -> QHeaderView:
    """Have whole rows selected, one at a time, without lines and numbers, as high as the text; returns the head.

    Parameters
    ----------
    table : with its own font.
    name : for screen readers.
    space : pixels above and below the text of a row together.
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
