// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The plugin's registration, and the place where exceptions are caught. The work itself is in Export.cpp.

#include "Export.hpp"
#include "Host.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace {

constexpr const char *pattern = "com.example.photoexport.album.*";

// The album's name, which replaces the star of the pattern.
std::string albumName(const char *identifier) {
    return std::string(identifier).substr(std::string_view(pattern).size() - 1);
}

// The handler. It has no expiration handler: the export polls is_expiring between short steps.
void exportAlbum(void *, const bgt_host *table, bgt_task task) noexcept {
    const Host host(table);
    std::int32_t outcome = BGT_OUTCOME_FAILURE;
    try {
        bgt_task_info info{};
        if (bgt_get_task_info(table, task, &info) == BGT_OK) {
            outcome = Export(host, task, albumName(info.identifier)).run();
        }
    } catch (const std::exception &problem) {
        host.log(BGT_LOG_ERROR, problem.what());
    } catch (...) {
        host.log(BGT_LOG_ERROR, "an exception that is not a std::exception was thrown");
    }
    bgt_complete(table, task, outcome);
}

} // namespace

// One handler for all albums: the submitter of an export composes its identifier.
BGTASK_PLUGIN_ENTRY(host, plugin) { return bgt_register(host, pattern, exportAlbum, nullptr); }
