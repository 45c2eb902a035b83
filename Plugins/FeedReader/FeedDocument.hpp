// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <string>
#include <vector>

struct FeedEntry {
    std::string guid; // never empty: the feed's own, else its link, else its title and date
    std::string title;
    std::string link;
    std::string published; // as the feed writes it
};

// A feed that was read: RSS 2.0 (1.0 and 0.9x too) or Atom.
struct FeedDocument {
    std::string title;
    std::vector<FeedEntry> entries;
    std::string damage; // why not all of it could be read; empty if it is well-formed
};

// Loads nothing but these bytes and expands no entity but XML's own five. Throws for what is no feed, and for a
// document that declares entities: no feed needs them, every expansion attack does.
FeedDocument readFeed(const std::string &bytes, const std::string &address);
