// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include "Host.hpp"

// Runs one refresh: download, parse, store. Throws on errors; the caller completes the task.
std::int32_t refreshFeed(const Host &host, bgt_task task);
