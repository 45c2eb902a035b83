# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Serves two feeds, of packages and of colours, on a free loopback port.

Prints the address and the number of entries of each, one per line. Serves until its standard input ends, and so never
outlives the program that started it.
"""

import colors
import packages
from atom import serve

serve({"packages.atom": packages.feed(), "colors.atom": colors.feed()})
