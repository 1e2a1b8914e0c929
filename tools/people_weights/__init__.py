"""The weights by which `voxmatrix.book.people` tells who speaks: fitted on LitBank, measured on other novels."""
