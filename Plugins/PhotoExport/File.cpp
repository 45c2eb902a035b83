// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "File.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

std::vector<unsigned char> readFile(const std::filesystem::path &path, std::uintmax_t most) {
    const std::uintmax_t size = std::filesystem::file_size(path);
    if (size > most) {
        throw std::runtime_error(path.string() + " has " + std::to_string(size) + " bytes, more than a photo has");
    }
    std::vector<unsigned char> bytes(size);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(size))) {
        throw std::runtime_error(path.string() + " cannot be read");
    }
    return bytes;
}

UnfinishedFile::UnfinishedFile(const std::filesystem::path &directory, const std::string &prefix)
    : path_((directory / (prefix + "XXXXXX")).string()), descriptor_(mkostemp(path_.data(), O_CLOEXEC)) {
    if (descriptor_ < 0) {
        throw std::system_error(errno, std::generic_category(), directory.string() + ": no file can be made there");
    }
}

UnfinishedFile::~UnfinishedFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
        unlink(path_.c_str());
    }
}

void UnfinishedFile::write(const std::vector<unsigned char> &bytes) {
    for (std::size_t written = 0; written < bytes.size();) {
        const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
        if (count >= 0) {
            written += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            fail("write");
        }
    }
}

void UnfinishedFile::finish(const std::filesystem::path &path) {
    // mkostemp makes the file private; an export gets the usual permissions of new files.
    if (fchmod(descriptor_, 0644) != 0 || fsync(descriptor_) != 0 || rename(path_.c_str(), path.c_str()) != 0) {
        fail("put in place");
    }
    close(descriptor_);
    descriptor_ = -1;
}

void UnfinishedFile::fail(const char *attempt) const {
    throw std::system_error(errno, std::generic_category(), "cannot " + std::string(attempt) + " " + path_);
}
