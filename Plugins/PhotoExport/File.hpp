// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Throws with the file's name, also when it is longer than it may be.
std::vector<unsigned char> readFile(const std::filesystem::path &path, std::uintmax_t most);

// A file that is not there until it is whole, and gone if it never gets there.
class UnfinishedFile {
public:
    // Its name begins with the prefix until it is finished.
    UnfinishedFile(const std::filesystem::path &folder, const std::string &prefix);
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile &) = delete;
    UnfinishedFile &operator=(const UnfinishedFile &) = delete;

    void write(const std::vector<unsigned char> &bytes);

    // On disk and in place, over what was there.
    void finish(const std::filesystem::path &path);

private:
    [[noreturn]] void fail(const char *attempt) const;

    std::string path_;
    int descriptor_;
};
