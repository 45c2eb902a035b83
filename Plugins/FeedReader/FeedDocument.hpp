// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <string>
#include <vector>

struct FeedEntry {
    std::string guid; // never empty: the feed's own identifier, else the link, else title and date
    std::string title;
    std::string link;
    std::string published; // in the feed's own format
};

// A parsed feed: RSS 2.0 (1.0 and 0.9x too) or Atom.
struct FeedDocument {
    std::string title;
    std::vector<FeedEntry> entries;
    std::string damage; // why the document was only read in part; empty if it is well-formed
};

// Parses these bytes without loading other resources, and expands only XML's five predefined entities. Throws for a
// document that is not a feed, or that declares entities: no feed needs them, but every expansion attack does.
FeedDocument readFeed(const std::string &bytes, const std::string &address);
