// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

// What a server told us to show it next time, so that it need not send the same feed again.
struct Validators {
    std::string etag;
    std::string lastModified;
};

struct DownloadLimits {
    std::chrono::milliseconds time;
    std::size_t bytes; // after decompression
    std::function<bool()> mustStop;
};

struct Download {
    bool isUnchanged = false; // 304: there is no body
    std::string body;
    std::string address; // after redirects
    Validators validators;
};

// Fetches over http or https, on the calling thread. Throws for everything but a whole 200 and a 304.
Download download(const std::string &address, const Validators &known, const DownloadLimits &limits);
