// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Download.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>

namespace {

constexpr std::size_t validatorBytes = 1024;

struct EasyCleanup {
    void operator()(CURL *handle) const noexcept { curl_easy_cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, EasyCleanup>;

struct ListCleanup {
    void operator()(curl_slist *list) const noexcept { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListCleanup>;

struct Transfer {
    const DownloadLimits &limits;
    std::string body;
    bool isTooLarge = false;
};

// Both callbacks are called from C code, so they must not throw.
std::size_t receive(char *bytes, std::size_t, std::size_t count, void *context) noexcept {
    auto &transfer = *static_cast<Transfer *>(context);
    if (count > transfer.limits.bytes - transfer.body.size()) {
        transfer.isTooLarge = true;
        return 0;
    }
    try {
        transfer.body.append(bytes, count);
        return count;
    } catch (...) {
        return 0;
    }
}

// Called about once a second even while no data arrives, so that a hanging server does not delay the stop.
int watch(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
    return static_cast<Transfer *>(context)->limits.mustStop() ? 1 : 0;
}

HeaderList conditions(const Validators &known) {
    HeaderList list;
    const auto add = [&list](const std::string &line) {
        curl_slist *const longer = curl_slist_append(list.get(), line.c_str());
        if (longer == nullptr) {
            throw std::bad_alloc();
        }
        (void)list.release(); // the list is part of, or has become, the longer one
        list.reset(longer);
    };
    if (!known.etag.empty()) {
        add("If-None-Match: " + known.etag);
    }
    if (!known.lastModified.empty()) {
        add("If-Modified-Since: " + known.lastModified);
    }
    return list;
}

// A header of the last response, not of the redirects before it.
std::string responseHeader(CURL *easy, const char *name) {
    curl_header *header = nullptr;
    if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) {
        return {};
    }
    const std::string value = header->value;
    return value.size() <= validatorBytes ? value : std::string();
}

template <typename Value>
void set(const Easy &easy, CURLoption option, Value value) {
    const CURLcode code = curl_easy_setopt(easy.get(), option, value);
    if (code != CURLE_OK) {
        throw std::runtime_error(std::string("curl: ") + curl_easy_strerror(code));
    }
}

} // namespace

Download download(const std::string &address, const Validators &known, const DownloadLimits &limits) {
    static const CURLcode isReady = curl_global_init(CURL_GLOBAL_DEFAULT);
    const Easy easy(isReady == CURLE_OK ? curl_easy_init() : nullptr);
    if (!easy) {
        throw std::runtime_error("curl could not be set up");
    }
    const HeaderList headers = conditions(known);
    Transfer transfer{limits, {}};
    std::array<char, CURL_ERROR_SIZE> problem{};
    const long milliseconds = static_cast<long>(std::max<std::int64_t>(1, limits.time.count()));

    set(easy, CURLOPT_URL, address.c_str());
    set(easy, CURLOPT_NOSIGNAL, 1L); // signals belong to the host
    set(easy, CURLOPT_QUICK_EXIT, 1L); // a hanging name server does not block; its thread ends with the process
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_FOLLOWLOCATION, 1L);
    set(easy, CURLOPT_MAXREDIRS, 5L);
    set(easy, CURLOPT_ACCEPT_ENCODING, "");
    set(easy, CURLOPT_USERAGENT, "bgtask-feedreader/1.0");
    set(easy, CURLOPT_HTTPHEADER, headers.get());
    set(easy, CURLOPT_TIMEOUT_MS, milliseconds);
    set(easy, CURLOPT_CONNECTTIMEOUT_MS, std::min(milliseconds, 10000L));
    set(easy, CURLOPT_WRITEFUNCTION, &receive);
    set(easy, CURLOPT_WRITEDATA, &transfer);
    set(easy, CURLOPT_NOPROGRESS, 0L);
    set(easy, CURLOPT_XFERINFOFUNCTION, &watch);
    set(easy, CURLOPT_XFERINFODATA, &transfer);
    set(easy, CURLOPT_ERRORBUFFER, problem.data());

    const CURLcode code = curl_easy_perform(easy.get());
    if (transfer.isTooLarge) {
        throw std::runtime_error(address + " is larger than " + std::to_string(limits.bytes)
                                 + " bytes; raise the setting max-bytes if it is meant to be");
    }
    if (code == CURLE_ABORTED_BY_CALLBACK) {
        throw std::runtime_error(address + ": stopped after the expiration, before the download was complete");
    }
    if (code != CURLE_OK) {
        throw std::runtime_error(address + ": " + (problem[0] != '\0' ? problem.data() : curl_easy_strerror(code)));
    }
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    const bool isConditional = headers != nullptr;
    if (status != 200 && !(status == 304 && isConditional)) {
        throw std::runtime_error(address + " answered " + std::to_string(status) + "; a feed answers 200");
    }
    const char *effective = nullptr;
    curl_easy_getinfo(easy.get(), CURLINFO_EFFECTIVE_URL, &effective);

    Download result;
    result.isUnchanged = status == 304;
    result.body = std::move(transfer.body);
    result.address = effective != nullptr ? effective : address;
    result.validators = {responseHeader(easy.get(), "ETag"), responseHeader(easy.get(), "Last-Modified")};
    return result;
}
