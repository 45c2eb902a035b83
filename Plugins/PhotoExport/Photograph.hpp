// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct Compression {
    int quality;
    // In pixels; 0 keeps every photo as large as it is.
    std::int64_t longestEdge;
};

struct CompressedPhotograph {
    std::vector<unsigned char> bytes;
    // Why it is what it was; empty if it is smaller.
    std::string keptBecause;
};

// Compresses a JPEG file anew, with what it says about itself (when, where, which way is up, which colours). One that
// is damaged, or would not get smaller, is returned as it is. Throws if it is no JPEG file, and StoppedMidway.
CompressedPhotograph compress(const std::vector<unsigned char> &jpeg, const Compression &compression,
                              const std::function<bool()> &mustStop);

struct StoppedMidway {};
