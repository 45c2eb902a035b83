# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Serves two feeds, of packages and of colours, on a free loopback port.

Prints a line for each, its address and how many entries it has, and serves until its standard input ends: it cannot
outlive the program that started it.
"""

import colors
import packages
from atom import serve

serve({"packages.atom": packages.feed(), "colors.atom": colors.feed()})
