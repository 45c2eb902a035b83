// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

struct Photo {
    std::string name;
    std::uint64_t size;
};

// A directory of JPEG files and the directory of their exports, which is locked against other exports.
class Album {
public:
    // Creates the target directory and removes unfinished files of processes that were killed. Throws if the source is
    // not a directory, or if another export to the target runs.
    Album(std::filesystem::path source, std::filesystem::path target);
    ~Album();
    Album(const Album &) = delete;
    Album &operator=(const Album &) = delete;

    // The photos that have not been exported since their last change, sorted by name.
    const std::vector<Photo> &photos() const noexcept { return photos_; }

    // The number of photos that were exported before.
    std::size_t exportedBefore() const noexcept { return exportedBefore_; }

    // Reads a photo. Throws an error with the file's name.
    std::vector<unsigned char> read(const Photo &photo) const;

    // Writes a complete file in place, or none. Throws an error with the file's name.
    void write(const Photo &photo, const std::vector<unsigned char> &bytes) const;

private:
    void lock();
    void clear() const;
    void list();

    std::filesystem::path source_, target_;
    std::vector<Photo> photos_;
    std::size_t exportedBefore_ = 0;
    int lock_ = -1;
};
