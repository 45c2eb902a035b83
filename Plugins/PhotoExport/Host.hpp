// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <bgtask.h>

#include <cstdint>
#include <filesystem>
#include <string>

// C++ wrapper of the host's table: strings, paths, exceptions. It has no state of its own.
class Host {
public:
    explicit Host(const bgt_host *table) noexcept : table_(table) {}

    // The value of a setting, or the fallback if it is missing or empty.
    std::string setting(const char *key, const std::string &fallback) const;

    // As above, for whole numbers. Throws if the value is not a number in the range.
    std::int64_t number(const char *key, std::int64_t fallback, std::int64_t least, std::int64_t most) const;

    std::filesystem::path container() const;

    bool isExpiring(bgt_task task) const noexcept { return bgt_is_expiring(table_, task) != 0; }

    // Sets the title and subtitle that users see of a continued task, cut to the limit.
    void show(bgt_task task, const std::string &title, const std::string &subtitle) const noexcept;

    void report(bgt_task task, std::uint64_t done, std::uint64_t total) const noexcept {
        bgt_set_progress(table_, task, static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
    }

    // Moves the task's cursor, durably; no effect on a host without cursors.
    void checkpoint(bgt_task task, const std::string &cursor) const noexcept {
        bgt_checkpoint(table_, task, cursor.data(), cursor.size(), BGT_CHECKPOINT_DURABLE);
    }

    void log(std::uint32_t level, const std::string &line) const noexcept { bgt_log(table_, level, line.c_str()); }

    const bgt_host *table() const noexcept { return table_; }

private:
    const bgt_host *table_;
};
