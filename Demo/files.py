# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Fills a new SQLite database with every file that Debian's packages put on this machine.

Prints one line: rows, old rows, age in days from which a row is old, a hundredth of the old rows.
The age is derived from the files, so that the demonstration has rows to prune and rows to keep.
"""

import glob
import os
import sqlite3
import stat
import sys
import time


def listed_files():
    for path in sorted(glob.glob("/var/lib/dpkg/info/*.list")):
        package = os.path.basename(path)[: -len(".list")]
        with open(path, encoding="utf-8", errors="replace") as listing:
            for line in listing:
                yield package, line.rstrip("\n")


def rows():
    for package, path in listed_files():
        try:
            found = os.lstat(path)
        except OSError:
            yield path, package, None, None  # listed, but left out of this machine
            continue
        if not stat.S_ISDIR(found.st_mode):  # many packages list the same directory
            yield path, package, found.st_size, int(found.st_mtime)


def fill(database):
    database.execute("PRAGMA page_size = 4096")
    database.execute("CREATE TABLE files (path TEXT NOT NULL, package TEXT NOT NULL, size INTEGER, modified INTEGER)")
    database.executemany("INSERT INTO files VALUES (?, ?, ?, ?)", rows())
    database.commit()


def count(database, first, end):
    query = "SELECT count(*) FROM files WHERE modified >= ? AND modified < ?"
    return database.execute(query, (first, end)).fetchone()[0]


def main():
    database = sqlite3.connect(sys.argv[1])
    fill(database)
    now = int(time.time())
    ages = sorted((now - modified) // 86400 for (modified,) in
                  database.execute("SELECT modified FROM files WHERE modified IS NOT NULL"))
    if not ages:
        sys.exit("no file of an installed package was found: /var/lib/dpkg/info/*.list")
    keep_days = max(0, ages[len(ages) * 2 // 5] - 1)
    while keep_days > 0 and count(database, now - keep_days * 86400, now - keep_days * 86400 + 600) > 0:
        keep_days -= 1  # a row that grows old meanwhile would spoil the sum
    old = count(database, 0, now - keep_days * 86400)
    print(database.execute("SELECT count(*) FROM files").fetchone()[0], old, keep_days, max(1, old // 100))


main()
