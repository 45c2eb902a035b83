# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Copies lines. A line wider than the given width continues on the next line, indented: it still reads as one row."""

import sys
import textwrap

wrapper = textwrap.TextWrapper(width=int(sys.argv[1]), subsequent_indent=" " * 8, expand_tabs=False,
                               replace_whitespace=False, break_long_words=False, break_on_hyphens=False)
for line in sys.stdin:
    line = line.rstrip()
    sys.stdout.write((line if len(line) <= wrapper.width else wrapper.fill(line)) + "\n")
    sys.stdout.flush()
