// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include "Host.hpp"

// The work of one refresh: fetch, read, keep. Throws what stood in the way; completing the task is the caller's.
std::int32_t refreshFeed(const Host &host, bgt_task task);
