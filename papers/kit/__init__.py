"""What all figures share: runs of the program, one sheet of paper, bounds."""
