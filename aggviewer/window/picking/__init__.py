"""What a person does with discs: select, follow, hide, measure from them."""
