// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Photograph.hpp"

#include "Segments.hpp"

#include <turbojpeg.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace {

using Handle = std::unique_ptr<void, decltype(&tjDestroy)>;

// Limit on decoded pixels; more would need gigabytes of memory.
constexpr std::int64_t mostPixels = 200 * 1000 * 1000;

struct Shape {
    int width = 0, height = 0, subsampling = 0, colours = 0;

    std::int64_t pixels() const { return std::int64_t(width) * height; }

    // Pixel format between the two files, chosen so that colours are only converted when necessary.
    int pixelFormat() const {
        switch (colours) {
        case TJCS_GRAY: return TJPF_GRAY;
        case TJCS_CMYK:
        case TJCS_YCCK: return TJPF_CMYK;
        default: return TJPF_RGB;
        }
    }
};

Handle handle(tjhandle made) {
    if (made == nullptr) {
        throw std::runtime_error(std::string("no memory for a photo: ") + tjGetErrorStr2(nullptr));
    }
    return Handle(made, tjDestroy);
}

Shape shape(const Handle &decoder, const std::vector<unsigned char> &jpeg) {
    Shape shape;
    if (tjDecompressHeader3(decoder.get(), jpeg.data(), jpeg.size(), &shape.width, &shape.height, &shape.subsampling,
                            &shape.colours)
        != 0) {
        throw std::runtime_error(std::string("no JPEG file: ") + tjGetErrorStr2(decoder.get()));
    }
    if (shape.pixels() > mostPixels) {
        throw std::runtime_error(std::to_string(shape.pixels()) + " pixels are more than are decoded at once");
    }
    return shape;
}

// The size after scaling. The decoder scales by a few fixed factors; this is the largest that fits.
Shape scaled(const Shape &whole, std::int64_t longestEdge) {
    int count = 0;
    const tjscalingfactor *factors = tjGetScalingFactors(&count);
    Shape best = whole;
    if (longestEdge == 0 || std::max(whole.width, whole.height) <= longestEdge) {
        return best;
    }
    best.width = best.height = 0;
    Shape least = whole;
    for (int index = 0; index < count; index++) {
        Shape candidate = whole;
        candidate.width = TJSCALED(whole.width, factors[index]);
        candidate.height = TJSCALED(whole.height, factors[index]);
        if (candidate.pixels() < least.pixels()) {
            least = candidate;
        }
        if (std::max(candidate.width, candidate.height) <= longestEdge && candidate.pixels() > best.pixels()) {
            best = candidate;
        }
    }
    return best.pixels() > 0 ? best : least;
}

void stopIf(const std::function<bool()> &mustStop) {
    if (mustStop()) {
        throw StoppedMidway{};
    }
}

} // namespace

CompressedPhotograph compress(const std::vector<unsigned char> &jpeg, const Compression &compression,
                              const std::function<bool()> &mustStop) {
    const Handle decoder = handle(tjInitDecompress());
    const Shape whole = shape(decoder, jpeg);
    const Shape target = scaled(whole, compression.longestEdge);
    const int format = whole.pixelFormat();

    std::vector<unsigned char> pixels(static_cast<std::size_t>(target.pixels()) * tjPixelSize[format]);
    // The limit on scans keeps a small file from taking minutes.
    if (tjDecompress2(decoder.get(), jpeg.data(), jpeg.size(), pixels.data(), target.width, 0, target.height, format,
                      TJFLAG_LIMITSCANS)
        != 0) {
        // A partly decoded photo would lose content.
        return {jpeg, std::string("it is damaged: ") + tjGetErrorStr2(decoder.get())};
    }
    stopIf(mustStop);

    const Handle encoder = handle(tjInitCompress());
    const int subsampling = format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_420;
    unsigned char *buffer = nullptr;
    unsigned long size = 0;
    const int status = tjCompress2(encoder.get(), pixels.data(), target.width, 0, target.height, format, &buffer, &size,
                                   subsampling, compression.quality, TJFLAG_PROGRESSIVE);
    const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(buffer, tjFree);
    if (status != 0) {
        throw std::runtime_error(std::string("cannot be compressed: ") + tjGetErrorStr2(encoder.get()));
    }
    stopIf(mustStop);

    CompressedPhotograph result{withSegments(buffer, size, jpeg), ""};
    const bool isScaled = target.pixels() < whole.pixels();
    if (result.bytes.size() >= jpeg.size() && !isScaled) {
        return {jpeg, "it would not get smaller"};
    }
    return result;
}
