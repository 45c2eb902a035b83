// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Segments.hpp"

#include <cstring>

namespace {

// A JPEG file is a sequence of segments: 0xFF, a marker, and for most the length of the rest in two bytes, which are
// included in the length.
constexpr unsigned char start = 0xD8, scan = 0xDA, application1 = 0xE1, application2 = 0xE2;

bool isWorthKeeping(unsigned char marker, const unsigned char *content, std::size_t length) {
    const char *wanted = marker == application1 ? "Exif" : marker == application2 ? "ICC_PROFILE" : nullptr;
    return wanted != nullptr && length > std::strlen(wanted) && std::memcmp(content, wanted, std::strlen(wanted)) == 0;
}

// The segments to keep, in their order. A truncated file only ends the search.
std::vector<unsigned char> segments(const std::vector<unsigned char> &jpeg) {
    std::vector<unsigned char> kept;
    std::size_t position = 2;
    while (position + 4 <= jpeg.size() && jpeg[position] == 0xFF && jpeg[position + 1] != scan) {
        const std::size_t length = std::size_t(jpeg[position + 2]) << 8 | jpeg[position + 3];
        if (length < 2 || position + 2 + length > jpeg.size()) {
            break;
        }
        const auto first = jpeg.begin() + static_cast<std::ptrdiff_t>(position);
        if (isWorthKeeping(jpeg[position + 1], jpeg.data() + position + 4, length - 2)) {
            kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(length + 2));
        }
        position += length + 2;
    }
    return kept;
}

} // namespace

std::vector<unsigned char> withSegments(const unsigned char *compressed, std::size_t size,
                                        const std::vector<unsigned char> &original) {
    std::vector<unsigned char> whole(compressed, compressed + size);
    const bool isJPEG = size > 2 && whole[0] == 0xFF && whole[1] == start;
    if (isJPEG && original.size() > 2 && original[0] == 0xFF && original[1] == start) {
        const std::vector<unsigned char> kept = segments(original);
        whole.insert(whole.begin() + 2, kept.begin(), kept.end());
    }
    return whole;
}
