// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Album.hpp"

#include "File.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

// A name prefix that no photo has: a file with it was never finished.
constexpr const char *unfinished = ".photoexport-";

// Larger files are not photos, and would be in memory twice.
constexpr std::uintmax_t mostBytes = std::uintmax_t(256) << 20;

bool isPhoto(const fs::directory_entry &entry) {
    if (!entry.is_regular_file()) {
        return false;
    }
    std::string suffix = entry.path().extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) { return std::tolower(c); });
    return (suffix == ".jpg" || suffix == ".jpeg") && entry.file_size() <= mostBytes;
}

} // namespace

Album::Album(fs::path source, fs::path target) : source_(std::move(source)), target_(std::move(target)) {
    if (!fs::is_directory(source_)) {
        throw std::runtime_error(source_.string() + " is not a directory; put the album there, or set `directory`");
    }
    fs::create_directories(target_);
    lock();
    try {
        clear();
        list();
    } catch (...) {
        close(lock_);
        throw;
    }
}

Album::~Album() { close(lock_); }

// Other processes of this plugin may run (BGT-ABI-17); the lock ends with the process, however that ends.
void Album::lock() {
    lock_ = open(target_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;
        close(lock_);
        throw std::system_error(reason, std::generic_category(), target_.string() + " cannot be locked");
    }
}

void Album::clear() const {
    for (const auto &entry : fs::directory_iterator(target_)) {
        if (entry.path().filename().string().rfind(unfinished, 0) == 0) {
            fs::remove(entry.path());
        }
    }
}

void Album::list() {
    for (const auto &entry : fs::directory_iterator(source_)) {
        if (!isPhoto(entry)) {
            continue;
        }
        const fs::path exported = target_ / entry.path().filename();
        std::error_code problem;
        const auto time = fs::last_write_time(exported, problem);
        if (!problem && time >= entry.last_write_time()) {
            exportedBefore_++;
        } else {
            photos_.push_back({entry.path().filename().string(), entry.file_size()});
        }
    }
    std::sort(photos_.begin(), photos_.end(), [](const Photo &a, const Photo &b) { return a.name < b.name; });
}

std::vector<unsigned char> Album::read(const Photo &photo) const { return readFile(source_ / photo.name, mostBytes); }

void Album::write(const Photo &photo, const std::vector<unsigned char> &bytes) const {
    UnfinishedFile file(target_, unfinished);
    file.write(bytes);
    file.finish(target_ / photo.name);
}
