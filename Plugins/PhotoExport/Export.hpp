// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include "Host.hpp"
#include "Photograph.hpp"

#include <chrono>
#include <string>

// One export of one album, from its settings to its last photo.
class Export {
public:
    // Throws if a setting is invalid.
    Export(const Host &host, bgt_task task, std::string album);

    // Returns the task's outcome; stops between two steps when the task expires. Throws if the album cannot be
    // exported at all.
    std::int32_t run();

private:
    bool mustStop() const { return host_.isExpiring(task_); }
    void exportPhoto(const class Album &album, const struct Photo &photo);
    void pause() const;
    void showProgress(std::size_t index, std::size_t count, const std::string &name) const;
    std::int32_t conclude(std::size_t count, std::size_t before) const;

    const Host host_;
    const bgt_task task_;
    const std::string name_;
    std::filesystem::path source_, target_;
    Compression compression_{};
    std::chrono::milliseconds pause_{};

    std::size_t exported_ = 0, failed_ = 0;
    std::uint64_t bytesBefore_ = 0, bytesAfter_ = 0;
};
