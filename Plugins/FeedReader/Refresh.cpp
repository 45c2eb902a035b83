// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Refresh.hpp"

#include "Download.hpp"
#include "EntryStore.hpp"
#include "FeedDocument.hpp"

#include <stdexcept>

namespace {

constexpr const char *defaultFeed = "https://www.debian.org/News/news";
constexpr std::int64_t defaultBytes = 8 * 1024 * 1024;

// A quarter of the time is reserved for parsing and storing the response.
DownloadLimits limits(const Host &host, bgt_task task) {
    DownloadLimits limits;
    limits.time = host.remaining() * 3 / 4;
    limits.bytes = static_cast<std::size_t>(host.number("max-bytes", defaultBytes, 1024, 1 << 30));
    limits.mustStop = [host, task] { return host.isExpiring(task); };
    return limits;
}

std::string count(std::size_t number, const char *one, const char *many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

} // namespace

std::int32_t refreshFeed(const Host &host, bgt_task task) {
    const std::string address = host.setting("feed-url", defaultFeed);
    EntryStore store(host.container() / "feeds.sqlite");

    const Download answer = download(address, store.validators(address), limits(host, task));
    if (answer.isUnchanged) {
        host.log(BGT_LOG_INFO, address + " has not changed");
        return BGT_OUTCOME_NO_DATA;
    }
    const FeedDocument feed = readFeed(answer.body, answer.address);
    if (host.isExpiring(task)) {
        throw std::runtime_error(address + ": time was up before its entries were kept");
    }
    // A feed that was read in part is stored without validators, so that it is downloaded again next time.
    const std::size_t fresh =
        store.keep(address, feed.entries, feed.damage.empty() ? answer.validators : Validators{});
    if (!feed.damage.empty()) {
        host.log(BGT_LOG_WARNING, address + " is damaged, kept what could be read: " + feed.damage);
    }
    host.log(BGT_LOG_INFO, "kept " + count(fresh, "new entry", "new entries") + " of "
                               + std::to_string(feed.entries.size()) + " from " + address
                               + (feed.title.empty() ? "" : " (" + feed.title + ")"));
    return fresh > 0 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA;
}
