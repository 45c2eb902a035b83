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

// A folder of JPEG files and the one that they are exported to. Nobody else exports there as long as it lives.
class Album {
public:
    // Makes the target folder and clears it of what a process that was killed left half-written. Throws if the source
    // is no folder, or if another export of it runs.
    Album(std::filesystem::path source, std::filesystem::path target);
    ~Album();
    Album(const Album &) = delete;
    Album &operator=(const Album &) = delete;

    // Those that have not been exported since they last changed, by name.
    const std::vector<Photo> &photos() const noexcept { return photos_; }

    // As many as were exported before.
    std::size_t exportedBefore() const noexcept { return exportedBefore_; }

    // Throws with the file's name.
    std::vector<unsigned char> read(const Photo &photo) const;

    // Puts a whole file in place, or none. Throws with the file's name.
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
