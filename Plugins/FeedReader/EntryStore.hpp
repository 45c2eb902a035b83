// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include "Database.hpp"
#include "Download.hpp"
#include "FeedDocument.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

// All entries seen so far and the validators of each feed, in one SQLite file. It does not download feeds.
class EntryStore {
public:
    explicit EntryStore(const std::filesystem::path &file);

    // Validators of the feed; empty if it was never stored completely.
    Validators validators(const std::string &feed);

    // Stores new entries and returns their number. Entries and validators are written in one transaction: if only the
    // validators were stored, the next response would be 304 and the entries would be lost.
    std::size_t keep(const std::string &feed, const std::vector<FeedEntry> &entries, const Validators &validators);

    Database &database() noexcept { return database_; }

private:
    Database database_;
};
