// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Reads a file. Throws an error with its name, also when it has more than `most` bytes.
std::vector<unsigned char> readFile(const std::filesystem::path &path, std::uintmax_t most);

// A file that appears only when it is complete, and is removed otherwise.
class UnfinishedFile {
public:
    // Creates the file. Its name begins with the prefix until it is finished.
    UnfinishedFile(const std::filesystem::path &directory, const std::string &prefix);
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile &) = delete;
    UnfinishedFile &operator=(const UnfinishedFile &) = delete;

    void write(const std::vector<unsigned char> &bytes);

    // Flushes the file to disk and renames it into place, replacing an existing file.
    void finish(const std::filesystem::path &path);

private:
    [[noreturn]] void fail(const char *attempt) const;

    std::string path_;
    int descriptor_;
};
