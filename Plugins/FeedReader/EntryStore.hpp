// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include "Database.hpp"
#include "Download.hpp"
#include "FeedDocument.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

// The entries seen so far, and each feed's validators, in one SQLite file. Knows nothing of how feeds are fetched.
class EntryStore {
public:
    explicit EntryStore(const std::filesystem::path &file);

    // Empty if the feed was never read whole.
    Validators validators(const std::string &feed);

    // Keeps what is new, tells how much that was. Entries and validators are one transaction: had the validators gone
    // first and the process died, the next answer would be 304 and the entries lost.
    std::size_t keep(const std::string &feed, const std::vector<FeedEntry> &entries, const Validators &validators);

    Database &database() noexcept { return database_; }

private:
    Database database_;
};
