// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <cstddef>
#include <vector>

// The compressed file with the metadata segments of the original: Exif and colour profile.
std::vector<unsigned char> withSegments(const unsigned char *compressed, std::size_t size,
                                        const std::vector<unsigned char> &original);
