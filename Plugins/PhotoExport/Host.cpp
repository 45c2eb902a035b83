// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Host.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace {

// Calls `read` once for the size and once for the text. It is one of the two functions that fill a caller's buffer.
template <typename Read>
std::int32_t readText(std::string &text, Read read) {
    std::uint64_t needed = 0;
    std::int32_t status = read(nullptr, 0, &needed);
    if (status == BGT_TRUNCATED) {
        text.resize(needed);
        status = read(text.data(), needed, nullptr);
        text.resize(needed - 1); // without the NUL
    }
    return status;
}

// The text cut to the limit, after a whole character: the host refuses longer texts.
std::string shortened(const std::string &text) {
    std::size_t length = std::min<std::size_t>(text.size(), BGTASK_TITLE_MAX);
    while (length < text.size() && length > 0 && (text[length] & 0xC0) == 0x80) {
        length--;
    }
    return text.substr(0, length);
}

} // namespace

std::string Host::setting(const char *key, const std::string &fallback) const {
    std::string text;
    const std::int32_t status = readText(text, [&](char *buffer, std::uint64_t capacity, std::uint64_t *needed) {
        return bgt_setting(table_, key, buffer, capacity, needed);
    });
    if (status != BGT_OK && status != BGT_NOT_FOUND) {
        throw std::runtime_error(std::string("setting ") + key + ": " + bgt_status_name(table_, status));
    }
    return text.empty() ? fallback : text;
}

std::int64_t Host::number(const char *key, std::int64_t fallback, std::int64_t least, std::int64_t most) const {
    const std::string text = setting(key, std::to_string(fallback));
    const char *const end = text.data() + text.size();
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < least || value > most) {
        throw std::runtime_error(std::string("setting ") + key + " is \"" + text + "\"; it must be a whole number from "
                                 + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

std::filesystem::path Host::container() const {
    std::string text;
    const std::int32_t status = readText(text, [&](char *buffer, std::uint64_t capacity, std::uint64_t *needed) {
        return bgt_container_path(table_, buffer, capacity, needed);
    });
    if (status != BGT_OK) {
        throw std::runtime_error(std::string("container: ") + bgt_status_name(table_, status));
    }
    return text;
}

void Host::show(bgt_task task, const std::string &title, const std::string &subtitle) const noexcept {
    bgt_set_title(table_, task, shortened(title).c_str(), shortened(subtitle).c_str());
}
