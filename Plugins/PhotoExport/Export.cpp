// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Export.hpp"

#include "Album.hpp"

#include <cstdio>
#include <exception>
#include <thread>

namespace {

std::string count(std::size_t number, const char *one, const char *many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string megabytes(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

} // namespace

Export::Export(const Host &host, bgt_task task, std::string album)
    : host_(host), task_(task), name_(std::move(album)),
      // A relative path is resolved inside the container, because the host sets the working directory.
      source_(host.container() / host.setting("directory", "photos") / name_),
      target_(host.container() / host.setting("into", "exported") / name_) {
    compression_.quality = static_cast<int>(host.number("quality", 80, 1, 100));
    compression_.longestEdge = host.number("longest-edge", 0, 0, 65500);
    pause_ = std::chrono::milliseconds(host.number("pause-ms", 0, 0, 10000));
}

std::int32_t Export::run() {
    const Album album(source_, target_);
    const std::vector<Photo> &photos = album.photos();
    std::uint64_t total = 0, done = 0;
    for (const Photo &photo : photos) {
        total += photo.size;
    }
    for (std::size_t index = 0; index < photos.size() && !mustStop(); index++) {
        showProgress(index, photos.size(), photos[index].name);
        try {
            exportPhoto(album, photos[index]);
        } catch (const StoppedMidway &) {
            break;
        } catch (const std::exception &problem) {
            failed_++;
            host_.log(BGT_LOG_ERROR, photos[index].name + " is not exported: " + problem.what());
        }
        // Progress in bytes, because photos differ in size far more than in the time per byte.
        done += photos[index].size;
        if (total > 0) {
            host_.report(task_, done, total);
        }
        pause();
    }
    return conclude(photos.size(), album.exportedBefore());
}

void Export::exportPhoto(const Album &album, const Photo &photo) {
    const std::vector<unsigned char> original = album.read(photo);
    const CompressedPhotograph result = compress(original, compression_, [this] { return mustStop(); });
    if (!result.keptBecause.empty()) {
        host_.log(BGT_LOG_INFO, photo.name + " is exported as it is: " + result.keptBecause);
    }
    album.write(photo, result.bytes);
    // After the work: an export that is interrupted later continues without a charged attempt.
    host_.checkpoint(task_, photo.name);
    exported_++;
    bytesBefore_ += original.size();
    bytesAfter_ += result.bytes.size();
}

// Waits in short steps, so that a stop is not delayed.
void Export::pause() const {
    const auto end = std::chrono::steady_clock::now() + pause_;
    while (!mustStop() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void Export::showProgress(std::size_t index, std::size_t count, const std::string &name) const {
    const std::string place = std::to_string(index + 1) + " of " + std::to_string(count);
    host_.show(task_, "Exporting " + name_, place + ": " + name);
}

std::int32_t Export::conclude(std::size_t photos, std::size_t before) const {
    const std::string sizes = megabytes(bytesBefore_) + " became " + megabytes(bytesAfter_);
    const std::string kept = before > 0 ? ", " + std::to_string(before) + " were there before" : "";
    const std::string some = std::to_string(exported_) + " of " + count(photos, "photo", "photos");
    if (exported_ + failed_ < photos) {
        host_.log(BGT_LOG_INFO, name_ + ": stopped after " + some + ", " + sizes + "; the next export goes on there");
        return BGT_OUTCOME_FAILURE;
    }
    host_.show(task_, "Exported " + name_, some + ", " + sizes);
    host_.log(failed_ > 0 ? BGT_LOG_WARNING : BGT_LOG_INFO, name_ + ": " + some + ", " + sizes + kept);
    if (failed_ > 0) {
        return BGT_OUTCOME_FAILURE;
    }
    return exported_ > 0 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA;
}
