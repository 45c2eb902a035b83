// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct Compression {
    int quality;
    // In pixels; 0 keeps the size of every photo.
    std::int64_t longestEdge;
};

struct CompressedPhotograph {
    std::vector<unsigned char> bytes;
    // The reason why the original was kept; empty if the photo was compressed.
    std::string keptBecause;
};

// Compresses a JPEG file again, and keeps its metadata (time, place, orientation, colour profile). A file that is
// damaged, or would not become smaller, is returned unchanged. Throws if it is not a JPEG file, and StoppedMidway.
CompressedPhotograph compress(const std::vector<unsigned char> &jpeg, const Compression &compression,
                              const std::function<bool()> &mustStop);

struct StoppedMidway {};
