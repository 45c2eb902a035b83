// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <bgtask.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

// C++ wrapper of the host's table: strings, durations, exceptions. It has no state of its own.
class Host {
public:
    explicit Host(const bgt_host *table) noexcept : table_(table) {}

    // The value of a setting, or the fallback if it is missing or empty.
    std::string setting(const char *key, const std::string &fallback) const;

    // As above, for whole numbers. Throws if the value is not a number in the range.
    std::int64_t number(const char *key, std::int64_t fallback, std::int64_t least, std::int64_t most) const;

    std::filesystem::path container() const;

    // Time left of the launch's shared budget; one minute if the launch has no fixed budget.
    std::chrono::milliseconds remaining() const noexcept;

    bool isExpiring(bgt_task task) const noexcept { return bgt_is_expiring(table_, task) != 0; }

    void log(std::uint32_t level, const std::string &line) const noexcept { bgt_log(table_, level, line.c_str()); }

    const bgt_host *table() const noexcept { return table_; }

private:
    const bgt_host *table_;
};
