// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

// Validators of a server's response, for a conditional request next time.
struct Validators {
    std::string etag;
    std::string lastModified;
};

struct DownloadLimits {
    std::chrono::milliseconds time;
    std::size_t bytes; // limit after decompression
    std::function<bool()> mustStop;
};

struct Download {
    bool isUnchanged = false; // status 304: there is no body
    std::string body;
    std::string address; // address after redirects
    Validators validators;
};

// Downloads over http or https, on the calling thread. Throws unless the response is a complete 200 or a 304.
Download download(const std::string &address, const Validators &known, const DownloadLimits &limits);
