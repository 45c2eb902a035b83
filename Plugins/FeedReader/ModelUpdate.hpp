// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include "Host.hpp"

// The work of one model update: weighs the words that TypingLearner counted, keeps the heaviest as the model, and scores
// every entry by it, batch by batch. Told to stop, it keeps the batches that are done; the next update goes on there.
//
// NO_DATA: nothing was learned and every entry is scored; FAILURE: stopped before its end. Throws what stood in the way.
std::int32_t updateModel(const Host &host, bgt_task task);
